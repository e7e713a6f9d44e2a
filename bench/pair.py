# SPDX-License-Identifier: Apache-2.0
"""One workload under every observer: what bench/futex, bench/getppid, bench/nginx and bench/redis share."""
import subprocess
import sys
import tempfile

import outcome
from interleave import Taken, run_rounds
from observer import clear, observers


def run_program(command):
    """A load that prints its operations, the nanoseconds they took, and those that it had a processor."""
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    operations, taken_ns, processor_ns = map(int, answer.stdout.split()[-3:])
    taken = Taken(taken_ns / operations)
    taken.processor_ns = processor_ns / operations
    return taken


def run_traced(observer, command, folder):
    try:
        return run_program(observer.prefix(folder) + command)
    finally:
        clear(folder)


def program_measure(command, folder):
    def measure(observer):
        if observer is None:
            return run_program(command)
        if observer.traces_load:
            return run_traced(observer, command, folder)
        with observer.watch(folder):
            return run_program(command)
    return measure


def service_measure(service, seconds, folder):
    def measure(observer):
        if observer is None:
            return service.run(seconds)
        with observer.watch(folder, service.pids() if observer.traces_load else ()):
            return service.run(seconds)
    return measure


def compare(name, title, measure, effect_of, unit, verdict_of, also=()):
    """Runs the rounds, prints the table and writes the JSON. verdict_of(name, effects, series) may return ''. """
    present, absent = observers(outcome.CROSSCUT, also)
    if not any(one.name == "crosscut" for one in present):
        sys.exit(f"bench: {outcome.CROSSCUT} is not there: make")
    series, machine = run_rounds(present, measure, outcome.PAIRS)
    effects = {one.name: outcome.effect(effect_of(series[one.name]), unit) for one in present}
    verdicts = {one.name: verdict_of(one.name, effects, series) for one in present}
    outcome.print_effects(title, effects, series, {one.name: one.shown for one in present}, verdicts)
    processor = outcome.processor_effects(unit, series, {one.name: one.shown for one in present}, verdict_of)
    print(f"  load average before {machine['load_average_before']:.1f}, steal {machine['steal'] * 100:.1f} %, "
          f"{machine['rounds']} rounds in {machine['seconds']:.0f} s")
    for shown in absent:
        print(f"  not installed here: {shown}")
    content = {"title": title, "machine": machine, "absent": absent, "observers": [
        {"name": one.name, "command": one.shown, "effect": effects[one.name], "verdict": verdicts[one.name],
         "processor": processor.get(one.name), "bare_ns": series[one.name].bare, "observed_ns": series[one.name].observed} for one in present]}
    outcome.write(name, content)
    return series, effects, content


def folder():
    return tempfile.TemporaryDirectory(prefix="crosscut-bench-")
