#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares perf script's text with facts of the same file: samples and periods of every stack, by names of threads and frames.

    compare.py SCRIPT FACTS [SHARE]

All samples and the whole period must be there; at least SHARE of the samples (default 1) must lie in stacks that are equal in
every name. Libraries of large runtimes hold labels, aliases and clones of which each side may take another.

Calls that were inlined are left out on both sides (perf script --no-inline): which of them are known depends on the debug
files that each finds. ld.so's start is a label without a type, which we do not take for a function.

A function that has several names at one address goes by the first of them; one that nobody can name is "?". Names are taken
without arguments, versions, leading underscores, returned types and what demanglers add differently (Rust's hash)."""
import re
import subprocess
import sys

aliases = {}


def learn(path):
    """All names of one address are the first of them."""
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=False).stdout
    build = re.search(r"Build ID: ([0-9a-f]{2})([0-9a-f]+)", notes)
    debug = f"/usr/lib/debug/.build-id/{build[1]}/{build[2]}.debug" if build else path
    for option, file in (("-D", path), ("-a", path), ("-a", debug)):
        answer = subprocess.run(["nm", "-C", option, file], capture_output=True, text=True, check=False)
        at = {}
        for line in answer.stdout.splitlines():
            found = re.match(r"([0-9a-f]{8,}) [tTwWiIvV] (.*)", line)
            if found:
                at.setdefault(found[1], []).append(plain(found[2].split("@")[0]))
        for names in at.values():
            first = min(aliases.get(name, name) for name in names)
            aliases.update({name: first for name in names})


def plain(name):
    stub = "@plt" if name.endswith("@plt") else ""
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    name = re.sub(r"(?<!operator)(?<=.)\((?!anonymous).*$", "", name)
    name = re.sub(r"^(__vdso_|__GI_)", "", name.split("@")[0]).lstrip("_")
    if re.search(r"^[^<(]*<?[^ ]* .*::", name):         # the type that a template's instance returns
        depth, start = 0, 0
        for at, sign in enumerate(name):
            depth += (sign in "<(") - (sign in ">)")
            start = at + 1 if sign == " " and depth == 0 else start
        name = name[start:]
    return name.replace(";", ":").strip() + stub


def known(name):
    name = plain(name)
    return "?" if name in ("[unknown]", "", "dl_start_user") or re.search(r"\+$|\+0x[0-9a-f]+(@plt)?$", name) else aliases.get(name, name)


def script(path):
    samples, stack, modules = [], None, set()
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            head = re.match(r"(\S.*?)\s+\d+\s+(\d+) +(\S+?):(?:\S*:)?\s*$", line)
            frame = re.match(r"\s+([0-9a-f]+) (.*) \((.*?)\)$", line.rstrip("\n"))
            if head:
                stack = []
                samples.append((head[1], int(head[2]), stack))
            elif frame:
                stack.insert(0, frame[2])
                modules.add(frame[3])
    return samples, modules


def path_of(comm, frames):
    """What the vdso and libc call the same is one frame: either has it under the other's name."""
    names = [known(name) for name in frames]
    return ";".join([comm, *(name for i, name in enumerate(names)
                             if not (i and name == names[i - 1] and name in ("clock_gettime", "time", "gettimeofday")))])


def guesses_drop(ours, theirs):
    """perf gives an address between two functions to the one in front of it; we leave it unnamed. So does perf with stubs of some ways
    to link. How many samples differ so: each goes from where we have more than perf to where we have fewer, if the names that we
    know are the same."""
    moved = 0
    for key in [key for key in ours if re.search(r"(^|;)\?(;|$)|@plt(;|$)", key)]:
        pattern = re.compile(";".join("[^;]*" if name == "?" or name.endswith("@plt") else re.escape(name) for name in key.split(";")))
        for other in filter(pattern.fullmatch, theirs):
            (count, weight), (kept, _), (there, had) = ours[key], theirs.get(key, (0, 0)), ours.get(other, (0, 0))
            share = min(count - kept, theirs[other][0] - there) if other != key else 0
            if share > 0:
                ours[key] = (count - share, weight - weight // count * share)
                ours[other] = (there + share, had + weight // count * share)
                moved += share
    return moved


def main():
    samples, modules = script(sys.argv[1])
    for module in modules:
        if module.startswith("/") and not module.endswith(".map"):
            learn(module)
    theirs, ours, inlined = {}, {}, set()
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape") as file:
        inlined = {tuple(line.rstrip("\n")[8:].split(" in ", 1)) for line in file if line.startswith("inlined\t")}
    for comm, period, stack in samples:
        key = path_of(comm, stack)
        count, weight = theirs.get(key, (0, 0))
        theirs[key] = (count + 1, weight + period)
    with open(sys.argv[2], encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            kind, _, fact = line.rstrip("\n").partition("\t")
            path, _, number = fact.rpartition(" = ")
            if kind not in ("stacks", "counts"):
                continue
            comm, *frames = path.partition(";")[2].split(";")
            frames = [name for above, name in zip([""] + frames, frames) if (name, above) not in inlined]
            if frames and frames[0].startswith("[unwind failed"):   # why it ended, which perf does not say
                del frames[0]
            key = path_of(comm, frames)
            count, weight = ours.get(key, (0, 0))
            ours[key] = (count + int(number), weight) if kind == "counts" else (count, weight + int(number))
    guessed = guesses_drop(ours, theirs)
    whole = [tuple(map(sum, zip((0, 0), *side.values()))) for side in (ours, theirs)]
    equal = sum(count for key, (count, period) in theirs.items() if ours.get(key) == (count, period))
    share = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    if samples and whole[0] == whole[1] and equal >= share * len(samples) and guessed <= max(3, len(samples) // 10):
        print(f"{len(samples)} samples, {equal} in equal stacks, {len(theirs)} stacks, {guessed} samples with a frame that perf guesses, period {sum(weight for _, weight in theirs.values())}")
        return 0
    print(f"{len(samples)} samples, {len(theirs)} stacks; we have {sum(count for count, _ in ours.values())}, {len(ours)}")
    for mark, ones, others in (("perf", theirs, ours), ("ours", ours, theirs)):
        for key in [key for key in ones if others.get(key) != ones[key]][:6]:
            print(f"{mark} {ones[key]} {key[-220:]}")
    return 1


sys.exit(main())
