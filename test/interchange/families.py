# SPDX-License-Identifier: Apache-2.0
"""One function per family of files: how many expected answers were compared, and what differs. Where an upstream answer is
not ours on purpose, the reason stands there."""
import csv
import io
import json
import re

import tool

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KB": 1024, "MB": 1024 ** 2, "": 1}


def upstream_weight(text):
    number, unit = re.fullmatch(r"([\d.,]+)\s*(\S*)", text).groups()
    return float(number.replace(",", "")) * UNITS[unit]


def without_arguments(name):
    """speedscope appends an event's arguments to its name; to us they are no part of who it is."""
    return re.sub(r" \{.*\}$", "", name)


def upstream_stacks(entry, rename=lambda name: name):
    """Merged where consecutive or not: a profile adds up equal stacks. By stack of names, in order of first appearance."""
    merged = {}
    for line in entry["stacks"]:
        stack, weight = re.fullmatch(r"(.*) ([\d.,]+(?: ?[A-Za-zµ]+)?)", line).groups()
        key = tuple(map(rename, stack.split(";"))) if stack else ()
        merged[key] = merged.get(key, 0) + upstream_weight(weight)
    return merged


def close(a, b, tolerance=0.005):
    return abs(a - b) <= max(1, tolerance * max(abs(a), abs(b)))


def compare_stacks(label, ours, theirs, wrong):
    ours = {stack: weight for stack, weight in ours.items() if weight}
    theirs = {stack: weight for stack, weight in theirs.items() if weight and stack}
    if list(ours) != list(theirs):
        wrong.append(f"{label}: stacks {list(ours)[:6]} but expected {list(theirs)[:6]}")
    elif any(not close(ours[stack], theirs[stack]) for stack in ours):
        wrong.append(f"{label}: weights {ours} but expected {theirs}")


def compare_frames(label, named, entry, scale, wrong, rename=lambda name: name):
    own, total = tool.self_and_total(named)
    expected_own = {}
    for frame in entry["frames"]:
        name = rename(frame["name"])
        expected_own[name] = expected_own.get(name, 0) + frame["self"] * scale
    for name, weight in expected_own.items():
        if not close(own.get(name, 0), weight, 1e-9):
            wrong.append(f"{label}: self of {name} is {own.get(name, 0)}, expected {weight}")
    for frame in entry["frames"]:
        name = rename(frame["name"])
        same = [other for other in entry["frames"] if rename(other["name"]) == name]
        if len(same) == 1 and not close(total.get(name, 0), frame["total"] * scale, 1e-9):
            wrong.append(f"{label}: total of {name} is {total.get(name, 0)}, expected {frame['total'] * scale}")


def speedscope_traces(folder):
    expected = json.loads((folder / "derived/trace-event.json").read_text())
    wrong = []
    for name, entry in expected.items():
        path = folder / entry["file"]
        label = f"{name} ({path.name})"
        numbers = re.search(r"pid (\d+).*tid (\d+)", entry["profile"])
        if path.name == "simple-with-samples.json":
            # weighted upstream by the gaps between samples; its weights are counts of samples, and so are ours
            ours = tool.threads(path)[0].named()
            if list(ours) != [stack for stack in upstream_stacks(entry) if stack] or sum(ours.values()) != len(json.loads(path.read_text())["samples"]):
                wrong.append(f"{label}: {ours}")
            continue
        found = [thread for thread in tool.threads(path) if numbers and (str(thread.pid), str(thread.tid)) == numbers.groups()]
        ours = found[0].named() if found else {}
        compare_stacks(label, ours, upstream_stacks(entry, without_arguments), wrong)
        compare_frames(label, ours, entry, 1000, wrong, without_arguments)
        if found and found[0].name and found[0].name not in entry["profile"]:
            wrong.append(f"{label}: thread {found[0].name} is not in {entry['profile']}")
    return len(expected), wrong


def speedscope_own(folder):
    """Its own samples: all versions are one recording. The stacks and weights stand in the files."""
    wrong, tried = [], 0
    stacks = {("a", "b", "c"): 5, ("a", "b", "d"): 4, ("a", "b"): 5}
    for path in sorted((folder / "sample/profiles/speedscope").rglob("*.json")):
        scale = 1 if "0.0.1" in str(path) else 1e9
        for thread in tool.threads(path):
            tried += 1
            ours = {stack: weight / scale for stack, weight in thread.named().items()}
            if ours != stacks and "two" not in path.name or sum(ours.values()) != 14:
                wrong.append(f"{path.name}: {ours}")
    return tried, wrong


def speedscope_firefox(folder):
    """speedscope keeps the frames of scripts alone, and weights by gaps in time: names and order are compared."""
    expected = json.loads((folder / "derived/firefox.json").read_text())
    wrong = []
    for name, entry in expected.items():
        names = {frame["name"] for frame in entry["frames"]}
        files = {frame["file"] for frame in entry["frames"]}
        path = folder / entry["file"]
        thread = next(thread for thread in tool.threads(path, "samples") if thread.name == "GeckoMain")
        ours = {}
        for stack in thread.stacks:
            ours[tuple(frame[0] for frame in stack if frame[0] in names and frame[1] in files)] = 1
        theirs = [stack for stack in upstream_stacks(entry) if stack]
        if [stack for stack in ours if stack] != theirs:
            wrong.append(f"{name}: {[stack for stack in ours if stack]} but expected {theirs}")
    return len(expected), wrong


def firefox_profiles(folder):
    """Thread names and samples, from src/test/unit/__snapshots__/profile-upgrading.test.ts.snap upstream."""
    upgrades = folder / "src/test/fixtures/upgrades"
    three = {("GeckoMain", 14), ("Compositor", 7)}       # two processes have a main thread, with 7 samples each
    expected = {
        upgrades / "gecko-1.json": three,
        upgrades / "processed-1.json": three,
        upgrades / "processed-2.json": three,
        upgrades / "argument-values.json": {("GeckoMain", 32)},
        folder / "profiler-cli/src/test/fixtures/limit-boundaries.json": three,
    }
    wrong = []
    for path, threads in expected.items():
        ours = {}
        for thread in tool.threads(path, "samples"):
            ours[thread.name] = ours.get(thread.name, 0) + sum(thread.stacks.values())
        if set(ours.items()) != threads:
            wrong.append(f"{path.name}: {ours} but expected {threads}")
    return len(expected), wrong


def v8_profiles(folder):
    """Samples and the heaviest stacks, from src/test/unit/__snapshots__/profile-conversion.test.ts.snap upstream."""
    upgrades = folder / "src/test/fixtures/upgrades"
    expected = {
        "hello.cjs-20231120T211435.cpuprofile": (150, [11, 5, 5, 4, 4], ("(root)", "(anonymous)", "executeUserEntryPoint",
                                                 "resolveMainPath", "Module._findPath", "toRealPath", "realpathSync"), 5),
        "test.chrome-unchunked.json": (20, [2, 2, 2, 2, 1], ("(root)", "(program)"), 2),
    }
    wrong = []
    for name, (samples, heaviest, stack, weight) in expected.items():
        ours = {}
        for thread in tool.threads(upgrades / name, "samples"):
            for key, value in thread.named().items():
                ours[key] = ours.get(key, 0) + value
        if sum(ours.values()) != samples or sorted(ours.values(), reverse=True)[:5] != heaviest or ours.get(stack) != weight:
            wrong.append(f"{name}: {sum(ours.values())} samples, {sorted(ours.values(), reverse=True)[:5]}, {ours.get(stack)}")
    return len(expected), wrong


def callgrind_graphs(folder):
    """What each function cost by itself and with its calls; upstream's stacks are an estimate made the same way as ours."""
    expected = json.loads((folder / "derived/callgrind.json").read_text())
    wrong = []
    for name, entry in expected.items():
        event = entry["profile"].rpartition(" -- ")[2]
        event, scale = {"Time": ("Time", 1)}.get(event, (event, 1))
        threads = tool.threads(folder / entry["file"], event)
        ours = threads[0].named()
        compare_stacks(name, ours, upstream_stacks(entry), wrong)
        compare_frames(name, ours, entry, scale, wrong)
        files = {frame[0]: frame[1] for stack in threads[0].stacks for frame in stack}
        if files != {frame["name"]: frame["file"] for frame in entry["frames"]}:
            wrong.append(f"{name}: files {files}")
    return len(expected), wrong


def heaptrack_recordings(folder):
    """Totals. Suppressions hide leaks from heaptrack's view, not from ours: both of its numbers together are ours. Its count
    of temporary allocations is one higher in one file: it takes the first kind of allocation for none at all."""
    wrong, cases = [], json.loads((folder / "derived/expected.json").read_text())["cases"]
    one_more = {"heaptrack.heaptrack_gui.99454.zst"}
    for case in cases:
        path = folder / case["file"]
        leaked = case["leaked"] + case.get("leaked_suppressed", 0)
        expected = {"allocations": case["allocations"], "leaked": leaked, "peak": case.get("peak"),
                    "temporary": case["temporary"] - (path.name in one_more) if "temporary" in case else None}
        for dimension, number in expected.items():
            ours = sum(sum(thread.stacks.values()) for thread in tool.threads(path, dimension)) if number else number
            if number is not None and ours != number:
                wrong.append(f"{path.name}: {dimension} is {ours}, expected {number}")
        if "symbol" in case:
            wrong += heaptrack_symbol(path, case["symbol"])
    for path in sorted((folder / "tests/auto/test_sysroot").iterdir()):
        total = {d: sum(sum(t.stacks.values()) for t in tool.threads(path, d)) for d in ("allocations", "leaked", "peak")}
        if total != {"allocations": 3, "leaked": 73760, "peak": 73760}:     # the raw file and what heaptrack made of it
            wrong.append(f"{path.name}: {total}")
    return len(cases) + 2, wrong


def heaptrack_symbol(path, symbol):
    wrong = []
    for dimension, number in symbol["inclusive"].items():
        if not number:
            continue
        total = 0
        for thread in tool.threads(path, dimension):
            total += tool.self_and_total(thread.named())[1].get(symbol["name"], 0)
        if total != number:
            wrong.append(f"{path.name}: {dimension} under {symbol['name']} is {total}, expected {number}")
    return wrong


def coz_profiles(folder):
    """No expected answer is public: sums of the file's own lines, taken apart here, are what must come out."""
    wrong, tried = [], 0
    for path in sorted((folder / "viewer/profiles").glob("*.coz")):
        sums = {"experiment": 0, "selected-samples": 0, "progress": 0, "samples": 0}
        for line in path.read_text().splitlines():
            kind, *pairs = line.split("\t")
            pairs = dict(pair.split("=", 1) for pair in pairs)
            if kind == "experiment" and int(pairs["duration"]) >= 2 ** 63:
                continue        # below zero, written as if it were unsigned: skipped and counted
            if kind == "experiment":
                sums["experiment"] += int(pairs["duration"])
                sums["selected-samples"] += int(pairs["selected-samples"])
            elif kind == "progress-point":
                sums["progress"] += int(pairs["delta"])
            elif kind == "samples":
                sums["samples"] += int(pairs["count"])
        for dimension, number in sums.items():
            tried += 1
            ours = sum(sum(thread.stacks.values()) for thread in tool.threads(path, dimension)) if number else 0
            if ours != number:
                wrong.append(f"{path.name}: {dimension} is {ours}, not {number}")
    return tried, wrong


# --- Perfetto: the rows of its table of slices, threads, counters and states -------------------------------------------

def perfetto_rows(path):
    """What a query for slices sees: times, name, thread and process, by what the timeline holds."""
    events = tool.events(path)
    processes = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    ends = {e["id"]: e["ts"] for e in events if e["ph"] == "e"}
    rows = []
    for event in events:
        if event["ph"] not in "Xb":
            continue
        dur = event["dur"] if event["ph"] == "X" else ends[event["id"]] - event["ts"]
        rows.append({"ts": str(event["ts"]), "dur": str(dur), "name": event["name"], "ph": event["ph"],
                     "state": event.get("cat") == "crosscut.state", "tid": event["tid"], "pid": event["pid"],
                     "process_name": processes.get(event["pid"]) or "[NULL]",
                     "thread_name": threads.get((event["pid"], event["tid"])) or "[NULL]"})
    return rows


# Queries about what a profile does not hold, and the reason.
PERFETTO_NOT_HELD = {
    "test_args_ordered": "arguments of events are not kept",
    "test_json_counter_args": "no slices: a counter's values are compared in the unit test of chrome",
    "test_json_metadata_missing_or_invalid_ts": "names of processes without a single event: nothing to read",
    "test_json_sort_index_hints": "hints for sorting are not kept",
    "test_json_trace_metadata": "the trace's metadata is not kept",
    "test_overlapping_complete_event_import_log": "Perfetto's log of its import: ours counts the cut slice",
    "test_json_id2": "an id that is neither local nor global is taken for none upstream, and its query has no rows",
}


def perfetto_json(folder):
    tests = [test for test in json.loads((folder / "derived/tests.json").read_text())
             if test.get("input_available_here") and test["trace_kind"] == "Json"]
    wrong, tried = [], 0
    for test in tests:
        name = test["test"].rpartition("::")[2]
        path = folder / "derived" / test["trace_file"]
        if not path.exists() or name in PERFETTO_NOT_HELD:
            continue
        tried += 1
        perfetto_compare(name, path, list(csv.DictReader(io.StringIO(test["expected"]))), wrong)
    return tried, wrong


def perfetto_compare(name, path, expected, wrong):
    if not expected:
        if not tool.refused(path):
            wrong.append(f"{name}: no slice expected, but it was read")
        return
    rows = perfetto_rows(path)
    rows = [row for row in rows if row["state"] == (name == "test_json_thread_state_sched")]
    if name == "test_json_thread_state_sched":      # its table holds running threads alone
        rows = [row for row in rows if row["name"] == "oncpu"]
    columns = [column for column in ("ts", "dur", "name", "tid", "pid", "thread_name", "process_name")
               if column in expected[0]]
    if name == "test_json_all_slice_types":         # its instants are no slices to us; its first slice never ends
        expected = [row for row in expected if row["name"] in ("BeginEvent", "CompleteEvent")]
        columns = ["ts", "name"]
    if name == "test_json_metadata":                # a thread without an id is its process' main thread: 33, 33
        columns = ["ts", "dur", "name", "thread_name", "process_name"]
    if "slice.name = " in name:
        rows = [row for row in rows if row["name"] == expected[0]["name"]]
    ours = {tuple(row[column] for column in columns) for row in rows}
    theirs = {tuple(row[column] for column in columns) for row in expected}
    if not theirs <= ours or (len(ours) > len(theirs) and name not in ("test_json_id2_local_int_id",)):
        wrong.append(f"{name}: {sorted(ours)} but expected {sorted(theirs)}")


# --- strace, and recordings of perf ---------------------------------------------------------------------------------------

def strace_calls(folder):
    """Which calls of which thread, and what was left out. Times are added up by call, so that of the slices' the sum is compared.
    Perfetto counts signals and ends of processes as lines that it cannot parse; they are no calls to us and lose nothing."""
    strace = folder / "test/trace_processor/diff_tests/parser/strace"
    expected = {
        "basic.strace": ({("openat", 1000): 1, ("openat;ENOENT", 1000): 1, ("read", 1000): 1, ("close", 1000): 1, ("write", 1234): 1}, 0,
                         "1 skipped: a line is no system call"),
        "missing_pid.strace": ({("openat", 1000): 1, ("write", 1000): 1}, 0, "2 skipped: a line does not say whose call it is"),
        "unfinished_resumed.strace": ({("futex", 1000): 1, ("write", 1000): 1}, 500000, ""),
    }
    wrong = []
    for name, (calls, time_ns, skipped) in expected.items():
        found = tool.threads(strace / name, "system-calls")
        ours = {(";".join(stack), thread.tid): weight for thread in found for stack, weight in thread.named().items()}
        if ours != calls:
            wrong.append(f"{name}: {ours} but expected {calls}")
        times = [t.stacks for t in tool.threads(strace / name, "system-call-time")] if time_ns else []
        if sum(sum(stacks.values()) for stacks in times) != time_ns:
            wrong.append(f"{name}: {times} but expected {time_ns} ns")
        said = tool.crosscut("convert", strace / name, "-", "--to", "csv").stderr
        if skipped not in said or bool(skipped) != ("skipped" in said):
            wrong.append(f"{name}: said {said!r}")
    return len(expected), wrong


def hotspot_recordings(folder):
    """One program recorded for the old and the new file format. The old one holds no sample (`perf report --stats` finds none
    either), so that it is refused; hotspot's own streams are no recordings."""
    files = folder / "tests/integrationtests/file_content"
    wrong = []
    for name in ("perf.data.true.v2", "perf.data.true.v2.gz"):
        read = json.loads(tool.crosscut("report", files / name, "--json").stdout)
        if read["import"] != {"format": "perf.data", "samples": 1} or read["capture"]["host"] != "centos7":
            wrong.append(f"{name}: {read['import']}, {read['capture']['host']}")
    for name, why in (("perf.data.true.v1", "no sample up to its end"), ("true.perfparser", "looks like"), ("true.perfparser.xz", "looks like")):
        answer = tool.crosscut("report", files / name)
        if answer.returncode != 4 or why not in answer.stderr:
            wrong.append(f"{name}: exit {answer.returncode}: {answer.stderr.strip()}")
    return 5, wrong


CHECKS = [
    ("jlfwong+speedscope", "speedscope: traces of events have its stacks, weights and names", speedscope_traces),
    ("jlfwong+speedscope", "speedscope: its own files of every version are one recording", speedscope_own),
    ("jlfwong+speedscope", "speedscope: Firefox recordings have its script frames in its order", speedscope_firefox),
    ("firefox-devtools+profiler", "Firefox: threads and their samples are those of its snapshots", firefox_profiles),
    ("firefox-devtools+profiler", "V8: CPU profiles, alone and in a trace, have its samples and stacks", v8_profiles),
    ("jlfwong+speedscope", "callgrind: functions cost by themselves and with their calls what speedscope finds",
     callgrind_graphs),
    ("KDE+heaptrack", "heaptrack: allocations, temporary ones, leaks and peaks are its own", heaptrack_recordings),
    ("plasma-umass+coz", "coz: experiments, progress points and samples are those of the file", coz_profiles),
    ("google+perfetto", "Perfetto: traces in JSON have its slices, threads and states", perfetto_json),
    ("google+perfetto", "strace: calls, their threads and times are Perfetto's, and what it could not read", strace_calls),
    ("KDAB+hotspot", "hotspot: recordings of perf are read, what holds no sample is refused", hotspot_recordings),
]
