"""What one call costs when there is next to nothing to compute."""

from __future__ import annotations

import numba
import numpy as np
from measure import interleaved, ratio

import pijit


def axpy(a, b, c):
    return a * b + c


def fourteen(x, y):
    u = x * y + x - y * 0.5
    v = (u + x) * (u - y) + u * 0.25
    return (u * v - x) * y + v - u * x


def two(x, y):
    return x * y + 1.0


def figures():
    arrays = [np.random.default_rng(n).random((2, 3)) for n in range(3)]
    best = interleaved(
        {"numpy": axpy, "numba": numba.njit(axpy), "pijit": pijit.jit(axpy)},
        "f(a, b, c)",
        **dict(zip("abc", arrays, strict=True)),
    )
    yield ratio("a*b+c on three 2x3 float64", best, "numba", 0.30)
    yield ratio("a*b+c on three 2x3 float64", best, "numpy", 0.35)
    for name, function, limit in (("14 float operations", fourteen, 0.5), ("2 float operations", two, 1.05)):
        best = interleaved({"python": function, "pijit": pijit.jit(function)}, "f(x, y)", x=1.25, y=0.75)
        yield ratio(name, best, "python", limit)
