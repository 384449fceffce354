"""What a program asks about a value that it has read (is it None? of which type?) is answered by the type that it had when the code was
compiled: reading it has to find out that it has another type now, also where nothing else is done with it."""

from __future__ import annotations

from typing import Any

import pytest
from differential import check_calls

import pijit

pytestmark = pytest.mark.shared

VALUES = {"int": 3, "float": 2.5, "bool": True, "None": None, "text": "a", "list": [1], "nan": float("nan"), "object": ..., "large": 1 << 80}

QUESTIONS = {
    "is None": "x is None",
    "is not None": "x is not None",
    "isinstance": "isinstance(x, int)",
    "isinstance of several": "isinstance(x, (float, str))",
    "type": "type(x) is int",
    "class": "x.__class__ is float",
    "in": "x in (None, ...)",
    "callable": "callable(x)",
    "hasattr": "hasattr(x, 'real')",
    "equal to None": "x == None",
    "equal to a text": "x == 'a'",
    "identity with another": "x is ...",
    "and": "x is None and isinstance(x, str) or type(x) is bool",
}

# How x is read: what stands before, and what is in a loop.
READS = {
    "item": ("for _ in range(3):", "x = holder[k]"),
    "item from the end": ("for _ in range(3):", "x = holder[k - 3]"),
    "element": ("for x in holder:", ""),
    "enumerate": ("for _, x in enumerate(holder):", ""),
    "zip": ("for x, _ in zip(holder, holder):", ""),
    "reversed": ("for x in reversed(holder):", ""),
    "by number": ("for i in range(len(holder)):", "x = holder[i]"),
    "of a tuple": ("held = tuple(holder)\n    for _ in range(3):", "x = held[k]"),
    "of a dict": ("held = {1: holder[k]}\n    for _ in range(3):", "x = held[1]"),
    "of a dict that came in": ("for _ in range(3):", "x = table[k]"),
    "of a dict's values": ("for x in table.values():", ""),
    "attribute of a virtual object": ("held = T(holder[k])\n    for _ in range(3):", "x = held.x"),
    "attribute": ("for _ in range(3):", "x = thing.x"),
    "attribute by a method": ("for _ in range(3):", "x = thing.get()"),
    "attribute of each": ("for each in things:", "x = each.x"),
    "global": ("for _ in range(3):", "x = GLOBAL"),
    "argument": ("for _ in range(3):", "x = given"),
    "default": ("def inner(x=holder[k]):\n        return x\n    for _ in range(3):", "x = inner()"),
    "free variable": ("def inner():\n        return given\n    for _ in range(3):", "x = inner()"),
    "generated": ("for x in (y for y in holder):", ""),
    "unpacked": ("for _ in range(3):", "_, _, x = holder"),
    "row of rows": ("for row in rows:", "x = row[k]"),
    "popped": ("held = holder[:]\n    while held:", "x = held.pop()"),
    "slice": ("for x in holder[k:]:", ""),
}

PROGRAM = """
class T:
    def __init__(self, x):
        self.x = x
    def get(self):
        return self.x

def f(holder, k):
    global GLOBAL
    GLOBAL = holder[k]
    return g(holder, k, dict(enumerate(holder)), T(holder[k]), [T(x) for x in holder], [holder, holder], holder[k])

def g(holder, k, table, thing, things, rows, given):
    yes = no = 0
    {loop}
        {read}
        if {question}:
            yes += 1
        else:
            no += 1
    return yes, no
"""


@pytest.mark.parametrize("read", READS)
def test_questions(read):
    loop, statement = READS[read]
    for question in QUESTIONS.values():
        namespace: dict[str, Any] = {}
        exec(PROGRAM.format(loop=loop, read=statement or "pass", question=question), namespace)
        plain, asked = namespace["g"], namespace["f"]
        jitted = pijit.jit(plain)
        for first in VALUES.values():
            for other in VALUES.values():
                for holder, k in (([first] * 3, 2), ([first, first, other], 2), ([first, other, first], 1)):
                    results = []
                    for namespace["g"] in (plain, jitted):
                        results.append(asked(holder, k))
                    assert results[0] == results[1], (question, holder, k)


def test_a_search_for_an_empty_place():
    """Of a table that is filled one after the other: what is read is only compared with None."""
    source = """
class Table:
    def __init__(self, n):
        self.values = [None] * n
        self.n = n
    def place(self, key):
        k = key % self.n
        while self.values[k] is not None and self.values[k] != key:
            if self.values.count(None) > 0:
                k = (k + 1) % self.n
            else:
                k = None
                break
        return k
    def add(self, key):
        k = self.place(key)
        if k is not None:
            self.values[k] = key
        return k

def f(keys, n):
    table = Table(n)
    return [table.add(key) for key in keys], table.values
"""
    check_calls(source, [([10, 20, 30, 11], 10), ([10, 20, 30, 7, 8, 9], 5), ([1.5, 2.5, 3.5], 2), (list(range(9)), 7)] * 2)
