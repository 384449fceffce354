"""np.nansum and its relatives: NumPy's bits, and its warnings where there is nothing but NaN."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(71)
NAMES = ["nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd"]
FORMS = ["a", "a, axis=0", "a, axis=-1", "a, None", "a[::-1]", "a[..., ::2], axis=0", "a.T, axis=0", "a, axis=(0, 1)"]
FORMS += ["a, 1, keepdims=True", "a, axis=n"]


def arrays(dtype):
    for shape in ((9,), (4, 6), (1,), (3, 4, 5), (300,), (40, 130), (5, 1), (0,), (3, 0), (20003,), (2, 9001)):
        a = (RNG.standard_normal(shape) * 10.0 ** RNG.integers(-3, 4, shape)).astype(dtype)
        yield a
        some = a.copy()
        some[RNG.random(shape) > 0.6] = np.nan
        yield some
        if a.size < 30:
            yield from (a * np.nan, np.where(RNG.random(shape) > 0.5, 0.0, -0.0).astype(dtype), np.where(a > 0, np.inf, np.nan).astype(dtype))
            yield np.where(RNG.random(shape) > 0.4, a * 1e300, np.nan).astype(dtype) if dtype == "f8" else -a
            yield np.where(np.arange(a.size).reshape(shape) < 2, a, np.nan).astype(dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", NAMES)
def test_forms(name, dtype):
    with np.errstate(all="ignore"):
        calls = [(a, n) for a in arrays(dtype) for n in (0, 1)]
    for form in FORMS:
        source = f"def f(a, n):\n    return np.{name}({form})\n"
        check_calls(source, calls, configurations=("jit",))
        check_calls(source, [call for call in calls if call[0].size < 100][::3], configurations=("numpy",))
        check(source, calls[8][0], 0, configurations=("forced",))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("state", ["all='raise'", "all='ignore'", "over='raise', invalid='warn'"])
@pytest.mark.parametrize("name", NAMES)
def test_errors_are_numpys(name, state):
    with np.errstate(all="ignore"):
        calls = [(a,) for a in arrays("f8") if a.size < 30]
    for form in ("a", "a, axis=0"):
        source = f"def f(a):\n    with np.errstate({state}):\n        b = np.{name}({form})\n    return b\n"
        check_calls(source, calls, configurations=("jit",))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_degrees_of_freedom():
    rests = ["axis=0, ddof=-1", "ddof=1.0", "0, None, None, 1", "ddof=n", "correction=1", "axis=1, ddof=2, keepdims=True"]
    for name in ("nanvar", "nanstd"):
        for rest in (*rests, "ddof=1", "axis=0, ddof=1", "axis=1, ddof=3", "ddof=0", "axis=0, ddof=99"):
            calls = [(a, 1) for a in arrays("f8") if a.ndim == 2]
            check_calls(f"def f(a, n):\n    return np.{name}(a, {rest})\n", calls, configurations=("jit",))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_left_to_numpy():
    a, k = np.array([[1.0, np.nan, 3.0], [np.nan, 2.0, np.nan]]), np.arange(6).reshape(2, 3)
    for name in NAMES:
        for form in ("k", "k > 2", "a * 1j", "k.T, axis=0", "3.5", "[1, np.nan]", "a, a=a"):
            check(f"def f(a, k):\n    return np.{name}({form})\n", a, k, configurations=("jit",))
        for form in ("a, dtype='f4'", "a, where=k > 1", "a, initial=2.0", "a, keepdims=True", "np.asfortranarray(a)", "a, 0, out=np.empty(3)"):
            check(f"def f(a, k):\n    return np.{name}({form})\n", a, k, configurations=("jit",))


def test_natively():
    a = np.where(RNG.random((4, 5)) > 0.3, RNG.standard_normal((4, 5)), np.nan)
    a[0], a[:, 0] = 1, 2
    for name in NAMES:
        for form in ("a", "a, axis=0", "a, 1"):
            check_native(f"np.{name}({form})", "a", a)
