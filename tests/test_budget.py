"""All compilations together take a share of the program's time; what has to wait for that costs nothing meanwhile."""

from __future__ import annotations

import math
import time
import types

import numpy as np
import pytest

import pijit
from pijit import _native
from pijit.ground.config import Options
from pijit.runtime import budget, dozing, entries, patience, prices, resting, worth
from pijit.runtime.budget import BUDGET, Budget, Want

SOURCE = """
def value(x, n):
    total = 0.0
    for i in range(n):
        total += x * i
    return total

def other(x, n):
    total = 1.0
    for i in range(n):
        total -= x * i
    return total

def third(x, n):
    return [value(x, n), other(x, n)]

def plain(x):
    return (x * 2.0 + 1.0) * (x - 3.0) * x - x
"""


@pytest.fixture
def clock(monkeypatch):
    """What has been spent, and the time that the process has run: a second so far. How long calls really take plays no part."""
    now = types.SimpleNamespace(seconds=1.0, saved=0.0, rates=None)
    monkeypatch.setattr(budget.clock, "process_time", lambda: now.seconds)
    monkeypatch.setattr(budget, "saved", lambda: now.saved)
    monkeypatch.setattr("pijit.runtime.patience.Patience._to_take", lambda self: patience._RENT * self.spent)
    monkeypatch.setattr(worth, "is_too_little", lambda seconds, times: False)
    monkeypatch.setattr(prices, "known", lambda code, pc: 0.0)
    monkeypatch.setattr(dozing, "seconds", lambda state, plan: 0.0)
    monkeypatch.setattr(dozing, "rate", lambda state, plan: now.rates.get(state, 0.0) if now.rates else 1e6)
    monkeypatch.setattr(patience, "_MOST", math.inf)
    before = BUDGET.saved, BUDGET.reviewed
    BUDGET.saved = BUDGET.reviewed = 0.0
    _native.set_callbacks(on_tick=None)  # the tests say when one comes
    yield now
    BUDGET.saved, BUDGET.reviewed = before
    spend(0.0)
    resting.tick([])
    _native.set_callbacks(on_tick=entries.on_tick)


def spend(seconds):
    """So much has been spent of each account."""
    for account in BUDGET.accounts:
        account.spent = seconds


def test_a_little_at_once_then_a_share_then_a_smaller_one():
    account = budget.Account(at_once=0.1, first=0.2, later=0.05)
    assert account.missing(0.0, 0.1) == 0
    assert account.missing(0.0, 0.3) == pytest.approx(1.0)
    assert account.missing(0.4, 0.3) == pytest.approx(0.6)
    account.spent = 0.1 + 0.2 * budget._FIRST
    assert account.missing(budget._FIRST) == pytest.approx(0, abs=1e-9)
    assert account.missing(budget._FIRST, 0.1) == pytest.approx(2.0)


def test_what_comes_to_nothing_costs_more_until_something_comes_of_it():
    account = budget.Account(at_once=0.0, first=0.5, later=0.5)
    account.spend(0.1)
    assert account.missing(0.0) == pytest.approx(0.2)
    for _ in range(100):
        account.spend(0.0, in_vain=True)
    before = account.missing(0.0)
    account.spend(0.1, in_vain=True)
    assert account.missing(0.0) - before == pytest.approx(0.2 * (1 + budget._FINE))
    account.spend(0.1)
    before = account.missing(0.0)
    account.spend(0.1)
    assert account.missing(0.0) - before == pytest.approx(0.2)
    assert account.spent == pytest.approx(0.4)


WANTS = [Want(0.01, "looking"), Want(0.05, "trying"), Want(0.1, "compiling")]


@pytest.mark.parametrize("want", WANTS)
def test_each_account_has_its_own(clock, want):
    mine = Budget()
    mine.account(want).spent, clock.seconds = 8.0, 9.0
    wait = mine.missing(want)
    assert wait > 0
    assert not any(mine.missing(other) for other in WANTS if other is not want)
    clock.seconds += wait + 1e-6
    assert mine.missing(want) == 0


@pytest.mark.parametrize("want", WANTS[1:])
def test_what_native_code_saves_pays_for_more(clock, want):
    mine = Budget()
    mine.account(want).spent, clock.seconds = 8.0, 9.0
    assert mine.missing(want) > 15
    clock.saved, clock.seconds = 10.0, 9.1
    assert mine.missing(want) == 0


@pytest.mark.parametrize("doubtful", [True, False])
def test_native_code_saves_no_more_than_it_took(monkeypatch, doubtful):
    monkeypatch.setattr(worth, "net", lambda fragment: 1e9)
    native = types.SimpleNamespace(hits=100, sampled=50.0, samples=5)
    assert worth.known_net(types.SimpleNamespace(doubtful=doubtful, native=native)) == 1000.0


def product(a):
    return a @ a + 1.0


def inverse(a):
    return np.linalg.pinv(a) + 1.0


def share_of_native_code(function):
    """How much of a call counts as native code's, by the runs that were timed."""
    fast = pijit.jit(types.FunctionType(function.__code__.replace(), globals()))
    a = np.random.default_rng(1).random((300, 300))
    fast(a)
    native = _native.state_of(fast.__code__).data.fragments[0].native
    before, start = (native.sampled, native.samples), time.perf_counter()
    for _ in range(3):
        fast(a)
    assert native.samples == before[1] + 3
    return 1e-9 * (native.sampled - before[0]) / (time.perf_counter() - start)


@pytest.mark.shared
@pytest.mark.parametrize("function", [product, inverse], ids=lambda function: function.__name__)
def test_what_native_code_calls_in_numpy_is_no_gain(function):
    """Of several tries: another program may get the processor at any time, but not at each. Counted wrongly, the share is about 1."""
    assert min(share_of_native_code(function) for _ in range(10)) < 0.5


def test_what_is_saved_is_summed_up():
    fast = pijit.jit(types.FunctionType(compile(SOURCE, "sums", "exec").co_consts[0].replace(), globals(), "value"))
    before = budget.saved()
    for _ in range(200):
        fast(1.5, 20000)
    assert budget.saved() > before


@pytest.fixture
def program():
    module = types.ModuleType("a program")
    space = vars(module)
    exec(SOURCE, space)
    pijit.config.patience_ms = 1
    pijit.config.compile_all = False
    pijit.config.threshold_calls = 2
    pijit.enable(module)
    yield space
    pijit.disable(module)


def record(function):
    return _native.state_of(function.__code__).data


def calls(function, count=3000):
    for i in range(count):
        function(1.0 + i)


def test_nothing_more_is_compiled_until_it_can_be_paid_for(clock, program):
    plain = program["plain"]
    spend(100.0)
    calls(plain)
    assert not record(plain).compiles
    assert "to be compiled later" in pijit.explain(plain).text()
    clock.seconds = 1e6
    calls(plain, 60_000)
    assert record(plain).compiles
    assert not resting.waits(record(plain))


def copies(program, count):
    """Functions that were called often, and have to wait."""
    spend(100.0)
    functions = [types.FunctionType(program["plain"].__code__.replace(co_name=f"plain{i}"), program, f"plain{i}") for i in range(count)]
    for function in functions:
        calls(function)
    return functions


def states(functions):
    return [_native.state_of(function.__code__) for function in functions]


def modes(functions):
    return [state.mode for state in states(functions)]


def test_one_stays_awake_and_the_others_rest_until_then(clock, program):
    functions = copies(program, 6)
    clock.rates = dict(zip(states(functions), (2.0, 5.0, 4.0, 1.0, 6.0, 3.0), strict=True))
    resting.tick(states(functions))
    assert modes(functions) == ["off", "off", "off", "on", "off", "off"]  # it is called least
    assert functions[0](2.0) == program["plain"](2.0)
    assert all(resting.waits(state.data) for state in states(functions) if state.mode == "off")
    clock.seconds = 1e6
    resting.tick([])
    assert modes(functions).count("on") == 5
    before = _native.counters()["entries_called"]
    for function, mode in zip(functions, modes(functions), strict=True):
        if mode == "on":
            function(2.0)
    assert _native.counters()["entries_called"] >= before + 4  # they are met again


def test_all_rest_where_something_else_tells_the_time(clock, program):
    functions = copies(program, 3)
    clock.rates = dict(zip(states(functions), (2.0, 0.0, 1.0), strict=True))  # one costs next to nothing
    resting.tick(states(functions))
    assert modes(functions) == ["off", "on", "off"]


def test_many_wake_up_a_few_at_a_time(clock, program):
    functions = copies(program, 12)
    resting.tick(states(functions))
    clock.seconds = 1e6
    awake = []
    for _ in range(4):
        awake.append(modes(functions).count("on"))
        resting.tick([])
    assert awake == [1, 5, 9, 12]


def test_no_more_wake_up_than_can_be_paid_for(clock, program):
    functions = copies(program, 8)
    resting.tick(states(functions))
    (want,) = {waiting.want for waiting in resting._resting}
    clock.seconds += BUDGET.missing(want) + 1e-3
    resting.tick([])
    assert modes(functions).count("on") == 2  # one was awake


BROKEN = """
from time import sleep

def broken(n):
    s = 0
    for i in range(n):
        s += i
        sleep(0)
        s = s * 3 % 1001
        sleep(0)
        s += 2
    return s
"""


@pytest.mark.parametrize("spent", [0.0, 1e6], ids=["a doze", "until it is paid for"])
def test_frames_do_not_come_by_an_entry_that_rests(program, monkeypatch, spent):
    exec(BROKEN, program)
    broken, now = program["broken"], resting.clock.perf_counter

    def crossings():
        before = _native.counters()["crossings"]
        assert broken(2000) == expected
        return _native.counters()["crossings"] - before

    expected = types.FunctionType(broken.__code__.replace(), dict(program))(2000)
    try:
        _native.set_callbacks(on_tick=None)
        for _ in range(3):
            crossings()
        ((pc, entry),) = [(pc, entry) for pc, entry in record(broken).plan.entries.items() if entry.kind == "after"]
        assert crossings()
        spend(spent)
        record(broken).plan.known = now() - 60.0
        entry.patience.took = -1e3 if spent else 1e3  # it has taken enough, or too little
        monkeypatch.setattr(dozing, "shares", lambda state, plan: {pc: 0.0})
        resting.tick(states([broken]))
        assert entry.rests
        assert resting.waits(record(broken)) is bool(spent)
        assert not crossings()
        monkeypatch.setattr(dozing, "shares", lambda state, plan: {})
        resting.tick(states([broken]))
        assert entry.rests
        spend(0.0)
        monkeypatch.setattr(resting.clock, "perf_counter", lambda: now() + 60.0)
        resting.tick([])
        assert not entry.rests
        assert not resting.waits(record(broken))
        assert crossings()
    finally:
        spend(0.0)
        _native.set_callbacks(on_tick=entries.on_tick)


def test_what_can_be_paid_for_does_not_rest(clock, program):
    functions = copies(program, 3)
    clock.seconds = 1e6
    resting.tick(states(functions))
    assert modes(functions) == ["on"] * 3


def test_what_is_disabled_meanwhile_stays_so(clock, program):
    functions = copies(program, 4)
    resting.tick(states(functions))
    pijit.disable()
    clock.seconds = 1e6
    resting.tick([])
    assert set(modes(functions)) == {"off"}


def test_what_is_dear_and_may_not_pay_waits_for_its_price(clock, program, monkeypatch):
    monkeypatch.setattr(worth, "price", lambda graph: 30.0)
    monkeypatch.setattr("pijit.runtime.patience.Patience._to_pass", lambda self, goes_on: 0.0)
    plain = program["plain"]
    calls(plain)
    entry = next(iter(record(plain).plan.entries.values()))
    assert entry.patience.postponed
    assert not record(plain).compiles
    clock.seconds = 1e6
    calls(plain, 60_000)
    assert record(plain).compiles


def test_what_may_not_pay_leaves_something_for_what_does(clock, program):
    BUDGET.trying.spent, clock.seconds = 100.0, 200.0
    calls(program["plain"])
    assert not record(program["plain"]).compiles
    value = program["value"]
    for _ in range(2000):
        value(1.5, 200)
    assert record(value).compiles


def test_what_pays_does_not_take_all_either(clock, program):
    """A program of many places that are hot once in a while would do nothing but compile."""
    BUDGET.compiling.spent, clock.seconds = 100.0, 200.0
    value = program["value"]
    for _ in range(2000):
        value(1.5, 200)
    assert not record(value).compiles
    clock.seconds = 1e6
    for _ in range(2000):
        value(1.5, 200)
    assert record(value).compiles


def test_a_jitted_function_does_not_wait(clock):
    spend(100.0)
    fast = pijit.jit(types.FunctionType(compile(SOURCE, "asked", "exec").co_consts[0].replace(), globals(), "value"))
    fast(1.0, 10)
    assert pijit.stats(fast).compiles


def test_an_entry_waits_for_longer_the_more_it_has_taken(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(patience.clock, "perf_counter", lambda: now[0])
    pijit.config.patience_ms = 40
    entry = patience.Patience()
    waits = []
    for _ in range(3):
        entry.compiled(0.5, in_vain=True)
        start = now[0]
        while wait := entry.misses_to_wait(now[0], asked=True):
            now[0] += wait * 1e-4
        waits.append(now[0] - start)
    assert waits[0] == pytest.approx(1.0, rel=0.1)
    assert waits[2] == pytest.approx(3.0, rel=0.1)
    entry.compiled(0.5, in_vain=False)
    assert entry.misses_to_wait(now[0], asked=True) == 0  # another type of what was asked for by name


def test_net_of_a_retired_fragment_is_nothing():
    assert worth.net(types.SimpleNamespace(native=None)) == 0.0


@pytest.mark.parametrize("little", [False, True])
def test_what_takes_less_than_entering_native_code_is_not_counted_for_long(program, monkeypatch, little):
    """Counting it would take longer than it does itself. Loops, and what they are in, are another matter."""
    monkeypatch.setattr(worth, "RUN", 1e12 if little else -1e3)
    monkeypatch.setattr(type(BUDGET), "missing", lambda self, want: 1e-3)
    plain, value = program["plain"], program["value"]
    calls(plain, 5000)
    for _ in range(5000):
        value(1.5, 2)
    assert _native.state_of(plain.__code__).mode == ("off" if little else "on")
    assert _native.state_of(value.__code__).mode == "on"
    assert not any(record(function).compiles for function in (plain, value))
    assert ("nothing to compile" in pijit.explain(plain).text()) is little


def test_what_did_not_pay_costs_more():
    """A fragment of code that nobody asked for, taken out of use because it did not pay, is paid for some times more before the next."""
    mine = Budget()
    for account, doubtful in ((mine.trying, True), (mine.compiling, False)):
        account.spend(0.2)
        before = account.missing(0.0)
        mine.retired(types.SimpleNamespace(doubtful=doubtful, compile_seconds=0.1))
        assert account.missing(0.0) - before == pytest.approx(0.1 * budget._REGRET / account.first)


def test_retiring_is_regretted(monkeypatch):
    """By `closing.retire`, and not where somebody asked for the function."""
    regretted = []
    monkeypatch.setattr(type(BUDGET), "retired", lambda self, fragment: regretted.append(fragment))
    for eager in (False, True):
        space = {}
        exec(SOURCE, space)
        function = pijit.jit(space["plain"])
        function(2.0)
        record = pijit.runtime.tiers.record_of(function.__code__)
        record.options = Options(eager=eager)
        state = _native.state_of(function.__code__)
        (native,) = state.fragments(record.plan.start)
        pijit.runtime.closing.retire(state, record, native, "not_worth_it")
        assert len(regretted) == 1


def test_prices_are_as_they_turn_out_here(monkeypatch):
    pace = patience.Pace()
    first = pace.seconds(1.0)
    monkeypatch.setattr(patience, "loading", lambda: 0.0)
    now = iter(range(100))
    monkeypatch.setattr(patience.clock, "thread_time", lambda: float(next(now)))
    for _ in range(20):
        with pace.measured(0.5 * pace.seconds(1.0)):
            pass
    assert pace.seconds(1.0) > 1.3 * first


def test_what_an_array_is_at_hand_for_is_looked_at_sooner(monkeypatch):
    """Work on arrays pays most often."""
    monkeypatch.setattr(type(BUDGET), "ran", lambda self: 10.0)
    waits = patience.Patience()
    assert waits.wants(0.0, 1000).account == "looking"
    waits.has_arrays = True
    assert waits.wants(0.0, 1000).account == "compiling"
