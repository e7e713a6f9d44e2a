#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a file of OTLP profiles to the rules of the specification and of sig-profiling's profcheck, from the wire up: it
shares nothing with the writer but the numbers of the fields in profiles.proto (1.8 to 1.11).

    check_otlp.py FILE

Entry 0 of every table is the zero value; no entry stands twice and none is an orphan; every index lies in its table; a
mapping begins before it ends or has no ends; links have 16 and 8 bytes; each sample has one value or as many as times, all
samples of a profile alike; times lie inside the profile; samples differ in stack, attributes or link."""
import sys

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
TABLES = {1: "mapping", 2: "location", 3: "function", 4: "link", 5: "string", 6: "attribute", 7: "stack"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if not byte & 128:
            return value, at


def fields(data):
    found, at = [], 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = varint(data, at)
        elif kind == FIXED64:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == BYTES:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("bytes beyond the end")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        found.append((tag >> 3, kind, value))
    return found


def one(message, number, otherwise=0):
    return next((value for field, _, value in reversed(message) if field == number), otherwise)


def many(message, number):
    return [value for field, _, value in message if field == number]


def numbers(message, number, fixed=False):
    found = []
    for field, kind, value in message:
        if field != number:
            continue
        if kind != BYTES:
            found.append(value)
        elif fixed:
            found += [int.from_bytes(value[i:i + 8], "little") for i in range(0, len(value), 8)]
        else:
            at = 0
            while at < len(value):
                item, at = varint(value, at)
                found.append(item)
    return found


class Checker:
    def __init__(self, data):
        self.wrong = []
        self.samples = 0
        top = fields(data)
        self.tables = {number: many(fields(one(top, 2, b"")), number) for number in TABLES}
        self.used = {number: {0} for number in TABLES}
        self.resources = many(top, 1)

    def say(self, text):
        self.wrong.append(text)

    def refer(self, table, index, where):
        self.used[table].add(index)
        if index >= len(self.tables[table]):
            self.say(f"{where}: {TABLES[table]} {index} of {len(self.tables[table])}")

    def dictionary(self):
        for number, name in TABLES.items():
            entries = self.tables[number]
            if not entries or entries[0]:
                self.say(f"{name} table: entry 0 is not the zero value")
            if len(set(entries)) != len(entries):
                self.say(f"{name} table: an entry stands twice")
        for index, entry in enumerate(self.tables[1]):
            mapping = fields(entry)
            start, limit = one(mapping, 1), one(mapping, 2)
            if (start or limit) and start >= limit:
                self.say(f"mapping {index}: from {start:#x} to {limit:#x}")
            self.refer(5, one(mapping, 4), f"mapping {index}")
            for attribute in numbers(mapping, 5):
                self.refer(6, attribute, f"mapping {index}")
        for index, entry in enumerate(self.tables[2]):
            location = fields(entry)
            self.refer(1, one(location, 1), f"location {index}")
            for line in many(location, 3):
                self.refer(3, one(fields(line), 1), f"location {index}")
            for attribute in numbers(location, 4):
                self.refer(6, attribute, f"location {index}")
        for index, entry in enumerate(self.tables[3]):
            function = fields(entry)
            for field in (1, 2, 3):
                self.refer(5, one(function, field), f"function {index}")
            if index and not any(one(function, field) for field in (1, 2, 3)):
                self.say(f"function {index}: no name and no file")
        for index, entry in enumerate(self.tables[4][1:], 1):
            link = fields(entry)
            if (len(one(link, 1, b"")), len(one(link, 2, b""))) != (16, 8):
                self.say(f"link {index}: ids of {len(one(link, 1, b''))} and {len(one(link, 2, b''))} bytes")
        for index, entry in enumerate(self.tables[6]):
            attribute = fields(entry)
            self.refer(5, one(attribute, 1), f"attribute {index}")
            self.refer(5, one(attribute, 3), f"attribute {index}")
        for index, entry in enumerate(self.tables[7]):
            for location in numbers(fields(entry), 1):
                self.refer(2, location, f"stack {index}")

    def value_type(self, message, where):
        self.refer(5, one(message, 1), where)
        self.refer(5, one(message, 2), where)

    def profile(self, message, where):
        start, length = one(message, 3), one(message, 4)
        shapes, identities = set(), set()
        self.value_type(fields(one(message, 1, b"")), where)
        self.value_type(fields(one(message, 5, b"")), where)
        for attribute in numbers(message, 11):
            self.refer(6, attribute, where)
        for raw in many(message, 2):
            sample = fields(raw)
            values, times = numbers(sample, 4), numbers(sample, 5, fixed=True)
            attributes = numbers(sample, 2)
            self.samples += 1
            self.refer(7, one(sample, 1), where)
            self.refer(4, one(sample, 3), where)
            for attribute in attributes:
                self.refer(6, attribute, where)
            if len(set(self.key(attribute) for attribute in attributes)) != len(attributes):
                self.say(f"{where}: a sample has one key twice")
            shapes.add((bool(values), bool(times)))
            if not values and not times or times and values and len(values) != len(times) or not times and len(values) != 1:
                self.say(f"{where}: {len(values)} values and {len(times)} times")
            if any(not start <= time < start + length for time in times):
                self.say(f"{where}: a time lies outside")
            identity = (one(sample, 1), frozenset(attributes), one(sample, 3))
            if identity in identities:
                self.say(f"{where}: two samples are one: {identity}")
            identities.add(identity)
        if len(shapes) > 1:
            self.say(f"{where}: samples of several shapes")

    def key(self, attribute):
        return one(fields(self.tables[6][attribute]), 1) if attribute < len(self.tables[6]) else -1

    def check(self):
        if not self.resources:
            self.say("no resource")
        profiles = 0
        for i, resource in enumerate(self.resources):
            for j, scope in enumerate(many(fields(resource), 2)):
                for k, profile in enumerate(many(fields(scope), 2)):
                    self.profile(fields(profile), f"resource {i} scope {j} profile {k}")
                    profiles += 1
        if not profiles:
            self.say("no profile")
        self.dictionary()
        for number, name in TABLES.items():
            orphans = set(range(len(self.tables[number]))) - self.used[number]
            if orphans:
                self.say(f"{name} table: nothing refers to {sorted(orphans)[:5]}")
        return self.wrong


def main():
    checker = Checker(open(sys.argv[1], "rb").read())
    wrong = checker.check()
    for line in wrong[:20]:
        print(line)
    print(f"{checker.samples} samples: {len(wrong)} rules broken")
    return bool(wrong or not checker.samples)


sys.exit(main())
