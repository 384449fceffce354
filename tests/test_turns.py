"""The rounds of a loop go natively and in the interpreter in turn until the clock has told what is faster (csrc/turns.c)."""

from __future__ import annotations

import types

import pytest

import pijit
from pijit import _native
from pijit.runtime import entries, tiers
from tests.differential import check, settings
from tests.turns_programs import PROGRAMS


def turns():
    return _native.counters()["turns"]


ALL_NATIVE = ("a dict", "while", "while with a condition in the middle", "loops within a loop", "raises", "handles exceptions", "objects", "threads")


@pytest.mark.parametrize("name", PROGRAMS)
def test_whoever_does_a_round_does_the_same(name):
    before = turns()
    check(PROGRAMS[name], 60, entry="f", configurations=("turns",))
    assert turns() > before or name not in ALL_NATIVE


def counted(n):
    seen = {}
    for i in range(n):
        seen[i & 15] = i
    return seen


def grown(n):
    seen, x = {0: 1.5, 1: 2.5}, 0.0
    for i in range(n):
        x = x + i
        x = (x * 0.5 + 1.25) / (x + 2.0) - (x - 0.5) * 0.25 + x * 0.125
        x = (x * 0.5 + 1.25) / (x + 2.0) - (x - 0.5) * 0.25 + x * 0.125
        x = (x * 0.5 + 1.25) / (x + 2.0) - (x - 0.5) * 0.25 + x * seen[i & 1]
    return x


def native_loop(function, *args, **values):
    """The function with code of its own, once its loop was native, and its record."""
    own = types.FunctionType(function.__code__.replace(), dict(globals()), function.__name__)
    space = own.__globals__
    with settings(threshold_calls=1 << 30, threshold_loops=1, **values):
        tiers.enable_namespace(space)
        try:
            own(*args)
        finally:
            tiers.disable_namespace(space)
    return own, tiers.record_of(own.__code__)


def test_a_loop_that_is_faster_natively_stays():
    pijit.config.compile_all = False
    before = turns()
    _, record = native_loop(grown, 400000)
    (fragment,) = record.fragments
    assert turns() > before
    assert not fragment.retired


def test_a_loop_that_is_slower_goes_back_to_the_interpreter(caplog):
    pijit.set_logs("perf")
    own, record = native_loop(counted, 200, compile_all=True)
    (fragment,) = record.fragments
    state = _native.state_of(own.__code__)
    assert entries.on_trial(state, 1, 9, fragment.native) is None
    assert fragment.retired == "PJ404"
    assert "rounds of the loop were slower natively 9 times of 10" in caplog.text
    assert entries.on_trial(state, 1, 9, fragment.native) is None  # another thread was quicker
    assert own(200) == counted(200)


@pytest.mark.parametrize(("long_loop", "compile_all"), [(0, False), (0, True), (64, True)])
def test_nothing_takes_turns_where_that_is_not_wanted(long_loop, compile_all):
    before = turns()
    _, record = native_loop(counted, 100000, long_loop=long_loop, compile_all=compile_all)
    assert record.fragments
    assert turns() == before


def test_numbers_alone_take_no_turns():
    """What the estimate is sure of is not tried."""
    source = "def f(n):\n    s = 0.0\n    for i in range(n):\n        s += i * 0.5\n    return s\n"
    before = turns()
    check(source, 500, configurations=("turns",))
    assert turns() == before


def test_a_short_loop_is_left_alone():
    before = turns()
    own, _ = native_loop(counted, 40, compile_all=False)
    for _ in range(50):
        own(40)
    assert turns() == before
