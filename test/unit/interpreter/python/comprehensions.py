# SPDX-License-Identifier: Apache-2.0
import threading, time

def wait(value):
    time.sleep(1000)
    return value

def lists(): return [[wait(x) for x in range(3)] for _ in range(2)]
def sets(): return {wait(x) for x in range(3)}
def dicts():
    return {
        key: wait(key)
        for key in "abc"
    }
def inner():
    return all(wait(x) for x in [y for y in (1, 2)])

class Body:
    attributes = 3
    def method(self):
        return [lambda: wait(self) for _ in range(1)][0]()

for target in (lists, sets, dicts, inner):
    threading.Thread(target=target, daemon=True).start()
[Body().method() for _ in range(2)]
