"""The program lets go of functions that were compiled: its tracers, profilers and monitors see no Python code of ours or the compiler's."""

from __future__ import annotations

import functools
import gc
import sys
import weakref

import numpy as np
import pytest

import pijit
from pijit.pycode import instructions
from pijit.runtime import copies, records

SOURCES = {
    "numbers": "def f(n):\n    s = 1.5\n    for i in range(n):\n        s += i * 0.25\n    return s\n",
    "arrays": "def f(n):\n    return (np.arange(float(n)) * 2 + 1).sum()\n",
    "inner": "def f(n):\n    def g(x):\n        return x * 3 + n\n    s = 0\n    for i in range(n):\n        s += g(i)\n    return s\n",
}


def made(source, enabled):
    space = {"__name__": "subject", "np": np}
    exec(compile(source, "subject.py", "exec"), space)
    f = space.pop("f")  # no cycle
    if enabled:
        f = pijit.jit(f)
        for n in (100, 200, 300):
            f(n)
        assert pijit.stats(f).compiles
    return f


def traced(drop):
    seen = []

    def trace(frame, event, arg):
        seen.append(frame.f_code.co_filename)
        return trace

    sys.settrace(trace)
    try:
        drop()
    finally:
        sys.settrace(None)
    return seen


def profiled(drop):
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append((frame.f_code.co_filename, event)))
    try:
        drop()
    finally:
        sys.setprofile(None)
    return seen


def monitored(drop):
    tool, seen, monitoring = 3, [], sys.monitoring
    monitoring.use_tool_id(tool, "farewells")
    monitoring.register_callback(tool, monitoring.events.PY_START, lambda code, offset: seen.append(code.co_filename))
    monitoring.set_events(tool, monitoring.events.PY_START)
    try:
        drop()
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    return seen


WATCHES = [traced, profiled, *([monitored] if sys.version_info >= (3, 12) else [])]


@pytest.fixture
def nothing_kept(monkeypatch):
    """As the compiler keeps its latest libraries."""
    from pijit.codegen import engine

    monkeypatch.setattr(engine, "_RECENT", 0)
    engine._recent.clear()


@pytest.mark.parametrize("watch", WATCHES)
@pytest.mark.parametrize("source", SOURCES)
def test_nothing_is_seen(source, watch, nothing_kept):
    def seen(enabled):
        held = [made(SOURCES[source], enabled)]
        gc.collect()
        return watch(held.clear)

    assert seen(True) == seen(False)


@pytest.mark.parametrize("called", [True, False])
@pytest.mark.parametrize("kind", [pijit.jit, pijit.jit(fullgraph=True), lambda f: pijit.jit(functools.partial(f)), pijit.jit(jit_level="O0")])
def test_what_is_jitted_goes_by_counting_alone(kind, called):
    gc.collect()
    gc.disable()
    try:
        function = kind(lambda n: n * 2.5)
        if called:
            assert function(3) == 7.5
        gone = weakref.ref(function)
        del function
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("source", SOURCES)
def test_nothing_is_left(source):
    """Without a collection: no row refers to itself."""
    held = [made(SOURCES[source], True)]
    gc.collect()
    gc.disable()
    try:
        tables = (records.RECORDS, copies._COPIES, copies._ORIGINALS, instructions._cache)
        before = [len(table) for table in tables]
        held.clear()
        after = [len(table) for table in tables]
        assert all(left < were for left, were in zip(after, before, strict=True))
        assert not gc.collect()
    finally:
        gc.enable()
