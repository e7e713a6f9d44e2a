#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the stubs that test/symbols/stubs.c finds with objdump's labels, address for address:

    compare_stubs.py STUBS FILE...

A stub whose slot has no symbol is "*ABS*+0x..." for objdump: we leave it unnamed. A stub that objdump does not label, since it does
not know the linker's pattern, is right where it jumps through a slot whose relocation, by readelf, has our name. Of addr2line, which
reads no relocations, is said how often it agrees; that is no verdict."""
import re
import subprocess
import sys

SECTIONS = [word for name in (".plt", ".plt.sec", ".plt.got", ".plt.bnd") for word in ("-j", name)]


def ask(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, errors="surrogateescape", check=False).stdout


def labels(path):
    """Names by address; and by the address of each instruction that jumps through a slot, the slot."""
    text = ask("objdump", "-d", *SECTIONS, path)
    names = {int(at, 16): name for at, name in re.findall(r"^([0-9a-f]+) <(.*)@plt>:$", text, re.M)}
    jumps = {int(at, 16): int(slot, 16) for at, slot in re.findall(r"^ *([0-9a-f]+):\t.*jmp +\*.*# ([0-9a-f]+)", text, re.M)}
    return {at: name for at, name in names.items() if not name.startswith("*ABS*")}, jumps


def relocations(path):
    pattern = r"^([0-9a-f]+) +[0-9a-f]+ R_X86_64_(?:JUMP_SLOT?|GLOB_DAT) +[0-9a-f]+ ([^\s@]+)"
    return {int(at, 16): name for at, name in re.findall(pattern, ask("readelf", "-rW", path), re.M)}


def found(program, path):
    return {int(at, 16): (int(size, 16), name)
            for at, size, name in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) (\S+)$", ask(program, path), re.M)}


def agreed(path, names):
    """How many addr2line calls what they jump to."""
    lines = ask("addr2line", "-f", "-e", path, text="".join(f"{at:x}\n" for at in names)).split("\n")[::2]
    return sum(line.split("@")[0] == name for line, name in zip(lines, names.values()))


def compare(path, ours):
    """Of one file: labels, stubs that only a relocation proves, labels with which addr2line agrees, wrong ones."""
    theirs, jumps = labels(path)
    slots = relocations(path) if set(ours) - set(theirs) else {}
    proven, wrong = 0, []
    for at in sorted({*theirs, *ours}):
        size, name = ours.get(at, (0, None))
        inside = range(at, at + size)
        if at not in theirs and any(slots.get(jumps.get(there)) == name for there in inside):
            proven += 1
        elif theirs.get(at) != name:
            wrong.append(f"{path} {at:x}: {name}, objdump {theirs.get(at)}")
        if any(there in theirs for there in inside[1:]):
            wrong.append(f"{path} {at:x}: {name} of {size} bytes reaches into the next")
    return len(theirs), proven, agreed(path, theirs), wrong


def main():
    files = stubs = proven = same = 0
    wrong = []
    for path in sys.argv[2:]:
        ours = found(sys.argv[1], path)
        count, more, line, bad = compare(path, ours)
        files, stubs, proven, same, wrong = files + bool(count or more), stubs + count, proven + more, same + line, wrong + bad
    print(f"{files} of {len(sys.argv) - 2} files have stubs: {stubs} labelled by objdump, {proven} more by their relocation, "
          f"{len(wrong)} wrong; addr2line names {same} so", *wrong[:10], sep="\n")
    return bool(wrong) or files < len(sys.argv) - 2


sys.exit(main())
