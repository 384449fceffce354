"""Walks through trees and lists by functions that call themselves: what they return shows at the leaves, and nodes hold objects of several types
(trace/own_calls.py, runtime/recursion.py)."""

from __future__ import annotations

import copy
import random

import numpy as np
import pytest

import pijit
from tests.differential import check, check_stays_native, describe_exception, settings


class Node:
    def __init__(self, v, l=None, r=None):  # noqa: E741 - as in programs
        self.v, self.l, self.r = v, l, r

    def total(self):
        s = self.v
        if self.l is not None:
            s += self.l.total()
        if self.r is not None:
            s += self.r.total()
        return s


class Slotted:
    __slots__ = ("kids", "w")

    def __init__(self, w, kids):
        self.w, self.kids = w, kids


class Num:
    def __init__(self, v):
        self.v = v


class Var:
    def __init__(self, name):
        self.name = name


class Bin:
    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b


def tree(depth, v=1):
    return Node(v, tree(depth - 1, 2 * v), tree(depth - 1, 2 * v + 1)) if depth else None


def ragged(rng, depth):
    return Node(rng.randrange(100), *(ragged(rng, depth - 1) for _ in "lr")) if depth and rng.random() < 0.8 else None


def chain(length):
    last = None
    for v in range(length):
        last = Node(v, last)
    return last


def many(depth):
    return Slotted(0.5 * depth, [many(depth - 1) for _ in range(3)] if depth else None)


def expression(rng, depth):
    if not depth:
        return Num(rng.randrange(9) / 4) if rng.random() < 0.5 else Var(rng.choice("xyz"))
    return Bin(rng.choice("+-*"), expression(rng, depth - 1), expression(rng, depth - rng.randrange(1, depth + 1)))


SUM = "def f(t):\n    if t is None:\n        return 0\n    return f(t.l) + f(t.r) + t.v\n"
VALUE = """
from test_walks import Num, Var
def f(e, env):
    if isinstance(e, Num):
        return e.v
    if isinstance(e, Var):
        return env[e.name]
    a, b = f(e.a, env), f(e.b, env)
    if e.op == "+":
        return a + b
    if e.op == "-":
        return a - b
    return a * b
"""
ENV = {"x": 0.5, "y": -1.25, "z": 3.0}
WALKS = {
    "a sum": (SUM, (tree(7),)),
    "a sum of a ragged tree": (SUM, (ragged(random.Random(4), 9),)),
    "a depth": ("def f(t):\n    return 0 if t is None else 1 + max(f(t.l), f(t.r))\n", (ragged(random.Random(6), 9),)),
    "a search": ("def f(t, x):\n    if t is None:\n        return False\n    if x == t.v:\n        return True\n"
        "    return f(t.l, x) if x % 2 else f(t.r, x)\n", (tree(7), 77)),
    "a list": ("def f(c):\n    return 0 if c is None else c.v + f(c.l)\n", (chain(40),)),
    "no test of the node": ("def f(t):\n    n = 1\n    if t.l:\n        n += f(t.l)\n    if t.r:\n        n += f(t.r)\n    return n\n",
        (tree(6),)),
    "a method": ("def f(t):\n    return t.total()\n", (tree(6),)),
    "many children": (
        "def f(n):\n    s = n.w\n    if n.kids is not None:\n        for k in n.kids:\n            s += f(k)\n    return s\n", (many(4),)),
    "pairs": ("def f(n):\n    if n.kids is None:\n        return n.w, 1\n    s, c = 0.0, 0\n    for k in n.kids:\n        a, b = f(k)\n"
        "        s += a\n        c += b\n    return s, c\n", (many(4),)),
    "an expression": (VALUE, (expression(random.Random(3), 7), ENV)),
    "texts that differ": ("def f(t):\n    if t is None:\n        return 0\n    return (2 if t.v == 'a' else 1) * (1 + f(t.l) + f(t.r))\n",
        (Node("a", Node("b", Node("a"), Node("c")), Node("a", None, Node("b"))),)),
    "nested lists": (
        "def f(x):\n    if isinstance(x, list):\n        s = 0\n        for i in x:\n            s += f(i)\n        return s\n    return x\n",
        ([1, [2, [3, 4], 5], [[6], 7]],)),
    "tuples": ("def f(t):\n    if t is None:\n        return 0\n    a, v, b = t\n    return f(a) + v + f(b)\n",
        (((None, 1, None), 2, ((None, 3, None), 4, None)),)),
    "an array on the way": ("def f(a, t):\n    if t is None:\n        return 0.0\n    return a[t.v % 5] + f(a, t.l) + f(a, t.r)\n",
        (np.arange(5.0), tree(5))),
    "the same object on the way": ("def f(o, n):\n    return o.v if n == 0 else f(o, n - 1) + o.v\n", (Node(3), 9)),
    "another object on the way": ("def f(o, n):\n    return o.v if n == 0 else f(o.l if n == 4 else o, n - 1) + o.v\n", (Node(3, Node(5)), 9)),
}  # fmt: skip


@pytest.mark.parametrize("name", WALKS)
def test_same(name):
    source, args = WALKS[name]
    check(source, *args)


STAY = ["a sum", "a depth", "a search", "many children", "an expression", "an array on the way", "the same object on the way"]


@pytest.mark.parametrize("name", STAY)
def test_stay_native(name):
    source, args = WALKS[name]
    check_stays_native(source, *args)


# ---- what comes up later ----

LATER = {
    "values of another type": (SUM, [tree(4), tree(4, 0.5), Node("a", Node("b")), tree(4)]),
    "results of another type": ("def f(t):\n    return t if t is None else [f(t.l), t.v]\n", [chain(4), None, chain(3)]),
    "a leaf of another type": (SUM, [tree(4), Node(1, Node(2, 7), None), tree(4)]),
    "an attribute that is not there": ("def f(t):\n    return 0 if t is None else f(t.l) + t.w\n", [chain(3), None, chain(5)]),
    "an error at a leaf": ("def f(t):\n    if t is None:\n        return 0\n    return 10 // t.v + f(t.l) + f(t.r)\n",
        [tree(4), Node(1, Node(0)), tree(3), Node(5, tree(3), Node(2, None, Node(0)))]),
    "nothing but nodes": ("def f(t, n):\n    return f(t.l, n - 1) + 1 if n else t.v\n", [(chain(20), 5), (chain(20), 19), (chain(20), 20)]),
    "stores": ("def f(t):\n    if t is None:\n        return 0\n    t.v += 1\n    return f(t.l) + f(t.r) + t.v\n", [tree(4), tree(5)]),
    "texts": (VALUE, [(expression(random.Random(n), 5), ENV) for n in range(5)] + [(expression(random.Random(9), 5), {"x": 1})]),
    "a test that may be anything": ("def f(t):\n    return f(t.l) + 1 if t else 0\n",
        [chain(5), Node(1, []), Node(1, [1]), Node(1, Node(1, 0)), chain(2)]),
}  # fmt: skip


@pytest.mark.parametrize("name", LATER)
def test_what_comes_up_later(name):
    source, calls = LATER[name]
    calls = [args if type(args) is tuple else (args,) for args in calls]
    outcomes = []
    for wrap in (lambda function: function, pijit.jit):
        space = {"__name__": "walks"}
        exec(compile(source, "walks", "exec"), space)
        space["f"] = wrap(space["f"])
        seen = []
        with settings(compile_all=True):
            for args in [*calls, *calls, *calls[:1] * 9, *reversed(calls)]:
                try:
                    seen.append(repr(space["f"](*copy.deepcopy(args))))
                except Exception as error:
                    seen.append(describe_exception(error))
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1]


def test_one_that_never_shows_is_compiled_all_the_same():
    """Where calls go on and on with the same types, it is not waited for ever."""
    space = {}
    exec("def f(t, n):\n    return f(t, n - 1) if n else stop()\ndef stop():\n    raise ValueError\n", space)
    f = space["f"] = pijit.jit(space["f"])
    with settings(compile_all=True):
        for _ in range(300):
            with pytest.raises(ValueError):
                f(None, 9)
    assert pijit.explain(f).to_dict()["breaks"] or pijit.stats(f).fragments


def test_classes_go_with_their_trees():
    """What is remembered of a walk keeps no class."""
    import gc
    import weakref

    space = {}
    exec(SUM, space)
    f = space["f"] = pijit.jit(space["f"])

    def walks():
        cls = type("Leaf", (Node,), {})
        root = cls(1, cls(2), cls(3, None, cls(4)))
        with settings(compile_all=True):
            for _ in range(20):
                assert f(root) == 10
        return weakref.ref(cls)

    gone = walks()
    gc.collect()
    assert gone() is None
