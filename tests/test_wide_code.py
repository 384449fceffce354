"""Code with thousands of variables, and values that hold another one at thousands of places: what compiling takes must not grow with their
square, or faster."""

from __future__ import annotations

import time

import pytest
from differential import check, settings

import pijit
from pijit.runtime import tiers


def wide(n):
    """A function of n parameters that gives them in a tuple and a list."""
    names = ", ".join(f"a{i}" for i in range(n))
    return f"def f({names}):\n    kept = [{names}]\n    return ({names}), kept, a0 + a1"


def called(n):
    """That function, jitted, after three calls."""
    namespace = {}
    exec(wide(n), namespace)
    fast = pijit.jit(namespace["f"])
    with settings(compile_all=True, raise_internal=True):
        for _ in range(3):
            assert fast(*range(n)) == (tuple(range(n)), list(range(n)), 1)
    return fast


def test_a_long_display_is_one_thing():
    """Not one list that grows item by item, with an exit for each."""
    fast = called(1500)
    assert len(pijit.stats(fast).fragments) == 1
    (record,) = tiers.record_of(fast.__code__).fragments
    assert len(record.exits) < 20


def test_the_interpreter_runs_what_has_too_many():
    fast = called(5000)
    stats = pijit.stats(fast)
    assert not stats.fragments
    assert {row.id for row in stats.breaks} == {"PJ105"}


def test_displays_in_displays():
    check(
        "def f(x, y):\n"
        f"    a = [{', '.join(['x', 'y + 1', '[y] if x > 2 else x'] * 15)}]\n"
        f"    b = ({', '.join(['x', '[i for i in range(3)]', '*a[:2]'] * 12)}, [*a, *a])\n"
        f"    for v in [{', '.join(['y', 'x * 2'] * 20)}]:\n"
        "        a.append(v)\n"
        f"    return a, b, len([{', '.join(['x'] * 40)}])\n",
        3.5,
        2,
    )


CLASS = "class Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n"
AGAIN = {
    "tuples": ("p = p, p", "p[0][1] is p[1][1], p[0] is p[1]"),
    "objects": ("p = Pair(p, p)", "p.a.b is p.b.b, p.a is p.b"),
    "fields": ("q = Pair(p, 1); q.b = p; p = q", "p.a.b is p.b.b, p.a is p.b"),
    "dicts": ("p = {'a': p, 'b': (n, p)}", "p['a']['b'][1] is p['b'][1]['b'][1], p['a'] is p['b'][1]"),
    "items": ("q = {'a': p}; q['b'] = (n, p); p = q", "p['a']['b'][1] is p['b'][1]['b'][1], p['a'] is p['b'][1]"),
    "slices": ("p = slice(p, p)", "p.start.stop is p.stop.stop, p.start is p.stop"),
    "callees": ("p = twice(p)", "p[0][1] is p[1][1], p[0] is p[1]"),
    "defaults": ("p = of(p)", "p()[0]()[1] is p()[1]()[1], p()[0] is p()[1]"),
}


@pytest.mark.parametrize("unrolled", [False, True])
@pytest.mark.parametrize("name", AGAIN)
def test_one_value_at_very_many_places(name, unrolled):
    """2 ** 20 places: going to all of them takes minutes."""
    line, told = AGAIN[name]
    lines = [f"for i in {tuple(range(20))}:", f"    {line}"] if unrolled else [line] * 20
    source = [CLASS, "def twice(*a):", "    return a * 2", "def of(p):", "    def f(v=p, w=p):", "        return v, w", "    return f"]
    source += ["def f(n):", "    p = (n, 0.5)", *(f"    {text}" for text in lines), f"    return {told}"]
    names = {}
    exec("\n".join(source), names)
    fast, begun = pijit.jit(names["f"]), time.process_time()
    with settings(compile_all=True, raise_internal=True):
        for n in (3, 4, 4):
            assert fast(n) == names["f"](n) == (True, True)
    assert time.process_time() - begun < 10
