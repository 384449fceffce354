"""Scalar operations against Python and NumPy themselves, on awkward values."""

import itertools
import math
import operator
import struct
import warnings

import numpy as np
import pytest
from native_harness import add, apply, execute, straight

import pijit.codegen.lowerings  # noqa: F401
from pijit.codegen.floats import MATH
from pijit.codegen.rows import LOWERINGS
from pijit.ir.ops import OPS
from pijit.ir.types import BOOL, FLOAT, INT, Np

pytestmark = pytest.mark.shared

BIG = 2**63
INTS = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    63,
    64,
    65,
    1000,
    2**31,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**62,
    BIG - 1,
    -BIG,
    -BIG + 1,
]
FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.7,
    -3.7,
    1e-310,
    5e-324,
    1e300,
    -1e300,
    2.0**53,
    2.0**62,
    2.0**63,
    -(2.0**63),
    math.inf,
    -math.inf,
    math.nan,
    0.1,
    700.0,
    710.0,
    -745.2,
    170.0,
    1.0000000000000002,
]


def same(x, y):
    if type(x) is not type(y):
        return False
    if isinstance(x, float):
        return (math.isnan(x) and math.isnan(y)) or struct.pack("d", x) == struct.pack("d", y)
    return x == y


class Compiled:
    """One operation compiled once and run on many operands."""

    def __init__(self, name, types, result, /, **attrs):
        self.graph = straight(types, lambda block, *v: add(block, name, v, result, keep=v, **attrs))
        self.native = None

    def __call__(self, *args):
        left = execute(self.graph, list(args), native=self.native, use_cache=False)
        self.native = left.native
        return left.result if left.exit.kind == "return" else left.exit.kind


def check(name, types, result, function, operands, /, **attrs):
    """Where Python gives a value that fits, so does native code; else the exit is taken."""
    run = Compiled(name, types, result, **attrs)
    for args in itertools.product(*operands):
        try:
            expected = function(*args)
        except (ArithmeticError, ValueError):
            expected = "redo"
        if isinstance(expected, int) and not isinstance(expected, bool) and not -BIG <= expected < BIG:
            expected = "redo"
        if isinstance(expected, complex):
            expected = "redo"
        got = run(*args)
        assert same(got, expected), (name, args, got, expected)


def test_every_operation_has_a_lowering():
    assert set(LOWERINGS) == set(OPS) - {"join"}  # a pass replaces it at every level


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor"])
def test_int_binary(name):
    check(f"int_{name.strip('_')}", [INT, INT], INT, getattr(operator, name), [INTS, INTS])


@pytest.mark.parametrize("name", ["neg", "abs", "invert"])
def test_int_unary(name):
    check(f"int_{name}", [INT], INT, getattr(operator, name), [INTS])


def test_int_shifts():
    counts = [c for c in INTS if c < 1000]
    check("int_lshift", [INT, INT], INT, lambda a, b: a << b, [INTS, counts])
    check("int_rshift", [INT, INT], INT, operator.rshift, [INTS, INTS])
    run = Compiled("int_lshift", [INT, INT], INT)
    assert run(0, BIG - 1) == 0
    assert run(1, BIG - 1) == "redo"


def test_int_pow():
    def power(a, b):
        return a**b if b >= 0 else 10**30

    check("int_pow", [INT, INT], INT, power, [INTS, [-1, 0, 1, 2, 3, 5, 31, 62, 63, 64]])


@pytest.mark.parametrize("divisor", [1, 2, 8, 3, -1, -2, -5, 0])
def test_int_division_by_a_constant(divisor):
    from pijit.ir.graph import const

    for name, function in (("int_floordiv", operator.floordiv), ("int_mod", operator.mod)):
        graph = straight([INT], lambda b, a, name=name: add(b, name, (a, const(divisor)), INT, keep=(a,)))
        for a in INTS:
            left = execute(graph, [a])
            try:
                expected = function(a, divisor)
            except ZeroDivisionError:
                expected = BIG
            assert left.result == (expected if expected < BIG else None)


def test_int_and_float():
    def division(a, b):
        return a / b if max(abs(a), abs(b)) <= 2**53 else BIG

    check("int_truediv", [INT, INT], FLOAT, division, [INTS, INTS])
    check("int_to_float", [INT], FLOAT, float, [INTS])
    check("int_exact_float", [INT], FLOAT, lambda a: float(a) if abs(a) <= 2**53 else BIG, [INTS])
    check("float_to_int", [FLOAT], INT, lambda a: int(a) if a != -(2.0**63) else BIG, [FLOATS])
    check("float_round", [FLOAT], INT, lambda a: round(a) if abs(a) < 2**62 else round(a) and BIG, [FLOATS])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "pow"])
def test_float_binary(name):
    check(f"float_{name}", [FLOAT, FLOAT], FLOAT, getattr(operator, name), [FLOATS, FLOATS])


def test_float_others():
    check("float_div", [FLOAT, FLOAT], FLOAT, operator.truediv, [FLOATS, FLOATS])
    check("float_neg", [FLOAT], FLOAT, operator.neg, [FLOATS])
    check("float_abs", [FLOAT], FLOAT, abs, [FLOATS])


# The interpreter does these: CPython treats special operands itself.
SPECIAL = {"atan2", "fmod", "pow", "remainder"}


TOLERANCES = [1e-9, 0.0, -0.0, 0.5, -1.0, math.nan, math.inf]


def isclose(a, b, rel_tol, abs_tol):
    return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


@pytest.mark.parametrize(("name", "arity"), sorted(MATH))
def test_math(name, arity):
    function = isclose if name == "isclose" else getattr(math, name)
    result = BOOL if name.startswith("is") else INT if name in ("floor", "ceil", "trunc") else FLOAT
    values = np.random.default_rng(1)
    operands = FLOATS + list(map(float, values.normal(size=40))) + list(map(float, values.uniform(-20, 20, 20)))

    def expected(*args):
        if name in SPECIAL and not all(map(math.isfinite, args)):
            raise ValueError
        value = function(*args)
        return 2**70 if name in ("floor", "ceil", "trunc") and value == -BIG else value

    check("math", [FLOAT] * arity, result, expected, [FLOATS] * 2 + [TOLERANCES] * 2 if arity == 4 else [operands] * arity, name=name)


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "==", "!="])
def test_comparisons(symbol):
    function = {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
    }[symbol]
    check("cmp", [INT, INT], BOOL, function, [INTS, INTS], symbol=symbol)
    check("cmp", [FLOAT, FLOAT], BOOL, function, [FLOATS, FLOATS], symbol=symbol)
    check("cmp", [BOOL, BOOL], BOOL, function, [[False, True]] * 2, symbol=symbol)
    run = Compiled("cmp", [Np("uint64"), Np("uint64")], BOOL, symbol=symbol)
    for a, b in itertools.product(map(np.uint64, [0, 5, 2**63, 2**64 - 1]), repeat=2):
        assert run(a, b) == function(a, b)


def test_select_not_and_bool_to_int():
    assert apply("select", [True, 3, 4], [BOOL, INT, INT], INT) == 3
    assert apply("select", [False, 3.0, 4.0], [BOOL, FLOAT, FLOAT], FLOAT) == 4.0
    assert apply("not", [True], [BOOL], BOOL) is False
    assert apply("bool_to_int", [True], [BOOL], INT) == 1


def numpy_values(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return [np.True_, np.False_]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return [
            dtype.type(v)
            for v in {info.min, info.max, 0, 1, 2, 3, 7, info.max // 2, max(info.min, -1), max(info.min, -7)}
        ]
    real = [0.0, -0.0, 1.5, -2.5, 3e38, 1e-40, math.inf, -math.inf, math.nan, 100.0]
    if dtype.kind == "f":
        return [dtype.type(v) for v in real]
    return [dtype.type(complex(a, b)) for a, b in itertools.product([0.0, -1.5, 3e38, math.inf, math.nan], repeat=2)]


def numpy_same(x, y):
    if type(x) is not type(y):
        return False
    return x.tobytes() == y.tobytes() or bool((x != x) and (y != y))


NUMPY_OPS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "power",
    "negative",
    "absolute",
    "sqrt",
    "maximum",
    "less",
    "equal",
    "left_shift",
    "bitwise_and",
    "sign",
    "square",
    "floor",
    "isnan",
]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"]
)
@pytest.mark.parametrize("ufunc", NUMPY_OPS)
def test_numpy_scalars_warn_nowhere(ufunc, dtype):
    """What native code gives is NumPy's value, and NumPy gave it in silence. An exit is allowed for few operands
    only."""
    from pijit.codegen.npscalars import NP_OPS

    if (ufunc, dtype) not in NP_OPS:
        pytest.skip("not in the table")
    symbol = {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "divide": operator.truediv,
        "floor_divide": operator.floordiv,
        "remainder": operator.mod,
        "power": operator.pow,
        "negative": operator.neg,
        "absolute": operator.abs,
        "less": operator.lt,
        "equal": operator.eq,
        "left_shift": operator.lshift,
        "bitwise_and": operator.and_,
    }.get(ufunc, getattr(np, ufunc))
    arity = getattr(np, ufunc).nin
    exits = done = 0
    run = None
    for args in itertools.product(numpy_values(dtype), repeat=arity):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                expected = symbol(*args)
        except (RuntimeWarning, ValueError):
            expected = None
        if run is None:
            result = Np((getattr(np, ufunc)(*[np.dtype(dtype).type(1)] * arity)).dtype.name)
            run = Compiled("np_op", [Np(dtype)] * arity, result, ufunc=ufunc)
        got = run(*args)
        if isinstance(got, str):
            exits += 1
            continue
        done += 1
        assert expected is not None, (args, got)
        assert numpy_same(got, expected), (args, got, expected)
    assert done
    assert done + exits > 0


CASTS = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("source", CASTS)
def test_casts(source):
    for target in CASTS:
        if np.dtype(source).kind == "c" and np.dtype(target).kind in "iuf":
            continue
        run = Compiled("cast", [Np(source)], Np(target))
        for value in numpy_values(source):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    expected = np.array(value).astype(target)[()]
                except RuntimeWarning:
                    expected = None
            got = run(value)
            if isinstance(got, str):
                narrow = np.dtype(source).kind == "f" and np.dtype(target).kind in "iu"
                assert expected is None or narrow, (source, target, value)
            else:
                assert expected is not None, (source, target, value, got)
                assert numpy_same(got, expected), (source, target, value, got, expected)


def test_python_scalars_to_numpy_and_back():
    for target in ("int8", "uint8", "int64", "uint64"):
        run = Compiled("cast", [INT], Np(target))
        for value in [*INTS, 127, 128, 255, 256, -128, -129]:
            try:
                expected = np.dtype(target).type(value)
            except OverflowError:
                expected = "redo"
            got = run(value)
            assert (got == expected) if isinstance(expected, str) else numpy_same(got, expected), (target, value)
    run = Compiled("cast", [Np("uint64")], INT)
    assert run(np.uint64(5)) == 5
    assert run(np.uint64(2**63)) == "redo"
    run = Compiled("cast", [INT], Np("float32"))
    for value in INTS:
        assert numpy_same(run(value), np.float32(value))
    assert apply("cast", [np.float64(2.5)], [Np("float64")], FLOAT) == 2.5
    assert apply("cast", [True], [BOOL], Np("bool")) == np.True_
