"""np.repeat, np.tile, np.meshgrid, np.kron, and assignments whose rows are short: NumPy's results and errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(51)
REPEATS = ["np.repeat(a, 2)", "np.repeat(a, n)", "a.repeat(3, 0)", "np.repeat(a, n, axis=-1)", "a.repeat(repeats=n, axis=a.ndim - 1)"]
REPEATS += ["np.repeat(a[0], n)"]
REPEATS += ["np.repeat(a, n, 0) * 2", "np.repeat(a[::-1], n, axis=0)"]
TILES = ["np.tile(a, 2)", "np.tile(a, n)", "np.tile(a, (n, 2))", "np.tile(a, (2, 1, n))", "np.tile(a, [3, 1])", "np.tile(a, 1)", "np.tile(a, (n,))"]
TILES += ["np.tile(a[0], (n, 1)) + 1", "np.tile(A=a, reps=(1, n))"]
MESHES = ["np.meshgrid(a[0], a[-1])", "np.meshgrid(a[0], b, indexing='ij')", "np.meshgrid(b, a[0] > 0, indexing='xy')"]
MESHES += ["np.meshgrid(a[0], b, b[::2])"]
MESHES += ["[x * y for x, y in [np.meshgrid(a[0], b)]]", "np.meshgrid(a[0], b, a[0], b, indexing='ij')"]
KRONS = ["np.kron(a, a)", "np.kron(a[0], a[-1])", "np.kron(a, b[:, None] * b)", "np.kron(b, b)", "np.kron(a=b, b=a[0])"]


def arrays():
    a = RNG.standard_normal((3, 5)) * 9
    yield from (a, a.astype("f4"), a.astype("i2"), a > 0, a + 1j, a.T, np.asfortranarray(a)[::2], a[:, ::-2], a[:1], a[:, :1], a[:, :0], a[:0])
    yield from (RNG.integers(0, 9, (2, 3, 4)).astype("u1"), RNG.standard_normal((40, 30)))


@pytest.mark.parametrize("form", [*REPEATS, *TILES])
def test_often(form):
    source = f"def f(a, n):\n    made = {form}\n    return made, made.strides\n"
    calls = [(a, n) for a in arrays() for n in (2, 1, 3, 0, 5, 17, -1, np.int64(4), True, 600)]
    calls = [call for call in calls if len(call[0]) or "[0]" not in form]
    check_calls(source, calls, configurations=("jit",))
    check_calls(source, calls[:40:3], configurations=("numpy",))
    check(source, calls[0][0], 2, configurations=("forced",))
    for n in (1, 0):
        check(source, calls[0][0], n, configurations=("jit",))


@pytest.mark.parametrize("form", [*MESHES, *KRONS])
def test_grids(form):
    calls = [(a, b) for a in arrays() if len(a) for b in (np.arange(4.0), np.arange(3), np.arange(0.0), np.ones(1, "f4"))]
    check_calls(f"def f(a, b):\n    return {form}\n", calls, configurations=("jit",))
    check_calls(f"def f(a, b):\n    return {form}\n", calls[::5], configurations=("numpy",))
    check(f"def f(a, b):\n    return {form}\n", *calls[0], configurations=("forced",))


def test_views_and_owners():
    source = """
def f(a, n):
    t, r, k = np.tile(a, n), np.repeat(a, n), np.kron(a, a)
    x, y = np.meshgrid(a, r)
    t[0] = r[1] = x[0, 0] = 5
    return t, r, k, x, y, t.base is None, r.base is None, x.base is None
"""
    check(source, np.arange(4.0), 3)


def test_what_is_left_to_numpy():
    a, v = RNG.standard_normal((3, 4)), np.arange(3)
    forms = """
        np.repeat(a, v, axis=0) | np.repeat(v, v) | np.repeat(a, [2]) | np.repeat(a, [1, 2, 3], 0) | np.repeat(3, 4) | np.repeat(a, 2, 2) |
        np.repeat(a, 2.0) | np.repeat(a, 2, axis=(0,)) | np.repeat(a.T, 2) | np.repeat(a, np.array(2)) | np.repeat(a, 2, a=a) |
        np.repeat([1, 2], 2) | np.repeat(a, -1) | np.repeat(a, 10**18) | np.tile(a, ()) | np.tile(a, v) | np.tile(a, 2.0) | np.tile([1, 2], 2) |
        np.tile(a, 0) | np.tile(a, (2, 0)) | np.tile(3, 2) | np.tile(a, -1) | np.tile(a, (1, 1)) | np.tile(a, (1, 1, 1)) | np.tile(a[:0], 2) |
        np.tile(a, 'x') | np.meshgrid(a, v) | np.meshgrid(v) | np.meshgrid() | np.meshgrid(v, 3) | np.meshgrid(v, v, sparse=True) |
        np.meshgrid(v, v, copy=False) | np.meshgrid(v, v, indexing='no') | np.meshgrid(v, [1, 2]) | np.meshgrid(v, v, indexing=3) | np.kron(a, v) |
        np.kron(a, 2) | np.kron(a, a.T) | np.kron(a[:1], a) | np.kron(v, v * 1j) | np.kron(a, a[:, ::2]) | np.kron(a > 0, a > 1) |
        np.full_like(a, 3) | np.full_like(v, 2.5) | np.full_like(a, v[:1]) | np.full_like(a, 1j) | np.full_like(v, 2**70) |
        np.full_like(a > 0, 300) | np.full_like(a, 1, dtype='i1') | np.full_like(a, 300, dtype='i1') | np.full_like(a.T, 2) |
        np.full_like(a, 2, order='C') | np.full_like(a, 2, shape=3) | np.full_like(a[::-1], 2) | np.full_like(3, 2) |
        np.full_like(a, np.nan, 'f4') | np.full_like(a, 1e300, 'f4') | np.full_like(v, -1, 'u1') | np.full_like(v, True) |
        np.full_like(v, np.float32(2)) | np.full_like(v, 'x')
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a, v):\n    return {form}\n", a, v, configurations=("jit",))


def test_natively():
    a, v = RNG.standard_normal((3, 4)), RNG.standard_normal(5)
    forms = ["np.repeat(v, 2)", "np.repeat(a, n, axis=0)", "a.repeat(n, 1)", "np.tile(v, n)", "np.tile(a, (2, 1))", "np.meshgrid(v, v)[0]"]
    forms += ["np.kron(a, a)"]
    for form in [*forms, "np.full_like(a, 2.5)", "np.full_like(a, n, dtype=int)"]:
        check_native(form, "a, v, n", a, v, 3)


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8", "c16"])
def test_short_rows(dtype):
    """Stores whose last axis is short, into memory of every kind, also such whose rows lie on each other."""
    source = """
def f(t, s):
    t[...] = s
    return t
"""
    for rows in (2, 15, 16, 17, 129, 300):
        for n in (1, 2, 3, 4, 5, 16, 17, 40):
            memory = np.zeros(3 * rows * n + 64, dtype)
            numbers = (np.arange(rows * n).reshape(rows, n) % 101).astype(dtype)
            size = memory.itemsize
            targets = [np.ndarray((rows, n), dtype, memory, 8 * size, (k * size, j * size)) for k, j in ((n, 1), (n + 1, 1), (2 * n, 2), (1, rows))]
            targets.append(np.ndarray((rows, n), dtype, memory, 0, (size, size)))
            targets += [np.ndarray((rows, n), dtype, memory, 3 * rows * n * size, (-(n + 1) * size, size)), targets[0][:, ::-1], targets[0][::-1]]
            sources = [numbers, numbers[:, :1].copy(), numbers[0].copy(), numbers[::-1], np.asfortranarray(numbers)]
            calls = [(target, source) for target in targets for source in sources]
            if rows in (2, 17, 129) or n in (3, 16):
                check_calls(source, calls, configurations=("jit",))
