"""The limit of recursion is met at the same depth where frames on the way ran natively, and wherever native code left them."""

from __future__ import annotations

import pytest
from differential import check_calls

pytestmark = pytest.mark.shared

DEEP = """
import sys

deepest = 0

def height():
    # of the stack: calls of a test do not begin at the same one
    frame, found = sys._getframe(), 0
    while frame is not None:
        frame, found = frame.f_back, found + 1
    return found

def find(k):
    global deepest
    deepest = k
    return find(k + 1)

def deep():
    try:
        find(0)
    except RecursionError:
        return taken()

def taken():
    global deepest
    found, deepest = deepest + height(), 0
    return found

def summed(n):
    x = 0
    for i in range(n):
        x += i % 3
    return x

def behind(n):
    x = summed(n)
    return deep(), x

def further(n):
    return behind(n), summed(n)

class Walker:
    def __init__(self, n):
        self.n = n
    @property
    def depth(self):
        return summed(self.n) + deep()
    def __add__(self, other):
        return self.depth + other
"""
BODIES = {
    "no loop": "return deep()",
    "after a loop": "x = summed(n)\nreturn deep(), x",
    "before and after loops": "before = deep()\nx = summed(n)\nafter = deep()\ny = summed(n)\nreturn before, after, x, y, deep()",
    "in a loop": "said = []\nfor k in range(4):\n    said.append((summed(n), deep()))\nreturn said",
    "in functions that are inlined": "return further(n), behind(n), summed(n)",
    "in a property": "return Walker(n).depth, Walker(n) + n",
    "in a list": "return [further(n) for k in range(3)]",
    "in a generator": "return list(further(n) for k in range(3))",
    "in a handler": "try:\n    return summed(n) // 0\nexcept ZeroDivisionError:\n    return further(n)",
    "not caught": "try:\n    summed(n)\n    find(0)\nexcept RecursionError:\n    return taken(), summed(n)",
    "as a key": "return sorted([3, 1, 2], key=lambda k: (behind(n), k)), max([1, 2], key=lambda k: -k * behind(n)[0])",
}


@pytest.mark.parametrize("name", BODIES)
def test_at_the_same_depth(name):
    body = BODIES[name].replace("\n", "\n    ")
    check_calls(f"{DEEP}\ndef f(n):\n    {body}\n", [(n,) for n in (0, 7, 70, 70, 500)], configurations=("jit", "forced", "enabled"))
