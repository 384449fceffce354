"""Recursion, C stack, generators, threads, signals, fork."""

import _thread
import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import native_code as nc
import native_programs as programs
import pytest
from test_native_entries import attach_everywhere, fresh
from threads import in_threads

from pijit import _native


def own(function):
    function.__code__ = function.__code__.replace()
    return function


def depth_reached(f, *args):
    try:
        f(0, *args)
    except RecursionError as e:
        return str(e)
    return None


@pytest.mark.parametrize("mode", ["delegated", "clone", "fragment"])
def test_recursion_limit(mode):
    top = [0]

    def f(k):
        top[0] = k
        f(k + 1)

    own(f)
    _native.uninstall()
    message = depth_reached(f)
    expected = top[0]
    _native.install()
    if mode == "clone":
        attach_everywhere(f.__code__)
    if mode == "fragment":
        state = _native.attach(f.__code__, None, "on")
        pc = nc.start_pc(f.__code__)
        state.set_entries([(pc, "start", pc, 0, 1 << 40)])
        state.add_fragment(pc, nc.fragment(nc.always(0), [], [("redo", [(None, pc, {}, [])], [], None)]))
    for _ in range(3):
        assert depth_reached(f) == message
        assert abs(top[0] - expected) <= 3


START = """
import sys
sys.path[:0] = {path!r}
"""
RUN = START + """
import threading
import native_code as nc
from test_native_entries import attach_everywhere
from pijit import _native
_native.set_callbacks(on_entry=lambda *_: -1)
_native.install()
"""


def run(source, start=RUN, **kw):
    here = os.path.dirname(os.path.abspath(__file__))
    text = start.format(path=[here, os.path.dirname(os.path.dirname(here))]) + textwrap.dedent(source)
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", text], capture_output=True, text=True, timeout=120, **kw)


@pytest.mark.parametrize("mode", ["delegated", "clone"])
@pytest.mark.parametrize("thread", [False, True])
def test_deep_recursion_does_not_crash(mode, thread):
    done = run(f"""
        sys.setrecursionlimit(50000)
        top = 0
        def f(k, end):
            global top
            top = k
            return 0 if k == end else f(k + 1, end) + 1
        if {mode!r} == "clone":
            attach_everywhere(f.__code__)
        def go():
            print(f(0, 45000))
            try:
                f(0, 10**9)
            except RecursionError as e:
                print(e, 49900 < top < 50000)
            print(f(0, 100), _native.counters()["delegated_deep"] > 0, _native.installed())
        if {thread}:
            threading.stack_size(1 << 20)
            t = threading.Thread(target=go)
            t.start(); t.join()
        else:
            go()
        """)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == ["45000", "maximum recursion depth exceeded True", "100 True True"]


@pytest.mark.parametrize("mode", ["delegated", "clone"])
def test_deep_recursion_through_c(mode):
    """Slots and builtins use the C stack in plain Python too: it ends in a RecursionError there and here."""
    done = run(f"""
        sys.setrecursionlimit(3000 if sys.version_info < (3, 12) else 10**6)
        class A:
            def __getitem__(self, k):
                return self[k + 1]
        def f(k):
            return max([k], key=lambda x: f(x + 1))
        def deep(k):
            return deep(k - 1) if k else A()[0]
        if {mode!r} == "clone":
            for g in (A.__getitem__, f, deep):
                attach_everywhere(g.__code__)
        for call in (lambda: A()[0], lambda: f(0), lambda: deep(12000 if sys.version_info >= (3, 12) else 1000)):
            try:
                call()
            except RecursionError as e:
                print("RecursionError")
        """)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["RecursionError"] * 3


@pytest.mark.parametrize("again", [False, True])
def test_deep_recursion_of_what_c_calls(again):
    """Functions that reach pijit by a vectorcall of their own, at every depth; twice at each: the second time they are ordinary ones again."""
    done = run(f"""
        import pijit
        sys.setrecursionlimit(3000 if sys.version_info < (3, 12) else 10**6)
        def f(k):
            try:
                return list(map(f, [k + 1]))
            except RecursionError:
                if {again} and k % 50 == 0:
                    list(map(g, [k + 1]))
                raise
        def g(k):
            return list(map(g, [k + 1]))
        pijit.enable(sys.modules["__main__"])
        for call in (f, g, f):
            try:
                call(1)
            except RecursionError as e:
                print("RecursionError")
        """, START)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["RecursionError"] * 3


def test_generators_are_delegated():
    def gen(n):
        for i in range(n):
            got = yield i
            if got:
                yield got

    state = _native.attach(gen.__code__, None, "on")
    assert state.mode == "off"
    before = _native.counters()["delegated_off"]
    g = gen(3)
    assert [next(g), g.send("a"), next(g)] == [0, "a", 1]
    with pytest.raises(KeyError):
        g.throw(KeyError("k"))
    assert _native.counters()["delegated_off"] > before


def test_on_frame_never_sees_generators():
    seen = []
    space = {"__name__": "m"}
    _native.set_callbacks(on_frame=lambda code, globals_: seen.append(code.co_name))
    _native.watch_globals(space)
    try:
        exec("def f(): return list(g())\ndef g():\n    yield 1\nasync def h(): pass\nf(); f()\ntry: h().send(None)\nexcept StopIteration: pass", space)
    finally:
        _native.unwatch_globals(space)
    assert seen == ["<module>", "f"]


def counting_loop():
    def f(n):
        k = 0
        for i in range(n):
            k += 1
        return k

    own(f)
    ((jump, target),) = nc.jumps_back(f.__code__)
    state = _native.attach(f.__code__, None, "on")
    state.set_entries([(jump, "jump", target, 1, 1 << 40)])

    def write(c):
        loop, leave = c.block(), c.block()
        c.b.branch(loop)
        c.b.position_at_end(loop)
        c.b.cbranch(c.poll(), leave, loop)
        c.b.position_at_end(leave)
        c.exit(0)

    # a native loop that never ends by itself
    state.add_fragment(target, nc.fragment(nc.native(write), [], [("poll", [(None, target, {}, [("keep",)])], [], None)]))
    return f


def test_interrupt_reaches_a_native_loop():
    f = counting_loop()
    for _ in range(3):
        start = []

        def kick():
            time.sleep(0.1)
            start.append(time.perf_counter())
            _thread.interrupt_main()

        thread = threading.Thread(target=kick)
        thread.start()
        with pytest.raises(KeyboardInterrupt) as info:
            f(10**9)
        assert time.perf_counter() - start[0] < 0.1
        thread.join()
        assert info.traceback[-1].lineno + 1 in range(f.__code__.co_firstlineno, f.__code__.co_firstlineno + 4)


def test_real_signal_and_handler():
    f = counting_loop()
    seen = []

    class Stop(Exception):
        pass

    def handler(number, frame):
        seen.append((number, frame.f_code is f.__code__))
        raise Stop

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Stop):
            f(10**9)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [(signal.SIGALRM, True)]


def test_async_exception_reaches_a_native_loop():
    f = counting_loop()
    out = []

    class Stop(Exception):
        pass

    def work():
        try:
            f(10**9)
        except Stop:
            out.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stop))
    thread.join(20)
    assert out == ["stopped"]


def test_other_threads_run_while_native_code_loops():
    f = counting_loop()

    class Stop(Exception):
        pass

    def work():
        with pytest.raises(Stop):
            f(10**9)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ticks, end = 0, time.time() + 10
    while time.time() < end and ticks < 20:
        ticks += 1
        time.sleep(0.001)
    assert ticks == 20
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stop))
    thread.join(20)
    assert not thread.is_alive()


def test_threads_share_clones():
    functions = [programs.nested_loops, programs.handlers, programs.closures, programs.unpacking, programs.managers]
    others = [fresh(f) for f in functions]
    expected = [f() for f in functions]
    for f in others:
        attach_everywhere(f.__code__, fragments=True)
    wrong = []

    def work(_):
        for _ in range(40):
            for f, e in zip(others, expected, strict=True):
                if f() != e:
                    wrong.append(f)

    in_threads(work, 4)
    assert not wrong


def test_entries_change_under_running_threads():
    other = fresh(programs.nested_loops)
    expected = programs.nested_loops()
    state = _native.attach(other.__code__, None, "on")
    wrong, stop = [], threading.Event()

    def work():
        while not stop.is_set():
            if other() != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for k in range(200):
        attach_everywhere(other.__code__, pick=lambda i, k=k: (i + k) % 3)
        if k % 20 == 0:
            time.sleep(0.002)
    stop.set()
    for t in threads:
        t.join()
    assert not wrong
    assert state is _native.state_of(other.__code__)


def test_fork():
    other = fresh(programs.closures)
    attach_everywhere(other.__code__, fragments=True)
    expected = programs.closures()
    assert other() == expected
    pid = os.fork()
    if pid == 0:
        ok = all(other() == expected for _ in range(20))
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert other() == expected


def test_greenlet_like_switches_are_plain_threads():
    """Frames of several threads leave and enter in any order."""
    barrier = threading.Barrier(3)

    def f(n):
        out = []
        for i in range(n):
            barrier.wait()
            out.append(i)
        return out

    own(f)
    attach_everywhere(f.__code__)
    results = []
    threads = [threading.Thread(target=lambda: results.append(f(30))) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [list(range(30))] * 3


def test_uninstall_while_frames_run_on_clones():
    def inner(k):
        if k == 2:
            _native.uninstall()
        return k

    def f(n):
        out = []
        for i in range(n):
            out.append(inner(i))
        return out

    own(f)
    attach_everywhere(f.__code__)
    assert f(5) == list(range(5))
    assert not _native.installed()
    assert f(5) == list(range(5))
    _native.install()
    assert f(5) == list(range(5))


def test_another_hook_is_not_disturbed():
    assert _native.installed()
    _native.install()
    assert _native.installed()
    _native.uninstall()
    _native.uninstall()
    assert not _native.installed()


def test_finishing_interpreter():
    done = run("""
        import atexit
        def f(n):
            k = 0
            for i in range(n):
                k += i
            return k
        attach_everywhere(f.__code__)
        assert f(10) == 45
        atexit.register(lambda: print(f(10)))
        t = threading.Thread(target=lambda: [f(100) for _ in range(10**6)], daemon=True)
        t.start()
        print("end")
        """)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["end", "45"]
