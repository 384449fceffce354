"""Equal arrays are made once, where nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check
from graphs import Builder

from pijit.ir.graph import Op, const
from pijit.ir.types import INT, Array
from pijit.opt.again import redirect
from pijit.opt.equal import equal

F64 = Array("float64", 1, "C")


def two(between=None, used=True):
    """exp(x) twice, and the sum of the two."""
    b = Builder(F64)
    (x,) = b.inputs
    n = b.op("dim", x, type=INT, axis=0)
    one = b.ew("exp", x, dims=(n,), type=F64)
    if between:
        between(b, x, one)
    two = b.ew("exp", x, dims=(n,), type=F64)
    b.live = {0: one, 1: two} if used else {}
    total = b.ew("add", one, two, dims=(n,), type=F64)
    b.live = {}
    return b.leave(total)


def made(graph):
    equal(graph)
    return sum(op.attrs.get("ufunc") == "exp" for block in graph.blocks for op in block.ops)


def test_once():
    graph = two()
    assert made(graph) == 1
    ops = [op for op in graph.entry.ops if op.name == "ew"]
    assert len({id(op.exits["redo"].frames) for op in ops}) == 1, "all of it is done again"
    assert ops[-1].args[0] is ops[-1].args[1] is ops[0].result


@pytest.mark.parametrize(
    "between",
    [
        lambda b, x, one: b.op("store", x, const(np.float64(1.0)), 0),
        lambda b, x, one: b.op("poll"),
        lambda b, x, one: b.op("store", one, const(np.float64(1.0)), 0),
        lambda b, x, one: b.op("view", one, 0, 3, 8, type=F64, axes=((0, 1),)),
    ],
    ids=("the operand is written", "anything may happen", "the first is written", "a view"),
)
def test_twice(between):
    assert made(two(between)) == 2


def test_exits_elsewhere_keep_both():
    graph = two()
    graph.entry.end.exit.frames[0].locals.update(graph.entry.ops[-1].exits["redo"].frames[0].locals)
    assert made(graph) == 2


def test_a_later_operation_shares_the_exit():
    graph = two()
    last = graph.entry.ops[-1]
    check = Op("check", (const(True),), (), {}, {"redo": last.exits["redo"]}, 9)
    graph.entry.ops.append(check)
    assert made(graph) == 2


def test_redirect_leaves_shared_exits_alone():
    graph = two()
    first, second = (op for op in graph.entry.ops if op.attrs.get("ufunc") == "exp")
    shared = second.exits["redo"]
    redirect(graph.entry, graph.entry.ops.index(first), graph.entry.ops.index(second))
    assert second.exits["redo"] is not shared
    assert second.exits["redo"].frames == first.exits["redo"].frames


@pytest.mark.parametrize(
    "body",
    [
        "return np.exp(a) + np.exp(a)",
        "x = np.exp(a)\n    y = np.exp(a)\n    x[0] = 1\n    return x, y",
        "x = np.exp(a)\n    y = np.exp(a)\n    return x, y, x is y",
        "return np.log(a) * np.log(a), np.sqrt(a) - np.sqrt(a)",
        "a[:] = np.log(a) + np.log(a)\n    return np.log(a) * np.log(a)",
        "b = np.roll(a, 1) * np.roll(a, 1)\n    a[0] = 3\n    return b + np.roll(a, 1)",
        "m = a > 0\n    x = a[m] * a[m]\n    a[m] = x + a[m]\n    return x, a[m]",
        "s = 0.0\n    for i in range(3):\n        s += (np.exp(a) * np.exp(a)).sum()\n        a[i] = s\n    return s",
    ],
)
def test_programs(body):
    """Warnings too: as many, and where they belong."""
    check(f"def f(a):\n    {body}\n", np.array([-1.0, 0.0, 2.0, 3.0]), calls=3)
