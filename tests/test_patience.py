"""What is hot by its count is compiled when it has also taken some time; and compiling leaves no trace in Python's warnings."""

import itertools
import subprocess
import sys
import time
import types
from collections import deque
from contextlib import contextmanager
from pathlib import Path

import pytest

import pijit
from pijit import _native
from pijit.ground.config import Options
from pijit.pycode.outline import outline
from pijit.runtime import driver, patience
from pijit.runtime import entries as entries_module
from pijit.runtime.entries import first_entries

ROOT = Path(__file__).parents[1]


def test_waits_for_about_as_long_as_compiling_takes(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(patience.clock, "perf_counter", lambda: now[0])
    monkeypatch.setitem(sys.modules, patience._COMPILER, sys)
    pijit.config.patience_ms = 40
    entry = patience.Patience()
    total = 0
    while wait := entry.misses_to_wait(now[0]):
        total += wait
        now[0] += wait * 1e-4  # a tenth of a millisecond each
    assert 800 <= total <= 1600  # as long as looking may take


@pytest.mark.parametrize("looked", [False, True])
def test_what_takes_little_time_is_not_compiled_however_often_it_comes(looked, monkeypatch):
    """The program goes on for long, the interpreter takes a tenth of a microsecond of each second there."""
    now, took = [100.0], 0.0
    monkeypatch.setattr(patience.clock, "perf_counter", lambda: now[0])
    monkeypatch.setattr(type(patience.BUDGET), "missing", lambda self, want: 0.0)
    pijit.config.patience_ms = 40
    entry = patience.Patience(price=0.05 * looked)
    asked = misses = 0
    while misses < 10_000:
        wait = entry.misses_to_wait(took)
        assert wait
        now[0] += wait
        took += wait * 1e-7
        misses += wait
        asked += 1
    assert asked <= 30
    took += 0.1
    assert entry.misses_to_wait(took) == 0


def test_what_is_always_about_to_be_paid_is_seldom_asked_for(monkeypatch):
    """Others take what there is, time after time: each entry that waits would ask at each miss, which costs more than compiling it."""
    now = [100.0]
    monkeypatch.setattr(patience.clock, "perf_counter", lambda: now[0])
    monkeypatch.setattr(type(patience.BUDGET), "missing", lambda self, want: 1e-3)
    pijit.config.patience_ms = 40
    entry = patience.Patience()
    asked = misses = 0
    while misses < 100_000:
        wait = entry.misses_to_wait(now[0])
        now[0] += wait * 1e-3
        misses += wait
        asked += 1
    assert asked <= 200
    monkeypatch.setattr(type(patience.BUDGET), "missing", lambda self, want: 0.0)
    assert entry.misses_to_wait(now[0]) == 0


def test_no_patience_no_wait():
    pijit.config.patience_ms = 0
    assert patience.Patience().misses_to_wait(0.0) == 0


def slow(n):
    total = 0
    for i in range(n):
        total += i
        time.sleep(2e-3)
    return total


@contextmanager
def counted(function, on_entry):
    """The state and the entries of a function that is counted meanwhile; ``on_entry`` is asked instead of pijit."""
    state = _native.attach(function.__code__, None, "on")
    entries = first_entries(function.__code__, outline(function.__code__), Options())
    state.set_entries([row for entry in entries.values() for row in entry.rows])
    _native.set_callbacks(on_entry=on_entry)
    try:
        _native.install()
        yield state, entries
    finally:
        _native.uninstall()
        _native.set_callbacks(on_entry=entries_module.on_entry)


def test_the_time_of_misses_is_taken(monkeypatch):
    """Of the start of a function, up to its loop or its end, and of each iteration; what callbacks take is not the program's."""
    asked = []
    monkeypatch.setattr(patience.clock, "perf_counter", lambda: 0.0)
    with counted(slow, lambda *args: asked.append(args[1]) or time.sleep(0.2) or 3) as (state, entries):
        for _ in range(4):
            slow(10)
    start, loop = entries
    assert asked
    assert 4 * 9 * 2e-3 <= state.took(loop) < 4 * 9 * 2e-2
    assert 4 * 2e-3 <= state.took(start) < 4 * 2e-2


@pytest.mark.parametrize("native", [False, True])
def test_the_time_of_native_callees_is_not_the_interpreters(native):
    """A caller has nothing to gain of what its callees do natively already."""
    callee = types.FunctionType(slow_sum.__code__.replace(), globals())
    if native:
        callee = pijit.jit(callee)
        callee(10)
    caller = types.FunctionType(calls.__code__.replace(), globals())
    with counted(caller, lambda *args: 10**6) as (state, entries):
        start = time.perf_counter()
        caller(callee, 40)
        passed = time.perf_counter() - start
    (loop,) = [pc for pc in entries if state.misses(pc) > 1]
    assert (state.took(loop) < passed / 2) is native


def slow_sum(n):
    total = 0.0
    for i in range(n):
        total += i * 0.5
    return total


def calls(callee, n):
    for _ in range(n):
        callee(200_000 if n else 0)


def test_what_a_function_took_once_is_not_what_it_takes():
    """Its first calls took long; then it became fast, for instance because its callees were compiled."""
    with counted(slow_at_first, lambda *args: 10**6) as (state, entries):
        for n in range(400):
            slow_at_first(n)
    (start,) = entries
    assert 6 * 5e-3 <= state.took(start) < 40 * 5e-3


def slow_at_first(n):
    if n < 20:
        time.sleep(5e-3)
    return n


def first_times(x, n):
    first = x[0]
    total = 0
    for i in range(n):
        total += i * first
    return total


def test_captures_of_which_nothing_is_compiled_are_few(monkeypatch):
    """Types that a fragment does not fit, and for which none is made: however often they come."""
    other = deque([3])
    captures = []
    real = driver.capture_entry
    monkeypatch.setattr(driver, "capture_entry", lambda code, pc, *rest: captures.append(pc) or real(code, pc, *rest))
    jitted = pijit.jit(first_times)
    assert jitted([3], 3) == first_times([3], 3)
    for _ in range(20_000):
        assert jitted(other, 3) == first_times(other, 3)
    assert captures.count(captures[0]) <= 12
    assert jitted([4], 4) == first_times([4], 4)


def test_jit_asks_for_some_seconds_of_compiling():
    """Then its code waits as all code does: where many types meet, one fragment after the other would take as long."""
    pijit.config.patience_ms = 40
    jitted = pijit.jit(lambda x, n: sum(x * i for i in range(n)))
    assert jitted(1, 50) == 1225
    record = _native.state_of(jitted.__code__).data
    assert record.compiles == 1
    record.compile_seconds = 60.0
    assert jitted(0.5, 50) == 612.5
    assert record.compiles == 1
    record.compile_seconds = 0.5
    while record.compiles == 1:  # it is asked again after so many misses
        assert jitted(0.5, 50) == 612.5


def test_shown_warnings_stay_shown(tmp_path):
    """What the compiler imports may touch the filters, which makes Python forget what it has shown."""
    program = """
import numpy as np
def f(a, n):
    for i in range(n):
        a / 0
    return a
f(np.ones(2), 3)
f(np.ones(2), 300)
f(np.ones(3), 300)
"""
    (tmp_path / "program.py").write_text(program)
    told = [
        subprocess.run(
            [sys.executable, *launcher, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={"PYTHONPATH": str(ROOT), "PATH": ""},
        ).stderr
        for launcher in ([], ["-m", "pijit", "run", "--threshold", "1"])
    ]  # fmt: skip
    assert told[0] == told[1]
    assert told[0].count("RuntimeWarning") == 1


def test_what_takes_long_to_look_at_is_looked_at_for_longer_each_time(monkeypatch):
    """How long a capture takes shows when it is done: it is given up, and the program goes on for longer before the next."""
    given = []
    real = driver.capture_entry

    def capture(code, pc, view, options, varying, steps, told):
        if code.co_name == "long":
            given.append(steps)
        return real(code, pc, view, options, varying, steps, told)

    monkeypatch.setattr(driver, "capture_entry", capture)
    monkeypatch.setattr(patience, "_STEP_TAKES", 1e-3)
    monkeypatch.setattr(type(patience.BUDGET), "missing", lambda self, want: 0.0)
    pijit.config.patience_ms = 4
    pijit.config.compile_all, pijit.config.threshold_calls = False, 2
    body = "".join(f"    if x > {k}:\n        y += {k}.5\n" for k in range(12))
    module = types.ModuleType("a program")
    exec(f"def long(x):\n    y = 0.5\n{body}    return y\n", vars(module))
    long = module.long
    expected, end = long(7.0), time.perf_counter() + 20
    pijit.enable(module)
    while not (made := pijit.stats(long).compiles) and time.perf_counter() < end:
        assert long(7.0) == expected
    pijit.disable(module)
    assert made
    assert given[0] < 10 < given[-1]
    assert all(after >= 4 * before for before, after in itertools.pairwise(given) if after != before)


def test_callers_of_what_takes_long_to_look_at_are_looked_at_without_it():
    function = types.FunctionType(slow_sum.__code__.replace(), globals())
    fast = pijit.jit(function)
    fast(10)
    code = fast.__code__
    pijit.config.patience_ms = 40
    assert not driver._is_large(code)
    assert not driver._is_large(calls.__code__.replace())  # nothing is known of it
    entries = _native.state_of(code).data.plan.entries
    next(iter(entries.values())).patience.look_longer()
    assert driver._is_large(code)
