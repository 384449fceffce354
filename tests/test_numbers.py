"""What of `math`, ints and floats is a function in C: on native code and the NumPy back-end as in Python, where the interpreter has to do it too."""

from __future__ import annotations

import collections
import math
import warnings

import numpy as np
import pytest
from differential import check, check_calls, check_stays_native

import pijit
from pijit.runtime import tiers

HUGE = 2**63
INTS = [0, 1, -1, 6, 20, 21, 40, 70, HUGE - 1, -HUGE, HUGE, -(10**30), True, np.int64(12), np.uint64(2**63 + 2), 2.0, "x", None]
FLOATS = [0.0, -0.0, 1.5, -2.5, 171.7, 1e308, -1e-310, math.inf, -math.inf, math.nan, 3, True, 10**400, np.float64(0.3), np.float32(1.1), "x"]
OF_INTS = """
math.gcd(x, 12) | math.gcd(x, x - 1) | math.gcd(x) | math.lcm(x, 2**40) | math.isqrt(x) | math.factorial(x) | math.comb(x, 3) | math.comb(70, x) |
math.perm(x, 2) | math.perm(25, x) | math.perm(x) | x.bit_length() | x.bit_count() | pow(x, 5, 7) | pow(3, x, 1000003) | pow(3, x, 9) | pow(2, 5, x) |
pow(x, 3, mod=5) | pow(x, -1, 7) | int.bit_length(x) | round(2.675, x) | round(x, 2) | round(x, -1) | round(1234.5, ndigits=x) | math.ldexp(1.5, x)
"""
OF_FLOATS = """
math.hypot(x, 2.5) | math.hypot(x) | math.hypot() | math.hypot(x, 1.0, x) | math.hypot(*[x] * 9) | math.dist((x, 1.0), (2.0, x)) |
math.dist((x,), (1,)) | math.dist((x, 1), (2.0,)) | math.dist([x, 1], (2.0, 3)) | math.dist((), ()) | math.isclose(x, 1.5) | math.isclose(x, x) |
math.isclose(1.4999, x, rel_tol=1e-3) | math.isclose(x, 0.0, abs_tol=1e-9) | math.isclose(1.0, 2.0, rel_tol=x) | math.isclose(1.0, 2.0, abs_tol=x) |
math.isclose(x, 1.0, tol=3) | math.gamma(x) | math.lgamma(x) | math.ulp(x) | math.ldexp(x, 3) | math.ldexp(x, 2000) | round(x, 2) | round(x, 0) |
round(x, 23) | round(x, -2) | round(x, -400) | round(x, None) | round(x, True) | math.prod((x, 2, 0.5)) | math.prod((3, x), start=2) | math.prod(()) |
math.prod((x, x, x, x)) | math.fsum((x, 1.0))
"""


def forms(text):
    return [form.strip() for form in text.split("|")]


def ops_in(function):
    """How often each word stands in the graphs of a function."""
    return collections.Counter(" ".join(fragment.texts["graph"] for fragment in tiers.record_of(function.__code__).fragments).split())


def caught(form):
    return f"""
import math
def f(xs):
    found = []
    for x in xs:
        try:
            found.append({form})
        except Exception as error:
            found.append((type(error).__name__, str(error), error.__traceback__.tb_lineno))
    return found
"""


@pytest.mark.shared
@pytest.mark.parametrize("form", forms(OF_INTS))
def test_of_ints(form):
    endless = form in ("math.factorial(x)", "math.perm(x)")
    numbers = [x for x in INTS if not (endless and x == HUGE - 1)]
    check(caught(form), numbers, configurations=("jit", "numpy"))
    check(f"import math\ndef f(x):\n    return {form}\n", 5)
    for x in numbers:
        check(f"import math\ndef f(x):\n    return {form}\n", x, configurations=("jit", "numpy"))


@pytest.mark.shared
@pytest.mark.parametrize("form", forms(OF_FLOATS))
def test_of_floats(form):
    check(caught(form), FLOATS, configurations=("jit", "numpy"))
    check(f"import math\ndef f(x):\n    return {form}\n", 1.25)
    for x in FLOATS:
        check(f"import math\ndef f(x):\n    return {form}\n", x, configurations=("jit", "numpy"))


LOOPS = {
    "gcd": ("s ^= math.gcd(i, 360) + math.lcm(i, 4) + math.comb(20, i % 9) + math.perm(9, i % 5) + math.factorial(i % 21)", "int_math"),
    "pow": ("s += pow(i, 65537, 1000003) + math.isqrt(i * i + 1)", "int_math"),
    "bits": ("s += i.bit_length() + (-i).bit_count()", "int_bits"),
    "norms": ("s += math.hypot(i, x) + math.dist((i, x), (x, 2)) + math.lgamma(x + i)", "called"),
    "round": ("s += round(x * i, 2) + round(x / (i + 1), i % 30)", "called"),
    "isclose": ("s += math.isclose(i * x, 100.0, rel_tol=0.1)", "math"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_no_call_is_left(name):
    text, op = LOOPS[name]
    namespace = {"math": math}
    exec(f"def f(n, x):\n    s = 0\n    for i in range(n):\n        {text}\n    return s\n", namespace)
    fast = pijit.jit(namespace["f"])
    assert fast(1000, 1.37) == namespace["f"](1000, 1.37)
    assert ops_in(fast)[op] >= 1
    assert not ops_in(fast)["call"]
    assert not pijit.stats(fast).breaks


def test_distances_of_points_in_lists():
    program = """
import math
def f(points, other):
    s = 0
    for p in points:
        for q in other:
            s += math.dist(p, q)
    return s
"""
    points = [(k * 0.5, float(k % 7)) for k in range(70)]
    calls = [
        (points, points), (points, [*points, (1, True)]), (points, [*points, [1.0, 2.0]]), (points, [*points, (1.0,)]),
        (points, [*points, ("a", 1.0)]), ([(1.5, 2.5, x / 3) for x in range(70)], [(0.0, float("nan"), 1e300)] * 70), ([()] * 70, [()] * 70),
        (points, [*points, (2**70, 1.0)]), ([[x, 1.0] for x in range(70)], [[1.0, x] for x in range(70)]),
    ]  # fmt: skip
    check_calls(program, calls, configurations=("jit", "forced"))
    check_stays_native(program, points, points)


def test_what_raises_after_a_while():
    """The interpreter raises it, at its line, after what came before."""
    source = """
import math
def f(n, found):
    for i in range(n, -3, -1):
        found.append(0)
        x = math.factorial(
            i + 2)
        found[-1] = x
        x = math.isqrt(i)
        found[-1] += x
"""
    check(source, 30, [])


@pytest.mark.parametrize("form", ["math.isclose(x, math.inf)", "math.isclose(math.nan, x)", "math.hypot(x, 1.0) > 3.0", "round(x, 2) > 1.0"])
def test_flags_of_the_processor(form):
    """NumPy looks for them after each element that it calls Python for."""
    namespace = {"math": math}
    exec(f"def f(x):\n    return 1.0 if {form} else 2.0\n", namespace)
    array = np.array([1.0, np.inf, 1e308, 1e-320, 0.0])

    def messages(function):
        with warnings.catch_warnings(record=True) as seen, np.errstate(all="warn"):
            warnings.simplefilter("always")
            results = [np.vectorize(function, otypes=[float])(array) for _ in range(3)]
        return [list(result) for result in results], [str(w.message) for w in seen]

    fast = pijit.jit(namespace["f"])
    fast(1.0)
    assert messages(namespace["f"]) == messages(fast)


def test_a_function_that_was_replaced(monkeypatch):
    def f(x):
        return math.hypot(x, 4.0)

    fast = pijit.jit(f)
    assert fast(3.0) == 5.0
    monkeypatch.setattr(math, "hypot", lambda x, y: "mine")
    assert fast(3.0) == "mine"
