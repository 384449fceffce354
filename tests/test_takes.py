"""Indexing by places, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(5)
FIRST = "def f(a, i):\n    b = a[i]\n    return b, b * 2, b.base is None, i\n"
WHOLE = "def f(a, i):\n    return a[i, :], a[i, :] * 2\n"
SECOND = "def f(a, i):\n    b = a[:, i]\n    return b, b * 2, b[0], a[:, i].T\n"


def grid(*shape):
    return np.arange(np.prod(shape), dtype=float).reshape(shape)


def places(n):
    """Lists and arrays: in order, mixed, from the end, one, none, outside, of several dtypes, and what only looks like places."""
    mixed = RNG.integers(-n, max(n, 1), 2 * n + 1) if n else np.zeros(0, int)
    found = [list(range(n)), [*mixed.tolist()], mixed, mixed[::-1], mixed[::2], mixed.astype(np.int8), mixed % max(n, 1), [0], [-1], np.array([0])]
    found += [[], np.zeros(0, int), [n], [-n - 1], np.array([0, n]), [0, 2**70]]
    found += [(mixed % max(n, 1)).astype(name) for name in (np.uint64, np.uint8)]
    return [*found, [True] * n, [True, 0], [0.0], [[0, 0]], np.array([[0, 0]]), np.ones(n, bool), [None], [np.int64(0)]]


def arrays(*shape):
    a = grid(*shape)
    yield from (a, a[::-1], np.asfortranarray(a), a.astype(np.int8), a.astype(np.float32), a > 3, a + 1j, np.repeat(a, 2, -1)[..., ::2], a[..., ::-1])
    yield from (a.astype(np.complex64), np.broadcast_to(grid(*shape[1:]), shape), a.astype(np.int16))
    if len(shape) > 2:
        yield a.transpose(0, 2, 1)


@pytest.mark.parametrize("shape", [(7,), (1,), (4, 9), (9, 1), (1, 5), (3, 2, 4), (0,), (3, 0), (3, 1, 1)], ids=str)
def test_first_axis(shape):
    for array in arrays(*shape):
        for i in places(shape[0]):
            check_calls(FIRST, [(array, i)] * 2, configurations=("jit",))
        if len(shape) > 1:
            check_calls(WHOLE, [(array, i) for i in places(shape[0])], configurations=("jit",))


@pytest.mark.parametrize("shape", [(4, 9), (9, 1), (1, 5), (2, 2), (3, 0), (0, 3), (3, 2, 4)], ids=str)
def test_second_axis(shape):
    for array in arrays(*shape):
        check_calls(SECOND, [(array, i) for i in places(shape[1])], configurations=("jit",))


PROGRAMS = {
    "display": "return a[[2, 0, k]], a[[k]], a[[0, k, 2], :], a[:, [1, k]]",
    "twice": "x = a[i]\n    y = a[i]\n    x[0] = 7\n    return x, y",
    "changed": "x = a[i]\n    a[0] = 7\n    y = a[i]\n    i[0] = 2\n    return x, y, a[i]",
    "itself": "return i[i], a[i[i]]",
    "list changed": "x = a[places]\n    places[0] = 2\n    y = a[places]\n    places.append(0)\n    return x, y, a[places]",
    "list of another kind": "x = a[places]\n    places[0] = 1.5 if k else 1\n    y = a[places]\n    return x, y",
    "fused": "return np.sqrt(a[i] * a[i] + a[places[:1]]).sum(axis=0)",
    "loop": "total = a[0]\n    for j in range(6):\n        i[0] = j % 3\n        total = total + a[i].sum(axis=0)\n    return total",
    "outside": "i[0] = 5\n    return a[i]",
    "read only": "a.setflags(write=False)\n    return a[i] + 1, a[places]",
    "objects": "return a[i, None], a[i, 0:1], a[None, i], a[..., i], a[i][[0]], a[(i,)], a[i, i]",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    source = f"import numpy as np\ndef f(a, i, places, k):\n    {PROGRAMS[name]}\n"
    check_calls(source, [(grid(3, 3), np.array([2, 0, -1, 1]), [1, 2, 0], k) for k in (0, 1, 1)])


def test_one_fragment():
    """As in the lattice Boltzmann example: nothing leaves."""
    import pijit

    @pijit.jit
    def f(a, m, opposite):
        b = a[:, m]
        b = b[opposite, :]
        a[:, m] = b
        return a

    a, m = grid(3, 6, 7), RNG.random((6, 7)) < 0.3
    expected = a.copy()
    expected[:, m] = a[:, m][[2, 0, 1], :]
    assert np.array_equal(f(a, m, [2, 0, 1]), expected)
    stats = f.stats()
    assert not stats.breaks
    assert stats.exits == 0


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 2), (1, 4), (4, 1), (0, 3), (3, 0), (200, 50)], ids=str)
def test_by_an_array_with_more_axes(shape):
    i = RNG.integers(-7, 7, shape)
    tables = (grid(7), grid(7)[::-1], np.arange(7, dtype=np.int8), np.arange(7) > 3, grid(7) + 1j, np.arange(5))
    for table in tables:
        check_calls(FIRST, [(table, j) for j in (i, i.T, i[::-1], i[..., ::2], i % 7)], configurations=("jit",))
    check_calls(FIRST, [(tables[0], i), (tables[-1], i), (grid(7, 2), i)], configurations=("numpy",))


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "i8", "u8"])
def test_by_ints_of_any_width(dtype):
    i = RNG.integers(0 if dtype[0] == "u" else -7, 7, (4, 9)).astype(dtype)
    for table in (grid(7), np.arange(7, dtype=np.int8), np.arange(7, dtype=np.float32), np.arange(7, dtype=np.int16), grid(7) + 1j, grid(7, 2)):
        check_calls(FIRST, [(table, i), (table, i[0]), (table, i[1, ::2]), (table[:3], i)], configurations=("jit",))


FUSED = {
    "summed": "return np.sum(v * x[i]), x[i].sum(), x[i].mean()",
    "summed, of what is better done several at once": "return np.sum(np.sqrt(np.abs(x[i])) / v + x[i])",
    "and written": "y = x[i]\n    return y, y * v, (y * v).sum()",
    "two": "return (x[i] - x[i[::-1]]) * v, i[i % max(len(i), 1)]",
    "of what is made here": "y = x * 2\n    return y[i] + v, (x[i] + y[i]).sum()",
    "with an elementary function": "return np.exp(x[i]) * v, np.exp(x)[i] * v, np.add.accumulate(x[i])",
    "into": "w = np.zeros(len(i))\n    w[:] = x[i] * v\n    v[:] = v[::-1] * x[i]\n    return w",
    "into itself": "w = np.zeros(len(i))\n    w[:] = x[i]\n    w[:] = w[np.arange(len(i))[::-1]] * 2\n    return w",
    "stored between": "y = x[i]\n    if len(x):\n        x[0] = 9\n    return y * v, (x[i] * v).sum()",
    "rows": "s = np.zeros(4)\n    for k in range(4):\n        part = slice(k, 2 * k)\n        s[k] = np.sum(v[part] * x[i[part]])\n    return s",
}


@pytest.mark.parametrize("name", FUSED)
def test_fused_with_what_is_done_with_them(name):
    source = f"import numpy as np\ndef f(x, i, v):\n    {FUSED[name]}\n"
    calls = []
    for n in (0, 1, 8, 13, 130):
        for m in (0, 1, 7):
            x, v = RNG.standard_normal(m), RNG.standard_normal(n)
            inside = RNG.integers(-m, m, n) if m else np.zeros(n, int)
            calls += [(x, inside, v), (x[::-1], inside[::-1], v[::-1]), (x, inside + 1, v), (x, np.full(n, -m - 1), v)]
    special = np.array([np.nan, np.inf, 1e308, -0.0])
    calls += [(special, np.array([k] * 3), special[:3] * 0.5) for k in range(4)]
    check_calls(source, calls, configurations=("jit", "numpy"))


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "complex128", "int16"])
def test_fused_dtypes(dtype):
    x = (RNG.standard_normal(9) * 40).astype(dtype)
    i = RNG.integers(-9, 9, 20)
    source = "def f(x, i, v):\n    return x[i] * v, (x[i] + x[i]).sum(), x[i].sum(), x[i] == x[i[::-1]]\n"
    check_calls(source, [(x, i, np.ones(20)), (x, i.astype(np.int32), np.ones(20)), (x, i + 1, np.ones(20))], configurations=("jit", "numpy"))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
def test_what_is_taken_is_used_again(dtype):
    """By what has to wait for a sum of it: that cannot take it once more."""
    x = (np.arange(9) % 3).astype(dtype)
    for form in ("t / s", "t * s - t", "(t * s).sum()", "t[t == s] + s", "x[i] - s"):
        source = f"def f(x, i, v):\n    t = x[i]\n    s = (t * v).sum()\n    return s, {form}\n"
        check_calls(source, [(x, np.array(i), np.ones(len(i), dtype)) for i in ([1, 2, -1, 4], [0, 1], [5, 5, 5])], configurations=("jit", "numpy"))


def test_what_is_taken_is_not_written_out():
    def row(x, i, v):
        return np.sum(v * x[i])

    native = pijit.jit(row)
    assert native(np.arange(5.0), np.array([3, -1]), np.ones(2)) == 7.0
    (kernel,) = (line for line in str(pijit.explain(native)).splitlines() if line.strip().startswith("kernel"))
    assert "take" in kernel
    assert "out" not in kernel
