#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a large recording of perf from a small one of one event: its samples are repeated, each time later by the length of
the recording, until the file has the wanted size. repeat_samples.py IN OUT BYTES"""
import struct
import sys

SAMPLE, FINISHED_ROUND = 9, 68
IP, TID, TIME, IDENTIFIER = 1, 2, 4, 1 << 16


def main():
    source, target, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
    data = open(source, "rb").read()
    attribute_size, attributes, attributes_size, start, size = struct.unpack_from("<16x5Q", data)
    features = struct.unpack_from("<4Q", data, 72)
    if attributes_size != attribute_size:
        sys.exit("only recordings of one event")
    sample_type = struct.unpack_from("<Q", data, attributes + 24)[0]
    time_at = 8 + 8 * bin(sample_type & (IP | TID | IDENTIFIER)).count("1")
    at, samples, times = start, [], []
    while at < start + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            samples.append(bytearray(data[at:at + length]))
            times.append(struct.unpack_from("<Q", samples[-1], time_at)[0])
        at += length
    order = sorted(range(len(samples)), key=times.__getitem__)
    step = max(times) - min(times) + 1000
    finished = struct.pack("<IHH", FINISHED_ROUND, 0, 8)
    with open(target, "wb") as out:
        out.write(data[:start + size])
        turn = 0
        while out.tell() < wanted:
            turn += 1
            piece = bytearray()
            for i in order:
                struct.pack_into("<Q", samples[i], time_at, times[i] + turn * step)
                piece += samples[i]
            out.write(piece + finished)
        moved = out.tell() - (start + size)
        tail = bytearray(data[start + size:])
        for i in range(sum(bin(word).count("1") for word in features)):
            offset = struct.unpack_from("<Q", tail, 16 * i)[0]
            struct.pack_into("<Q", tail, 16 * i, offset + moved)
        out.write(tail)
        out.seek(48)
        out.write(struct.pack("<Q", size + moved))


main()
