#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds chains of inlined calls, as test/symbols/chains.c prints them, against addr2line: compare.py CHAINS PROGRAM MINIMUM
Prints what agreed, and the time that addr2line took. Fails where a chain differs or fewer than MINIMUM could be compared.
Outermost names that differ only in what a compiler appends (.cold, .part.0) count as equal: addr2line takes them from the
symbol table. Where the innermost call has no linkage name, addr2line sometimes prints the symbol's name in its place; if all
else is equal, that is counted apart."""
import os
import subprocess
import sys
import time


def read_chains(path):
    for line in open(path):
        address, *words = line.rstrip("\n").split("\t")
        yield int(address, 16), list(zip(words[0::3], words[1::3], words[2::3]))


def ask_addr2line(program, addresses):
    start = time.monotonic()
    out = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", program], input="\n".join(hex(a) for a in addresses),
                         capture_output=True, text=True, check=True).stdout.splitlines()
    seconds = time.monotonic() - start
    chains, at = {}, None
    i = 0
    while i < len(out):
        if out[i].startswith("0x"):
            at = int(out[i], 16)
            chains[at] = []
            i += 1
            continue
        path, _, line = out[i + 1].partition(" ")[0].rpartition(":")
        chains[at].append((out[i], path, line.replace("?", "0")))
        i += 2
    return chains, seconds


def plain(name):
    return name.split(".cold")[0].split(".part.")[0].split(".isra.")[0].split(".constprop.")[0]


def normal(call):
    return os.path.normpath(call[1]), call[2]


def main():
    ours = dict(read_chains(sys.argv[1]))
    theirs, seconds = ask_addr2line(sys.argv[2], sorted(ours))
    equal = differ = lines = calls = neither = only_ours = only_theirs = replaced = 0
    examples = []
    for address, mine in ours.items():
        other = [call for call in theirs[address]]
        # A file without a folder is that of the symbol table: there was no debug information.
        has_mine, has_other = bool(mine and mine[0][0]), other[0][0] != "??" and "/" in other[-1][1]
        if not has_mine or not has_other:
            neither += not has_mine and not has_other
            only_ours += has_mine and not has_other
            only_theirs += has_other and not has_mine
            if has_other and not has_mine:
                examples.append((hex(address), mine[:4], other[:4]))
            continue
        if [call[0] for call in mine[:-1]] == [call[0] for call in other[:-1]] and plain(mine[-1][0]) == plain(other[-1][0]):
            equal += 1
            calls += len(mine)
            lines += [normal(call) for call in mine] == [normal(call) for call in other]
        elif not mine[0][0].startswith(("_Z", "_R")) and [normal(call) for call in mine] == [normal(call) for call in other] and \
                [call[0] for call in mine[1:]] == [call[0] for call in other[1:]]:
            replaced += 1
        else:
            differ += 1
            examples.append((hex(address), mine[:6], other[:6]))
    print(f"{equal} chains of {equal + differ + replaced} equal ({calls / max(equal, 1):.1f} calls each), {lines} of them with every file and line equal; "
          f"{replaced} times addr2line printed the symbol in place of the innermost call; "
          f"{neither} unknown to both, {only_ours} to addr2line alone, {only_theirs} to crosscut alone; addr2line took {seconds:.2f} s")
    for example in examples[:5]:
        print("  differs:", *example, sep="\n    ")
    return differ > 0 or only_theirs > 0 or equal < int(sys.argv[3])


sys.exit(main())
