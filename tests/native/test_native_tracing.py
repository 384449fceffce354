"""Tracers, profilers, monitors and debuggers see what they see in plain Python."""

import bdb
import cProfile
import gc
import io
import pdb
import pstats
import sys
import threading
import types

import native_code as nc
import native_programs as programs
import pytest
from test_native_entries import attach_everywhere, fresh

from pijit import _native

PROGRAMS = [programs.nested_loops, programs.handlers, programs.managers, programs.while_loops, programs.closures,
            programs.comprehensions, programs.augmented]  # fmt: skip


def traced(function, how):
    events = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename == programs.__file__:
            events.append((event, frame.f_code.co_name, frame.f_lineno))
            return trace
        return None

    before = getattr(sys, "get" + how[3:])()
    getattr(sys, how)(trace)
    try:
        function()
    finally:
        getattr(sys, how)(before)
    return events


@pytest.mark.parametrize("how", ["settrace", "setprofile"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_switched_on_before(function, how, monkeypatch):
    expected = traced(function, how)
    other = fresh(function)
    attach_everywhere(other.__code__)
    for _ in range(3):
        other()
        assert traced(other, how) == expected
    before = _native.counters()["crossings"]
    other()
    assert _native.counters()["crossings"] > before  # afterwards it runs on clones again


SOURCE = """
def body(switch):
    out = 0
    for i in range(4):
        if i == 2:
            switch()
        out += inner(i)
    while out > 3:
        out -= 2
    return out

def inner(x):
    y = x
    return y + 1
"""


def program(name="traced.py"):
    space = {}
    exec(compile(SOURCE, name, "exec"), space)
    return space


def switched_inside(space, how):
    events = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename == "traced.py":
            events.append((event, frame.f_code.co_name, frame.f_lineno, frame.f_code is space[frame.f_code.co_name].__code__))
            return trace
        return None

    before = getattr(sys, "get" + how[3:])()

    def switch():
        if how == "settrace":
            frame = sys._getframe(1)
            frame.f_trace = trace
        getattr(sys, how)(trace)

    try:
        result = space["body"](switch)
    finally:
        getattr(sys, how)(before)
    return result, events


@pytest.mark.parametrize("how", ["settrace", "setprofile"])
def test_switched_on_inside_a_callee(how):
    expected = switched_inside(program(), how)
    space = program()
    for f in ("body", "inner"):
        attach_everywhere(space[f].__code__)
    for _ in range(3):
        assert switched_inside(space, how) == expected


def test_switched_on_inside_a_call_of_native_code():
    def plain():
        return program()

    expected = switched_inside(plain(), "settrace")
    space = plain()
    body = space["body"]
    code = body.__code__
    state = _native.attach(code, None, "on")
    call = [pc for pc, name, arg, line in nc.instructions(code) if name == "CALL" and line == 6][0]
    (jump, target) = nc.jumps_back(code)[0]
    entries = [(pc, "jump", t, 1, 1) for pc, t in nc.jumps_back(code) if t == target]
    state.set_entries(entries)
    after = nc.next_pc(code, call)
    site = (("object", 2), [], (), [(None, call)], [], 3)

    def write(c):
        r = c.call("pj_call", c.W, 0)
        # ok: return something absurd; it must not come to that, because tracing is on
        zero = c.b.icmp_signed("==", r, c.const(0))
        yes, no = c.block(), c.block()
        c.b.cbranch(zero, yes, no)
        c.b.position_at_end(yes)
        c.exit(1)
        c.b.position_at_end(no)
        c.exit(0)

    # at the loop header after i == 1: as if FOR_ITER had given 2
    i = nc.slot(code, "i")
    fragment = nc.fragment(
        nc.native(write),
        [("local", i), ("int_value", 0, 1), ("local", 0), ("object", 1, 2, types.FunctionType)],
        [("continue", [(None, after, {i: ("const", 2)}, [("iterator", ("const", [3])), ("object", 3)])], [], None),
         ("return", [], [], ("const", "native went on"))],
        [site], roots_start=3, nroots=1)  # fmt: skip
    state.add_fragment(target, fragment)
    result, events = switched_inside(space, "settrace")
    assert result != "native went on"
    assert fragment.exits == [1, 0]
    assert [e[:3] for e in events if e[1] == "inner"] == [e[:3] for e in expected[1] if e[1] == "inner"]


if sys.version_info >= (3, 12):

    def monitored(space, inside, local):
        events, mon = [], sys.monitoring
        mon.use_tool_id(3, "test")
        e = mon.events
        try:
            codes = [space["body"].__code__, space["inner"].__code__]

            def record(name):
                def callback(code, *args):
                    if code.co_filename == "traced.py":
                        events.append((name, code.co_name, args[0] if name == "line" else None))

                return callback

            mon.register_callback(3, e.LINE, record("line"))
            mon.register_callback(3, e.PY_START, record("start"))
            mon.register_callback(3, e.JUMP, record("jump"))

            def switch():
                wanted = e.LINE | e.PY_START | e.JUMP
                if local:
                    for code in codes:
                        mon.set_local_events(3, code, wanted)
                else:
                    mon.set_events(3, wanted)

            if not inside:
                switch()
            result = space["body"](switch if inside else lambda: None)
        finally:
            mon.set_events(3, 0)
            for code in codes:
                mon.set_local_events(3, code, 0)
            mon.free_tool_id(3)
        return result, events

    @pytest.mark.parametrize("inside", [False, True])
    @pytest.mark.parametrize("local", [False, True])
    def test_monitoring(inside, local):
        expected = monitored(program(), inside, local)
        space = program()
        for f in ("body", "inner"):
            attach_everywhere(space[f].__code__)
        for _ in range(3):
            space["body"](lambda: None)
            assert monitored(space, inside, local) == expected


def debugged(space, commands):
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO(commands), stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False

    def switch():
        debugger.set_trace(sys._getframe(1))

    try:
        result = space["body"](switch)
    except bdb.BdbQuit:
        result = "quit"
    return result, [line for line in out.getvalue().splitlines() if "traced.py" in line or line.startswith("(Pdb)")]


@pytest.mark.parametrize("commands", ["n\nn\ns\nn\np x\nup\np i\nc\n", "n\nn\nw\nq\n", "unt\nr\nc\n", "b 9\nc\np out\nc\nc\nc\n"])
def test_pdb_in_a_callee(commands):
    before = sys.gettrace()
    gc.collect()
    gc.disable()  # pdb would step into the finalizers of what other tests have left
    try:
        expected = debugged(program(), commands)
        sys.settrace(before)
        space = program()
        for f in ("body", "inner"):
            attach_everywhere(space[f].__code__)
        assert debugged(space, commands) == expected
        sys.settrace(before)
        assert debugged(space, commands) == expected
    finally:
        sys.settrace(before)
        gc.enable()


def test_cprofile_counts():
    def counts(function):
        p = cProfile.Profile()
        p.runcall(function)
        return {k[2]: v[:2] for k, v in pstats.Stats(p).stats.items() if k[0] == programs.__file__}

    expected = counts(programs.closures)
    other = fresh(programs.closures)
    attach_everywhere(other.__code__)
    other()
    assert counts(other) == expected


def test_cprofile_enabled_inside():
    def run(space):
        p = cProfile.Profile()
        space["body"](p.enable)
        p.disable()
        return {k[2]: v[:2] for k, v in pstats.Stats(p).stats.items() if k[0] == "traced.py"}

    expected = run(program())
    space = program()
    for f in ("body", "inner"):
        attach_everywhere(space[f].__code__)
    assert run(space) == expected
    assert run(space) == expected


def test_tracing_of_one_thread_leaves_others_right():
    other = fresh(programs.nested_loops)
    attach_everywhere(other.__code__)
    expected, results, stop = programs.nested_loops(), [], threading.Event()

    def work():
        while not stop.is_set():
            results.append(other() == expected)

    thread = threading.Thread(target=work)
    thread.start()
    before = sys.gettrace()
    for _ in range(200):
        sys.settrace(lambda *a: None)
        other()
        sys.settrace(before)
    stop.set()
    thread.join()
    assert all(results)
    assert results


async def _ticks(n):
    for i in range(n):
        yield i


async def _consume():
    out = []
    async for i in _ticks(3):
        out.append(len([i]))
    return out


def run_async():
    try:
        _consume().send(None)
    except StopIteration as e:
        return e.value


def events_of(function):
    events = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename == __file__:
            events.append((event, frame.f_code.co_name, frame.f_lineno))
            return trace
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return events


def test_the_hook_is_out_while_somebody_traces():
    """CPython's events under any installed hook are not those without one."""
    _native.uninstall()
    expected = events_of(run_async)
    _native.install()
    assert events_of(run_async) == expected
    assert _native.installed()
    before = _native.counters()["delegated_plain"]
    run_async()
    assert _native.counters()["delegated_plain"] > before  # it is in again


def interpreters():
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    return pytest.importorskip(name)


def test_other_interpreters_trace_for_themselves():
    """They may run at the same time: what they trace is no reason to touch this one's clones."""
    module, source = interpreters(), "import sys; sys.settrace(print); sys.settrace(None); sys._getframe().f_trace = None"
    other = module.create()
    try:
        function = fresh(programs.nested_loops)
        attach_everywhere(function.__code__)
        function()
        before = _native.counters()["clones"]
        module.run_string(other, source)
        function()
        assert _native.counters()["clones"] == before
    finally:
        module.destroy(other)


if sys.version_info >= (3, 12):

    def test_calls_are_counted_as_without_a_hook():
        def work():
            return [len("a"), run_async(), max(1, 2)]

        def count():
            mon, seen = sys.monitoring, []
            mon.use_tool_id(3, "test")
            mon.register_callback(3, mon.events.C_RETURN, lambda *args: seen.append(args[2]))
            mon.set_events(3, mon.events.CALL)
            try:
                work()
            finally:
                mon.set_events(3, 0)
                mon.register_callback(3, mon.events.C_RETURN, None)
                mon.free_tool_id(3)
            return len(seen)

        _native.uninstall()
        expected = count()
        _native.install()
        assert count() == expected
        before = _native.counters()["delegated_plain"]
        run_async()
        assert _native.counters()["delegated_plain"] > before
