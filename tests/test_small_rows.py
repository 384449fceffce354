"""What is one operation or an attribute: np.broadcast_to, flatten, np.size, np.average without weights, np.ediff1d, np.tensordot."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(91)
FORMS = ["a.flatten()", "np.size(a), np.ndim(a), np.shape(a)", "np.atleast_1d(a)", "np.atleast_2d(a)", "np.atleast_1d(a) is a", "np.average(a)"]
FORMS += ["np.average(a, axis=0)", "np.average(a, None, None)", "np.ediff1d(a)", "np.broadcast_to(a, (n, *a.shape))", "np.broadcast_to(a, a.shape)"]
FORMS += ["np.broadcast_to(a, (2, n) + a.shape).strides", "np.broadcast_to(a[..., :1], a.shape)", "np.broadcast_to(a, shape=a.shape)[::-1]"]
FORMS += ["np.broadcast_to(a[:, None], (len(a), n, *a.shape[1:])) * 2", "np.tensordot(a, a.T, 1)", "np.tensordot(a, b, axes=1)"]
FORMS += ["np.tensordot(b, b, 1)"]
FORMS += ["np.broadcast_to(a, (n, n))", "np.broadcast_to(a, n)", "np.average(a, axis=-1)", "np.broadcast_to(a, (n, *a.shape)).sum()"]


def arrays():
    a = RNG.standard_normal((3, 4))
    yield from (a, a[0], a.astype("f4"), a.astype("i8"), a > 0, a + 1j, a.T, a[:, ::-2], np.asfortranarray(a), a[:1], a[:, :1], a[:0])
    yield from (a[:, :0], a[0, :1], RNG.standard_normal((2, 3, 4)), np.array(2.0), RNG.standard_normal((40, 40)))
    yield np.array([np.inf, np.nan, -0.0, 1e308])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    b = RNG.standard_normal((4, 5))
    calls = [(a, b, n) for a in arrays() for n in (3, 4, 1, 0, -1)]
    check_calls(f"def f(a, b, n):\n    return {form}\n", calls, configurations=("jit",))
    check_calls(f"def f(a, b, n):\n    return {form}\n", calls[::3], configurations=("numpy",))
    check(f"def f(a, b, n):\n    return {form}\n", *calls[0], configurations=("forced",))


def test_views_stay_views():
    source = """
def f(a):
    w = np.broadcast_to(a, (2, 3))
    f = a.flatten()
    a[0] = 7
    try:
        w[0, 0] = 1
    except ValueError as e:
        return w, f, str(e)
"""
    check(source, np.arange(3.0))


def test_what_is_left_to_numpy():
    a, m = np.arange(4.0), np.eye(3)
    forms = """
        a.flatten('F') | m.flatten('K') | a.flatten(order='C') | np.size(m, 0) | np.size(3) | np.ndim([1]) | np.size([1, 2]) | np.shape(3) |
        np.atleast_1d(a, m) | np.atleast_1d(3) | np.atleast_2d(a, a) | np.average(a, weights=[1, 2, 3, 4]) | np.average(a, returned=True) |
        np.average(a, keepdims=True) | np.average([1, 2]) | np.average(a, 7) | np.ediff1d(a, to_end=1) | np.ediff1d(a, 1) | np.ediff1d([1, 2]) |
        np.ediff1d(m) | np.ediff1d(a > 1) | np.tensordot(a, a, 1) | np.tensordot(m, m) | np.tensordot(m, m, 0) | np.tensordot(m, m, ([0], [1])) |
        np.tensordot(m, m[:2], 1) | np.tensordot(m.T, m, 1) | np.broadcast_to(a, (2, 5)) | np.broadcast_to(3, (2,)) | np.broadcast_to(a, ()) |
        np.broadcast_to(a, (2, 4), True) | np.broadcast_to(a, 4.0) | np.broadcast_to([1, 2], (2, 2)) | np.broadcast_to(a, [2, 4]) |
        np.broadcast_to(m, 3)
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a, m):\n    return {form}\n", a, m, configurations=("jit",))


def test_natively():
    a, m = np.arange(4.0), RNG.standard_normal((3, 3))
    forms = ["m.flatten()", "np.size(m) + np.ndim(m)", "np.atleast_2d(a) * 2", "np.broadcast_to(a, (3, 4))", "np.average(a)"]
    forms += ["np.tensordot(m, m, 1)"]
    for form in [*forms, "np.ediff1d(a)", "np.average(m, axis=0)"]:
        check_native(form, "a, m", a, m)
