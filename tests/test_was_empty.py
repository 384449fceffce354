"""What is empty when a function is first looked at, and filled later, is looked at again."""

from __future__ import annotations

import pytest
from differential import check_calls, settings

import pijit

pytestmark = pytest.mark.shared

SETUP = """
class Memory:
    def __init__(self):
        self.seen, self.log, self.unique = {}, [], set()

memory, seen, queue = Memory(), {}, []
"""
FILLED = {
    "a dict of the module": ("def f(k):\n    if k in seen:\n        return seen[k]\n    return k * 2", "seen.update((k, k + 1) for k in range(9))"),
    "a dict in an attribute": (
        "def f(k):\n    return memory.seen[k] + 1 if k in memory.seen else -k",
        "memory.seen.update((k, k * 1.5) for k in range(9))",
    ),
    "a list": ("def f(k):\n    return queue[k] if k < len(queue) else k", "queue.extend(range(20, 29))"),
    "a list that is gone through": ("def f(k):\n    s = k\n    for x in queue:\n        s += x\n    return s", "queue.extend(range(80))"),
    "values of a dict": (
        "def f(k):\n    s = k\n    for x in seen.values():\n        s += x\n    return s",
        "seen.update((k, k + 1) for k in range(80))",
    ),
    "an argument's list": (
        "def f(k, m=memory):\n    s = k\n    for x in m.log:\n        s += x[0] * x[1]\n    return s",
        "memory.log.extend((k, k + 2) for k in range(80))",
    ),
    "filled by the function itself": (
        "def f(k):\n    if k in seen:\n        return seen[k]\n    seen[k] = k * 2\n    return k * 2",
        "pass",
    ),
}


@pytest.mark.parametrize("name", FILLED)
def test_same_answer(name):
    function, fill = FILLED[name]
    program = f"{SETUP}\n{function.replace('def f', 'def g')}\ndef f(k):\n    if k == 40:\n        {fill}\n    return g(k % 7)\n"
    check_calls(program, [(k,) for k in range(80)], configurations=("jit", "forced"))


@pytest.mark.parametrize("name", FILLED)
def test_it_settles_natively(name):
    function, fill = FILLED[name]
    space = {"__name__": "program"}
    exec(SETUP + function, space)
    f = space["f"] = pijit.jit(space["f"])
    with settings(compile_all=True):
        for k in range(40):
            f(k % 7)
        exec(fill, space)
        for k in range(2000):
            f(k % 7)
        before = pijit.stats(f)
        for k in range(100):
            f(k % 7)
        after = pijit.stats(f)
    assert after.hits - before.hits >= 100
    assert after.exits == before.exits
    assert sum(row.count for row in after.breaks) == sum(row.count for row in before.breaks)


def test_what_stays_empty_is_looked_at_twice_more():
    space = {"__name__": "program"}
    exec(f"{SETUP}\ndef f(k):\n    return memory.seen[k] if memory.unique else memory.log[0] if memory.log else k", space)
    f = pijit.jit(space["f"])
    with settings(compile_all=True):
        for k in range(5000):
            f(k)
    assert pijit.stats(f).compiles <= 3
