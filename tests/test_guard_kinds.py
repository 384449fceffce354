"""Every kind of guard row: a call that passes it, a call that fails it, the same answers as plain Python, what was counted and what was said.

A case is a source that defines `f`, the arguments of calls that fit, a statement that changes something, the arguments of the call that does
not fit, and what is said of it. Rows that capture never makes are tested in tests/native/test_native_guards.py."""

from __future__ import annotations

import ctypes
import re
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from differential import describe, settings

import pijit
from pijit.ground import reasons
from pijit.runtime import tiers


class Case(NamedTuple):
    source: str
    good: tuple[Any, ...]
    bad: tuple[Any, ...]
    said: str
    change: str = ""


TWICE = "def f(x):\n    return x + x\n"
STACK = "def f(x):\n    return x * 2 + (print(end='') or 1)\n"
HELPER = "def helper(x, k=2):\n    return x * k\ndef f(x):\n    return helper(x)\n"
ELSEWHERE = """
space = {"k": 2}
exec("def helper(x): return x + k", space)
helper = space["helper"]
def f(x):
    return helper(x)
"""
CLOSURE = """
def make(k):
    def f(x):
        return x * k
    def change(v):
        nonlocal k
        k = v
    return f, change
f, change = make(2)
"""
CELL = CLOSURE.replace("f, change = make(2)", "inner, change = make(2)\ndef f(x):\n    return inner(x)")
MAYBE = """
def f(x, flag):
    if flag:
        y = 1.5
    print(end='')
    s = x
    for i in range(30):
        s = s + (y if i == flag else 1)
    return s
"""
LOOP = "def f(x):\n    s = 0\n    for i in x:\n        print(end='')\n        s = s + i\n    return s\n"
STRICT = LOOP.replace("f(x)", "f(x, strict)").replace("i in x", "i, _ in zip(x, x, strict=strict)")
GLOBALS = "k = 2\ndef f(x):\n    return x * k\n"
MODULE = "import module_of_guards as m\ndef f(x):\n    return x * m.k\n"
CALLED = "import module_of_guards as m\ndef f(x):\n    return m.g(x)\n"
THING = """
class Thing:
    k = 5
    def get(self):
        return 3
class Slotted:
    __slots__ = ("a", "b")
thing, slotted = Thing(), Slotted()
thing.a = slotted.a = 2
def f(x):
    return x * OWNER
"""
ITEMS = "cfg, pair = {'lr': 2}, (1, [2])\ndef f(x):\n    return x * cfg['lr'] + pair[0]\n"
PAIR = "import collections\nPair = collections.namedtuple('Pair', 'a b')\npair = Pair(2, 1)\ndef f(x):\n    return x * pair.a\n"
NO_ITEM = "cfg = {'lr': 2}\ndef f(x):\n    return x * cfg.get('dt', 3)\n"
OPTIONS = "cfg = {'a': 1, 'b': 2}\ndef g(x, **others):\n    return x, [*others]\ndef f(x):\n    return g(x, **cfg)\n"
APART = "steps, log = [abs, float], [None, None]\ndef f(x):\n    for step in steps:\n        log[1] = abs\n        x = step(x)\n    return x\n"
A = np.arange(6.0)
VALUE = "value 0 of the expression being evaluated"

CASES: dict[str, Case] = {
    "local": Case(MAYBE, (1.0, 3), (1.0, 0), "'y' expected a value, got nothing"),
    "unset": Case(MAYBE, (1.0, 0), (1.0, 3), "'y' expected no value, got one"),
    "stack": Case(STACK, (2,), (2.5,), f"'type({VALUE})' expected int, got float"),
    "global": Case(GLOBALS, (1.5,), (1.5,), "'k' expected a value, got nothing", "del k"),
    "builtin": Case("def f(x):\n    return abs(x)\n", (1.5,), (1.5,), "'abs' expected the builtin, got a global of this name",
                    "abs = lambda x: -x"),
    "attr": Case(MODULE, (1.5,), (1.5,), "'module_of_guards.k' expected a value, got nothing", "del m.k"),
    "no_attr": Case(CALLED, (-1.5,), (-1.5,), "'abs' expected no such variable, got one", "m.abs = float"),
    "const": Case(HELPER, (1.5,), (1.5,), "'helper.__code__' expected the code of line 1, got other code",
                  "helper.__code__ = (lambda x, k: x + k).__code__"),
    "globals_of": Case(ELSEWHERE, (1.5,), (1.5,), "expected int, got float", "space['k'] = 2.5"),
    "closure": Case(CLOSURE, (1.5,), (1.5,), "'type(k)' expected int, got float", "change(2.5)"),
    "closed": Case(CELL, (1.5,), (1.5,), "'type(k)' expected int, got float", "change(2.5)"),
    "is": Case(HELPER, (1.5,), (1.5,), "'helper' expected helper, got abs", "helper = abs"),
    "python_function": Case(HELPER, (1.5,), (1.5,), "'helper.__defaults__' expected some, got none", "helper.__defaults__ = None"),
    "part": Case(HELPER, (1.5,), (1.5,), "'helper.__defaults__' expected 2, got 3", "helper.__defaults__ = (3,)"),
    "globals": Case(GLOBALS, (1.5,), (1.5,), "expected the globals of subject, got another module's",
                    "f = type(f)(f.__code__, {'__name__': 'elsewhere', 'k': 3, 'f': f}, 'f')"),
    "errmask": Case(TWICE, (A,), (A,), "'np.geterr()' expected NumPy's error state of that time, got divide=warn, over=ignore",
                    "np.seterr(over='ignore')"),
    "int": Case(TWICE, (1,), (2**70,), "'x' expected an int of at most 64 bits, got one of 71 bits"),
    "float": Case(TWICE, (1.5,), (2,), "'type(x)' expected float, got int"),
    "complex": Case(TWICE, (1j,), (2,), "'type(x)' expected complex, got int"),
    "bool": Case(TWICE, (True,), (2,), "'type(x)' expected bool, got int"),
    "np": Case(TWICE, (np.float32(1),), (np.float64(1),), "'type(x)' expected numpy.float32, got numpy.float64"),
    "array": Case(TWICE, (A,), (A[::2],), "'x.strides' expected those of a C contiguous array, got (16,)"),
    "object": Case("def f(x):\n    return len(x)\n", ([1],), ((1, 2),), "'type(x)' expected list, got tuple"),
    "range_iterator": Case(LOOP, (range(20),), ([1, 2, 3],), f"'type({VALUE})' expected range_iterator, got list_iterator"),
    "iterator": Case(LOOP, ([1, 2, 3] * 9,), ((1, 2, 3) * 9,), f"'type({VALUE})' expected list_iterator, got tuple_iterator"),
    "under": Case(STRICT, ([1, 2, 3] * 9, False), ([1, 2, 3] * 9, True), f"what {VALUE} goes through' expected a value, got nothing"),
    "under_strict": Case(STRICT, ([1, 2, 3] * 9, True), ([1, 2, 3] * 9, False), f"what {VALUE} goes through' expected a value, got nothing"),
    "field": Case(THING.replace("OWNER", "thing.a"), (1.5,), (1.5,), "'type(thing.a)' expected int, got float", "thing.a = 2.5"),
    "no_field": Case(THING.replace("OWNER", "thing.k"), (1.5,), (1.5,), "'thing.k' expected nothing of its own, got something", "thing.k = 7"),
    "member": Case(THING.replace("OWNER", "thing.k"), (1.5,), (1.5,), "expected int, got float", "Thing.k = 2.5"),
    "class": Case(THING.replace("OWNER", "thing.get()"), (1.5,), (1.5,),
                  "'Thing.get' expected Thing.get, got <lambda>", "Thing.get = lambda self: 4"),
    "tuple_item": Case(PAIR, (1.5,), (1.5,), "expected int, got float", "pair = Pair(2.5, 1)"),
    "dict_item": Case(ITEMS, (1.5,), (1.5,), "expected int, got float", "cfg['lr'] = 2.5"),
    "no_item": Case(NO_ITEM, (1.5,), (1.5,), "cfg", "cfg['dt'] = 4"),
    "keys": Case(OPTIONS, (1.5,), (1.5,), "the keys of cfg' expected 'a', 'b', got 'b', 'a'", "cfg = {'b': 1, 'a': 2}"),
    "apart": Case(APART, (-2,), (-2,), "'steps' expected another list than one that is stored to, got the same", "log = steps"),
    "sole": Case(LOOP, (range(20),), (iter(range(20)),), f"{VALUE!r} expected an object that nothing else refers to"),
}  # fmt: skip

# Rows of the names of a module or class body: the names of runs that fit, of one that does not.
BODY = "for k in range(60):\n    total = start + k\n"
BODIES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "name": ({"start": 1}, {}, "'start' expected a value, got nothing"),
    "no_name": ({}, {"start": 2}, "'start' expected no such variable, got one"),
}

# Rows of the result of a call: what NumPy gives is looked at when it returns, and what was not expected is an exit.
UNSTACK = "def f(x):\n    a = np.unstack(x)\n    return a[0] + 1\n"
RESULTS = ("type", "length", "item")

LOOP = "loop"
# A function, what it is called with, the ufunc of which a loop is replaced, and the one that has what comes in its place.
LOOPS = {
    "kernel": ("def f(x):\n    return -x * 2.0 + 1.0\n", A, np.negative, np.positive),
    "inner loop": ("def f(x):\n    return np.exp(x) + x\n", A, np.exp, np.negative),
    "reduction": ("def f(x):\n    return x.sum()\n", A, np.add, np.multiply),
    "accumulation": ("def f(x):\n    return np.cumsum(x)\n", A, np.add, np.multiply),
    "scalar": ("def f(x):\n    return np.sqrt(x) + 1.0\n", np.float64(2.0), np.sqrt, np.negative),
    "in a loop": ("def f(x):\n    s = 0.0\n    for v in x:\n        s += np.sqrt(v)\n    return s\n", A, np.sqrt, np.negative),
}

# The way to the globals that a function stores to: tests/test_removals.py; tests/test_monitoring.py; tests/test_learned.py.
ALWAYS_HOLDS = {"function", "unmonitored", "any"}
NEVER_MADE = {"no_global", "int_value", "no_member"}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    monkeypatch.setitem(sys.modules, "module_of_guards", types.ModuleType("module_of_guards"))
    with np.errstate(), settings(compile_all=True, raise_internal=True):
        yield


def said(caplog):
    return [r.getMessage() for r in caplog.records if r.name == "pijit.guards"]


def outcome(function, *args):
    try:
        return describe(function(*args))
    except Exception as error:
        return type(error), str(error)


def fresh(args):
    """Iterators are used up."""
    return [iter(range(20)) if isinstance(a, type(iter(range(0)))) else a for a in args]


def play(case, prepare, then=lambda function: None):
    """The outcomes of two calls that fit and one that does not."""
    module = vars(sys.modules["module_of_guards"])
    module.pop("abs", None)
    exec("k = 2\ndef g(x):\n    return abs(x)\n", module)
    space: dict[str, Any] = {"__name__": "subject", "np": np}
    exec(compile(case.source, "subject.py", "exec"), space)
    first = space["f"] = prepare(space["f"])
    outcomes = [outcome(first, *fresh(case.good)) for _ in range(2)]
    then(first)
    args = fresh(case.bad)
    with np.errstate():
        exec(case.change, space)
        if space["f"] is not first:
            space["f"] = prepare(space["f"])
        return [*outcomes, outcome(space["f"], *args)], first


@pytest.mark.parametrize("kind", CASES)
def test_kind(kind, caplog):
    case = CASES[kind]
    plain, _ = play(case, lambda function: function)
    pijit.set_logs("guards")

    def before(function):
        record = tiers.record_of(function.__code__)
        assert kind in {row[0] for fragment in record.fragments for row in fragment.rows}
        assert sum(fragment.counts()[0] for fragment in record.fragments) > 0
        assert record.misses == 0
        assert not said(caplog)

    code = []
    native, _ = play(case, pijit.jit, lambda function: (before(function), code.append(function.__code__)))
    assert native == plain
    (line,) = [text for text in said(caplog) if case.said in text]
    assert re.match(r"subject\.py:\d+ ", line)
    assert tiers.record_of(code[0]).misses == len(said(caplog)) > 0


@pytest.mark.parametrize("kind", BODIES)
def test_kind_of_a_body(kind, caplog):
    good, bad, text = BODIES[kind]
    pijit.set_logs("guards")
    code, space = compile(BODY, "subject.py", "exec"), {"__name__": "subject", "start": 5}
    tiers.enable_namespace(space)
    try:
        with settings(threshold_calls=1, threshold_loops=1):
            for names in (dict(good), dict(good), dict(good), dict(bad)):
                assert not said(caplog)
                start = names.get("start", 5)
                exec(code, space, names)
                assert (names["k"], names["total"]) == (59, start + 59)
    finally:
        tiers.disable_namespace(space)
    record = tiers.record_of(code)
    assert kind in {row[0] for row in record.fragments[0].rows}
    assert record.fragments[0].counts()[0] > 0
    assert record.misses == 1
    (line,) = said(caplog)
    assert line.startswith(f"subject.py:1 <module>(): {text}")


def test_kinds_of_a_result():
    space = {"np": np}
    exec(UNSTACK, space)
    f = pijit.jit(space["f"])
    lengths = [2, 5, 3, 2]  # what capture takes as an example has 2, as the first
    for n in lengths:
        assert np.array_equal(f(np.ones((n, 3))), np.full(3, 2.0))
    (fragment,) = tiers.record_of(f.__code__).fragments
    for kind in RESULTS:
        assert f"('{kind}', 0, " in fragment.texts["graph"]
    taken = {exit.reason: n for exit, n in zip(fragment.exits, fragment.counts()[1], strict=True) if n}
    assert taken == {reasons.lookup("call_type").id: 2, "": 2}


def loop_of(ufunc):
    """The place of the loop for floats."""
    number = next(n for n, signature in enumerate(ufunc.types) if set(signature) == set("d->"))
    return ctypes.c_void_p.from_address(ctypes.c_void_p.from_address(id(ufunc) + 32).value + 8 * number)


@pytest.mark.parametrize("name", LOOPS)
def test_loop_of_a_ufunc(name, caplog):
    """C code may put another loop in its place, and put the first one back."""
    source, x, ufunc, other = LOOPS[name]
    space: dict[str, Any] = {"np": np, "__name__": "subject"}
    exec(compile(source, "subject.py", "exec"), space)
    plain = space["f"]
    f = pijit.jit(types.FunctionType(plain.__code__.replace(), space))
    place, loop = loop_of(ufunc), loop_of(ufunc).value
    before = describe(plain(x))
    assert describe(f(x)) == describe(f(x)) == before
    (fragment,) = tiers.record_of(f.__code__).fragments
    assert LOOP in {row[0] for row in fragment.rows}
    pijit.set_logs("guards")
    try:
        place.value = loop_of(other).value
        replaced = describe(plain(x))
        assert [describe(f(x)) for _ in range(3)] == [replaced] * 3 != [before] * 3
        assert any("'a loop of a ufunc' expected NumPy's own, got another" in text for text in said(caplog))
    finally:
        place.value = loop
    runs = fragment.counts()[0]
    assert describe(f(x)) == before
    assert fragment.counts()[0] == runs + 1


def test_every_row_of_the_table_has_a_case():
    table = (Path(__file__).parent.parent / "csrc" / "guards.def").read_text()
    kinds = set(re.findall(r'^GUARD\(\w+, "(\w+)"', table, re.MULTILINE))
    assert kinds == {*CASES, *BODIES, *RESULTS, LOOP} | ALWAYS_HOLDS | NEVER_MADE
    native = (Path(__file__).parent / "native" / "test_native_guards.py").read_text()
    for kind in ALWAYS_HOLDS | NEVER_MADE:
        assert f'("{kind}"' in native, kind
    trace = "".join(file.read_text() for file in (Path(pijit.__file__).parent / "trace").rglob("*.py"))
    for kind in NEVER_MADE:  # one that capture begins to make needs a case
        assert not re.search(rf'(Source\(\(|frame\(|check\(\w+, )"{kind}"', trace), kind
