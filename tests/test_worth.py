"""What a run of a fragment is thought to save and to cost."""

from __future__ import annotations

import types

import numpy as np
import pytest

import pijit
from pijit.runtime import worth


def half_of_them(n):
    found = 0
    for i in range(n):
        try:
            if i % 2:
                raise ValueError(i)
            found += 1
        except ValueError as error:  # which it looks at: nothing follows it there
            found -= error.__traceback__ is not None
    return found


@pytest.fixture
def saved(monkeypatch):
    """For each fragment whose savings are asked for, its graph's inputs and what its exits save."""
    seen = []

    def ways(graph):
        found = before(graph)
        seen.append((len(graph.inputs), [way.saves - way.leaving for way in found]))
        return found

    before = worth.ways
    monkeypatch.setattr(worth, "ways", ways)
    return seen


def test_a_range_that_is_under_way_is_not_made(saved):
    """The loop that goes on after an exception takes the iterator that it finds, and does the same work."""
    fast = pijit.jit(half_of_them)
    assert fast(200) == half_of_them(200)
    kinds = {fragment.kind for fragment in pijit.stats(fast).fragments}
    whole, rest = (max(found) for n, found in (min(saved), max(saved)))
    assert kinds == {"function", "loop"}
    assert whole - rest > worth._ITERATOR / 2


def test_guards_cost():
    runs = {"hits": 1000, "taken": [1000], "ways": [worth.Way(worth.RUN + 10, 0.0, 0.0)], "kinds": ["redo"]}
    assert worth.saving(guards=2, **runs) >= 0
    assert worth.saving(guards=5, **runs) < 0


class Thing:
    def __init__(self, x):
        self.x, self.y = x, 0.0


def listed(things):
    return [thing.x for thing in things]


def copied(things):
    for thing in things:
        thing.y = thing.x


def computed(things):
    s = 0.0
    for thing in things:
        x = thing.x
        s += x * x + 2.0 * x - x / 3.0 + (x - 1.0) * (x + 1.0)
    return s


def within(things):
    count = 0
    for i in range(3):
        count += i * len([thing.x for thing in things])
    return count


@pytest.mark.parametrize(("function", "natively"), [(listed, False), (copied, False), (within, False), (computed, True)])
def test_loops_that_only_move_objects_about_are_left_to_the_interpreter(function, natively):
    """It is faster at that: C is called for every object."""
    things = [Thing(0.5 * i) for i in range(200)]
    fast = pijit.jit(function)
    for _ in range(20):
        assert fast(things) == function(things)
    assert bool(pijit.stats(fast).fragments) == natively
    if not natively:
        assert "not compiled: native code did not pay" in str(pijit.explain(fast))


def test_what_enters_and_leaves_a_loop_over_objects_has_to_be_small_against_it():
    """Where native code looks at objects no faster than the interpreter a short run with many guards does not pay, a long one does; nor does a short
    one that is left in a frame which has to be made."""
    short, long = 850.0, 250_000.0

    def net(nanoseconds, gain, leaving=0.0, others=0):
        ways = [worth.Way(10.0, leaving, gain), worth.Way(10.0, leaving, 8.0)]
        return worth.saving(1000, 69, [1000 - others, others], ways, ["redo", "redo"], nanoseconds)

    assert net(short, 0.1) < 0 <= net(long, 0.1)
    assert net(short, 8.0) >= 0
    assert net(short, 1.0) >= 0 > net(short, 1.0, leaving=500.0)
    assert net(short, 0.1, others=10) < 0 <= net(short, 0.1, others=900)


class Branch:
    def __init__(self, at, below, above):
        self.at, self.below, self.above = at, below, above


def descended(node, x, n):
    for _ in range(n):
        node = node.below if x[node.at] < 0.5 else node.above
    return node


def summed(node, x, n):
    total = 0.0
    for i in range(n):
        total += x[i] * node
    return total


def by_helpers(node, x, n):
    total = 0.0
    for _ in range(n):
        total += len(node.at.tag) * x[0]
    return total


@pytest.mark.parametrize(("function", "much"), [(by_helpers, False), (descended, True), (summed, True)])
def test_a_loop_for_which_helpers_look_at_objects_gains_less_than_one_over_elements(function, much, monkeypatch):
    """Also where it loads elements, too: in its share of the time native code is not many times as fast."""
    node = Branch(types.SimpleNamespace(tag=[1]) if function is by_helpers else 1, None, None)
    node.below = node.above = node
    gains, before = [], worth.loop_gain
    monkeypatch.setattr(worth, "loop_gain", lambda graph: gains.append(before(graph)) or gains[-1])
    fast = pijit.jit(function)
    x = np.ones(50)
    fast(2.0 if function is summed else node, x, 50)
    assert (max(gains) == worth._LOOP_SPEEDUP) is much, gains
