"""What compiling takes grows with the program, not with its square: in each pass, how often a value, an exit or an operation is looked at."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pijit
from pijit.opt import pipeline
from pijit.trace import tracer

pytestmark = pytest.mark.shared

N = 12


def numbers(n):
    """One exit after the other."""
    return "def f(x, y, a, b):\n" + "".join(f"    x{i} = x * {i} + y\n    if x{i} > 1e9:\n        y += x{i}\n" for i in range(n)) + "    return y\n"


def objects(n):
    lines = "".join(f"    if x > {i}:\n        o.value = o.value + x * {i}\n" for i in range(n))
    return f"class O:\n    pass\no = O()\no.value = 1.5\ndef f(x, y, a, b):\n{lines}    return o.value\n"


def kernels(n):
    return "def f(x, y, a, b):\n" + "".join(f"    a = a * b + {i}\n    if x > 1e9:\n        y += a[0]\n" for i in range(n)) + "    return a, y\n"


def stores(n):
    lines = "".join(f"    a[1:] += b[:-1] * {i + 2}\n    y += a[-1]\n" for i in range(n))
    return f"def f(x, y, a, b):\n    a = a.copy()\n{lines}    return a, y\n"


def counted(n):
    lines = "".join(f"    a = a * b + {i}\n    c += np.bincount(k, a)\n" for i in range(n))
    return f"def f(x, y, a, b):\n    k = (b > 20).astype(np.int64)\n    c = np.zeros(2)\n{lines}    return c\n"


def calls_per_pass(source, monkeypatch):
    """Calls of Python functions in each pass, while a function is compiled."""
    counts = dict.fromkeys((name for name, _ in pipeline.PASSES), 0)

    def counted(name, run):
        def count(frame, event, arg):
            counts[name] += event == "call"

        def counting(graph, options):
            sys.setprofile(count)
            try:
                run(graph, options)
            finally:
                sys.setprofile(None)

        return counting

    monkeypatch.setattr(pipeline, "PASSES", [(name, counted(name, run)) for name, run in pipeline.PASSES])
    space = {"__name__": "subject", "np": np}
    exec(source, space)
    f = pijit.jit(space["f"])
    f(1.5, 2.5, np.arange(40.0), np.arange(40.0) + 1)
    assert pijit.stats(f).compiles
    monkeypatch.undo()
    return counts


@pytest.mark.parametrize("program", [numbers, objects, kernels, stores, counted])
def test_passes(program, monkeypatch):
    little, much = (calls_per_pass(program(n), monkeypatch) for n in (N, 4 * N))
    steep = {name: (little[name], much[name]) for name in much if much[name] > 20_000 and much[name] > 8 * little[name]}
    assert not steep


SPLITS = {
    "several returns": "y += one_of(x + {i})",
    "None or a number": "v = perhaps(x + {i})\n    if v is not None:\n        y += v",
    "of two types": "y += either(x + {i})",
    "a method": "y += o.part(x + {i})",
    "a property": "o.x = x + {i}\n    y += o.size",
    "an operator": "y += (o < x + {i})",
    "of two numbers": "y += max(x, {i}, k)",
    "a choice": "y += x if x > {i} else k",
    "and, or": "y += (x > {i} and x) or k",
    "in between": "y += 1 < x < {i} < y",
    "a short loop": "for v in (1, 2.5, k):\n        if v > x:\n            break\n    y += v",
    "any": "y += any(v > x for v in (1, {i}, k))",
    "an exception": "try:\n        y += 1 / (x - {i})\n    except ZeroDivisionError:\n        y -= 1",
    "a match": "match k:\n        case {i}:\n            y += 1\n        case int():\n            y += x",
    "made of two": "y += sum([one_of(x), either(x)])",
}

HELPERS = """
def one_of(x):
    if x < 3.0:
        return x
    if x > 9.0:
        return 9.0
    return x * 2.0
def perhaps(x):
    if x < 3.0:
        return None
    if x > 9.0:
        return None
    return x
def either(x):
    return 1 if x > 3.0 else x
class O:
    x = 0.0
    def part(self, x):
        if x > 2.0:
            return x
        return 0.0
    @property
    def size(self):
        if self.x > 2.0:
            return self.x
        return 0.0
    def __lt__(self, other):
        if other > 4.0:
            return True
        return False
o = O()
"""


def captured(statement, n, monkeypatch):
    """The operations of the graph of a function that does a statement so many times, one after the other."""
    found = []
    plain = tracer.Tracer.capture

    def capture(self):
        result = plain(self)
        found.append(sum(len(block.ops) for block in result.graph.blocks))
        return result

    monkeypatch.setattr(tracer.Tracer, "capture", capture)
    space = {"__name__": "subject"}
    body = "".join("    " + statement.format(i=i) + "\n" for i in range(n))
    exec(HELPERS + "def f(x, y, k):\n" + body + "    return y\n", space)
    pijit.jit(space["f"])(1.5, 2.5, 2)
    monkeypatch.undo()
    return max(found)


@pytest.mark.parametrize("split", SPLITS)
def test_paths_that_part_meet_again(split, monkeypatch):
    little, much = (captured(SPLITS[split], n, monkeypatch) for n in (6, 12))
    assert much <= 4 * little + 50


def nearest(circles, x):
    best = hit = None
    for circle in circles:
        t = circle.reach(x)
        if t is not None and (best is None or t < best):
            best, hit = t, circle
    return -1.0 if hit is None else best * hit.r


class Circle:
    def __init__(self, x, r):
        self.x, self.r = x, r

    def reach(self, x):
        left = self.r - abs(x - self.x)
        if left < 0.0:
            return None
        if left > 2.0:
            return left
        return left * 0.5 if left > 1.0 else None


def test_all_that_calls_bring_to_one_place_is_told_apart():
    """None or a number, of this object or that: more than the versions that paths have that meet in the bytecode."""
    circles = [Circle(0.0, 3.0), Circle(1.0, 2.5)]
    fast = pijit.jit(nearest)
    for x in np.linspace(-8.0, 8.0, 60).tolist():
        assert fast(circles, x) == nearest(circles, x)
    assert pijit.stats(fast).exits == 0
    assert pijit.stats(fast).compiles == 1
