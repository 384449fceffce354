"""Graphs through fusion and compiled kernels, called as fuse.py says, against the evaluator on the graph as it was."""

import ctypes
import math

import numpy as np
import pytest
from graphs import Builder
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernels import FLAGS, STATUS, compiled, flag_functions, scalar_word

from pijit.codegen.scalars import supports
from pijit.ir import run as evaluator
from pijit.ir.evaluate import Results, Taken, rebuild
from pijit.ir.graph import const
from pijit.ir.run import run
from pijit.ir.types import INT, Array
from pijit.opt.pipeline import Options, optimize

pytestmark = pytest.mark.shared


def drive(op, *args):
    """What the driver does with a kernel operation."""
    kernel, attrs = op.attrs["kernel"], op.attrs
    n, ndim, order = len(kernel.operands), attrs["ndim_out"], attrs["order"]
    operands, dims = args[:n], args[n:]
    axes = range(ndim) if order == "C" else range(ndim - 1, -1, -1)  # the result axis of each kernel axis
    lengths = [math.prod(dims)] if attrs["collapsed"] else [dims[axis] for axis in axes]
    results = [np.empty(dims, value.type.dtype, order) for value in op.results]
    words = []
    for kind, number, extra in kernel.words():
        if kind == "dim":
            words.append(lengths[number])
        elif kind == "stride":
            array = operands[number]
            words.append(array.strides[axes[extra] - ndim + array.ndim])
        elif kind == "scalar":
            words.append(scalar_word(operands[number], extra))
        else:
            words.append((operands if kind == "pointer" else results)[number].ctypes.data)
    p = (ctypes.c_int64 * len(words))(*words)
    clear, test = flag_functions()
    clear(FLAGS)
    status = 0
    if math.prod(dims):
        middle = lengths[0] // 3
        function = compiled(kernel)[0]
        status = function(0, middle, ctypes.addressof(p)) | function(middle, lengths[0], ctypes.addressof(p))
    flags = test(FLAGS) | status & STATUS
    if attrs["flags"] and flags:
        raise Taken
    return Results(results)


def make(shape, layout, dtype, rng):
    """An array that broadcasts to the shape, with the axes to stretch and its type."""
    kind, axes = layout
    short = tuple(1 if d in axes and n != 1 else n for d, n in enumerate(shape))
    if kind == "short":
        short = short[1:]
    order = "F" if kind == "F" else "C"
    x = (rng.standard_normal(short) * 3).astype(dtype)
    x = np.asarray(x, order=order)
    known = "F" if kind == "F" and not x.flags.c_contiguous else "C"
    if kind == "A":
        wide = np.zeros(tuple(2 * n for n in short), dtype)
        wide = wide[tuple(slice(None, None, 2) for _ in short)][tuple(slice(None, None, -1) for _ in short)]
        wide[...] = x
        x, known = wide, "A"
    stretch = tuple(
        d for d, (a, b) in enumerate(zip(x.shape, shape[len(shape) - x.ndim :], strict=True)) if a == 1 and b != 1
    )
    return x, stretch, Array(np.dtype(dtype).name, x.ndim, known)


UNARY = ["negative", "absolute", "sqrt", "square", "floor", "isnan"]
BINARY = ["add", "subtract", "multiply", "divide", "less", "maximum"]
layouts = st.tuples(st.sampled_from(["C", "F", "A", "short"]), st.sets(st.integers(0, 2), max_size=2))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0, 1, 2, 3, 9]), min_size=1, max_size=3),
    st.lists(layouts, min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(UNARY + BINARY), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6),
    st.sampled_from("CF"),
    st.data(),
)
def test_random(shape, chosen, chain, order, data):
    # NumPy's results have no axes that no operand has: over no elements such an operation differs in flags.
    assume(math.prod(shape) or all(kind != "short" and not axes for kind, axes in chosen))
    rng = np.random.default_rng(0)
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    arrays = [make(shape, layout, dtype, rng) for layout in chosen]
    b = Builder(*(type for _, _, type in arrays), *[INT] * len(shape))
    order = "C" if len(shape) == 1 else order
    dims = tuple(b.inputs[len(arrays) :])
    values = [(value, stretch) for value, (_, stretch, _) in zip(b.inputs, arrays, strict=False)]
    values.append((const(np.dtype(dtype).type(1.5)), ()))
    made = []
    for ufunc, i, j in chain:
        args = [values[k % len(values)] for k in (i, j)[: 1 + (ufunc in BINARY)]]
        result = "bool" if ufunc in ("less", "isnan") else dtype
        type = Array(result, len(shape), order)
        value = b.ew(ufunc, *(v for v, _ in args), dims=dims, type=type, stretch=tuple(s for _, s in args))
        made.append(value)
        if result == dtype:
            values.append((value, ()))
    keep = data.draw(st.sets(st.sampled_from(made), min_size=1)) if len(set(made)) > 1 else made
    graph = b.leave(*[value for value in made if value in keep])
    inputs = [*(x for x, _, _ in arrays), *shape]
    before = run(graph, inputs)
    level = data.draw(st.sampled_from(["O0", "O1"]))
    optimize(graph, Options(level, supports, checked=True))
    assert any(op.name == "kernel" for op in graph.blocks[0].ops) or not keep
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(evaluator.EVALUATORS, "kernel", drive)
        after = run(graph, inputs)
    if after[0].kind == "redo" and before[0].kind != "redo":
        assert any(ufunc == "maximum" for ufunc, _, _ in chain)  # 0.0 against -0.0
        return
    assert after[0].kind == before[0].kind
    if after[0].kind == "return":
        old, new = (rebuild(exit.result, env) for exit, env in (before, after))
        for x, y in zip(*((r if isinstance(r, tuple) else (r,)) for r in (old, new)), strict=True):
            assert x.dtype == y.dtype
            assert x.strides == y.strides
            assert np.array_equal(x, y, equal_nan=x.dtype.kind == "f")
