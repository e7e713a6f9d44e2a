# SPDX-License-Identifier: Apache-2.0
"""What a benchmark found: a table for people, and one object in build/bench/NAME.json that bench/run collects."""
import json
import os
import statistics

from interleave import Series, interval

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(TOP, os.environ.get("BUILD", "build"))
CROSSCUT = os.path.join(BUILD, "crosscut")
FOLDER = os.path.join(BUILD, "bench")
PAIRS = int(os.environ.get("PAIRS", "20"))
SECONDS = float(os.environ.get("SECONDS_EACH", "0"))    # 0: each benchmark's own


def load_program(name):
    return os.path.join(FOLDER, f"load_{name}")


def effect(values, unit):
    mean, low, high = interval(values)
    return {"mean": mean, "low": low, "high": high, "median": statistics.median(values), "unit": unit, "pairs": len(values)}


def shown(value, unit):
    return f"{value * 100:+.2f} %" if unit == "fraction" else f"{value:+.0f} {unit}"


def within(one, limit):
    """Said only where the whole interval lies inside the limit; a wide interval is no proof of anything."""
    if max(abs(one["low"]), abs(one["high"])) <= limit:
        return f"within ±{limit * 100:g} %"
    if one["low"] > limit or one["high"] < -limit:
        return f"outside ±{limit * 100:g} %"
    return "not shown"


def below(one, limit, text):
    """One-sided: the interval's upper end decides, and its lower end refutes."""
    return text if one["high"] <= limit else f"not {text}" if one["low"] > limit else "not shown"


def print_rows(title, header, rows):
    widths = [max(len(str(row[column])) for row in [header, *rows]) for column in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print("  " + "  ".join(str(cell).ljust(width) if column == 0 else str(cell).rjust(width)
                               for column, (cell, width) in enumerate(zip(row, widths))).rstrip())


def print_effects(title, effects, series, names, verdicts):
    """effects, series and verdicts by observer; one row for each."""
    rows = []
    for name, one in effects.items():
        runs = series[name]
        rows.append([names[name], f"{statistics.median(runs.bare):.0f}", f"{statistics.median(runs.observed):.0f}",
                     shown(one["mean"], one["unit"]),
                     f"{shown(one['low'], one['unit'])} … {shown(one['high'], one['unit'])}",
                     shown(one["median"], one["unit"]), one["pairs"], verdicts.get(name, "")])
    print_rows(title, ["observer", "bare ns", "observed ns", "mean", "95 % interval", "median", "pairs", "verdict"], rows)


def processor_effects(unit, series, names, verdict_of):
    """By observer, where a load knows it: how much more time on processors an operation takes. Printed, and judged as the time itself is."""
    known = {name: series[name].processor for name in names if series[name].processor}
    kind = Series.added_ns if unit == "ns" else Series.slower
    effects = {name: effect(kind(one), "ns" if unit == "ns" else "fraction") for name, one in known.items()}
    if effects:
        print_effects("the same in time on processors, without what the host took", effects, known, names,
                      {name: verdict_of(name, effects, known) for name in effects})
    return effects


def write(name, content):
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.write("\n")
