"""Loops that run in strips: every trip count, every place where a check fails in the middle."""

import signal

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

COUNTS = (0, 1, 7, 1023, 1024, 1025, 2049)


def affine(x, y):
    for i in range(len(x)):
        y[i] = x[i] * 2 + 1


def from_to(x, y, start, stop):
    for i in range(start, stop):
        y[i] = x[i - 1] + x[i + 1]
    return start


def downwards(x, start, stop):
    s = 0.0
    for i in range(start, stop, -3):
        s += x[i]
    return s


def count(x, c):
    for i in range(len(x)):
        if x[i] > 0.5:
            c += 1
        else:
            c -= 2
    return c


def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def gather(x, index, y):
    for i in range(len(index)):
        y[i] = x[index[i]]


def flat(x, rows, columns):
    s = 0.0
    for i in range(rows):
        for j in range(columns):
            s += float(x[i * columns + j])
    return s


def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


def running(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] + x[i]


def mixed(x, y):
    for i in range(len(x)):
        y[i] = x[i] - y[i] * 3


@pytest.mark.parametrize("n", COUNTS)
def test_trip_counts(n):
    rng = np.random.default_rng(n)
    x, y = rng.random(n), rng.random(n)
    how = {"configurations": ("jit", "numpy")}
    check(affine, x, y, **how)
    check(from_to, x, y, 1, n - 1, **how)
    check(count, x, 0, **how)
    check(dot, x, y, **how)
    check(mixed, x, y, **how)
    check(running, x, **how)
    check(downwards, x, n - 1, -1, **how)
    check(affine, np.arange(n), np.zeros(n, np.int64), **how)


@pytest.mark.parametrize("at", [0, 1, 1022, 1023, 1024, 1500, 2047])
@pytest.mark.parametrize("bad", [np.inf, np.nan, 1e308, -1e308])
def test_warning_in_the_middle(at, bad):
    x, y = np.ones(2048), np.zeros(2048)
    x[at] = bad
    for function in (affine, mixed, dot):
        check(function, x, y, configurations=("jit",))


@pytest.mark.parametrize("at", [0, 1023, 1024, 2047])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_overflow_in_the_middle(at, dtype):
    x, y = np.ones(2048, dtype), np.ones(2048, dtype)
    for bad in (np.iinfo(dtype).max, np.iinfo(dtype).min, np.iinfo(dtype).max // 2, np.iinfo(dtype).max // 2 + 1):
        x[at] = bad
        check(affine, x, y, configurations=("jit",))
        check(mixed, x, y, configurations=("jit",))


def test_warnings_as_errors_leave_the_rest_alone():
    source = """
import warnings
def f(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            g(x, y)
        except RuntimeWarning as error:
            print(error)
def g(x, y):
    for i in range(len(x)):
        y[i] = x[i] * 2 + 1
"""
    x = np.ones(3000)
    x[1777] = 1.5e308
    check(source, x, np.zeros(3000), entry="f", configurations=("jit", "enabled"))


@pytest.mark.parametrize("length", [0, 1, 1023, 1024, 1025, 1999])
def test_index_error_in_the_middle(length):
    check(affine, np.ones(2000), np.zeros(length), configurations=("jit", "numpy"))


def test_ranges_beyond_the_array():
    x = np.arange(50.0)
    calls = [(x, x.copy(), a, b) for a in (-60, -50, -3, 0, 1, 40) for b in (-1, 0, 2, 49, 50, 60)]
    check_calls(from_to, calls, configurations=("jit", "numpy"))
    check_calls(
        downwards, [(x, a, b) for a in (60, 49, 5, -3) for b in (-60, -10, 0, 6)], configurations=("jit", "numpy")
    )


@pytest.mark.parametrize("start", [0, 2**63 - 1001, 2**63 - 1, 2**62, -(2**63) + 100, 2**62 + 1])
def test_counters_outgrow_64_bits(start):
    x = np.random.default_rng(1).random(5000)
    check(count, x, start, configurations=("jit", "numpy"))


def test_memory_that_overlaps():
    base = np.arange(4000.0)
    for shift in (0, 1, 7, 1024, 2000):
        check(affine, base[:2000], base[shift : shift + 2000], configurations=("jit",))
        check(affine, base[shift : shift + 2000], base[:2000], configurations=("jit",))
    check(affine, base[::2], base[1::2], configurations=("jit",))
    check(affine, base[::-1], base, configurations=("jit",))


def test_gather_beyond():
    index = np.arange(3000) % 100
    for at, bad in ((0, 100), (1500, -101), (2999, 5000), (1024, -100)):
        index[at] = bad
        check(gather, np.arange(100.0), index, np.zeros(3000), configurations=("jit", "numpy"))


def test_flat_index():
    x = np.arange(12.0)
    check_calls(flat, [(x, 3, 4), (x, 4, 4), (x, 0, 5), (x, 2, 2**40), (x, -1, 3)], configurations=("jit", "numpy"))


def test_return_from_the_middle():
    x = np.arange(3000.0)
    check_calls(
        first_above,
        [(x, limit) for limit in (-1.0, 0.0, 1022.5, 1023.0, 2998.0, 5000.0)],
        configurations=("jit", "numpy"),
    )


@pytest.mark.parametrize("function", [affine, mixed])
def test_every_exit(function):
    x = np.random.default_rng(3).random(40)
    check(function, x, x.copy())


def relative_to_the_first(x, y, z):
    for i in range(len(x)):
        y[i] = x[i] - z[0]


def test_index_that_does_not_change():
    check_calls(
        relative_to_the_first,
        [(np.ones(n), np.zeros(n), z) for n in (0, 3, 2000) for z in (np.zeros(0), np.ones(1))],
        configurations=("jit", "numpy"),
    )


def ring(x, cells, steps):
    """The place after the last one is the first one."""
    y = np.zeros(cells)
    for i in range(len(x)):
        cell = int(x[i])
        y[cell] += 1.0
        y[(cell + steps) % cells] += 2.0
    return y


@pytest.mark.parametrize("cells", [1, 2, 7])
def test_places_in_a_ring(cells):
    inside = np.arange(40) % cells
    for x in (inside, inside - cells, np.arange(40), -1 - np.arange(40)):
        check(ring, x, cells, 1, **RING)
        check(ring, x.astype(float), cells, -3, **RING)
    check(ring, inside, cells, 2**63 - 1, **RING)


RING = {"configurations": ("jit", "numpy")}


def remainders(a, b):
    s = 0
    for x in a:
        for y in b:
            s ^= int(x) % int(y)
    return s


def by_minus_one(a):
    s = 0
    for x in a:
        s ^= int(x) % -1
    return s


def test_remainders():
    ends = [0, 1, 2, 3, 7, 2**62, 2**63 - 1]
    numbers = np.array([*ends, *(-n for n in ends), -(2**63)])
    check(remainders, numbers, numbers[numbers != 0], **RING)
    check(remainders, numbers, numbers, **RING)
    check(by_minus_one, numbers, **RING)


class Interrupted(Exception):
    pass


def long(n, step):
    s = 0.0
    for _ in range(n):
        s += step
    return s


def test_signals_are_served_between_strips():
    def interrupt(signum, frame):
        raise Interrupted

    function = pijit.jit(long)
    assert function(5000, 0.5) == 2500.0
    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)
    try:
        with pytest.raises(Interrupted):
            function(10**15, 0.5)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
