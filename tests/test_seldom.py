"""What seldom meets: kinds of numbers that Python's own operators take, NumPy's texts, flags that are not where others are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from differential import check, check_calls, settings

import pijit

pytestmark = pytest.mark.shared

OPERATORS = ("+", "-", "*", "/", "**", "==", "!=", "<", "//", "%", "&")
NUMBERS = (
    np.float64(0.3), np.float64(0.0), np.float32(0.3), np.int64(3), np.int8(-3), np.uint16(7), np.bool_(True), np.complex64(1 - 2j),
    np.complex128(2j), 0.3, 3, True,
)  # fmt: skip


@pytest.mark.parametrize("symbol", OPERATORS)
@pytest.mark.parametrize("constant", ["1j", "(2-3j)", "0j", "0.5", "2", "True"])
def test_constants_beside_scalars(symbol, constant):
    """A float64 is a float to complex's operators, which are asked first."""
    source = (
        f"def f(x):\n    out = []\n    for e in (lambda: {constant} {symbol} x, lambda: x {symbol} {constant}):\n"
        "        try:\n            out.append(e())\n        except (TypeError, ArithmeticError) as e:\n"
        "            out.append(repr(e))\n    return out\n"
        f"def g(x):\n    return {constant} {symbol} x\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        check_calls(source, [(x,) for x in NUMBERS], entry="f", configurations=("jit",))


def test_complex_on_the_left():
    for x in NUMBERS:
        check("def f(x):\n    y = 1j * x\n    return y, 1j + x, 1j - x, (1j == x), -1j * 0.1 * x\n", x, configurations=("jit", "forced"))


@pytest.mark.parametrize("exponent", [0.5, 1.5, 2.5, -0.5, np.float64(1.5), np.float32(1.5), np.int64(3), 2])
@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32", "float64"])
def test_powers_of_scalars(dtype, exponent):
    """NumPy's scalars have their own power for operands of one type; mixed ones go to the loop for arrays, which has other bits."""
    source = "def f(a, e):\n    return [k ** e for k in a], [e ** k for k in a], [np.power(k, e) for k in a]\n"
    with np.errstate(all="ignore"):
        check(source, np.arange(1, 60).astype(dtype), exponent, configurations=("jit",))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int16", "uint16", "complex64", "complex128"])
@pytest.mark.parametrize("ufunc", ["exp", "exp2", "expm1", "sinh", "cosh", "square", "log", "sqrt", "arccos", "reciprocal"])
def test_flags_of_loops(ufunc, dtype):
    """Some loops report by feraiseexcept(), which on x86-64 tells the x87 unit and not the SSE one."""
    source = (
        f"def f(x):\n    return np.{ufunc}(x)\n"
        "def g(x):\n    out = []\n    for state in ('warn', 'raise'):\n        try:\n"
        "            with np.errstate(all=state):\n                out.append(f(x))\n"
        "        except FloatingPointError as e:\n            out.append(repr(e))\n    return out\n"
    )
    x = np.full(40, 1000).astype(dtype)
    check_calls(source, [(x,), (-x,), (x * 0,), (x[:3],)], entry="g", configurations=("jit",))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_comparisons_with_nan(dtype):
    w = np.array([complex(np.nan, 0), complex(0, np.nan), complex(np.inf, np.nan), 1 + 2j], dtype)
    for other in (w[::-1].copy(), w[1], 2.5):
        source = "def f(x, y):\n    return x < y, x > y, x <= y, x >= y, x == y, np.sign(x), np.where(x > y, x, y), np.abs(x)\n"
        check(source, w, other, configurations=("jit", "O0"))
    check("def f(x):\n    return np.abs(x)\n", np.full(3, complex(np.finfo(dtype).max, np.finfo(dtype).max), dtype))


def test_texts_of_numpy():
    for text in (np.str_("a"), np.bytes_(b"a")):
        check("def f(x):\n    return x.item(), x + x, x == 'a', x.upper(), len(x), [x] * 2\n", text)
    check("def f(a):\n    return {k: int((a == k).sum()) for k in np.unique(a)}\n", np.array(["x", "y", "x"]))


def test_arrays_whose_flags_warn():
    """Asking what broadcast_arrays gives whether it may be written to warns: only the program may ask."""
    jitted = pijit.jit(lambda a: (a * 2).sum())
    stretched = np.broadcast_arrays(np.ones((1, 3)), np.zeros((2, 3)))[0]
    with settings(compile_all=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [jitted(np.ones((2, 3))), jitted(stretched), jitted(stretched)] == [12.0] * 3
        assert pijit.verify(jitted, stretched)
    assert jitted.stats().misses
