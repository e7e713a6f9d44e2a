# SPDX-License-Identifier: Apache-2.0
import itertools, threading, time

def leaf(depth):
    if depth == 0:
        time.sleep(1000)
    yield depth

def middle(depth):
    for value in leaf(0):
        yield value
    yield from leaf(depth)

def outer():
    x = yield from middle(3)
    return x

def sender():
    got = yield 1
    while True:
        got = yield leaf(got).__next__()

def by_send():
    generator = sender()
    next(generator)
    generator.send(
        0
    )

threading.Thread(target=by_send, daemon=True).start()
threading.Thread(target=lambda: sum(itertools.chain(outer(), [1])), daemon=True).start()
for value in (
    a + b
    for a in range(2)
    for b in outer()
):
    print(value)
