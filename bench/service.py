# SPDX-License-Identifier: Apache-2.0
"""The services under load: nginx and redis with configurations of their own, and one run of their clients.

Service and client each have a processor where there are two: what is measured is what watching costs the service, not
how the scheduler happens to place four processes.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from interleave import Taken, processor_times


def processors():
    """One for the service, one for its client."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[-1]


def pinned(processor, command):
    return ["taskset", "-c", str(processor), *command]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for_port(port, process):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[-1]} ended at once")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"nobody listens on port {port}")


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def busy_ns():
    """Of all processors so far: all but idle, iowait and steal."""
    ticks = processor_times()
    return (sum(ticks[:8]) - ticks[3] - ticks[4] - ticks[7]) * 1e9 / os.sysconf("SC_CLK_TCK")


class Service:
    """`with Nginx(folder) as nginx: nginx.run(seconds)` returns what an answered request took."""

    needs = ()

    @classmethod
    def missing(cls):
        return [program for program in cls.needs if not shutil.which(program) and not os.access(f"/usr/sbin/{program}", os.X_OK)]

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        self.server_cpu, self.client_cpu = processors()

    def __enter__(self):
        self.process = subprocess.Popen(pinned(self.server_cpu, self.command()), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)
        return self

    def __exit__(self, *error):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def run(self, seconds):
        busy, began = busy_ns(), time.monotonic_ns()
        taken = Taken(self.run_client(seconds))
        taken.processor_ns = (busy_ns() - busy) * taken / (time.monotonic_ns() - began)
        return taken

    def pids(self):
        return [self.process.pid, *children(self.process.pid)]


NGINX = """daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
worker_processes 1;
events {{ worker_connections 512; }}
http {{
	access_log off;
	keepalive_requests 1000000;
	server {{
		listen 127.0.0.1:{port};
		location / {{ return 200 "{body}"; }}
	}}
}}
"""


class Nginx(Service):
    needs = ("nginx", "wrk")

    def command(self):
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(NGINX.format(folder=self.folder, port=self.port, body="x" * 512))
        return [shutil.which("nginx") or "/usr/sbin/nginx", "-c", path, "-p", self.folder]

    def run_client(self, seconds):
        answer = subprocess.run(pinned(self.client_cpu, ["wrk", "-t1", "-c32", f"-d{max(1, round(seconds))}s",
                                                         f"http://127.0.0.1:{self.port}/"]),
                                capture_output=True, text=True, check=True)
        return 1e9 / float(re.search(r"Requests/sec:\s*([0-9.]+)", answer.stdout)[1])


class Redis(Service):
    needs = ("redis-server", "redis-benchmark")
    requests = 20000                    # of the first run, which also tells how many fill a run's time

    def command(self):
        return ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                "--dir", self.folder]

    def run_client(self, seconds):
        answer = subprocess.run(pinned(self.client_cpu, ["redis-benchmark", "-p", str(self.port), "-t", "get", "-c", "50",
                                                         "-n", str(self.requests), "--csv"]),
                                capture_output=True, text=True, check=True)
        rate = float(re.search(r'"GET","([0-9.]+)"', answer.stdout)[1])
        if self.requests == Redis.requests:
            self.requests = max(1000, int(rate * seconds))
        return 1e9 / rate


class Memcached(Service):
    needs = ("memcached", "memcaslap")

    def command(self):
        return ["memcached", "-u", "nobody", "-p", str(self.port), "-l", "127.0.0.1", "-t", "1", "-U", "0"]

    def run_client(self, seconds):
        answer = subprocess.run(pinned(self.client_cpu, ["memcaslap", "-s", f"127.0.0.1:{self.port}", "-t", f"{max(1, round(seconds))}s",
                                                         "-T", "1", "-c", "32", "-X", "512"]),
                                capture_output=True, text=True, check=True)
        return 1e9 / float(re.search(r"TPS: ([0-9.]+)", answer.stdout)[1])
