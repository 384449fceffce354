"""Watchers of functions and code objects (3.12+) are told of the program's own, not of what pijit makes and drops while it is at work."""

import sys

import pytest
from differential import settings

import pijit
from pijit import _native

if sys.version_info < (3, 12):
    pytest.skip("watchers came with 3.12", allow_module_level=True)
capi = pytest.importorskip("_testcapi")

SOURCE = """
def helper(x):
    return x + 1
def function(x):
    print(end="")
    total = 0
    for i in range(20):
        total = total + helper(i)
        if i == 10:
            print(end="")
    return x + total
"""


@pytest.fixture(autouse=True)
def compiled_at_once():
    with settings(compile_all=True, raise_internal=True):
        yield


def fresh(prepare):
    space = {}
    exec(compile(SOURCE, "watched.py", "exec"), space)
    return prepare(space["function"])


def call(function):
    assert [function(x) for x in (1, 2, 2.5, 3)] == [211, 212, 212.5, 213]


@pytest.mark.parametrize("error", [None, ValueError])
def test_functions(error, monkeypatch):
    ignored, events = [], []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)

    def watch(*event):
        events.append(id(event))
        if error is not None:
            raise error

    call(fresh(pijit.jit))
    function = fresh(pijit.jit)
    number = capi.add_func_watcher(watch)  # later than the first filter
    try:
        call(function)
        assert (events, ignored) == ([], [])
        (lambda: None)()  # and the program's own
        assert events
        assert len(ignored) == (len(events) if error is not None else 0)
    finally:
        capi.clear_func_watcher(number)
    assert pijit.stats(function).compiles > 0


def test_code():
    call(fresh(pijit.jit))  # what pijit imports, it imports now
    function = fresh(pijit.jit)
    clones = _native.counters()["clones"]
    number = capi.add_code_watcher(0)
    try:
        call(function)
        assert capi.get_code_watcher_num_created_events(0) == 0
        assert _native.counters()["clones"] > clones
    finally:
        capi.clear_code_watcher(number)
