#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A path between two network namespaces whose losses and delays are known: each end is a TUN device, and this program carries the
packets from one to the other. It needs no queueing discipline of the kernel's: it holds every packet back for as long as it is
told, and drops, each once only, the first packet of each connection to a port, or one in so many with data to a port.

    path.py NAMESPACE_A NAMESPACE_B delay_ms=N syn=PORT every=N:PORT

When it is ended by SIGTERM it says on stdout how many it dropped."""
import ctypes
import fcntl
import heapq
import os
import select
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 1, 0x1000, 0x40000000
SYN, ACK = 2, 16


def tun_in(namespace):
    libc = ctypes.CDLL(None, use_errno=True)
    here, there = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    if libc.setns(there, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", b"path0", IFF_TUN | IFF_NO_PI))
    libc.setns(here, CLONE_NEWNET)
    return fd


def tcp_of(packet):
    """The TCP header and the length of what it carries; of IPv4, and of IPv6 without extensions."""
    if packet[0] >> 4 == 4 and packet[9] == 6:
        at, size = (packet[0] & 15) * 4, struct.unpack_from("!H", packet, 2)[0]
    elif packet[0] >> 4 == 6 and packet[6] == 6:
        at, size = 40, 40 + struct.unpack_from("!H", packet, 4)[0]
    else:
        return None, 0
    return packet[at:at + 20], size - at - (packet[at + 12] >> 4) * 4


class Path:
    def __init__(self, options):
        self.delay = float(options.get("delay_ms", 0)) / 1e3
        self.syn_port = int(options.get("syn", 0))
        every, _, port = options.get("every", "0:0").partition(":")
        self.every, self.every_port = int(every), int(port)
        self.seen = 0
        self.dropped = {"syn": 0, "data": 0}
        self.ends = {}                          # of each flow: what was sent up to here; what lies before is sent again

    def drops(self, packet):
        header, payload = tcp_of(packet)
        if header is None:
            return False
        source, port, sequence = struct.unpack_from("!HHI", header)
        flow = packet[0] >> 4, source, port
        known = self.ends.get(flow)
        is_new = known is None or (sequence - known) & 0x80000000 == 0
        if is_new:
            self.ends[flow] = (sequence + payload) & 0xFFFFFFFF
        if port == self.syn_port and header[13] & (SYN | ACK) == SYN and known is None:
            self.dropped["syn"] += 1
            return True
        if self.every and port == self.every_port and payload > 0 and is_new:
            self.seen += 1
            if self.seen % self.every == 0:
                self.dropped["data"] += 1
                return True
        return False


def main():
    path = Path(dict(argument.split("=", 1) for argument in sys.argv[3:]))
    ends = [tun_in(sys.argv[1]), tun_in(sys.argv[2])]
    waiting, count, over = [], 0, []
    signal.signal(signal.SIGTERM, lambda *_: over.append(True))
    print("ready", flush=True)
    while not over:
        until = min(0.1, max(0, waiting[0][0] - time.monotonic())) if waiting else 0.1
        for fd in select.select(ends, [], [], until)[0]:
            packet = os.read(fd, 65536)
            if path.drops(packet):
                continue
            count += 1
            heapq.heappush(waiting, (time.monotonic() + path.delay, count, ends[fd == ends[0]], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(waiting)
            try:
                os.write(to, packet)
            except OSError:
                pass                            # that end is not up yet, or its queue is full
    print(path.dropped["syn"], path.dropped["data"], flush=True)


main()
