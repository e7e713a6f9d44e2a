# SPDX-License-Identifier: Apache-2.0
"""The C library's qsort calls back into Python, which sorts, which calls back."""
import ctypes, functools, time

libc = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))

def key(x):
    return functools.reduce(
        lambda a, b: time.sleep(1000),
        [x, x])

@COMPARE
def compare(a, b):
    sorted([a[0], b[0]], key=key)
    return a[0] - b[0]

def run():
    numbers = (ctypes.c_int * 5)(5, 1, 4, 2, 3)
    libc.qsort(numbers, 5, ctypes.sizeof(ctypes.c_int), compare)

list(map(lambda _: run(), [1]))
