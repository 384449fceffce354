"""Calls for which no frame is made unless it is needed (csrc/own_call.c): what is needed is there all the same."""

from __future__ import annotations

import gc
import sys
import traceback
import types

import numpy as np
import pytest

import pijit
from pijit import _native


def polynomial(x, y=2.0):
    return (x * y + 1.5) * (x - y) + x * x * y / (1.0 + y * y) - (x + y) * (x - 1.0) * (y + 3.0)


def third(n):
    m = n * n * n
    return m * m - m * n + n * n - m + 1, m


def quotient(a, b):
    c = a * a + b * b - a * b + 1.5 * a
    return c * c / b + c * a - c + 2.0 * c * b


def products(a, b):
    c = a * b + 1.0
    return c * a


def keeps_a_part(n, owner):
    if n > 1:
        _part = owner.part  # dead, but what it holds lives as long: where it is unset, native code makes an object that says so
        n = n * 2
    return n * n * n - n * 3 + (n + 1) * (n - 1), n


class Owner:
    pass


OWNER = Owner()
OWNER.part = Owner()
CALLS = {
    "held": (keeps_a_part, [(1, OWNER), (2, OWNER), (2**40, OWNER), (0, OWNER)]),
    "floats": (polynomial, [(1.5, 0.5), (2.5,), (1, 2), (1.5, None)]),
    "big ints": (third, [(3,), (2**20,), (2**40,), (-(2**62),), (7,)]),
    "errors": (quotient, [(1.5, 2.0), (1.5, 0.0), (2.5, 0.25), (1.5, 0.0)]),
    "arrays": (products, [(np.arange(6.0), np.ones(6)), (np.arange(6.0), np.ones(3)), (np.array([1e308]), np.array([1e308])), (np.arange(6.0), 2.0)]),
}


def jitted(function):
    """With code of its own, so that nothing is counted yet."""
    return pijit.jit(types.FunctionType(function.__code__.replace(), globals(), function.__name__, function.__defaults__))


def outcome(function, args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error), str(error), [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)[1:]]
    return type(result), np.array(result).tobytes() if not isinstance(result, tuple) else result


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", CALLS)
def test_same(name):
    function, calls = CALLS[name]
    native = jitted(function)
    for args in [*calls, *calls, *calls]:
        assert outcome(native, args) == outcome(function, args)
    assert pijit.stats(native).hits > 0


def test_arguments_that_do_not_fit():
    native = jitted(polynomial)
    assert native(1.5, 0.5) == native(1.5, y=0.5) == native(y=0.5, x=1.5) == polynomial(1.5, 0.5)
    assert native(1.5) == polynomial(1.5)
    for args, named in (((), {}), ((1.0, 2.0, 3.0), {}), ((1.0,), {"z": 1.0})):
        with pytest.raises(TypeError) as ours:
            native(*args, **named)
        with pytest.raises(TypeError) as theirs:
            polynomial(*args, **named)
        assert str(ours.value) == str(theirs.value)


def test_exits_are_counted_once_and_hits_are_calls():
    native = jitted(third)
    for n in range(50):
        native(n)
    assert pijit.stats(native).hits == 50
    before = pijit.stats(native)
    for _ in range(40):
        native(2**40)
    after = pijit.stats(native)
    assert after.exits - before.exits == after.hits - before.hits <= 40
    assert native(5) == third(5)


def test_nothing_is_kept():
    native = jitted(products)
    a, b = np.arange(6.0), np.ones(6)
    native(a, b)
    native(a, b)
    gc.collect()
    counts = [sys.getrefcount(a), sys.getrefcount(b), sys.getrefcount(native)]
    for _ in range(1000):
        native(a, b)
    assert [sys.getrefcount(a), sys.getrefcount(b), sys.getrefcount(native)] == counts
    blocks = sys.getallocatedblocks()
    for _ in range(1000):
        native(a, b)
    assert sys.getallocatedblocks() - blocks < 50


def test_a_tracer_sees_every_call():
    native = jitted(polynomial)
    native(1.5, 0.5)
    native(1.5, 0.5)
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        native(1.5, 0.5)
    finally:
        sys.setprofile(None)
    assert seen.count("polynomial") == 1


def test_globals_are_looked_at():
    space = {"k": 2.0}
    exec("def f(x):\n    return (x * k + 1.0) * (x - k) + x * x * k - (x + k) * (x - 1.0)\n", space)
    native = pijit.jit(space["f"])
    first = native(1.5), native(1.5)
    space["k"] = 3.0
    assert native(1.5) != first[0]
    assert native(1.5) == space["f"](1.5)
    space["k"] = "a"
    with pytest.raises(TypeError):
        native(1.5)


def test_no_frame_is_made():
    native = jitted(polynomial)
    native(1.5, 0.5)
    native(1.5, 0.5)
    before = _native.counters()
    for _ in range(10):
        native(1.5, 0.5)
    after = _native.counters()
    assert after["walks"] - before["walks"] == after["enabled"] - before["enabled"] == 10


def step(n):
    return n + 1


def wanders(n):
    total = n * 2**60  # for large n native code stops here, in the middle of an inlined call
    for _ in range(n):
        total = skipped(total)
    return total


def outer(n):
    return wanders(n) + 1


@pytest.mark.skipif(not _native.OWN_CALLS, reason="on 3.11 the hook is in place as long as anything is enabled")
def test_what_a_rebuilt_frame_calls_is_called_by_the_interpreter():
    """The hook is there for the frame itself and no longer: it makes every call of Python functions dearer."""
    global skipped
    skipped = pijit.skip(types.FunctionType(step.__code__.replace(), globals(), "step"))
    fast = jitted(outer)
    fast(3)
    before = _native.counters()
    assert fast(500) == outer(500)
    after = _native.counters()
    assert after["rebuilt"] > before["rebuilt"]
    seen = sum(after[name] - before[name] for name in after if name.startswith("delegated"))
    assert seen < 10
