"""Jitted functions leave nothing behind: references, objects, memory, exceptions; calls that pass, leave early, raise."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
import sys
import warnings

import numpy as np
import pytest
from differential import settings

import pijit

CALLS = 80_000
A, ONES, ZEROS = np.arange(1.0, 9.0), np.ones(3), np.zeros((2, 2))
BIG = [2**62 + 1, [1, 2.5], "text", 2.75]


class Thing:
    pass


def array(a, b):
    c = a * 2.0 + 1.0
    c[1:] += a[:-1]
    return c[::2], c


def scalar(k, x):
    s = 0.0
    for i in range(5):
        s = s + i * x
    return s, k, (k, [s])


def leaves(big, x):
    y = big + big
    return y * 2, x


def other_type(items, k):
    return items[1] + k


def misses(x, y):
    return x + 1, y


def broken(x, y):
    t = (x, [y])
    z = str(x)
    return z, t


def raises(m, x):
    try:
        return np.linalg.inv(m) + x
    except np.linalg.LinAlgError as error:
        return error.args


def goes_out(a, k):
    return a[k] + 1.0


# name -> the function, its arguments, the exception that leaves it
CASES = {
    "array": (array, (A, A), None),
    "scalar": (scalar, (2**40, 2.5), None),
    "leaves each time": (leaves, (BIG[0], ONES), None),
    "another type each time": (other_type, (BIG[1], 1.5), None),
    "fits no fragment": (misses, (Thing(), ONES), TypeError),
    "break": (broken, (BIG[3], ONES), None),
    "NumPy raises": (raises, (ZEROS, 1.5), None),
    "index error": (goes_out, (A, 100), IndexError),
}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def repeat(function, args, error, n):
    for _ in range(n):
        with contextlib.suppress(error or ()):
            function(*args)


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_left_behind(name):
    function, args, error = CASES[name]
    own = pijit.jit(function)
    n = CALLS // 4 if error or name == "NumPy raises" else CALLS
    with settings(compile_all=True, raise_internal=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if error is TypeError:
            own(1, ONES)
        repeat(own, args, error, 3000)
        gc.collect()
        counts = [sys.getrefcount(arg) for arg in args]
        objects, blocks, memory = len(gc.get_objects()), sys.getallocatedblocks(), resident()
        repeat(own, args, error, n)
        gc.collect()
        assert [sys.getrefcount(arg) for arg in args] == counts
        assert len(gc.get_objects()) - objects < 50  # what earlier tests left may go meanwhile
        assert sys.getallocatedblocks() - blocks < 500
        if resident() - memory >= 4 << 20:  # a leak grows again; what the allocator got once, for whatever ran before, does not
            memory = resident()
            repeat(own, args, error, n)
            gc.collect()
        assert resident() - memory < 4 << 20
    assert not ctypes.pythonapi.PyErr_Occurred()
    assert pijit.stats(own).compiles > 0
