"""np.take, np.select and np.round to decimals: NumPy's bits, warnings and errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(61)
TAKES = ["np.take(a, i)", "a.take(i)", "np.take(a, i, 0)", "np.take(a, i, axis=-1)", "a.take(i, axis=0) * 2", "np.take(a, [0, -1, 1], axis=0)"]
TAKES += ["np.take(a, 1)"]
TAKES += ["a.take(indices=i)", "np.take(a, i[0])", "np.take(a, -1, axis=0)", "np.take(a, i[:, None])", "np.take(a, i.tolist())"]
SELECTS = ["np.select([p, q], [a, b])", "np.select([p, q], [a, b], -1.0)", "np.select((p,), (a,), default=2)"]
SELECTS += ["np.select([a > 0, b > 0, p], [a, 1, b], 7)"]
SELECTS += ["np.select([p, ~p], [a, -a])", "np.select([p, q], [1, 2])", "np.select([p, q], [1.5, b], a)", "np.select([p, q], [a, b[:1]])"]
SELECTS += ["np.select([p, q[:1]], [a, b], default=np.nan)", "np.select(condlist=[p], choicelist=[b])", "np.select([p], [a], np.float32(0.1))"]
ROUNDS = ["np.round(a, 2)", "a.round(1)", "np.around(a, -1)", "np.round(a, decimals=3)", "a.round(-2)", "np.around(a)", "np.round(a, 8)"]
ROUNDS += ["np.round(a, -8)"]
ROUNDS += ["np.round(a, 9)", "np.round(a, 25)", "np.round(a, -400)", "np.round(a, n)", "np.round(a, 0)", "a.round(decimals=0)", "np.round(a[0], 2)"]
ROUNDS += ["np.round(a, True)", "np.round(a, 1.0)", "np.round(a, 2, out=a)", "np.round(a, None)"]


@pytest.mark.parametrize("form", TAKES)
def test_takes(form):
    a = RNG.standard_normal((5, 6))
    arrays = [a[0], a, a[0].astype("f4"), a[:, 0], a[0, ::-1], a.astype("i1")[1], a > 0, a + 1j, a.T, a[::2], RNG.standard_normal(3000)]
    places = [np.array(i).astype(dtype) for i in ([0, 2, 1, -1], [3, 3], [-3]) for dtype in ("i8", "i1", "u2", "i4")]
    places += [RNG.integers(-3, 3, 5000), np.array([0, 99]), np.array([1, -99]), np.array([1.0]), np.array([True, False]), np.array([2], "u8")]
    places += [np.array([0, 1, 2, -2, 1])[::2], np.array([[0, 1], [1, 0]])]
    places += [np.concatenate([RNG.integers(0, 5, 2500), [-1, 77], RNG.integers(0, 5, 90)])]
    calls = [(x, i) for x in arrays for i in places]
    check_calls(f"def f(a, i):\n    return {form}\n", calls, configurations=("jit",))
    check_calls(f"def f(a, i):\n    return {form}\n", calls[::9], configurations=("numpy",))
    check(f"def f(a, i):\n    return {form}\n", *calls[0], configurations=("forced",))


@pytest.mark.parametrize("form", SELECTS)
def test_selects(form):
    calls = []
    for shape in ((7,), (4, 5), (0,), (1,)):
        p, q = RNG.random(shape) > 0.5, RNG.random(shape) > 0.5
        for one, other in (("f8", "f8"), ("f4", "f8"), ("i8", "i8"), ("i2", "f4"), ("c8", "f8"), ("?", "i1"), ("u8", "i8")):
            calls.append(((RNG.standard_normal(shape) * 9).astype(one), (RNG.standard_normal(shape) * 9).astype(other), p, q))
    a, b, p, q = calls[7]
    calls += [(a.T, b.T, p.T, q.T), (a[:, ::-1], b, p, q), (a, b, p[:, :1], q), (a, b, p[0], q), (a, b, p, q[:2]), (a, b, p.astype(int), q)]
    calls += [(a, b[0], p, q), (a, b, p, q)]
    with np.errstate(all="ignore"):
        check_calls(f"def f(a, b, p, q):\n    return {form}\n", calls, configurations=("jit",))
        check_calls(f"def f(a, b, p, q):\n    return {form}\n", calls[::3], configurations=("numpy",))
    check(f"def f(a, b, p, q):\n    return {form}\n", a, b, p, q, configurations=("forced",))


@pytest.mark.parametrize("state", ["", "all='raise'"])
@pytest.mark.parametrize("form", ROUNDS)
def test_rounds(form, state):
    special = np.array([0.5, 1.5, -2.5, -0.0, np.nan, np.inf, 1e308, -1e308, 5e-324, 0.15, 2.675, 1e16, 123456.789])
    a = RNG.standard_normal((4, 5)) * 1000
    arrays = [a, a[0], a[:, ::2], a.T, a[::-1], a.astype("f4"), a.astype("i8"), a.astype("c16"), a > 0, special, special.astype("f2").astype("f4")]
    arrays += [special[:4], special[:0], np.array(2.567), a[:1, :1]]
    source = f"def f(a, n):\n    with np.errstate({state}):\n        b = {form}\n    return b\n"
    check_calls(source, [(x, 2) for x in arrays], configurations=("jit", "numpy"))
    if not state:
        check(source, a, 1, configurations=("forced",))


def test_what_is_left_to_numpy():
    a, v, p = RNG.standard_normal((3, 4)), np.arange(3), np.array([True, False, True])
    forms = """
        np.take(a, v, axis=1) | np.take(a, v, mode='wrap') | np.take(a, v, mode='clip') | np.take(v, v, out=v.copy()) | np.take(a, 1, axis=0) |
        np.take(a, v, axis=2) | np.take(a, []) | np.take(3, 0) | np.take([1, 2], v[:2]) | np.take(a, 'x') | np.take(v, 7) | np.take(v, p) |
        v.take(v, a=1) | np.take(a, (0, 1)) | np.take(v, 1.0) | np.take(a, v, None) | np.take(v, np.array(1)) | np.take(a, v, axis=(0,)) |
        np.take(a.T, v) | np.select([], []) | np.select([p], []) | np.select([v], [v]) | np.select([p], [v], [1, 2, 3]) | np.select([True], [v]) |
        np.select([p], ['x']) | np.select(p, v) | np.select([p, p], [v, v], 2**70) | np.select([p], [v.astype('i1')], 300) |
        np.select([p], [1], 2) | np.select([p], [a[0]]) | np.select([p[:, None]], [a]) | np.select([p], [v], 1j) |
        np.select([p], [v.astype('f4')], 1e300) | np.select([p.tolist()], [v]) | np.round(2.567, 1) | np.round(v, 1) | np.round([1.55], 1) |
        np.round(a, 1, a=a) | np.round(a * 1j, 1) | np.round(a, decimals='x')
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a, v, p):\n    return {form}\n", a, v, p, configurations=("jit",))


def test_natively():
    a, v, i, p = RNG.standard_normal((3, 4)), RNG.standard_normal(5), np.array([0, 2]), RNG.random(5) > 0.5
    forms = ["np.take(v, i)", "v.take(i)", "np.take(a, i, axis=0)", "np.take(v, 1)", "np.select([p, v > 0], [v, -v])", "np.select([p], [v], 1.5)"]
    for form in [*forms, "np.round(a, 2)", "v.round(-1)", "np.around(v, 3) + 1"]:
        check_native(form, "a, v, i, p", a, v, i, p)
