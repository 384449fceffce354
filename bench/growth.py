"""What must not grow: memory and reference counts over calls, compile time over trip counts and array lengths."""

from __future__ import annotations

from measure import Figure, in_new_process

MEMORY = """
import os, sys, numpy as np, pijit
@pijit.jit
def f(a, b, c):
    return a * b + c
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
a, b, c = (np.ones((2, 3)) for _ in range(3))
watched = [a, b, c, f, f.__code__, np.ndarray, a.dtype, f.__globals__]
for _ in range(20000):
    f(a, b, c)
memory, counts = resident(), [sys.getrefcount(x) for x in watched]
for _ in range(1000000):
    f(a, b, c)
after = [sys.getrefcount(x) for x in watched]
print([resident() - memory, sum(map(abs, map(int.__sub__, after, counts)))])
"""

COMPILE = """
import time, numpy as np, pijit
@pijit.jit
def warm(x):
    return x + 1.0
warm(np.ones(3))
def loop(x, n):
    s = 0.0
    for i in range(n):
        for j in range(len(x)):
            s = s * 0.5 + x[j]
    return s
def seconds(length, n):
    f = pijit.jit(type(loop)(loop.__code__.replace(), globals()))
    f(np.ones(length), n)
    return pijit.stats(f).compile_seconds or 1e-9
print([seconds(10, 10), seconds(10, 100000), seconds(1000000, 1)])
"""


def figures():
    ((memory, drift),) = in_new_process(MEMORY, 1)
    yield Figure("memory after 1e6 hot calls, more", memory, 128, "KiB")
    yield Figure("reference counts after 1e6 hot calls, drift", drift, 0, "refs")
    small, many, long = (min(column) for column in zip(*in_new_process(COMPILE, 3), strict=True))
    note = f"{small * 1e3:.0f} ms"
    yield Figure("compile time, trip count 100000 / 10", many / small, 1.2, note=note)
    yield Figure("compile time, array length 1000000 / 10", long / small, 1.2, note=note)
