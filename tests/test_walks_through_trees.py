"""Functions that call themselves by way of others, as visitors do, and walks through trees of tuples and lists: in native code, with the leaves."""

from __future__ import annotations

import operator
import types
from dataclasses import dataclass
from typing import Any

import pytest
from differential import check, check_stays_native, settings

import pijit
from pijit import _native
from pijit.runtime.recursion import Watch, is_under_way
from pijit.trace.own_calls import UNKNOWN, Told

pytestmark = pytest.mark.shared

VISITOR = """
import random
class Num:
    def __init__(self, value):
        self.value = value
class Var:
    def __init__(self, name):
        self.name = name
class Bin:
    def __init__(self, op, left, right):
        self.op, self.left, self.right = op, left, right
class Neg:
    def __init__(self, inner):
        self.inner = inner
class Evaluator:
    def __init__(self, names):
        self.names, self.met = names, 0
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)
    def visit_Num(self, node):
        return node.value
    def visit_Var(self, node):
        return self.names[node.name]
    def visit_Neg(self, node):
        return -self.visit(node.inner)
    def visit_Bin(self, node):
        left, right = self.visit(node.left), self.visit(node.right)
        if node.op == "+":
            return left + right
        return left - right if node.op == "-" else left * right
class Counting(Evaluator):
    def visit(self, node):
        self.met += 1
        return Evaluator.visit(self, node)
def tree(r, depth):
    if depth == 0 or r.random() < 0.1:
        return Num(r.random()) if r.random() < 0.5 else Var(r.choice("xyz"))
    if r.random() < 0.1:
        return Neg(tree(r, depth - 1))
    return Bin(r.choice("+-*"), tree(r, depth - 1), tree(r, depth - 1))
TREE = tree(random.Random(7), 6)
"""
NAMES = '{"x": 1.5, "y": -0.5, "z": k * 0.25}'
VISITS = {
    "plain": f"Evaluator({NAMES}).visit(TREE)",
    "that is seen": f"(e := Counting({NAMES})).visit(TREE), e.met",
    "a name is missing": 'Evaluator({"x": 1.5, "y": -0.5}).visit(TREE)',
    "another type": f"Evaluator({NAMES} | {{'y': k + 10**12}}).visit(TREE)",
    "too deep": f"Evaluator({NAMES}).visit(deep)",
    "of no tree": f"Evaluator({NAMES}).visit(Bin('+', TREE, None))",
}


@pytest.mark.parametrize("visit", VISITS.values(), ids=VISITS)
def test_a_visitor(visit):
    source = f"""{VISITOR}
def deeper(node):
    for _ in range(2000):
        node = Neg(node)
    return node
def f(n=6):
    said, deep = [], deeper(TREE)
    for k in range(n):
        try:
            said.append({visit})
        except Exception as error:
            lines, at = 0, error.__traceback__
            while at is not None:
                lines, at = lines + at.tb_lineno, at.tb_next
            said.append((repr(error), isinstance(error, RecursionError) or lines))
    return said
"""
    check(source, configurations=("jit", "numpy", "forced"))


TREES = """
import random
R = random.Random(3)
def pairs(depth, leaf):
    return leaf() if depth == 0 or R.random() < 0.1 else (pairs(depth - 1, leaf), pairs(depth - 1, leaf))
def lists(depth, leaf):
    return leaf() if depth == 0 or R.random() < 0.1 else [lists(depth - 1, leaf) for _ in range(R.randrange(1, 4))]
def nodes(depth):
    return None if depth == 0 or R.random() < 0.1 else (nodes(depth - 1), R.random(), nodes(depth - 1))
EMPTY, PAIRS, LISTS, NODES = pairs(8, lambda: None), pairs(8, R.random), lists(6, R.random), nodes(8)
MIXED = lists(6, lambda: R.choice((1.5, 2, True, None, "text")))
"""
WALKS = {
    "depth": ("EMPTY", "if t is None:\n    return 0\nleft, right = t\nreturn 1 + max(walk(left), walk(right))"),
    "total": ("PAIRS", "if isinstance(t, float):\n    return t\nreturn walk(t[0]) + 2.0 * walk(t[1])"),
    "flat": ("LISTS", "if not isinstance(t, list):\n    return t\ns = 0.0\nfor x in t:\n    s += walk(x)\nreturn s"),
    "size": ("NODES", "return 1 if t is None else walk(t[0]) + walk(t[2])"),
    "below": ("NODES", "if t is None:\n    return 0\nleft, value, right = t\nreturn walk(left) + (value < 0.5) + walk(right)"),
}


def program(tree, body):
    walk = "def walk(t):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return f"{TREES}{walk}def f(n=4):\n    return [walk({tree}) for _ in range(n)]\n"


@pytest.mark.parametrize("name", WALKS)
def test_a_walk(name):
    check(program(*WALKS[name]), configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_stays_native(name):
    tree, body = WALKS[name]
    space: dict[str, object] = {}
    exec(TREES, space)
    walk = "def f(t):\n" + "".join(f"    {line}\n" for line in body.replace("walk(", "f(").splitlines())
    check_stays_native(walk, space[tree])


def test_leaves_of_many_types():
    body = "if isinstance(t, list):\n    return sum([walk(x) for x in t])\nif t is None or isinstance(t, str):\n    return 0.5\nreturn t"
    check(program("MIXED", body), configurations=("jit", "numpy", "forced"))


PROGRAMS = {
    "visitor": (f"{VISITOR}\ndef f(k=2):\n    return Evaluator({NAMES}).visit(TREE)\n", "Evaluator.visit"),
    "total": (program("PAIRS", WALKS["total"][1]), "walk"), "flat": (program("LISTS", WALKS["flat"][1]), "walk"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_nobody_asked_for_is_compiled(name):
    """The first call that is looked at is as likely one of a leaf, of which nothing is worth compiling."""
    source, of = PROGRAMS[name]
    module = types.ModuleType("enabled")
    exec(source, vars(module))
    expected = module.f()
    with settings(compile_all=False, patience_ms=1, threshold_calls=2):
        pijit.enable(module)
        try:
            code = operator.attrgetter(of)(module).__code__
            for _ in range(20_000):
                assert module.f() == expected
                state = _native.state_of(code)
                if state is not None and any("own_call" in fragment.texts["graph"] for fragment in state.data.fragments):
                    break
            else:
                raise AssertionError("there is no native code for it")
        finally:
            pijit.disable(module)


def test_a_call_of_the_code_is_under_way():
    def inner(code, n):
        return is_under_way(code) if n == 0 else inner(code, n - 1)

    def outer(code, n):
        return inner(code, n)

    assert outer(outer.__code__, 5)
    assert inner(inner.__code__, 5)
    assert not outer(test_leaves_of_many_types.__code__, 5)
    assert not outer(outer.__code__, 60)


@dataclass
class Seen:
    """What a capture tells of the function."""

    gives: Any
    asks: bool = False
    calls_itself: bool = False

    @property
    def told(self):
        return Told(self.gives)


def test_leaves_are_passed_over_while_a_capture_waits():
    watch, leaf, inner = Watch(True), (1.5,), ((),)
    assert watch.learn(Seen(2.5), leaf, True)
    assert watch.passes_over(leaf) == 1
    assert watch.passes_over(inner) == 0
    assert not watch.learn(Seen(2.5, calls_itself=True), inner, False)
    waits = [watch.passes_over(leaf) for _ in range(5000)]
    assert min(waits) == 1
    assert waits[-1] > 50
    assert watch.passes_over(inner) == 0


def test_without_one_they_are_not_for_ever():
    watch, leaf = Watch(True), (1.5,)
    assert watch.learn(Seen(2.5), leaf, True)
    waits = [watch.passes_over(leaf) for _ in range(2000)]
    assert all(waits[:1000])
    assert waits[-1] == 0
    assert not watch.learn(Seen(2.5), leaf, True)


def test_calls_where_what_is_given_was_not_known_are_looked_at_now_and_then():
    watch, inner = Watch(True), ((),)
    assert watch.learn(Seen(UNKNOWN, asks=True, calls_itself=True), inner, True)
    looked = [n for n in range(1, 100) if watch.passes_over(inner) == 0]
    assert looked == [1, 2, 4, 8, 16, 32, 64]
