#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the facts of a file with those of what became of it, kind by kind, and both with what `convert --explain` says: of
FOLDER/rich.xcut, and of the files of others that are listed below, where CROSSCUT_CORPORA has them.

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
# Lost but for what happens to come back: one slice has no order, calls of which each has one way are stacks.
PARTLY = {name: {"time", "names"} for name, _, _ in WAYS}
PARTLY["callgrind"] |= {"counts", "stacks", "weighting", "totals"}
PARTLY["firefox"] |= {"counts"}
PARTLY["speedscope"] |= {"lines", "counts"}
PARTLY["folded"] |= {"counts", "units"}
# Lost for single dimensions alone, or for a timeline: the profile has these in what is not written at all.
UNWRITTEN = {"-": {"weight", "stacks", "functions", "counts", "units", "weighting", "labels", "names"}}


# Per format and kind that --explain ever said to be lost: in which of the trips it was not the same again.
CLAIMS = {}


# Files that nobody here wrote, one of each shape.
FILES = """
google+pprof/profile/testdata/cppbench.contention
google+pprof/profile/testdata/cppbench.heap
google+pprof/profile/testdata/gobench.cpu
google+pprof/internal/driver/testdata/pprof.cpu.callgrind
google+perfetto/derived/json/test_json_counter_args.json
google+perfetto/derived/json/test_json_all_slice_types.json
google+perfetto/test/trace_processor/diff_tests/parser/strace/unfinished_resumed.strace
google+perfetto/test/trace_processor/diff_tests/parser/parsing/flow_events_json_v2.json
google+perfetto/test/trace_processor/diff_tests/parser/parsing/sched_blocked_systrace.systrace
google+perf_data_converter/src/quipper/testdata/perf.data.hybrid_topology
jlfwong+speedscope/sample/profiles/callgrind/callgrind.multiple-event-types.log
jlfwong+speedscope/sample/profiles/speedscope/0.6.0/two-sampled.speedscope.json
jlfwong+speedscope/sample/profiles/stackcollapse/recursion.txt
jlfwong+speedscope/sample/profiles/stackcollapse/simple-crlf.txt
jlfwong+speedscope/sample/profiles/trace-event/multiprocess.json
jlfwong+speedscope/sample/profiles/linux-perf/simple-with-pid.linux-perf.txt
KDE+heaptrack/tests/auto/test_sysroot/heaptrack.test_sysroot.raw
KDAB+hotspot/tests/integrationtests/file_content/perf.data.true.v2.gz
jonhoo+inferno/tests/data/flamegraph/fractional-samples/fractional.txt
jonhoo+inferno/tests/data/collapse-perf/go-stacks.txt
firefox-devtools+profiler/src/test/fixtures/upgrades/processed-2.json
firefox-devtools+profiler/src/test/fixtures/upgrades/gecko-1.json
firefox-devtools+profiler/src/test/fixtures/upgrades/chrome-tracing.json.gz
brendangregg+FlameGraph/test/perf-dd-stacks-01.txt
""".split()


def facts(path, dimension, name):
    # a format of one dimension that keeps intervals keeps what sums them up with these
    command = [WORK / "facts", path, dimension, *(["without-sums"] if name in ("firefox", "chrome") else [])]
    read = subprocess.run(command, capture_output=True, check=False)
    if read.returncode:
        raise RuntimeError(read.stderr.decode(errors="replace"))
    kinds = {}
    for line in read.stdout.decode(errors="surrogateescape").rstrip("\n").split("\n"):
        kind, _, fact = line.partition("\t")
        kinds.setdefault(kind, set()).add(fact)
    # one, or as many as it weighs: nothing that a format could lose
    kinds["counts"] = {fact for fact in kinds.get("counts", set()) - kinds.get("stacks", set()) if not fact.endswith(" = 1")}
    return kinds


def convert(source, name, options):
    path = WORK / "again"
    path.unlink(missing_ok=True)
    command = [CROSSCUT, "convert", source, path, "--to", name, *options]
    answers = [subprocess.run(command + more, capture_output=True, check=False) for more in ([], ["--explain", "--json"])]
    for answer in answers:
        if answer.returncode:
            raise RuntimeError(answer.stderr.decode(errors="replace"))
    return path, {row["content"]: row["kept"] for row in json.loads(answers[1].stdout)["contents"]}


def moved(name, kind, extra, before):
    """What a format has but one place for comes back in the other. A module, where no source file is known, is the source;
    the kernel's code lies in a module like any other; what a thread without a stack is called is its only frame."""
    kernel = {fact[:fact.rindex(" at ")] for fact in before.get("kernel", ())}
    modules = before.get("modules", set())
    in_kernel = {fact for fact in extra if fact[:fact.rindex(" in ")] in kernel} if kind in ("modules", "source") else set()
    places = {("speedscope", "source"): modules | in_kernel, ("callgrind", "source"): modules | in_kernel,
              ("firefox", "source"): modules, ("pprof", "modules"): in_kernel, ("firefox", "modules"): in_kernel,
              ("pprof", "addresses"): before.get("kernel", set()), ("firefox", "addresses"): before.get("kernel", set())}
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


def judge(source, name, dimension, path, says):
    before, after, wrong = facts(source, dimension, name), facts(path, "-" if dimension == "-" else "", name), []
    for kind in sorted(set(before) | set(after) | set(says)):
        ours, theirs = before.get(kind, set()), after.get(kind, set())
        if name == "folded":                # a thread without a frame gets one
            ours, theirs = ({re.sub(r"^(;[^;?][^;]*);\? = ", r"\1 = ", fact) for fact in side} for side in (ours, theirs))
        if not says.get(kind, True) and (ours or theirs):
            CLAIMS.setdefault((name, kind), []).append(ours != theirs)
        if kind in UNWRITTEN.get(dimension, ()) or not (ours or theirs) or (kind in PARTLY[name] and kind not in says):
            continue
        if name == "chrome" and kind == "wakers" and sorted(chrome_wakers(path)) == wakers_of(ours):
            continue
        kept = kind in ALWAYS or says.get(kind, False)
        if kept and ours != theirs and not (ours <= theirs and moved(name, kind, theirs - ours, before)):
            wrong.append(f"{kind} differs, but is said to be kept")
            wrong += [f"  before {fact[:150]}" for fact in sorted(ours - theirs)[:4]]
            wrong += [f"  after  {fact[:150]}" for fact in sorted(theirs - ours)[:4]]
        elif not kept and kind in says and ours == theirs and not dimension and kind not in PARTLY.get(name, ()):
            wrong.append(f"{kind} is said to be lost, but all of it came back: {sorted(ours)[:2]}")
        elif not kept and kind not in says and ours != theirs and not (ours <= theirs and moved(name, kind, theirs - ours, before)):
            wrong.append(f"{kind} is not in what --explain says")
            wrong += [f"  before {fact[:150]}" for fact in sorted(ours - theirs)[:4]]
            wrong += [f"  after  {fact[:150]}" for fact in sorted(theirs - ours)[:4]]
    return len(set(before) | set(says)), wrong


def trip(source, name, dimension, options):
    """How many kinds were compared, and what is wrong."""
    try:
        chosen = ["--dimension", dimension] if dimension not in ("", "-") else []
        return judge(source, name, dimension, *convert(source, name, chosen + options))
    except (RuntimeError, ValueError, KeyError) as problem:
        return 0, [f"{type(problem).__name__}: {problem}"]


def say(number, it, wrong):
    print(f"{'not ok' if wrong else 'ok'} {number} - {it}")
    for line in wrong[:40]:
        print("# " + line.encode(errors="backslashreplace").decode().replace("\n", " "))
    return bool(wrong)


def foreign(source):
    """All formats, those of one dimension by the first three that this file has."""
    wrong = []
    kinds_of = facts(source, "", "")
    dimensions = sorted({fact.split(" = ")[0] for fact in kinds_of.get("events", ())})[:3] or [""]
    for name, dimension, options in WAYS:
        if dimension == "-":
            continue
        for one in dimensions if dimension else [""]:
            wrong += [f"{name} {one}: {line}" for line in trip(source, name, one, options)[1]]
    return wrong


def main():
    failed = False
    corpora = os.environ.get("CROSSCUT_CORPORA") or "../shared/corpora"
    print(f"1..{len(WAYS) + len(FILES) + 1}")
    for number, (name, dimension, options) in enumerate(WAYS, 1):
        kinds, wrong = trip(WORK / "rich.xcut", name, dimension, options)
        failed |= say(number, f"what {' '.join([name, *options])} loses is what --explain says, and nothing else ({kinds} kinds)", wrong)
    for number, name in enumerate(FILES, len(WAYS) + 1):
        it, source = f"so it is for {name}", pathlib.Path(corpora) / name
        if not source.exists():
            print(f"ok {number} - {it} # SKIP no {source}: CROSSCUT_CORPORA=FOLDER")
        else:
            failed |= say(number, it, foreign(source))
    never = [f"{name} never loses {kind}, in {len(lost)} trips" for (name, kind), lost in sorted(CLAIMS.items()) if not any(lost)]
    failed |= say(len(WAYS) + len(FILES) + 1, f"whatever is said to be lost is lost in one of these trips ({len(CLAIMS)} statements)", never)
    return failed


os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")
sys.exit(main())
