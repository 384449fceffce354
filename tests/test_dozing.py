"""What takes little of the program's time is not counted all the time, and what becomes hot meanwhile is compiled nevertheless."""

from __future__ import annotations

import time
import types

import pytest

import pijit
from pijit import _native
from pijit.runtime import dozing, resting
from pijit.runtime.entries import Entry, Plan
from pijit.runtime.patience import Patience

ENOUGH = 20.0  # seconds


@pytest.fixture
def clock(monkeypatch):
    now = types.SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(dozing.clock, "perf_counter", lambda: now.seconds)
    return now


PLACES = (1, 9, 20, 30, 40)


class Counted:
    """The state of a function with two entries. ``met``: calls; ``hits``: native ones."""

    def __init__(self):
        self.times, self.passes, self.met, self.hits = dict.fromkeys(PLACES, 0.0), dict.fromkeys(PLACES, 0), 0, 0

    def took(self, pc):
        return self.times[pc]

    def misses(self, pc):
        return self.passes[pc]

    def fragments(self, pc):
        return [types.SimpleNamespace(hits=self.hits)] if pc == 1 else []

    def goes_on(self, clock, seconds, pc, took, calls):
        clock.seconds += seconds
        self.times[pc] += took
        self.met += calls


@pytest.fixture
def counted(clock):
    pijit.config.patience_ms = 8  # looking costs 16 ms
    state = Counted()
    plan = Plan({1: Entry("start", [], patience=Patience(99.0)), 9: Entry("jump", [], patience=Patience(99.0))})
    assert dozing.rate(state, plan) == 0
    return state, plan


def test_what_is_called_often_dozes_until_it_is_worth_a_look(clock, counted):
    state, plan = counted
    state.goes_on(clock, 1.0, 1, 0.010, 10_000)
    assert dozing.rate(state, plan) == pytest.approx(1e4)
    assert dozing.seconds(state, plan) == pytest.approx(0.6)  # 6 ms are left, at a hundredth of the time


def test_never_for_longer_than_it_has_been_known(clock, counted):
    state, plan = counted
    state.goes_on(clock, 0.2, 1, 0.0001, 2000)
    assert dozing.seconds(state, plan) == pytest.approx(0.2)


def test_what_has_taken_what_a_look_is_worth_does_not_doze(clock, counted):
    state, plan = counted
    state.goes_on(clock, 0.1, 1, 0.0001, 1000)
    state.goes_on(clock, 0.0, 9, 0.018, 0)  # one of its loops
    assert dozing.rate(state, plan) == pytest.approx(1e4)
    assert dozing.seconds(state, plan) == 0


@pytest.mark.parametrize(("seconds", "calls"), [(0.1, 100), (0.01, 1000), (1.0, 1000)], ids=["few calls", "a short time", "seldom"])
def test_what_was_hardly_met_is_counted_on(clock, counted, seconds, calls):
    state, plan = counted
    state.goes_on(clock, seconds, 1, 0.0001, calls)
    assert dozing.rate(state, plan) == 0
    state.goes_on(clock, 0.5, 1, 0.0001, 20_000)
    assert dozing.rate(state, plan) > 0


def test_what_runs_natively_is_counted_on(clock, counted):
    state, plan = counted
    state.goes_on(clock, 0.1, 1, 0.0001, 1000)
    state.hits += 1
    assert dozing.rate(state, plan) == 0
    state.goes_on(clock, 0.1, 1, 0.0001, 1000)  # not any more
    assert dozing.rate(state, plan) > 0


def test_what_it_took_meanwhile_is_put_down_to_it(clock, counted):
    state, plan = counted
    state.goes_on(clock, 1.0, 1, 0.010, 10_000)
    plan.entries[1].patience.waited = 10**6
    clock.seconds += 0.6
    dozing.has_dozed(state, plan, clock.seconds - 0.6)
    assert plan.entries[1].patience.left(state.took(1)) == pytest.approx(0.0)
    assert plan.entries[9].patience.left(state.took(9)) == pytest.approx(0.016)
    assert plan.entries[1].patience.waited < 1000
    assert plan.stretch is None


def test_entries_after_breaks_rest_where_frames_come_by_all_the_time(clock, counted):
    state, plan = counted
    plan.entries |= {pc: Entry("after", [], patience=Patience(99.0)) for pc in (20, 30, 40)}

    def shares(*passes):
        clock.seconds += 0.5
        for pc, more in zip((9, 20, 30, 40), passes, strict=True):
            state.passes[pc] += more
        return dozing.shares(state, plan)

    assert shares(0, 10**6, 0, 0) == {}  # the first tick
    state.times[20] += 0.25
    assert shares(500, 500_000, 1000, 400_000) == {20: 0.5, 40: 0.0}
    assert shares(500, 500_000, 1000, 0) == {20: 0.0}
    plan.entries[20].rests = True
    assert list(shares(500, 0, 1000, 400_000)) == [40]
    plan.entries[9].off = "PJ404"
    assert list(shares(0, 0, 1000, 400_000)) == [40]  # frames come by the third
    assert list(shares(0, 0, 500_000, 400_000)) == [30]  # one is left
    plan.entries[30].off = "PJ404"
    assert shares(0, 0, 0, 400_000) == {}
    clock.seconds += 5.0
    plan.entries[9].off = ""
    assert shares(10**6, 0, 0, 10**6) == {}  # of long ago


def test_inner_loops_rest_where_frames_come_by_an_outer_one(clock, counted):
    state, plan = counted
    plan.entries[20] = Entry("jump", [], patience=Patience(99.0))

    def shares(outer, inner, took=0.0):
        clock.seconds += 0.5
        state.passes[9] += outer
        state.passes[20] += inner
        state.times[20] += took
        return dozing.shares(state, plan)

    assert shares(0, 0) == {}
    assert shares(400, 400_000, 0.4) == {20: 0.8}
    assert shares(2, 400_000) == {}  # it may take long until frames come by the outer one again
    assert shares(400_000, 500_000) == {20: 0.0}  # one is left
    plan.entries[9].off = "PJ404"
    assert shares(0, 400_000) == {}


SOURCE = """
def small{i}(n):
    s = 0
    for i in range(n):
        s += i * 3 % 7
    return s
"""


def test_those_that_doze_wake_up_and_are_compiled_when_hot():
    module = types.ModuleType("a program that dozes")
    space = vars(module)
    count = 8
    exec("".join(SOURCE.format(i=i) for i in range(count)), space)
    functions = [space[f"small{i}"] for i in range(count)]
    pijit.config.patience_ms = 20
    pijit.config.compile_all = False
    pijit.config.threshold_calls = pijit.config.threshold_loops = 2
    pijit.enable(module)

    def state(function):
        return _native.state_of(function.__code__)

    def dozers():
        waiting = [one.ref() for one in resting._resting if one.want is None]
        return [function for function in functions if state(function) is not None and state(function).data in waiting]

    before = _native.counters()
    try:
        end = time.monotonic() + ENOUGH
        while not dozers():
            for function in functions:
                for _ in range(500):
                    function(1)
            time.sleep(0.001)
            assert time.monotonic() < end
        hot = dozers()[0]
        assert state(hot).mode == "off"
        assert not resting.waits(state(hot).data)
        end = time.monotonic() + ENOUGH
        while not state(hot).data.compiles:
            for function in functions:
                function(1)  # others go on as before
            assert hot(2000) == hot(2000)
            assert time.monotonic() < end
    finally:
        pijit.disable()
    asked, met = (sum(_native.counters()[name] - before[name] for name in names) for names in (["entries_called"], ["enabled", "crossings"]))
    assert asked < met / 8
