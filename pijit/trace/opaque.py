"""Calls of NumPy (and other pure callables) as they are, from inside a fragment.

The type of the result is found by calling the function on small stand-ins of the same types ("numpy itself is the type rule"); at run time
it is checked, and an unexpected one is an exit.
"""

from __future__ import annotations

import operator
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import class_name, is_a, module_of, name_of, package_of, short
from ..ir.graph import Box, Const, Exit, Op, Recipe, Value, const
from ..ir.graph import Known as KnownRecipe
from ..ir.types import BOOL, FLOAT, INT, OBJECT, Array, Np, Obj
from ..ir.types import Scalar as ScalarType
from .frames import function_recipe, snapshot, stored_names
from .guards import Guards
from .inputs import array_type, is_constant, is_native, native_dtype
from .sources import Source
from .values import (
    Abstract,
    ArrayValue,
    Break,
    Container,
    Known,
    Opaque,
    Scalar,
    items_of,
    kind_of,
    unsupported,
    value_of,
)

if TYPE_CHECKING:
    from .tracer import Tracer

_RESULT = Source(("result",), "the result")
_PYTHON = {bool: BOOL, int: INT, float: FLOAT}
_NO_SAMPLE = object()
_ACTUAL, _LONG = -1, 200  # stand-ins with the lengths that there are; the longest of those
_NUMBERS = frozenset({"int", "float", "bool", "np", "known"})


def call_pure(t: Tracer, function: Any, args: list[Abstract], kwargs: dict[str, Abstract], sample: Any = _NO_SAMPLE) -> Abstract:
    """Calls a function without visible effects. ``sample``: an object like the result, where stand-ins cannot give one."""
    if "out" in kwargs and not t.last_micro:
        raise Break("side_effect", f"{_name(function)} with out=")
    if sample is _NO_SAMPLE:
        sample = sample_result(t, function, args, kwargs)
    result = _call(t, function, args, kwargs, sample)
    if isinstance(result, Opaque):
        t.samples[result.value] = sample
    return result


def record_item(t: Tracer, owner: Abstract, index: int) -> Abstract | None:
    """Item ``index`` of a named tuple that a NumPy function gave; None when it is no such thing."""
    sample = record(t, owner)
    if sample is None or not -len(sample) <= index < len(sample):
        return None
    return call_pure(t, operator.getitem, [owner, Known(index)], {}, sample=sample[index])


def record(t: Tracer, owner: Abstract) -> Any:
    """A named tuple like the one that a NumPy function gave, else None."""
    sample = t.samples.get(owner.value) if isinstance(owner, Opaque) else None
    return sample if is_a(sample, tuple) and module_of(type(sample)).startswith("numpy.") else None


def call_for_effect(t: Tracer, function: Any, args: list[Abstract], kwargs: dict[str, Abstract] | None = None) -> None:
    """Calls a function that writes into its arguments; its result is not used."""
    _call(t, function, args, kwargs or {}, _NO_SAMPLE)


def _call(t: Tracer, function: Any, args: list[Abstract], kwargs: dict[str, Abstract], sample: Any) -> Abstract:
    from .instances import settled

    given = settled(t, *args, *kwargs.values())
    args, kwargs = given[: len(args)], dict(zip(kwargs, given[len(args) :], strict=True))
    arguments = tuple(_escaping(value) for value in given)
    expected = Guards()
    expected.load(_RESULT)
    for column in (expected.rows, expected.texts, expected.names):
        column.clear()
    results: list[Value] = []
    result: Abstract = Known(None) if sample is _NO_SAMPLE else _expect(expected, _RESULT, sample, results)
    boxed = Value(OBJECT)
    raising = [frame.copy() for frame in t.checkpoint]
    exits = {
        "raise": _exit(t, "raise", "call_raised", raising),
        "type": _unexpected(t, boxed, sample is not _NO_SAMPLE),
    }
    chain = tuple(
        (function_recipe(frame, depth, shown=True), frame.bytecode.at(frame.pc).at) for depth, frame in enumerate(t.checkpoint)
    )
    callee = function.recipe() if isinstance(function, Abstract) else KnownRecipe(function)
    attrs = {
        "callable": callee, "arguments": arguments, "keywords": tuple(kwargs), "chain": chain,
        "result_guard": tuple(expected.rows), "boxed": boxed,
    }  # fmt: skip
    values = tuple(v for a in (*args, *kwargs.values()) for v in a.parts() if is_argument(v, arguments))
    op = Op("call", values, (), attrs, exits, t.line)
    for value in results:
        value.op = op
    op.results = tuple(results)
    t.append(op)
    # scalars are worked on without giving way to other threads
    t.ran_python |= any(kind_of(a) not in _NUMBERS for a in (*args, *kwargs.values()))
    return _finish(t, result)


def is_argument(value: Value, arguments: tuple[Recipe, ...]) -> bool:
    from ..ir.graph import recipe_values

    return any(value is v for recipe in arguments for v in recipe_values(recipe))


def _escaping(value: Abstract) -> Recipe:
    return value.recipe()


def _exit(t: Tracer, kind: str, reason: str, frames: list[Any]) -> Exit:
    made = snapshot(frames, t.entry_values)
    if kind == "raise":
        made[-1].pc = frames[-1].bytecode.at(frames[-1].pc).at
    return Exit(kind, reason, made, stored_names(frames[0], t.entry_values))


def _unexpected(t: Tracer, boxed: Value, is_result: bool) -> Exit:
    """Where to go on when the result is of another type: after the instruction with the result pushed, where the call is all that is left
    of the instruction; else the instruction is done again (the call is pure)."""
    if not (is_result and t.last_micro):
        return _exit(t, "redo", "call_type", t.checkpoint)
    frames = [frame.copy() for frame in t.state.frames]
    frames[-1].stack.append(Opaque(boxed, None))
    frames[-1].pc = frames[-1].bytecode.at(frames[-1].pc).next
    return _exit(t, "continue", "call_type", frames)


def look(t: Tracer, owner: Abstract, row: tuple[Any, ...], held: Any, loads: bool = True) -> Abstract:
    """Walks a row on an object in the middle of the fragment, and checks what it loads to be like ``held``."""
    expected = Guards()
    expected.load(_RESULT)
    for column in (expected.rows, expected.texts, expected.names):
        column.clear()
    results: list[Value] = []
    result: Abstract = Known(None)
    source = Source(row, "what it holds", _RESULT)
    if loads and is_constant(held):
        expected.same(source, held)
        result = Known(held)
    elif loads and type(held) is tuple:  # its items are looked at one by one
        results.append(Value(Obj("tuple")))
        expected.object(source, results[0], tuple)
        result = Opaque(results[0], tuple)
    elif loads:
        result = _expect(expected, source, held, results)
    else:
        expected.check(_RESULT, *row, text="as it was")
    attrs = {"arguments": (owner.recipe(),), "result_guard": tuple(expected.rows)}
    op = Op("look", owner.parts(), (), attrs, {"redo": t.exit("redo", "source_changed")}, t.line)
    for value in results:
        value.op = op
    op.results = tuple(results)
    t.append(op)
    if isinstance(result, Opaque):
        t.samples[result.value] = held
    return _finish(t, result)


def like(t: Tracer, value: Value, sample: Any) -> Abstract:
    """The abstract value of an object that is like the sample, or leaves."""
    expected = Guards()
    expected.load(_RESULT)
    for column in (expected.rows, expected.texts, expected.names):
        column.clear()
    results: list[Value] = []
    if type(sample) is tuple:  # it stays the object that it is
        results.append(Value(Obj("tuple")))
        expected.object(_RESULT, results[0], tuple)
        result: Abstract = Opaque(results[0], tuple)
    else:
        result = _expect(expected, _RESULT, sample, results)
    attrs = {"arguments": (Box(value),), "result_guard": tuple(expected.rows)}
    op = Op("look", (value,), (), attrs, {"redo": t.exit("redo", "list_item_type")}, t.line)
    for made in results:
        made.op = op
    op.results = tuple(results)
    t.append(op)
    if isinstance(result, Opaque):
        t.samples[result.value] = sample
    return _finish(t, result)


# ---- what is expected of the result ----------------------------------------------------------------------------------------


def _expect(guards: Guards, source: Source, sample: Any, results: list[Value]) -> Abstract:
    """Guard rows for a result like the sample, and its abstract value."""
    cls = type(sample)
    if sample is None:
        guards.check(source, "is", None, text="the result is None")
        return Known(None)
    if cls in _PYTHON:
        value = Value(_PYTHON[cls])
        guards.scalar(source, value)
        results.append(value)
        return Scalar(value)
    if is_a(sample, np.generic) and native_dtype(sample.dtype) and cls is sample.dtype.type:
        value = Value(Np(sample.dtype.name))
        guards.scalar(source, value)
        results.append(value)
        return Scalar(value)
    if is_native(sample):
        value = Value(array_type(sample))
        guards.array(source, value, sample)
        results.append(value)
        # dims are loaded after the call, see _finish
        return ArrayValue(value, tuple(const(1) if length == 1 else Value(INT) for length in sample.shape))
    if cls is tuple:
        guards.check(source, "type", tuple, text=f"{source.name} is a tuple")
        guards.check(source, "length", len(sample), text=f"{source.name} has {len(sample)} items")
        items = [
            _expect(guards, Source(("item", index), f"{source.name}[{index}]", source), item, results)
            for index, item in enumerate(sample)
        ]
        return Container("tuple", tuple(items))
    value = Value(Obj(class_name(cls)))
    guards.object(source, value, cls)
    results.append(value)
    return Opaque(value, cls)


def _finish(t: Tracer, result: Abstract) -> Abstract:
    """Loads the dims of the arrays in a result."""
    if isinstance(result, ArrayValue):
        dims = [
            dim if not isinstance(dim, Value) or hasattr(dim, "value") else t.emit("dim", (result.value,), INT, axis=axis)
            for axis, dim in enumerate(result.dims)
        ]
        return ArrayValue(result.value, tuple(dims))
    if isinstance(result, Container):
        return Container(result.kind, tuple(_finish(t, item) for item in result.items))
    return result


# ---- stand-ins ---------------------------------------------------------------------------------------------------------------


class _NoStandIn(Exception):
    pass


def sample_result(t: Tracer, function: Callable[..., Any], args: list[Abstract], kwargs: dict[str, Abstract]) -> Any:
    """What the function gives for small objects of the arguments' types.

    Lengths are short in the stand-ins, and equal or longer where they are now; if the function refuses, it is tried with the lengths that there
    are now, then with all lengths equal, also to the constants among its arguments.
    """
    given = (*args, *kwargs.values(), *_inner(args))
    lengths = {actual_length(t, dim) for a in given if isinstance(a, ArrayValue) for dim in a.dims if not isinstance(dim, Const)}
    short = {actual: 5 + place for place, actual in enumerate(sorted(length for length in lengths if length is not None))}
    numbers = [a.value for a in given if isinstance(a, Known)]
    numbers += [dim.value for a in given if isinstance(a, ArrayValue) for dim in a.dims if isinstance(dim, Const)]
    constants = {n for n in numbers if type(n) is int and 1 < n <= 16}
    for length in (None, _ACTUAL, 5, *sorted(constants)):
        maker = _Maker(t, length, short)
        try:
            with np.errstate(all="ignore"), _no_warnings():
                return function(*map(maker.make, args), **{name: maker.make(value) for name, value in kwargs.items()})
        except _NoStandIn as e:
            raise unsupported(f"{_name(function)} with {e}", *args, *kwargs.values(), reason="unsupported_call") from None
        except Exception:  # whatever the function refuses: the interpreter finds out
            continue
    raise unsupported(f"{_name(function)} with arguments like these", *args, *kwargs.values(), reason="unsupported_call")


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Like catch_warnings with an "ignore" filter, but does not make Python forget which of the user's warnings were shown already."""
    row: Any = ("ignore", None, Warning, None, 0)
    filters: list[Any] = warnings.filters  # type: ignore[assignment]
    filters.insert(0, row)
    try:
        yield
    finally:
        filters.remove(row)


def _name(function: Any) -> str:
    name = name_of(function)
    return short(function) if name is None else name.rpartition(".")[2]


_BUILDERS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple, "list": list, "slice": lambda items: slice(*items), "range": lambda items: range(*items),
}  # fmt: skip


class _Maker:
    """``common``: what all lengths that are not known are, or None: as in ``short``, else each another, or _ACTUAL: what they are now, as far
    as is known. ``short``: short lengths for those that there are now."""

    def __init__(self, tracer: Tracer, common: int | None, short: dict[int, int] | None = None) -> None:
        self.tracer, self.common, self.short = tracer, common, short or {}
        self.lengths: dict[Value, int] = {}

    def length(self, dim: Value) -> int:
        if hasattr(dim, "value"):
            return min(int(dim.value), 16)
        if self.common == _ACTUAL:
            actual = actual_length(self.tracer, dim)
            if actual is None or actual > _LONG:
                raise ValueError
            return self.lengths.setdefault(dim, actual)
        if self.common is None:
            actual = actual_length(self.tracer, dim)
            other = 5 + len(self.short) + len(self.lengths)
            return self.lengths.setdefault(dim, other if actual is None else self.short.get(actual, other))
        return self.lengths.setdefault(dim, self.common)

    def make(self, abstract: Abstract) -> Any:
        if isinstance(abstract, Known):
            if _runs_code(abstract.value):
                raise _NoStandIn(f"the function or class {short(abstract.value)}")
            return abstract.value
        if isinstance(abstract, ArrayValue):
            return stand_in(abstract.type, tuple(map(self.length, abstract.dims)))
        value = value_of(abstract)
        if value is not None:
            return self._scalar(value)
        if isinstance(abstract, Opaque) and abstract.cls is list:
            found = self.tracer.samples.get(abstract.value)
            if found is not None and _is_plain(found):
                return found.copy()
        if isinstance(abstract, Container) and abstract.kind in ("tuple", "list", "slice", "range"):
            items = [self.make(item) for item in abstract.items]
            return _BUILDERS[abstract.kind](items)
        if not isinstance(abstract, Opaque):
            raise _NoStandIn(type(abstract).__name__)
        raise _NoStandIn("object" if abstract.cls is None else class_name(abstract.cls, "__name__"))

    def _scalar(self, value: Value) -> Any:
        if value.type == INT:
            if value in self.lengths:
                return self.lengths[value]
            actual = actual_length(self.tracer, value) if self.common == _ACTUAL else None
            if actual is not None and abs(actual) <= _LONG:
                return actual
            found = None if isinstance(value.op, Op) and value.op.name == "dim" else self.tracer.samples.get(value)
            return found if found is not None and abs(found) <= 8 else 2
        if isinstance(value.type, ScalarType):
            return {"float": 1.5, "bool": True}[value.type.name]
        assert isinstance(value.type, Np)
        return value.type.dtype.type(1)


def actual_length(t: Tracer, value: Value) -> int | None:
    """A length as it is now; None where that cannot be told."""
    if isinstance(value, Const) or value in t.samples:
        return int(value.value if isinstance(value, Const) else t.samples[value])
    op = value.op
    if not isinstance(op, Op) or op.name not in _ARITHMETIC:
        return None
    known = [actual_length(t, arg) for arg in op.args]
    return None if None in known else _ARITHMETIC[op.name](*known)


_ARITHMETIC: dict[str, Callable[..., int]] = {
    "raw_add": operator.add, "raw_sub": operator.sub, "raw_mul": operator.mul, "raw_min": min, "raw_max": max,
}  # fmt: skip


def sample_of(t: Tracer, value: Abstract) -> tuple[Any] | None:
    """An object like the one that the value stands for."""
    if isinstance(value, Opaque):
        return (t.samples[value.value],) if value.value in t.samples else None
    if isinstance(value, Known):
        return (value.value,)
    try:
        return (_Maker(t, None).make(value),)
    except _NoStandIn:
        return None


def _inner(args: list[Abstract]) -> tuple[Abstract, ...]:
    return tuple(item for a in args for item in items_of(a) or (a.items if isinstance(a, Container) else ()))


def _runs_code(value: Any) -> bool:
    """Whether a function that is given this object might run code of the user's with it."""
    if not is_a(value, (type, types.FunctionType, types.MethodType)):
        return False
    return package_of(value) not in ("numpy", "builtins")


def _is_plain(items: list[Any], depth: int = 0) -> bool:
    """Whether a list holds numbers only, or lists of numbers: nothing that could run code or be changed."""
    return depth < 4 and len(items) < 1000 and all(type(x) in _PYTHON or (type(x) is list and _is_plain(x, depth + 1)) for x in items)


def stand_in(type: Array, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """A small array of a type: same dtype, rank, memory order and writability."""
    if type.order in ("C", "F"):
        made = np.empty(shape, type.dtype, order=type.order)  # type: ignore[call-overload]
    else:
        step = 2 if type.order == "S" else -2
        made = np.empty((*shape[:-1], 2 * shape[-1]) if shape else (), type.dtype)[..., ::step]
    # ints that are good as indices, floats that differ, some of each truth
    made[...] = (np.arange(made.size) % 2 if type.dtype.kind in "iub" else np.linspace(0.5, 1.0, made.size)).reshape(shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        made += np.eye(shape[-1], dtype=type.dtype)  # not singular, and positive definite
    made.flags.writeable = type.writable
    return made  # type: ignore[no-any-return]
