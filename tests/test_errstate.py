"""Code under every error state of NumPy's: what is ignored costs no exit, everything else is NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

STATES = (
    "all='ignore'", "divide='ignore'", "invalid='ignore'", "divide='ignore', invalid='ignore'", "over='raise'", "all='raise'", "under='warn'",
    "divide='raise', invalid='ignore', over='ignore'", "all='warn'",
)  # fmt: skip
BODY = """
def g(a, b, k):
    r = a / b
    s = np.sqrt(a) * 2
    t = a * b + 1
    u = np.log(a) + np.exp(b)
    q = k // (k - 1)
    w = (a * 1e10).astype(np.int32)
    z = a.sum() + np.max(a) + a[0] / b[0]
    v = a.copy()
    v /= b
    v[1:] *= a[:-1]
    return r, s, t, u, q, w, z, v, np.where(b == 0, 0.0, a / b), 1 / a[1]
"""
X = np.array([1.0, 0.0, -1.0, np.inf, 1e308, np.nan, 1e-300])
Y = np.array([0.0, 0.0, 2.0, np.inf, 1e308, 1.0, 1e-300])
K = np.array([1, 0, 3, 4, 5, 6, 7])


@pytest.mark.parametrize("state", STATES)
def test_states(state):
    calls = [(X, Y, K), (X[[0, 2]] + 5, Y[[2, 5]] + 5, K[3:5]), (X, Y, K)]
    lines = ("a / b", "np.log(a) * b", "a * b", "k // (k - 1)", "np.exp(a)")
    for body in (BODY, *(f"def g(a, b, k):\n    y = {line}\n    return y\n" for line in lines)):
        source = body + f"def f(a, b, k):\n    with np.errstate({state}):\n        return g(a, b, k)\n"
        check_calls(source, calls, entry="f", configurations=("jit", "O0"))


def test_state_that_changes():
    source = "def g(a, b):\n    return a / b + 1\ndef f(a, b, state):\n    with np.errstate(**state):\n        return g(a, b)\n"
    states = ({}, {"all": "ignore"}, {"divide": "raise"}, {"all": "ignore"}, {}, {"under": "raise"}, {"invalid": "ignore"})
    check_calls(source, [(X, Y, state) for state in states * 2], entry="f", configurations=("jit", "enabled"))


def test_what_is_ignored_is_no_exit():
    from differential import settings

    import pijit

    def f(a, b):
        c = a / b
        d = np.log(a) * np.sqrt(b - 1)
        e = c.astype(np.float32)
        return c, d, e, np.exp(a * 1000)

    own = pijit.jit(f)
    with settings(compile_all=True, raise_internal=True), np.errstate(all="ignore"):
        for _ in range(3):
            for got, expected in zip(own(X, Y), f(X, Y), strict=True):
                assert np.array_equal(got, expected, equal_nan=True)
    assert pijit.stats(own).exits == 0
