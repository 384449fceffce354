"""Every row of the registry of reasons is reached by a small program, with its id, title and detail."""

from __future__ import annotations

import builtins
import contextlib
import signal
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from differential import settings

import pijit
from pijit.ground import reasons
from pijit.runtime import tiers
from pijit.runtime.records import Record


class Case(NamedTuple):
    """A program that defines `f`, and calls of it. ``detail``: of a break; of a guard failure, what is said."""

    id: str
    title: str
    detail: str
    source: str
    calls: tuple[tuple[Any, ...], ...] = ((1.5,),)


def f(body: str, args: str = "x") -> str:
    return f"def f({args}):\n    " + body.replace("\n", "\n    ") + "\n"


A = np.arange(6.0)
LONG = A.astype(np.longdouble)


class Thing:
    def __getattr__(self, name):
        return 1


NESTED = "def make():\n    n = 0.0\n    def f(x):\n        nonlocal n\n        n = n + x\n        return n\n    return f\nf = make()\n"
TYPES = f("s = 0\nfor i in range(9):\n    if i == 1:\n        s = 1.5\n    elif i == 2:\n        s = True\n    elif i == 3:\n"
          "        s = np.float32(1)\n    elif i == 4:\n        s = np.int16(3)\n    elif i == 5:\n        s = np.int8(3)\nreturn s")  # fmt: skip
TWICE = f("return x + x")

# Breaks: the key -> where capture stops.
BREAKS: dict[str, Case] = {
    "opcode": Case("PJ101", "instruction not supported", "STORE_GLOBAL", f("global k\nk = x\nreturn x + k")),
    "generator": Case("PJ102", "generator or coroutine", "g", "def g(x):\n    yield x\n" + f("return next(g(x))")),
    "exception_handling": Case("PJ103", "exception handling", "BEFORE_WITH", f("with np.errstate(all='ignore'):\n    return x + 1")),
    "import": Case("PJ106", "import statement", "IMPORT_NAME", f("import math\nreturn math.sqrt(x)")),
    "definition": Case("PJ107", "function or class defined here", "MAKE_FUNCTION", f("g = lambda y: y + 1\nreturn g(x)")),
    "comprehension": Case("PJ108", "comprehension or container display not supported", "BUILD_MAP", f("return {'a': x}")),
    "unsupported_call": Case("PJ111", "call not supported", "id", f("return id(x) > 0")),
    "call_arguments": Case("PJ112", "arguments of this call not supported", "max with key=", f("return max(x, key=abs)"), (((1, 2),),)),
    "inline_limit": Case("PJ113", "calls nested too deep to inline", "f", f("return x if x < 1 else f(x - 1)")),
    "not_inlinable": Case("PJ114", "function cannot be inlined", "g", "def g(x):\n    return locals()\n" + f("return g(x)")),
    "skipped": Case("PJ116", "function marked with @skip", "g", "import pijit\n@pijit.skip\ndef g(x):\n    return x + x\n" + f("return g(x) + 1")),
    "unsupported_type": Case("PJ121", "value of a type that is not supported", "complex + complex", TWICE, ((1j,),)),
    "unsupported_dtype": Case("PJ122", "array dtype not supported", "ndarray + ndarray", TWICE, ((LONG,),)),
    "array_subclass": Case("PJ123", "subclass of ndarray", "MaskedArray + MaskedArray", TWICE, ((np.ma.ones(3),),)),
    "attribute": Case("PJ126", "attribute access not supported", "a Thing.n", f("return x.n + 1"), ((Thing(),),)),
    "store_target": Case("PJ127", "assignment to something that is not supported", "store into bytearray", f("x[0] = 1\nreturn 2.0"), ((bytearray(2),),)),
    "big_int": Case("PJ128", "integer beyond 64 bits", "int + int", TWICE, ((2**70,),)),
    "iteration": Case("PJ129", "iteration over this object not supported", "dict", f("s = 0\nfor k in x:\n    s = s + 1\nreturn s"), (({1: 2},),)),
    "unbound": Case("PJ133", "variable that may be unbound", "y", f("if x > 9:\n    y = 1\nreturn y")),
    "always_raises": Case("PJ134", "operation that raises", "1 % 0", f("return x + (1 % 0)")),
    "nonlocal_store": Case("PJ135", "assignment to a variable of an enclosing function", "n", NESTED),
}  # fmt: skip

# Exits: the key -> where native code leaves. These have no detail: the line and the kind of exit are on record.
EXITS: dict[str, Case] = {
    "block_limit": Case("PJ104", "too many versions of one place", "redo", TYPES, ((1,),)),
    "return": Case("PJ200", "the function returned", "return", TWICE),
    "int_overflow": Case("PJ201", "integer outgrew 64 bits", "redo", TWICE, ((2**62,),)),
    "index_error": Case("PJ202", "index out of range", "redo", f("return x[k]", "x, k"), ((A, 9),)),
    "zero_division": Case("PJ203", "division by zero", "redo", f("return x / k", "x, k"), ((1.5, 0.0),)),
    "shape_mismatch": Case("PJ204", "shapes do not broadcast", "redo", f("return x + k", "x, k"), ((A, np.ones(4)),)),
    "math_domain": Case("PJ205", "argument outside a math function's domain", "redo", "import math\n" + f("return math.sqrt(x)"), ((-1.5,),)),
    "fp_flags": Case("PJ206", "floating-point flag raised", "redo", f("return 1.0 / x"), ((A,),)),
    "call_raised": Case("PJ207", "called function raised", "raise", f("return np.linalg.inv(x)"), ((np.zeros((2, 2)),),)),
    "call_type": Case("PJ208", "called function returned another type", "continue", f("return np.unstack(x)[0] + 1"), ((np.ones((2, 3)),),)),




    "conversion": Case("PJ217", "number cannot be converted", "redo", f("return int(x)"), ((float("nan"),),)),
    "memory": Case("PJ218", "no memory", "redo", f("return np.empty(x)"), ((2**50,),)),
    "int_too_large": Case("PJ222", "integer too large for this operation", "redo",
                          f("s = 0\nfor i in range(x, x + 3):\n    s = s + 1\nreturn s"), ((2**62 + 5,),)),
    "list_item_type": Case("PJ223", "list item of another type", "redo", f("return x[k] + 1", "x, k"), (([1, 2.5], 0), ([1, 2.5], 1))),
    "short_axis": Case("PJ224", "axis shorter than its slice", "redo", f("return x[1:5] + 1"), ((A,), (A[:3],))),
    "power": Case("PJ225", "power that does not give a plain number", "redo", f("return x ** k", "x, k"), ((2, -1),)),
    "negative_shift": Case("PJ226", "negative shift count", "redo", f("return x >> k", "x, k"), ((1, -1),)),
}  # fmt: skip


def play(case: Case, **space: Any) -> tuple[Any, Record]:
    """Plain and jitted: the same results; the jitted function's record."""
    outcomes, function = [], None
    for prepare in (lambda g: g, pijit.jit):
        names: dict[str, Any] = {"__name__": "subject", "np": np, **space}
        exec(compile(case.source, "subject.py", "exec"), names)
        function = names["f"] = prepare(names["f"])
        outcomes.append([])
        for args in case.calls:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    outcomes[-1].append(repr(function(*args)))
                except Exception as error:
                    outcomes[-1].append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]
    return function, tiers.record_of(function.__code__)


@pytest.fixture(autouse=True)
def everything_is_compiled():
    with settings(compile_all=True, raise_internal=True):
        yield


def row_of(key: str, case: Case) -> reasons.Reason:
    row = reasons.BY_KEY[key]
    assert (row.id, row.title) == (case.id, case.title)
    return row


@pytest.mark.parametrize("key", BREAKS)
def test_break(key):
    case = BREAKS[key]
    row = row_of(key, case)
    function, _ = play(case)
    assert (case.id, case.title, case.detail, row.hint) in {(b.id, b.reason, b.detail, b.hint) for b in pijit.stats(function).breaks}


@pytest.mark.parametrize("key", EXITS)
def test_exit(key):
    case = EXITS[key]
    row_of(key, case)
    _, record = play(case)
    taken = {(e.reason, e.kind) for fragment in record.fragments for e, n in zip(fragment.exits, fragment.counts()[1], strict=True) if n}
    assert (case.id if key != "return" else "", case.detail) in taken


# Guard failures: a program whose last call does not fit, and what is said of it.
K = "k = 2\n" + f("return x * k")
CALLEE = "def g(x, k=2):\n    return x * k\n" + f("return g(x)")
GUARDS: dict[str, tuple[Case, str]] = {
    "guard_type": (Case("PJ301", "other type", "'type(x)' expected float, got int", TWICE, ((1.5,), (1,))), ""),
    "guard_value": (Case("PJ302", "other value", "'m' expected 'a', got 'b'", f("return x + (m == 'a')", "x, m"), ((1.5, "a"), (1.5, "b"))), ""),
    "guard_identity": (Case("PJ303", "other object", "'g' expected g, got abs", CALLEE, ((1.5,),)), "g = abs"),
    "guard_array_dtype": (Case("PJ304", "other dtype", "'x.dtype' expected float64, got float32", TWICE, ((A,), (A.astype("f4"),))), ""),
    "guard_array_ndim": (Case("PJ305", "other number of dimensions", "'x.ndim' expected 1, got 2", TWICE, ((A,), (A.reshape(2, 3),))), ""),
    "guard_array_ones": (Case("PJ306", "other broadcast shape", "'x.shape[0]' expected not 1 (1 broadcasts), got 1", TWICE, ((A,), (A[:1],))), ""),
    "guard_array_order": (Case("PJ307", "other memory order",
                               "'x.strides' expected those of a C contiguous array, got (-8,) for shape (6,)", TWICE, ((A,), (A[::-1],))), ""),
    "guard_array_flags": (Case("PJ308", "other array flags", "'x.flags.writeable' expected True, got False",
                               f("x[0] = 2.0"), ((A.copy(),), (np.frombuffer(bytes(48)),))), ""),
    "guard_missing": (Case("PJ309", "variable missing", "'k' expected a value, got nothing", K), "del k"),
    "guard_present": (Case("PJ310", "variable appeared", "'y' expected no value, got one",
                           f("if m > 0:\n    y = 1.5\nprint(end='')\ns = x\nfor i in range(30):\n    s = s + (y if i == m else 1)\nreturn s", "x, m"),
                           ((1.0, -1), (1.0, -1), (1.0, 3))), ""),
    "guard_int_range": (Case("PJ311", "integer beyond 64 bits", "'x' expected an int of at most 64 bits, got one of 71 bits",
                             TWICE, ((1,), (2**70,))), ""),
    "guard_errstate": (Case("PJ312", "other floating-point error state", "'np.geterr()' expected NumPy's error state of that time, got "
                            "divide=ignore, over=ignore, under=ignore, invalid=ignore", TWICE, ((A,),)), "np.seterr(all='ignore')"),
    "guard_attr": (Case("PJ313", "attribute changed", "'g.__defaults__' expected 2, got 3", CALLEE), "g.__defaults__ = (3,)"),
    "guard_globals": (Case("PJ315", "other globals", "'' expected the globals of subject, got another module's", K),
                      "f = type(f)(f.__code__, {'__name__': 'elsewhere', 'k': 3})"),
}  # fmt: skip


@pytest.mark.parametrize("key", GUARDS)
def test_guard_failure(key):
    case, change = GUARDS[key]
    row = row_of(key, case)
    names: dict[str, Any] = {"__name__": "subject", "np": np}
    exec(compile(case.source, "subject.py", "exec"), names)
    function = names["f"] = pijit.jit(names["f"])
    with np.errstate():
        for args in case.calls:
            with contextlib.suppress(ValueError):  # the read-only array
                function(*args)
        if change:
            exec(change, names)
            again = names["f"] if names["f"] is function else pijit.jit(names["f"])
            try:
                again(*case.calls[-1])
            except NameError:
                assert change == "del k"
    failures = [(r.reason, f"{r.source!r} expected {r.expected}, got {r.got}") for r in tiers.record_of(function.__code__).failures]
    assert (row.id, case.detail) in failures
    assert case.title in {failure.reason for failure in pijit.stats(function).failures}


# ---- rows that need more than a program and calls --------------------------------------------------------------------------


def compiled(source: str, **options: Any) -> Any:
    names: dict[str, Any] = {"__name__": "subject", "np": np}
    exec(compile(source, "subject.py", "exec"), names)
    names["f"] = pijit.jit(names["f"], **options)
    return names


def taken(function: Any) -> set[tuple[str, str]]:
    record = tiers.record_of(function.__code__)
    return {(e.reason, e.kind) for fragment in record.fragments for e, n in zip(fragment.exits, fragment.counts()[1], strict=True) if n}


def events(caplog: Any, channel: str) -> str:
    return "\n".join(r.getMessage() for r in caplog.records if r.name == f"pijit.{channel}")


def graph_limit(caplog: Any) -> None:
    branches = "".join(f"if x > {n}:\n    x = x + 1\nelse:\n    x = x - {n}\nx = x * 2\n" for n in range(6))
    with settings(max_blocks=2):
        names = compiled(f(branches + "return x"))
        names["f"](1.5)
    assert ("PJ105", "redo") in taken(names["f"])


def side_effect(caplog: Any) -> None:
    """Of calls that are not the last step of their instruction, which no instruction of today has: only that the code says so."""
    text = "".join(file.read_text() for file in (Path(pijit.__file__).parent / "trace").rglob("*.py"))
    assert text.count('Break("side_effect"') == 2


def poll(caplog: Any) -> None:
    names = compiled(f("for i in range(10**9):\n    x = x + 1.0\n    if x > 1e300 or done:\n        break\nreturn 0"))
    names["done"] = False
    names["f"].__globals__["done"] = False
    before = signal.signal(signal.SIGPROF, lambda *_: names.update(done=True))
    try:
        signal.setitimer(signal.ITIMER_PROF, 0.2)
        assert names["f"](1.5) == 0
    finally:
        signal.signal(signal.SIGPROF, before)
    assert ("PJ209", "poll") in taken(names["f"])


def source_changed(caplog: Any) -> None:
    """A call of NumPy that runs the user's code: the function that is told of floating-point errors."""
    names = compiled("k = 2\n" + f("y = np.prod(x)\nreturn y * k"))
    with np.errstate(over="call", call=lambda *_: names.update(k=-3)):
        assert names["f"](A + 1) == 1440.0
        assert names["f"](np.full(6, 1e300)) == -np.inf
    assert ("PJ212", "redo") in taken(names["f"])


def read_only(caplog: Any) -> None:
    names = compiled(f("x[0] = 1.0"))
    with pytest.raises(ValueError, match="read-only"):
        names["f"](np.broadcast_to(A, (2, 6)))
    (found,) = pijit.stats(names["f"]).breaks
    assert (found.id, found.reason, found.detail) == ("PJ215", "array is read-only", "store into a read-only array")


def guard_length(caplog: Any) -> None:
    """Lengths are looked at in results only, where a wrong one is an exit (PJ208); the row is for readers of a guard."""
    from pijit.runtime.failures import difference

    found = difference(("length", 0, 3), "pair", (1, 2), object())
    assert (found.id, found.text()) == ("PJ314", "'len(pair)' expected 3, got 2")


def recompiled(caplog: Any) -> None:
    pijit.set_logs("recompiles")
    names = compiled(TWICE)
    names["f"](1.5)
    names["f"](1)
    assert "because 'type(x)' expected float, got int" in events(caplog, "recompiles")
    with settings(stance="fail_on_recompile"), pytest.raises(pijit.CaptureError, match="PJ401 compiled again: 'type\\(x\\)' expected"):
        names["f"](A)


def too_many_versions(caplog: Any) -> None:
    with settings(max_fragments=1):
        names = compiled(TWICE)
        names["f"](1.5)
        names["f"](1)
    assert pijit.stats(names["f"]).gave_up == "PJ402"


def not_worth_it(caplog: Any) -> None:
    pijit.set_logs("perf")
    with settings(compile_all=False):
        names = compiled(f("y = x + 1\nreturn y * 2"))
        for _ in range(1000):
            assert names["f"](2**62) == 2**63 + 2
    assert "PJ404 native code did not pay: not compiled from here" in events(caplog, "perf")


def nothing_to_compile(caplog: Any) -> None:
    pijit.set_logs("perf")
    names = compiled(f("raise ValueError"))
    with pytest.raises(ValueError):
        names["f"](1)
    assert "PJ405 nothing to compile here: not compiled from here" in events(caplog, "perf")


def not_a_python_function(caplog: Any) -> None:
    assert pijit.jit(len) is builtins.len
    assert "jit(len): PJ408 not a Python function; returned as it is" in events(caplog, "breaks")


def suspendable(caplog: Any) -> None:
    def g():
        yield 1

    assert pijit.jit(g) is g
    assert "PJ409 generator or coroutine function; returned as it is" in events(caplog, "breaks")
    with pytest.raises(pijit.CaptureError, match="PJ409 generator or coroutine function"):
        pijit.jit(g, fullgraph=True)


def internal(caplog: Any) -> None:
    from pijit.runtime import driver

    pijit.set_logs("perf")
    with pytest.MonkeyPatch.context() as patch, settings(raise_internal=False):
        patch.setattr(driver, "capture_entry", lambda *_: 1 / 0)
        names = compiled(TWICE)
        assert names["f"](1.5) == 3.0
    assert "PJ901 internal error in pijit: not compiled from here" in events(caplog, "perf")
    tiers.INTERNAL_ERRORS.clear()


OTHERS = {check.__name__: check for check in (
    graph_limit, side_effect, poll, source_changed, read_only, guard_length, recompiled, too_many_versions, not_worth_it,
    nothing_to_compile, not_a_python_function, suspendable, internal,
)}  # fmt: skip


@pytest.mark.parametrize("key", OTHERS)
def test_other(key, caplog):
    OTHERS[key](caplog)


def test_every_row_is_reached():
    assert {*BREAKS, *EXITS, *GUARDS, *OTHERS} == set(reasons.BY_KEY)
    assert not reasons.RETIRED & set(reasons.BY_ID)
