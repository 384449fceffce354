"""Threads, signals, fork and tracing while jitted functions run and are compiled."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from threads import in_threads

import pijit

A = np.arange(8.0)
SOURCES = {
    "scalars": "def f(k):\n    s = 0\n    for i in range(50):\n        s = s + i * k\n    return s\n",
    "arrays": "def f(k):\n    a = A * k + 1\n    a[1:] += a[:-1]\n    return float(a.sum())\n",
    "call": "def g(x):\n    return x * x + 1\ndef f(k):\n    s = 0.0\n    for v in A:\n        s = s + g(v) * k\n    return float(s)\n",
    "breaks": "def f(k):\n    s = k\n    for i in range(20):\n        s = s + len(str(i))\n    return s\n",
    "raises": "def f(k):\n    try:\n        return A[int(k) + 100]\n    except IndexError as e:\n        return str(e)\n",
    "numpy": "def f(k):\n    return float(np.sort(A * k)[0] + np.linalg.norm(A))\n",
}
VALUES = (1, 2.5, True, np.float32(3), np.int64(4), 2**62)


def made(source):
    names = {"__name__": "subject", "np": np, "A": A}
    exec(source, names)
    return names["f"]


def test_many_threads_call_and_compile():
    """The same functions, and each thread its own, for a second, with a switch of threads every ten microseconds."""
    with np.errstate(all="ignore"):
        wanted = {(name, n): repr(made(source)(VALUES[n])) for name, source in SOURCES.items() for n in range(len(VALUES))}
    shared = {name: pijit.jit(made(source)) for name, source in SOURCES.items()}
    wrong, rounds, end = [], [], time.monotonic() + 1.0

    def work(seed):
        own = {}
        try:
            with np.errstate(all="ignore"):
                for turn in range(10**6):
                    if turn % 20 == 0:
                        own = {name: pijit.jit(made(source)) for name, source in SOURCES.items()}
                    for k, (name, n) in enumerate(wanted):
                        function = (shared if (turn + seed + k) % 2 else own)[name]
                        got = repr(function(VALUES[n]))
                        if got != wanted[name, n]:
                            wrong.append((name, VALUES[n], got))
                    if time.monotonic() > end:
                        return
        except BaseException as error:
            wrong.append(error)
        finally:
            rounds.append(seed)

    in_threads(work, interval=1e-5)
    assert not wrong, wrong[:3]
    assert len(rounds) == 8


@pytest.fixture
def alarm():
    """alarm(handler): the handler is called in 0.2 s."""
    before = signal.getsignal(signal.SIGUSR1)
    timers = []

    def start(handler):
        signal.signal(signal.SIGUSR1, handler)
        timers.append(threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)))
        timers[-1].start()

    yield start
    for timer in timers:
        timer.join()
    signal.signal(signal.SIGUSR1, before)


def interrupted(log, n):
    x = 0.0
    try:
        for i in range(n):
            x = x + i
    except KeyboardInterrupt:
        log.append(("except", x > 0, i > 0))
        raise
    finally:
        log.append(("finally", x == float(x)))
    return x


def test_one_thread_at_a_time_compiles_for_an_entry():
    """Threads that come to it meanwhile go on in the interpreter: no more fragments are made than there are types."""
    f = made("def f(x):\n    s = x\n    for i in range(50):\n        s = s + x\n    return s\n")
    function, wrong = pijit.jit(f), []
    start = threading.Barrier(8)

    def work(_):
        start.wait()
        for _ in range(300):
            wrong.extend(x for x in (2.0, 3) if function(x) != 51 * x)

    in_threads(work, interval=1e-5)
    assert wrong == []
    by_entry = collections.Counter((row.line, row.kind) for row in pijit.stats(function).fragments)
    assert max(by_entry.values()) <= 2


def test_compiling_inside_numba_while_another_thread_compiles():
    """What holds numba's lock may run hot Python code; another thread has begun to compile, and waits for that lock."""
    from numba.core.compiler_lock import global_compiler_lock

    functions = [pijit.jit(made(f"def f(x):\n    return x * {k}.0625 + x\n")) for k in (3, 5)]
    got = []
    other = threading.Thread(target=lambda: got.append(functions[1](2.0)))
    with global_compiler_lock:
        other.start()
        time.sleep(0.3)
        got.append(functions[0](2.0))
    other.join()
    assert sorted(got) == [8.125, 12.125]
    assert all(pijit.stats(function).fragments for function in functions)


FIRST = """
import sys, threading
import pijit
from pijit.runtime.tiers import INTERNAL_ERRORS

sys.setswitchinterval(1e-5)
sources = "def f(x):\\n    s = x\\n    for i in range(50):\\n        s = s + x\\n    return s\\n"
start, wrong = threading.Barrier(8), []

def work(k):
    names = {"__name__": "subject"}
    exec(sources, names)
    function = pijit.jit(names["f"])
    start.wait()
    wrong.extend(x for _ in range(100) for x in (2.0, 3) if function(x) != 51 * x)

threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(wrong, len(INTERNAL_ERRORS))
"""


def test_the_first_compilations_of_a_process_in_many_threads():
    """They import what compiles, all at once: who imports parts of a package while another imports the whole can be given half of it."""
    environ = {**os.environ, "PIJIT_CACHE_DIR": ""}
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, env=environ, timeout=100)
        assert (done.stdout, done.stderr) == ("[] 0\n", "")


def test_ctrl_c_in_a_native_loop_in_a_try(alarm):
    function = pijit.jit(interrupted)
    log = []
    for _ in range(3):
        assert function(log, 1000) == 499500.0
    for _ in range(2):
        log.clear()
        alarm(signal.default_int_handler)
        with pytest.raises(KeyboardInterrupt) as info:
            function(log, 10**10)
        assert log == [("except", True, True), ("finally", True)]
        line = interrupted.__code__.co_firstlineno
        assert info.traceback[-1].name in ("interrupted", "default_int_handler")
        assert any(entry.name == "interrupted" and entry.lineno + 1 in range(line + 3, line + 9) for entry in info.traceback)
        assert pijit.stats(function).hits > 0
        assert function(log, 1000) == 499500.0


STOP = False


def waiting(n):
    x = 0.0
    for i in range(n):
        x = x + i
        if STOP:
            return i
    return -1


def test_a_handler_changes_a_global_that_the_loop_reads(alarm, monkeypatch):
    function = pijit.jit(waiting)
    for _ in range(3):
        assert function(1000) == -1
    alarm(lambda *_: monkeypatch.setitem(globals(), "STOP", True))
    assert 0 < function(10**10) < 10**10
    assert function(10) == 0


def test_fork_after_compilation():
    functions = {name: pijit.jit(made(source)) for name, source in SOURCES.items()}
    wanted = {name: repr(function(2.5)) for name, function in functions.items()}
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            same = all(repr(function(2.5)) == wanted[name] for name, function in functions.items())
            others = all(repr(f(3)) == repr(made(SOURCES[name])(3)) for name, f in functions.items())  # compiles in the child
            fresh = all(repr(pijit.jit(made(source))(2.5)) == wanted[name] for name, source in SOURCES.items())
            os.write(write, repr((same, others, fresh)).encode())
        finally:
            os._exit(0)
    os.close(write)
    assert os.waitpid(pid, 0)[1] == 0
    with os.fdopen(read) as file:
        assert file.read() == "(True, True, True)"
    assert {name: repr(function(2.5)) for name, function in functions.items()} == wanted


def traced(hook, n):
    s = 0
    for i in range(n):
        if i == 50:
            hook()
        s = s + i
    return s


def test_tracing_switched_on_in_a_callee():
    """settrace traces frames that are entered later; the frame below is traced once it has an f_trace."""
    lines, function = [], pijit.jit(traced)
    assert function(lambda: None, 100) == 4950

    def tracer(frame, event, arg):
        if frame.f_code.co_name == "traced":
            lines.append((event, frame.f_lineno - first))
        return tracer

    def switch_on():
        sys._getframe(1).f_trace = tracer
        sys.settrace(tracer)

    outcomes = []
    for f in (traced, function):
        first = f.__code__.co_firstlineno
        lines.clear()
        try:
            outcomes.append(f(switch_on, 100))
        finally:
            sys.settrace(None)
        outcomes.append(list(lines))
    assert outcomes[0] == outcomes[2] == 4950
    assert outcomes[1] == outcomes[3]
    assert len(lines) > 100
    assert function(lambda: None, 100) == 4950
