"""Results in the place of arrays that nobody needs any more."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from differential import check, check_calls

import pijit

RNG = np.random.default_rng(9)

PROGRAMS = {
    "picked": "return z[m] * z[m] + 1",
    "square": "z[m] = z[m] * z[m] + c[m]\n    return z",
    "both": "return z[m] + c[m], z[m] - c[m]",
    "shared": "x = z[m]\n    y = x * 2\n    return x, y",
    "named": "x = z[m]\n    y = x * 2 + 1\n    x = y\n    return x + y",
    "seen in between": "x = z[m]\n    y = x * 2\n    k = x.sum()\n    return y * k",
    "reduced": "x = z[m]\n    s = x.sum()\n    return x * 3 - 1, s",
    "view of it": "x = z[m]\n    v = x[1:]\n    y = x * 2\n    return y, v",
    "view of the result": "y = z[m] * 2\n    v = y[::-1]\n    y[0] = 5\n    return v",
    "rolled": "return np.roll(z, 2) * c + 1",
    "taken": "return z[[2, 0, 1]] * c[:3]",
    "stretched": "return z[[1]] * c",
    "another dtype": "return z[m] > 0.5, z[m] * 1j",
    "product": "a = z[:4].reshape(2, 2)\n    return a @ a / 3.0 + 1",
    "elementary": "return np.exp(z[m]) * c[m], np.exp(z[m])",
    "twice": "x = z[m] * 2\n    y = c[m] * 2\n    return x, y, x + y",
    "written meanwhile": "x = z[m]\n    z[0] = 7\n    return x * 2 + z[m]",
    "loop": "for i in range(4):\n        z[m] = z[m] * 0.5 + i\n        c[m] += np.roll(z, i)[m] * 2\n    return z, c",
    "divided": "return 1 / z[m], z[m] / 0",
    "too large": "x = z[m] * 1e308\n    return x * c[m] * 1e308",
    "raises": "with np.errstate(all='raise'):\n        return 1 / (z[m] - z[m])",
    "at the end": "x = z[m]\n    try:\n        return x * 2 / len(x)\n    finally:\n        c[0] = x[0]",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("n", [9, 5000])
@pytest.mark.parametrize("dtype", [float, complex])
def test_programs(name, n, dtype):
    z = RNG.random(n).astype(dtype)
    source = f"def f(z, c, m):\n    {PROGRAMS[name]}\n"
    if n == 9:
        check(source, z, z[::-1] * 0.5, z.real > 0.4, calls=3)
    else:
        check_calls(source, [(z, z[::-1] * 0.5, z.real > 0.4)] * 2)


@pytest.mark.parametrize("n", [10, 3000, 200_000])
def test_where_it_fails(n):
    """An overflow in the last element only: what was picked is picked again."""
    z = np.linspace(0.1, 1.0, n)
    late = z.copy()
    late[-1] = 1e200
    source = "def f(z, m):\n    x = z[m] * z[m]\n    return x, z[m] / z[m] + 1\n"
    check_calls(source, [(z, z > 0), (late, z > 0), (late * 0, z > 0), (z, z < 0)], configurations=("jit",))


def test_what_numpy_made():
    """An exit there must find the product as it was."""
    source = "import numpy as np\ndef f(a, b):\n    return np.matmul(a, b) * b / 0.5 - 1\n"
    a = RNG.random((130, 130))
    check_calls(source, [(a, a), (a, a * 1e308), (a * 0, a)], configurations=("jit",))


def peak(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            function(*args)
        tracemalloc.start()
        try:
            function(*args)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def escape(z, c, m):
    z[m] = z[m] * z[m] + c[m]


def centred(x):
    d = x - x.mean(axis=0)
    return d.T @ d / (len(x) - 1.0)


@pytest.mark.parametrize(("function", "args"), [
    (escape, (RNG.random(100_000) * 1j, RNG.random(100_000) + 0j, RNG.random(100_000) > 0.1)),
    (centred, (RNG.random((300, 280)),)),
])  # fmt: skip
def test_memory(function, args):
    assert peak(pijit.jit(function), *args) <= 1.01 * peak(function, *args)
