"""Which calls are counted, and which functions are told of at a tick (csrc/sampled.c)."""

import gc
import sys
import time
import weakref

import native_code as nc
import pytest

from pijit import _native

EVERY = 16
MANY = 100 * EVERY


def short(x):
    return x


def long(x):
    end = time.perf_counter_ns() + 20_000
    while time.perf_counter_ns() < end:
        pass
    return x


def counted(function, threshold, **callbacks):
    """A state for a function of its own, which waits for so many calls."""
    code = function.__code__ = function.__code__.replace()
    _native.set_callbacks(**callbacks)
    state = _native.attach(code, None, "on")
    pc = nc.start_pc(code)
    state.set_entries([(pc, "start", pc, 0, threshold)])
    return state, pc


def changes(names, action):
    before = _native.counters()
    action()
    after = _native.counters()
    return [after[name] - before[name] for name in names]


def call(function, times):
    for i in range(times):
        assert function(i) == i


def test_one_short_call_in_so_many_stands_for_the_others():
    state, pc = counted(short, 1 << 40)
    _native.own(short)
    enabled, uncounted = changes(["enabled", "uncounted"], lambda: call(short, MANY))
    assert enabled + uncounted == MANY
    assert uncounted > MANY // 2
    assert abs(state.misses(pc) - MANY) <= EVERY
    assert abs(state.met - MANY) <= EVERY
    assert 0 < state.took(pc) < 1


def test_calls_that_take_long_are_all_counted():
    state, pc = counted(long, 1 << 40)
    _native.own(long)
    assert changes(["enabled", "uncounted"], lambda: call(long, 3 * EVERY)) == [3 * EVERY, 0]
    assert state.misses(pc) == 3 * EVERY


@pytest.fixture(params=["hook"] if sys.version_info < (3, 12) else ["hook", "vectorcall"], autouse=True)
def way(request):
    """How calls come by: an installed hook sees the frames themselves."""
    if request.param == "vectorcall":
        _native.uninstall()


@pytest.mark.parametrize("threshold", [1, EVERY, EVERY + 1, 2 * EVERY + 3, 10 * EVERY + 5])
def test_it_is_asked_at_the_very_call(threshold):
    at = []
    state, _ = counted(short, threshold, on_entry=lambda *_: at.append(calls) or -1)
    _native.own(short)
    for calls in range(1, threshold + 2):
        short(calls)
    assert at == [threshold]
    assert state.met >= threshold


def test_no_call_is_passed_over_once_there_is_a_fragment():
    state, pc = counted(short, 1 << 40)
    _native.own(short)
    call(short, MANY)
    state.add_fragment(pc, nc.fragment(nc.always(0), [], [("redo", [(None, pc, {}, [])], [], None)]))
    (uncounted,) = changes(["uncounted"], lambda: [short(i) for i in range(EVERY)])
    assert uncounted == 0


def test_a_tick_names_those_that_were_called_much():
    told = []
    state, _ = counted(short, 1 << 40, on_tick=lambda states: told.append(states))
    other, _ = counted(long, 1 << 40)
    _native.own(short)
    _native.own(long)
    end = time.monotonic() + 30
    while len(told) < 2 and time.monotonic() < end:
        call(short, EVERY)
        long(1)  # too seldom, at first
    assert all(state in states for states in told[1:])
    assert len(told[0]) == len(set(map(id, told[0])))
    end = time.monotonic() + 30
    while other not in told[-1] and time.monotonic() < end:
        call(long, EVERY)
    assert other in told[-1]


def test_what_a_tick_raises_is_reported(hook):
    def failing(states):
        told.append(states)
        raise ValueError("a bug")

    told = []
    counted(short, 1 << 40, on_tick=failing)
    _native.own(short)
    end = time.monotonic() + 30
    while not told and time.monotonic() < end:
        call(short, EVERY)
    assert hook == ["on_tick failed: ValueError: a bug"]
    hook.clear()


def test_states_that_go_away_before_a_tick_are_not_named():
    told = []
    _native.set_callbacks(on_tick=told.append)
    gone = []
    for _ in range(50):
        space = {}
        exec("def f(x):\n    return x", space)
        state, _ = counted(space["f"], 1 << 40)
        _native.own(space["f"])
        call(space["f"], 2 * EVERY)
        gone.append(weakref.ref(space["f"].__code__))
        del state, space
    gc.collect()
    assert not any(code() for code in gone)
    counted(short, 1 << 40)
    _native.own(short)
    told.clear()
    end = time.monotonic() + 30
    while not told and time.monotonic() < end:
        call(short, EVERY)
    assert [state.met for state in told[0]]
    assert len(told[0]) <= 2
