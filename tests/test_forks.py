"""Forks while another thread compiles: the child goes on as the parent would, and compiles too; what compiling threads share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import weakref

import llvmlite.binding.ffi
import pytest

import pijit
from pijit import _native
from pijit.ground import forks
from pijit.runtime import closing, driver, hot, resting, tiers
from pijit.runtime.patience import warnings_remembered

SOURCE = "def f(n):\n    s = {k}\n    for i in range(n):\n        s = s + i * 0.5\n    return s\n"
HALF = sum(i * 0.5 for i in range(10))


def made(k, source=SOURCE):
    space = {"__name__": "subject"}
    exec(source.format(k=k), space)
    return pijit.jit(space["f"])


def in_child(work):
    """Whether work() is true in a child, which has a minute."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 3.12+: there are threads
        child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def compiles(function, k):
    return function(10) == k + HALF and pijit.stats(function).compiles > 0


@pytest.fixture
def compiling(monkeypatch):
    """compiling(function): a thread that is in the middle of compiling it until the event that is given with it is set."""
    threads = []

    def start(function):
        reached, go_on = threading.Event(), threading.Event()

        def capture(*args):
            monkeypatch.setattr(driver, "capture_entry", plain)
            reached.set()
            go_on.wait(60)
            return plain(*args)

        plain = driver.capture_entry
        monkeypatch.setattr(driver, "capture_entry", capture)
        threads.append(threading.Thread(target=function, args=(10,)))
        threads[-1].start()
        assert reached.wait(60)
        return go_on

    yield start
    for thread in threads:
        thread.join()


def test_a_fork_waits_for_a_compilation(compiling):
    shared = made(1, "def f(n):\n    return {k} + n * 2.25\n")  # one entry, which the thread is busy with
    go_on = compiling(shared)
    threading.Timer(0.3, go_on.set).start()
    assert in_child(lambda: compiles(shared, 1) and compiles(made(2), 2))
    assert compiles(shared, 1)
    assert compiles(made(3), 3)


def test_a_fork_that_has_waited_too_long_goes_on(compiling, monkeypatch):
    """The child computes the same, and compiles nothing."""
    monkeypatch.setattr(forks, "_LONGEST", 0.1)
    ready, shared = made(4), made(5)
    assert compiles(ready, 4)
    hits = pijit.stats(ready).hits
    go_on = compiling(shared)
    try:
        assert in_child(lambda: shared(10) == 5 + HALF and not compiles(made(6), 6) and ready(10) == 4 + HALF and pijit.stats(ready).hits > hits)
    finally:
        go_on.set()
    assert compiles(made(7), 7)


def test_one_thread_at_a_time_compiles_for_a_function(compiling):
    """Its entries are in one table, which each compilation looks through and adds to."""
    function = made(9)
    go_on = compiling(function)  # the start
    try:
        assert function(1000) == 9 + sum(i * 0.5 for i in range(1000))  # the loop is hot
        assert pijit.stats(function).compiles == 0
    finally:
        go_on.set()
    while not pijit.stats(function).compiles:
        time.sleep(0.01)
    assert compiles(function, 9)


def test_the_exit_of_a_fragment_that_another_thread_has_retired():
    function = made(10)
    assert compiles(function, 10)
    record, state = tiers.record_of(function.__code__), _native.state_of(function.__code__)
    native = record.fragments[0].native
    closing.retire(state, record, native, "not_worth_it")
    for index in range(len(record.fragments[0].exits)):
        assert hot.exit_is_hot(state, record, native, index, 1000) == hot.NEVER


def test_nothing_is_compiled_while_another_thread_forks():
    function, later, found = made(8), made(8), []
    forks._before()
    try:
        thread = threading.Thread(target=lambda: found.append((function(10), pijit.stats(function).compiles)))
        thread.start()
        thread.join()
    finally:
        forks._after_in_parent()
    assert found == [(8 + HALF, 0)]
    assert compiles(later, 8)


def test_who_asks_while_another_thread_forks_does_not_wait(monkeypatch):
    function, done = made(15), []
    assert compiles(function, 15)
    record = tiers.record_of(function.__code__)
    record.space = 0, "a program"
    state = _native.state_of(function.__code__)
    monkeypatch.setattr(resting, "_resting", [resting.Waiting(weakref.ref(record), None, 0.0)])
    forks._before()
    try:
        thread = threading.Thread(target=lambda: (resting.tick([state]), done.append(True)), daemon=True)
        thread.start()
        thread.join(30)
    finally:
        forks._after_in_parent()
    assert done


def test_a_thread_that_is_about_to_see_the_fork():
    """It has begun nothing: the child has no reason not to compile."""
    forks._before()
    forks._compiling[-1] = object()
    forks._after_in_child()
    assert not forks._torn
    assert not forks._compiling
    assert compiles(made(14), 14)


@pytest.mark.parametrize("place", ["LLVM", "resting"])
def test_a_fork_waits_for_locks_that_are_taken_elsewhere(place):
    """As where the program lets go of native code, or asks for a report."""
    assert compiles(made(11), 11)
    lock = {"LLVM": llvmlite.binding.ffi.lib._lock, "resting": resting._change}[place]
    reached, go_on, left = threading.Event(), threading.Event(), []

    def work():
        with lock:
            reached.set()
            go_on.wait(60)
            left.append(True)

    def goes_on():
        with lock:
            return left and compiles(made(12), 12)

    thread = threading.Thread(target=work)
    thread.start()
    assert reached.wait(60)
    threading.Timer(0.2, go_on.set).start()
    assert in_child(goes_on)
    thread.join()
    with lock:
        assert compiles(made(13), 13)


BEGIN = """
    import os, signal, sys, threading, time, warnings
    import pijit
    warnings.simplefilter("ignore")
    def f(n):
        s = 0.0
        for i in range(n):
            s = s + i
        return s
"""

FIRST = BEGIN + """
    def g(n):
        s = 1.0
        for i in range(n):
            s = s + i * 2
        return s
    f, g = pijit.jit(f), pijit.jit(g)
    thread = threading.Thread(target=f, args=(10,))
    thread.start()
    while "llvmlite" not in sys.modules:
        time.sleep(0.001)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if g(10) == 91.0 and pijit.stats(g).compiles else 1)
    thread.join()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or f(10) != 45.0)
"""


def test_a_fork_in_the_middle_of_the_first_compilation():
    """Which imports the compiler: the locks of half imported modules would stay locked."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(FIRST)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


IMPORTING = BEGIN + """
    def first():
        {first}
    thread = threading.Thread(target=first)
    thread.start()
    while {module!r} not in sys.modules:
        time.sleep(0.0001)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        first()
        os._exit(0 if pijit.jit(f)(10) == 45.0 else 1)
    thread.join()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize(
    ("first", "module"),
    [
        ("pijit.jit(f)", "pijit.ir"),
        ("pijit.jit(f)", "pijit.runtime.entries"),
        ("pijit.enable()", "pijit.runtime.entries"),
        ("pijit.stats(f)", "pijit.runtime.records"),
        ("pijit.explain(f, 3)", "pijit.reports.function"),
        ("pijit.verify(f, 3)", "pijit.reports.verify"),
    ],
)
def test_a_fork_in_the_middle_of_an_import_of_ours(first, module):
    """By a thread that does not compile."""
    source = textwrap.dedent(IMPORTING).format(first=first, module=module)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_imports_may_wait_for_the_thread_that_forks(monkeypatch):
    """For the lock of imports, say. The fork goes on, and so does the child, which compiles nothing."""
    monkeypatch.setattr(forks, "_LONGEST", 0.1)
    imports, forked = threading.Event(), threading.Event()

    def work():
        with forks.importing("pijit.one"):
            imports.set()
            assert forked.wait(60)

    def goes_on():
        with forks.importing("pijit.other"):
            return not compiles(made(15), 15)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert imports.wait(60)
        assert in_child(goes_on)
    finally:
        forked.set()
        thread.join()
    assert in_child(lambda: compiles(made(16), 16))


def test_forks_at_any_moment():
    """A thread compiles one function after the other; each child does so too."""
    end, numbers = threading.Event(), iter(range(100, 10**6))

    def work():
        while not end.is_set():
            made(next(numbers))(10)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for turn in range(8):
            time.sleep(0.003 * turn)
            assert in_child(lambda: all(compiles(made(k), k) for k in (20, 21)))  # ones that the parent has not compiled
    finally:
        end.set()
        thread.join()


def test_threads_that_compile_at_once_and_the_programs_warnings():
    """A change of the filters counts, also while others compile and after they have."""
    plain, order = warnings._filters_mutated, threading.Semaphore(0)
    events = [threading.Event() for _ in range(2)]

    def work(event):
        with warnings_remembered():
            order.release()
            event.wait(60)

    threads = [threading.Thread(target=work, args=(event,)) for event in events]
    for thread in threads:
        thread.start()
        assert order.acquire(timeout=60)
    shown = []
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *rest: shown.append(str(message))
        for k in range(4):
            if k in (1, 2):
                events[k - 1].set()
                threads[k - 1].join()
            warnings.simplefilter("once")
            warnings.simplefilter("default")
            exec("import warnings\nfor _ in range(3): warnings.warn('again')", {"__name__": "subject", "__warningregistry__": REGISTRY})
    assert shown == ["again"] * 4
    assert warnings._filters_mutated is plain


REGISTRY = {}
