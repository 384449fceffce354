"""Random programs under jit_level="O2": numbers within the bounds of docs/levels.md, everything else as in plain Python.

Each program also runs on numbers that know their exact value, the sum of what was added up to it without signs, and how many
operations went into it: however sums and products are grouped, the error is at most that many roundings of that sum.
"""

from __future__ import annotations

import random
import sys
import warnings
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
from differential import settings

import pijit

pytestmark = pytest.mark.shared

U = {"float64": Fraction(1, 2**53), "float32": Fraction(1, 2**24)}
SEEDS = 24


def elements(operator):
    """With an array, NumPy does the operation on each element."""
    return lambda self, other: NotImplemented if type(other) is np.ndarray else operator(self, exact(other))


class Exact:
    """A number's exact value, its size without cancellation, and the roundings on the way to it."""

    def __init__(self, value, size=None, roundings=1):
        self.value = Fraction(value)
        self.size = abs(self.value) if size is None else size
        self.roundings = roundings

    @elements
    def __add__(self, other):
        return Exact(self.value + other.value, self.size + other.size, self.roundings + other.roundings + 1)

    @elements
    def __mul__(self, other):
        return Exact(self.value * other.value, self.size * other.size, self.roundings + other.roundings + 1)

    @elements
    def __truediv__(self, other):
        assert other.size == abs(other.value)  # nothing was added to it
        return Exact(self.value / other.value, self.size / other.size, self.roundings + other.roundings + 3)

    def __pow__(self, power):
        n = int(power)
        return Exact(self.value**n, self.size**n, n * self.roundings + n)

    def __neg__(self):
        return Exact(-self.value, self.size, self.roundings)

    @elements
    def __sub__(self, other):
        return self + -other

    @elements
    def __rsub__(self, other):
        return -self + other

    @elements
    def __rtruediv__(self, other):
        return other / self

    __radd__, __rmul__ = __add__, __mul__


def exact(value):
    return value if type(value) is Exact else Exact(value)


class Program:
    """The text of a function of two vectors, a number other than zero, and a whole number."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.arrays, self.sums, self.whole = ["x", "y"], [], ["n"]
        statements = [self.array, self.array, self.changed, self.loop, self.total, self.recurrence, self.counts]
        for _ in range(self.random.randint(3, 7)):
            self.random.choice(statements)()
        results = ", ".join([*self.arrays[2:], *self.sums, *self.whole])
        self.text = "\n    ".join(["def f(x, y, c, n):", *self.lines, f"return {results},"]) + "\n"

    def number(self, leaves, depth=3):
        choose = self.random
        if depth == 0 or choose.random() < 0.15:
            return choose.choice([*leaves, "c", "0.75", "3.0"] if depth < 3 else leaves)
        one = self.number(leaves, depth - 1)
        kind = choose.choice(["+", "+", "-", "*", "*", "/", "**", "neg"])
        if kind == "/":
            return f"({one} / {choose.choice(['c', '3.0', '(c * 7.0)'])})"
        if kind == "**":
            return f"{choose.choice(leaves)} ** {choose.choice([2, 3, 5, 2.0])}"
        if kind == "neg":
            return f"(-{one})"
        return f"({one} {kind} {self.number(leaves, depth - 1)})"

    def array(self):
        name = f"a{len(self.arrays)}"
        self.lines.append(f"{name} = {self.random.choice(self.arrays)} {self.random.choice('+*')} {self.number(self.arrays)}")
        self.arrays.append(name)

    def changed(self):
        """An array that is changed in place."""
        name = f"a{len(self.arrays)}"
        self.lines.append(f"{name} = {self.random.choice(self.arrays)}.copy()")
        where = self.random.choice(["[:]", "[1:]", "[::2]"])
        leaves = [f"{array}{where}" for array in self.arrays]
        self.lines.append(f"{name}{where} {self.random.choice(['+=', '-=', '=', '*='])} {self.number(leaves, 2)}")
        self.arrays.append(name)

    def loop(self):
        name = f"s{len(self.sums)}"
        term = self.number([f"{array}[i]" for array in self.arrays])
        self.lines += [f"{name} = {self.random.choice(['0.0', 'c'])}", "for i in range(n):", f"    {name} {self.random.choice(['+=', '-='])} {term}"]
        if self.random.random() < 0.5:
            self.lines.append(f"    k{len(self.whole)} = i * {len(self.whole)}")
            self.lines.append(f"k{len(self.whole)} = k{len(self.whole)} + 1")
            self.whole.append(f"k{len(self.whole)}")
        self.sums.append(name)

    def total(self):
        name = f"s{len(self.sums)}"
        self.lines.append(f"{name} = ({self.random.choice(self.arrays)} + {self.number(self.arrays, 2)}).sum()")
        self.sums.append(name)

    def recurrence(self):
        name = f"a{len(self.arrays)}"
        other = self.random.choice(self.arrays)
        term = self.number([f"{other}[i]"], 2)
        self.lines += [f"{name} = {other}.copy()", "for i in range(1, n):", f"    {name}[i] = {name}[i - 1] / 3.0 + {term}"]
        self.arrays.append(name)

    def counts(self):
        """What may not change at all."""
        name = f"k{len(self.whole)}"
        value = self.random.choice(["(x > y).sum()", "n * 3 - 7 // n", "int(np.argmax(np.abs(y)))", "(x.shape, str(y.dtype))"])
        self.lines.append(f"{name} = {value}")
        self.whole.append(name)


def happens(function, args):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = function(*args)
    return result, [(w.category, str(w.message), w.lineno) for w in seen]


def compare(got, plain, true, u, text):
    """One result against what plain Python gives and the exact one."""
    assert type(got) is type(plain), text
    if not isinstance(got, np.ndarray | np.floating | float):
        assert got == plain, text
        return
    assert np.shape(got) == np.shape(plain)
    if isinstance(got, np.ndarray):
        assert (got.dtype, got.strides, got.flags.c_contiguous) == (plain.dtype, plain.strides, plain.flags.c_contiguous), text
    for one, other, number in zip(np.ravel(got).tolist(), np.ravel(plain).tolist(), np.ravel(true).tolist(), strict=True):
        if not np.isfinite(other):
            continue
        number = exact(number)
        bound = 2 * number.roundings * u * number.size
        assert isinstance(one, Real)
        assert abs(Fraction(other) - number.value) <= bound, text
        assert abs(Fraction(one) - number.value) <= bound, (text, one, other)


def check(seed):
    text = Program(seed).text
    chooser = np.random.default_rng(seed)
    dtype = ("float64", "float32")[seed % 2]
    space = {"np": np, "__name__": "subject"}
    exec(text, space)
    plain = space["f"]
    fast = pijit.jit(plain, jit_level="O2")
    with settings(compile_all=True, raise_internal=True):
        for n in (int(chooser.integers(1, 40)), 9, 64, 65):
            x, y = ((chooser.integers(512, 900, n) * chooser.choice([-1, 1], n) / 512.0).astype(dtype) for _ in range(2))
            c = float(chooser.choice([0.7, -1.25, 3.0, 0.1]))
            expected, warned = happens(plain, (x, y, c, n))
            true = exactly(text, x, y, c, n)
            for _ in range(2):
                got, seen = happens(fast, (x, y, c, n))
                assert seen == warned, text
                assert len(got) == len(expected)
                for one, other, number in zip(got, expected, true, strict=True):
                    compare(one, other, number, U[dtype], text)
    assert pijit.stats(fast).compiles > 0


def exactly(text, x, y, c, n):
    """The results in exact numbers, but for those that count or compare."""
    space = {"np": np}
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("k")]
    whole = [name for name in text.splitlines()[-1].replace(",", " ").split() if name.startswith("k")]
    exec("\n".join([lines[0], *(f"    {name} = None" for name in whole), *lines[1:]]), space)
    vectors = (np.array([Exact(value) for value in array.tolist()], dtype=object) for array in (x, y))
    return space["f"](*vectors, Exact(c), n)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_programs(seed):
    check(seed)


if __name__ == "__main__":  # python tests/test_levels_generated.py FIRST LAST
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        check(number)
