"""Tools of sys.monitoring that watch single code objects see what these do also where they are inlined."""

import sys
import types

import pytest
from differential import settings

import pijit
from pijit.runtime import tiers

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with 3.12")

TOOL = 3
SOURCE = """
class Number:
    def __init__(self, value):
        self.value = value
    def __add__(self, other):
        return self.value + other
def helper(x):
    y = x + 1
    return y
def steps(n):
    for i in range(n):
        yield i
def in_a_loop(x, switch):
    total = 0
    for i in range(40):
        if i == 20:
            switch()
        total = total + helper(i)
    return total
def twice(x, switch):
    return helper(x) + helper(x)
def method(x, switch):
    return Number(x) + 3
def generator(x, switch):
    return sum(steps(x))
def made_here(x, switch):
    scale = lambda y: y * x
    return scale(3) + scale(4)
"""
ENTRIES = ["in_a_loop", "twice", "method", "generator", "made_here"]


def nothing():
    pass


def callees(space):
    functions = space["helper"], space["steps"], space["Number"].__init__, space["Number"].__add__
    made = (c for c in space["made_here"].__code__.co_consts if type(c) is types.CodeType)
    return [*(f.__code__ for f in functions), *made]


def watched(entry, prepare):
    """The results of calls and what a tool was told, with events asked for in the middle of a call, before calls, and no longer."""
    space, events, monitoring = {}, [], sys.monitoring
    exec(compile(SOURCE, "watched.py", "exec"), space)
    function = space[entry] = prepare(space[entry])
    results = [function(5, nothing) for _ in range(3)]
    monitoring.use_tool_id(TOOL, "test")
    wanted = 0
    for name in ("PY_START", "LINE", "PY_RETURN", "PY_RESUME", "PY_YIELD"):
        event = getattr(monitoring.events, name)
        wanted |= event

        def callback(code, where, *rest, name=name):
            events.append((name, code.co_name, where if name == "LINE" else rest))

        monitoring.register_callback(TOOL, event, callback)

    def switch(events):
        for code in callees(space):
            monitoring.set_local_events(TOOL, code, events)

    try:
        results.append(function(5, lambda: switch(wanted)))
        switch(wanted)
        results += [function(5, nothing) for _ in range(3)]
        switch(0)
        seen = len(events)
        results.append(function(5, nothing))
        assert len(events) == seen > 0
    finally:
        switch(0)
        monitoring.free_tool_id(TOOL)
    return function, results, events


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("entry", ENTRIES)
def test_local_events_of_what_is_inlined(entry, backend):
    _, *expected = watched(entry, lambda function: function)
    with settings(compile_all=True, raise_internal=True):
        function, *found = watched(entry, lambda function: pijit.jit(function, backend=backend))
    assert found == expected
    fragments = tiers.record_of(function.__code__).fragments
    assert any(row[0] == "unmonitored" for fragment in fragments for row in fragment.rows)


def test_compiled_while_a_callee_is_watched():
    monitoring, space, started = sys.monitoring, {}, []
    exec(SOURCE, space)
    code = space["helper"].__code__
    monitoring.use_tool_id(TOOL, "test")
    monitoring.register_callback(TOOL, monitoring.events.PY_START, lambda code, where: started.append(code))
    try:
        monitoring.set_local_events(TOOL, code, monitoring.events.PY_START)
        with settings(compile_all=True, raise_internal=True):
            function = pijit.jit(space["twice"])
            assert [function(n, nothing) for n in range(3)] == [2, 4, 6]
        assert started == [code] * 6
    finally:
        monitoring.set_local_events(TOOL, code, 0)
        monitoring.free_tool_id(TOOL)
    assert "helper: a tool of sys.monitoring watches it" in str(pijit.explain(function))
