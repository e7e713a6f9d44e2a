# SPDX-License-Identifier: Apache-2.0
"""Runs crosscut convert over perf script texts and compares lines with the outputs of other collapsers."""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys

CROSSCUT, CORPORA = sys.argv[1], pathlib.Path(sys.argv[2])
FLAMEGRAPH = CORPORA / "brendangregg+FlameGraph"
INFERNO = CORPORA / "jonhoo+inferno/tests/data"
SPEEDSCOPE = CORPORA / "jlfwong+speedscope"
# Results of an older script that no longer come out of its own project's script.
STALE = {f"{name}-collapsed-{option}" for option in ("pid", "tid") for name in
         ("perf-java-faults-01", "perf-java-stacks-01", "perf-java-stacks-02", "perf-vertx-stacks-01")}
OPTIONS = ("pid", "tid", "kernel", "jit", "all", "addrs")
number = 0


def tap(sentence, wrong):
    global number
    number += 1
    print(("not ok" if wrong else "ok"), number, "-", sentence)
    for line in wrong[:12]:
        print("#", line)


def run(path, *options, stdin=None):
    return subprocess.run([CROSSCUT, *options], stdin=stdin, capture_output=True, text=True)


def folded(path, *options):
    done = run(path, "convert", str(path), "-", "--to", "folded", *options)
    if done.returncode:
        raise RuntimeError(f"{path.name} {' '.join(options)}: {done.stderr.strip()}")
    return counted(done.stdout)


def counted(text):
    lines = collections.Counter()
    for line in text.splitlines():
        stack, _, count = line.rstrip().rpartition(" ")
        if stack and re.fullmatch(r"\d+(\.\d+)?", count):
            lines[stack] += float(count)
    return lines


def without_rust(lines):
    """inferno demangles what Rust before 2019 mangled; perf left it half done, and names are kept as they were printed."""
    plain = collections.Counter()
    for stack, count in lines.items():
        plain[";".join(demangled(frame) for frame in stack.split(";"))] += count
    return plain


def demangled(frame):
    if not re.search(r"::h[0-9a-f]{16}(\W|$)", frame):
        return frame
    frame = re.sub(r"::h[0-9a-f]{16}", "", frame)
    frame = re.sub(r"^_(?=\$)", "", frame)
    for escape, text in (("LT", "<"), ("GT", ">"), ("C", ","), ("RF", "&"), ("BP", "*"), ("LP", "("), ("RP", ")"), ("SP", "@")):
        frame = frame.replace(f"${escape}$", text)
    return re.sub(r"\$u([0-9a-f]+)\$", lambda m: chr(int(m.group(1), 16)), frame).replace("..", "::")


def first_event(path):
    """The collapsers take the first kind of event and leave the others."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", errors="replace") as text:
        events = [m.group(1) for line in text if not line.startswith("#") and (m := re.search(r"\s(\S+):\s*$", line))
                  and re.match(r"\S.+?\s+\d+", line)]
    return ["--dimension", events[0]] if len(set(events)) > 1 else []


def last_is_open(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", errors="replace") as text:
        return not text.read().endswith("\n\n")


def differs(ours, theirs, may_have_one_more):
    """What differs; one sample more where the other tool drops a last sample that no blank line ends."""
    wrong = [(stack, ours[stack], theirs[stack]) for stack in sorted(ours | theirs) if ours[stack] != theirs[stack]]
    if may_have_one_more and len(wrong) == 1 and wrong[0][1] > wrong[0][2]:
        return [], 1
    return wrong, 0


def compare(pairs, sentence, plain=lambda lines: lines):
    wrong, more = [], 0
    for path, golden, options in pairs:
        try:
            ours = folded(path, *options, *first_event(path))
        except RuntimeError as error:
            wrong.append(str(error))
            continue
        found, one = differs(plain(ours), counted(golden.read_text(errors="replace")), last_is_open(path))
        more += one
        if found:
            wrong.append(f"{golden.name}: {len(found)} lines, first {found[0]}")
    tap(f"{sentence}: {len(pairs) - len(wrong)} of {len(pairs)}" + (f", {more} with the last sample that upstream drops" if more else ""),
        wrong)


def flamegraph():
    pairs = []
    for golden in sorted((FLAMEGRAPH / "test/results").glob("*.txt")):
        if golden.stem in STALE:
            continue
        name, _, option = golden.stem.partition("-collapsed-")
        pairs.append((FLAMEGRAPH / f"test/{name}.txt", golden, [f"--{option}"]))
    compare(pairs, "stackcollapse-perf.pl's own results are what convert writes")


def inferno():
    pairs, results = [], INFERNO / "collapse-perf/results"
    for name in ("cpp-stacks-std-function", "go-stacks", "single-event"):
        pairs.append((INFERNO / f"collapse-perf/{name}.txt", results / f"{name}-collapsed.txt", []))
    for option in OPTIONS:
        pairs.append((FLAMEGRAPH / "test/perf-rust-Yamakaky-dcpu.txt",
                      results / f"perf-rust-Yamakaky-dcpu-collapsed-{option}.txt", [f"--{option}"]))
    pairs.append((FLAMEGRAPH / "example-perf-stacks.txt.gz", results / "example-perf-stacks-collapsed.txt", []))
    compare(pairs, "inferno's results are what convert writes, Rust names apart", without_rust)
    both = sum((folded(INFERNO / "collapse-perf/single-line-stacks.txt", "--dimension", event) for event in ("cycles:u", "cycles")),
               collections.Counter())
    theirs = counted((results / "single-line-stacks-collapsed.txt").read_text())
    tap("stacks on the event's own line are inferno's, two kinds of events apart", differs(both, theirs, False)[0])


def bad():
    wrong = []
    rows = [(INFERNO / "collapse-perf/empty-line.txt", 0, "a frame belongs to no event"),
            (INFERNO / "collapse-guess/invalid-perf-with-empty-line-after-event-line.txt", 0, "a frame belongs to no event"),
            (INFERNO / "collapse-guess/unknown-format.txt", 4, "looks like"),
            (INFERNO / "collapse-perf/no-events.txt", 4, "empty"),
            (INFERNO / "flamegraph/bad-lines/bad-lines.txt", 0, "a line is no"),
            (INFERNO / "flamegraph/empty/empty.txt", 4, "empty"),
            (INFERNO / "flamegraph/differential/perf-cycles-instructions-01-collapsed-all-diff.txt", 4, "two counts")]
    for path, status, words in rows:
        done = run(path, "report", str(path), "--json")
        if done.returncode != status or words not in done.stdout + done.stderr:
            wrong.append(f"{path.name}: status {done.returncode}, not {status}; {done.stderr.strip() or done.stdout[:300]}")
    tap(f"broken texts are read with one counted warning or refused with one message: {len(rows) - len(wrong)} of {len(rows)}", wrong)


def fractions():
    wrong, rows = [], sorted((INFERNO / "flamegraph/fractional-samples").glob("*.txt"))
    for path in rows:
        ours = folded(path)
        theirs = counted(path.read_text())
        found = [(s, ours[s], theirs[s]) for s in theirs if abs(ours[s] - theirs[s]) > 0.0006]
        if found:
            wrong.append(f"{path.name}: {found[0]}")
    tap(f"fractional counts are kept to a thousandth: {len(rows) - len(wrong)} of {len(rows)}", wrong)


def again():
    """Folded files of other projects come out as they went in."""
    rows = sorted(SPEEDSCOPE.glob("sample/profiles/stackcollapse/*.txt")) + \
        sorted((CORPORA / "async-profiler+async-profiler").rglob("*.collapsed")) + [INFERNO / "diff-folded/after.txt", INFERNO / "diff-folded/before.txt"]
    wrong = []
    for path in rows:
        raw = path.read_bytes()
        encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = "\n".join(line for line in raw.decode(encoding, errors="replace").splitlines()
                         if line.strip() and line[0] != "#" and line[:2] != "//")
        theirs = counted(text)
        try:
            found = differs(folded(path), theirs, False)[0]
        except RuntimeError as error:
            wrong.append(str(error))
            continue
        if found:
            wrong.append(f"{path.name}: {len(found)} lines, first {found[0]}")
    tap(f"folded stacks, of UTF-16 and CRLF too, are read and written alike: {len(rows) - len(wrong)} of {len(rows)}", wrong)


def speedscope():
    """speedscope weighs by the gaps between samples; names and the order of frames must be ours."""
    wrong, rows = [], json.loads((SPEEDSCOPE / "derived/linux-tools-perf.json").read_text())
    entries = rows if isinstance(rows, list) else list(rows.values())
    files = {}
    for entry in entries:
        files.setdefault(entry["file"], set()).update(stack_of(s) for s in entry["stacks"])
    for name, stacks in sorted(files.items()):
        path = next(iter(SPEEDSCOPE.rglob(pathlib.Path(name).name)), None)
        if not path:
            continue
        ours = set()
        for line in folded(path, *first_event(path)):
            ours.add(tuple("[" + f.strip("[]") + "]" if f.startswith("[") else f for f in line.split(";")[1:]))
        missing = [s for s in stacks if s and s not in ours]
        if missing:
            wrong.append(f"{name}: {len(missing)} of {len(stacks)} stacks, first {missing[0]}")
    tap(f"speedscope finds the same frames in the same order: {len(files) - len(wrong)} of {len(files)}", wrong)


def stack_of(stack):
    """'??? (/lib/libc.so);main 1.5ms' → ('[libc.so]', 'main')"""
    frames = stack.rpartition(" ")[0].split(";")
    return tuple("[" + frame[5:-1].rsplit("/", 1)[-1].strip("[]") + "]" if frame.startswith("??? (") else frame for frame in frames)


if __name__ == "__main__":
    flamegraph()
    inferno()
    bad()
    fractions()
    again()
    speedscope()
    print(f"1..{number}")
