"""Strips that store while they are tried: when something in one may have warned, all that it stored is put back and done again, one by one."""

import numpy as np
import pytest
from differential import check

pytestmark = pytest.mark.shared

ROOM = 256  # iterations of such a strip
PLACES = (0, 1, ROOM - 1, ROOM, ROOM + 1, 2 * ROOM + 7, 599)
HOW = {"configurations": ("jit", "numpy")}


def recurrence(x, y):
    for i in range(1, len(x)):
        x[i] = (x[i - 1] + y[i]) * 0.5


def two_arrays(x, y, z):
    for i in range(len(z)):
        x[i] = x[i] * z[i]
        y[i] = x[i] - y[i]


def twice_in_one_place(x, z):
    for i in range(len(z)):
        x[i] = x[i] * z[i]
        x[i] = x[i] + 1.0
        x[0] = x[i] - z[i]


def all_in_one_element(x, z):
    for i in range(len(z)):
        x[1] = x[1] + z[i]


def quotients(x, y, z):
    for i in range(1, len(z)):
        m = z[i] - y[i] * x[i - 1]
        x[i] = y[i] / m


def level(x, y, a):
    s = x[0]
    for i in range(len(x)):
        s = a * x[i] + (1.0 - a) * s
        y[i] = s
    return s


def up_by_three(x, z):
    for i in range(2, len(z), 3):
        x[i - 2] = x[i] * z[i - 1]


def by_columns(x, z):
    for j in range(x.shape[1]):
        for i in range(1, x.shape[0]):
            x[i, j] = x[i - 1, j] - x[i, j] * z[i]


def backwards(x, z):
    for i in range(len(x) - 2, -1, -1):
        x[i] = x[i] - z[i] * x[i + 1]


def backwards_by_two(x, z):
    for i in range(len(x) - 3, -1, -2):
        x[i] = x[i + 2] * 0.5 + z[i]


def sweeps(x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            x[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def ints(x, z):
    for i in range(len(z)):
        x[i] = x[i] * 3 + z[i]


@pytest.mark.parametrize("bad", [np.inf, np.nan, 1.7e308])
@pytest.mark.parametrize("at", PLACES)
def test_trouble_in_the_middle(at, bad):
    x, y, z = np.random.default_rng(at).uniform(0.5, 1.5, (3, 600))
    z[at] = bad
    check(recurrence, x, z, **HOW)
    check(two_arrays, x, y, z, **HOW)
    check(twice_in_one_place, x, z, **HOW)
    check(all_in_one_element, x, z, **HOW)
    check(quotients, x, y, z, **HOW)
    check(level, z, y, 0.25, **HOW)
    check(up_by_three, x, z, **HOW)
    check(backwards, x, z, **HOW)
    check(backwards_by_two, x, z, **HOW)


@pytest.mark.parametrize("at", PLACES)
def test_a_quotient_by_zero_and_one_by_infinity(at):
    x, y, z = np.random.default_rng(at).uniform(0.5, 1.5, (3, 600))
    for value in (0.0, np.inf):
        y[at], z[at] = 0.0, value
        check(quotients, x, y, z, **HOW)


@pytest.mark.parametrize("at", [0, 300])
def test_arrays_that_overlap(at):
    z = np.random.default_rng(at).uniform(0.5, 1.5, 600)
    z[at] = 1.7e308
    for shift in (1, 300):
        base = np.random.default_rng(1).uniform(0.5, 1.5, 1000)
        check(two_arrays, base[:600], base[shift : shift + 600], z, **HOW)
        check(two_arrays, base[shift : shift + 600], base[:600], z, **HOW)
        check(two_arrays, base[600::-1][:600], base[:600], z, **HOW)
        check(two_arrays, base[:600], z, z, **HOW)
        check(recurrence, z[1:], z[:-1], **HOW)


@pytest.mark.parametrize("at", [0, 1, 29])
def test_more_dimensions_and_orders(at):
    x, z = np.random.default_rng(at).uniform(0.5, 1.5, (30, 30)), np.ones(30)
    z[at] = np.inf
    for array in (x, x.T, x[::-1], np.asfortranarray(x), x.astype(np.float32)):
        check(by_columns, array, z.astype(array.dtype), **HOW)
        for bad in (np.inf, np.finfo(array.dtype).max):
            array[12, at] = bad
            check(sweeps, array, **HOW)
            check(sweeps, array[10:13, :3], **HOW)


@pytest.mark.parametrize("function", [recurrence, backwards, backwards_by_two])
def test_what_is_kept_ahead_of_a_strip(function):
    """Of every length, in reals of both widths."""
    rng = np.random.default_rng(2)
    for n in (0, 1, 2, 3, 5, 17, 40):
        for dtype in (np.float32, np.float64):
            x, z = rng.uniform(0.5, 1.5, (2, n)).astype(dtype)
            check(function, x, z, **HOW)
            z[n // 2 : n // 2 + 1] = np.finfo(dtype).max
            check(function, x, z, **HOW)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64"])
@pytest.mark.parametrize("at", [0, ROOM, 599])
def test_ints_that_wrap(dtype, at):
    x, z = np.ones((2, 600), dtype)
    x[at] = np.iinfo(dtype).max // 2
    check(ints, x, z, **HOW)


def test_a_warning_that_is_an_error_leaves_the_rest_as_it_was():
    source = """
import warnings
def f(x, y, z):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            g(x, y, z)
        except RuntimeWarning as error:
            print(error)
def g(x, y, z):
    for i in range(len(z)):
        x[i] = x[i] * z[i]
        y[i] = x[i] * y[i]
"""
    for at in PLACES:
        x, y, z = np.random.default_rng(at).uniform(0.5, 1.5, (3, 600))
        y[at] = 1.7e308
        z[at] = 1.5
        check(source, x, y, z, entry="f", configurations=("jit", "enabled"))


def test_every_exit():
    x, y, z = np.random.default_rng(3).uniform(0.5, 1.5, (3, 20))
    check(two_arrays, x, y, z)
    check(recurrence, x, z)


def looked_up(starts, columns, values, x, y):
    for i in range(len(y)):
        s = 0.0
        for k in range(starts[i], starts[i + 1]):
            s += values[k] * x[columns[k]]
        y[i] = s


@pytest.mark.parametrize("place", [0, 1, 5, 1023, 1024, 1030, 2999])
@pytest.mark.parametrize(("column", "value"), [(0, np.inf), (0, np.nan), (0, 1e308), (7, 1.0), (-8, 1.0), (-7, 1.0)])
def test_sums_of_what_is_looked_up(place, column, value):
    """An index that is outside, or a warning before or after it, comes where it would."""
    starts = np.array([0, 0, 1, 6, 1500, 3000])
    columns, values = np.arange(3000) % 7, np.linspace(0.5, 1.5, 3000)
    columns[place], values[place] = column, value
    values[(place + 2) % 3000] = -np.inf if column == 0 else 1e308
    check(looked_up, starts, columns, values, np.full(7, 10.0), np.zeros(5), **HOW)
