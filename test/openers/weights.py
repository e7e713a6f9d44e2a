#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what functions weigh in what an opener made of a file: name, self and total (or one of them), between tabs, sorted.

    weights.py folded|svg|annotated|otlp|perfetto FILE          weights.py firefox PROFILER-CLI FILE"""
import html
import json
import re
import subprocess
import sys
import time


def lines_print(rows):
    out = sys.stdout.buffer
    for line in sorted("\t".join([name, *map(str, weights)]).encode() for name, weights in rows):
        out.write(line + b"\n")


def of_stacks(stacks):
    own, total = {}, {}
    for stack, weight in stacks:
        own[stack[-1]] = own.get(stack[-1], 0) + weight
        for name in set(stack):
            total[name] = total.get(name, 0) + weight
    return [(name, (own.get(name, 0), total[name])) for name in total]


def folded(path):
    with open(path, encoding="utf-8") as file:
        pairs = [line.rstrip("\n").rpartition(" ") for line in file]
    return of_stacks([(stack.split(";"), int(weight)) for stack, _, weight in pairs])


def svg(path):
    """flamegraph.pl's titles: "name (1,234 samples, 5.00%)"."""
    total = {}
    with open(path, encoding="utf-8") as file:
        titles = re.findall(r"<title>(.*?) \(([\d,]+) samples, [\d.]+%\)</title>", file.read())
    for name, weight in titles:
        name = html.unescape(name)
        total[name] = total.get(name, 0) + int(weight.replace(",", ""))
    total.pop("all", None)
    return [(name, (weight,)) for name, weight in total.items()]


def annotated(path):
    """callgrind_annotate's table: "1,234 (5.0%)  file:function [object]"."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r"\s*([\d,]+) \(.*?\)  \?\?\?:(.*?)(?: \[.*\])?$", line.rstrip("\n"))
            if found:
                rows.append((found[2], (int(found[1].replace(",", "")),)))
    return rows


def text_tree(path):
    """protoc's text as (field, value or list) pairs; a field that has only a number is one that it does not know."""
    stack = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line == "}":
                stack.pop()
            elif line.endswith(" {"):
                stack[-1].append((line[:-2], []))
                stack.append(stack[-1][-1][1])
            elif line:
                field, _, value = line.partition(": ")
                stack[-1].append((field, json.loads(octal(value)) if value.startswith('"') else value))
            if line and line[0].isdigit():
                raise ValueError(f"unknown field: {line}")
    return stack[0]


def octal(text):
    """A C string's octal escapes, byte by byte, and \\' as JSON has them."""
    raw = re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8)]), text.encode())
    return raw.decode().replace("\\'", "'")


def each(tree, field):
    return [value for name, value in tree if name == field]


def first(tree, field, otherwise=0):
    found = each(tree, field)
    return found[0] if found else otherwise


def otlp(path):
    tree = text_tree(path)
    dictionary = first(tree, "dictionary")
    strings = each(dictionary, "string_table")
    functions = [strings[int(first(row, "name_strindex"))] for row in each(dictionary, "function_table")]
    places = [[functions[int(first(line, "function_index"))] for line in each(row, "lines")]
              for row in each(dictionary, "location_table")]
    stacks = [[name for index in each(row, "location_indices") for name in places[int(index)]]
              for row in each(dictionary, "stack_table")]
    found = []
    for resource in each(tree, "resource_profiles"):
        for scope in each(resource, "scope_profiles"):
            for profile in each(scope, "profiles"):
                found += [(stacks[int(first(sample, "stack_index"))][::-1], int(first(sample, "values")))
                          for sample in each(profile, "samples")]
    return of_stacks(found)


def perfetto(path):
    """Slices begin and end on tracks; interned names count within the trace."""
    names, open_slices, total = {}, {}, {}
    for packet in each(text_tree(path), "packet"):
        for row in each(first(packet, "interned_data", []), "event_names"):
            names[first(row, "iid")] = first(row, "name")
        event = first(packet, "track_event", None)
        if event is None:
            continue
        at, stack = int(first(packet, "timestamp")), open_slices.setdefault(first(event, "track_uuid"), [])
        if first(event, "type") == "TYPE_SLICE_BEGIN":
            stack.append((first(event, "name", None) or names[first(event, "name_iid")], at))
        elif first(event, "type") == "TYPE_SLICE_END":
            name, begin = stack.pop()
            total[name] = total.get(name, 0) + at - begin
    return [(name, (weight,)) for name, weight in total.items()]


def firefox(command, path):
    def ask(*arguments):
        return subprocess.run(["node", command, *arguments], capture_output=True, text=True, timeout=60, check=False)

    ask("load", path)
    try:
        for _ in range(50):         # its daemon answers when it has started
            answer = ask("thread", "functions", "--limit", "0", "--include-idle", "--json")
            if answer.returncode == 0 and answer.stdout.startswith("{"):
                break
            time.sleep(0.2)
        return [(row["name"], (row["selfSamples"], row["totalSamples"])) for row in json.loads(answer.stdout)["functions"]]
    finally:
        ask("stop", "--all")


lines_print(globals()[sys.argv[1]](*sys.argv[2:]))
