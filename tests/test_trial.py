"""Whether calls are faster with fragments is seen by the clock (csrc/trial.c), and what is not faster goes back to the interpreter."""

from __future__ import annotations

import types

import pytest

import pijit
from pijit import _native

ENOUGH = 512 * 2 * 64 + 1000  # calls until there is a verdict in any case


class Account:
    def __init__(self):
        self.sum = 0.0
        self.count = 0


def enter(account, amount, rate):
    account.count += 1
    account.sum = account.sum + amount * rate - amount / (1.0 + rate)
    return account.sum


def pairs(n, seed):
    total, x = 0, seed
    for i in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        total += x * i % 7
    return total


def number(x, y):
    return (x * y + 1.5) * (x - y) + x * x * y


def own(function, **options):
    """With code of its own, and what is known about it."""
    copy = types.FunctionType(function.__code__.replace(), globals(), function.__name__)
    fast = pijit.jit(**options)(copy)
    return fast, lambda: _native.state_of(fast.__code__)


def hits(fast):
    return pijit.stats(fast).hits


def test_what_is_slower_goes_back_to_the_interpreter(caplog):
    """The evaluator of graphs in Python is a hundred times slower than what it evaluates."""
    fast, state = own(number, backend="numpy")
    fast(1.0, 2.0)
    assert hits(fast)
    pijit.set_logs("perf")
    state().try_calls()
    for i in range(ENOUGH):
        assert fast(float(i), 2.0) == number(float(i), 2.0)
        if state().mode == "off":
            break
    assert state().mode == "off"
    assert {fragment.retired for fragment in pijit.stats(fast).fragments} == {"PJ404"}
    assert "slower natively" in caplog.text


def test_what_is_faster_stays():
    fast, state = own(pairs)
    fast(300, 1)
    state().try_calls()
    expected = pairs(300, 5)
    for _ in range(6000):
        assert fast(300, 5) == expected
    before = hits(fast)
    for _ in range(10):
        fast(300, 5)
    assert state().mode == "on"
    assert hits(fast) == before + 10  # the trial is over


def test_both_ways_are_gone_and_do_the_same():
    fast, state = own(enter)
    mine, theirs = Account(), Account()
    fast(mine, 1.0, 0.5), enter(theirs, 1.0, 0.5)
    state().try_calls()
    before = hits(fast)
    for i in range(1000):
        assert fast(mine, i * 0.1, 0.25) == enter(theirs, i * 0.1, 0.25)
    assert mine.count == theirs.count
    assert 0 < hits(fast) - before < 1000


def test_calls_in_calls():
    def depth(n, step):
        return 1.0 * step if n == 0 else depth(n - 1, step) + step

    fast = pijit.jit(depth)
    fast(3, 0.5)
    state = _native.state_of(fast.__code__)
    state.try_calls()
    for i in range(400):
        assert fast(i % 9, 0.25) == 0.25 * (i % 9 + 1)


def test_an_error_in_the_middle():
    fast, state = own(number)
    fast(1.0, 2.0)
    state().try_calls()
    for i in range(300):
        with pytest.raises(TypeError):
            fast(None, 1.0)
        with pytest.raises(TypeError):
            fast(1.0)
        assert fast(1.0, float(i)) == number(1.0, float(i))


def test_hot_exits_begin_a_trial_of_what_works_on_objects_only():
    """And of nothing that works on arrays or goes round a loop of numbers: a call of those in the interpreter may take long."""
    from pijit.runtime.records import RECORDS

    pijit.config.compile_all = False
    tried = {}
    for function, args in [(enter, (Account(), 1.0, 2.0)), (pairs, (50, 3))]:
        fast, state = own(function)
        for _ in range(200):
            fast(*args)
        record = next(record for record in RECORDS if record.code_ref() is state().code)
        tried[function.__name__] = [fragment.doubtful for fragment in record.fragments]
    assert tried == {"enter": [True], "pairs": [False]}


def twice_as_far(account, x):
    y = account.sum + x
    return y * 2.0 - x / 3.0


def rounds(account, n):
    for i in range(n):
        account.sum = account.sum * 0.5 + i
        account.count = account.count + (i if i < 2**62 else 2**63)
    return account.sum


@pytest.mark.parametrize(("function", "calls", "argument", "tried"), [(twice_as_far, 300, 1.5, True), (rounds, 1, 4000, False)])
def test_the_clock_judges_what_is_called_and_the_estimate_what_is_not(function, calls, argument, tried, monkeypatch):
    """The estimate does not know what a call that was inlined takes in the interpreter, for one."""
    from pijit.runtime import hot, worth

    pijit.config.compile_all = False
    monkeypatch.setattr(worth, "pays", lambda fragment: False)
    fast, state = own(function)
    account = Account()
    for _ in range(calls):
        fast(account, argument)
    assert state().data.fragments
    native = state().data.fragments[0].native
    state().data.fragments[0].kind = "function" if tried else "loop"
    assert hot.exit_is_hot(state(), state().data, native, 0, hot._TRIAL) == (hot._TRIAL * hot._GROWTH if tried else hot.NEVER)
    assert (state().data.fragments[0].retired == "") is tried


def split(account, x):
    for _ in range(40):
        x = x * 0.5 + account.sum
    str(account)
    for _ in range(40):
        x = x * 0.5 + account.sum
    return x


def test_of_several_fragments_those_that_do_not_pay_go_first(monkeypatch):
    from pijit.runtime import entries, worth

    fast, state = own(split)
    account = Account()
    for _ in range(60):
        fast(account, 2.0)
    first, second = state().data.fragments
    monkeypatch.setattr(worth, "pays", lambda fragment: fragment is first)
    assert entries.on_trial(state(), 0, 9) is None
    assert (first.retired, second.retired) == ("", "PJ404")
    assert state().mode == "on"
    assert fast(account, 3.0) == split(account, 3.0)
    while any(not fragment.retired for fragment in state().data.fragments if fragment is not first):
        assert entries.on_trial(state(), 0, 9) is None
    assert not first.retired
    assert entries.on_trial(state(), 0, 9) is None
    assert first.retired == "PJ404"
    assert state().mode == "off"
