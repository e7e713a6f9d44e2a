#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocked threads of a process as crosscut saw them at switch-out, beside eu-stack's of the same threads, frame by frame:
compare_blocked.py CROSSCUT LIST_STACKS PID FOLDER NAME. eu-stack stops every thread and lets it go on into the same
wait, so that a capture around it sees each of them switch out. Ends with 1 where one of the waits that eu-stack found
was not among ours; a program may run between the two looks, so the looks are taken again a few times."""
import collections
import os
import re
import subprocess
import sys
import time

EVALUATOR = re.compile(r"_PyEval_EvalFrame|^_PyEval_Vector")


def mappings(pid):
    rows = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as lines:
        for line in lines:
            part = line.split(None, 5)
            start, end = (int(text, 16) for text in part[0].split("-"))
            path = part[5].strip() if len(part) > 5 else ""
            if "x" in part[1]:
                rows.append((start, end, int(part[2], 16), path))
    return rows


def place(rows, address):
    for start, end, offset, path in rows:
        if start <= address < end:
            if path.startswith("/"):
                return f"{path.replace(' ', '_')}+{address - start + offset:#x}"
            return f"[vdso]+{address - start:#x}" if path == "[vdso]" else f"[anon]+{address:#x}"
    return f"[nowhere]+{address:#x}"


def eu_stack(pid):
    """Of each thread: its frames, and eu-stack's names for them."""
    rows = mappings(pid)
    text = subprocess.run(["eu-stack", "-n", "0", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    threads, tid = {}, 0
    for line in text.splitlines():
        if line.startswith("TID "):
            tid = int(line[4:].rstrip(":"))
            threads[tid] = ([], [])
        elif line.startswith("#"):
            part = line.split(None, 2)
            threads[tid][0].append(place(rows, int(part[1], 16)))
            threads[tid][1].append(part[2].split(" - ")[0] if len(part) > 2 else "?")
    return threads


def ours(tool, path):
    threads = collections.defaultdict(set)
    text = subprocess.run([tool, path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        tid, kind, status, _, _, frames = line.split("\t")
        if kind == "wait":
            frames = re.sub(r"\[anon:[^\]+]*\]", "[anon]", frames)
            threads[int(tid)].add((status, tuple(frames.split(" "))))
    return threads


def is_one(seen, frames, names):
    """Frames of generated code have no table that eu-stack could read: it is believed up to the first."""
    status, mine = seen
    if any(frame.endswith("+interpreter") for frame in mine):       # these stand for the evaluator's native frames
        mine = tuple(frame for frame in mine if not frame.endswith("+interpreter"))
        frames = [frame for frame, name in zip(frames, names) if not EVALUATOR.search(name)]
        mine = tuple(frame for frame in mine if frame in frames or not frame.startswith("/"))
    anonymous = next((i for i, frame in enumerate(frames) if frame.startswith("[anon]")), None)
    if anonymous is not None:
        return tuple(frames[:anonymous + 1]) == mine[:anonymous + 1]
    return status == "complete" and tuple(frames) == mine


def look(crosscut, tool, pid, folder):
    path = os.path.join(folder, "blocked.xcut")
    with subprocess.Popen([crosscut, "record", "-q", "--force", "--budget", "1", "-F", "0", "-p", str(pid), "-d", "1600ms",
                           "-o", path], stderr=subprocess.PIPE) as capture:
        time.sleep(0.8)         # it has opened its window by then, or else the first look wakes nobody that it sees
        looks = []
        while capture.poll() is None:
            looks.append(eu_stack(pid))
            time.sleep(0.25)
    return looks, ours(tool, path)


def main():
    crosscut, tool, pid, folder, name = sys.argv[1:]
    missing = {}
    for _ in range(3):
        looks, seen = look(crosscut, tool, int(pid), folder)
        best = {}
        for threads in looks:
            for tid, (frames, names) in threads.items():
                found = any(is_one(stack, frames, names) for stack in seen.get(tid, ()))
                if found or tid not in best:
                    best[tid] = (found, frames, names)
        missing = {tid: of for tid, of in best.items() if not of[0]}
        if best and not missing:
            frames = sum(len(of[1]) for of in best.values())
            generated = sum(any(frame.startswith("[anon]") for frame in of[1]) for of in best.values())
            print(f"{name}: {len(best)} threads, {frames} frames, equal in all" +
                  (f"; of {generated} up to the first generated frame" if generated else ""))
            return 0
    for tid, (_, frames, names) in missing.items():
        print(f"{name}: thread {tid}: eu-stack")
        print("\n".join(f"    {frame} {text}" for frame, text in zip(frames, names)))
        for status, mine in sorted(seen.get(tid, ()))[:3]:
            print(f"  ours, {status}:\n    " + "\n    ".join(mine))
    return 1


sys.exit(main())
