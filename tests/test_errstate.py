"""Code under every error state of NumPy's: what is ignored costs no exit, everything else is NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, settings

import pijit

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


# A with statement in the code, under every base state: what is captured of it (no breaks), and what is left to the interpreter.
CAPTURED = {
    "loop": """
def f(a, b):
    s = 0.0
    for i in range(4):
        with np.errstate(divide='ignore', invalid='ignore'):
            q = np.where(b == 0, 0.0, a / b)
            if i == 2:
                continue
        s += q.sum()
    return s, np.geterr()
""",
    "nested": """
def f(a, b):
    with np.errstate(all='ignore'):
        x = a / b
        with np.errstate(divide='warn'):
            y = a / b
            inner = np.geterr()
        z = np.log(a)
        outer = np.geterr()
    return x, y, z, inner, outer, a / b
""",
    "return within": """
def g(a, b):
    with np.errstate(divide='ignore', invalid=None):
        for i in range(3):
            if a[i] == b[i]:
                return a / b, i
    return a * b
def f(a, b):
    with np.errstate(invalid='ignore') as nothing:
        return nothing, g(a, b), np.geterr(), b / a
""",
    "manager in a variable": """
def f(a, b):
    state = np.errstate(divide='ignore', invalid='ignore', over='ignore')
    with state:
        x = a / b
    return x, np.geterr()
""",
    "stores": """
def f(a, b):
    c, d = np.empty_like(a), a.copy()
    with np.errstate(divide='ignore', invalid='ignore'):
        c[:] = a / b
        d /= b
    c[1:] += 1 / b[1:]
    return c, d
""",
    "called in NumPy": """
def f(a, b):
    with np.errstate(over='ignore', invalid='ignore'):
        c = np.cumsum(a * 10) + np.max(a) - np.linalg.norm(b)
    return c, np.cumsum(a * 10)
""",
    "scalars": """
def f(a, b):
    s = a[0]
    with np.errstate(divide='ignore', invalid='ignore', over='ignore'):
        for i in range(len(a)):
            s += a[i] / b[i] if i % 2 else a[i] * b[i]
    return s, a[1] / b[1]
""",
    "raised and caught": """
def f(a, b):
    n = 0
    for i in range(3):
        try:
            with np.errstate(divide='raise', invalid='ignore'):
                c = a[i:] / b[i:]
                n += 1
        except FloatingPointError as e:
            n += 100
    return n, np.geterr()
""",
    "left by an error": """
def g(a, b, k):
    with np.errstate(all='ignore'):
        c = a / b
        return c[k]
def f(a, b):
    r = g(a, b, 2)
    with np.errstate(divide='ignore'):
        return r, g(a, b, 99)
""",
}
LEFT = {
    "treatment in a variable": """
def f(a, b):
    found = []
    for how in ('ignore', 'warn', 'ignore'):
        with np.errstate(divide=how):
            found.append(a / b)
    return found
""",
    "called back": """
def f(a, b):
    seen = []
    def note(kind, flag):
        seen.append((kind, flag, np.geterr()['over']))
    with np.errstate(all='call', call=note, over='ignore'):
        c = a / b
        with np.errstate(invalid='ignore'):
            d = a / b
    return c, d, seen
""",
    "underflow counts": """
def f(a, b):
    with np.errstate(all='warn'):
        c = a * b * 1e-300
        with np.errstate(under='ignore'):
            d = a * b * 1e-300
    return c, d
""",
    "entered twice": """
def f(a, b):
    state = np.errstate(all='ignore')
    with state:
        c = a / b
    with state:
        c = a / b
    return c
""",
    "something in between": """
def f(a, b):
    with np.errstate(all='ignore'):
        c = a / b
        print('in between')
        d = c / b
    return c, d, 1 / b, np.geterr()
""",
    "no treatment": """
def f(a, b):
    with np.errstate(divide='loudly'):
        return a / b
""",
    "seterr within": """
def f(a, b):
    with np.errstate(divide='ignore'):
        old = np.seterr(invalid='ignore')
        c = a / b
    return old, c, b / a
""",
    "by hand": """
def f(a, b):
    state = np.errstate(divide='ignore', invalid='ignore')
    state.__enter__()
    try:
        c = a / b
    finally:
        state.__exit__(None, None, None)
    return c, a / b
""",
    "in a generator": """
def steps(a, b):
    for i in range(3):
        with np.errstate(all='ignore'):
            c = a / b
        yield c[i]
def f(a, b):
    return [x for x in steps(a, b)], a / b
""",
}


@pytest.mark.parametrize("name", CAPTURED)
def test_with_is_captured(name):
    check(CAPTURED[name], X, Y)
    stats = check(CAPTURED[name], np.array([2.0, 3.0, 5.0]), np.array([2.0, 1.0, 4.0]))
    assert not stats.breaks or name == "left by an error"


@pytest.mark.parametrize("name", LEFT)
def test_with_that_is_left_to_the_interpreter(name):
    check(LEFT[name], X, Y)


@pytest.mark.parametrize("state", ["all='ignore'", "divide='raise'", "all='warn'", "divide='call', call=lambda *_: None"])
def test_with_under_another_state(state):
    for name in ("nested", "return within", "stores"):
        source = CAPTURED[name].replace("def f(", "def inner(") + f"def f(a, b):\n    with np.errstate({state}):\n        return inner(a, b)\n"
        check(source, X, Y, configurations=("jit", "numpy"))


def test_the_manager_is_as_it_was():
    seen = []

    def f(a, b):
        with np.errstate(divide="ignore"):
            return a / b

    def enter(self):
        seen.append("entered")
        return before(self)

    own, before = pijit.jit(f), np.errstate.__enter__
    own(X[2:3], Y[2:3])
    np.errstate.__enter__ = enter
    try:
        own(X[2:3], Y[2:3])
    finally:
        np.errstate.__enter__ = before
    assert seen == ["entered"]
