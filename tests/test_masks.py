"""Indexing by masks, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(3)
READ = "def f(a, m):\n    return a[m], a[m] + 1, m\n"
LEADING = "def f(a, m):\n    b = a[:, m]\n    return b, b * 2, b[0], a[:, m].T\n"
TRAILING = "def f(a, m):\n    return a[m, :], a[m] * 2\n"
STORE = "def f(a, m, v):\n    a[m] = v\n    return a\n"
STORE_LEADING = "def f(a, m, v):\n    a[:, m] = v\n    return a\n"


def masks(shape):
    """None, one, two, some, all; some that are views."""
    some = RNG.random(shape) < 0.4
    one, two = np.zeros(shape, bool), np.zeros(shape, bool)
    one.flat[:1] = two.flat[-2:] = True
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), bool)
    wide[..., ::2] = some
    return [np.zeros(shape, bool), one, two, some, np.ones(shape, bool), wide[..., ::2], some[::-1], np.asfortranarray(some), some.copy()]


def grid(*shape):
    return np.arange(np.prod(shape), dtype=float).reshape(shape)


SHAPES = [(7,), (3000,), (4, 9), (40, 41), (2, 3, 4), (1,), (5, 1), (0,), (3, 0)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_read(shape):
    a = grid(*shape)
    for array in (a, a[::-1], np.asfortranarray(a), a.astype(np.int8), a + 1j, a > 3, a.astype(np.float32)):
        check_calls(READ, [(array, m) for m in masks(shape)], configurations=("jit",))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_other_axes(shape):
    for n in (3, 1, 0, 2):
        a = grid(n, *shape)
        for array in (a, np.repeat(a, 2, 0)[::2], np.asfortranarray(a), a.astype(np.int16)):
            check_calls(LEADING, [(array, m) for m in masks(shape)], configurations=("jit",))
        a = grid(*shape, n)
        for array in (a, np.repeat(a, 2, -1)[..., ::2], np.asfortranarray(a), a.astype(np.complex64)):
            check_calls(TRAILING, [(array, m) for m in masks(shape)], configurations=("jit",))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_store(shape):
    for m in masks(shape):
        n = np.count_nonzero(m)
        for array in (grid(*shape), grid(*shape)[::-1], np.asfortranarray(grid(*shape)), grid(*shape).astype(np.int8)):
            values = (2, True, np.int8(3), grid(n).astype(array.dtype), grid(n + 1).astype(array.dtype), np.ones(1, array.dtype))
            calls = [(array.copy(order="K"), m, value) for value in values]
            check_calls(STORE, calls, configurations=("jit",))
        array = np.broadcast_to(grid(*shape), (3, *shape)).copy()
        values = (1.5, grid(3, n), np.asfortranarray(grid(3, n)), grid(3, 1), grid(n, 3).T, grid(3, n + 1), grid(n), grid(2, n))
        check_calls(STORE_LEADING, [(array.copy(), m, value) for value in values], configurations=("jit",))


PROGRAMS = {
    "escape": "z[m] = z[m] * z[m] + c[m]\n    m = np.abs(z) < 2.0\n    z[m] += 1\n    return z[m], m",
    "twice": "x = z[m]\n    y = z[m]\n    x[0] = 7\n    return x, y",
    "changed": "x = z[m]\n    z[0] = 7\n    y = z[m]\n    m[:] = ~m\n    return x, y, z[m]",
    "itself": "m[m] = False\n    z[m] = 3\n    return m",
    "overlap": "z[m] = z[: m.sum()]\n    z[1:][m[1:]] = z[:-1][m[:-1]][: m[1:].sum()]",
    "wrong": "z[m[1:]] = 1",
    "too many": "z[m] = c",
    "loop": "for i in range(5):\n        z[m] *= 0.5\n        m = z > i\n        c[~m] = i\n    return z, c, m",
    "in a row": "c[m] = 0\n    d = c + z\n    d[m] = c[m]\n    return d",
    "clip": "z[z > 3] = 3\n    c[c < 1] = 1\n    return z.sum()",
    "read only": "z.setflags(write=False)\n    z[m] = 1",
    "objects": "return z[m, None], z[m, 0:1], z[None, m], z[..., m], z[m][m[m]]",
    "nan to int": "k = np.zeros(len(z), dtype=np.int64)\n    k[m] = c[m]\n    k[m] = np.nan",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    z = grid(9)
    check(f"def f(z, c, m):\n    {PROGRAMS[name]}\n", z, z[::-1] * 0.5, z % 3 > 0.5, calls=3)


def test_a_wall():
    """As in the lattice Boltzmann example."""
    source = "def f(a, m):\n    b = a[:, m]\n    b = b[[2, 0, 1], :]\n    u = a[0] + a[1]\n    a[:, m] = b\n    u[m] = 0.0\n    return a, u\n"
    check(source, grid(3, 6, 7), RNG.random((6, 7)) < 0.3)


def densities(n):
    """Masks whose stretches of 64 elements have few or many elements, in few or many runs, in their own bytes and in those of others."""
    for share in (0.01, 0.1, 0.5, 0.9, 0.99):
        yield RNG.random(n) < share
    for run, gap in ((60, 40), (64, 64), (3, 2), (200, 7), (7, 200)):
        yield np.arange(n) % (run + gap) < run
    bytes_ = RNG.integers(0, 3, n).astype(np.uint8)
    yield np.frombuffer(bytes_.tobytes(), bool)  # of which some are 2
    yield np.repeat(RNG.random(n) < 0.9, 3)[1::3]


@pytest.mark.parametrize("dtype", ["int8", "bool", "int16", "float32", "float64", "complex64", "complex128"])
def test_stretches(dtype):
    for n in (65, 200) if dtype in ("bool", "int16", "complex64") else (64, 65, 1000):
        wide = RNG.integers(0, 2 if dtype == "bool" else 100, 3 * n).astype(dtype)
        for a in (wide[:n], wide[::3], wide[n - 1 :: -1], np.ascontiguousarray(wide[1 : n + 1])):
            read = [(a, m) for m in densities(n)]
            check_calls(READ, read, configurations=("jit",))
            stores = [(a.copy(), m, v) for _, m in read for v in (wide[: m.sum()] * 1, wide[5], wide[::-1][: m.sum()])]
            check_calls(STORE, stores, configurations=("jit",))
