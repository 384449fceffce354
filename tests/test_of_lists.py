"""Built-in functions that go through a list: any, all, min, max, sorted, and bisect."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pytest
from differential import check_calls

import pijit

pytestmark = pytest.mark.shared

CALLS = (
    "any(items)", "all(items)", "min(items)", "max(items)", "sorted(items)", "sorted(items, reverse=True)", "min(items, default=7)",
    "max(items, key=abs)", "bisect(items, 2.5)", "bisect_left(items, 2)", "any([a > 1, b > 2, a])", "all([a > 0, b, b < a])", "any([])", "all([])",
    "any([False, 0])", "all([True, 1])", "max([x * 2 for x in items])", "any([x > 20 for x in items])", "min(items) is items[0]", "any(())",
    "[max(items) - x for x in items]", "min(max(items), b)", "sorted(items) is items",
)  # fmt: skip

LISTS = {
    "floats": [0.5 * (k * 7 % 11) for k in range(30)], "ints": [k * 5 % 13 for k in range(20)], "bools": [False] * 9 + [True], "none": [],
    "NumPy": [np.float64(k * 3 % 7) for k in range(12)], "mixed": [3, 2.5, True, np.float32(1)], "NaN": [math.nan, 1.0, math.nan, 0.5, -0.0, 0.0],
    "texts": ["b", "a"], "large": [2**70, 1], "lists": [[2], [1]], "one": [4.0],
}  # fmt: skip

SOURCE = """
from bisect import bisect, bisect_left

def f(items, a, b):
    found = {call}
    s = 0.0
    for k in range(3):
        s += k * a
    return found, s
"""


@pytest.mark.parametrize("call", CALLS)
def test_call(call):
    calls = [(items, 2.0, 1) for items in LISTS.values() for _ in range(2)]
    check_calls(SOURCE.format(call=call), calls, entry="f", configurations=("jit", "forced numpy"))


OBJECTS = """
class Told:
    def __init__(self, key):
        self.key = key
    def __bool__(self):
        told.append(("bool", self.key))
        return self.key > 2
    def __lt__(self, other):
        told.append(("lt", self.key, other.key))
        return self.key < other.key

told = []

def f(keys):
    items = [Told(key) for key in keys]
    return any(items), all(items), sorted(items)[0].key, min(items).key, told
"""


def test_objects_are_asked_as_often():
    check_calls(OBJECTS, [([3, 1, 2],), ([1, 2, 5],), ([4],)] * 2, entry="f", configurations=("jit", "enabled", "forced numpy"))


@pytest.mark.parametrize("function", ["min", "max"])
def test_what_is_found_is_the_item(function):
    space: dict[str, object] = {}
    exec(f"def f(items):\n    return {function}(items)\n", space)
    fast = pijit.jit(space["f"])
    items = [1.5 + k * 7 % 5 for k in range(9)]
    for _ in range(3):
        assert any(fast(items) is item for item in items)
    assert pijit.stats(fast).hits
    assert not pijit.stats(fast).breaks


def test_lines_and_breaks_are_those_of_the_program():
    source = """
    def f(items, other):
        s = 0
        for k in range(40):
            s += max(items)
            s += max(other)
        return s
    """
    space: dict[str, object] = {}
    exec(compile(textwrap.dedent(source), "subject.py", "exec"), space)
    fast = pijit.jit(space["f"])
    with pytest.raises(TypeError):
        fast([1.0, 2.0], ["a"])
    assert {(found.file, found.line) for found in pijit.stats(fast).breaks} == {("subject.py", 6)}
    assert {line["line"] for line in pijit.explain(fast).to_dict()["lines"]} <= set(range(2, 8))
