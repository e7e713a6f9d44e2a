# SPDX-License-Identifier: Apache-2.0
import functools, sys, threading, time

@functools.lru_cache(maxsize=None)
def cached(n):
    return cached(n - 1) if n else time.sleep(1000)

def plain(n):
    if n == 0:
        return sorted([1, 2], key=lambda x: cached(20))
    return plain(
        n - 1
    )

even = lambda n: odd(n - 1) if n else time.sleep(1000)
odd = lambda n: even(n - 1)

threading.Thread(target=even, args=(30,), daemon=True).start()
plain(40)
