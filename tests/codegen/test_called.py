"""Functions of ints in C, and Python's own, against Python itself."""

from __future__ import annotations

import math
import random

import pytest
from test_codegen_scalars import FLOATS, INTS, check

from pijit.ir.called import CALLED, OF_INTS
from pijit.ir.types import FLOAT, INT

pytestmark = pytest.mark.shared

FEW = [*range(-1, 30), 33, 34, 65, 66, 67, 68, 69]
NUMBERS = {"comb": [[*FEW, 2**32, 2**32 + 1, 2**62, 2**63 - 1], FEW], "perm": [[*FEW, 2**31, 2**32, 2**62, 2**63 - 1], FEW], "factorial": [FEW]}
MODULI = [1, 2, 3, 1000003, 2**31 - 1, 2**32 - 1, 2**32, 2**32 + 15, 2**63 - 1, 0, -1, -7, -(2**63)]


@pytest.mark.parametrize("name", sorted(OF_INTS))
def test_of_ints(name):
    row = OF_INTS[name]
    values = random.Random(name)
    some = [*INTS, *(values.randrange(-(2**k), 2**k) for k in (5, 10, 20, 33, 40, 50, 62, 63)), 600851475143, 2**40 * 3, 2**40 * 9]

    def expected(*args):
        if row.left(*args):
            raise ValueError
        return row.function(*args)

    operands = [[*some, 65537], some, MODULI] if name == "pow_mod" else NUMBERS.get(name, [some] * row.arity)
    if name == "pow_mod":
        operands[1] = [n for n in some if n < 10**6 or n > 2**60]
    check("int_math", [INT] * row.arity, INT, expected, operands, name=name)


def test_roots_of_whole_numbers():
    """Where a float is next to the root of another number."""
    roots = [1, 2, 94906265, 94906266, 94906267, 2**26, 2**31, 3037000499]
    near = [root * root + by for root in roots for by in (-1, 0, 1)]
    check("int_math", [INT], INT, math.isqrt, [near], name="isqrt")


@pytest.mark.parametrize("which", ["length", "count"])
def test_bits(which):
    check("int_bits", [INT], INT, getattr(int, f"bit_{which}"), [INTS], which=which)


@pytest.mark.parametrize("name", sorted(CALLED))
def test_called(name):
    row = CALLED[name]
    args = row.args or (FLOAT,) * 2
    values = random.Random(name)
    some = [*FLOATS, *(values.uniform(-1, 1) * 10.0 ** values.randrange(-12, 12) for _ in range(30))]
    few = [0, 1, 2, -1, -3, 15, 22, 23, 400, 2000, -2000, 2**62]
    check("called", list(args), FLOAT, row.function, [few if type == INT else some[:40] if len(args) == 3 else some for type in args], name=name)


def test_rounding_in_the_middle():
    """Of decimal numbers that no float is, and those next to them."""
    middles = [(2 * n + 1) / 2 / 10**k for k in range(6) for n in [*range(40), *range(99990, 100010)]]
    exact = [n / 2**k for k in range(1, 12) for n in range(1, 200, 6)]
    all_ = [near for x in (*middles, *exact) for near in (x, -x, math.nextafter(x, math.inf), math.nextafter(x, 0.0))]
    check("called", [FLOAT, INT], FLOAT, round, [all_, [*range(7)]], name="round")
    large = [2.0**52 / 10**k * by for k in range(12) for by in (0.999999, 1.0, 1.000001)]
    check("called", [FLOAT, INT], FLOAT, round, [large, [*range(13)]], name="round")
