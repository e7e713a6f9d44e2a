#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the facts of rich.xcut with those of what became of it, kind by kind, and both with what `convert --explain` says.

    compare.py CROSSCUT FOLDER"""
import json
import os
import pathlib
import re
import subprocess
import sys

CROSSCUT, WORK = sys.argv[1], pathlib.Path(sys.argv[2])

# A format, the dimension that it holds ("": all, "-": the timeline alone), and options.
WAYS = [("native", "", []), ("pprof", "", []), ("otlp", "", []), ("otlp", "", ["--schema", "1.7"]), ("folded", "oncpu", []),
        ("speedscope", "oncpu", []), ("firefox", "oncpu", []), ("callgrind", "oncpu", []), ("chrome", "-", [])]
# What has no row in the table of --explain, since every format must keep it.
ALWAYS = {"weight"}
# Lost for single dimensions alone, or for a timeline: the profile has these in what is not written at all.
UNWRITTEN = {"-": {"weight", "stacks", "functions", "counts", "units", "weighting", "labels", "names"}}


def facts(path, dimension):
    read = subprocess.run([WORK / "facts", path, *([dimension] if dimension else [])], capture_output=True, check=False)
    if read.returncode:
        raise RuntimeError(read.stderr.decode(errors="replace"))
    kinds = {}
    for line in read.stdout.decode(errors="surrogateescape").rstrip("\n").split("\n"):
        kind, _, fact = line.partition("\t")
        kinds.setdefault(kind, set()).add(fact)
    return kinds


def convert(name, options):
    path = WORK / "again"
    path.unlink(missing_ok=True)
    command = [CROSSCUT, "convert", WORK / "rich.xcut", path, "--to", name, *options]
    answers = [subprocess.run(command + more, capture_output=True, check=False) for more in ([], ["--explain", "--json"])]
    for answer in answers:
        if answer.returncode:
            raise RuntimeError(answer.stderr.decode(errors="replace"))
    return path, {row["content"]: row["kept"] for row in json.loads(answers[1].stdout)["contents"]}


def moved(name, kind, extra, before):
    """What a format has but one place for comes back in the other. A module, where no source file is known, is the source;
    the kernel's code lies in a module like any other; what a thread without a stack is called is its only frame."""
    kernel = {fact.replace(fact[fact.rindex(" at "):], " in [kernel]") for fact in before.get("kernel", ())}
    places = {("speedscope", "source"): before.get("modules", set()) | kernel,
              ("callgrind", "source"): before.get("modules", set()) | kernel,
              ("pprof", "modules"): kernel, ("firefox", "modules"): kernel,
              ("pprof", "addresses"): before.get("kernel", set())}
    if (name, kind) == ("folded", "functions"):
        return all(fact.rpartition(" = ")[0] in before["comms"] for fact in extra)
    return extra <= places.get((name, kind), set())


def chrome_wakers(path):
    """Drawn as arrows, of which our reader makes nothing: looked for in the file."""
    arrows = {}
    for event in json.loads(path.read_text())["traceEvents"]:
        if event["ph"] in "sf":
            arrows.setdefault(event["id"], {})[event["ph"]] = event["tid"]
    return [(ends["f"], ends["s"]) for ends in arrows.values()]


def wakers_of(facts_of):
    return sorted(tuple(map(int, re.fullmatch(r"(\d+) at \d+ by (\d+)", fact).groups())) for fact in facts_of)


def judge(name, dimension, path, says):
    before, after, wrong = facts(WORK / "rich.xcut", dimension), facts(path, "-" if dimension == "-" else ""), []
    for kind in sorted(set(before) | set(after) | set(says)):
        ours, theirs = before.get(kind, set()), after.get(kind, set())
        if kind in UNWRITTEN.get(dimension, ()) or not (ours or theirs):
            continue
        if name == "chrome" and kind == "wakers" and sorted(chrome_wakers(path)) == wakers_of(ours):
            continue
        kept = kind in ALWAYS or says.get(kind, False)
        if kept and ours != theirs and not (ours <= theirs and moved(name, kind, theirs - ours, before)):
            wrong.append(f"{kind} differs, but is said to be kept")
            wrong += [f"  before {fact[:150]}" for fact in sorted(ours - theirs)[:4]]
            wrong += [f"  after  {fact[:150]}" for fact in sorted(theirs - ours)[:4]]
        elif not kept and ours == theirs and not dimension:
            wrong.append(f"{kind} is said to be lost, but all of it came back: {sorted(ours)[:2]}")
        elif not kept and kind not in says:
            wrong.append(f"{kind} is not in what --explain says")
    return len(set(before) | set(says)), wrong


def main():
    failed = False
    print(f"1..{len(WAYS)}")
    for number, (name, dimension, options) in enumerate(WAYS, 1):
        it = f"what {' '.join([name, *options])} loses is what --explain says, and nothing else"
        try:
            chosen = ["--dimension", dimension] if dimension.isalpha() else []
            kinds, wrong = judge(name, dimension, *convert(name, chosen + options))
        except (RuntimeError, ValueError, KeyError) as problem:
            kinds, wrong = 0, [f"{type(problem).__name__}: {problem}"]
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {it} ({kinds} kinds)")
        for line in wrong[:40]:
            print("# " + line.encode(errors="backslashreplace").decode().replace("\n", " "))
    return failed


os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
sys.exit(main())
