"""np.bincount, np.add.at and np.subtract.at, natively and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

R = np.random.default_rng(12)
INTS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?")


@pytest.mark.parametrize("dtype", INTS)
def test_counts(dtype):
    source = (
        "def f(a, w, n):\n    return (np.bincount(a), np.bincount(a, minlength=n), np.bincount(a, w), np.bincount(a, weights=w[::-1], minlength=n),"
        " np.bincount(a, None, 3), np.bincount(a[::2], w[1::2]), np.bincount(a[::-1]))\n"
    )
    calls = []
    for n in (0, 1, 2, 100, 20000):
        a, w = R.integers(0, 100, n).astype(dtype), R.standard_normal(n)
        calls += [(a, w, 7), (a, w.astype("f4"), 300), (a, (w * 9).astype("i8"), np.int64(0)), (a, w > 0, 1)]
    check_calls(source.replace("w[1::2]", "w[::2]"), calls, configurations=("jit",))
    if dtype in ("u1", "i8"):
        check(source, R.integers(0, 9, 20).astype(dtype), R.random(20), 4)


# the largest int64 is not among them: np.bincount of it writes outside of its memory, NumPy's own (2.5)
FORMS = (
    "a", "a, w", "a, w, 5", "a, minlength=k", "a, w[:3]", "a, w + 1j", "a, w.astype('f2')", "w", "a.reshape(2, -1)", "a, a", "a, k", "a, w, k, 1",
)  # fmt: skip


@pytest.mark.parametrize("call", FORMS)
def test_counts_that_may_fail(call):
    source = f"def f(a, w, k):\n    b = w * 2\n    return b, np.bincount({call})\n"
    calls, w = [], np.array([1.5, np.nan, -np.inf, np.inf])
    for a in ([0, 1, 2, 1], [0, -1, 2, 1], [3, 2**40, 1, 0], [-(2**63), 0, 0, 0], [2**62, 1, 2, 3]):
        calls += [(np.array(a, np.int64), w, k) for k in ((2, -1) if "k" in call else (2,))]
    check_calls(source, [*calls, (np.array([0, 1, 2, 200], np.uint8), w, 2)], configurations=("jit",))
    check_calls(source, calls[:2], configurations=("numpy",))


def test_counts_of_much():
    """More than the tables of the quick way hold, and alike neighbours."""
    source = "def f(a):\n    return np.bincount(a.ravel(), minlength=256).cumsum()\n"
    counts = R.integers(0, 9, 100000).astype(np.uint16) * 40
    check_calls(source, [(counts,), (counts.astype("i8"),), (np.append(counts, 1500),)], configurations=("jit",))
    for image in (R.integers(0, 256, (200, 301), np.uint8), np.full((300, 300), 7, np.uint8), np.zeros((1, 5), np.uint8)):
        check_calls(source, [(image,), (image.T,), (image[:, ::2],)], configurations=("jit",))


AT = "def f(x, i, v):\n    b = v * 2\n    np.{ufunc}.at(x, i, v)\n    return x.sum(), b\n"


@pytest.mark.parametrize("ufunc", ["add", "subtract"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u8", "i4", "u2", "i1"])
def test_at(ufunc, dtype):
    source = AT.format(ufunc=ufunc)
    calls = []
    for n, m in ((5, 0), (1, 1), (9, 4), (7, 2000), (5000, 3)):
        x = (R.standard_normal(n) * 9).astype(dtype)
        i, v = R.integers(-n, n, m), (R.standard_normal(m) * 9).astype(dtype)
        calls += [(x.copy(), i, v), (x.copy(), i[::-1], v[::-1]), (x.copy()[::-1], i[::2], v[: len(i[::2])])]
    calls += [(x.copy(), i, 3), (x.copy(), i, v[:1]), (x.copy(), i, x.dtype.type(2))]
    check_calls(source, calls, configurations=("jit",))


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u4", "i4", "u8", "?"])
def test_at_by_other_ints(kind):
    x, v = np.arange(90.0), R.random(600)
    i = R.integers(0 if kind[0] in "u?" else -90, 90, 600).astype(kind)
    check_calls(AT.format(ufunc="add"), [(x.copy(), i, v), (x.copy(), i[::-2], v[:300])], configurations=("jit",))


def test_at_in_every_configuration():
    for dtype in ("f8", "i4"):
        check(AT.format(ufunc="add"), np.arange(6).astype(dtype), np.array([1, -1, 1, 5]), np.arange(4).astype(dtype))


def test_at_that_fails():
    """Nothing is changed before an error; what warns has been written."""
    x, i, v = np.arange(5.0), np.array([0, 1, 1, 4]), np.array([1.0, 2.0, 3.0, 4.0])
    huge, nan = np.array([1e308, 1e308, 1e308, 1.0]), np.array([np.inf, 1.0, -np.inf, np.nan])
    infinite = np.array([np.inf, np.inf, np.inf, 10.0])
    bad = [np.array(a) for a in ([0, 5, 1, 1], [0, 1, 2, -6], [2**40, 0, 0, 0], [-(2**63), 0, 0, 0])]
    calls = [(x.copy(), j, v) for j in bad] + [(np.full(5, 1e308), i, huge), (np.zeros(5), i * 0, nan), (np.zeros(3000), i, infinite)]
    calls += [(x.copy(), i, v[:3]), (x.copy(), i[:2], v), (x.astype("f4"), i, v), (np.arange(5), i, v), (np.arange(5), i, v > 2), (x.copy(), i, 1j)]
    for ufunc in ("add", "maximum"):
        check_calls(AT.format(ufunc=ufunc), calls, configurations=("jit", "numpy"))
    check(AT.format(ufunc="add"), np.full(5, 1e308), i, huge)
    source = "def f(x, i, v):\n    with np.errstate(over='ignore', invalid='raise'):\n        np.add.at(x, i, v)\n    return x\n"
    check_calls(source, calls[4:7], configurations=("jit", "numpy"))


@pytest.mark.parametrize("place", [4, -5, 5, -6, 2**63 - 1, -(2**63), 2**62])
def test_at_one_place_among_many(place):
    """Also where words are looked at several at once: it is the first or the last of them, or between."""
    calls = []
    for n in (1, 2, 3, 18):
        for at in {0, n // 2, n - 1}:
            i = np.arange(n) % 5
            i[at] = place
            calls += [(np.arange(5.0), i, np.ones(n)), (np.arange(5.0), np.repeat(i, 2)[::2], np.ones(n)), (np.arange(5.0), i[::-1], np.ones(n))]
    check_calls(AT.format(ufunc="add"), calls, configurations=("jit", "numpy"))


OVERLAPS = (
    "np.add.at(x, i, x[:4])", "np.add.at(x[1:], i, x[:4])", "np.subtract.at(x, x[:4].astype(int), x[0])", "np.add.at(y, y[:4], y[4:8])",
    "np.add.at(y, y, 1)",
)  # fmt: skip


@pytest.mark.parametrize("call", OVERLAPS)
def test_at_of_what_overlaps(call):
    check(f"def f(x, y, i):\n    {call}\n    return x.sum()\n", np.arange(9.0), np.arange(8), np.array([0, 1, 1, 3]), calls=2)


def test_particles():
    """A whole program, in loops too."""
    source = (
        "def f(x, q, n):\n    rho = np.zeros(n)\n    for _ in range(3):\n        cell = x.astype(np.int64)\n        right = x - cell\n"
        "        np.add.at(rho, cell, q * (1.0 - right))\n        np.add.at(rho, (cell + 1) % n, q * right)\n        x = (x + 0.7) % n\n"
        "        rho = rho + np.bincount(cell, weights=q, minlength=n)\n    return rho\n"
    )
    check(source, R.random(50) * 8, R.random(50), 8)
    check(source, R.random(5000) * 8, R.random(5000), 8, calls=2, configurations=("jit",))
