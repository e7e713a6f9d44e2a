# SPDX-License-Identifier: Apache-2.0
"""Runs the program on a file and gives back what it read: weights by thread and stack, or intervals."""
import json
import os
import pathlib
import re
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("BUILD", "build")
CROSSCUT = BUILD / "crosscut-san" if (BUILD / "crosscut-san").exists() else BUILD / "crosscut"


def corpora():
    given = os.environ.get("CROSSCUT_CORPORA")
    for path in [pathlib.Path(given)] if given else [TOP.parent / "shared/corpora"]:
        if path.is_dir():
            return path
    return None


def crosscut(*arguments):
    return subprocess.run([CROSSCUT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def convert(path, to, dimension=None):
    answer = crosscut("convert", path, "-", "--to", to, *(["--dimension", dimension] if dimension else []))
    if answer.returncode:
        raise RuntimeError(f"{path.name} as {to}: exit {answer.returncode}: {answer.stderr.strip()}")
    return answer.stdout


def refused(path):
    """Whether the file is refused as damaged ones should be: with exit status 4 and one message."""
    answer = crosscut("report", path)
    return answer.returncode == 4 and answer.stderr.startswith("crosscut: ")


class Thread:
    """One thread's weights: ordered by when a stack came first. Frames are (name, file, line)."""

    def __init__(self, profile, frames):
        found = re.fullmatch(r"(.*?) ?\(pid (\d+), tid (\d+)\)", profile["name"], re.S)
        self.name = found[1] if found else profile["name"]
        self.pid, self.tid = (int(found[2]), int(found[3])) if found else (0, 0)
        self.unit = profile["unit"]
        self.stacks = {}
        for stack, weight in zip(profile["samples"], profile["weights"]):
            key = tuple((frames[i]["name"], frames[i].get("file"), frames[i].get("line")) for i in stack)
            self.stacks[key] = self.stacks.get(key, 0) + weight

    def named(self):
        """Weights by stacks of names alone."""
        named = {}
        for stack, weight in self.stacks.items():
            key = tuple(frame[0] for frame in stack)
            named[key] = named.get(key, 0) + weight
        return named


def threads(path, dimension=None):
    read = json.loads(convert(path, "speedscope", dimension))
    return [Thread(profile, read["shared"]["frames"]) for profile in read["profiles"]]


def events(path):
    """The events of its timeline, with times in ns as whole numbers."""
    read = json.loads(convert(path, "chrome"), parse_float=str, parse_int=str)["traceEvents"]
    for event in read:
        for key in ("ts", "dur"):
            if key in event:
                whole, _, fraction = event[key].partition(".")
                event[key] = int(whole) * 1000 + int(fraction)
    return read


def self_and_total(named):
    """By frame: its own weight, and that of all stacks that hold it."""
    own, total = {}, {}
    for stack, weight in named.items():
        if stack:
            own[stack[-1]] = own.get(stack[-1], 0) + weight
        for frame in set(stack):
            total[frame] = total.get(frame, 0) + weight
    return own, total
