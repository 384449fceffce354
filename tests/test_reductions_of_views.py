"""Reductions of arrays that do not lie behind each other in memory, of bools and of short ints, and counts: NumPy's bits at every size."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(41)
VECTORS = ["v[::2]", "v[::-1]", "v[::-3]", "v[1:]", "v[3:-3:2]", "np.broadcast_to(v[:1], (9,))"]
MATRICES = ["m.T", "m[:, 1:]", "m[::2, ::3]", "m[::-1]", "m[:, ::-1]", "m.T[1:]", "m[1:, :-1].T", "np.broadcast_to(m[0], (4, m.shape[1]))"]
OF_VECTORS = ["x.sum()", "x.prod()", "x.max()", "x.min()", "x.mean()", "x.std()", "np.ptp(x)", "(x != 0).any()", "np.all(x > 0)", "np.amax(x)"]
OF_MATRICES = ["x.sum()", "x.sum(axis=0)", "x.sum(1)", "x.sum(axis=-1, keepdims=True)", "x.prod(axis=1)", "x.max(0)", "x.mean(1)"]
OF_MATRICES += ["np.amin(x, axis=1)", "x.mean(axis=0)", "x.var(0)", "x.std()", "np.any(x > 0, axis=0)", "x.sum((0, 1))", "x.min(axis=(0, 1))"]
OF_MATRICES += ["x.max(1, keepdims=True)"]
COUNTS = ["x.sum()", "np.sum(x)", "x.prod()", "np.count_nonzero(x)", "np.count_nonzero(x, axis=None)", "x.sum(keepdims=False)"]
COUNTS += ["x.sum(axis=None)", "np.sum(x > 0)", "(x > 0).sum(axis=-1)", "np.count_nonzero(x, 0)", "np.count_nonzero(x, axis=(0,))", "x.prod(0)"]
COUNTS += ["x.sum(0, keepdims=True)"]


def values(dtype, shape):
    kind = np.dtype(dtype).kind
    made = RNG.standard_normal(shape) * (10.0 ** RNG.integers(-3, 4, shape) if kind in "fc" else 100)
    zeros = np.where(RNG.random(shape) > 0.5, 0.0, -0.0)
    odd = made.copy()
    odd.flat[::7] = np.nan if kind in "fc" else 1
    return [made.astype(dtype), zeros.astype(dtype), odd.astype(dtype)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "uint32", "bool", "complex128", "complex64"])
@pytest.mark.parametrize("form", OF_VECTORS)
def test_of_vectors(form, dtype):
    if dtype == "bool" and form == "np.ptp(x)":
        return
    for view in VECTORS:
        calls = [(v,) for n in (30, 9, 401, 20003, 1, 8) for v in values(dtype, n)]
        check_calls(f"def f(v):\n    x = {view}\n    return {form}\n", calls, configurations=("jit",))
    check_calls(f"def f(v):\n    x = v[::2]\n    return {form}\n", [(v,) for v in values(dtype, 33)], configurations=("numpy",))
    check_calls(f"def f(x):\n    return {form}\n", [(v[:7][::step],) for v in values(dtype, 33) for step in (-1, 1, 2, -2)], configurations=("jit",))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "bool", "complex64"])
@pytest.mark.parametrize("form", OF_MATRICES)
def test_of_matrices(form, dtype):
    for view in MATRICES:
        calls = [(m,) for shape in ((4, 6), (40, 130), (3, 9001), (2, 2), (5, 2), (9001, 3)) for m in values(dtype, shape)]
        check_calls(f"def f(m):\n    x = {view}\n    return {form}\n", calls, configurations=("jit",))
    few = [(m,) for m in values(dtype, (5, 7))]
    check_calls(f"def f(m):\n    x = m[:, 1:]\n    return {form}\n", few, configurations=("numpy",))
    check_calls(f"def f(x):\n    return {form}\n", [(m.T,) for (m,) in few] + [(m[1:, 2:],) for (m,) in few] + few, configurations=("jit",))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64", "int64", "float64", "complex128"])
@pytest.mark.parametrize("form", COUNTS)
def test_counts(form, dtype):
    high = np.full(7, np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else 1).astype(dtype)
    if dtype == "complex128" and ">" in form:
        return
    arrays = [x for shape in (7, 1000, (3, 5), (3, 4, 5)) for x in values(dtype, shape)] + [high]
    arrays += [x[1::2] for x in arrays] + [x[..., ::-1] for x in arrays[:9]] + [x.T for x in arrays[3:9]] + [x[:0] for x in arrays[:4]]
    arrays += [arrays[0][0:1].reshape(()), np.broadcast_to(high[:1], (4, 3))]
    check_calls(f"def f(x):\n    return {form}\n", [(x,) for x in arrays], configurations=("jit",))
    check_calls(f"def f(x):\n    return {form}\n", [(x,) for x in arrays[:12:3]], configurations=("numpy",))
    check(f"def f(x):\n    return {form}\n", arrays[3], configurations=("forced",))


def test_what_is_left_to_numpy():
    m, b = RNG.standard_normal((4, 5)), RNG.random((4, 5)) > 0.5
    forms = """
        b.sum(dtype='f4') | b.sum(axis=0, out=np.empty(5, int)) | b.sum(initial=3) | b.sum(where=b) | np.sum(b, 2) | b.sum(axis=(0, 0)) |
        b.sum(keepdims=1) | b.sum(0, None, None, True) | b.sum(keepdims=True) | np.count_nonzero(b, keepdims=True) |
        np.count_nonzero(b, axis=1, keepdims=True) | np.count_nonzero(b, axis=7) | np.count_nonzero([1, 0]) | np.count_nonzero(3) |
        np.count_nonzero(b, a=b) | np.count_nonzero('x') | m[:, 1:].sum() | m[:, ::2].max() | m.T.sum(0, keepdims=True) | m[::2].sum((0, 1)) |
        m.T.max(axis=None, keepdims=True) | np.amax(m, 0, None, True)
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(m, b):\n    return {form}\n", m, b, configurations=("jit",))


def test_natively():
    m, b = RNG.standard_normal((4, 5)), RNG.random((4, 5)) > 0.5
    forms = ["m.T.sum()", "m.T.sum(axis=0)", "m[:, 1:].sum(1)", "m[0, ::2].sum()", "m[0, ::-1].mean()", "b.sum()", "np.sum(m > 0)", "b.sum(axis=0)"]
    for form in [*forms, "np.count_nonzero(b)", "np.count_nonzero(m)", "np.count_nonzero(b, axis=1)", "np.amin(m)", "m.astype('i4').sum()"]:
        check_native(form, "m, b", m, b)


SLICES = ["a[:, 2:4, 6:8, :]", "a[1:, :, ::2]", "a[:, 1:, :, 1:]", "a[:, :-1, ::3, ::2]", "a[::-1, 1:]", "a.transpose(0, 2, 1, 3)", "a[:, :, 1:].T"]
FOLDS = ["np.max(x, axis=(1, 2))", "x.min((0, 1))", "x.sum(axis=(1, 2))", "x.prod((2, 1))", "x.max(axis=1)", "x.sum(axis=(1, 2), keepdims=True)"]
FOLDS += ["x.min()", "x.max(axis=(2, 3))", "x.sum(axis=(2, 3))", "x.sum(axis=(0, 2))", "(x != 0).any(axis=(1, 2))", "np.all(x, axis=(1, 2))"]
FOLDS += ["x.max(axis=0)", "x.sum()", "x.mean(axis=(1, 2))", "x.min(axis=-1)"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("form", FOLDS)
def test_several_axes_of_slices(form, dtype):
    """Also of more elements than are packed."""
    for view in SLICES:
        calls = [(a,) for shape in ((2, 5, 9, 3), (3, 6, 8, 40), (4, 20, 20, 9), (2, 4, 8, 2)) for a in values(dtype, shape)]
        check_calls(f"def f(a):\n    x = {view}\n    return {form}\n", calls[:9], configurations=("jit",))
        check_calls(f"def f(x):\n    return {form}\n", [(eval(view, {"a": a}),) for (a,) in calls], configurations=("jit",))
    check_calls(f"def f(a):\n    x = {SLICES[0]}\n    return {form}\n", calls[::4], configurations=("numpy", "forced"))


def test_small_slices_natively():
    a = RNG.standard_normal((2, 5, 9, 3))
    for form in ("np.max(a[:, 2:4, 6:8, :], axis=(1, 2))", "a[:, 2:4].sum(axis=(1, 2))", "a[:, 1:].min(axis=1)", "a[:, 1:].max(axis=0)"):
        fast = pijit.jit(eval(f"lambda a: {form}"))
        fast(a)
        assert "= call" not in str(pijit.explain(fast)), form
