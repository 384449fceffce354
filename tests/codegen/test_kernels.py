"""Kernels against NumPy: bits, and no flag missed."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels import call, single
from shares import share

from pijit.codegen.kernels import TROUBLE
from pijit.codegen.scalars import CASTS, SUPPORTED
from pijit.ir.evaluate import elementwise
from pijit.ir.kernel import Kernel, Operand, Step
from pijit.ir.types import NATIVE
from pijit.ir.ufuncs import can_raise, signals

pytestmark = pytest.mark.shared

SIZES = (0, 1, 7, 8, 9, 1023, 1025)
MIXED_ZEROS = {"maximum", "minimum", "fmax", "fmin"}  # NumPy's choice between 0.0 and -0.0 is not to be had
UFUNCS = sorted(
    (ufunc, dtype) for ufunc, dtype in SUPPORTED if ufunc != "where" and getattr(getattr(np, ufunc, None), "__name__", "") == ufunc
)  # no aliases


def specials(dtype):
    kind, bits = np.dtype(dtype).kind, np.dtype(dtype).itemsize * 8
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        values = {low, low + 1, 0, 1, 2, 3, bits - 1, bits, bits + 1, high // 2, high - 1, high} | (
            {-1, -2, -bits} if kind == "i" else set()
        )
        return np.array(sorted(v for v in values if low <= v <= high), dtype)
    if kind == "c":
        half = specials("float32" if dtype == "complex64" else "float64")
        return (half[:, None] + 1j * half[None, ::3]).ravel().astype(dtype)
    info = np.finfo(dtype)
    values = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.5,
        3.0,
        1e10,
        2.0**31,
        2.0**52 + 1,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        np.inf,
    ]
    return np.array([*values, *(-v for v in values), np.nan], dtype)


def numbers(dtype, n, seed=0):
    """Ordinary values with a few special ones."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(n) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, n, dtype, endpoint=True)
    values = rng.standard_normal(n)
    if kind == "c":
        values = values + 1j * rng.standard_normal(n)
    return values.astype(dtype)


def expect(ufunc, values, dtype):
    """NumPy's result and whether it warned."""
    with np.errstate(all="warn", under="ignore"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = elementwise(ufunc, values, dtype)
    return np.asarray(result), bool(caught)


def same_bits(a, b):
    assert a.dtype == b.dtype
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) and same_bits(a.imag, b.imag)
    if a.dtype.kind == "f":
        return bool(np.all((np.signbit(a) == np.signbit(b)) & (a == b) | np.isnan(a) & np.isnan(b)))
    return a.tobytes() == b.tobytes()


def result_dtype(ufunc, dtype):
    loops = getattr(np, ufunc)
    return loops.resolve_dtypes((*[np.dtype(dtype)] * loops.nin, None))[-1].name


def agree(ufunc, values, dtype, kernel=None):
    kernel = kernel or single(ufunc, values, dtype)
    (result,), flags = call(kernel, np.broadcast_shapes(*(v.shape for v in values)), values)
    expected, warned = expect(ufunc, values, dtype)
    if not signals(kernel):
        flags &= TROUBLE  # nobody looks at the others
    assert not warned or flags, "a flag is missing"
    if flags and not warned:
        return False
    if flags and expected.dtype.kind in "iu":
        return True  # NumPy does it again: what the kernel wrote does not count
    assert same_bits(result, expected)
    return True


@pytest.mark.parametrize(("ufunc", "dtype"), UFUNCS)
def test_special_values(ufunc, dtype):
    """Element by element, so that flags are compared one by one, and all together in vectors. Of pairs of complex numbers there are 59049: a
    third of them by themselves."""
    out = result_dtype(ufunc, dtype)
    nin = getattr(np, ufunc).nin
    items = specials(dtype)
    values = [v.ravel() for v in np.meshgrid(*[items] * nin)]
    kernel = single(ufunc, values, out)
    exact = 0
    alone = range(values[0].size)
    for i in alone if len(alone) < 1000 else share(alone):
        one = [v[i : i + 1] for v in values]
        good = agree(ufunc, one, out, kernel)
        exact += good
        if not good:
            zeros = all(v.dtype.kind == "f" and v[0] == 0 for v in one)
            assert ufunc in MIXED_ZEROS, one
            assert zeros, one
    assert exact > 0
    agree(ufunc, [np.tile(v, 3) for v in values], out, kernel)
    quiet = not can_raise(ufunc, (*[dtype] * nin, out))
    if quiet:
        _, flags = call(kernel, values[0].shape, values)
        assert (
            not flags or "less" in ufunc or "greater" in ufunc
        )  # in vectors these signal NaNs: such a kernel has no flags to test


@pytest.mark.parametrize(("ufunc", "dtype"), UFUNCS)
def test_sizes_and_strides(ufunc, dtype):
    out = result_dtype(ufunc, dtype)
    nin = getattr(np, ufunc).nin
    for n in SIZES:
        base = [numbers(dtype, 3 * n, seed) for seed in range(nin)]
        if ufunc in ("floor_divide", "remainder", "mod"):
            base[1][base[1] == 0] = 1
            if np.dtype(dtype).kind == "i":
                base[1][base[1] == -1] = 2
        if ufunc in ("sqrt",):
            base = [abs(v) for v in base]
        assert agree(ufunc, [v[:n] for v in base], out)
        kernel = single(ufunc, [v[: 3 * n : 3] for v in base], out, constant=False)
        assert agree(ufunc, [v[: 3 * n : 3] for v in base], out, kernel)
        assert agree(ufunc, [v[:n][::-1] for v in base], out, kernel)
        assert agree(ufunc, [v[:n] for v in base], out, kernel)
        assert agree(ufunc, [v[: (place + 1) * n : place + 1] for place, v in enumerate(base)], out, kernel)
        if nin == 2 and n:
            assert agree(ufunc, [base[0][:n], base[1][0]], out)


@pytest.mark.parametrize(("old", "new"), sorted(CASTS))
def test_casts(old, new):
    values = specials(old)
    if np.dtype(old).kind == "f" and np.dtype(new).kind in "iu":
        for value in values:
            one = np.array([value])
            kernel = single("cast", [one], new)
            agree("cast", [one], new, kernel)  # a flag too many is allowed: out of range
        info = np.iinfo(new)
        values = np.array([v for v in numbers(old, 999) * 100 if info.min <= v < info.max], old)
        assert agree("cast", [values], new)
    else:
        kernel = single("cast", [values], new)
        for i in range(values.size):
            assert agree("cast", [values[i : i + 1]], new, kernel)
        agree("cast", [values], new, kernel)
    for n in SIZES:
        some = numbers(old, n)
        agree("cast", [some], new)


@pytest.mark.parametrize("dtype", sorted(NATIVE))
def test_where(dtype):
    for n in SIZES:
        condition = numbers("bool", n)
        a, b = numbers(dtype, n, 1), numbers(dtype, n, 2)
        a[::3] = specials(dtype)[-1]
        assert agree("where", [condition, a, b], dtype)


def test_bool_bytes():
    x = np.array([0, 1, 2, 255], np.uint8).view(bool)
    (result,), _ = call(single("logical_and", [x, x], "bool"), x.shape, [x, x])
    assert result.view(np.uint8).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("test", ["less", "less_equal", "greater", "greater_equal", "equal", "maximum", "fmin"])
def test_nan_is_quiet_among_flags(test, dtype):
    """where(x < y, x * y, x): NaN data raise nothing although flags count."""
    x, y = numbers(dtype, 1025), numbers(dtype, 1025, 1)
    x[5::7] = np.nan
    y[3::11] = np.nan
    is_test = test not in ("maximum", "fmin")
    f = Operand(dtype, (x.itemsize,))
    first = Step(test, (0, 1), "bool" if is_test else dtype)
    last = Step("where", (2, 3, 0), dtype) if is_test else Step("add", (2, 3), dtype)
    kernel = Kernel(1, (f, f), (first, Step("multiply", (0, 1), dtype), last), (4,))
    (result,), flags = call(kernel, x.shape, [x, y])
    t = getattr(np, test)(x, y)
    assert flags == 0
    assert same_bits(result, np.where(t, x * y, x) if is_test else t + x * y)


@pytest.mark.parametrize("n", [1, 8, 1000])
def test_hidden_flags(n):
    """Flags of values that are computed but not chosen, or only compared, are raised all the same."""
    f = Operand("float64", (8,))
    x, zero = np.ones(n), np.zeros(n)
    steps = (Step("divide", (0, 1), "float64"), Step("isnan", (2,), "bool"), Step("where", (3, 2, 0), "float64"))
    for outputs in ((4,), (3,), ()):
        kernel = Kernel(1, (f, f), steps, outputs)
        assert call(kernel, (n,), [x, zero])[1]
        assert not call(kernel, (n,), [x, x])[1]
    huge = np.full(n, 1e200)
    for test in ("less", "greater_equal", "signbit", "isfinite"):
        args = (1,) if test in ("signbit", "isfinite") else (1, 0)
        kernel = Kernel(1, (f,), (Step("square", (0,), "float64"), Step(test, args, "bool")), (2,))
        assert call(kernel, (n,), [huge])[1], test


def test_broadcast_and_axes():
    rng = np.random.default_rng(0)
    x, row, column, s = rng.random((5, 7, 9)), rng.random(9), rng.random((5, 1, 1)), np.float64(3)
    full = Operand("float64", (None, None, 8))
    operands = (full, Operand("float64", (0, 0, 8)), Operand("float64", (None, 0, 0)), Operand("float64", None))
    steps = (Step("add", (0, 1), "float64"), Step("multiply", (4, 2), "float64"), Step("subtract", (5, 3), "float64"))
    kernel = Kernel(3, operands, steps, (4, 6))
    for pieces in (1, 3):
        outputs, flags = call(kernel, x.shape, [x, row, column, s], pieces)
        assert flags == 0
        assert same_bits(outputs[0], x + row)
        assert same_bits(outputs[1], (x + row) * column - s)
    t = rng.random((9, 7, 5)).T
    kernel = Kernel(3, (Operand("float64", (None, None, None)),), (Step("negative", (0,), "float64"),), (1,))
    assert same_bits(call(kernel, t.shape, [t])[0][0], -t)


STEPS = ["add", "subtract", "multiply", "divide", "maximum", "negative", "sqrt", "absolute", "floor", "square"]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6), st.data()
)
def test_chains(chain, data):
    """Random chains of steps over two operands."""
    dtype = data.draw(st.sampled_from(["float64", "float32"]))
    n = data.draw(st.sampled_from(SIZES))
    values = [numbers(dtype, n), numbers(dtype, n, 1) + np.dtype(dtype).type(2)]
    operands, steps = tuple(Operand(dtype, (v.itemsize,)) for v in values), []
    inputs, warned = list(values), False
    for ufunc, a, b in chain:
        args = tuple(i % len(values) for i in (a, b)[: getattr(np, ufunc).nin])
        steps.append(Step(ufunc, args, dtype))
        result, noise = expect(ufunc, [values[i] for i in args], dtype)
        values.append(result)
        warned |= noise
    kernel = Kernel(1, operands, tuple(steps), (len(values) - 1, 2))
    outputs, flags = call(kernel, (n,), inputs)
    assert flags or not warned
    if not flags or warned:
        assert same_bits(outputs[0], values[-1])
        assert same_bits(outputs[1], values[2])


def dividends(dtype):
    """Both ends, powers of two and their neighbours, and numbers of every length."""
    info, rng = np.iinfo(dtype), np.random.default_rng(3)
    powers = {sign * 2**k + near for k in range(info.bits) for near in (-1, 0, 1) for sign in (-1, 1)}
    edges = np.array(sorted(v for v in powers | {info.min + 1, info.max - 1} if info.min <= v <= info.max), dtype)
    some = rng.integers(info.min, info.max, 200, dtype=dtype, endpoint=True)
    return np.concatenate([edges, some, some >> rng.integers(0, info.bits, 200).astype(dtype)])


@pytest.mark.parametrize("ufunc", ["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)])
def test_quotients_are_exact(ufunc, dtype):
    """By every divisor, of numbers anywhere, and of its multiples and their neighbours; by one for all, and by one for each."""
    values, info = dividends(dtype), np.iinfo(dtype)
    divisors = np.unique(values[values != 0])
    one = np.dtype(dtype).type(1)
    kernel = each = None
    for divisor in divisors:
        with np.errstate(all="ignore"):
            multiples = values // divisor * divisor
            some = np.concatenate([values, multiples, multiples + one, multiples - one])
        if info.min < 0 and divisor == -1:
            some = some[some != info.min]
        same = np.full(some.size, divisor)
        kernel = kernel or single(ufunc, [some, divisor], dtype)
        each = each or single(ufunc, [some, same], dtype)
        assert agree(ufunc, [some, divisor], dtype, kernel), divisor
        assert agree(ufunc, [some, same], dtype, each), divisor


@pytest.mark.parametrize("ufunc", ["floor_divide", "remainder"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint64"])
def test_quotients_by_one_divisor_for_each_row(ufunc, dtype):
    """Of 8 bits, all there are; min % -1 is one of them."""
    values = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, dtype=dtype) if dtype.endswith("int8") else dividends(dtype)[::3]
    divisors = values[(values != 0) & ((values.astype(object) != -1) | (ufunc == "remainder"))]
    assert agree(ufunc, [np.broadcast_to(values, (divisors.size, values.size)), divisors[:, None]], dtype)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "uint32"])
def test_what_warns_of_quotients_by_one_divisor(dtype):
    """Division by 0, and the least number by -1."""
    values, kind = dividends(dtype), np.dtype(dtype).type
    for ufunc in ("floor_divide", "remainder"):
        kernel = single(ufunc, [values, kind(1)], dtype)
        assert call(kernel, values.shape, [values, kind(0)])[1] & TROUBLE
        if dtype[0] == "i":
            assert bool(call(kernel, values.shape, [values, kind(-1)])[1] & TROUBLE) == (ufunc == "floor_divide")
            others = values[values != np.iinfo(dtype).min]
            assert not call(kernel, others.shape, [others, kind(-1)])[1] & TROUBLE
