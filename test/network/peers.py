#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Both sides of what test/network/run captures. `peers.py serve` listens in one namespace; `peers.py ask ADDRESS…` does each thing once
per address in the other, times itself by its own clock, and writes what it knows to ask.json. `peers.py names` is a name server, `peers.py look-up`
who asks it, `peers.py tls` both sides of
handshakes, with cert.pem and key.pem."""
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time

BULK, SLOW, CLOSED, ECHO, LATE, RESET_BY_US, SECURE, LAZY = 7001, 7002, 7003, 7004, 7005, 7006, 7007, 7008
BULK_BYTES, SLEEP_S, ECHOES, ANSWER_S, LOOKUPS, HANDSHAKES = 600000, 0.8, 10, 0.03, 4, 5


def take_all(connection):
    while connection.recv(65536):
        pass


def serve_one(port, connection):
    if port == SLOW:
        time.sleep(SLEEP_S)
        take_all(connection)
    elif port == CLOSED:
        connection.recv(1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif port == ECHO:
        while data := connection.recv(100):
            time.sleep(ANSWER_S)
            connection.sendall(data)
    else:
        take_all(connection)
    connection.close()


def serve(port):
    listener = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
    if port == SLOW:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve_one, args=(port, connection), daemon=True).start()


def answer_to(question):
    """To each question one address, 10.99.0.9, where that is asked for; names that begin with "no" get no answer."""
    name = question[12:]
    if name[1:3] == b"no":
        return None
    end = name.index(b"\0") + 5
    has = name[end - 4:end - 2] == b"\0\1"
    head = question[:2] + b"\x81\x80\0\1" + struct.pack("!H", has) + b"\0\0\0\0"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + bytes([10, 99, 0, 9])
    return head + name[:end] + (record if has else b"")


def name_server():
    """In the namespace of who asks: TCP and UDP, each answer after its time."""
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 53))
    listener = socket.create_server(("127.0.0.1", 53))

    def later(question, peer):
        time.sleep(ANSWER_S)
        reply = answer_to(question)
        if reply:
            datagrams.sendto(reply, peer)

    def stream():
        while True:
            connection, _ = listener.accept()
            while head := connection.recv(2):
                question = connection.recv(struct.unpack("!H", head)[0])
                time.sleep(ANSWER_S)
                reply = answer_to(question)
                connection.sendall(struct.pack("!H", len(reply)) + reply)
            connection.close()

    threading.Thread(target=stream, daemon=True).start()
    threading.Thread(target=serve, args=(ECHO,), daemon=True).start()
    print("ready", flush=True)
    while True:
        threading.Thread(target=later, args=datagrams.recvfrom(512), daemon=True).start()


class Clock:
    def __init__(self):
        self.spent = {}

    def time(self, name, call):
        start = time.monotonic_ns()
        ret = call()
        self.spent[name] = self.spent.get(name, 0) + time.monotonic_ns() - start
        return ret


def ask(address, clock):
    ask_again_and_again(address, clock)
    clock.time("late", lambda: socket.create_connection((address, LATE))).close()
    bulk = socket.create_connection((address, BULK))
    bulk.sendall(b"y" * BULK_BYTES)
    bulk.shutdown(socket.SHUT_WR)
    bulk.recv(1)
    slow = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16384)
    slow.connect((address, SLOW))
    clock.time("slow", lambda: slow.sendall(b"z" * 300000))
    slow.close()
    closed = socket.create_connection((address, CLOSED))
    closed.sendall(b"a")
    try:
        closed.recv(1)
    except ConnectionResetError:
        clock.spent["resets"] = clock.spent.get("resets", 0) + 1
    ours = socket.create_connection((address, RESET_BY_US))
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    ours.close()


def shake_hands(clock, port, at_once):
    """At once, or left to the first write on one side and to the first read on the other."""
    theirs, ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    theirs.load_cert_chain("cert.pem", "key.pem")
    ours.check_hostname, ours.verify_mode = False, ssl.CERT_NONE
    listener = socket.create_server(("127.0.0.1", port))

    def accept():
        for _ in range(HANDSHAKES):
            connection, _ = listener.accept()
            time.sleep(ANSWER_S)
            with theirs.wrap_socket(connection, server_side=True, do_handshake_on_connect=at_once) as secured:
                secured.recv(1)

    server = threading.Thread(target=accept)
    server.start()
    for _ in range(HANDSHAKES):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            secured = clock.time("handshake" if at_once else "wrapped", lambda: ours.wrap_socket(connection, do_handshake_on_connect=at_once))
            clock.time("written" if at_once else "late", lambda: secured.sendall(b"x"))
            secured.close()
    server.join()


def segments_sent_again():
    lines = [line.split() for line in open("/proc/net/snmp") if line.startswith("Tcp:")]
    return int(dict(zip(*lines))["RetransSegs"])


def ask_again_and_again(address, clock):
    echo = clock.time("connect", lambda: socket.create_connection((address, ECHO)))
    for _ in range(ECHOES):
        clock.time("echo", lambda: (echo.sendall(b"x" * 20), echo.recv(100)))
    echo.close()


def look_up(clock):
    def one(name):
        try:
            socket.getaddrinfo(name, 80, type=socket.SOCK_STREAM)
        except socket.gaierror:
            clock.spent["unanswered"] = clock.spent.get("unanswered", 0) + 1

    for i in range(LOOKUPS):
        clock.time("lookup", lambda: one(f"host{i}.test"))
    if os.environ.get("RES_OPTIONS", "").find("use-vc") < 0:
        one("no.test")


def main():
    if sys.argv[1] == "serve":
        for port in (SLOW, CLOSED, ECHO, LATE, RESET_BY_US):
            threading.Thread(target=serve, args=(port,), daemon=True).start()
        print("ready", flush=True)
        serve(BULK)
    if sys.argv[1] == "names":
        name_server()
    clock, before = Clock(), segments_sent_again()
    if sys.argv[1] == "look-up":
        look_up(clock)
        ask_again_and_again("127.0.0.1", clock)
    if sys.argv[1] == "tls":
        shake_hands(clock, SECURE, True)
        shake_hands(clock, LAZY, False)
    for address in sys.argv[2:]:
        ask(address, clock)
    time.sleep(0.3)
    clock.spent["retransmits"] = segments_sent_again() - before
    json.dump(clock.spent, open(sys.argv[1] + ".json", "w"))


main()
