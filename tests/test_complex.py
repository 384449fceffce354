"""Python's complex numbers: the bits and the errors of CPython's own arithmetic."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from differential import check, check_calls, settings

import pijit

pytestmark = pytest.mark.shared

HALVES = (0.0, -0.0, 1.0, -1.5, 3e-5, math.inf, -math.inf, math.nan, 1.7e308, -1e200, 5e-324, 1e-310)
NUMBERS = tuple(itertools.starmap(complex, itertools.product(HALVES, HALVES)))
OTHERS = (*NUMBERS[::7], 2 + 3j, -1j)

ONE = """
-a | +a | abs(a) | a.real | a.imag | a.conjugate() | bool(a) | not a | 1 if a else 2 | a ** 0 | a ** 1 | a ** 2 | a ** 3 | a ** 7 | a ** 100 |
a ** -1 | a ** -2 | a ** 2.0 | a ** True | a ** (2 + 0j) | a ** 101 | a ** 0.5 | a + 1 | 2 - a | a * 2 | 1 / a | a / 3 | a + 1.5 | -0.0 + a | a * 1j |
0.0 * a |
a == 0 | a != 1.0 | 1.0 == a | a == True | a == 1j | a != a | complex(a) | complex(a.imag, a.real) | complex(a.real) | complex(3, a.imag) | a < 1 |
a // 2 | a % 2 | a & 1 | isinstance(a, complex) | isinstance(a, float) | type(a) is complex | (a, a) | [a, -a] | a is a | abs(a) < 2.0 |
(1 + 2j) / a | 2 ** a | a == 2**53 | a == 2**53 + 1 | a == 2**60 | abs(a * a + a) | a.real * a.imag
"""
TWO = "a + b | a - b | a * b | a / b | a == b | a != b | (a - b).conjugate() | a * b + a / 2 | (a + b).imag | a ** b"
REAL = "a + x | x + a | a - x | x - a | a * x | x * a | a / x | x / a | a == x | x != a | a ** x | x ** a | complex(x, 2) * a | complex(x) - a"


def forms(text):
    return [form.strip() for form in text.split("|")]


def outcome(function, *args):
    try:
        return repr(function(*args))
    except (ArithmeticError, TypeError, ValueError) as error:
        return repr(error)


def compared(form, names, calls, **options):
    plain = eval(f"lambda {names}: {form}")
    with settings(compile_all=True, raise_internal=True):
        fast = pijit.jit(eval(f"lambda {names}: {form}"), **options)
        wrong = [(args, outcome(plain, *args), outcome(fast, *args)) for args in calls if outcome(plain, *args) != outcome(fast, *args)]
    assert not wrong, f"{form}: {len(wrong)} differ, such as {wrong[:3]}"


@pytest.mark.parametrize("form", forms(ONE))
def test_one(form):
    compared(form, "a", [(a,) for a in NUMBERS])


@pytest.mark.parametrize("form", forms(TWO))
def test_two(form):
    compared(form, "a, b", [*itertools.product(NUMBERS, OTHERS)])


@pytest.mark.parametrize("form", forms(REAL))
def test_beside_real_numbers(form):
    for reals in (HALVES, (0, 1, -3, 2**53 + 1, 2**63 - 1), (True, False)):
        compared(form, "a, x", [*itertools.product(NUMBERS[::3], reals)])


@pytest.mark.parametrize("form", [*forms(ONE)[::4], *forms(TWO)[:6]])
def test_evaluator(form):
    calls = list(itertools.product(NUMBERS[::5], OTHERS[::6]))
    compared(form, "a, b", calls, backend="numpy")


def mandelbrot(n, limit):
    total = 0
    for i in range(n):
        for j in range(n):
            c = complex(-2.0 + 3.0 * i / n, -1.5 + 3.0 * j / n)
            z = 0j
            k = 0
            while k < limit and abs(z) < 2.0:
                z = z * z + c
                k += 1
            total += k
    return total


def test_mandelbrot():
    check(mandelbrot, 5, 20)
    fast = pijit.jit(mandelbrot)
    assert fast(20, 50) == mandelbrot(20, 50)
    assert not pijit.stats(fast).exits


def test_types_change_in_a_loop():
    def f(n, x):
        z = 0
        for i in range(n):
            z = z + x if i % 3 else z * 2
        return z

    check_calls(f, [(9, 1.5 - 2j), (9, 2), (9, 0.5)])


def test_errors_in_the_middle():
    def f(z, n):
        s, k = 0j, 0
        try:
            for _ in range(n):
                k += 1
                s += 1 / z
                z = z * (z - 1)
                s += abs(z) ** 0.5
        except (ZeroDivisionError, OverflowError) as error:
            return s, z, k, str(error)
        return s, z

    check_calls(f, [(z, 12) for z in (2 + 0j, 0j, 1.5 + 1j, 1e200 + 1j, -1 + 0.5j)])


def test_kept_in_objects_and_lists():
    source = """
class Point:
    def __init__(self, z):
        self.z = z


def f(items, w):
    p = Point(w)
    s = 0j
    for z in items:
        p.z = p.z * z + w
        s += p.z.conjugate() / 2
    return s, p.z, (w, w), [s, s.real]
"""
    check(source, [1 + 2j, 0.5j, -1 - 0j], 0.25 - 1j)


def test_beside_numpy():
    def f(z, x, a):
        w = z * 2
        return w + x, x * w, np.exp(w), a * w, w == x, np.abs(z), np.array([z, w])

    check_calls(f, [(1 - 2j, np.float64(1.5), np.arange(3.0)), (0.5j, np.complex128(2j), np.ones(2, complex)), (2j, np.float32(3), np.arange(2))])


def test_captured_calls():
    def f(z, n):
        import cmath  # noqa: F401

        return z

    def g(z, n):
        for _ in range(n):
            z = math.sqrt(abs(z)) * z ** 0.5 + pow(z, 2) - sum([z, z])
        return z, hash(z), str(z), round(z.real, 3)

    check(f, 1j, 1)
    check(g, 1.5 + 1j, 5)


# What a complex number may stand beside, or be given to, captured or not.
FORMS = (
    "np.add(a, z, out=a)", "a += z", "a[...] = z", "b = np.where(m, z, a)", "b = np.clip(a, z, z)", "a[0] = z", "b = np.maximum(a, z)",
    "b = np.float64(1) + z", "b = z + np.complex128(2)", "b = a ** z", "b = z in a", "a.fill(z)", "b = np.full(3, z)",
    "b = np.array([z, 1])", "b = sum([z, z])", "b = abs(z)", "b = z == a", "b = a * z + z", "b = np.sqrt(z)", "b = np.multiply(a, z)",
    "b = np.multiply.outer(a, z)", "b = [z, a]", "b = (z, z)", 'b = f"{z}"', "b = z and 1", "b = -z", "b = +z", "b = z - 1", "b = z // 1",
    "b = z % 2", "b = z < 1", "b = max(z, 1)", "b = int(z)", "b = round(z)", "b = math.sqrt(z)", "b = np.exp(z)",
    "b = np.subtract(z, a, out=a)", "np.exp(z, out=a)", "b = a @ z", "b = np.dot(a, z)", "b = a.sum(initial=z)",
    "b = np.linspace(0, z, 3)", "b = np.isnan(z)", "b = a[z]", "b = [1, 2][z]", "b = range(z)", "b = np.zeros(z)", "a[m] = z", "a[1:] = z",
    "a[1:] *= z", "b = a.clip(z)", "b = np.round(z)", "b = np.prod([z, a[0]])", "b = a.dot(z)", "b = divmod(z, 2)", "b = z ** 2",
    "b = z ** 0.5", "b = 2 ** z", "b = z @ a", "b = np.arange(z)", "b = a.astype(complex) + z", "b = np.take(a, z)",
    "b = z if m[0] else a[0]", "b = not z", "b = z is z", "b = {z: 1}", "b = hash(z)", "b = np.minimum.reduce([z, z])", "b = np.cumsum(z)",
    "b = np.roll(a, z)", "b = a.item(0) * z", "b = np.abs(z)", "b = np.conj(z)", "b = z.conjugate() * a",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore")
def test_beside_everything_else(form):
    for number in ("2.5 - 0.5j", "p + 1j"):
        source = f"import math\nimport numpy as np\ndef f(a, p):\n    z = {number}\n    m = a == a\n    b = 0\n    {form}\n    return a, b\n"
        check(source, np.array([1.5, 2, 3]) + 0j, 0.25, entry="f", configurations=("jit", "numpy"))


BESIDE_ARRAYS = """
a * x | x * a | a + x | x - a | a / x | x / a | a == x | x != a | (a * 2 + 1j) * x | a * x * a | np.exp(a * x) | (-a).conjugate() * x + a.real |
np.where(x == a, a * x, x * 2)
"""


@pytest.mark.parametrize("form", forms(BESIDE_ARRAYS))
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64", "bool", "int8", "complex64", "float32"])
def test_beside_arrays(form, dtype):
    """One that is computed is the NumPy scalar that it is beside an array; where that would be rounded, NumPy does it."""
    source = f"import numpy as np\ndef f(b, s, x):\n    a = b * s\n    with np.errstate(all='ignore'):\n        return {form}\n"
    with np.errstate(all="ignore"):
        arrays = [np.array(values).astype(dtype) for values in ([], [1.0], [0.0, -2.0, 3.0, 1e3, -0.0], [[1.0, 2.0], [3.0, 0.0]])]
    numbers = (1 + 2j, -1j, complex(math.inf, 0.0), complex(math.nan, -0.0), 1e308 + 1e308j)
    calls = [(number, scale, x) for number in numbers for scale in (1.0, 0.0) for x in arrays]
    check_calls(source, calls, configurations=("jit", "numpy"))


@pytest.mark.parametrize("form", ["x *= a", "x += a / 2", "x[1:] = a * x[:-1]", "x[0] = a.real"])
def test_into_arrays(form):
    check_calls(f"def f(b, s, x):\n    a = b * s\n    {form}\n    return x\n", [(1 + 2j, 0.5, np.arange(n) * (1 - 1j)) for n in (2, 3, 9)])
    warned = f"import numpy as np\ndef f(b, s, x):\n    a = b * s\n    {form}\n    return x, np.multiply(a, x), np.add(x, a)\n"
    check_calls(warned, [(1e200 + 2j, 1e100, np.arange(n) * 1e300j) for n in (3, 9)])
