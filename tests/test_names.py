"""What classes and functions are called: `type(x).__name__`, as visitors ask for it, and `function.__name__`, as decorators do."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native, function_of

pytestmark = pytest.mark.shared

NODES = """
class Node:
    pass
class Num(Node):
    def __init__(self, value):
        self.value = value
class Add(Node):
    def __init__(self, left, right):
        self.left, self.right = left, right
class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + node.__class__.__name__)(node)
    def visit_Num(self, node):
        return node.value
    def visit_Add(self, node):
        return node.left.value + node.right.value
class Other(Visitor):
    def visit(self, node):
        method = getattr(self, f"visit_{type(node).__name__}", None)
        return -1.0 if method is None else method(node)
    visit_Num = None
"""


def test_a_visitor_stays_native():
    source = NODES + """
nodes = [Num(1.5), Add(Num(1.5), Num(2.5))]
def f(n):
    visitor, total = Visitor(), 0.0
    for k in range(n):
        total += visitor.visit(nodes[k % 2])
    return total
"""
    check_stays_native(source, 6)


@pytest.mark.parametrize("visitor", ["Visitor", "Other"])
def test_a_visitor(visitor):
    body = f"""
visitor, said = {visitor}(), []
nodes = [Num(1.5), Add(Num(1.5), Num(2.5)), Num(3.5)]
for k in range(9):
    said.append(visitor.visit(nodes[k % 3]))
return said"""
    check(NODES + function_of("", body), configurations=("jit", "numpy", "forced"))


NAMES = [
    "type(x).__name__",
    "x.__class__.__name__", "type(x).__qualname__", "P.__name__", "P.Q.__qualname__", "int.__name__", "M.__name__", "O.__name__", "type(P).__name__",
    "told.__name__", "told.__qualname__", "P.said.__name__", "told(told)", "(lambda: 0).__name__", "x.said.__name__", "len.__name__",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name(name):
    body = f"""
said = []
x = P()
for k in range(4):
    said.append({name})
    said.append({name} + "!")
return said"""
    before = """
class P:
    class Q:
        pass
    def said(self):
        pass
def told(function=None):
    return function.__name__
class Meta(type):
    pass
class M(metaclass=Meta):
    pass
class Named(type):
    @property
    def __name__(cls):
        return "another"
class O(metaclass=Named):
    __name__ = "its own"
"""
    check(before + function_of("", body), configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("kind", ["class P:", "def P():"])
@pytest.mark.parametrize("attribute", ["__name__", "__qualname__"])
@pytest.mark.parametrize("where", ["outside", "inside", "called"])
def test_another_name_is_given(where, attribute, kind):
    inside = {"outside": "pass", "inside": f"P.{attribute} = f'P{{k}}'", "called": "rename(k)"}[where]
    source = f"""
{kind}
    pass
def rename(k):
    print(end="")
    P.{attribute} = f"R{{k}}"
def f(first, n):
    if first:
        P.{attribute} = first
    said = []
    for k in range(n):
        said.append(P.{attribute})
        {inside}
        said.append(P.{attribute})
    return said, repr(P).partition(" at ")[0]
"""
    check_calls(source, [("", 3), ("", 3), ("A", 3), ("", 3), ("B", 3), ("", 3)], configurations=("jit", "forced"))
