#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every digest of a capture by doc/format.md, section "Digests", and nothing else: digests.py CAPTURE"""
import hashlib
import sqlite3
import struct
import sys

DICTIONARIES_BEFORE, DICTIONARIES_AFTER = "string dimension measure file", "object evidence mapping"
FACTS, SEALED = "completion loss own_cost guard_step", "class total process thread"


def tagged(letter, number):
    return letter + struct.pack("<Q", number % 2**64)


def row_bytes(table, values, types):
    out = tagged(b"R", len(table)) + table.encode()
    for value, kind in zip(values, types):
        if kind == b"integer":
            out += tagged(b"i", value)
        elif kind == b"real":
            out += b"r" + struct.pack("<d", value)
        elif kind == b"null":
            out += tagged(b"n", 0)
        else:
            out += tagged(b"t" if kind == b"text" else b"b", len(value)) + value
    return out


class Capture:
    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.db.text_factory = bytes

    def rows(self, table, where="1"):
        names = [f'"{row[1].decode()}"' for row in self.db.execute(f"PRAGMA table_info({table})")]
        types = [f"typeof({name})" for name in names]
        query = f"SELECT {','.join(names + types)} FROM {table} WHERE {where} ORDER BY rowid"
        for row in self.db.execute(query):
            yield row_bytes(table, row[:len(names)], row[len(names):])

    def contents(self, number):
        for table in DICTIONARIES_BEFORE.split():
            yield from self.rows(table, f"stored = {number}")
        yield from self.rows("segment", f"slice = {number} AND kind IN ('frame', 'stack')")
        for table in DICTIONARIES_AFTER.split():
            yield from self.rows(table, f"stored = {number}")
        yield from self.rows("segment", f"slice = {number} AND kind NOT IN ('frame', 'stack')")
        for table in FACTS.split():
            yield from self.rows(table, f"stored = {number}")


def main():
    capture, chain, waiting, last = Capture(sys.argv[1]), bytes(32), b"", 0
    for number, start, end, digest in capture.db.execute("SELECT * FROM slice ORDER BY id").fetchall():
        waiting += row_bytes("slice", (number, start, end), [b"integer"] * 3)
        if not digest:
            continue
        chain = hashlib.sha256(chain + b"".join(capture.contents(number)) + waiting).digest()
        waiting, last = b"", number
        if chain != digest:
            sys.exit(f"slice {number} has another digest")
    seal = chain + b"".join(capture.contents(last + 1))
    for table in SEALED.split():
        seal += b"".join(capture.rows(table))
    seal += b"".join(capture.rows("meta", "key NOT IN ('sealed', 'digest')"))
    stored = capture.db.execute("SELECT value FROM meta WHERE key = 'digest'").fetchone()[0].decode()
    if hashlib.sha256(seal).hexdigest() != stored:
        sys.exit("the seal has another digest")
    print(f"{last} slices and the seal")


main()
