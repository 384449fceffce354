"""NumPy's complex scalars, element by element: their operators round otherwise than the loops of arrays, and warn in other words."""

from __future__ import annotations

import numpy as np
import pytest

from tests.differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

DTYPES = ("complex128", "complex64")
# Of elements x and y, a real one w, a Python float r and int n.
FORMS = (
    "x + y", "x - y", "x * y", "x / y", "-x", "+x", "x == y", "x != y",
    "x + w", "w - x", "x * w", "w * x", "x / w", "w / x",
    "x * r", "r * x", "x / r", "r / x", "x + n", "n - x", "x * n", "n / x", "x * (2 - 1j)", "1j * x", "x / 3j", "(1 + 2j) / x",
    "w * 1j", "w + 1j", "w - 2j", "w / (1 - 1j)", "1j * w", "1j + w", "2j / w", "(1 + 1j) - w", "complex(r, n) * x", "x / complex(r, 2)",
    "complex(w, r)",
    "x.real", "x.imag", "x.conjugate()", "x.conj()", "x.real * x.real + x.imag * x.imag", "complex(x)", "complex(x) * 2", "np.multiply(x, y)",
    "np.add(x, y)", "np.divide(x, y)",
)  # fmt: skip
WIDE = ("abs(x)", "abs(x) ** 2", "x ** 2", "(x * x.conjugate()).real", "w * complex(r, 1)", "complex(r, n) * w")
CALLED = (
    "abs(x)", "np.abs(x)", "x ** 3", "x ** y", "x ** 0.5", "2 ** x", "np.exp(1j * w)", "np.sqrt(x)", "np.square(x)",
    "bool(x)", "str(x)", "x == 0",
)  # fmt: skip

PYTHON = ("1j * w", "1j + w", "2j / w", "(1 + 1j) - w", "complex(w, r)", "complex(x)", "complex(x) * 2", "complex(r, n) * w")

ELEMENTS = """
import numpy as np
def f(a, b, c, r, n):
    out = []
    for i in range(len(a)):
        x, y, w = a[i], b[i], c[i]
        out.append({form})
    return out
"""


def numbers(dtype, n=40, low=-20, high=20):
    rng = np.random.default_rng(7)
    whole = [(rng.normal(size=n) + 1j * rng.normal(size=n)) * 2.0 ** rng.integers(low, high, n) for _ in range(2)]
    return *(half.astype(dtype) for half in whole), rng.normal(size=n)


def specials(dtype):
    """Every pair of zeros of both signs, infinities, NaN, the largest and the smallest numbers, as far as they fit."""
    top, tiny = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    halves = [0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, top, -top, top / 2, tiny, 3 * tiny]
    some = np.array([complex(p, q) for p in halves for q in halves[::3]], dtype)
    return some, np.roll(some[::-1], 5), np.array((halves * len(some))[: len(some)], np.finfo(dtype).dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", [*FORMS, *WIDE, *CALLED])
def test_elements(form, dtype):
    check(ELEMENTS.format(form=form), *numbers(dtype), 0.75, 3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", [*FORMS, *WIDE])
def test_elements_that_are_special(form, dtype):
    check(ELEMENTS.format(form=form), *specials(dtype), 0.75, 3, calls=2)


OF_A_KIND = """
import numpy as np
def f(a, n):
    out = []
    for i in range(len(a)):
        x = a[i]
        y = {form}
        out += [y, type(y), y * 2, y is x]
    try:
        out.append(np.generic.{name}(n))
    except TypeError as error:
        out.append(str(error))
    return out
"""


@pytest.mark.parametrize("kind", ["bool", "int8", "uint64", "float16", "float64", "longdouble", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["conj", "conjugate"])
def test_conjugates_of_scalars_of_all_kinds(name, kind):
    """The method of a bool gives a bool, the function an int8."""
    for form in (f"x.{name}()", f"np.{name}(x)"):
        check(OF_A_KIND.format(form=form, name=name), (np.arange(4) % 2).astype(kind), 2.5)


CHAINS = ("y / (x * y)", "w / (x + y)", "r / (y / (x / r))", "(w - y) / (x * x) + y", "n / ((x - y) * y)", "(x * y) / (y * y) / (x * x)")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", CHAINS)
def test_a_quotient_hides_no_warning_of_its_divisor(form, dtype):
    """What is divided by an infinite number is finite again."""
    half = np.finfo(dtype).max * 0.8
    y, x = np.array([1, 2j, -1.5], dtype), np.array([complex(half, half), complex(1, half), complex(-half, 1)], dtype)
    for a, b in ((x, y), (x, x), (y, x), (y, y)):
        for i in range(3):
            calls = [(y, y, y.real, 0.25, 3), (a[i : i + 1], b[i : i + 1], y.real, 0.25, 3)]
            check_calls(ELEMENTS.format(form=form), calls * 2, configurations=("jit", "O0"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
def test_products_whose_warning_is_of_the_halves(dtype):
    """np.multiply of one number warns of an overflow where the sum of a factor's halves does, which is not the product's."""
    half = np.finfo(dtype).max * 0.8
    y, x = np.array([1, 0.25j, 0.5 - 0.25j], dtype), np.array([complex(half, half), complex(-half, half), complex(half, 1)], dtype)
    for form in ("np.multiply(x, y)", "np.multiply(y, x)"):
        check_calls(ELEMENTS.format(form=form), [(y, y, y.real, 0.25, 3), (x, y, y.real, 0.25, 3)] * 2, configurations=("jit", "O0"))


@pytest.mark.parametrize("real", ["float32", "float16", "int64", "int8", "uint16", "bool"])
@pytest.mark.parametrize("form", ["x * w", "w * x", "x / w", "w / x", "w + x", "w * 1j", "1j * w", "w / (1 - 1j)", "1j - w"])
def test_beside_real_ones(form, real):
    for dtype in DTYPES:
        x, y, w = numbers(dtype)
        check(ELEMENTS.format(form=form), x, y, (w * 10 + 20).astype(real), 0.75, 3, calls=2)


STORES = (
    "out[i] = x", "out[i] += x", "out[i] *= y", "out[i] /= y", "out[i] = w", "out[i] = r", "out[i] = n", "out[i] = True", "out[i] = 2j",
    "out[i] = complex(r, w)", "out[i] -= 1j * x", "m[i, 1] = x * y", "out[:2] = x", "out[i], out[-1] = y, x",
)  # fmt: skip
STORED = """
import numpy as np
def f(a, b, c, r, n):
    out, m = np.ones(len(a), a.dtype), np.zeros((len(a), 2), a.dtype)
    for i in range(len(a)):
        x, y, w = a[i], b[i], c[i]
        {form}
    return out, m
"""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", STORES)
def test_stores(form, dtype):
    check(STORED.format(form=form), *numbers(dtype), 0.75, 3)


@pytest.mark.filterwarnings("ignore")
def test_stores_that_do_not_fit():
    for form in ("out[i] = x", "out[i] = r", "out[i] = complex(r, w)", "out[i] = y * x"):
        check(STORED.format(form=form).replace("np.ones(len(a), a.dtype)", "np.ones(len(a), 'complex64')"), *specials("complex128"), 1e300, 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", STORES)
def test_stores_stay_native(form, dtype):
    check_stays_native(STORED.format(form=form), *numbers(dtype, low=-2, high=2), 0.75, 3)


@pytest.mark.parametrize("form", [*FORMS, *WIDE])
def test_elements_stay_native(form):
    if form in PYTHON:  # Python's complex numbers are not put into lists natively
        form = f"({form}).real"
    check_stays_native(ELEMENTS.format(form=form), *numbers("complex128", low=-2, high=2), 0.75, 3)


SOLVER = """
import numpy as np
def f(a, b, c, d):
    n = len(d)
    cp, dp, x = np.zeros(n, complex), np.zeros(n, complex), np.zeros(n, complex)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x
"""


def test_a_tridiagonal_solver_calls_nothing():
    import pijit

    a, b, _ = numbers("complex128", low=-1, high=1)
    check(SOLVER, a, b + 4, a, b, entry="f")
    check_stays_native(SOLVER, a, b + 4, a, b)
    space = {}
    exec(SOLVER, space)
    fast = pijit.jit(space["f"])
    fast(a, b + 4, a, b)
    assert "= call" not in str(pijit.explain(fast))
