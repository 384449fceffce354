"""Functions that call themselves: in native code without a frame (csrc/frameless.c, trace/own_calls.py), as long as nobody could tell."""

from __future__ import annotations

import copy
import gc
import signal
import sys
import threading
import types

import numpy as np
import pytest

import pijit
from pijit import _native
from pijit.runtime import worth
from tests.differential import check, check_stays_native, describe_exception, settings

NATIVE = {
    "two calls": "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n",
    "a call as argument": "def f(m, n=2):\n    if m == 0:\n        return n + 1\n    return f(m - 1, 1) if n == 0 else f(m - 1, f(m, n - 1))\n",
    "in a loop": """
def f(n, row, columns, left, right):
    if row == n:
        return 1
    count = 0
    for column in range(n):
        bit = 1 << column
        if not columns & bit and not left & (1 << (row + column)) and not right & (1 << (row - column + n)):
            count += f(n, row + 1, columns | bit, left | 1 << (row + column), right | 1 << (row - column + n))
    return count
""",
    "of floats": """
import math
def f(a, b, whole, depth):
    c = 0.5 * (a + b)
    left, right = (c - a) * math.exp(-c), (b - c) * math.exp(-b)
    if depth == 0 or abs(left + right - whole) < 1e-3:
        return left + right
    return f(a, c, left, depth - 1) + f(c, b, right, depth - 1)
""",
    "that gives bools": "def f(n, m=3):\n    if n < 2:\n        return n > 0\n    return f(n - 1) and not f(n - 2) or f(n - 2, m=m)\n",
    "that gives tuples": "def f(n):\n    if n < 1:\n        return 0, 1.5\n    a, b = f(n - 1)\n    return a + 1, b * 0.5\n",
    "of a list that is read": "def f(items, low, high):\n    if high - low < 2:\n        return items[low]\n    middle = (low + high) // 2\n"
    "    return max(f(items, low, middle), f(items, middle, high))\n",
    "of tuples": "def f(p, n):\n    if n == 0:\n        return p[0] - p[1]\n    return f((p[1], p[0] + 1), n - 1) + f((p[0], p[1]), n - 1)\n",
    "of an array": "def f(a, low, high):\n    if high - low < 2:\n        return float(a[low])\n    middle = (low + high) // 2\n"
    "    return f(a, low, middle) + f(a, middle, high)\n",
    "of a table by a parameter": "TABLE = {1: 2, 3: 4, 5: 6}\ndef f(n, x):\n    if n < 1:\n        return 0\n"
    "    return (TABLE[n] if n in TABLE else 1) + f(n - 1, x) + f(n - 2, x)\n",
    "of a method": "class Walk:\n    def __init__(self, width):\n        self.width = width\n    def steps(self, n, at):\n        if n == 0:\n"
    "            return at * self.width\n        return self.steps(n - 1, at + 1) + self.steps(n - 1, at - 1)\nWALK = Walk(3)\n"
    "def f(n):\n    return WALK.steps(n, 1)\n",
}
ARGUMENTS = {
    "two calls": (15,), "a call as argument": (2, 4),
    "in a loop": (5, 0, 0, 0, 0), "of floats": (0.0, 1.0, 1.0, 8), "that gives bools": (9,), "that gives tuples": (9,),
    "of a list that is read": ([3, 1, 4, 1, 5, 9, 2, 6], 0, 8), "of tuples": ((1, 2), 5), "of an array": (np.arange(8.0), 0, 8), "of a method": (5,),
    "of a table by a parameter": (9, 1.5),
}  # fmt: skip


@pytest.mark.parametrize("name", NATIVE)
def test_same(name):
    check(NATIVE[name], *ARGUMENTS[name])


STAY = ["two calls", "a call as argument", "in a loop", "of floats", "that gives bools", "of a list that is read", "of an array",
        "of a table by a parameter"]


@pytest.mark.parametrize("name", STAY)
def test_stay_native(name):
    check_stays_native(NATIVE[name], *ARGUMENTS[name])


# ---- what has to be noticed is ----

NOTICED = {
    "ints that outgrow a word": ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\n", [(5,), (25,), (20,), (30,), (4,)]),
    "an error at the end": ("def f(n):\n    return 1 // n if n == 0 else f(n - 1) + 1\n", [(3,), (9,)]),
    "an error in the middle": ("def f(n):\n    if n == 3:\n        raise ValueError(n)\n    return n if n < 3 else f(n - 1) + 1\n",
        [(2,), (7,), (1,), (40,)]),
    "other types of results": ("def f(x, n):\n    return 1 if n == 0 else x * f(x, n - 1)\n", [(1.5, 5), (2, 5), (True, 3), (1.5, 0)]),
    "another type deep down": ("def f(n, x=1):\n    return x if n == 0 else f(n - 1, x / 2 if n == 4 else x) + 1\n", [(3,), (9,), (4,), (3, 2.5)]),
    "a name that is not there": ("def f(n):\n    return missing if n == 2 else n if n < 2 else f(n - 1)\n", [(1,), (5,)]),
    "an attribute that is not there": ("class A:\n    x = 1\ndef f(a, n):\n    return a.x if n == 0 else a.y if n == 50 else f(a, n - 1)\n"
        "def g(n):\n    return f(A(), n)\n", [(3,), (60,)]),
    "stores": ("SEEN = []\ndef f(n):\n    SEEN.append(n)\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
        "def g(n):\n    return f(n), list(SEEN)\n", [(4,), (5,)]),
    "a counter": ("count = 0\ndef f(n):\n    global count\n    count += 1\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
        "def g(n):\n    return f(n), count\n", [(4,), (6,)]),
    "in place": ("def f(a, n):\n    if n == 0:\n        return a[0]\n    a[n] += 1\n    return f(a, n - 1) + a[n]\n", [(np.zeros(6), 4)]),
    "frames": ("import sys\ndef f(n):\n    if n == 0:\n        return sys._getframe(2).f_lineno\n    return f(n - 1) + 1\n", [(4,), (9,)]),
    "prints deep down": ("def f(n):\n    if n == 3:\n        print('three')\n    return n if n < 2 else f(n - 1) + f(n - 2)\n", [(2,), (5,), (6,)]),
    "a warning": ("import numpy as np\ndef f(a, n):\n    return a if n == 0 else f(a / (n - 3), n - 1)\n", [(np.ones(2), 2), (np.ones(2), 5)]),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NOTICED)
def test_what_leaves(name):
    source, calls = NOTICED[name]
    for args in calls:
        check(source, *args)


@pytest.mark.parametrize("name", NOTICED)
def test_what_leaves_in_turn(name):
    """In one function, whose native code fits some calls and not others."""
    source, calls = NOTICED[name]
    outcomes = []
    for wrap in (lambda function: function, pijit.jit):
        space = {"__name__": "own calls"}
        exec(compile(source, "own calls", "exec"), space)
        last = [value for value in space.values() if isinstance(value, types.FunctionType)][-1]
        space["f"] = wrap(space["f"])
        entry = space["f"] if last.__name__ == "f" else last
        seen = []
        for args in [*calls, *calls, *calls, *reversed(calls)]:
            try:
                with np.errstate(all="ignore"):
                    seen.append(repr(entry(*copy.deepcopy(args))))
            except Exception as error:
                seen.append(describe_exception(error))
        outcomes.append(seen)
    assert outcomes[0] == outcomes[1]


# ---- functions of one code ----


def makes(step):
    def walk(n):
        return step if n == 0 else walk(n - 1) + step

    return walk


def test_functions_with_cells_of_their_own():
    one, two = (pijit.jit(makes(step)) for step in (1, 10))
    for _ in range(5):
        assert (one(5), two(5)) == (6, 60)


def test_another_function_of_the_same_code_is_called():
    def swapped(step):
        def walk(n, other):
            return step if n == 0 else other(n - 1, walk) + step

        return walk

    one, two = swapped(1), swapped(10)
    native = pijit.jit(one)
    for _ in range(5):
        assert native(4, two) == one(4, two) == 23


def rebound():
    space = {"__name__": "rebound"}
    exec("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n", space)
    return space, pijit.jit(space["f"])


def test_the_name_is_bound_anew():
    space, native = rebound()
    assert native(10) == 55
    space["f"] = lambda n: 100
    assert native(10) == 200
    space["f"] = native
    assert native(10) == 55


# ---- limits ----


def depth_of(function, limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        low, high = 1, limit
        while low < high:
            middle = (low + high + 1) // 2
            try:
                function(middle)
                low = middle
            except RecursionError:
                high = middle - 1
        return low
    finally:
        sys.setrecursionlimit(before)


def test_the_recursion_limit_is_met_at_the_same_depth():
    plain, native = ({"__name__": "deep"} for _ in range(2))
    for space in (plain, native):
        exec("def f(n):\n    return 0 if n == 0 else f(n - 1) + 1\n", space)
    native["f"] = pijit.jit(native["f"])
    native["f"](20)
    for limit in (300, 1000):
        assert depth_of(native["f"], limit) == depth_of(plain["f"], limit)


def test_signals_are_handled_meanwhile():
    seen = []
    _, native = rebound()
    native(5)
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(True))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        while len(seen) < 3:
            assert native(18) == 2584
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_run_meanwhile():
    _, native = rebound()
    native(5)
    done = []
    threads = [threading.Thread(target=lambda: done.append([native(16) for _ in range(5)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [[987] * 5] * 4


def test_what_is_too_often_in_vain_is_called_as_usual():
    """Each call ends in an error: after some none is tried without a frame."""
    space = {"__name__": "in vain"}
    exec("def f(n):\n    return 1 // n if n < 1 else f(n - 1)\n", space)
    native = space["f"] = pijit.jit(space["f"])
    walks = []
    for _ in range(60):
        before = _native.counters()["walks"]
        with pytest.raises(ZeroDivisionError):
            native(30)
        walks.append(_native.counters()["walks"] - before)
    assert walks[-1] <= 2 * 31


def test_nothing_is_kept():
    _, native = rebound()
    tuples = {"__name__": "kept"}
    exec("def f(items, n):\n    return (n, items) if n == 0 else f(items, n - 1)\n", tuples)
    of_tuples = pijit.jit(tuples["f"])
    tuples["f"] = of_tuples
    items = [object()]
    for _ in range(5):
        native(12), of_tuples(items, 9)
    gc.collect()
    before = sys.getrefcount(items), sys.getrefcount(items[0])
    for _ in range(50):
        native(12), of_tuples(items, 9)
    assert (sys.getrefcount(items), sys.getrefcount(items[0])) == before


def test_calls_within_native_code_count_where_calls_are_compared():
    """A function that is tried by the clock stays native: a run that makes a thousand calls is a thousand of the interpreter's."""
    module = types.ModuleType("tried")
    exec("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n", vars(module))
    with settings(compile_all=False, patience_ms=1, threshold_calls=2):
        pijit.enable(module)
        try:
            for _ in range(60):
                assert module.f(17) == 1597
            assert _native.state_of(module.f.__code__).data.compiles
        finally:
            pijit.disable(module)


def test_exits_that_are_taken_often_are_looked_at():
    """The outermost call has a frame when a callback is due, however its own calls are made; and what calls itself is judged by the clock."""
    space = {}
    exec(NATIVE["two calls"], space)
    f = space["f"] = pijit.jit(space["f"])
    for _ in range(300):
        assert f(5) == 5
    record = _native.state_of(f.__code__).data
    assert max(count for fragment in record.fragments for count in fragment.native.exits) > 300
    assert worth.needs_clock(record)
