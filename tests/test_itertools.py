"""Loops over the iterators of itertools, and over those that are held: real ones, that move in C, and count, which is a number."""

from __future__ import annotations

import sys
import textwrap
import types

import pytest
from differential import check, check_calls, settings
from test_iterators import BODIES, SOURCE

import pijit

pytestmark = pytest.mark.shared

LOOPS = {
    "product": "for x, y in product(xs, ys):",
    "product, of ranges": "for i, y in product(range(len(xs)), range(1, 4)):\n        x = xs[i]",
    "product, repeated": "for x, y, i in product(xs[:3], repeat=3):",
    "product, of nothing": "for x in product():\n        x = 1",
    "product, held": "it = product(xs, ys)\n    for x, y in it:\n        break\n    for x, y in it:",
    "product, kept": "kept = list(product(xs, ys))\n    for x, y in kept:",
    "product, its tuples kept": "kept = []\n    for pair in product(xs, ys[:4]):\n        kept.append(pair)\n        x, y = kept[len(kept) // 2]",
    "combinations": "for x, y in combinations(xs, 2):",
    "combinations, of more": "for p in combinations(xs, 3):\n        x = p[0] - p[2]",
    "combinations, of too many": "for p in combinations(xs[:2], 5):\n        x = 1",
    "combinations, less than none": "for p in combinations(xs, -len(xs)):\n        x = 1",
    "combinations, of a number that is not one": "for p in combinations(xs, 1.5):\n        x = 1",
    "combinations, one item again and again": "for p in combinations_with_replacement(xs[:6], 2):\n        x, y = p",
    "permutations": "for p in permutations(xs[:4]):\n        x = p[1] * 2 - p[-1]",
    "permutations, of some": "for x, y in permutations(xs[:6], 2):",
    "chain": "for x in chain(xs, ys, (7, 8.5)):",
    "chain, of one": "for x in chain(xs):",
    "chain, of pairs": "for i, x in chain(enumerate(xs), zip(ys, xs)):",
    "islice": "for x in islice(xs, 3, None, 2):",
    "islice, to": "for x in islice(xs, 5):",
    "islice, less than none": "for x in islice(xs, len(ys) - 30, None):",
    "pairwise": "for x, y in pairwise(xs):",
    "zip_longest": "for x, y in zip_longest(xs, ys):\n        x, y = x or 0, y or 1",
    "cycle": "for x in cycle(xs):\n        i += 1\n        if i > 40:\n            break",
    "count": "for i in count():\n        if i >= len(xs):\n            break\n        x = xs[i]",
    "count, backwards": "for i in count(len(xs) - 1, -1):\n        if i < 0:\n            break\n        x = xs[i]",
    "count, beside": "for x, i in zip(xs, count(3, 4)):",
    "count, first": "for i, x in zip(count(len(ys)), xs):",
    "count, in steps of none": "for i in count(3, 0):\n        x = i\n        y += 1\n        if y > 20:\n            break",
    "count, from a bool": "for i in count(len(xs) > 3):\n        if i > 9:\n            break\n        x = i",
    "count, of floats": "for x in count(0.5):\n        if x > 9:\n            break",
    "count, held": "it = count(2)\n    for i, x in zip(it, xs[:4]):\n        s += i\n    for x in it:\n        if x > 12:\n            break",
    "count, to where it is too large": "for i in count((1 << 58 + len(ys) % 8) - 4):\n        x, y = i % 7, y + 1\n        if y > 9: break",
    "count, mapped": "for x in map(lambda a, b: a * b, xs, count()):",
    "within each other": "for i, (x, y) in zip(count(), product(xs[:3], ys[:3])):",
}
LOOPS |= {
    "iter": "it = iter(xs)\n    for x in it:\n        y += 1\n        if y > 4:\n            break\n    for x in it:",
    "iter, of one that is": "it = iter(iter(xs))\n    for x in iter(it):",
    "iter, in two places": "it = other = iter(xs)\n    for x in it:\n        y = next(other, 5)",
    "iter, of a range": "it = iter(range(len(xs)))\n    for i in it:\n        x = next(it, 0.5) + xs[i]",
    "iter, of a list that is made": "it = iter([len(xs), 2.5, None, 4])\n    for k in xs:\n        x = next(it, 3) or 0\n    for x in (0, 1):",
    "iter, of a tuple": "it = iter((xs, 2))\n    i = len(next(it))\n    for x in it:",
    "iter, of views": "d = dict(enumerate(xs))\n    it, other = iter(d.values()), iter(d.items())\n    for x in it:\n        i, y = next(other)",
    "iter, of a dict that grows": "d = dict(enumerate(xs))\n    it = iter(d)\n    for i in it:\n        d[i + 1] = x = 3\n        if i > 4: break",
    "next, in a loop": "it = iter(xs)\n    for i in range(len(xs) + (y - 1)):\n        x = next(it)",
    "next, too often": "it = iter(xs)\n    for i in range(len(xs) + 2):\n        x = next(it)",
    "next, to its end": "it = iter(xs)\n    while True:\n        try:\n            x = next(it)\n        except StopIteration:\n            break\n"
    "        s += x\n    for x in it:",
    "next, of texts": "it = iter('ab\u0100cd')\n    for x in xs:\n        told.append(next(it, i))",
    "next, of combinations": "it = combinations(xs, 2)\n    y, i = next(it, (1, 2))\n    for x, i in it:",
    "next, the first of a set": "i = next(iter({len(xs)}))\n    for x in xs:",
    "next, of what is none": "for x in xs:\n        i = next(xs)",
}
if sys.version_info >= (3, 12):
    LOOPS["batched"] = "for p in batched(xs, 3):\n        x = p[0]"
# Every loop with one body, and some loops with all of them.
BODIES_OF_SOME = ("break", "it grows", "an exception")
SOME = ("product", "combinations", "chain, of pairs", "zip_longest", "count", "count, beside", "iter", "iter, in two places", "next, to its end")
PAIRS = [*((loop, "branches") for loop in LOOPS), *((loop, body) for loop in SOME for body in BODIES_OF_SOME)]
ARGUMENTS = (
    [[float(k % 7) for k in range(12)], [2.0 * k for k in range(6)]], [list(range(10)), list(range(5))], [[1, 2.5] * 4, list(range(7))], [[], []],
    [[3], [True, 2]], [[2**70, 1, 5], [4, 0.5]],
)  # fmt: skip


def source(loop, body):
    names = "batched, " if sys.version_info >= (3, 12) else ""
    names += "product, permutations, combinations, combinations_with_replacement, chain, islice, pairwise, zip_longest, cycle, count"
    return f"from itertools import {names}\n" + SOURCE.format(loop=LOOPS[loop], body=textwrap.indent(BODIES[body], " " * 8))


@pytest.mark.parametrize(("loop", "body"), PAIRS)
def test_loop(loop, body):
    check_calls(source(loop, body), [args for args in ARGUMENTS for _ in range(2)], entry="f", configurations=("enabled", "jit", "forced numpy"))


@pytest.mark.parametrize("loop", SOME)
def test_forced_exits(loop):
    check_calls(source(loop, "branches"), [args for args in ARGUMENTS[:2] for _ in range(2)], entry="f", configurations=("forced",))


NATIVE = """
from itertools import product, combinations, permutations, chain, islice, pairwise, count

def pairs(xs):
    total = 0.0
    for a, b in combinations(xs, 2):
        total += a * b
    return total

def cells(xs):
    total = 0
    for i, j in product(range(len(xs)), range(3)):
        total += i * j
    return total

def steps(xs):
    total = 0.0
    for a, b in pairwise(xs):
        total += b - a
    for a in islice(chain(xs, (1.5, 2.5)), 1, None):
        total -= a
    return total

def orders(xs):
    total = 0.0
    for a, b, c in permutations(xs[:3]):
        total = total * 0.5 + a * b - c
    return total

def first(xs):
    for i in count():
        if xs[i] > 5.0:
            return i
"""


@pytest.mark.parametrize("name", ["pairs", "cells", "orders", "first"])
def test_it_is_native(name):
    space = {}
    exec(NATIVE, space)
    xs = [0.5 * k for k in range(30)]
    expected = space[name](xs)
    jitted = pijit.jit(space[name])
    for _ in range(3):
        assert jitted(xs) == expected
    stats = pijit.stats(jitted)
    assert (stats.compiles, stats.hits, stats.breaks, stats.exits) == (1, 3, (), 0)


def test_a_long_loop_is_taken_over():
    """In a function that is called once, the iterator has begun; what it gave last says what it gives."""
    text = """
from itertools import product, permutations, combinations
def f(n):
    total = 0
    for i, j in product(range(n), range(n)):
        total += i * j
    for i, j in combinations(range(n), 2):
        total += i - j
    for i, j in permutations([0.5, 1, 2] * 9, 2):
        total += i * j
    return total
"""
    with settings(threshold_loops=4):
        check(text, 40, entry="f", configurations=("enabled",))
        module = types.ModuleType("taken_over")
        exec(text, vars(module))
        pijit.enable(module)
        module.f(40)
        found = [fragment.kind for fragment in pijit.stats(module.f).fragments]
    assert found.count("loop") >= 2


def test_nobody_is_asked():
    """What goes through objects of the program's runs their code, each step: it is left to the interpreter."""

    class Numbers:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return iter(range(self.n))

    def f(numbers):
        total = 0
        for a in chain(numbers, (1, 2)):
            total += a
        for a, b in product(numbers, repeat=2):
            total -= a * b
        return total

    from itertools import chain, product

    check(f, Numbers(5))
