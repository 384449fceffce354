"""Diagonals and triangles of matrices, and matrices made of them: NumPy's bits, views and errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(31)
VIEWS = ["np.diagonal(a)", "a.diagonal(1)", "np.diagonal(a, -1)", "np.diag(a)", "np.diag(a, 2)", "np.diag(a, k=-3)", "a.diagonal(9)"]
VIEWS += ["a[::-1].diagonal(1)", "np.diagonal(a, 1, 0, 1)", "np.diagonal(a, offset=1, axis1=-2, axis2=-1)", "a.diagonal()[::-1]"]
VIEWS += ["a.diagonal().strides", "a.T.diagonal(1)"]
VIEWS += ["a[1:, ::2].diagonal()", "a.diagonal() * 2", "a.diagonal(-9)", "np.diag(np.diag(a))", "np.diag(a[0], 1)", "np.diag(a[0] > 0, -2)"]
SUMS = ["np.trace(a)", "a.trace()", "np.trace(a, 1)", "a.trace(-2)", "np.trace(a, 9)", "np.trace(a[::-1])", "a.T.trace(1)", "a[:, ::-2].trace()"]
SIDES = ["np.tril(a)", "np.triu(a)", "np.tril(a, 1)", "np.triu(a, 1)", "np.tril(a, -2)", "np.triu(a, k=-2)", "np.tril(a, 99)", "np.triu(a, 99)"]
SIDES += ["np.tril(a[1:, 1:])", "np.triu(a.T)", "np.tril(a[::-1])", "np.triu(a) + np.tril(a)"]
MADE = ["np.eye(n)", "np.eye(n, m)", "np.eye(n, m, 1)", "np.eye(n, m, k=-2)", "np.eye(m, n, 3, 'f4')", "np.eye(n, dtype=bool)", "np.identity(n)"]
MADE += ["np.identity(n, dtype=np.int16)", "np.identity(n, 'c16')", "np.eye(n, None, 99)", "np.eye(n, m, -99)", "np.tri(n)", "np.tri(n, m)"]
MADE += ["np.tri(n, m, 1, bool)", "np.tri(n, m, k=-2, dtype='i8')", "np.tri(m, n, 99)", "np.tri(n, dtype='c16')", "np.eye(n, dtype='f4') * 2 + 1"]


def matrices(dtype):
    a = (RNG.standard_normal((5, 7)) * 9).astype(dtype)
    yield from (a, a.T, a[:, :3].copy(), a[:1], a[:, :1], a[:0], a[:, :0], a[::2, ::-2], np.broadcast_to(a[0], (4, 7)))
    if np.dtype(dtype).kind in "fc":
        yield np.array([[np.nan, -0.0, np.inf], [-0.0, -np.inf, 1e300], [5e-324, -0.0, -0.0]]).astype(dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool", "complex128"])
@pytest.mark.parametrize("form", [*VIEWS, *SUMS, *SIDES])
def test_of_matrices(form, dtype):
    check_calls(f"def f(a):\n    return {form}\n", [(a,) for a in matrices(dtype)], configurations=("jit", "numpy"))
    if dtype == "float64":
        check(f"def f(a):\n    return {form}\n", next(matrices(dtype)), configurations=("forced",))


@pytest.mark.parametrize("form", MADE)
def test_made(form):
    calls = [(n, m) for n, m in ((3, 5), (5, 3), (4, 4), (1, 1), (0, 3), (3, 0), (0, 0), (-1, 2), (2, -1), (np.int64(3), np.int8(2)), (2, True))]
    check_calls(f"def f(n, m):\n    return {form}\n", calls, configurations=("jit", "numpy"))
    check_calls(f"def f(n, m):\n    return {form}\n", calls[::-1], configurations=("jit",))
    check(f"def f(n, m):\n    return {form}\n", 3, 5, configurations=("forced",))


def test_views_stay_views():
    source = """
def f(a):
    d = np.diagonal(a, 1)
    a[0, 1] = 7
    e = np.diag(a)
    b = np.diag(e)
    b[0, 0] = 3
    try:
        d[0] = 1
    except ValueError as e2:
        return d, e, b, str(e2), d.base is a
"""
    check(source, np.arange(12.0).reshape(3, 4))
    check("def f(n):\n    e = np.eye(n)\n    e[1:, 1:] += 2\n    d = e.diagonal()\n    e[0] = 5\n    return e, d.sum(), np.trace(e)\n", 4)


def test_what_is_left_to_numpy():
    a, t = RNG.standard_normal((4, 5)), RNG.standard_normal((2, 3, 4))
    forms = """
        np.diagonal(t) | np.diagonal(a, 0, 1, 0) | np.diagonal(a, 0, 0, 0) | np.diagonal(a, 1.0) | np.diagonal(t, 0, 1, 2) | a.diagonal(0, 0, 2) |
        np.trace(t) | np.trace(a, dtype='f4') | np.trace(a, out=np.empty(())) | np.trace(a, 0, 1, 0) | a.trace(axis1=1, axis2=0) | np.trace(a[0]) |
        np.diag(t) | np.diag(a[0, 0]) | np.diag([1, 2]) | np.diag(a, 1.5) | np.diag(a, v=a) | np.eye(3, order='F') | np.eye(3.0) |
        np.eye(3, k=1.0) | np.eye('x') | np.eye(3, 3, 0, object) | np.eye(3, dtype='M8[s]') | np.eye(3, like=a) | np.identity(-1) |
        np.identity(3, like=a) | np.identity(2.0) | np.tri(3, 3, 0.5) | np.tri(2.0) | np.tri(-2) | np.tril(a[0]) | np.triu(t) | np.tril(t, 1) |
        np.tril(a.tolist()) | np.triu(a, 0.5) | np.triu(m=a, k=1) | np.tril(a, np.int64(1)) | np.eye(10**10) | np.eye(N=3, M=2) | a.diagonal(a=1)
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a, t):\n    return {form}\n", a, t, configurations=("jit",))


def test_natively():
    a = RNG.standard_normal((4, 5))
    for form in ("np.trace(a)", "np.diag(a) * 2", "np.tril(a)", "np.triu(a, 1)", "np.eye(n)", "np.tri(n, 3)", "np.identity(n)", "np.diag(a[0])"):
        check_native(form, "a, n", a, 3)
