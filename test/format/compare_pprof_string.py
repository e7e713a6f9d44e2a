#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what test/format/print_facts printed of a pprof or legacy file with upstream's Profile.String() of it.

    compare_pprof_string.py FACTS GOLDEN [raw]

The golden may also be what `go tool pprof -raw` prints; "raw" then says so, for that leaves out mappings that no place is in
and rows whose values are all 0.

Compared: types of values with their units, period and its type, duration, the mappings, and per stack and set of labels
the sum of each value. A stack is its list of places: address, mapping (start, limit, offset, file, build id), function,
file and line. Not compared, because a profile adds them up or numbers them itself: the order of samples, equal samples
apart, ids."""
import collections
import re
import sys

UNITS = {"nanoseconds": ("ns", 1), "microseconds": ("ns", 1000), "milliseconds": ("ns", 10**6), "seconds": ("ns", 10**9)}


def duration_text(ns):
    """Go's time.Duration with %.4v: cut to four characters, as upstream's goldens have it."""
    seconds = ns / 1e9
    if seconds >= 3600:
        text = f"{int(seconds // 3600)}h{int(seconds % 3600 // 60)}m{seconds % 60:g}s"
    elif seconds >= 60:
        text = f"{int(seconds // 60)}m{seconds % 60:g}s"
    else:
        text = f"{seconds:g}s" if seconds >= 1 else f"{ns / 1e6:g}ms" if ns >= 10**6 else f"{ns / 1e3:g}µs"
    return text[:4]


def read_golden(path):
    golden = {"period": None, "duration": None, "types": [], "samples": [], "locations": {}, "mappings": {}}
    section = None
    for line in open(path):
        line = line.rstrip("\n")
        if line in ("Samples:", "Locations", "Mappings"):
            section = line
        elif line.startswith("PeriodType:"):
            golden["period_type"] = line[len("PeriodType:"):].strip()
        elif line.startswith("Period:"):
            golden["period"] = int(line.split()[1])
        elif line.startswith("Duration:"):
            golden["duration"] = line.split()[1]
        elif section == "Samples:" and not golden["types"]:
            golden["types"] = [word.replace("[dflt]", "").rsplit("/", 1) for word in line.split()]
        elif section == "Samples:" and ":" in line and re.match(r"^ +-?\d+.*: *[\d ]*$", line) and "[" not in line:
            values, ids = line.split(":")
            golden["samples"].append([list(map(int, values.split())), list(map(int, ids.split())), ""])
        elif section == "Samples:":
            pairs = [f"{key}={value}" for key, value in re.findall(r"(\S+):\[([^\]]*)\]", line)]
            golden["samples"][-1][2] = ", ".join(sorted(pairs))
        elif section == "Locations":
            found = re.match(r"^ *(\d+): (0x[0-9a-f]+) (?:M=(\d+) )?(?:\[F\] )?(.*)$", line)
            if found:
                last = int(found[1])
                golden["locations"][last] = [int(found[2], 16), int(found[3] or 0), []]
            text = found[4] if found else line.strip()
            named = re.match(r"^(.*) (\S*?):(\d+)(?::\d+)? s=\d+(?:\(.*\))?$", text)
            if named:
                golden["locations"][last][2].append((named[1], named[2], int(named[3])))
        elif section == "Mappings":
            found = re.match(r"^(\d+): (0x[0-9a-f]+)/(0x[0-9a-f]+)/(0x[0-9a-f]+) (.*?) (\S*) (\S*)$", line)
            golden["mappings"][int(found[1])] = (int(found[2], 16), int(found[3], 16), int(found[4], 16), found[5], found[6])
    return golden


def frame_of(location, mappings):
    address, mapping, lines = location
    path = mappings[mapping][3] if mapping else ""
    names = "".join(f"|{name} {file}:{line}" for name, file, line in lines)
    return f"{address:#x}@{path}{names}"


def expected_of(golden):
    sums = collections.Counter()
    for values, ids, labels in golden["samples"]:
        stack = " < ".join(frame_of(golden["locations"][id], golden["mappings"]) for id in ids)
        for (name, unit), value in zip(golden["types"], values):
            unit, factor = UNITS.get(unit, (unit, 1))
            sums[name, unit, labels, stack] += value * factor
    return sums


def read_facts(path):
    facts = {"sums": collections.Counter(), "mappings": set(), "meta": {}, "dimensions": set()}
    for line in open(path):
        cells = line.rstrip("\n").split("\t")
        if cells[0] == "cell":
            stack = re.sub(r"(:\d+):\d+(?= < |$)", r"\1", cells[7])
            facts["sums"][cells[1], cells[2], cells[6].replace('"', ""), stack] += int(cells[3])
        elif cells[0] == "mapping":
            facts["mappings"].add((int(cells[1], 16), int(cells[2], 16), int(cells[3], 16), cells[4], cells[5]))
        elif cells[0] == "meta":
            facts["meta"][cells[1]] = cells[2]
        elif cells[0] == "dimension":
            facts["dimensions"].add((cells[1], cells[2]))
    return facts


def main():
    facts, golden = read_facts(sys.argv[1]), read_golden(sys.argv[2])
    wrong = []
    expected = expected_of(golden)
    if not expected:
        wrong.append("the golden holds no samples")
    for key in sorted(expected.keys() | facts["sums"].keys()):
        if len(sys.argv) > 3 and not facts["sums"].get(key) and not expected.get(key):
            continue
        if key not in facts["sums"] or key not in expected or facts["sums"][key] != expected[key]:
            wrong.append(f"{key}: {facts['sums'].get(key)} and not {expected.get(key)}")
    wanted = {(name, UNITS.get(unit, (unit, 1))[0]) for name, unit in golden["types"]}
    if facts["dimensions"] != wanted:
        wrong.append(f"types: {facts['dimensions']} and not {wanted}")
    # A mapping that upstream makes up so that each place has one is none.
    real = {mapping for mapping in golden["mappings"].values() if mapping[3] or mapping[1] != 2**64 - 1}
    raw = len(sys.argv) > 3
    if raw and not real - {(0, 0, 0, "", "")} <= facts["mappings"] or not raw and facts["mappings"] != real:
        wrong.append(f"mappings: {facts['mappings'] ^ real} differ")
    meta = facts["meta"]
    if int(meta.get("pprof.period", 0)) != golden["period"]:
        wrong.append(f"period: {meta.get('pprof.period')} and not {golden['period']}")
    if f"{meta.get('pprof.period_type', '')} {meta.get('pprof.period_unit', '')}".strip() != golden["period_type"]:
        wrong.append(f"period type: not {golden['period_type']}")
    if golden["duration"] and duration_text(int(meta.get("pprof.duration_ns", 0))) != golden["duration"]:
        wrong.append(f"duration: {meta.get('pprof.duration_ns')} and not {golden['duration']}")
    for line in wrong[:10]:
        print(line)
    print(f"{len(golden['samples'])} samples, {len(expected)} sums, {len(golden['locations'])} places, "
          f"{len(real)} mappings: {len(wrong)} differences")
    return bool(wrong)


sys.exit(main())
