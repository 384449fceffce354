"""Control flow, ownership, calls, exits, forced exits, the disk cache."""

import ctypes
import gc
import os
import subprocess
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest
from native_harness import F64, I64, add, execute, given_away, leaving, loop, straight, world

from pijit.codegen import build, emit
from pijit.codegen.build import compile_graph
from pijit.ground.weak import Named
from pijit.ir.graph import (
    Block,
    Box,
    Branch,
    Build,
    Exit,
    Frame,
    Graph,
    Jump,
    Keep,
    Known,
    Leave,
    Null,
    Unset,
    Value,
    const,
)
from pijit.ir.types import BOOL, FLOAT, INT, OBJECT, Array, Np

F1 = Array("float64", 1, "C")


def summing():
    """s = s0; for i in range(n): s += x[i]"""
    n, x, s0 = Value(INT), Value(F1), Value(FLOAT)

    def body(block, i, s):
        index = add(block, "check_index", (i, add(block, "dim", (x,), INT, axis=0)), INT, keep=(i, s))
        value = add(block, "cast", (add(block, "load", (x, index), Np("float64")),), FLOAT, keep=(i, s))
        return block, [add(block, "float_add", (s, value), FLOAT)]

    return loop([n, x, s0], lambda block: [s0], body)


def test_loop():
    x = np.random.default_rng(0).normal(size=100)
    left = execute(summing(), [100, x, 0.5])
    s = 0.5
    for v in x:
        s += float(v)
    assert left.result == s


def test_exit_in_a_loop_holds_the_state():
    left = execute(summing(), [101, np.ones(100), 0.0])
    assert left.exit.kind == "redo"
    assert left.locals == [{0: 100, 1: 100.0}]


def test_poll():
    left = execute(summing(), [10, np.ones(100), 0.0], poll=1)
    assert left.exit.kind == "poll"
    assert left.locals == [{0: 0, 1: 0.0}]


def test_every_exit_can_be_forced():
    graph = summing()
    for exit in graph.exits():
        left = execute(graph, [5, np.ones(100), 0.0], force_exit=exit.index)
        # a poll would be taken for ever
        assert left.exit.index == exit.index or exit.kind in ("return", "poll")


def swapping():
    """u, v = a, b; for i in range(n): u, v = v, u + v; return u"""
    n, a, b = Value(INT), Value(F1), Value(F1)

    def body(block, i, u, v):
        length = add(block, "dim", (u,), INT, axis=0)
        total = add(block, "ew", (u, v, length), F1, keep=(i, u, v), ufunc="add", n=2, stretch=((), ()))
        return block, [v, total]

    return loop([n, a, b], lambda block: [a, b], body)


def fibonacci(n, u, v):
    for _ in range(n):
        u, v = v, u + v
    return u


def test_arrays_carried_by_a_loop_are_released():
    graph, native = swapping(), None
    a, b = np.arange(3.0), np.ones(3)
    for n in (0, 1, 2, 3, 50):
        counts = sys.getrefcount(a), sys.getrefcount(b)
        left = execute(graph, [n, a, b], native=native)
        native = left.native
        assert np.array_equal(left.result, fibonacci(n, a, b))
        assert (left.result is a) == (n == 0)
        assert (left.result is b) == (n == 1)
        if n > 1:
            assert sys.getrefcount(left.result) == 3
        del left
        assert (sys.getrefcount(a), sys.getrefcount(b)) == counts
    left = execute(graph, [5, a, b], poll=1, native=native)
    assert left.locals[0][1] is a
    assert left.locals[0][2] is b


def test_memory_is_reused():
    gc.collect()
    a, b = np.ones(100_000), np.ones(100_000)
    import tracemalloc

    graph = swapping()
    native = compile_graph(graph)
    tracemalloc.start()
    execute(graph, [100, a, b], native=native)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * a.nbytes


def choosing():
    """r = a if c else b + b; one path borrows, the other owns"""
    c, a, b = Value(BOOL), Value(F1), Value(F1)
    entry, yes, no, end = Block(), Block(), Block(), Block()
    entry.end = Branch(c, Jump(yes), Jump(no))
    yes.end = Jump(end, (a,))
    length = add(no, "dim", (b,), INT, axis=0)
    no.end = Jump(end, (add(no, "ew", (b, b, length), F1, ufunc="add", n=2, stretch=((), ())),))
    r = end.param(F1)
    end.end = Leave(leaving("return", result=r))
    graph = Graph([c, a, b], entry)
    graph.arrange()
    return graph


def test_join_of_borrowed_and_owned():
    graph, a, b = choosing(), np.ones(3), np.ones(3)
    before = sys.getrefcount(a)
    assert execute(graph, [True, a, b]).result is a
    assert np.array_equal(execute(graph, [False, a, b]).result, b + b)
    assert sys.getrefcount(a) == before


# ---- calls ---------------------------------------------------------------------------------------------------------


def calling(result_type, rows):
    """y = f(x[1::2], i); the view, the argument and the result are kept for the exits."""

    def body(block, x, i):
        view = add(block, "view", (x, const(8), const(3), const(16)), Array("float64", 1, "S"), axes=((0, 2),))
        boxed = Value(OBJECT)
        made = add(
            block,
            "call",
            (view, i),
            result_type,
            keep=(view, i),
            callable=Known(len),
            arguments=(Box(view), Box(i), Known("k")),
            keywords=("key",),
            chain=((None, 7),),
            result_guard=rows,
            boxed=boxed,
        )
        op = block.ops[-1]
        frame = Frame(None, None, 0, {0: Box(view)}, (Box(boxed),))
        op.exits["type"] = Exit("continue", "test", (frame,))
        return made

    return straight([F1, INT], body)


def test_calls():
    graph = calling(FLOAT, [("type", 0, float), ("float", 0, 0)])
    native = compile_graph(graph)
    (callee, arguments, keywords, chain, rows, root) = native.sites[0]
    assert callee == ("const", len)
    assert [a[0] for a in arguments] == ["object", "int", "const"]
    assert (keywords, chain) == (("key",), [(None, 7)])
    assert rows[0] == ("type", 0, float)
    assert root == native.roots_start
    seen = []

    def call(words, site):
        W = (I64 * native.nwords).from_address(words)
        view = ctypes.cast(W[arguments[0][1]], ctypes.py_object).value
        seen.append((view.tolist(), W[arguments[1][1]], site))
        W[root] = given_away(answer)
        F64.from_address(words + 8 * rows[1][2]).value = 2.5
        return status

    world.call = call
    x = np.arange(7.0)
    answer, status = object(), 0
    before, count = sys.getrefcount(x), sys.getrefcount(answer)
    left = execute(graph, [x, 42], native=native)
    assert left.result == 2.5
    assert seen == [([1.0, 3.0, 5.0], 42, 0)]
    status = 2
    left = execute(graph, [x, 42], native=native)
    assert left.exit.kind == "continue"
    assert left.stacks == [[answer]]
    assert left.locals[0][0].tolist() == [1.0, 3.0, 5.0]
    status = 1
    left = execute(graph, [x, 42], native=native)
    assert left.exit.kind == "raise"
    status = 0
    left = execute(graph, [x, 42], force_exit=next(e.index for e in graph.exits() if e.kind == "continue"))
    assert left.exit.kind == "continue"
    assert left.stacks == [[answer]]
    del left
    assert sys.getrefcount(x) == before
    assert sys.getrefcount(answer) == count


def test_an_array_from_a_call():
    graph = calling(F1, [("array", 0, 0, 12, 1, 0, 0, "C")])
    native = compile_graph(graph)
    _, _, _, _, rows, root = native.sites[0]
    answer = np.arange(4.0)

    def call(words, site):
        W = (I64 * native.nwords).from_address(words)
        W[root] = given_away(answer)
        W[rows[0][2]] = id(answer)
        return 0

    world.call = call
    count = sys.getrefcount(answer)
    left = execute(graph, [np.arange(7.0), 1], native=native)
    assert left.result is answer
    del left
    assert sys.getrefcount(answer) == count


def test_recheck_asks_the_helper():
    def body(block, x):
        add(
            block,
            "call",
            (),
            INT,
            callable=Known(len),
            arguments=(),
            keywords=(),
            chain=(),
            result_guard=(("int", 0, 0),),
            boxed=None,
        )
        add(block, "recheck", (), keep=(x,))
        return add(block, "dim", (x,), INT, axis=0)

    graph = straight([F1], body)
    native = compile_graph(graph)
    root = native.sites[0][-1]
    x = np.arange(6.0)

    def call(words, site):
        (I64 * native.nwords).from_address(words)[root] = given_away(None)
        return 0

    world.call = call
    assert execute(graph, [x], native=native).result == 6
    world.recheck = 1
    assert execute(graph, [x], native=native).exit.kind == "redo"
    world.recheck = 0


def test_lists():
    for type, values in ((INT, [3, "no", 2**70]), (FLOAT, [2.5, 1, None]), (OBJECT, ["text", 3, None])):
        graph = straight([OBJECT, INT], lambda b, xs, i, type=type: add(b, "list_get", (xs, i), type, keep=(xs,)))
        left = execute(graph, [values, 0])
        assert left.result == values[0]
        for i in (1, 2):
            left = execute(graph, [values, i], native=left.native)
            assert left.result == values[i] if type is OBJECT else left.exit.kind == "redo"
    graph = straight([OBJECT], lambda b, xs: add(b, "obj_len", (xs,), INT))
    assert execute(graph, [[1, 2, 3]]).result == 3


# ---- exits ---------------------------------------------------------------------------------------------------------


def test_recipes():
    i, f, flag, z, x = Value(INT), Value(FLOAT), Value(BOOL), Value(Np("complex128")), Value(F1)
    block = Block()
    total = add(block, "raw_add", (i, const(1)), INT)
    built = Build(
        "tuple",
        (Box(total), Build("list", (Box(f), Known(None))), Build("slice", (Box(i), Known(None), Box(const(2))))),
    )
    frame = Frame(None, None, 9, {0: Keep(), 1: Unset(), 2: built, 3: Box(z), 5: Box(flag)}, (Null(), Box(x)))
    inner = Frame(Known(len), None, 4, {0: Build("range", (Box(const(1)), Box(total), Box(i)))}, ())
    block.end = Leave(Exit("redo", "test", (frame, inner), (("name", Box(total)), ("gone", Unset()))))
    graph = Graph([i, f, flag, z, x], block)
    graph.arrange()
    array = np.ones(2)
    left = execute(graph, [5, 1.5, True, np.complex128(1 + 2j), array])
    assert left.locals[0] == {0: "keep", 1: "unset", 2: (6, [1.5, None], slice(5, None, 2)), 3: 1 + 2j, 5: True}
    assert left.stacks[0][0] == "null"
    assert left.stacks[0][1] is array
    assert left.locals[1] == {0: range(1, 6, 5)}
    kind, frames, names, result, _ = left.native.exits[0]
    assert (kind, result) == ("redo", None)
    assert [f[1] for f in frames] == [9, 4]
    assert frames[1][0] == ("const", len)
    assert names[1] == ("gone", ("unset",))


# ---- cache ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PIJIT_CACHE_DIR", str(tmp_path / "cache"))
    from pijit.codegen import engine

    monkeypatch.setattr(engine, "_loaded", Named())
    return tmp_path / "cache"


def unique(tag):
    return straight([INT], lambda block, i: add(block, "raw_add", (i, const(tag)), INT))


def files(folder):
    return [p for p in folder.rglob("*") if p.is_file()]


def in_a_fresh_process(folder, tag):
    code = f"""
import sys
sys.path[:0] = {[os.path.dirname(__file__), *sys.path]!r}
from test_codegen_driver import execute, unique
left = execute(unique({tag}), [1])
print(left.result, left.native.cached)
"""
    env = {**os.environ, "PIJIT_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    ).stdout.split()


def test_cache_serves_other_processes_and_survives_damage(folder):
    assert execute(unique(101), [1]).result == 102
    (file,) = files(folder)
    assert in_a_fresh_process(folder, 101) == ["102", "True"]
    for content in (b"", file.read_bytes()[:-5], b"x" * 50, file.read_bytes()[:30] + b"\0" * 100):
        file.write_bytes(content)
        assert in_a_fresh_process(folder, 101) == ["102", "False"]


def test_cache_can_be_off_or_unusable(folder, monkeypatch):
    monkeypatch.setenv("PIJIT_CACHE", "0")
    assert execute(unique(102), [1]).result == 103
    assert not folder.exists()
    monkeypatch.delenv("PIJIT_CACHE")
    folder.write_text("a file where the folder should be")
    assert execute(unique(103), [1]).result == 104


def test_code_holds_no_addresses():
    """The same graph built from other objects is the same text."""
    assert compile_graph(summing()).code == compile_graph(summing()).code


def test_passes_at_level_0_change_nothing(monkeypatch):
    """So they are not run for what is compiled quickly; whoever has functions inlined needs them."""
    unchanged = []
    plain = emit.object_code

    def object_code(text, level):
        module, machine = llvm.parse_assembly(text), emit.target_machine(level)
        module.data_layout = str(machine.target_data)
        before = str(module)
        emit._optimise(module, machine, level)
        unchanged.append(level == emit.QUICK and str(module) == before)
        return plain(text, level)

    monkeypatch.setattr(emit, "object_code", object_code)
    monkeypatch.setattr(build, "level", lambda graph: emit.QUICK)
    for graph in (summing(), unique(105)):
        build.compile_graph(graph, use_cache=False)
    assert unchanged == [True, True]
