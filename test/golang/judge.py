#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the stacks of program.go: judge.py [--chain NAME,NAME…] STRIPPED.json [FULL.json], each what `crosscut report -q
tree --json` printed. Of the stripped program at least 99 % must be complete and named, on a processor and blocked; where a
chain of the program's own functions is in a stack, it must be that chain, in order, from runtime.goexit on, by way of the function
that a go statement makes; and the chains
that the unstripped program shows must be the same."""
import argparse
import json
import re

NO_STACK = re.compile(r"^\[(unwind failed|no stack|cut stack)")
UNNAMED = re.compile(r"\+0x[0-9a-f]+$|^\[unresolved")
WAITS = ["main.waitForBytes", "main.readByte", "syscall.Read"]


def stacks(path):
    with open(path, encoding="utf-8") as text:
        trees = json.load(text)["trees"]
    for dimension, tree in trees.items():
        if dimension == "wall":
            continue
        names = [tree["names"][i].removesuffix(".abi0") for i in tree["name"]]
        own, above, frames = list(tree["count"]), [], []
        for i, depth in enumerate(tree["depth"]):
            del above[depth:]
            if above:
                own[above[-1]] -= tree["count"][i]
            above.append(i)
        for i, depth in enumerate(tree["depth"]):
            del frames[depth:]
            frames.append(names[i])
            if own[i] > 0 and depth:
                yield "oncpu" if dimension == "oncpu" else "blocked", frames[1:], own[i]


def chain_of(frames, wanted):
    """What of a chain is in a stack; None where it is not begun, False where it is not in order."""
    at = [i for i, name in enumerate(frames) if name in wanted]
    if not at:
        return None
    seen = frames[at[0]:at[-1] + 1]
    begins = frames[:1] == ["runtime.goexit"] and all(name.startswith("main.main.func") for name in frames[1:at[0]])
    return seen if begins and seen == wanted[:len(seen)] else False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chain", default="main.outer,main.middle,main.(*worker).inner")
    parser.add_argument("stripped")
    parser.add_argument("full", nargs="?")
    options = parser.parse_args()
    chains = {"oncpu": options.chain.split(","), "blocked": WAITS}
    bad = False
    for kind, wanted in chains.items():
        total = complete = frame_count = unnamed = whole = wrong = 0
        roots = set()
        for of, frames, count in stacks(options.stripped):
            if of != kind:
                continue
            total += count
            if NO_STACK.match(frames[0]):
                print(f"  {count} {kind}: {';'.join(frames)}")
                continue
            complete += count
            while len(frames) > 1 and frames[0].startswith("[unresolved"):      # what its innermost frame is, told at its root
                frames = frames[1:]
            roots.add(frames[0])
            frame_count += count * len(frames)
            unnamed += count * sum(bool(UNNAMED.search(name)) for name in frames)
            seen = chain_of(frames, wanted)
            whole += count * (seen == wanted)
            if seen is False:
                wrong += count
                print(f"  {count} {kind} wrong: {';'.join(frames)}")
        print(f"{kind}: {total} stacks, complete {complete}, of {frame_count} frames without a name {unnamed}, "
              f"with the whole chain {whole}, with a wrong one {wrong}, from {' '.join(sorted(roots))}")
        bad |= total < 100 or complete < 0.99 * total or unnamed > 0.01 * frame_count or whole < 50 or wrong > 0
        bad |= "runtime.goexit" not in roots
        if options.full:
            theirs = {tuple(seen) for of, frames, _ in stacks(options.full) if of == kind and (seen := chain_of(frames, wanted))}
            bad |= tuple(wanted) not in theirs
    return bad


raise SystemExit(main())
