"""Code with thousands of variables: what compiling takes must not grow with their square."""

from __future__ import annotations

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
