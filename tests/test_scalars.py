"""Python's numbers: where other compilers for Python gave another answer. Every case runs in every configuration."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

BIG = 2**63 - 1
LOW = -(2**63)

# Each operator on each pair of operands: the operands are arguments, so nothing is known beforehand.
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 63, 64, 2**31, 2**53 + 1, BIG, LOW, 2**64]
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e308, 5e-324, math.inf, -math.inf, math.nan, 7.0]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
FLOAT_OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">", ">="]


def binary(symbol):
    return f"def f(a, b):\n    return a {symbol} b\n"


def in_loop(symbol):
    """The same operator inside a loop, whose effects so far must be there when it raises."""
    return (
        f"def f(a, b, log):\n    for i in range(3):\n        log[i] = i + 1\n        r = a {symbol} b\n    return r\n"
    )


@pytest.mark.parametrize("symbol", OPERATORS)
def test_ints(symbol):
    pairs = [(a, b) for a in INTS for b in INTS if not (symbol in ("<<", ">>") and b > 100)]
    check_calls(binary(symbol), pairs, configurations=["jit"])
    check_calls(binary(symbol), pairs[::7], configurations=["O0", "numpy", "enabled"])


@pytest.mark.parametrize("symbol", FLOAT_OPERATORS)
def test_floats(symbol):
    pairs = [(a, b) for a in FLOATS for b in FLOATS]
    pairs += [(a, b) for a in FLOATS[:4] for b in (0, 2, -3, BIG, 2**53 + 1)]
    pairs += [(b, a) for a, b in pairs[-20:]]
    check_calls(binary(symbol), pairs, configurations=["jit"])
    check_calls(binary(symbol), pairs[::9], configurations=["O0", "numpy", "enabled"])


@pytest.mark.parametrize(("a", "b"), [(2, 3), (2, -1), (0, 0), (0, -1), (-2, 63), (10, 18), (10, 19), (-1, 5), (3, 40)])
def test_int_power(a, b):
    check(binary("**"), a, b)


@pytest.mark.parametrize("symbol", ["//", "%", "/", "<<", ">>", "+", "*"])
@pytest.mark.parametrize("operands", [(1, 0), (BIG, BIG), (1, -1), (5.0, 0.0), (LOW, -1)])
def test_effects_before_an_exception_stay(symbol, operands):
    if "<<" in symbol and max(operands) > 100:
        operands = (BIG, 1)
    check(in_loop(symbol), *operands, np.zeros(3))
    check(in_loop(symbol), *operands, [0, 0, 0])


PROGRAMS = {
    "sum that outgrows 64 bits": (
        "def f(n):\n    s = 1\n    for i in range(n):\n        s = s * 3 + i\n    return s\n",
        (60,),
    ),
    "factorial": ("def f(n):\n    r = 1\n    while n > 1:\n        r *= n\n        n -= 1\n    return r\n", (30,)),
    "int becomes float": ("def f(n):\n    s = 0\n    for i in range(n):\n        s += i * 0.5\n    return s\n", (9,)),
    "int stays int without iterations": (
        "def f(n):\n    s = 0\n    for i in range(n):\n        s += 0.5\n    return s\n",
        (0,),
    ),
    "invert a bool": ("def f(x):\n    return not x, -x, +x, x + x, x * 2.0\n", (True,)),
    "negation": ("def f(x):\n    return -x, ~x, abs(x)\n", (LOW,)),
    "conversion": ("def f(x):\n    return int(x), float(x), bool(x), round(x)\n", (2.5,)),
    "conversion of nan": ("def f(x):\n    return int(x)\n", (math.nan,)),
    "conversion of inf": ("def f(x):\n    return int(x)\n", (math.inf,)),
    "conversion of a huge float": ("def f(x):\n    return int(x), round(x)\n", (1e30,)),
    "round halves": ("def f(x):\n    return round(x), round(x + 1.0), round(-x), round(x, 1)\n", (0.5,)),
    "round to digits": ("def f(x):\n    return round(x, 1)\n", (0.15,)),
    "min and max": ("def f(a, b):\n    return min(a, b), max(a, b), min(b, a), max(b, a)\n", (0.0, -0.0)),
    "min and max of nan": ("def f(a, b):\n    return min(a, b), max(a, b), min(b, a), max(b, a)\n", (math.nan, 1.0)),
    "min and max of mixed types": ("def f(a, b):\n    return min(a, b), max(a, b)\n", (1, 1.0)),
    "chained comparison": ("def f(a, b, c):\n    return a < b < c, a < b > c, a == b != c\n", (1, 2.0, 3)),
    "nan in branches": (
        "def f(x):\n    if x < 1.0:\n        return 1\n    elif x >= 1.0:\n        return 2\n    return 3\n",
        (math.nan,),
    ),
    "boolean values": ("def f(a, b):\n    return a and b, a or b, not a, a and 0 or b\n", (0.0, 3)),
    "conditional of two types": ("def f(x):\n    return (1 if x else 2.0) + 1\n", (0,)),
    "while else": ("def f(n):\n    while n > 3:\n        n -= 1\n    else:\n        n = -n\n    return n\n", (9,)),
    "for else with break": (
        "def f(n):\n    for i in range(n):\n        if i * i > 20:\n            break\n    else:\n        i = -1\n    return i\n",
        (9,),
    ),
    "continue": (
        "def f(n):\n    s = 0\n    for i in range(n):\n        if i % 3: continue\n        s += i\n    return s\n",
        (20,),
    ),
    "nested loops": (
        "def f(n):\n    s = 0\n    for i in range(n):\n        for j in range(i, n, 2):\n            s += i * j\n    return s, i, j\n",
        (9,),
    ),
    "loop variable after no iterations": ("def f(n):\n    for i in range(n):\n        pass\n    return i\n", (0,)),
    "changed loop variable": (
        "def f(n):\n    s = []\n    for i in range(n):\n        i *= 2\n        s.append(i)\n    return s\n",
        (5,),
    ),
    "negative steps": (
        "def f(n):\n    s = 0\n    for i in range(n, -n, -3):\n        s = s * 2 + i\n    return s\n",
        (10,),
    ),
    "zero step": ("def f(n):\n    for i in range(0, 5, n):\n        pass\n", (0,)),
    "range of a float": ("def f(n):\n    for i in range(n):\n        pass\n", (2.0,)),
    "unbound local": ("def f(x):\n    if x:\n        y = 1\n    return y\n", (0,)),
    "deleted local": ("def f(x):\n    y = x\n    del y\n    return y\n", (0,)),
    "tuples": (
        "def f(a, b):\n    a, b = b, a\n    t = (a, (b, a + b))\n    c, (d, e) = t\n    return t, c, d, e\n",
        (1, 2.0),
    ),
    "unpacking the wrong number": ("def f(t):\n    a, b = t\n    return a\n", ((1, 2, 3),)),
    "fibonacci": ("def f(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n", (95,)),
    "math": (
        "import math\ndef f(x):\n    return math.sin(x), math.exp(x), math.sqrt(x), math.tanh(x), math.floor(x)\n",
        (2.5,),
    ),
    "math outside its domain": ("import math\ndef f(x):\n    return math.sqrt(x)\n", (-1.0,)),
    "math with an overflow": ("import math\ndef f(x):\n    return math.exp(x)\n", (1000.0,)),
    "math of zero": ("import math\ndef f(x):\n    return math.log(x)\n", (0.0,)),
    "math of ints": ("import math\ndef f(x):\n    return math.sqrt(x), math.floor(x), math.gcd(x, 4)\n", (16,)),
    "complex": ("def f(a, b):\n    return a * b, a + b, a - b, a == b\n", (1 + 2j, 3.0)),
    "complex floor division": ("def f(a, b):\n    return a // b\n", (1 + 2j, 3.0)),
    "power to complex": ("def f(a, b):\n    return a ** b\n", (-8.0, 1 / 3)),
    "strings and None": ("def f(a, b):\n    return a + b if a is not None else None\n", ("x", "y")),
    "int and str": ("def f(a, b):\n    return a + b\n", (1, "y")),
    "defaults and keywords": (
        "def g(a, b=2, *, c=3):\n    return a * b - c\ndef f(x):\n    return g(x) + g(x, c=1) + g(b=x, a=1)\n",
        (4,),
    ),
    "missing argument": ("def g(a, b):\n    return a\ndef f(x):\n    return g(x)\n", (4,)),
    "inlined exception": ("def g(a):\n    return 1 // a\ndef f(x):\n    y = x + 1\n    return g(x) + y\n", (0,)),
    "inlined overflow": ("def g(a):\n    return a * a\ndef f(x):\n    y = x + 1\n    return g(x) + y\n", (2**40,)),
    "inlined two deep": (
        "def h(a):\n    b = a - 3\n    return 7 % b\ndef g(a):\n    return h(a) + 1\n"
        "def f(n):\n    s = 0\n    for i in range(n):\n        s += g(i)\n    return s\n",
        (9,),
    ),
    "recursion": ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\n", (25,)),
    "recursion without end": ("def f(n):\n    return f(n + 1) + 1\n", (0,)),
    "globals written": ("g = 0\ndef f(n):\n    global g\n    for i in range(n):\n        g += i\n    return g\n", (9,)),
    "missing global": ("def f(n):\n    return nosuch + n\n", (9,)),
    "IntEnum": (
        "import enum\nclass E(enum.IntEnum):\n    A = 1\ndef f(x):\n    y = E.A if x else 2\n    return y, y + 1\n",
        (1,),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    source, args = PROGRAMS[name]
    check(source, *args, entry="f")


def test_types_that_change_from_call_to_call():
    calls = [(1, 2), (1.0, 2), (True, 2), (np.float64(1), 2), (1, 2.0), (np.int32(1), 2), (1j, 2), ("a", 2), (2**70, 2)]
    check_calls("def f(a, b):\n    return a * b + a\n", calls * 2)


SCALARS = [
    np.float64(1.5),
    np.float32(1.5),
    np.int64(BIG),
    np.int32(-7),
    np.uint8(255),
    np.bool_(True),
    np.int8(-128),
    np.uint64(2**64 - 1),
]


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "<", "==", "&"])
def test_numpy_scalars(symbol):
    pairs = [(a, b) for a in SCALARS for b in (*SCALARS, 1, 2.5, True)]
    check_calls(binary(symbol), pairs, configurations=["jit"])
    check_calls(binary(symbol), pairs[::7], configurations=["O0", "numpy", "enabled"])


@pytest.mark.parametrize("zero", [np.int64(0), np.float64(0), np.float32(0), np.uint8(0)])
@pytest.mark.parametrize("symbol", ["/", "//", "%"])
def test_numpy_division_by_zero_warns(symbol, zero):
    check(binary(symbol), type(zero)(3), zero)
    check(binary(symbol), zero, zero)


def test_numpy_power():
    check(binary("**"), np.int64(2), -1)
    check(binary("**"), np.float64(1.7), np.float64(2.3))
    check(binary("**"), np.float64(-1.7), np.float64(2.3))
    check(binary("**"), np.int64(3), np.int64(3))


@pytest.mark.parametrize("value", [np.float64(1.5), np.int8(3), np.complex64(1), np.complex128(1), 2j, 1.5, 3, True], ids=repr)
def test_an_argument_that_nothing_uses(value):
    check("def f(x):\n    return x.ndim\n", value, calls=3, configurations=("jit", "enabled"))


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_flags_that_comparisons_raise(symbol, kind):
    """NumPy looks for them after each element that it calls Python for."""
    namespace = {"kind": kind}
    exec(f"def f(x):\n    return 1.0 if kind(x) {symbol} kind(0.5) else 2.0 if x {symbol} 0.25 else 3.0\n", namespace)
    array = np.array([1.0, 0.0, np.nan, 0.3])

    def messages(function):
        for _ in range(100):
            function(0.75), function(0.3)  # the interpreter specialises its comparisons
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = [np.vectorize(function, otypes=[float])(array) for _ in range(3)]
            function(kind(np.nan))
        return [list(result) for result in results], [str(w.message) for w in caught]

    fast = pijit.jit(namespace["f"])
    fast(1.0)
    assert messages(namespace["f"]) == messages(fast)
    assert pijit.stats(fast).hits
