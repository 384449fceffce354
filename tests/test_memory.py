"""Jitted functions leave nothing behind: references, objects, memory, exceptions; calls that pass, leave early, raise."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import resource
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest
from differential import settings

import pijit
from pijit.codegen import engine, symbols

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


def maps():
    with open("/proc/self/maps") as file:
        return sum(1 for _ in file)


def come_and_go(texts):
    """Functions that are compiled and dropped, one per text; how many of their code objects are left."""
    left = []
    for text in texts:
        space = {"__name__": "subject"}
        exec(f"def f(a, n):\n    s = 0.0\n    for i in range(n):\n        s = s + i * {text}\n    return a * s + {text}\n", space)
        function = pijit.jit(space.pop("f"))
        assert (function(ONES, 4) == 7 * float(text)).all()
        assert pijit.stats(function).compiles > 0
        left.append(weakref.ref(function.__code__))
        del function
    gc.collect()
    return sum(code() is not None for code in left)


def test_functions_that_come_and_go(monkeypatch):
    """Nothing of them stays: neither what is known of them nor, but for the most recent, their machine code."""
    monkeypatch.setattr(engine, "_RECENT", 8)
    monkeypatch.setattr(engine, "_GROUP", 4)
    assert come_and_go(f"{k}.125" for k in range(12)) == 0
    memory = weakref.ref(engine.memory())
    libraries, mapped, named = len(engine._loaded), maps(), len(symbols._libraries)
    assert come_and_go(f"{k}.375" for k in range(40)) == 0
    assert len(engine._loaded) <= libraries + 8
    assert len(symbols._libraries) <= named + 8  # each has a kernel
    assert maps() < mapped + 40  # each function has two libraries, and each library a page of code at least
    assert memory() is None


def test_code_that_is_in_use_stays(monkeypatch):
    """Kernels and drivers of living functions, whatever comes and goes meanwhile; and functions of one text share them."""
    monkeypatch.setattr(engine, "_RECENT", 2)
    monkeypatch.setattr(engine, "_GROUP", 2)

    def made():
        space = {"__name__": "subject", "np": np}
        exec("def f(a, b):\n    c = a * 2.0625 + b\n    return (c - a).sum() + c[1:].max()\n", space)
        return pijit.jit(space["f"])

    a, b = np.arange(5.0), np.ones(5)
    first = made()
    expected = first(a, b)
    assert come_and_go(f"{k}.625" for k in range(8)) == 0
    second = made()
    assert second(a, b) == expected
    del first
    assert come_and_go(f"{k}.875" for k in range(8)) == 0
    assert [f(a, b) for f in (second, made(), second)] == [expected] * 3
    assert pijit.stats(second).hits > 0


SETTLED = """
import gc, weakref
import numpy as np
import pijit

class Ring:
    def __init__(self):
        self.own = self

gc.collect()
gc.disable()
before, enabled = len(gc.get_objects()), gc.isenabled()
ring = weakref.ref(Ring())
young = [Ring() for _ in range(50)]

@pijit.jit
def f(a):
    return (a * 2.0 + 1.0).sum()

assert f(np.arange(5.0)) == 25.0
assert pijit.stats(f).fragments
assert gc.isenabled() == enabled
assert gc.get_freeze_count() > 5_000, gc.get_freeze_count()
assert len(gc.get_objects()) - before < 18_000, len(gc.get_objects()) - before
assert any(o is young[7] for o in gc.get_objects())
assert ring() is not None
gc.collect()
assert ring() is None
kept = [weakref.ref(o) for o in young]
del young
gc.collect()
assert not any(ref() for ref in kept)
"""


def test_the_collector_does_not_look_at_the_compiler():
    """What importing it makes stays for ever; the program's own objects do not, those made before either."""
    run = subprocess.run([sys.executable, "-c", SETTLED], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def classes_of(items):
    """What is looked at of each item only once native code runs."""
    total = 0.0
    for item in items:
        total += item.x
    return total


def same(a, b):
    return a is b, type(a) is type(b)


@pytest.mark.parametrize("count", [1, 2])
def test_classes_that_come_and_go(count):
    """Of those that only the middle of a fragment asks for nothing is kept either, and others in their place are told apart."""
    own, own_same = pijit.jit(classes_of), pijit.jit(same)
    left = []
    for number in range(6):
        space = {"__name__": "subject"}
        exec("class A:\n    def __init__(self, x):\n        self.x = x\nclass B(A): pass", space)
        classes = [space["A"], space["B"]][:count]
        items = [classes[i % count](0.5 * i + number) for i in range(70)]
        for _ in range(4):
            assert own(items) == classes_of(items)
            assert own_same(items[0], items[1]) == same(items[0], items[1])
        left += map(weakref.ref, classes)
        del space, classes, items
    gc.collect()
    assert not [cls() for cls in left if cls() is not None]
    assert pijit.stats(own).compiles > 0
