"""Kernels that call NumPy's inner loops on tiles, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import call, single
from test_kernels import SIZES, expect, numbers, same_bits, specials

from pijit.codegen import inner
from pijit.codegen.scalars import supports
from pijit.ir.kernel import Kernel, Operand, Step
from pijit.ir.types import NATIVE

pytestmark = pytest.mark.shared

NUMPY = {name: f for name, f in vars(np).items() if isinstance(f, np.ufunc) and f.__name__ == name}
LOOPS = sorted(
    (name, dtypes)
    for name, function in NUMPY.items()
    for types in function.types
    if function.nout == 1
    for dtypes in [tuple(np.dtype(char).name for char in types.replace("->", ""))]
    if NATIVE.issuperset(dtypes)
    and not supports(name, dtypes)
    and inner.find(name, dtypes)
    and inner.usable(name, dtypes)
)


def test_every_loop_that_counts_is_there():
    found = {name for name, dtypes in LOOPS if dtypes[-1] == "float64"}
    names = "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt"
    assert found >= {*names.split(), "power", "arctan2", "hypot", "floor_divide", "remainder", "fmod", "logaddexp"}
    assert not inner.usable("power", ("int64", "int64", "int64")), "it raises by itself"


@pytest.mark.parametrize(("ufunc", "dtypes"), LOOPS)
def test_loops(ufunc, dtypes):
    *inputs, out = dtypes
    for n in (0, 7, 1025):
        values = [numbers(dtype, 3 * n, seed) for seed, dtype in enumerate(inputs)]
        for which in (slice(n), slice(None, None, 3)):
            some = [v[which] for v in values]
            kernel = single(ufunc, some, out, constant=which.step is None)
            (result,), flags = call(kernel, (n,), some)
            expected, warned = expect(ufunc, some, out)
            assert same_bits(result, expected)
            assert flags or not warned
    if len(inputs) == 2:
        some = [values[0][:n], values[1][1]]
        (result,), _ = call(single(ufunc, some, out), (n,), some)
        assert same_bits(result, expect(ufunc, some, out)[0])


@pytest.mark.parametrize("ufunc", ["exp", "log", "tanh", "expm1", "cbrt", "sin", "arcsin", "log1p"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values_and_flags(ufunc, dtype):
    for value in specials(dtype):
        for n in (1, 1025):
            x = np.full(n, value)
            (result,), flags = call(single(ufunc, [x], dtype), (n,), [x])
            expected, warned = expect(ufunc, [x], dtype)
            assert same_bits(result, expected)
            assert bool(flags) >= warned


def test_flags_raised_before_a_loop_that_clears_them():
    f = Operand("float64", (8,))
    for n in (1, 3000):
        x, y = np.ones(n), np.zeros(n)
        y[1:] = 1.0
        steps = (Step("divide", (0, 1), "float64"), Step("tanh", (2,), "float64"), Step("exp", (3,), "float64"))
        assert call(Kernel(1, (f, f), steps, (4,)), (n,), [x, y])[1]
        assert not call(Kernel(1, (f, f), steps, (4,)), (n,), [x, x])[1]
        assert not call(Kernel(1, (f, f), steps, ()), (n,), [x, x])[1]
        assert call(Kernel(1, (f, f), steps, ()), (n,), [x, y])[1]


def test_axes_and_broadcasting():
    rng = np.random.default_rng(0)
    x, row, column = rng.random((5, 7, 1100)), rng.random(1100), rng.random((5, 1, 1))
    operands = (
        Operand("float64", (None, None, 8)),
        Operand("float64", (0, 0, 8)),
        Operand("float64", (None, 0, 0)),
        Operand("float64", None),
    )
    steps = tuple(
        Step(ufunc, args, "float64")
        for ufunc, args in (("add", (0, 1)), ("exp", (4,)), ("arctan2", (5, 2)), ("power", (6, 3)), ("multiply", (7, 1)))
    )
    kernel = Kernel(3, operands, steps, (5, 8))
    outputs, _ = call(kernel, x.shape, [x, row, column, np.float64(1.5)], pieces=3)
    e = np.exp(x + row)
    assert same_bits(outputs[0], e)
    assert same_bits(outputs[1], np.power(np.arctan2(e, np.broadcast_to(column, x.shape)), 1.5) * row)


STEPS = ["add", "multiply", "exp", "tanh", "arctan2", "negative", "sin", "hypot", "absolute", "log1p", "remainder"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12),
    st.sampled_from(["float64", "float32"]),
    st.sampled_from(SIZES),
    st.integers(0, 99),
)
def test_chains(chain, dtype, n, seed):
    """Random graphs of formulas and loops: stages and buffers."""
    values = [numbers(dtype, n), numbers(dtype, n, 1)]
    operands, steps, warned = tuple(Operand(dtype, (v.itemsize,)) for v in values), [], False
    inputs = list(values)
    for ufunc, a, b in chain:
        args = tuple((len(values) - 1 - i) % len(values) for i in (a, b)[: getattr(np, ufunc).nin])
        steps.append(Step(ufunc, args, dtype))
        result, noise = expect(ufunc, [values[i] for i in args], dtype)
        values.append(result)
        warned |= noise
    outputs = tuple(sorted({len(values) - 1, 2 + seed % len(steps)}))
    made, flags = call(Kernel(1, operands, tuple(steps), outputs), (n,), inputs)
    assert flags or not warned
    for result, reference in zip(made, outputs, strict=True):
        assert same_bits(result, values[reference])
