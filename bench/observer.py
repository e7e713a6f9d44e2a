# SPDX-License-Identifier: Apache-2.0
"""crosscut and its peers, all started, awaited and ended in the same way.

Each watches the whole machine as its users would run it, with its own output in a file of its own. A run begins when the
observer holds its perf events or BPF links and has then settled. strace watches processes, so it is given the load.
"""
import glob
import os
import shutil
import signal
import subprocess
import time

SETTLE_S = float(os.environ.get("SETTLE", "1.0"))
READY_LIMIT_S, END_LIMIT_S = 30, 30


class Observer:
    """One way to watch. command: its arguments, with FILE for its output; holds: what its descriptors show when ready."""

    def __init__(self, name, command, holds, shown=None, traces_load=False, ends_by=signal.SIGINT):
        self.name, self.command, self.holds, self.shown = name, command, holds, shown or name
        self.traces_load, self.ends_by = traces_load, ends_by

    def available(self):
        return shutil.which(self.command[0]) is not None

    def prefix(self, folder):
        """For an observer that is put before the load's command."""
        return [word.replace("FILE", os.path.join(folder, "observed")) for word in self.command]

    def watch(self, folder, pids=()):
        return Watching(self, folder, pids)


def clear(folder):
    """Some leave a hundred megabytes per second."""
    for path in glob.glob(os.path.join(folder, "*")):
        os.unlink(path)


def descriptors(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            found.append(os.readlink(path))
        except OSError:
            continue
    return found


class Watching:
    """While it lives, the observer runs: `with observer.watch(folder): measure()`."""

    def __init__(self, observer, folder, pids):
        self.observer, self.folder = observer, folder
        self.command = observer.prefix(folder)
        for pid in pids:
            self.command += ["-p", str(pid)]

    def __enter__(self):
        self.said = open(os.path.join(self.folder, "said"), "wb")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said)
        self.wait_until_ready()
        time.sleep(SETTLE_S)
        return self

    def wait_until_ready(self):
        until = time.monotonic() + READY_LIMIT_S
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.observer.name} ended at once: {self.last_words()}")
            if not self.observer.holds or any(self.observer.holds in held for held in descriptors(self.process.pid)):
                return
            time.sleep(0.02)
        raise RuntimeError(f"{self.observer.name} is not ready after {READY_LIMIT_S} s: {self.last_words()}")

    def last_words(self):
        with open(os.path.join(self.folder, "said"), encoding="utf-8", errors="replace") as file:
            return file.read()[-300:].strip()

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.send_signal(self.observer.ends_by)
        try:
            self.process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:       # what it would still have printed is not what is measured
            self.process.kill()
            self.process.wait()
        self.said.close()
        clear(self.folder)


def floor(folder):
    """Three empty programs on the events that crosscut needs: what any tracer of them costs here."""
    command = [os.path.join(folder, "floor"), os.path.join(folder, "floor.bpf.o")]
    return Observer("floor", command, "bpf_link", "three empty programs")


def observers(crosscut, also=()):
    """All that are here, crosscut first."""
    rows = [
        Observer("crosscut", [crosscut, "record", "-q", "-a", "--budget", "1", "-o", "FILE"], "bpf_link", "crosscut record -a"),
        *also,
        Observer("perf-switch", ["perf", "record", "-q", "-e", "sched:sched_switch", "-a", "-g", "-o", "FILE"],
                 "[perf_event]", "perf record -e sched:sched_switch -a -g"),
        Observer("perf-sched", ["perf", "sched", "record", "-q", "-o", "FILE"], "[perf_event]", "perf sched record"),
        Observer("offcputime", ["offcputime"], "bpf_link", "offcputime (libbpf-tools)"),
        Observer("strace", ["strace", "-c", "-f", "-o", "FILE"], None, "strace -c -f", traces_load=True),
    ]
    wanted = os.environ.get("OBSERVERS", "").split()
    chosen = [row for row in rows if not wanted or row.name in wanted]
    return [row for row in chosen if row.available()], [row.shown for row in chosen if not row.available()]
