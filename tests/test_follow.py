"""What is enabled is met whichever way it is called, and what is not compiled is called as without pijit (csrc/follow.c, 3.12+; on 3.11
there is the hook)."""

from __future__ import annotations

import dis
import functools
import gc
import io
import subprocess
import sys
import types

import pytest
from threads import in_threads

import pijit
from pijit import _native
from pijit.runtime import tiers

OWN_CALLS = pytest.mark.skipif(not _native.OWN_CALLS, reason="3.11: a vectorcall of its own needs the hook")

SOURCE = """
def loop(n):
    s = 0
    for i in range(n):
        s += i * 3 % 7
    return s

class Box:
    def __init__(self, n):
        self.n = n
    def method(self):
        s = 0
        for i in range(self.n):
            s += i * 3 % 7
        return s
    @property
    def value(self):
        s = 0
        for i in range(self.n):
            s += i * 3 % 7
        return s
    @staticmethod
    def static(n):
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s
    @classmethod
    def of(cls, n):
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s
    def __getitem__(self, n):
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s
    def __call__(self, *, n):
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s
    def __add__(self, n):
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s

def outer(n):
    def inner():
        s = 0
        for i in range(n):
            s += i * 3 % 7
        return s
    return inner()

def given(n, *more, step=3, **rest):
    s = 0
    for i in range(n):
        s += i * step % 7
    return s
"""

EXPECTED = sum(i * 3 % 7 for i in range(5000))

CALLS = {
    "a function": ("m.loop(5000)", "m.loop"),
    "a method": ("m.Box(5000).method()", "m.Box.method"),
    "a property": ("m.Box(5000).value", "m.Box.value.fget"),
    "a static method": ("m.Box.static(5000)", "m.Box.static"),
    "a class method": ("m.Box.of(5000)", "m.Box.of.__func__"),
    "a subscript": ("m.Box(1)[5000]", "m.Box.__getitem__"),
    "an instance": ("m.Box(1)(n=5000)", "m.Box.__call__"),
    "an operator": ("m.Box(1) + 5000", "m.Box.__add__"),
    "an inner function": ("m.outer(5000)", "m.outer.__code__.co_consts[1]"),
    "keywords and more": ("m.given(*[5000, 1, 2], step=3, other=4)", "m.given"),
    "a partial": ("functools.partial(m.loop, 5000)()", "m.loop"),
    "map": ("list(map(m.loop, [5000]))[0]", "m.loop"),
}


def module(source=SOURCE):
    made = types.ModuleType("followed")
    exec(compile(source, "followed.py", "exec"), vars(made))
    return made


def hits(function):
    code = function if isinstance(function, types.CodeType) else function.__code__
    record = tiers.record_of(code)
    return 0 if record is None else sum(fragment.counts()[0] for fragment in record.fragments)


def specialised(caller):
    listing = io.StringIO()
    dis.dis(caller, file=listing, adaptive=True)
    return "CALL_PY_EXACT_ARGS" in listing.getvalue()


def call(text, m):
    """As a line of code that is run many times, and so specialised."""
    space = {"m": m, "functools": functools}
    exec(f"def run(times):\n    for _ in range(times):\n        got = {text}\n    return got\n", space)
    return space["run"]


@pytest.mark.parametrize("before", [False, True], ids=["made afterwards", "made before"])
@pytest.mark.parametrize("name", CALLS)
def test_met_whichever_way_it_is_called(name, before):
    text, function = CALLS[name]
    if before:
        m = module()
        run = call(text, m)
        assert run(50) == EXPECTED  # the call has been specialised already
        pijit.enable("follow*")
        pijit.enable(m)
    else:
        pijit.enable("follow*")
        m = module()
        run = call(text, m)
    assert run(50) == EXPECTED
    assert hits(eval(function, {"m": m})) > 0


@pytest.mark.parametrize("body", ["module", "class"])
def test_bodies_are_met(body):
    lines = ["s = 0", "for i in range(5000):", "    s += i * 3 % 7"]
    source = "\n".join(lines) if body == "module" else "class Body:\n    " + "\n    ".join(lines) + "\ns = Body.s"
    code = compile(source, "followed.py", "exec")
    pijit.enable("follow*")
    space = {"__name__": "followed"}
    for _ in range(4):
        exec(code, space)
    assert space["s"] == EXPECTED
    assert hits(code if body == "module" else code.co_consts[0]) > 0


def test_a_body_that_never_comes_is_not_waited_for():
    """The hook is in place for it, and would stay."""
    pijit.enable("follow*")
    m = module(SOURCE + "\ndef never():\n    class Body(1 / 0):\n        pass\n")
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            m.never()
    for _ in range(3000):
        m.loop(2)
    m.loop(5000)
    assert m.loop(5000) == EXPECTED
    assert hits(m.loop) > 0


def test_what_gets_hot_late_is_compiled():
    """After a hundred thousand calls of other functions and a few of its own, one long call."""
    pijit.enable("follow*")
    m = module(SOURCE + "\ndef other(x):\n    return x\ndef many(n):\n    for i in range(n):\n        other(i)\n")
    m.loop(1)
    for _ in range(100):
        m.many(1000)
    assert m.loop(100_000) == sum(i * 3 % 7 for i in range(100_000))
    assert hits(m.loop) > 0


BOTH = """
def plain(x):
    return id(x)

def hot(n):
    s = 0
    for i in range(n):
        s += i * 3 % 7
    return s

def caller(n):
    for _ in range(n):
        plain("a")

def hot_caller(n):
    for _ in range(n):
        hot(9)
"""


@OWN_CALLS
def test_what_is_not_compiled_is_called_as_without_pijit():
    with pijit.enabled("follow*"):
        m = module(BOTH)
        hot = call("m.hot(5000)", m)
        hot(20)
        assert hits(m.hot) > 0
        assert _native.installed()
        m.caller(20_000)
        m.caller(1)
        assert specialised(m.caller)
        before = hits(m.hot)
        hot(20)
        assert hits(m.hot) >= before + 20


@OWN_CALLS
def test_disable_gives_calls_back():
    pijit.enable("follow*")
    m = module(BOTH)
    for _ in range(20):
        m.hot(5000)
    m.hot_caller(2000)
    assert hits(m.hot) > 0
    assert not specialised(m.hot_caller)
    pijit.disable()
    assert not _native.installed()
    m.hot_caller(2000)
    assert specialised(m.hot_caller)
    before = hits(m.hot)
    m.hot(5000)
    assert hits(m.hot) == before
    pijit.enable("follow*")
    pijit.enable(m)
    m.hot(5000)
    assert hits(m.hot) > before


RARELY = """
EMPTY = set()  # of which native code knows nothing

def f(x):
    if id(x) < 0:
        for c in x:
            pass
    return x

def caller(n):
    for _ in range(n):
        f(EMPTY)
"""


@OWN_CALLS
def test_a_loop_that_is_never_reached_costs_nothing_for_long():
    pijit.enable("follow*")
    m = module(RARELY)
    m.caller(70_000)
    m.caller(2000)
    assert specialised(m.caller)


def test_code_that_is_replaced():
    pijit.enable("follow*")
    m = module(SOURCE + "\ndef other(n):\n    return n + 1\n")
    run = call("m.loop(5000)", m)
    assert run(20) == EXPECTED
    first, m.loop.__code__ = m.loop.__code__, m.other.__code__
    assert run(20) == 5001
    before = hits(first)
    m.loop.__code__ = first
    assert run(20) == EXPECTED
    assert hits(first) > before


@OWN_CALLS
def test_calls_are_specialised_for_one_function_only():
    """Functions of the same code may differ in their defaults, and a specialised call takes what it was specialised for."""
    source = "def f(x, y=1, z=2):\n    return x.strip(), y, z\ndef caller(f, n):\n    for _ in range(n):\n        got = f('')\n    return got\n"
    pijit.enable("follow*")
    m = module(source)
    for _ in range(3):
        assert m.caller(m.f, 5000) == ("", 1, 2)
        other = types.FunctionType(m.f.__code__, vars(m), "f", (5,))
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
            m.caller(other, 50)
        other = types.FunctionType(m.f.__code__, vars(m), "f", (3, 4))
        assert m.caller(other, 5000) == ("", 3, 4)
        other.__defaults__ = None
        with pytest.raises(TypeError, match="missing 2 required positional arguments"):
            m.caller(other, 50)
        with pijit.set_stance("eager"):  # all have the interpreter's own calls for a while
            assert m.caller(m.f, 5000) == ("", 1, 2)
            with pytest.raises(TypeError, match="missing 2 required positional arguments"):
                m.caller(other, 50)


def test_functions_come_and_go():
    """Those that are followed are known only while they are there."""
    pijit.enable("follow*")
    m = module("def make(n):\n    for i in range(n):\n        def f(x):\n            return [x]\n        f(i)\n")
    m.make(1000)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(20):
        m.make(1000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000
    with pijit.set_stance("eager"):  # those that are gone are not touched
        m.make(10)
    m.make(10)


def deep(f, limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        return f(0)
    except RecursionError as error:
        return str(error)
    finally:
        sys.setrecursionlimit(before)


DEEP = """
depth = 0
def f(n):
    global depth
    depth = n
    return f(n + 1)
"""


@OWN_CALLS
@pytest.mark.parametrize("limit", [600, 5000, 60_000])
def test_recursion_as_in_plain_python(limit):
    plain = module(DEEP)
    expected = deep(plain.f, limit), plain.depth
    pijit.enable("follow*")
    for _ in range(3):
        followed = module(DEEP)
        for _ in range(3):
            assert (deep(followed.f, limit), followed.depth) == expected


@OWN_CALLS
def test_monitoring_sees_the_calls_of_plain_python():
    source = "def f(x):\n    return [x]\ndef g():\n    return [f(1), len('a'), f(x=2), max(1, 2)]\n"

    def count(m):
        monitoring, seen = sys.monitoring, []
        events = monitoring.events
        monitoring.use_tool_id(3, "test")
        for event in (events.C_RETURN, events.CALL, events.PY_START):
            monitoring.register_callback(3, event, lambda *args, event=event: seen.append(event))
        monitoring.set_events(3, events.CALL | events.PY_START)
        try:
            m.g()
        finally:
            monitoring.set_events(3, 0)
            for event in (events.C_RETURN, events.CALL, events.PY_START):
                monitoring.register_callback(3, event, None)
            monitoring.free_tool_id(3)
        return seen

    expected = count(module(source))
    pijit.enable("follow*")
    m = module(source)
    assert count(m) == expected
    m.g()
    assert count(m) == expected
    m = module(BOTH)
    run = call("m.hot(5000)", m)
    run(20)
    assert hits(m.hot) > 0  # followed again, once nobody looks


def test_threads():
    pijit.enable("follow*")
    m = module()
    wrong = []

    def work(_):
        for i in range(200):
            box = m.Box(i)
            if box.method() != box.value or m.outer(i) != m.loop(i):
                wrong.append(i)

    in_threads(work, 4)
    assert not wrong
    assert hits(m.loop) > 0


def test_everything_from_the_first_call_on(tmp_path):
    """With thresholds of one nothing is missed."""
    script = tmp_path / "followed.py"
    script.write_text(
        "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
        "from operator import call\ntotal = 0\nfor k in range(100):\n    total += k\ncall(f, 10)\ncall(f, 10)\n"
        "import sys\nfrom pijit.runtime import tiers\n"
        "for code in (f.__code__, sys._getframe().f_code):\n    print(sum(x.counts()[0] for x in tiers.record_of(code).fragments) > 0)\n"
    )
    command = [sys.executable, "-m", "pijit", "run", "--everything", "--threshold", "1", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"], done.stderr
