# SPDX-License-Identifier: Apache-2.0
"""A thread that computes through generators, and one that sleeps below a function that the C code of sorted() calls."""
import json, sys, threading, time

end = time.monotonic() + float(sys.argv[1])

class Cart:
    def __init__(self):
        self.items = list(range(50))
    def total(self):
        return sum(self.price(item) for item in self.items)
    def price(self, item):
        return len(json.dumps({"item": item, "list": [item] * 5})) if item % 3 else fibonacci(8)

class Sleeper:
    def run(self):
        time.sleep(0.002)

def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def outer():
    while time.monotonic() < end:
        sorted([1], key=lambda value: Sleeper().run())

threading.Thread(target=outer, daemon=True).start()
cart = Cart()
while time.monotonic() < end:
    cart.total()
