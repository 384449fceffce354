"""Signals that arrive while pijit compiles: what their handlers raise is the program's, and nothing of pijit shows."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import subprocess
import sys
import traceback
import types
from _thread import allocate_lock, start_new_thread

import pytest

import pijit
from pijit.runtime import driver, entries, hot, tiers


class Alarm(Exception):
    pass


def raises(number, frame):
    raise Alarm("time is up")


class Handler:
    def __call__(self, number, frame):
        raises(number, frame)

    def method(self, number, frame):
        raises(number, frame)


def leaves(number, frame):
    sys.exit(3)


HANDLERS = [
    (raises, Alarm), (functools.partial(raises), Alarm), (Handler(), Alarm), (Handler().method, Alarm), (leaves, SystemExit),
    (signal.default_int_handler, KeyboardInterrupt),
]  # fmt: skip


def add(a, b):
    return a + b


def fresh(function):
    """A function with code of its own, which nobody has compiled."""
    return types.FunctionType(function.__code__.replace(), globals())


@pytest.fixture
def arrives(monkeypatch):
    """Lets a signal arrive in a function of pijit's, once."""

    def in_the_middle_of(module, name, handler):
        before = signal.signal(signal.SIGUSR1, handler)
        undo.append(before)
        real = getattr(module, name)

        def interrupted(*args, **kwargs):
            monkeypatch.setattr(module, name, real)
            signal.raise_signal(signal.SIGUSR1)
            return real(*args, **kwargs)

        monkeypatch.setattr(module, name, interrupted)

    undo = []
    yield in_the_middle_of
    for handler in undo:
        signal.signal(signal.SIGUSR1, handler)


def files(error):
    return {entry.filename for entry in traceback.extract_tb(error.__traceback__)}


def gives_what_is_raised(function, kind, before):
    """What the handler of now raises in the call is all that is seen; then the handler of before is back."""
    try:
        with pytest.raises(kind) as info:
            function(1.5, 2.0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert files(info.value) == {__file__}


@pytest.mark.parametrize("place", ["capture_entry", "compile_capture"])
@pytest.mark.parametrize(("handler", "kind"), HANDLERS, ids=str)
def test_while_it_compiles(arrives, handler, kind, place):
    function = pijit.jit(fresh(lambda a, b: add(a, b)))
    arrives(driver, place, handler)
    with pytest.raises(kind) as info:
        function(1.5, 2.0)
    assert files(info.value) == {__file__}
    assert info.value.__context__ is None
    assert [function(1.5, 2.0) for _ in range(3)] == [3.5] * 3
    assert pijit.stats(function).compiles == 1


@pytest.mark.parametrize("place", ["_misses_to_wait", "_begin"])
@pytest.mark.parametrize(("handler", "kind"), [(raises, Alarm), (signal.default_int_handler, KeyboardInterrupt)], ids=str)
def test_another_thread_is_given_the_signal(monkeypatch, handler, kind, place):
    """The main thread holds its own back while pijit works; the handlers of those wait, too."""
    function = pijit.jit(fresh(lambda a, b: add(a, b)))
    before = signal.signal(signal.SIGUSR1, handler)
    real = getattr(entries, place)

    def given(done):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
        signal.raise_signal(signal.SIGUSR1)
        done.release()

    def interrupted(*args, **kwargs):
        monkeypatch.setattr(entries, place, real)
        done = allocate_lock()  # threading's own may be torn by what the handler raises
        done.acquire()
        start_new_thread(given, (done,))
        done.acquire()
        return real(*args, **kwargs)

    monkeypatch.setattr(entries, place, interrupted)
    gives_what_is_raised(function, kind, before)
    assert [function(1.5, 2.0) for _ in range(3)] == [3.5] * 3


PLACES = pytest.mark.parametrize(("module", "name"), [(entries, "_begin"), (driver, "capture_entry"), (tiers, "_enable_frame")], ids=str)


def within_a_handler(function):
    try:
        signal.raise_signal(signal.SIGUSR1)
    except (Alarm, KeyboardInterrupt):
        return function(1.5, 2.0)


def made_known(module):
    """A function that pijit is about to see in this module of its own for the first time."""
    if module is not tiers:
        return pijit.jit(fresh(add))
    space = {"__name__": "somewhere"}
    exec(compile("def f(a, b):\n    return a + b", __file__, "exec"), space)
    tiers.enable_namespace(space)
    return space["f"]


@PLACES
@pytest.mark.parametrize(("handler", "kind"), [(raises, Alarm), (signal.default_int_handler, KeyboardInterrupt)], ids=str)
def test_what_fails_because_of_it_is_not_seen(monkeypatch, handler, kind, module, name):
    """Should a handler be called in the middle of pijit after all: as where a lock is let go of that was not taken yet."""
    real = getattr(module, name)

    def torn(*args):
        monkeypatch.setattr(module, name, real)
        try:
            handler(signal.SIGUSR1, None)
        finally:
            raise RuntimeError("release unlocked lock")

    function = made_known(module)
    monkeypatch.setattr(module, name, torn)
    gives_what_is_raised(function, kind, signal.signal(signal.SIGUSR1, handler))
    assert function(1.5, 2.0) == 3.5


@PLACES
@pytest.mark.parametrize("handler", [raises, signal.default_int_handler], ids=str)
def test_an_error_of_its_own_is_not_what_the_program_handles(monkeypatch, handler, module, name):
    monkeypatch.setattr(pijit.config, "raise_internal", False)
    function = made_known(module)
    monkeypatch.setattr(module, name, lambda *args: {}["nothing"])
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        assert within_a_handler(function) == 3.5
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(tiers.INTERNAL_ERRORS) == 1
    tiers.INTERNAL_ERRORS.clear()


def test_a_handler_that_returns_is_not_noticed(arrives):
    seen = []
    function = pijit.jit(fresh(add))
    arrives(driver, "compile_capture", lambda number, frame: seen.append(number))
    assert function(1.5, 2.0) == 3.5
    assert seen == [signal.SIGUSR1]
    assert pijit.stats(function).compiles == 1


def test_when_a_function_is_seen_first(arrives):
    space = {"__name__": "somewhere"}
    exec(
        "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n\ndef run():\n"
        "    for _ in range(10):\n        f(10)\n", space,
    )  # fmt: skip
    arrives(tiers, "_enable_frame", raises)
    tiers.enable_namespace(space)
    with pytest.raises(Alarm) as info:
        space["run"]()
    assert files(info.value) == {__file__, "<string>"}
    assert space["f"](10) == 45


def test_when_an_exit_is_looked_at(arrives):
    def f(x, n):
        total = 0
        for i in range(n):
            total += x[i % 7]
        return total

    function = pijit.jit(f)
    x = [1] * 6
    assert function(x, 6) == 6
    arrives(hot, "exit_is_hot", raises)

    def often():
        for _ in range(500):
            with contextlib.suppress(IndexError):
                function(x, 7)

    with pytest.raises(Alarm) as info:
        often()
    assert files(info.value) <= {__file__, contextlib.__file__}
    often()


def test_an_error_of_its_own_stays_one(arrives, monkeypatch):
    monkeypatch.setattr(pijit.config, "raise_internal", False)
    function = pijit.jit(fresh(add))
    monkeypatch.setattr(driver, "capture_entry", lambda *args: {}["nothing"])
    assert function(1, 2) == 3
    assert len(tiers.INTERNAL_ERRORS) == 1
    tiers.INTERNAL_ERRORS.clear()


ALARMS = """
import os, signal, sys, threading, time
class Alarm(Exception):
    pass
raised, frames = 0, set()
def handler(number, frame):
    global raised
    raised += 1
    frames.add(frame.f_code.co_name)
    raise Alarm
def spin():
    x = 1
    while True:
        x = x * 3 & 0xFFFF
def interrupt():
    time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGALRM, handler)
for k in range(40):
    before = raised
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        spin()
    except Alarm:
        assert raised == before + 1
for k in range(40):
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        spin()
    except KeyboardInterrupt:
        thread.join()
print(frames)
"""


@pytest.mark.parametrize("threshold", [(), ("--threshold", "1")], ids=str)
def test_none_is_lost(tmp_path, threshold):
    """One that came just before pijit was called is handled by the program, not by the first of pijit's frames."""
    program = tmp_path / "alarms.py"
    program.write_text(ALARMS)
    env = {**os.environ, "PIJIT_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pijit", "run", "--everything", *threshold, str(program)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "{'spin'}\n", "")
