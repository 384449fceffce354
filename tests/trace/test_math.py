"""The math module."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from harness import agree, operations, trace

from pijit.trace.functions import math_
from pijit.trace.tables import CALLABLES, PURE

pytestmark = pytest.mark.shared

FLOATS = [0.5, 0.0, -0.0, 1.0, -1.5, 2.5, 1e300, -5e-324, math.inf, -math.inf, math.nan, 709.8, -1.0, 3.0]
PUBLIC = [name for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))]


def test_every_function_has_a_row():
    assert all(getattr(math, name) in CALLABLES or getattr(math, name) in PURE for name in PUBLIC)


@pytest.mark.parametrize(
    "values",
    [
        FLOATS,
        [0, 1, -1, 2**60, 3],
        [True, False],
        [np.float64(v) for v in FLOATS],
        [np.float32(0.5), np.float32(-1)],
        [np.int64(3), np.int64(-1), np.int64(2**60 + 1)],
    ],
)
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in PUBLIC
        if name not in ("dist", "fsum", "prod", "sumprod", "hypot", "gcd", "lcm", "factorial", "perm")
    ],
)
def test_one(name, values):
    f = eval(f"lambda a: math.{name}(a)", {"math": math})
    agree(f, values[0], others=tuple((v,) for v in values[1:]), exits=None)


@pytest.mark.parametrize(
    "name", ["atan2", "fmod", "pow", "remainder", "copysign", "nextafter", "log", "hypot", "isclose", "dist"]
)
def test_two(name):
    f = eval(f"lambda a, b: math.{name}(a, b)", {"math": math})
    first, *rest = product(FLOATS, FLOATS)
    agree(f, *first, others=tuple(rest), exits=None)


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("gcd(a, b, a)", (12, 18)),
        ("fsum((a, b, 1.5))", (0.1, 0.2)),
        ("frexp(a)[1] + b", (8.0, 1)),
        ("dist((a, b, a, b, a, b, a, b, a), (b, a, b, a, b, a, b, a, b))", (1.0, 2.0)),
    ],
)
def test_called(text, args):
    names = "ab"[: len(args)]
    f = eval(f"lambda {', '.join(names)}: math.{text}", {"math": math})
    assert any(name.startswith("call ") for name in operations(agree(f, *args)))


@pytest.mark.parametrize(
    ("text", "args", "native"),
    [
        ("ldexp(a, b)", (1.5, 3), ["called"]),
        ("gcd(a, b)", (12, 18), ["int_math"]),
        ("comb(a, b)", (5, 2), ["int_math"]),
        ("factorial(a)", (5,), ["int_math"]),
        ("prod((a, b))", (2.0, 3.5), ["float_mul"]),
        ("hypot(a, b, a)", (1.0, 2.0), ["called"]),
        ("dist((a, b), (b, a))", (1.0, 2.0), ["float_sub", "float_sub", "called"]),
        ("isclose(a, b, abs_tol=b)", (1.0, 2.0), ["math"]),
    ],
)
def test_not_called(text, args, native):
    names = "ab"[: len(args)]
    f = eval(f"lambda {', '.join(names)}: math.{text}", {"math": math})
    assert operations(agree(f, *args)) == native


@pytest.mark.parametrize("name", [*math_._FLOATS, *math_._TESTS, *math_._ROUNDINGS])
def test_native(name):
    if hasattr(math, name):
        count = math_._FLOATS.get(name, 1)
        f = eval(f"lambda a, b: math.{name}({', '.join('ab'[:count])})", {"math": math})
        assert operations(trace(f, 0.5, 0.25)) == ["math"]
