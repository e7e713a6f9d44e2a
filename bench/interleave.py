# SPDX-License-Identifier: Apache-2.0
"""Bare and observed runs in turn, and what their differences say.

    round 1:  bare  A  bare  C  bare  B  bare
    round 2:  bare  C  bare  B  bare  A  bare ...

Each observed run is compared with the mean of the bare run before and the bare run after it, so that a machine that
drifts evenly drops out; the order of the observers is drawn anew in each round, so that neither place nor neighbour
favours one. The interval is Student's for the mean of such differences, 95 %, one per round: it assumes nothing about
the runs but that rounds are alike.
"""
import math
import random
import statistics
import sys
import time

# Quantiles of Student's t at 97.5 %, by degrees of freedom; between two rows the wider one is taken.
STUDENT = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (6, 2.447), (7, 2.365), (8, 2.306), (9, 2.262),
           (10, 2.228), (11, 2.201), (12, 2.179), (13, 2.160), (14, 2.145), (15, 2.131), (16, 2.120), (17, 2.110),
           (18, 2.101), (19, 2.093), (20, 2.086), (22, 2.074), (24, 2.064), (26, 2.056), (28, 2.048), (30, 2.042),
           (40, 2.021), (60, 2.000), (120, 1.980), (1000, 1.962)]


def student(freedom):
    return [quantile for rows, quantile in STUDENT if rows <= freedom][-1]


def interval(values):
    """Mean and the 95 % interval of it; no interval from a single value."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, -math.inf, math.inf
    half = student(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


class Taken(float):
    """Nanoseconds that an operation took, and of its processor_ns: those in which processors were busy for it. The kernel leaves out of
    these what the host took away, which makes them the steadier of the two on a shared host."""

    processor_ns = None


class Series:
    """What one observer's runs, and the bare runs around them, took per operation in ns."""

    def __init__(self, name):
        self.name, self.bare, self.observed = name, [], []
        self.processor = None           # the same in processor_ns, where the load tells it

    def add(self, before, observed, after):
        self.bare.append((before + after) / 2)
        self.observed.append(observed)
        if getattr(observed, "processor_ns", None) is not None:
            self.processor = self.processor or Series(self.name)
            self.processor.add(*(float(one.processor_ns) for one in (before, observed, after)))

    def added_ns(self):
        return [observed - bare for bare, observed in zip(self.bare, self.observed)]

    def slower(self):
        """By which fraction an operation took longer."""
        return [observed / bare - 1 for bare, observed in zip(self.bare, self.observed)]

    def throughput_change(self):
        return [bare / observed - 1 for bare, observed in zip(self.bare, self.observed)]


def steal_share(before, after):
    total = sum(after) - sum(before)
    return (after[7] - before[7]) / total if total else 0.0


def processor_times():
    with open("/proc/stat", encoding="ascii") as file:
        return [int(field) for field in file.readline().split()[1:]]


def load_average():
    with open("/proc/loadavg", encoding="ascii") as file:
        return float(file.read().split()[0])


def run_rounds(observers, measure, rounds, seed=1):
    """measure(observer or None) runs the load once and returns ns per operation. Returns the series by name, and what
    else the machine was doing."""
    order, series = random.Random(seed), {observer.name: Series(observer.name) for observer in observers}
    began, times, load = time.monotonic(), processor_times(), load_average()
    measure(None)                       # the first run finds caches cold and is not counted
    for number in range(rounds):
        drawn = observers[:]
        order.shuffle(drawn)
        before = measure(None)
        for observer in drawn:
            observed = measure(observer)
            after = measure(None)
            series[observer.name].add(before, observed, after)
            before = after
        if sys.stderr.isatty():
            print(f"\r  round {number + 1} of {rounds}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    machine = {"steal": steal_share(times, processor_times()), "load_average_before": load,
               "seconds": round(time.monotonic() - began, 1), "rounds": rounds, "seed": seed}
    return series, machine
