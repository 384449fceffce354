"""Elementary functions in fused kernels: whole programs, in every configuration."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(5)
SIZES = [0, 1, 7, 8, 9, 1023, 1025, 3000]


def grid(*shape, dtype=np.float64):
    return (RNG.random(shape) * 3 + 0.1).astype(dtype)


X = grid(2050)
CHAIN = "def f(a, b):\n    c = np.exp(-a * a) * np.tanh(b) + np.log1p(a)\n    return c, np.arctan2(c, b) - np.cbrt(a)\n"
POWERS = "def f(a, b):\n    return a**2 + b, a**0.5 * b, a**-1 + b, a**3 - b, 2.0**a + b, a**b + a, a**1.5 * 2, a**0\n"
MODULO = "def f(a, b):\n    return (a - b) // b + a, (a - b) % b + a, np.fmod(a, -b), np.hypot(a, b) * 2\n"


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_chain(n, dtype):
    check(CHAIN, grid(n, dtype=dtype), grid(n, dtype=dtype), calls=2, configurations=("jit", "O0", "numpy"))


@pytest.mark.parametrize("source", [CHAIN, POWERS, MODULO])
def test_layouts(source):
    column, row = grid(6, 1), grid(1, 9)
    calls = [
        (X[:1025], X[1025:]),
        (X[:1000:3], X[334:1:-1][:334]),
        (X[::-1], X),
        (X[::-2], X[::-2]),
        (grid(6, 9).T, grid(6, 9).T),
        (grid(6, 9)[:, ::2], grid(6, 5)),
        (grid(6, 9)[::-1], grid(6, 9)),
        (column, row),
        (row, column),
        (grid(6, 9), np.float64(1.25)),
        (np.array(1.5), grid(4)),
        (grid(1), grid(1)),
        (grid(1), grid(5)),
        (np.broadcast_to(grid(1), 7), grid(7)),
    ]
    for call in calls:
        check_calls(source, [call] * 2, configurations=("jit",))


def test_every_configuration():
    check(CHAIN, grid(40), grid(40))
    check(POWERS, grid(40), grid(40))
    check(MODULO, grid(40), grid(40))


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 5e-324, 800.0])


@pytest.mark.parametrize("ufunc", ["exp", "log", "tanh", "sin", "sqrt", "cbrt", "expm1", "arccos", "log1p", "sinh", "arctanh"])
def test_warnings_name_the_ufunc(ufunc):
    source = f"def f(a):\n    b = a * 1.5\n    c = np.{ufunc}(b)\n    return np.tanh(c + 1.0)\n"
    for value in SPECIAL:
        check(source, np.full(3, value), calls=2, configurations=("jit",))
    check(source, SPECIAL, calls=2, configurations=("jit", "O0"))


def test_powers_of_special_values_and_dtypes():
    source = "def f(a):\n    a = a * 1\n    return a**2, a**0.5, a**-1, a**1, a**3, a**2.0, 2**a\n"
    for dtype in ("float64", "float32", "complex128"):
        check(source, SPECIAL.astype(dtype), calls=2, configurations=("jit",))
    for dtype in ("int64", "uint8", "int32"):
        check(source, np.arange(1, 9, dtype=dtype), calls=2, configurations=("jit",))
    check("def f(a, n):\n    return a**n, (a * 2) ** n\n", grid(9), 0.5, calls=2)
    check("def f(a):\n    a **= 2\n    a **= 0.5\n    a **= 1.5\n    return a\n", grid(9), calls=2)


@pytest.mark.parametrize("exponent", ["2", "2.0", "-1", "-1.0", "0.5", "1", "1.0", "0"])
def test_powers_warn_in_the_name_that_numpy_gives_them(exponent):
    """Small and large arrays, contiguous and not, as a value, stored, in place."""
    huge = [np.tile(np.array([np.finfo(dtype).max, 0.0, -1.0], dtype), n).reshape(3, n) for dtype in ("float64", "float32") for n in (1, 4001)]
    ints = np.arange(-3, 6).reshape(3, 3)
    calls = [(a,) for each in huge for a in (each, each[::-1])] + ([(ints,), (ints[::-1],)] if exponent != "-1" else [])
    for source in (
        f"def f(a):\n    return a ** {exponent}\n",
        f"def f(a):\n    return a ** {exponent} + 1\n",
        f"def f(a):\n    t = np.empty(a.shape)\n    for i in range(2):\n        t[...] = a ** {exponent} + i\n    return t\n",
    ):
        for call in calls:
            check(source, *call, calls=2, configurations=("jit", "O0", "numpy"))
    for each in huge:
        check(f"def f(a):\n    a **= {exponent}\n    return a\n", each, calls=2, configurations=("jit", "O0", "numpy"))


def test_under_errstate_and_out():
    source = "def f(a, b):\n    with np.errstate(all='ignore'):\n        c = np.log(a) + 1\n    np.exp(a, out=b)\n    return c\n"
    check(source, grid(1000), grid(1000), calls=2, configurations=("jit",))
    check("def f(a):\n    np.exp(a, out=a)\n    np.exp(a, out=a[::-1])\n    return a\n", grid(1000), calls=2, configurations=("jit",))


def test_ints_and_mixed_dtypes():
    check(
        "def f(a, b):\n    return np.exp(a), np.gcd(a, b) + a, np.ldexp(1.5, b), np.arctan2(a, 2.5), np.sin(b) + a\n",
        np.arange(9),
        np.arange(9, dtype=np.int32),
        calls=2,
    )
    z = grid(99) + 1j * grid(99)
    check("def f(z):\n    return z * z + 1, abs(z) * 2, np.exp(z) + z, z / (z + 1)\n", z, calls=2)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_clip(dtype):
    source = "def f(a, b, c):\n    return np.clip(a, 0.5, 2) * 2, a.clip(b, 2.0), np.clip(a, b, c) + a, np.clip(a, None, 2), a.clip(max=1) + 1\n"
    for n in (0, 1, 9, 1025):
        check(source, grid(n, dtype=dtype), grid(n, dtype=dtype), grid(n, dtype=dtype), calls=2, configurations=("jit", "numpy"))
    x = SPECIAL if dtype == "int64" else SPECIAL.astype(dtype)
    for b, c in ((0.5, np.nan), (np.nan, 1.0), (0.0, -0.0), (x, x[::-1]), (np.float32(1), x), (x[:1], 2.0), (2.0, 1.0)):
        check(source, x, b, c, calls=2, configurations=("jit", "O0"))
    check(source, x, x, x, calls=2)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_clip_of_ints(dtype):
    """Bounds that no element goes beyond are none, in whatever they are written; one that does not fit is an error or another dtype."""
    info = np.iinfo(dtype)
    x = RNG.integers(info.min, info.max, (7, 30), dtype, endpoint=True)
    x[0, :4] = info.min, info.max, 0, 1
    bounds = (0, 1, info.min, info.max, info.min - 1, info.max + 1, 100)
    known = ", ".join(f"np.clip(a, {low}, {high}) + a" for low, high in ((0, 1), (100, 2), (info.min, 7), (3, info.max), (-(2**70), 5), (5, 2**70)))
    source = f"def f(a):\n    return {known}, a.clip(None, 9), np.clip(a, 9, None)\n"
    check_calls(source, [(x,), (x.T,), (x[:, ::-2],), (x[:0],)], configurations=("jit", "O0", "numpy"))
    source = "def f(a, b, c):\n    return np.clip(a, b, c), a.clip(b, 50) + a, a.clip(c, None)\n"
    for low in bounds:
        for high in bounds:
            check(source, x, low, high, calls=2, configurations=("jit",))
    for b, c in ((np.int16(3), 9), (x[:1], x[:, :1]), (np.uint8(3), np.int64(90)), (0.5, 9), (True, 2), (x[:, :4], 1)):
        check(source, x, b, c, calls=2, configurations=("jit",))
    check("def f(a):\n    return np.clip(a, 1, 9)\n", x)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_round(dtype):
    source = "def f(a):\n    return np.round(a * 1) * 2, np.round(a).astype(np.uint8), a.round(), np.around(a), np.round(a, 1), a.round(0)\n"
    a = np.array([0.5, 1.5, 2.5, -0.5, -0.2, 1e15 + 0.5, 7.49999, 200.5, 3.0]).astype(dtype)
    calls = [(a,), (a[::-1],), (a[2:3],), (np.abs(a),), (np.array([np.nan, np.inf, -np.inf, 0.5]),)]
    check_calls(source, calls, configurations=("jit",))
    check("def f(a):\n    return np.round(a), a.round()\n", a)
