"""What it costs to begin: import, first compilation, later ones."""

from __future__ import annotations

from measure import Figure, in_new_process

IMPORT = """
import sys, time, numpy
start = time.perf_counter()
import pijit
print("[%r, %d]" % ((time.perf_counter() - start) * 1e3, "numba" in sys.modules))
"""

COMPILE = """
import time, numba, numpy as np, pijit
@pijit.jit
def f(a, b, c):
    return a * b + c
def first_call(dtype):
    arrays = [np.ones((2, 3), dtype) for _ in range(3)]
    start = time.perf_counter()
    f(*arrays)
    return (time.perf_counter() - start) * 1e3
print([first_call(np.float64), first_call(np.float32)])
"""


def figures():
    imports = in_new_process(IMPORT, 9)
    yield Figure("import pijit after numpy", min(ms for ms, _ in imports), 30, "ms")
    yield Figure("import pijit imports numba", max(loaded for _, loaded in imports), 0, "times")
    first, later = (min(column) for column in zip(*in_new_process(COMPILE, 5), strict=True))
    yield Figure("first compiled call in a process, a*b+c", first, 150, "ms")
    yield Figure("next compilation of a*b+c", later, 30, "ms")
