"""Every row of the registry of reasons is reached by a small program, with its id, title and detail."""

from __future__ import annotations

import warnings
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
    n = 1


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
    "store_target": Case("PJ127", "assignment to something that is not supported", "store into dict", f("x['a'] = 1\nreturn 2.0"), (({},),)),
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
