"""In-place operations on large arrays, which are kernels or NumPy's own, and stores of slices into themselves."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

N = 5000
STATEMENTS = (
    "a += b", "a *= 0.5", "a -= a[::-1]", "a[1:] += a[:-1]", "a /= b", "np.add(a, b, out=a)", "np.exp(a, out=b)", "np.sqrt(b, a)", "k += 1",
    "k //= k - 3",
    "a[1:-1] += 0.5 * (a[2:] - a[:-2])", "a[::2] *= 2", "a[:] = a", "a[::-1] = a", "k += a", "a += k", "a %= 2", "k <<= 2", "a[5:] = a[5:]",
)  # fmt: skip


def arrays(n):
    a = np.random.default_rng(n).standard_normal(n)
    return a, np.maximum(a, 0.0), np.arange(n)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(statement):
    for state in ("warn", "raise"):
        source = f"def g(a, b, k):\n    {statement}\n    return a\n"
        source += f"def f(a, b, k):\n    with np.errstate(all={state!r}):\n        return g(a, b, k)\n"
        check_calls(source, [arrays(N), arrays(9), arrays(N), arrays(2 * N)], entry="f", configurations=("jit", "numpy"))


def test_in_loops():
    source = (
        "def f(u, v, n):\n    for i in range(n):\n        u += v\n"
        "        u[1:-1] -= 0.25 * (u[2:] + u[:-2])\n        v *= 0.5\n        v[::2] = v[::2]\n    return u, v\n"
    )
    check(source, *arrays(N)[:2], 5, configurations=("jit", "O0", "enabled", "forced"))
    check(source, *arrays(9)[:2], 5)


def test_warnings_that_are_errors_come_after_the_store():
    source = (
        "import warnings\ndef g(a, b):\n    a /= b\n    return a\n"
        "def f(a, b):\n    with warnings.catch_warnings():\n        warnings.simplefilter('error')\n        return g(a, b)\n"
    )
    for n in (N, 9):
        check(source, arrays(n)[0], np.zeros(n), entry="f", configurations=("jit", "enabled"))


PICKS = ("maximum", "minimum", "fmax", "fmin")
INTO = """
def f(a, b):
    c = a.copy()
    np.{0}(c, b, out=c)
    d = a.copy()
    np.{0}(b, d, out=d)
    e = a.copy()
    np.{0}(e[1:], e[:-1], out=e[1:])
    for k in range(3):
        np.{0}(e[: e.size - k], b[k:], out=e[: e.size - k])
    return c, d, e
"""


@pytest.mark.parametrize("ufunc", PICKS)
@pytest.mark.parametrize("size", [1, 7, 300, 2049, 5000])
def test_picked_in_place(ufunc, size):
    """Compiled for small arrays, used on large ones. Where zeros differ in sign NumPy has to pick, after part of the target is overwritten;
    NaN is no reason to warn."""
    rng = np.random.default_rng(size)
    calls = [(rng.standard_normal(5), rng.standard_normal(5))]
    for special in ([], [np.nan], [0.0, -0.0], [0.0, -0.0, np.nan, np.inf]):
        a, b = rng.standard_normal((2, size))
        for x in (a, b):
            if special:
                places = rng.integers(0, size, max(1, size // 9))
                x[places] = rng.choice(special, len(places))
        if 0.0 in special:
            a[-1], b[-1] = 0.0, -0.0
        calls.append((a, b))
    for dtype in ("float64", "float32"):
        check_calls(INTO.format(ufunc), [tuple(x.astype(dtype) for x in call) for call in calls], configurations=("jit",))


HUGE = """
def f(a, b, w):
    for k in range(1, 4):
        np.{0}(a, b[k : k + a.size], out=a)
        a[:9] += w
    a -= b[: a.size]
    a /= b[0]
    return a
"""


@pytest.mark.parametrize("ufunc", PICKS)
def test_picked_in_huge_arrays(ufunc):
    """Compiled for arrays that are too large for the cache: the kernels wait for each other, unless NumPy has to pick."""
    rng = np.random.default_rng(1)
    for dtype in ("float64", "float32", "int64"):
        b = (rng.standard_normal(300_009) * 9).astype(dtype)
        calls = []
        for special in ([], [np.nan, np.inf, -np.inf], [0.0, -0.0, np.nan]) if dtype != "int64" else ([],):
            for place in (2, 150_000, 299_997) if special else (0,):
                a, c = b[3:-6].copy(), b.copy() + b.dtype.type(1)
                a[place : place + len(special)] = special
                c[place + 1 : place + 1 + len(special)] = special[::-1]
                calls.append((a, c, b.dtype.type(3)))
        source = HUGE.format(ufunc) if dtype != "int64" else HUGE.format(ufunc).replace("/=", "*=")
        check_calls(source, calls, configurations=("jit",))


MADE = ("w = a * 2", "w = a + b", "w = np.sqrt(b) - a", "w = a[::2] * b[::2]", "w = (a * 2).astype(np.float32)", "w = a > b", "w = k * k")
CHANGED = (
    "w *= 4", "w += w", "w[:] = 3 * w", "np.multiply(w, 3, out=w)", "w[...] = w * w - 1", "w[:] = w[::-1] * 2", "w += w[0]", "w[1:] *= 4",
    "w **= 2", "t = w; w *= 3; w = w + t", "t = w * 3; w[:] = t; t[0] = 9; w = (w, t)", "t = [w]; w += w; w = t + [w]",
    "t = w[1:]; w += w; w = (w, t)", "w *= 2; w += w; w -= w * w", "w *= 1e200; w *= 1e200", "s = w.sum(); w += w; w = (w, s)",
)  # fmt: skip


@pytest.mark.parametrize("made", MADE)
def test_arrays_that_were_just_made(made):
    """Nobody has seen them, so that an operation in place may make a new one."""
    for changed in CHANGED:
        for loop in ("", "for i in range(3):\n        "):
            source = f"def f(a, b, k):\n    w = a\n    {loop}{made}; {changed}\n    return w\n"
            check(source, *arrays(9), configurations=("jit", "O0", "forced"))
    source = (
        "def f(a, b, k):\n    try:\n        w = a * 2\n        w *= 1e308; w *= 1e308\n    except FloatingPointError as e:\n"
        "        return e.args\n    return w\n"
    )
    for state in ("warn", "raise", "ignore"):
        with np.errstate(all=state):
            check(source, *arrays(9), configurations=("jit", "forced"))


def test_a_store_onto_itself_goes():
    def columns(a, k, n):
        a[:, k] *= 2.0
        a[k] -= a[k + 1]
        a[1:n] += 1.0
        b = a.copy()
        b[k:n] = b[k:n]
        b[k:n] = b[k : n + 1][: n - k]
        b[k, :] = b[:, k]
        return a, b

    native = pijit.jit(columns)
    a = np.arange(25.0).reshape(5, 5)
    for k, n in ((0, 3), (2, 4), (-2, 9), (3, 1)):
        expected, got = columns(a.copy(), k, n), native(a.copy(), k, n)
        assert all(np.array_equal(x, y) for x, y in zip(expected, got, strict=True))
    fragment = str(pijit.explain(native)).split("fragment 2")[0]
    assert sum(line.lstrip().startswith("assign ") for line in fragment.splitlines()) <= 3  # the copy, and what is another part


WITH_OUT = sorted({u.__name__ for u in vars(np).values() if isinstance(u, np.ufunc) and u.signature is None and u.nout == 1} & set(vars(np)))


@pytest.mark.parametrize("target", ["np.empty_like(x)", "np.empty(x.shape, bool)", "None", "x"])
def test_out_at_its_place(target):
    """NumPy warns of that where a third argument may be meant as an operand."""
    for name in WITH_OUT:
        call = f"np.{name}({'x, ' * getattr(np, name).nin}{target})"
        check(f"def f(x):\n    return {call}, x\n", np.array([0.5, 1.0, 0.25]), configurations=("jit",))
