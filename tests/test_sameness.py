"""`is` of instances of Python classes, which the run tells, and of all that capture knows, tuples within others too."""

from __future__ import annotations

import pytest
from differential import check

import pijit

CLASSES = """
class Node:
    def __init__(self, v):
        self.v, self.next = v, None

class Leaf(Node):
    pass

NOTHING = object()
OTHER = Node(9.0)
nodes = [Node(1.0), Node(3.0), Leaf(2.0), Node(-1.0), OTHER]
"""
PROGRAMS = {
    "of a list": CLASSES + """
def f(n):
    total, who = 0.0, nodes[n % 5]
    for s in nodes:
        if s is not who:
            total += s.v
        if s is OTHER:
            total *= 2.0
    return total
""",
    "the best": CLASSES + """
def f(n):
    best = None
    for s in nodes:
        if best is None or s.v > best.v:
            best = s
    return [s is best for s in nodes], [best is not s for s in nodes[:n]]
""",
    "defaults": CLASSES + """
def g(x=NOTHING, y=NOTHING):
    return (1 if x is NOTHING else 2), x is y, x is not y

def f(n):
    return g(), g(n), g(n, 2.5), g(NOTHING), g(nodes), g(None), g(object(), nodes[0]), g(nodes[1], nodes[1]), g(n > 3, NOTHING)
""",
    "linked": CLASSES + """
def f(n):
    for a, b in zip(nodes, nodes[1:]):
        a.next = b
    nodes[-1].next = nodes[1]
    slow = fast = nodes[0]
    count = 0
    while True:
        slow, fast = slow.next, fast.next.next
        count += 1
        if slow is fast:
            return count, slow.v
""",
    "equal": CLASSES + """
def f(n):
    return [(a == b, a != b) for a in nodes for b in nodes[:n]], nodes[0] == 1.0, nodes[0] != None, NOTHING == NOTHING, NOTHING == nodes[0]
""",
    "made here": CLASSES + """
def f(n):
    a, b, out = Node(1.0), Node(1.0), []
    c = a
    for i in range(n):
        out.append(a)
    return a is b, a is c, out[0] is a, out[0] is b, a is NOTHING, a is nodes[0]
""",
    "fields": CLASSES + """
class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b
    def same(self):
        return self.a is self.b

def f(n):
    a, b = nodes[0], nodes[1]
    p, q = Pair(a, a), Pair(a, b)
    found = [p.same(), q.same()]
    p.a = b
    q.b = a
    return found, p.same(), q.same(), p.b is q.b
""",
    "of other kinds": CLASSES + """
def f(n):
    x, y = float(n), "a" * n
    a = x is nodes[0], nodes[0] is x, y is NOTHING, NOTHING is None, nodes[0] is Node, f is nodes[0], [] is nodes[0], n is NOTHING
    return a, (1, 2) is NOTHING, nodes is NOTHING, type(nodes[0]) is Node, type(nodes[2]) is Node, type(nodes[2]) is not type(nodes[0])
""",
    "tuples where something dead holds one": CLASSES + """
def loop(n):
    total = 0
    for i in range(n):
        total += i
    return total

def branch(n):
    return 1 if n > 3 else 2

def with_object(n):
    s = (n, 2.5)
    t, u = (s, 1), Node(s)
    return loop(n), branch(n), t[0] is s

def with_dict(n):
    s = (n, 2.5)
    t, u = (s, 1), {"k": s}
    w = (t, s)
    return loop(n), branch(n), t[0] is s, w[0] is t, w[0][0] is w[1], w[1] is s

def with_function(n):
    s = (n, 2.5)
    t = (s, 1)
    w = (t, s)
    def u(v=t):
        return v
    return loop(n), branch(n), t[0] is s, w[0] is t, w[0][0] is w[1], w[1] is s

def in_a_comprehension(n):
    p = s = (n, 2.5)
    def u(v=s):
        return v, p
    t = u()
    return [p for i in range(2)], t[0] is s, t[1] is p, s is p

def f(n):
    return with_object(n), with_dict(n), with_function(n), in_a_comprehension(n)
""",
}


@pytest.mark.shared
@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(source):
    check(source, 5)


@pytest.mark.parametrize("name", ["of a list", "the best", "linked", "fields"])
def test_nothing_is_left_to_the_interpreter(name):
    names = {"__name__": __name__}
    exec(PROGRAMS[name], names)
    fast = pijit.jit(fullgraph=True)(names["f"])
    assert fast(4) == names["f"](4)
