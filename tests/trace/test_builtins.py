"""Built-in functions: the same objects as Python gives."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from harness import agree, operations

pytestmark = pytest.mark.shared

INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 0.1, 1e300, -5e-324, INF, -INF, NAN, 2.0**53 + 2, 1e18, -(2.0**63)]
INTS = [0, 1, -1, 7, -8, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]


def function_of(text, count):
    names = "abcd"[:count]
    return eval(f"lambda {', '.join(names)}: {text}", {"np": np, "math": math})


ONE = [
    "int(a)",
    "float(a)",
    "bool(a)",
    "abs(a)",
    "round(a)",
    "round(a, 1)",
    "type(a)",
    "isinstance(a, int)",
    "isinstance(a, (float, int))",
]
ONE += [
    "math.floor(a)",
    "math.ceil(a)",
    "math.trunc(a)",
    "min(a, 0)",
    "max(a, 0)",
    "max(0.0, a)",
    "min((a, 2))",
    "tuple((a, a))",
]
ONE += ["divmod(a, 3)", "sum((a, a, 1))", "pow(a, 2)"]


@pytest.mark.parametrize("text", ONE)
@pytest.mark.parametrize(
    "values",
    [
        INTS,
        FLOATS,
        [True, False],
        *([t(v) for v in (0, 1, 5, 100)] for t in (np.int8, np.uint64, np.int64)),
        [np.float64(v) for v in FLOATS],
        [np.float32(v) for v in (0.0, -0.0, 1.5, INF, NAN)],
        [np.True_, np.False_],
    ],
)
def test_one_argument(text, values):
    first, *rest = [(v,) for v in values]
    agree(function_of(text, 1), first[0], others=tuple(rest), exits=None)


@pytest.mark.parametrize("text", ["min(a, b)", "max(a, b)", "max(a, b, a)", "divmod(a, b)"])
@pytest.mark.parametrize(
    "values",
    [
        (INTS, INTS),
        (FLOATS, FLOATS),
        (INTS, FLOATS),
        ([np.float64(v) for v in FLOATS], FLOATS),
        ([np.int32(4), np.int32(-1)], [np.int32(4), np.int32(3)]),
    ],
)
def test_two_arguments(text, values):
    first, *rest = product(*values)
    agree(function_of(text, 2), *first, others=tuple(rest), exits=None)


@pytest.mark.parametrize(
    ("text", "arg", "ops"),
    [
        ("abs(a)", 3, ["int_abs"]),
        ("abs(a)", -1.5, ["float_abs"]),
        ("int(a)", 1.5, ["float_to_int"]),
        ("float(a)", 3, ["int_to_float"]),
        ("round(a)", 2.5, ["float_round"]),
        ("max(a, 1)", 1, ["select", "select"]),
        ("int(a)", 3, []),
        ("bool(a)", 2, ["cmp"]),
    ],
)
def test_native(text, arg, ops):
    capture = agree(function_of(text, 1), arg)
    assert [name for name in operations(capture) if name not in ("poll", "cmp") or name in ops] == ops


def test_ranges():
    def count(n):
        total = 0
        for i in range(n):
            total += i
        return total

    agree(count, 5, others=((0,), (-3,), (100,)))
    agree(function_of("len(range(a))", 1), 5, others=((0,), (-3,)))
    agree(function_of("len(range(a, b, 3))", 2), 1, 11, others=((0, 9), (5, -3), (1, 1)))
    agree(function_of("len(range(a, b, -3))", 2), 11, 1, others=((0, 9), (5, -4), (1, 1)))


def test_lengths():
    agree(function_of("len(a)", 1), np.zeros((3, 2)), others=((np.zeros((0, 4)),),))
    agree(function_of("len(a)", 1), [1, 2, 3], others=(([],),))
    agree(function_of("len(a)", 1), {1: 2}, others=(({},),))
    agree(function_of("len((a, a))", 1), 1)


def test_last_of_mixed_types_is_a_branch():
    def f(a, b):
        return max(a, b) * 2

    agree(f, 1, 2.5, others=((3, 2.5), (3, NAN), (-1, 0.0)))
