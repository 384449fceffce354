import math

import numpy as np
import pytest
from graphs import Builder

from pijit.ir.check import GraphError, check
from pijit.ir.evaluate import Env, rebuild
from pijit.ir.graph import Build, Known, Value, const
from pijit.ir.ops import OPS
from pijit.ir.run import EVALUATORS, run
from pijit.ir.signatures import SIGNATURES
from pijit.ir.text import text
from pijit.ir.types import BOOL, FLOAT, INT, OBJECT, Array, Np, Obj

F64 = Array("float64", 1, "C")


def test_tables_are_complete():
    assert SIGNATURES.keys() == OPS.keys() == EVALUATORS.keys()


def loop():
    """sum of i for i in range(n)"""
    b = Builder(INT)
    header, (i, s) = b.block(INT, INT, header=True)
    body, _ = b.block()
    end, _ = b.block()
    b.jump(header, 0, 0)
    b.current = header
    b.branch(b.op("cmp", i, b.inputs[0], type=BOOL, symbol="<"), body, end)
    b.current = body
    b.live = {0: s}
    new = b.op("int_add", s, i, type=INT)
    b.jump(header, b.op("int_add", i, 1, type=INT), new)
    b.current = end
    return b.leave(s)


def test_text():
    assert (
        text(loop(), exits=True)
        == """\
fragment(%0: int)
b0():
  jump b1(0, 0)
b1(%1: int, %2: int): loop
  %3: bool = cmp %1, %0 symbol='<'
  branch %3 b2() b3()
b2():
  %4: int = int_add %2, %1 !redo(int_add :2)
    root {a=%2} []
  %5: int = int_add %1, 1 !redo(int_add :3)
    root {a=%2} []
  jump b1(%5, %4)
b3():
  leave !return(return :3) %2
    root {a=%2} []
"""
    )


def test_run_loop():
    graph = loop()
    check(graph)
    exit, env = run(graph, [10])
    assert (exit.kind, rebuild(exit.result, env)) == ("return", 45)


def one(name, *args, type=(), result=True, **attrs):
    """The result of one operation on constants, or the name of the exit it takes."""
    values = [arg if isinstance(arg, Value) else const(arg) for arg in args]
    b = Builder(*(v.type if not isinstance(v.type, Obj) else OBJECT for v in values))
    out = b.op(name, *b.inputs, type=type, **attrs)
    graph = b.leave(*([out] if isinstance(out, Value) else out))
    check(graph)
    exit, env = run(graph, [v.value for v in values])
    return rebuild(exit.result, env) if exit.kind == "return" else exit.kind


big = 2**63 - 1


@pytest.mark.parametrize(
    ("name", "args", "type", "expected"),
    [
        ("int_add", (big, 0), INT, big),
        ("int_add", (big, 1), INT, "redo"),
        ("int_neg", (-big - 1,), INT, "redo"),
        ("int_floordiv", (-7, 2), INT, -4),
        ("int_floordiv", (-big - 1, -1), INT, "redo"),
        ("int_floordiv", (1, 0), INT, "redo"),
        ("int_mod", (-7, 3), INT, 2),
        ("int_truediv", (1, 3), FLOAT, 1 / 3),
        ("int_truediv", (2**53 + 1, 3), FLOAT, "redo"),
        ("int_pow", (2, 62), INT, 2**62),
        ("int_pow", (2, -1), INT, "redo"),
        ("int_lshift", (0, 1000), INT, 0),
        ("int_lshift", (1, 63), INT, "redo"),
        ("int_rshift", (-1, 100), INT, -1),
        ("float_div", (1.0, 0.0), FLOAT, "redo"),
        ("float_mod", (-1.0, 3.0), FLOAT, 2.0),
        ("float_pow", (-8.0, 1 / 3), FLOAT, "redo"),
        ("float_pow", (10.0, 400.0), FLOAT, "redo"),
        ("float_to_int", (math.nan,), INT, "redo"),
        ("float_round", (2.5,), INT, 2),
        ("check_index", (-1, 3), INT, 2),
        ("check_index", (3, 3), INT, "redo"),
        ("cast", (300,), Np("int8"), "redo"),
        ("cast", (1e300,), Np("float32"), "redo"),
        ("cast", (np.float64(2.5),), INT, 2),
    ],
)
def test_scalars(name, args, type, expected):
    result = one(name, *args, type=type)
    assert result == expected
    assert result.__class__ is expected.__class__


def test_math():
    b = Builder(FLOAT)
    out = b.op("math", b.inputs[0], type=FLOAT)
    out.op.attrs["name"] = "sqrt"
    graph = b.leave(out)
    assert run(graph, [-1.0])[0].kind == "redo"
    assert run(graph, [4.0])[1].of(out) == 2.0


@pytest.mark.parametrize("ufunc", ["add", "multiply"])
def test_np_op_overflow(ufunc):
    assert one("np_op", np.int8(100), np.int8(100), type=Np("int8"), ufunc=ufunc) == "redo"
    assert one("np_op", np.uint8(3), np.uint8(4), type=Np("uint8"), ufunc=ufunc) in (7, 12)


def test_ew_flags():
    for value, kind in ((0.0, "redo"), (2.0, "return")):
        b = Builder(F64, F64)
        x, y = b.inputs
        r = b.ew("divide", x, y, dims=(b.op("dim", x, type=INT, axis=0),), type=F64)
        graph = b.leave(r)
        check(graph)
        assert run(graph, [np.ones(3), np.full(3, value)])[0].kind == kind


def test_views_alias():
    b = Builder(Array("float64", 1, "C"))
    x = b.inputs[0]
    v = b.op("view", x, 8, 3, -8, type=Array("float64", 1), axes=((0, -1),))
    b.op("store", v, np.float64(7), 0)
    b.op("assign", v, v, 3, stretch=())
    first, length = b.op("slice_bounds", 1, 5, type=(INT, INT), step=2, given=(True, False))
    graph = b.leave(v, first, length)
    check(graph)
    memory = np.arange(5.0)
    exit, env = run(graph, [memory[2:]])
    view, first, length = rebuild(exit.result, env)
    assert memory[3] == 7
    assert view.tolist() == [7, 2, 1]
    assert np.shares_memory(view, memory)
    assert (first, length) == (1, 2)


def test_call():
    def call(function, argument):
        b = Builder(INT)
        boxed = Value(OBJECT)
        r = b.op("call", b.inputs[0], type=INT, callable=Known(function), arguments=(), keywords=(), chain=(),
                 result_guard=(), boxed=boxed)  # fmt: skip
        from pijit.ir.graph import Box

        r.op.attrs["arguments"] = (Box(b.inputs[0]),)
        graph = b.leave(r)
        check(graph)
        exit, env = run(graph, [argument])
        return exit.kind, env, boxed, r

    kind, env, _, r = call(abs, -3)
    assert (kind, env.of(r)) == ("return", 3)
    kind, env, boxed, _ = call(str, -3)
    assert (kind, env.of(boxed)) == ("type", "-3")
    kind, env, _, _ = call(lambda x: x[0], -3)
    assert kind == "raise"
    assert type(env.error) is TypeError


def test_check_finds_errors():
    b = Builder(INT)
    r = b.op("int_add", b.inputs[0], 1, type=INT)
    graph = b.leave(r)
    check(graph)
    r.op.args = (r.op.args[0], const(1.0))
    with pytest.raises(GraphError, match="types"):
        check(graph)
    r.op.args = (r, const(1))
    with pytest.raises(GraphError, match="not defined"):
        check(graph)
    r.op.args = (const(1), const(1))
    r.op.exits = {}
    with pytest.raises(GraphError, match="exits"):
        check(graph)


@pytest.mark.parametrize("shorter", [0, 1, 2])
def test_an_iterator_stays_where_it_is_when_its_list_becomes_shorter(shorter):
    rest = list(range(10, 14))
    items, same = [0, 1, 2], [0, 1, 2]
    given = iter(items)
    assert [next(given), next(given)] == [0, 1]
    del items[shorter:], same[shorter:]
    made = rebuild(Build("iterator_at", (Known(same), Known(2))), Env())
    items += rest
    same += rest
    assert list(made) == list(given)
