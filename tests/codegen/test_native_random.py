"""Random programs: native code against the evaluator, and with every exit forced in turn."""

import math
import random
import struct

import numpy as np
import pytest
from graphs import Builder
from native_harness import add, execute, loop
from shares import share

from pijit.codegen.scalars import supports
from pijit.ir.graph import Value, const
from pijit.ir.run import run
from pijit.ir.types import BOOL, FLOAT, INT, Array, Np
from pijit.opt.pipeline import Options, optimize

OPERATIONS = [
    *((f"int_{n}", (INT, INT), INT) for n in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "rshift")),
    *((f"int_{n}", (INT,), INT) for n in ("neg", "abs", "invert")),
    ("int_truediv", (INT, INT), FLOAT),
    ("int_to_float", (INT,), FLOAT),
    *((f"float_{n}", (FLOAT, FLOAT), FLOAT) for n in ("add", "sub", "mul", "div", "floordiv", "mod")),
    *((f"float_{n}", (FLOAT,), FLOAT) for n in ("neg", "abs")),
    ("float_to_int", (FLOAT,), INT),
    ("float_round", (FLOAT,), INT),
]
D = Np("float64")
NUMPY = ["add", "subtract", "multiply", "divide", "add", "multiply", "sqrt", "less"]
VALUES = {INT: [0, 1, -1, 3, 10, 2**31, -(2**40), 2**62], FLOAT: [0.0, -0.0, 1.5, -3.25, 1e10, 1e300, 0.1, math.inf]}


def program(rng):
    """A loop that carries two ints and two floats through random operations."""
    n = Value(INT)
    state = [Value(INT), Value(INT), Value(FLOAT), Value(FLOAT)]

    def body(block, i, *carried):
        known = {INT: [i, *carried[:2], const(7), const(-2)], FLOAT: [*carried[2:], const(0.5)]}
        for _ in range(rng.randint(2, 9)):
            if rng.random() < 0.15:
                type = rng.choice((INT, FLOAT))
                a, b = (rng.choice(known[type]) for _ in "ab")
                test = add(block, "cmp", (a, b), BOOL, symbol=rng.choice(["<", "==", ">="]))
                known[type].append(add(block, "select", (test, a, b), type))
                continue
            name, types, result = rng.choice(OPERATIONS)
            args = [rng.choice(known[t]) for t in types]
            known[result].append(add(block, name, args, result, keep=(i, *carried, *args)))
        after = [rng.choice(known[v.type]) for v in carried]
        return block, after

    return loop([n, *state], lambda block: state, body)


def numpy_program(rng):
    """A loop that carries three NumPy floats; a bool result becomes a float again."""
    n, state = Value(INT), [Value(D) for _ in range(3)]

    def body(block, i, *carried):
        known = [*carried, const(np.float64(0.75)), const(np.float64(1e200))]
        for _ in range(rng.randint(2, 10)):
            ufunc = rng.choice(NUMPY)
            args = [rng.choice(known[-6:]) for _ in range(1 if ufunc == "sqrt" else 2)]
            if ufunc == "divide":  # by nothing large: the evaluator minds underflow, the default error state does not
                args[1] = const(np.float64(rng.choice([0.0, 0.75])))
            made = add(block, "np_op", args, Np("bool") if ufunc == "less" else D, keep=(i, *args), ufunc=ufunc)
            if ufunc == "less":
                made = add(block, "cast", (made,), D, keep=(i, *args))
            known.append(made)
        return block, rng.choices(known[-5:], k=3)

    return loop([n, *state], lambda block: state, body)


@pytest.mark.parametrize("seed", share(range(45)))
def test_numpy_scalar_programs(seed):
    rng = random.Random(seed)
    graph, native = numpy_program(rng), None
    for _ in range(12):
        inputs = [
            rng.randint(0, 6),
            *(np.float64(rng.choice([0.0, -0.0, 1.5, -3.0, 1e200, math.inf, math.nan])) for _ in "abc"),
        ]
        exit, env = run(graph, inputs)
        left = execute(graph, inputs, native=native)
        native = left.native
        assert left.exit.index == exit.index
        values = [env.of(recipe.value) for frame in exit.frames for recipe in frame.locals.values()]
        got = list(left.locals[0].values())
        assert list(map(shown, map(float, got))) == list(map(shown, map(float, values)))


def shown(value):
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("d", value)
    return type(value), value


@pytest.mark.parametrize("seed", share(range(36)))
def test_scalar_programs(seed):
    rng = random.Random(seed)
    graph = program(rng)
    native = None
    for _ in range(8):
        inputs = [rng.randint(0, 12), *(rng.choice(VALUES[t]) for t in (INT, INT, FLOAT, FLOAT))]
        exit, env = run(graph, inputs)
        left = execute(graph, inputs, native=native)
        native = left.native
        assert left.exit.index == exit.index
        values = [env.of(recipe.value) for frame in exit.frames for recipe in frame.locals.values()]
        assert list(map(shown, left.locals[0].values())) == list(map(shown, values))
    for forced in graph.exits():
        left = execute(graph, inputs, force_exit=forced.index, use_cache=False)
        assert left.exit.index == forced.index or left.exit.kind in ("return", "redo", "poll")


UNARY = ["negative", "absolute", "sqrt", "square", "floor"]
BINARY = ["add", "subtract", "multiply", "divide"]


def operand(rng, shape, order, dtype):
    """An array that broadcasts to the shape, its type, and the axes to stretch."""
    short = tuple(1 if n != 1 and rng.random() < 0.2 else n for n in shape)
    if rng.random() < 0.2:
        short = short[1:]
    made = np.random.default_rng(rng.randint(0, 99)).standard_normal(short).astype(dtype)
    known = "C"
    if order == "F" and made.ndim == len(shape):
        made = np.asfortranarray(made)
        known = "C" if made.flags.c_contiguous else "F"
    if short and rng.random() < 0.3:
        wide = np.zeros(tuple(2 * n for n in short), dtype)[tuple(slice(None, None, 2) for _ in short)]
        wide[...] = made
        made, known = wide, "A"
    stretch = tuple(d for d, (a, b) in enumerate(zip(short, shape[len(shape) - len(short) :], strict=True)) if a != b)
    return made, Array(dtype, made.ndim, known), stretch


@pytest.mark.parametrize("seed", share(range(60)))
def test_array_programs(seed):
    """Elementwise chains: each operation by itself, as the graph has it, and optimised."""
    rng = random.Random(seed)
    dtype = rng.choice(["float64", "float32"])
    shape = tuple(rng.choice([0, 1, 2, 3, 9]) for _ in range(rng.randint(1, 3)))
    order = rng.choice("CF") if len(shape) > 1 else "C"
    operands = [operand(rng, shape, order, dtype) for _ in range(rng.randint(1, 3))]
    chain = [(rng.choice(UNARY + BINARY), rng.randint(0, 9), rng.randint(0, 9)) for _ in range(rng.randint(1, 6))]

    def build():
        b = Builder(*(type for _, type, _ in operands), *[INT] * len(shape))
        dims = tuple(b.inputs[len(operands) :])
        values = [(value, stretch) for value, (_, _, stretch) in zip(b.inputs, operands, strict=False)]
        values.append((const(np.dtype(dtype).type(1.5)), ()))
        type, made = Array(dtype, len(shape), order), []
        for ufunc, i, j in chain:
            args = [values[k % len(values)] for k in (i, j)[: 1 + (ufunc in BINARY)]]
            made.append(b.ew(ufunc, *(v for v, _ in args), dims=dims, type=type, stretch=tuple(s for _, s in args)))
            values.append((made[-1], ()))
        return b.leave(made[-1], made[len(made) // 2])

    inputs = [*(x for x, _, _ in operands), *shape]
    graph = build()
    exit, env = run(graph, inputs)
    if exit.kind == "redo" and 0 in shape:
        return  # the evaluator works on the operands before it stretches them to nothing
    plain = execute(graph, inputs)
    fused = build()
    optimize(fused, Options(fusible=supports, checked=True))
    for left in (plain, execute(fused, inputs)):
        assert left.exit.kind == exit.kind
        if exit.kind != "return":
            continue
        for got, item in zip(left.result, exit.result.items, strict=True):
            want = env.of(item.value)
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            assert 1 in shape or got.strides == want.strides  # with a 1 the order that the test declares is a guess
            assert np.array_equal(got, want, equal_nan=True)
