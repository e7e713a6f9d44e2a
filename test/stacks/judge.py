#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the stacks of a program of make_tree.py, whose functions have one caller each: the innermost one's name says
what lies below it. judge.py [--loose] [--doctor HOW] [--least N] FILE...: FILE is what `crosscut report -q tree --json`
or `crosscut convert` to folded stacks printed. Prints a line per kind of stack, every wrong one, and ends with 1 where a
share is below what it must be. --loose is for C++ and Rust, whose exceptions run through frames of their own.
--doctor spoils the stacks first: "caller" drops frames as a walk by frame pointers does, "cut" leaves the innermost
frames, "sibling" names a wrong function in the middle."""
import argparse
import collections
import json
import re

TREE = re.compile(r"^[nbga](_[A-Za-z]\d+)*$")
PART = re.compile(r"\.(cold|part|constprop|isra)(\.\d+)?$")
NO_STACK = re.compile(r"^\[(unwind failed|no stack|cut stack)")
CALLS_OUT = set("qfvmoszNMCERGW")       # shapes that call functions which are not of the tree
THROUGH = set("qy")                     # shapes that reach their child through such functions


def kernel_names():
    try:
        with open("/proc/kallsyms", encoding="ascii", errors="replace") as lines:
            return {line.split()[2] for line in lines if line.split()[1] in "tTwW"}
    except OSError:
        return set()


def shape(name):
    return name.rsplit("_", 1)[1][0] if "_" in name else "."


def chain(name):
    parts = name.split("_")
    return ["_".join(parts[:i + 1]) for i in range(len(parts))]


class Judge:
    def __init__(self, loose):
        self.loose, self.kernel = loose, kernel_names()

    def segment(self, frames, first):
        """Of one root to what runs in its innermost function: exact, near, or wrong and why. The frames before the root
        must be those that begin a thread."""
        at = [i for i, name in enumerate(frames) if TREE.match(name)]
        seen, leaf = [frames[i] for i in at], frames[at[-1]]
        tail = [name for name in frames[at[-1] + 1:] if name not in self.kernel]
        if first:
            begin = frames[:at[0]]
            if seen[0][0] == "n" and not ("main" in begin[-1:] or self.loose and any("main" in name for name in begin)):
                return "wrong", "does not come from main"
            if not begin or (len(begin) > 4 and not self.loose):
                return "wrong", "does not begin where a thread begins"
        for left, right in zip(at, at[1:]):
            if right - left > 1 and shape(frames[left]) not in THROUGH and not self.loose:
                return "wrong", f"a stranger above {frames[left]}"
            if right - left == 1 and shape(frames[left]) == "q":
                return "wrong", "a callback without its sort"
        wanted = [name for name in chain(leaf) if name == leaf or shape(name) != "t" or name in seen]
        calls_out = shape(leaf) in CALLS_OUT or any(shape(name) in "ljo" for name in (leaf, leaf + "_l")) or self.loose
        if seen == wanted:
            if not tail or calls_out:
                return "exact", ""
            return ("near", "one more at the leaf") if len(tail) == 1 else ("wrong", f"strangers above {leaf}")
        if len(wanted) > 1 and seen == wanted[:-2] + wanted[-1:]:
            return "near", "without the leaf's caller"
        lost = len(seen) > 1 and leaf.startswith(seen[-2] + "_")        # what is missing are callers
        if len(seen) > 1 and not lost and seen[:-1] == [name for name in chain(seen[-2]) if shape(name) != "t" or name in seen]:
            return "near", "one more at the leaf"
        return "wrong", "not the callers of " + leaf

    def stack(self, frames):
        """exact, near, wrong; outside (of the tree: the program begins); none."""
        if NO_STACK.match(frames[0]):
            return "none", frames[0]
        while frames and frames[0].startswith("[unresolved"):
            frames = frames[1:]
        frames = [PART.sub("", name) for name in frames]
        tree = [i for i, name in enumerate(frames) if TREE.match(name)]
        if not tree:
            mains = [i for i, name in enumerate(frames) if "main" in name]
            above = frames[mains[-1] + 1:] if mains else frames     # a runtime may call main by what would be suspicious above
            lost = any("_Unwind_" in name or "panic::" in name for name in above) or len(frames) > 12 and not self.loose
            begins = any("main" in name or "start" in name for name in frames[:4])
            return ("outside", "") if begins and not lost else ("wrong", "no function of the tree")
        roots = [i for i in tree if len(frames[i]) == 1]
        handler = [i for i in roots if frames[i] == "a"]
        if not handler:
            return self.segment(frames, True)
        below, above = frames[:handler[0] - 1], self.segment(frames[handler[0]:], False)
        if not any(TREE.match(name) for name in below):
            main = any("main" in name or "start" in name for name in below)
            return above if main else ("wrong", "the handler runs on nothing")
        under = self.segment(below, True)
        return max(above, under, key=lambda verdict: ("exact", "near", "wrong").index(verdict[0]))


def doctored(frames, how):
    at = [i for i, name in enumerate(frames) if TREE.match(PART.sub("", name))]
    if how == "caller" and len(at) > 3:
        return frames[:at[-3]] + frames[at[-1]:]
    if how == "cut" and len(frames) > 3:
        return frames[-3:]
    if how == "sibling" and len(at) > 4:
        frames = list(frames)
        frames[at[-3]] = frames[at[-3]][:-1] + "9"
    return frames


def read_folded(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            text, weight = line.rstrip("\n").rsplit(" ", 1)
            frames = text.split(";")
            yield "folded", frames[1:], 1, int(weight)       # the first is the thread's name


def read_trees(path):
    with open(path, encoding="utf-8") as text:
        trees = json.load(text)["trees"]
    for dimension, tree in trees.items():
        if dimension == "wall":
            continue
        names = [tree["names"][i] for i in tree["name"]]
        own = list(tree["count"])
        above = []
        for i, depth in enumerate(tree["depth"]):
            del above[depth:]
            if above:
                own[above[-1]] -= tree["count"][i]
            above.append(i)
        frames = []
        for i, depth in enumerate(tree["depth"]):
            del frames[depth:]
            frames.append(names[i])
            if own[i] > 0 and depth:
                yield ("oncpu" if dimension == "oncpu" else "switch-out"), frames[1:], own[i], tree["self"][i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--loose", action="store_true")
    parser.add_argument("--doctor", choices=["caller", "cut", "sibling"])
    parser.add_argument("--least", type=int, default=0, help="samples on a processor, and as many switches")
    parser.add_argument("--right", type=float, default=0.999)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    judge = Judge(options.loose)
    counts, weights, why = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter), collections.Counter()
    shapes = collections.Counter()
    for path in options.files:
        for kind, frames, count, weight in (read_folded if path.endswith(".folded") else read_trees)(path):
            frames = doctored(frames, options.doctor) if options.doctor else frames
            verdict, reason = judge.stack(frames)
            counts[kind][verdict] += count
            weights[kind][verdict] += weight
            if verdict in ("exact", "near"):
                shapes.update({shape(name): count for name in frames if TREE.match(name)})
                shapes["signal"] += count * ("a" in frames)
            if verdict != "exact":
                why[(kind, verdict, reason, ";".join(frames))] += count
    bad = False
    for kind in counts:
        for unit, table in (("stacks", counts[kind]), ("ns", weights[kind])):
            total = sum(table.values())
            complete = total - table["none"]
            right = table["exact"] + table["near"] + table["outside"]
            print(f"{kind}: {total} {unit}, complete {100 * complete / max(total, 1):.3f} %, exact {table['exact']}, one off at the leaf "
                  f"{table['near']}, wrong {table['wrong']}, outside of the tree {table['outside']}, none {table['none']}")
            # a rare wrong one may have a large weight: by weight the count's own spread is allowed for
            slack = 0 if unit == "stacks" else 0.002
            least_wrong = 2 if unit == "stacks" else 0          # of a few hundred, one is more than one in a thousand
            bad |= complete < (0.99 - slack) * total
            bad |= complete - right > max((1 - options.right + slack) * complete, least_wrong)
            bad |= table["near"] > 0.01 * complete or table["outside"] > 0.02 * complete
        bad |= sum(counts[kind].values()) < options.least
    bad |= options.least > 0 and len(counts) < 2
    print("shapes:", " ".join(f"{name} {count}" for name, count in sorted(shapes.items()) if name != "."))
    for (kind, verdict, reason, frames), count in why.most_common(12):
        print(f"  {count} {kind} {verdict}: {reason}: {frames}")
    return bad


raise SystemExit(main())
