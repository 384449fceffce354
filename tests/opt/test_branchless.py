"""Loads come before exits, but not before what makes them safe; branches that become straight code leave for their own side only."""

from __future__ import annotations

from graphs import Builder

from pijit.ir.check import check
from pijit.ir.evaluate import rebuild
from pijit.ir.graph import Branch
from pijit.ir.run import run
from pijit.ir.types import BOOL, INT, Array, Np
from pijit.opt.branchless import straighten
from pijit.opt.pipeline import optimize

F64 = Array("float64", 1, "C")


def names(graph):
    return [op.name for block in graph.blocks for op in block.ops]


def test_loads_stay_behind_checks_and_stores():
    b = Builder(F64, INT, F64)
    x, i, y = b.inputs
    inside = b.op("cmp", i, b.op("dim", x, type=INT, axis=0), type=BOOL, symbol="<")
    b.op("check", inside)
    first = b.op("load", x, i, type=Np("float64"))
    total = b.op("np_op", first, first, type=Np("float64"), ufunc="add")
    second = b.op("load", y, i, type=Np("float64"))
    more = b.op("np_op", total, second, type=Np("float64"), ufunc="add")
    b.op("store", x, more, i)
    third = b.op("load", y, i, type=Np("float64"))
    graph = b.leave(more, third)
    straighten(graph)
    check(graph)
    found = names(graph)
    assert found.index("check") < found.index("load") < found.index("np_op")
    assert found == ["dim", "cmp", "check", "load", "load", "np_op", "np_op", "store", "load"]


def test_loads_stay_behind_their_indices():
    b = Builder(F64, INT)
    x, i = b.inputs
    n = b.op("dim", x, type=INT, axis=0)
    v = b.op("np_op", b.op("load", x, 0, type=Np("float64")), b.op("load", x, 1, type=Np("float64")), type=Np("float64"), ufunc="add")
    j = b.op("check_index", i, n, type=INT)
    k = b.op("raw_add", j, 0, type=INT)
    graph = b.leave(v, b.op("load", x, k, type=Np("float64")))
    straighten(graph)
    check(graph)
    assert names(graph) == ["load", "load", "dim", "np_op", "check_index", "raw_add", "load"]


def collatz():
    """while k != 1: k = k // 2 if k % 2 == 0 else 3 * k + 1; steps += 1"""
    b = Builder(INT)
    header, (k, steps) = b.block(INT, INT, header=True)
    body, _ = b.block()
    even, _ = b.block()
    odd, _ = b.block()
    join, (new,) = b.block(INT)
    after, _ = b.block()
    b.jump(header, b.inputs[0], 0)
    b.current = header
    b.op("poll")
    b.branch(b.op("cmp", k, 1, type=BOOL, symbol="!="), body, after)
    b.current = body
    rest = b.op("int_mod", k, 2, type=INT)
    b.branch(b.op("cmp", rest, 0, type=BOOL, symbol="=="), even, odd)
    b.current = even
    b.jump(join, b.op("int_floordiv", k, 2, type=INT))
    b.current = odd
    b.jump(join, b.op("int_add", b.op("int_mul", 3, k, type=INT), 1, type=INT))
    b.current = join
    b.jump(header, new, b.op("int_add", steps, 1, type=INT))
    b.current = after
    return b.leave(steps)


def outcome(graph, k):
    """How it leaves, and the steps if it returns."""
    exit, env = run(graph, [k])
    return exit.kind, rebuild(exit.result, env) if exit.result is not None else None


def test_both_ways_at_once():
    before, after = collatz(), collatz()
    optimize(after)
    check(after)
    assert {"select", "wrap_mul", "raw_floordiv"} <= set(names(after))
    assert not {"int_mul", "int_floordiv", "int_add"} & set(names(after))
    for k in (1, 2, 3, 27, 97, 2**40 + 1):
        assert outcome(after, k) == outcome(before, k)
    # 3 * k + 1 leaves 64 bits: the way out is taken before anything has happened
    for k in (2**62 + 1, -(2**62) - 1):
        assert outcome(after, k)[0] == outcome(before, k)[0] == "redo"


def counting(decides, latch):
    """for i in range(n): if decides(i, hits): hits += 1 -- with a block before the header, or each way to it by itself."""
    b = Builder(INT)
    header, (hits, i) = b.block(INT, INT, header=True)
    body, _ = b.block()
    more, _ = b.block()
    join, (new,) = b.block(INT)
    after, _ = b.block()
    b.jump(header, 0, 0)
    b.current = header
    b.op("poll")
    b.branch(b.op("cmp", i, b.inputs[0], type=BOOL, symbol="<"), body, after)
    b.current = body
    following = b.op("raw_add", i, 1, type=INT)
    condition = decides(b, i, hits)
    b.branch(condition, more, *((join, (), (hits,)) if latch else (header, (), (hits, following))))
    b.current = more
    another = b.op("raw_add", hits, 1, type=INT)
    b.jump(*((join, another) if latch else (header, another, following)))
    b.current = join
    b.jump(header, new, following)
    if not latch:
        b.graph.blocks.remove(join)
    b.current = after
    return b.leave(hits)


def odd(b, i, hits):
    return b.op("cmp", b.op("raw_mod", i, 2, type=INT), 1, type=BOOL, symbol="==")


def few(b, i, hits):
    return b.op("cmp", b.op("raw_sub", i, hits, type=INT), 3, type=BOOL, symbol="<")


def test_a_choice_at_the_end_of_a_round():
    for latch in (False, True):
        graph, before = counting(odd, latch), counting(odd, latch)
        straighten(graph)
        check(graph)
        assert "select" in names(graph)
        assert sum(isinstance(block.end, Branch) for block in graph.blocks) == 1
        for n in (0, 1, 2, 17):
            assert outcome(graph, n) == outcome(before, n) == ("return", n // 2)


def test_what_decides_hangs_on_what_is_chosen():
    """A round would wait for the one before it."""
    for latch in (False, True):
        graph = counting(few, latch)
        straighten(graph)
        check(graph)
        assert "select" not in names(graph)
        assert outcome(graph, 9) == outcome(counting(few, latch), 9)
