"""3.11: recursion beneath which nothing of ours is met runs with the hook out (csrc/passing.c), and is looked at again."""

from __future__ import annotations

import sys
import threading
import time

import pytest

import pijit
from pijit import _native

pytestmark = pytest.mark.skipif(_native.OWN_CALLS, reason="from 3.12 on no hook is in place that calls pass")

ENOUGH = 20.0  # seconds to wait for something that takes turns of 0.2


def depth_of(tree):
    return 0 if tree is None else 1 + max(depth_of(tree[0]), depth_of(tree[1]))


def full(depth):
    return None if depth == 0 else (full(depth - 1), full(depth - 1))


TREE = full(7)


@pytest.fixture(autouse=True)
def jitted():
    """Because of which the hook is in."""

    @pijit.jit
    def jitted(n):
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s

    assert [jitted(50) for i in range(10)][-1] == 147
    assert _native.installed()
    return jitted


def quiet():
    return _native.counters()["delegated_quiet"]


def calls_met():
    counters = _native.counters()
    return counters["delegated_plain"] + counters["delegated_off"]


def until(condition):
    end = time.monotonic() + ENOUGH
    while not condition():
        assert time.monotonic() < end


def becomes_quiet(function, *args):
    before = quiet()

    def once():
        function(*args)
        return quiet() > before

    until(once)


def test_recursion_is_called_as_without_pijit():
    becomes_quiet(depth_of, TREE)
    fewest = [1 << 30]

    def once():
        before = calls_met()
        assert depth_of(TREE) == 7
        fewest[0] = min(fewest[0], calls_met() - before)
        return fewest[0] < 10  # of 255

    until(once)


def test_what_it_calls_is_noticed(jitted):
    """A function that calls itself, and natively run code only from some time on."""
    called = []

    def walk(tree):
        if tree is None:
            return jitted(50) if called else 0
        return walk(tree[0]) + walk(tree[1])

    becomes_quiet(walk, TREE)
    called.append(1)

    def once():
        before = _native.counters()["enabled"]
        assert walk(TREE) == 147 * 128
        return _native.counters()["enabled"] - before >= 128

    until(once)
    before = _native.counters()["enabled"]  # and from then on at each call
    for _ in range(50):
        walk(TREE)
    assert _native.counters()["enabled"] - before >= 50 * 128


def test_not_while_another_thread_runs():
    becomes_quiet(depth_of, TREE)
    end = threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    try:
        before = quiet()
        for _ in range(200):
            depth_of(TREE)
        assert quiet() == before
    finally:
        end.set()
        other.join()


def test_what_calls_others_than_itself_is_not_missed():
    def leaf(x):
        return x

    def caller(x):
        return leaf(x) + leaf(x) + leaf(x) + leaf(x) + leaf(x) + leaf(x) + leaf(x) + leaf(x)

    end = time.monotonic() + 0.5
    before = quiet()
    while time.monotonic() < end:
        caller(1)
    assert quiet() == before


def test_tracing_that_begins_within(jitted):
    """Its events are Python's own, and with its end the hook is back."""

    def events_of(walk):
        events = []

        def trace(frame, event, arg):
            if frame.f_code is walk.__code__:
                events.append((event, frame.f_lineno - walk.__code__.co_firstlineno))
            return trace

        return events, trace

    def make():
        def walk(tree, act):
            if tree is None:
                return act()
            walk(tree[0], act)
            return walk(tree[1], act)

        return walk

    def traced_in(walk, count):
        events, trace = events_of(walk)
        left = [count]

        def act():
            left[0] -= 1
            if left[0] == 0:
                sys.settrace(trace)

        try:
            walk(TREE, act)
            walk(TREE, int)
        finally:
            sys.settrace(None)
        return events

    expected = traced_in(make(), 3)  # not quiet yet
    walk = make()

    def once():
        becomes_quiet(walk, TREE, int)
        before = quiet()
        assert traced_in(walk, 3) == expected
        return quiet() > before

    until(once)
    assert _native.installed()
    before = _native.counters()["enabled"]
    jitted(50)
    assert _native.counters()["enabled"] == before + 1


def test_exceptions_pass():
    def walk(tree):
        if tree is None:
            raise KeyError("leaf")
        try:
            walk(tree[0])
        except KeyError:
            walk(tree[1])

    def once():
        with pytest.raises(KeyError, match="leaf"):
            walk(TREE)

    becomes_quiet(once)
    assert _native.installed()
    once()
