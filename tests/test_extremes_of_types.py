"""min() and max() of numbers of several types: the result is the one that is chosen, in its type."""

from __future__ import annotations

import math

import numpy as np
import pytest
from differential import check, check_stays_native

pytestmark = pytest.mark.shared

NUMBERS = (2.0, np.float64(2.0), 1, np.float64(0.5), 3.5, np.int64(2), True, np.float32(1.25), math.nan, np.float64(math.nan), -0.0, 0)
CALLS = {
    "two": "min(a, b), max(b, a)",
    "three": "min(a, b, c), max(a, b, c), min(c, b, a)",
    "four": "max(a, b, c, a)",
    "more": "min(a, b, c, a, b)",
    "a tuple": "min((a, b, c))",
    "in another": "min(max(a, b), c) + 1",
}
STEP = """
class Solver:
    def __init__(self, most):
        self.most, self.h = most, 0.1

    def steps(self, t, end):
        taken = 0
        while t < end:
            h = min(self.h, end - t, self.most)
            t = t + h
            taken += 1
        return t, taken
"""


@pytest.mark.parametrize("name", CALLS)
def test_same_answer(name):
    triples = [(NUMBERS[i], NUMBERS[(i * 5 + 1) % 12], NUMBERS[(i * 7 + 4) % 12]) for i in range(12)]
    source = f"def f(triples):\n    out = []\n    for a, b, c in triples:\n        out.append(({CALLS[name]},))\n    return out\n"
    check(source, triples, entry="f")
    for a, b, c in triples:
        check(f"def f(a, b, c):\n    return {CALLS[name]}\n", a, b, c, entry="f", configurations=("jit", "numpy", "forced"))


def test_a_step_that_ends_in_time():
    source = f"{STEP}\nsolver = Solver(0.25)\ndef f(t, end):\n    return solver.steps(t, end)\n"
    check(source, np.float64(0.0), np.float64(3.05), entry="f")
    check_stays_native(source, np.float64(0.0), np.float64(3.05))
