import numpy as np
import pytest
from graphs import Builder

from pijit.ir.check import check
from pijit.ir.evaluate import rebuild
from pijit.ir.graph import const
from pijit.ir.run import run
from pijit.ir.text import text
from pijit.ir.types import BOOL, FLOAT, INT, Array, Np
from pijit.opt.dce import dce
from pijit.opt.pipeline import Options, optimize
from pijit.opt.simplify import simplify

F64, B64 = Array("float64", 1, "C"), Array("bool", 1, "C")
F64_2 = Array("float64", 2, "C")


def names(graph):
    return [op.name for block in graph.blocks for op in block.ops]


def counting(bound, body, start=0, step=1, types=(INT,), total=INT, zero=0):
    """for i in range(start, bound, step): total = body(i, total)"""
    b = Builder(*types)
    n = bound(b)
    header, (i, s) = b.block(INT, total, header=True)
    inside, _ = b.block()
    after, _ = b.block()
    b.jump(header, start, zero)
    b.current = header
    b.branch(b.op("cmp", i, n, type=BOOL, symbol="<" if step > 0 else ">"), inside, after)
    b.current = inside
    new = body(b, i, s)
    b.jump(header, b.op("int_add", i, step, type=INT), new)
    b.current = after
    return b.leave(s)


def element(shift):
    def body(b, i, s):
        x = b.inputs[0]
        j = b.op("int_add", i, shift, type=INT) if shift else i
        n = b.op("dim", x, type=INT, axis=0)
        j = b.op("check_index", j, n, type=INT)
        v = b.op("cast", b.op("load", x, j, type=Np("float64")), type=FLOAT)
        return b.op("float_add", s, v, type=FLOAT)

    return body


def length(minus):
    def bound(b):
        n = b.op("dim", b.inputs[0], type=INT, axis=0)
        return b.op("int_sub", n, minus, type=INT) if minus else n

    return bound


@pytest.mark.parametrize(
    ("start", "minus", "shift", "checked"),
    [
        (0, 0, 0, False),
        (1, 1, 1, False),
        (1, 1, -1, False),
        (0, 0, 1, True),
        (0, 0, -1, True),
        (0, 1, 2, True),
        (2, 2, 2, False),
    ],
)
def test_checks_in_loops(start, minus, shift, checked):
    """A stencil's index checks go when the loop's own test implies them."""
    graph = counting(length(minus), element(shift), start, types=(F64,), total=FLOAT, zero=0.0)
    x = np.arange(7.0)
    expected = run(graph, [x])
    optimize(graph, Options(checked=True))
    assert ("check_index" in names(graph)) is checked
    assert "int_add" not in names(graph)
    exit, env = run(graph, [x])
    assert exit.kind == expected[0].kind
    if exit.kind == "return":
        assert rebuild(exit.result, env) == rebuild(expected[0].result, expected[1])


def test_counter_does_not_overflow():
    graph = counting(lambda b: b.inputs[0], lambda b, i, s: b.op("int_add", s, i, type=INT))
    optimize(graph, Options(checked=True))
    assert names(graph) == ["cmp", "int_add", "raw_add"]


def test_downwards():
    def body(b, i, s):
        i = b.op("check_index", i, b.op("dim", b.inputs[0], type=INT, axis=0), type=INT)
        return b.op(
            "float_add", s, b.op("cast", b.op("load", b.inputs[0], i, type=Np("float64")), type=FLOAT), type=FLOAT
        )

    b = Builder(F64)
    n = b.op("dim", b.inputs[0], type=INT, axis=0)
    header, (i, s) = b.block(INT, FLOAT, header=True)
    inside, _ = b.block()
    after, _ = b.block()
    b.jump(header, b.op("int_sub", n, 1, type=INT), 0.0)
    b.current = header
    b.branch(b.op("cmp", i, 0, type=BOOL, symbol=">="), inside, after)
    b.current = inside
    new = body(b, i, s)
    b.jump(header, b.op("int_sub", i, 1, type=INT), new)
    b.current = after
    graph = b.leave(s)
    optimize(graph, Options(checked=True))
    assert "int_sub" not in names(graph)
    exit, env = run(graph, [np.arange(4.0)])
    assert rebuild(exit.result, env) == 6.0


def test_branches_fold():
    b = Builder(INT)
    yes, _ = b.block()
    no, _ = b.block()
    b.branch(b.op("cmp", 1, 2, type=BOOL, symbol="<"), yes, no)
    b.current = no
    b.leave(b.op("int_add", b.inputs[0], 5, type=INT))
    b.current = yes
    graph = b.leave(
        b.op("int_mul", b.op("int_add", 2, 3, type=INT), b.op("int_mul", b.inputs[0], 1, type=INT), type=INT)
    )
    optimize(graph, Options(checked=True))
    assert names(graph) == ["int_mul"]
    assert rebuild(*_leave(graph, [4])) == 20


def _leave(graph, inputs):
    exit, env = run(graph, inputs)
    return exit.result, env


@pytest.mark.parametrize(
    ("name", "args", "type", "kept"),
    [
        ("int_add", (INT, 1), INT, False),
        ("int_floordiv", (INT, 0), INT, True),
        ("int_floordiv", (INT, 2), INT, False),
        ("int_mod", (INT, INT), INT, True),
        ("float_to_int", (FLOAT,), INT, True),
        ("int_lshift", (INT, INT), INT, True),
        ("check_index", (INT, INT), INT, True),
    ],
)
def test_dead(name, args, type, kept):
    """An exit that raises is visible, one that makes an unused big int is not."""
    b = Builder(*(arg for arg in args if not isinstance(arg, int)))
    inputs = iter(b.inputs)
    b.op(name, *(arg if isinstance(arg, int) else next(inputs) for arg in args), type=type)
    graph = b.leave(b.op("float_abs", 1.0, type=FLOAT))
    dce(graph)
    assert (name in names(graph)) is kept


def test_dead_ew_with_flags_stays():
    b = Builder(F64)
    x = b.inputs[0]
    n = b.op("dim", x, type=INT, axis=0)
    b.ew("sqrt", x, dims=(n,), type=F64)
    b.ew("absolute", x, dims=(n,), type=F64)
    graph = b.leave(x)
    optimize(graph, Options(checked=True))
    assert names(graph) == ["dim", "kernel"]
    kernel = graph.blocks[0].ops[-1].attrs["kernel"]
    assert [step.ufunc for step in kernel.steps] == ["sqrt"]
    assert kernel.outputs == ()
    assert run(graph, [np.array([-1.0])])[0].kind == "redo"


def test_dead_parameters():
    graph = counting(lambda b: b.inputs[0], lambda b, i, s: b.op("int_add", s, i, type=INT))
    graph.blocks[-1].end.exit.result = None
    graph.blocks[-1].end.exit.frames = ()
    dce(graph)
    check(graph)
    assert [len(block.params) for block in graph.blocks] == [0, 1, 0, 0]


def chain(level="O1", order="C", **extra):
    """r = (x + y) * 2.0 - x with x, y in C order; t (a dead local) is live at no exit that stays."""
    b = Builder(F64_2, F64_2)
    x, y = b.inputs
    n, m = (b.op("dim", x, type=INT, axis=a) for a in (0, 1))
    t = b.ew("add", x, y, dims=(n, m), type=F64_2)
    b.live = {0: t}
    u = b.ew("multiply", t, np.float64(2.0), dims=(n, m), type=F64_2)
    b.live = {0: t, 1: u}
    b.op("check", b.op("cmp", n, 3, type=BOOL, symbol=">"))
    r = b.ew("subtract", u, x, dims=(n, m), type=F64_2)
    b.live = {}
    graph = b.leave(r)
    optimize(graph, Options(level, checked=True, **extra))
    return graph


def test_fusion():
    assert (
        text(chain(), exits=True)
        == """\
fragment(%0: f64[2]C, %1: f64[2]C)
b0():
  %2: int = dim %0 axis=0
  %3: int = dim %0 axis=1
  %4: bool = cmp %2, 3 symbol='>'
  check %4 !redo(check :3)
    root {} []
  %5: f64[2]C = kernel %0, %1, np.float64(2.0), %2, %3 kernel={1 axes; a0: float64[8], a1: float64[8], a2: float64; \
s0: float64 = add a0, a1; s1: float64 = multiply s0, a2; s2: float64 = subtract s1, a0; out s2} ndim_out=2 collapsed=True \
order='C' flags=True !redo(ew :3)
    root {} []
  leave !return(return :7) %5
    root {} []
"""
    )


def test_transaction():
    """The check between the operations of a group resumes at the group's first; nothing escapes."""
    graph = chain()
    x = np.ones((2, 3))
    assert run(graph, [x, x])[0].frames[0].pc == 3
    x = np.ones((4, 3))
    assert rebuild(*_leave(graph, [x, x])).tolist() == ((x + x) * 2 - x).tolist()


def test_level_0():
    assert names(chain("O0")).count("kernel") == 3
    assert names(chain(fusible=lambda ufunc, dtypes: ufunc != "multiply")).count("ew") == 1


def test_writes_separate():
    b = Builder(F64, F64)
    x, y = b.inputs
    n = b.op("dim", x, type=INT, axis=0)
    t = b.ew("add", x, y, dims=(n,), type=F64)
    b.op("store", x, np.float64(1), 0)
    r = b.ew("multiply", t, x, dims=(n,), type=F64)
    graph = b.leave(r)
    optimize(graph, Options(checked=True))
    assert names(graph) == ["dim", "kernel", "store", "kernel"]


def test_uses_in_between_separate():
    b = Builder(F64, F64)
    x, y = b.inputs
    n = b.op("dim", x, type=INT, axis=0)
    t = b.ew("add", x, y, dims=(n,), type=F64)
    v = b.op("load", t, 0, type=Np("float64"))
    u = b.ew("multiply", t, v, dims=(n,), type=F64)
    b.live = {0: t}
    w = b.ew("add", u, u, dims=(n,), type=F64)
    b.live = {}
    graph = b.leave(w)
    optimize(graph, Options(checked=True))
    assert names(graph) == ["dim", "kernel", "load", "kernel"]
    exit, env = run(graph, [np.arange(3.0), np.ones(3)])
    assert rebuild(exit.result, env).tolist() == [2, 4, 6]


def test_interleaved_groups():
    """Two groups of different dims; the second one's exit resumes inside the first one's span only if that is still under way."""
    b = Builder(F64, F64)
    x, y = b.inputs
    n, m = b.op("dim", x, type=INT, axis=0), b.op("dim", y, type=INT, axis=0)
    a1 = b.ew("add", x, x, dims=(n,), type=F64)  # line 3
    b1 = b.ew("sqrt", y, dims=(m,), type=F64)  # line 4
    b.live = {0: a1, 1: b1}
    a2 = b.ew("multiply", a1, a1, dims=(n,), type=F64)  # line 5
    b.live = {0: a2, 1: b1}
    b2 = b.ew("sqrt", b1, dims=(m,), type=F64)  # line 6
    b.live = {}
    graph = b.leave(a2, b2)
    optimize(graph, Options(checked=True))
    kernels = [op for op in graph.blocks[0].ops if op.name == "kernel"]
    assert [op.exits["redo"].frames[0].pc for op in kernels] == [3, 4]
    exit, env = run(graph, [np.arange(3.0), np.full(2, 16.0)])
    assert [a.tolist() for a in rebuild(exit.result, env)] == [[0, 4, 16], [2, 2]]


@pytest.mark.parametrize(
    ("orders", "stretches", "strides", "collapsed"),
    [
        (("C", "C"), ((), ()), ((8,), (8,)), True),
        (("C", "A"), ((), ()), ((None, 8), (None, None)), False),
        (("C", "C"), ((), (0,)), ((None, 8), (0, 8)), False),
        (("C", "C"), ((), (1,)), ((None, 8), (8, 0)), False),
        (("C", "F"), ((), ()), ((None, 8), (8, None)), False),
        (("C", "C"), ((), (0, 1)), ((8,), (0,)), True),
    ],
)
def test_strides(orders, stretches, strides, collapsed):
    b = Builder(*(Array("float64", 2, order) for order in orders))
    n, m = (b.op("dim", b.inputs[0], type=INT, axis=a) for a in (0, 1))
    graph = b.leave(b.ew("add", *b.inputs, dims=(n, m), type=F64_2, stretch=stretches))
    optimize(graph, Options(checked=True))
    op = graph.blocks[0].ops[-1]
    assert tuple(operand.strides for operand in op.attrs["kernel"].operands) == strides
    assert op.attrs["collapsed"] is collapsed


def test_fortran_axes_are_reversed():
    fortran = Array("float64", 2, "F")
    b = Builder(fortran, F64)
    n, m = (b.op("dim", b.inputs[0], type=INT, axis=a) for a in (0, 1))
    graph = b.leave(b.ew("add", *b.inputs, dims=(n, m), type=fortran))
    optimize(graph, Options(checked=True))
    op = graph.blocks[0].ops[-1]
    assert [operand.strides for operand in op.attrs["kernel"].operands] == [(None, 8), (8, 0)]
    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    result = rebuild(*_leave(graph, [x, np.arange(3.0)]))
    assert result.flags.f_contiguous
    assert (result == x + np.arange(3.0)).all()


def test_dims_of_results():
    b = Builder(F64)
    x = b.inputs[0]
    t = b.ew("absolute", x, dims=(b.op("dim", x, type=INT, axis=0),), type=F64)
    n = b.op("dim", t, type=INT, axis=0)
    r = b.ew("negative", t, dims=(n,), type=F64)
    graph = b.leave(r)
    simplify(graph)
    optimize(graph, Options(checked=True))
    assert names(graph) == ["dim", "kernel"]


def test_slices_keep_their_strides():
    """u[1:, ::2] of a C-ordered array: the inner stride is a constant."""
    b = Builder(F64_2)
    x = b.inputs[0]
    dims = [b.op("dim", x, type=INT, axis=a) for a in (0, 1)]
    strides = [b.op("stride", x, type=INT, axis=a) for a in (0, 1)]
    first, rows = b.op("slice_bounds", 1, dims[0], type=(INT, INT), step=1, given=(True, False))
    _, columns = b.op("slice_bounds", dims[1], type=(INT, INT), step=2, given=(False, False))
    offset = b.op("raw_mul", first, strides[0], type=INT)
    doubled = b.op("raw_mul", strides[1], 2, type=INT)
    v = b.op("view", x, offset, rows, columns, strides[0], doubled, type=Array("float64", 2, "A"), axes=((0, 1), (1, 2)))
    graph = b.leave(b.ew("absolute", v, dims=(rows, columns), type=F64_2))
    optimize(graph, Options(checked=True))
    op = graph.blocks[0].ops[-1]
    assert op.attrs["kernel"].operands[0].strides == (None, 16)
    x = -np.arange(12.0).reshape(3, 4)
    assert rebuild(*_leave(graph, [x])).tolist() == abs(x[1:, ::2]).tolist()


def test_fusion_across_a_branch_that_is_decided():
    b = Builder(F64)
    x = b.inputs[0]
    n = b.op("dim", x, type=INT, axis=0)
    yes, (t,) = b.block(F64)
    no, _ = b.block()
    condition = b.op("cmp", n, 0, type=BOOL, symbol=">=")
    b.branch(condition, yes, no, yes_args=(b.ew("square", x, dims=(n,), type=F64),))
    b.current = no
    b.leave(x)
    b.current = yes
    graph = b.leave(b.ew("sqrt", t, dims=(n,), type=F64))
    optimize(graph, Options(checked=True))
    assert names(graph) == ["dim", "kernel"]
    assert rebuild(*_leave(graph, [np.array([-3.0])])).tolist() == [3.0]


def test_parameters_that_never_change():
    graph = counting(lambda b: b.inputs[0], lambda b, i, s: s, zero=7)
    optimize(graph, Options(checked=True))
    assert [len(block.params) for block in graph.blocks] == [0, 1, 0, 0]
    assert rebuild(*_leave(graph, [3])) == 7


def test_branch_on_what_a_branch_decided():
    b = Builder(FLOAT)
    condition = b.op("cmp", b.inputs[0], 0.0, type=BOOL, symbol="<")
    yes, no, inner, outer = (b.block()[0] for _ in range(4))
    b.branch(condition, yes, no)
    b.current = yes
    b.branch(condition, inner, outer)
    for number, block in enumerate((no, inner, outer)):
        b.current = block
        graph = b.leave(const(number))
    optimize(graph, Options(checked=True))
    assert len(graph.blocks) == 3
    assert [rebuild(*_leave(graph, [x])) for x in (-1.0, 1.0)] == [1, 0]


@pytest.mark.parametrize("write", [False, True])
def test_numbers_of_whole_arrays_are_found_once_until_something_is_written(write):
    b = Builder(F64)
    (x,) = b.inputs
    sums = []
    for _ in range(2):
        sums.append(b.op("reduce", x, type=Np("float64"), ufunc="maximum", axis=-1, keep=0))
        if write:
            b.op("store", x, const(np.float64(9.0)), 0)
    graph = b.leave(b.op("np_op", *sums, type=Np("float64"), ufunc="subtract"))
    simplify(graph)
    assert names(graph).count("reduce") == (2 if write else 1)
