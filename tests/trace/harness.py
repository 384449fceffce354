"""Traces a function, evaluates the graph with the reference evaluator, and compares with the plain call, bit for bit."""

from __future__ import annotations

import builtins
import copy
import ctypes
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pijit.ir.check import check as check_graph
from pijit.ir.evaluate import Env, rebuild
from pijit.ir.graph import Exit, Value
from pijit.ir.run import run
from pijit.opt.pipeline import Options, optimize
from pijit.pycode.instructions import decode
from pijit.trace.guards import Guards
from pijit.trace.limits import Limits
from pijit.trace.tracer import Capture, Tracer, View

UNSET = object()

# What code generation knows, as far as tests of capture are concerned.
_EXACT = frozenset(
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "true_divide",
        "negative",
        "positive",
        "absolute",
        "sqrt",
        "square",
        "maximum",
        "minimum",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "sign",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "where",
        "cast",
        "logical_and",
        "logical_or",
        "logical_not",
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "copysign",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "invert",
        "fmax",
        "fmin",
    ]
)
_SAMPLES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def _exists(ufunc: str, dtypes: tuple[str, ...]) -> bool:
    if ufunc == "where":
        return True
    if ufunc not in _EXACT or len(set(dtypes[:-1])) != 1:
        return False
    dtype = dtypes[0]
    if ufunc == "cast":
        return "complex" not in dtype
    if dtype not in _SAMPLES:
        return False
    function = getattr(np, ufunc)
    try:
        return bool(function.resolve_dtypes((np.dtype(dtype),) * function.nin + (None,))[0] == dtype)
    except TypeError:
        return False


LIMITS = Limits(elementwise=_exists, scalar=lambda ufunc, dtype: _exists(ufunc, (dtype, dtype)))


def trace(function: Callable[..., Any], *args: Any, limits: Limits = LIMITS) -> Capture:
    """The capture of the function's start for these arguments, checked."""
    code = function.__code__
    slots = decode(code).slots
    locals_ = (*args, *[UNSET] * (len(slots) - len(args)))
    view = View(function, function.__globals__, vars(builtins), None, locals_, (), UNSET)
    capture = Tracer(code, decode(code).start, view, limits).capture()
    check_graph(capture.graph)
    return capture


def operations(capture: Capture) -> list[str]:
    """The names of the graph's operations, in order; a call with what is called."""
    return [
        f"call {getattr(op.attrs['callable'].value, '__name__', '?')}" if op.name == "call" else op.name
        for block in capture.graph.blocks
        for op in block.ops
    ]


# ---- guards ------------------------------------------------------------------------------------------------------------------


def load(guards: Guards, function: Any, locals_: tuple[Any, ...]) -> dict[Value, Any]:
    """Walks the loading rows and gives the graph inputs their objects."""
    registers: list[Any] = []
    found: dict[Value, Any] = {}
    loads: dict[str, Callable[..., Any]] = {
        "local": lambda slot: locals_[slot],
        "global": lambda name: function.__globals__[name],
        "builtin": lambda name: getattr(builtins, name),
        "attr": lambda register, name: getattr(registers[register], name),
        "item": lambda register, index: registers[register][index],
        "const": lambda value: value,
        "function": lambda: function,
        "closure": lambda index: function.__closure__[index].cell_contents,
        "closed": lambda register, index: registers[register].__closure__[index].cell_contents,
        "part": lambda register, name: getattr(registers[register], name),
        "field": lambda register, name: getattr(registers[register], name),
        "member": lambda register, name: getattr(registers[register], name),
        "tuple_item": lambda register, index: tuple.__getitem__(registers[register], index),
        "dict_item": lambda register, key: registers[register][key],
    }
    for row in guards.rows:
        if row[0] in loads:
            registers.append(loads[row[0]](*row[1:]))
        elif len(row) > 2 and isinstance(row[2], Value):
            found[row[2]] = registers[row[1]]
    return found


@dataclass
class Outcome:
    """How the graph was left; ``result`` only for a return."""

    exit: Exit
    env: Env
    result: Any = None

    @property
    def kind(self) -> str:
        return self.exit.kind


def evaluate(capture: Capture, function: Any, *args: Any) -> Outcome:
    """Runs the graph on the arguments."""
    inputs = load(capture.guards, function, args)
    exit, env = run(capture.graph, [inputs[value] for value in capture.graph.inputs])
    result = rebuild(exit.result, env) if exit.kind == "return" and exit.result is not None else None
    return Outcome(exit, env, result)


# ---- comparison --------------------------------------------------------------------------------------------------------------


def same(a: Any, b: Any) -> bool:
    """Whether two objects agree: types, dtypes, shapes and bits (any NaN equals any other)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape or a.flags.writeable != b.flags.writeable:
            return False
        if a.strides != b.strides and a.size and 1 not in a.shape:
            return False
        if a.dtype.kind == "O":
            return all(map(same, a.ravel(), b.ravel()))
        return _bits(a) == _bits(b)
    if isinstance(a, np.generic):
        return bool(a.dtype == b.dtype and _bits(np.asarray(a)) == _bits(np.asarray(b)))
    if isinstance(a, complex):
        return same((a.real, a.imag), (b.real, b.imag))
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def clone(value: Any) -> Any:
    """A copy of its own; an array keeps its strides and flags."""
    if isinstance(value, tuple):
        return tuple(map(clone, value))
    if not isinstance(value, np.ndarray) or value.dtype.kind == "O":
        return copy.deepcopy(value)
    low, high = np.lib.array_utils.byte_bounds(value)
    memory = np.empty(max(high - low, value.itemsize), np.uint8)
    ctypes.memmove(memory.ctypes.data, low, high - low)
    made = np.ndarray(value.shape, value.dtype, memory, value.ctypes.data - low if value.size else 0, value.strides)
    made.flags.writeable = value.flags.writeable
    return made


def _bits(array: np.ndarray[Any, Any]) -> bytes:
    flat = array.copy("C").reshape(-1)
    if flat.dtype.kind in "fc":
        parts = flat.view({8: "f4", 16: "f8"}[flat.itemsize]) if flat.dtype.kind == "c" else flat
        parts[np.isnan(parts)] = np.nan
    return flat.tobytes()


def plain(function: Any, args: tuple[Any, ...]) -> Any:
    """What Python gives, or the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except Exception as error:
            return error


def agree(
    function: Callable[..., Any], *args: Any, others: tuple[tuple[Any, ...], ...] = (), exits: bool | None = False
) -> Capture:
    """Traces for ``args`` and runs for them and for ``others`` (same types), before and after optimisation.

    A return must give what Python gives, and leave the arguments as Python does. exits: False: every run returns; True: every run leaves;
    None: either.
    """
    capture = trace(function, *args)
    for optimised in (False, True):
        if optimised:
            optimize(capture.graph, Options(checked=True))
        for case in (args, *others):
            mine, theirs = clone(case), clone(case)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                outcome = evaluate(capture, function, *mine)
            wanted = plain(function, theirs)
            text = f"{function.__name__}{case}: {outcome.exit.kind} {outcome.exit.reason} {capture.breaks}"
            if outcome.kind == "return":
                assert same(outcome.result, wanted), (
                    f"{text}: {outcome.result!r} ({type(outcome.result)}) instead of {wanted!r} ({type(wanted)})"
                )
                assert same(mine, theirs), f"{text}: arguments {mine} instead of {theirs}"
            assert exits is None or (outcome.kind != "return") == exits, f"{text}, plain {wanted!r}"
    return capture
