"""What compiling takes grows with the program, not with its square: in each pass, how often a value, an exit or an operation is looked at."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import pijit
from pijit.opt import pipeline

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
