"""Reductions, natively and by NumPy: whole programs."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(6)
SIZES = [0, 1, 7, 8, 9, 127, 129, 1023, 1025, 20001]
WHOLE = "def f(a):\n    return a.sum(), np.prod(a), np.max(a), a.min(), np.mean(a), a.sum() + 1, np.any(a), a.all()\n"
AXES = (
    "def f(a):\n    return (a.sum(axis=-1), a.sum(0), np.max(a, axis=1, keepdims=True), a.mean(axis=0), a.mean(axis=1, keepdims=True),"
    " np.min(a, 0), np.prod(a, axis=1), a - a.mean(axis=-1, keepdims=True), np.sum(a), a.mean())\n"
)


def grid(shape, dtype="float64"):
    values = RNG.standard_normal(shape) * 3
    return (values > 0) if dtype == "bool" else values.astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "uint64", "bool", "complex128"])
def test_whole(dtype):
    for n in SIZES:
        check(WHOLE.replace("np.mean(a)", "a.sum()") if dtype == "complex128" else WHOLE, grid(n, dtype), calls=2, configurations=("jit",))
    check(WHOLE, grid(30, dtype), calls=2)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "bool"])
def test_axes(dtype):
    shapes = [(0, 3), (3, 0), (1, 5), (5, 1), (2, 2), (9, 7), (3, 300), (300, 3), (2, 9001), (4, 5, 6), (2, 1, 3)]
    for shape in shapes:
        check_calls(AXES, [(grid(shape, dtype),)] * 2, configurations=("jit",))
    check(AXES, grid((9, 7), dtype), calls=2)


SEVERAL = """
def f(a):
    return (a.sum(axis=(0, 1)), np.sum(a, (-1, -2)), a.max(axis=(1, 0), keepdims=True), np.prod(a, axis=(1, 2), keepdims=True), a.min((0, 1)),
        a.sum(axis=(0, 2)), a.sum(keepdims=True), np.sum(a, axis=(0, 1, 2)), a.sum(axis=(0, 1)) - a[0, 0], (a * a).sum(axis=(1, 2)), a.sum(axis=(1,)))
"""
MOMENTS = """
def f(a):
    return (np.mean(a, axis=(0, 1)), a.mean((1, 2), keepdims=True), np.mean(a), a.mean(keepdims=True), a.var(), np.var(a, axis=0),
        a.var(axis=-1, keepdims=True), np.var(a, (0, 1)), a.var(axis=(1, 2), ddof=1), a.std(), np.std(a, axis=1), a.std(axis=(1, 2), keepdims=True),
        a.std(axis=(0, 2)), (a - a.mean(axis=(0, 1))) / np.sqrt(a.var(axis=(0, 1)) + 1), a.var(ddof=-2), np.std(a.ravel(), ddof=1, keepdims=True))
"""
BOXES = [(2, 3, 4), (4, 5, 8), (2, 8, 9), (3, 7, 129), (5, 40, 130), (2, 2, 2), (3, 1, 5), (1, 4, 4), (3, 3, 1), (0, 2, 3), (2, 0, 3), (2, 3, 0)]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_several_axes(dtype):
    source = SEVERAL.replace("a - a", "a & a").replace(") - a[0, 0]", ") > a[0, 0]") if dtype == "bool" else SEVERAL
    check_calls(source, [(grid(shape, dtype),) for shape in BOXES for _ in range(2)], configurations=("jit",))
    check(source, grid((4, 5, 8), dtype), calls=2)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32"])
def test_moments(dtype):
    source = MOMENTS.replace("+ 1)", "+ a.dtype.type(1))")
    check_calls(source, [(grid(shape, dtype),) for shape in (BOXES if dtype == "float32" else BOXES[2::3])], configurations=("jit",))
    check_calls(source, [(grid((4, 5, 8), dtype),)] * 2, configurations=("jit", "numpy", "O0"))
    for shape in ((4, 3, 5), (3, 1, 1)):
        check_calls("def f(a, k):\n    b = a[:k]\n    return b.var(ddof=1), np.std(b, axis=0), b.mean(axis=(0, 1)), b.var(axis=(1, 2), ddof=2)\n",
            [(grid(shape, dtype), k) for k in (3, 1, 2, 0)], configurations=("jit", "numpy"))  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", [np.nan, np.inf, -0.0, 1e308, 1e200, 1e-310])
def test_moments_of_special_values(value):
    for dtype in ("float64", "float32"):
        with np.errstate(all="ignore"):
            a = grid((4, 3, 5), dtype)
            a[1], a[2, 1], a[0, 0, 2] = value, -value, value
        for errors in ({}, {"all": "ignore"}, {"under": "warn"}, {"over": "raise", "invalid": "raise"}):
            with np.errstate(**errors):
                check_calls(MOMENTS, [(a,)] * 2, configurations=("jit",))


def test_moments_are_native():
    a = grid((4, 5, 8))
    for source, calls in ((SEVERAL, 1), (MOMENTS, 1)):
        names = {"np": np}
        exec(source, names)
        f = pijit.jit(names["f"])
        with np.errstate(all="ignore"):
            f(a)
        assert str(pijit.explain(f)).count("callable=") == calls  # of axes that others lie between


def test_a_mean_of_very_many():
    """More than there are whole numbers of that precision."""
    a = np.ones(2**24 + 1, "float32")
    assert pijit.jit(lambda a: a.mean())(a) == a.mean() != a.sum() / np.float32(a.size)


def test_layouts():
    x = grid((40, 60))
    for view in (x.T, x[:, ::2], x[::-1], x[:, ::-1], x[3:4], x[:, 3:4], np.asfortranarray(x), np.broadcast_to(x[0], (3, 60))):
        check_calls(AXES, [(view,)] * 2, configurations=("jit",))
    for view in (x[0, ::-1], x[:, 0], x[0, ::3], x[0, 5:6]):
        check_calls(WHOLE, [(view,)] * 2, configurations=("jit",))
    source = "def f(x, i, j):\n    y = x[i:j]\n    return y.sum(axis=0), y.sum(axis=1), y.max(axis=0), y.mean(), y.reshape(-1, 3).sum(axis=0)\n"
    check_calls(source, [(x, i, j) for i, j in ((0, 9), (3, 4), (5, 5), (0, 40))], configurations=("jit", "numpy"))
    source = "def f(x, k):\n    y = np.ascontiguousarray(x[:, :k])\n    return y.sum(axis=0), y.sum(axis=1), y.max(axis=0)\n"
    check_calls(source, [(x, k) for k in (3, 1, 2, 0)], configurations=("jit",))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 1e308])
def test_special_values(value):
    for x in (np.full(9, value), np.array([0.0, value, 1.0, -0.0, value]), np.full((4, 3), value)):
        check(WHOLE, x, calls=2, configurations=("jit", "O0"))
    check(AXES, np.full((4, 3), value), calls=2, configurations=("jit",))


def test_errors_and_arguments():
    calls = [
        "a.max()", "a.sum(axis=5)", "np.sum(a, axis=(0, 1))", "a.sum(axis=None, keepdims=True)", "np.sum(a, dtype=np.float32)",
        "a.sum(initial=3.0)", "a.sum(0, axis=1)", "np.sum(a, a=a)", "a.sum(axis=(0, 0))", "a.sum(axis=(0, 2))", "a.sum(axis=())",
        "a.sum(axis=[0, 1])",
        "np.var(a, mean=a.mean())", "a.var(ddof=1.5)", "a.var(ddof=True)", "a.std(0, None, None, 1)", "np.std(a, ddof=40)", "np.var(a, correction=1)",
        "np.sum(a, where=a > 0)", "a.sum(0, None, None)", "np.mean(a, dtype=np.float64)", "a.sum(axis=True)",
    ]  # fmt: skip
    for call in calls:
        check(f"def f(a):\n    b = a * 2\n    return b, {call}\n", grid((4, 3)), calls=2, configurations=("jit",))
        check(f"def f(a):\n    b = a * 2\n    return b, {call}\n", grid((0, 3)), calls=2, configurations=("jit",))
    with np.errstate(over="ignore"):
        check("def f(a):\n    return a.sum()\n", np.full(9, 1e308), calls=2, configurations=("jit",))


FUSED = """
def f(a, b):
    total = np.sum(a, axis=0)
    mean = (a[0] + a[-1]) / (total * total + b)
    return total, mean, np.exp(mean) * a.mean(axis=0), np.sum(total * 2.0, axis=0) if total.ndim > 1 else 0
"""
STRIDED = "def f(a, b):\n    total = a.sum(axis=0)\n    c = total - b[:, ::2]\n    return c, a.sum(axis=0) * b[:, 1::2] + c, c.sum(axis=0)\n"
OTHERS = "def f(a):\n    return np.prod(a, axis=0) + a.sum(axis=0), np.max(a, 0), a.min(axis=0), a.any(axis=0), np.all(a, axis=0) ^ a.any(axis=0)\n"


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_rows_in_kernels(dtype):
    """What is folded row by row goes on into what uses it: rows left over, ends of tiles, several arrays."""
    for rows in (2, 3, 5, 6, 9):
        for rest in ((3,), (1023,), (1025,), (7, 400)):
            a = grid((rows, *rest), dtype)
            check_calls(FUSED, [(a, a[1] * a[1] + 1)] * 2, configurations=("jit",))
    a = grid((5, 8, 6), dtype)
    check(FUSED, a, a[1] * a[1] + 1, calls=2)
    check(STRIDED, a, grid((8, 12), dtype), calls=2)


@pytest.mark.parametrize("dtype", ["int64", "int8", "uint32", "bool", "float32"])
def test_other_ways_to_fold_rows(dtype):
    source = OTHERS.replace("^ a", "| a") if dtype == "bool" else OTHERS
    for shape in ((2, 3), (6, 1030), (5, 3, 4)):
        check_calls(source, [(grid(shape, dtype),)] * 2, configurations=("jit", "O0", "numpy"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 1e308])
def test_special_values_in_rows(value):
    """Flags of a reduction are seen whatever becomes of its result; signs of zeros are as NumPy has them."""
    used = "def f(a):\n    s = np.sum(a, axis=0)\n    return s > 0, np.where(a[0] > 5, s, 0.0)\n"
    for shape in ((3, 4), (2, 1030), (9, 5)):
        a = grid(shape)
        a[:, 1] = value
        a[1, 2] = -value
        for source in (used, AXES):
            check_calls(source, [(a,)] * 2, configurations=("jit",))
            quiet = "def f(a):\n    with np.errstate(all='ignore'):\n        return g(a)\n" + source.replace("def f", "def g")
            check_calls(quiet, [(a,)] * 2, configurations=("jit",))
        check_calls(FUSED, [(a, a[0])] * 2, configurations=("jit",))
    with np.errstate(over="raise"):
        check_calls(used, [(np.full((3, 4), 1e308),)] * 2, configurations=("jit",))


def test_rows_that_come_to_nothing():
    source = "def f(a, k):\n    b = a[:k]\n    s = b.sum(axis=0)\n    return s * 2.0 + 1.0, s\n"
    calls = [(grid((4, 5)), k) for k in (3, 0, 1, 2)] + [(grid((4, 0)), k) for k in (3, 0, 2)]
    check_calls(source, calls, configurations=("jit", "numpy"))
    check_calls(source.replace("sum", "prod"), calls, configurations=("jit",))


def test_sums_of_nothing_are_no_exits():
    source = "def f(a, n):\n    t = np.zeros(n)\n    for i in range(n):\n        t[i] = np.sum(a[:i] * 2.0) + a[:i].prod()\n    return t\n"
    stats = check(source, grid(5), 5)
    assert not stats.exits
    check_calls("def f(a):\n    b = a * 1\n    return b.sum(axis=1), b.prod(1)\n", [(grid(shape),) for shape in ((4, 3), (4, 0), (0, 4), (2, 0, 3))])
    check_calls("def f(a, n):\n    return (a[:n] * 2).mean()\n", [(grid(5), n) for n in (3, 0, 1)])
    quiet = "def f(a, n):\n    with np.errstate(all='ignore'):\n        return (a[:n] * 2).mean(), a[:, :n].copy().mean(axis=1)\n"
    check_calls(quiet, [(grid((4, 5)), n) for n in (3, 0, 1)])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex64"])
def test_short_axes(dtype):
    """Sums of few numbers, for which no loop of NumPy's is called: lengths around those where it changes its order."""
    source = "def f(a):\n    b = a * 1\n    return b.sum(axis=1), b.sum(axis=0), b.sum(axis=-1, keepdims=True), b.sum()\n"
    for shape in ((5, 2), (5, 3), (5, 7), (5, 8), (5, 9), (4, 3, 3), (3, 5, 16), (3, 5, 17), (300, 4, 2)):
        check_calls(source, [(grid(shape, dtype),)] * 2, configurations=("jit", "numpy"))
    if dtype[0] == "f":
        for value in (np.nan, np.inf, -0.0, np.finfo(dtype).max):
            a = grid((4, 3, 5), dtype)
            a[1, :, 2], a[2, 1], a[3] = value, value, -0.0
            check_calls(source, [(a,), (a[:, 0].copy(),)] * 2, configurations=("jit",))
