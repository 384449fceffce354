"""jit_level="O2" keeps the bounds of docs/levels.md, and threads change no bit."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from fractions import Fraction

import numpy as np
import pytest
from differential import describe, settings
from threads import in_threads

import pijit
from pijit.runtime import tiers

pytestmark = pytest.mark.shared

U = {"float64": 2.0**-53, "float32": 2.0**-24}
LONG = 300_000


def relaxed(function, *args, calls=3):
    fast = pijit.jit(function, jit_level="O2")
    results = [fast(*args) for _ in range(calls)]
    assert all(describe(result) == describe(results[0]) for result in results)
    return results[-1]


def floats(n, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) * 10.0 ** rng.integers(-2, 3, n)).astype(dtype)


# ---- bounds ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", U)
@pytest.mark.parametrize("n", [2, 3, 5, 7, 10, 31, 64])
def test_powers(dtype, n):
    names = {"np": np}
    exec(f"def power(x):\n    return x ** {n}\ndef element(x):\n    s = x[0] ** {n}\n    return s", names)
    x = floats(200, dtype)
    x[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
    with np.errstate(all="ignore"):
        got, expected = relaxed(names["power"], x), names["power"](x)
        one = relaxed(names["element"], x[6:])
        assert type(one) is type(expected[6])
        assert one == expected[6] or abs(one - expected[6]) <= 2 * n * U[dtype] * abs(expected[6])
    assert got.dtype == expected.dtype
    special = ~np.isfinite(expected) | (expected == 0)
    assert describe(got[special]) == describe(expected[special])
    for base, value in zip(x[~special].tolist(), got[~special].tolist(), strict=True):
        exact = Fraction(base) ** n
        if abs(exact) > np.finfo(dtype).tiny:
            assert abs(Fraction(value) - exact) <= Fraction(n * U[dtype]) * abs(exact)


def test_powers_that_stay():
    def f(x, n):
        return x**2.5, x**n, x**-3.0, 3.0**x, np.arange(5) ** 3

    x = np.abs(floats(50)) % 30
    assert describe(relaxed(f, x, 3.0)) == describe(f(x, 3.0))


def test_powers_are_products():
    def cube(x):
        return x**3.0

    fast = pijit.jit(cube, jit_level="O2")
    fast(floats(10)), fast(floats(10))
    report = str(pijit.explain(fast))
    assert "= multiply" in report
    assert "= power" not in report


@pytest.mark.parametrize("dtype", U)
def test_sums(dtype):
    def dot(a, b):
        s = a[0] * b[0]
        for i in range(1, len(a)):
            s += a[i] * b[i]
        return s

    def expression(a, b):
        return a + b * a - b + (a + 1.5) * (b - 0.25) + a

    a, b = floats(1001, dtype), floats(1001, dtype, 1)
    terms = [Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b, strict=True)]
    got = relaxed(dot, a, b)
    assert type(got) is a.dtype.type
    assert abs(Fraction(float(got)) - sum(terms)) <= Fraction((2 * len(a)) * U[dtype]) * sum(map(abs, terms))
    got = relaxed(expression, a, b)
    assert got.dtype == a.dtype
    for x, y, value in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        x, y = Fraction(x), Fraction(y)
        size = abs(x) * 2 + abs(x * y) + abs(y) + (abs(x) + Fraction(3, 2)) * (abs(y) + Fraction(1, 4))
        assert abs(Fraction(value) - (x + y * x - y + (x + Fraction(3, 2)) * (y - Fraction(1, 4)) + x)) <= 8 * Fraction(U[dtype]) * size


def test_division():
    def f(a, c):
        return a / c

    a = floats(1000)
    for value, x in zip(relaxed(f, a, 3.7).tolist(), a.tolist(), strict=True):
        exact = Fraction(x) / Fraction(3.7)
        assert abs(Fraction(value) - exact) <= 3 * Fraction(U["float64"]) * abs(exact)


# ---- what stays -----------------------------------------------------------------------------------------------------


def test_infinities_and_nans():
    def f(a, b):
        c = a * b + a - b
        return c, np.isnan(c), np.isinf(c), np.where(np.isnan(a - b), 1, 2), np.maximum(a, b), a == a

    values = np.array([0.0, 1.0, np.inf, -np.inf, np.nan])
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        got, expected = relaxed(f, a, b), f(a, b)
    assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(got, expected, strict=True))


def test_the_rest_is_exact():
    def f(a, i, z):
        b = np.sort(a)
        a[1:] = i[1:] * 2
        return np.exp(a), np.sum(a), b, i // 3 + i, z * z + z, a.astype(np.int64), np.minimum(a, 0.5), a @ a

    made = floats(60), np.arange(60), floats(60) + 1j
    plain, fast = [m.copy() for m in made], [m.copy() for m in made]
    assert describe(f(*plain)) == describe(relaxed(f, *fast, calls=1))
    assert describe(plain) == describe(fast)


def test_warnings_and_errors():
    def f(a):
        return a * a + 1.0

    fast = pijit.jit(f, jit_level="O2")
    for a in (np.full(40, 1e200), np.full(LONG, 1e200)):
        for _ in range(3):
            with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
                fast(a)
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
            fast(a)


def test_a_forced_exit_of_a_relaxed_power():
    def f(x):
        return (x**5 + 1.0) * 2.0

    x = np.array([0.5, 1.0, 2.0, 3.0])  # exact in every order
    for index in range(3):
        fast = pijit.jit(f, jit_level="O2")
        tiers.record_of(fast.__code__).plan.force_exit = index
        assert describe(fast(x)) == describe(f(x))


# ---- threads --------------------------------------------------------------------------------------------------------


def chain(a, b):
    return (a * b - a) / (b * b + 1.0) + np.where(a > b, a, -b)


def elementary(a, b):
    return np.tanh(a) * np.exp(-b * b) + np.sin(a)


def rows(a, b):
    m = a.reshape(-1, 1000)
    return np.exp(m * 0.1) + b[:1000], m.T * 2.0


def into(a, b):
    out = np.zeros_like(a)
    out[1:-1] = a[2:] * 0.5 + b[:-2]
    out *= 0.5
    out += a
    return out


def in_place(a, b):
    a[1:-1] = (a[2:] + a[:-2]) * 0.5
    m = a.reshape(-1, 100)
    m[1:] = m[:-1] * 2.0
    return a


def sums(a, b):
    m = a.reshape(100, -1)
    return np.sum(m * m, axis=0) + 1.0, np.max(m, axis=0) * 2.0


def ints(a, b):
    i = (a * 100).astype(np.int64)
    return i * 3 + 1, i // 7, i > 5


PROGRAMS = [chain, elementary, rows, into, in_place, sums, ints]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_bits(function):
    made = floats(LONG), floats(LONG, seed=1)
    plain = [m.copy() for m in made]
    expected = describe((function(*plain), plain))
    for threads in (1, 2, 3, 7):
        with settings(threads=threads):
            fast = pijit.jit(function)
            for _ in range(3):
                copies = [m.copy() for m in made]
                assert describe((fast(*copies), copies)) == expected


def test_flags_of_all_threads():
    def f(a):
        return a * 1e10

    with settings(threads=4):
        fast = pijit.jit(f)
        a = np.ones(LONG)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fast(a), fast(a)
            for place in (0, 1500, LONG // 3, LONG // 2, LONG - 1):
                a[place] = 1e300
                with pytest.raises(RuntimeWarning, match="overflow encountered in multiply"):
                    fast(a)
                a[place] = 1.0
                fast(a)


@pytest.mark.parametrize("n", [LONG, 1_300_000])
def test_flags_in_place(n):
    """What was there is kept for long strips, which threads share; of the first in which a flag is raised all is put back."""

    def f(a, b):
        a *= 1e10
        a[...] = a * 0.5 + b
        return a

    def outcome(function, a, b, action):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter(action)
            try:
                function(a, b)
                raised = None
            except RuntimeWarning as warning:
                raised = str(warning)
        return raised, [(str(w.message), w.lineno) for w in seen], describe(a)

    made, b = floats(n), floats(n, seed=1)
    with settings(threads=4):
        fast = pijit.jit(f)
        for place in (None, 0, 1500, n // 3, n // 2, n - 1, (7, n - 1)):
            for action in ("always", "error", "ignore"):
                a = made.copy()
                if place is not None:
                    a[list(place) if isinstance(place, tuple) else place] = 1e300
                assert outcome(fast, a.copy(), b, action) == outcome(f, a.copy(), b, action)
    assert pijit.stats(fast).hits >= 10


def test_threads_of_python():
    made = floats(LONG), floats(LONG, seed=1)
    expected = describe(chain(*made))
    with settings(threads=3):
        fast = pijit.jit(chain)
        fast(*made)
        wrong = []

        def work(_):
            wrong.extend(1 for _ in range(10) if describe(fast(*made)) != expected)

        in_threads(work, 4)
    assert not wrong


def test_after_a_fork():
    made = floats(LONG), floats(LONG, seed=1)
    with settings(threads=3):
        fast = pijit.jit(chain)
        expected = fast(*made).tobytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            os._exit(0 if all(fast(*made).tobytes() == expected for _ in range(5)) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert fast(*made).tobytes() == expected


def test_signals_go_to_the_program():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(threading.current_thread()))
    try:
        with settings(threads=3):
            fast = pijit.jit(chain)
            fast(floats(LONG), floats(LONG))
            for _ in range(20):
                os.kill(os.getpid(), signal.SIGUSR1)
                fast(floats(LONG), floats(LONG))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert set(seen) == {threading.main_thread()}


def test_the_setting():
    assert pijit.config.threads == 0
    with pytest.raises(ValueError, match="never negative"):
        pijit.config.threads = -1
