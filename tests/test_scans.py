"""Running sums, products and extremes, natively and by NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

R = np.random.default_rng(11)
DTYPES = ("?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
CALLS = (
    "np.cumsum(a)", "a.cumsum()", "np.cumprod(a)", "a.cumprod()", "np.add.accumulate(a)", "np.multiply.accumulate(a)",
    "np.maximum.accumulate(a)", "np.minimum.accumulate(a)", "np.cumsum(a, 0)", "np.cumsum(a, axis=-1)", "np.add.accumulate(a, -1)",
)  # fmt: skip
SOURCE = f"def f(a):\n    return ({', '.join(CALLS)})\n"


def _values(n, dtype):
    return (R.standard_normal(n) * 20).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lengths_and_layouts(dtype):
    a = _values(5000, dtype)
    layouts = [a[:n] for n in (0, 1, 2, 7, 1023, 1024, 1025)] + [a[::-1], a[3:2500:2], a[2500:3:-3], np.broadcast_to(a[5], 9)]
    with np.errstate(all="ignore"):
        check_calls(SOURCE, [(layout,) for layout in layouts], configurations=("jit",))
    check(SOURCE, a[:9] if np.dtype(dtype).kind in "biu" else np.arange(1, 4).astype(dtype))


def test_shapes_and_axes():
    source = (
        "def f(a):\n    return (np.cumsum(a), a.cumsum(None), np.cumprod(a), np.cumsum(a, 0), a.cumsum(axis=1), np.add.accumulate(a, 1),"
        " np.maximum.accumulate(a))\n"
    )
    a = _values(35, "f8").reshape(5, 7)
    check_calls(source, [(x,) for x in (a, a.T, a[:, ::2], a[:1], a[:, :1], a[:0], np.asfortranarray(a))], configurations=("jit",))
    for call in ("np.cumsum(a, 2)", "np.cumsum(a, axis=1.5)", "np.add.accumulate(a, None)", "np.cumsum(a, True)", "np.cumsum(a, dtype=np.float32)",
                 "np.cumsum(a, out=a)", "np.cumsum(a[0], 1)", "np.cumsum(3.0)", "np.cumsum([1, 2])"):  # fmt: skip
        check(f"def f(a):\n    b = a * 2\n    return b, {call}\n", a, calls=2, configurations=("jit",))


SPECIAL = {
    "nan": [1.0, np.nan, 3.0, -np.inf, np.inf, 2.0],
    "first": [np.nan, 1.0, 2.0],
    "zeros": [-0.0, 0.0, -0.0, -1.0, 1.0],
    "one zero": [-0.0, -0.0, 1.0],
    "infinite": [np.inf, 1.0, -np.inf, 2.0],
    "down": [-np.inf, -np.inf, 1.0],
    "overflow": [1e308, 1e308, -1e308],
    "underflow": [1e-200, 1e-200, 5e-324],
    "tiny": [5e-324, -5e-324],
}


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_special_values(name, dtype):
    """Warnings too, in an array of any length."""
    with np.errstate(all="ignore"):
        a = np.array(SPECIAL[name]).astype(dtype)
    calls = [c for c in CALLS[:8] if dtype != "c16" or "imum" not in c]
    for call in calls:
        source = f"def f(a):\n    b = {call}\n    return b, b - a\n"
        check(source, a, calls=2)
        check(source, np.concatenate([np.ones(2000, dtype), a, a[::-1]]), calls=2, configurations=("jit",))


def test_error_states():
    source = "def f(a):\n    with np.errstate(over='raise', invalid='ignore'):\n        return np.cumsum(a * 2), np.cumprod(a)\n"
    for values in ([1.0, 2.0], [np.inf, -np.inf, 1.0], [1e308, 1e307, 1e308], [1e200, 1e200]):
        check(source, np.array(values), calls=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check("def f(a):\n    return np.cumsum(a)\n", np.array([1e308, 1e308]), calls=2)


FUSED = {
    "before and after": "s = np.cumsum(x * 2 + 1)\n    return s / 3 - x, s",
    "two": "return np.cumsum(x), np.cumsum(x * x)",
    "of each other": "s = np.cumsum(np.abs(x))\n    return np.cumprod(s / (1 + s)), np.minimum.accumulate(np.maximum.accumulate(x))",
    "with loops of NumPy": "s = np.cumsum(np.exp(x))\n    return np.log(s), np.exp(x) / s[-1]",
    "drawdown": "p = np.maximum.accumulate(np.abs(x) + 1)\n    return ((p - x) / p).max()",
    "window": "s = np.cumsum(x)\n    return (s[3:] - s[:-3]) / 3",
    "stored": "y = np.zeros_like(x)\n    y[...] = np.cumsum(x)\n    y[1:] += np.cumsum(y)[:-1]\n    return y",
    "onto itself": "x = x.copy()\n    x[...] = np.cumsum(x)\n    x[::-1] = np.cumsum(x)\n    x += np.maximum.accumulate(x)\n    return x",
    "again": "s = np.cumsum(x)\n    s *= 2\n    return s, np.cumsum(x)",
    "in a loop": "t = 0.0\n    for i in range(5):\n        x = np.cumsum(x) * 0.5\n        t += x[-1]\n    return x, t",
    "with a matrix": "m = np.cumsum(x) + x[:, None][:5]\n    return m, np.cumsum(m)",
}


@pytest.mark.parametrize("name", FUSED)
def test_with_what_is_before_and_after(name):
    source = f"def f(x):\n    {FUSED[name]}\n"
    check(source, R.random(9), calls=2)
    for n in (4, 1024, 3000):
        check(source, R.random(n), calls=2, configurations=("jit",))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("among", ["0 -0", "-1 0 -0", "1 0 -0", "nan 0 1 -2", "inf -inf 3", "-0 -1", "-0 1 nan"])
def test_extremes_in_any_place(among, dtype):
    """Elements are taken several at a time; which of equal zeros it is, and from where on there is a NaN, depends on their order."""
    chosen = np.array([float(text) for text in among.split()], dtype)
    source = "def f(x):\n    return np.maximum.accumulate(x), np.minimum.accumulate(x), np.maximum.accumulate(-x)[::-1]\n"
    arrays = [R.choice(chosen, n) for n in (*range(1, 36), 1030)]
    arrays += [np.concatenate([np.full(at, 5, dtype), chosen, -chosen, np.full(9, 7, dtype)]) for at in range(17)]
    check_calls(source, [(a,) for a in (*arrays, R.choice(chosen, 90)[::-2])], configurations=("jit",))


UNUSED = """
def f(a, e):
    with np.errstate(over=e, invalid=e):
        a.cumsum()
        v = np.cumprod(a)
        w = a * 2
        for v in range(3):
            u = np.cumprod(w, axis=0)
            np.add.accumulate(w * 3)
    return a, v
"""


@pytest.mark.parametrize("treatment", ["warn", "raise", "ignore"])
@pytest.mark.parametrize("values", [[1e308, 1e308, 1e308], [3.31, 0.0, -5.0, np.inf], [1.0, 2.0]])
def test_warnings_of_what_nobody_uses(values, treatment):
    for dtype in ("f8", "f4"):
        with np.errstate(all="ignore"):
            array = np.array(values).astype(dtype)
        check_calls(UNUSED, [(array, treatment)] * 2, entry="f")
