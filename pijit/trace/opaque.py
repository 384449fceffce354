"""Calls of NumPy (and other pure callables) as they are, from inside a fragment.

The type of the result is found by calling the function on small stand-ins of the same types ("numpy itself is the type rule"); at run time
it is checked, and an unexpected one is an exit.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from ..ground.names import class_name, is_a, is_one_of, module_of
from ..ir.graph import Exit, Op, Recipe, Value, const
from ..ir.graph import Known as KnownRecipe
from ..ir.types import COMPLEX, INT, NUMBERS, OBJECT, Obj
from . import complexes
from .frames import function_recipe
from .guards import Guards
from .inputs import array_type, is_constant, is_inner, is_native
from .sources import Source
from .standins import called, sample_result
from .values import (
    Abstract,
    ArrayValue,
    Break,
    Container,
    Known,
    Opaque,
    Scalar,
    kind_of,
)

if TYPE_CHECKING:
    from ..pycode.instructions import Bytecode
    from .tracer import Tracer

_RESULT = Source(("result",), "the result")
_NO_SAMPLE = object()

@dataclass(frozen=True, slots=True)
class Exactly:
    """In a sample: the result is this very object."""

    value: Any


_NUMBERS = frozenset({"int", "float", "bool", "complex", "np", "known"})


def call_pure(t: Tracer, function: Any, args: list[Abstract], kwargs: dict[str, Abstract], sample: Any = _NO_SAMPLE) -> Abstract:
    """Calls a function without visible effects. ``sample``: an object like the result, where stand-ins cannot give one."""
    if "out" in kwargs and not t.last_micro:
        raise Break("side_effect", f"{called(function)} with out=")
    if sample is _NO_SAMPLE:
        sample = sample_result(t, function, args, kwargs)
    result = _call(t, function, args, kwargs, sample)
    _remember(t, result, sample)
    return result


def _remember(t: Tracer, result: Abstract, sample: Any) -> None:
    """What is known of a result: an object like it, or how it lies in memory."""
    if isinstance(result, Opaque):
        t.samples[result.value] = sample
    elif isinstance(result, ArrayValue):
        t.layouts[result.value] = list(sample.shape), list(sample.strides)
    elif isinstance(result, Container):
        for item, held in zip(result.items, sample, strict=True):
            _remember(t, item, held)


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
    from .lazily import is_own

    given = settled(t, *args, *kwargs.values())
    args, kwargs = given[: len(args)], dict(zip(kwargs, given[len(args) :], strict=True))
    arguments = tuple(_escaping(value) for value in given)
    expected = _of_result()
    results: list[Value] = []
    result: Abstract = Known(None) if sample is _NO_SAMPLE else _expect(expected, _RESULT, sample, results)
    boxed = Value(OBJECT)
    raising = [frame.copy() for frame in t.checkpoint]
    exits = {
        "raise": _exit(t, "raise", "call_raised", raising),
        "type": _unexpected(t, boxed, sample is not _NO_SAMPLE),
    }
    chain = tuple(
        (function_recipe(frame, depth, shown=True), frame.bytecode.at(frame.pc).at)
        for depth, frame in enumerate(t.checkpoint)
        if not is_own(frame)
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
    made = t.exit(kind, reason, frames)
    if kind == "raise":
        made.frames[-1].pc = frames[-1].bytecode.at(frames[-1].pc).at
    return made


def _unexpected(t: Tracer, boxed: Value, is_result: bool) -> Exit:
    """Where to go on when the result is of another type: after the instruction with the result pushed, where the call is all that is left
    of the instruction; else the instruction is done again (the call is pure)."""
    if not (is_result and t.last_micro):
        return _exit(t, "redo", "call_type", t.checkpoint)
    return going_on(t, [frame.copy() for frame in t.state.frames], Opaque(boxed, None))


def going_on(t: Tracer, frames: list[Any], result: Abstract) -> Exit:
    """The exit after the instruction, with its result pushed."""
    frames[-1].stack.append(result)
    frames[-1].pc = frames[-1].bytecode.at(frames[-1].pc).next
    return _exit(t, "continue", "call_type", frames)


def look(t: Tracer, owner: Abstract, row: tuple[Any, ...], held: Any, loads: bool = True) -> Abstract:
    """Walks a row on an object in the middle of the fragment, and checks what it loads to be like ``held``."""
    expected = _of_result()
    results: list[Value] = []
    result: Abstract = Known(None)
    source = Source(row, "what it holds", _RESULT)
    if loads and is_constant(held) and not is_inner(held) and not (is_one_of(type(held), (str, bytes)) and _varies(t, row)):
        expected.same(source, held)
        result = Known(held)
    elif loads:
        result = _expect_whole(expected, source, held, results)
    else:
        expected.check(_RESULT, *row, text="as it was")
    _walk(t, owner, expected.rows, results, t.exit("redo", "source_changed"))
    if isinstance(result, Opaque):
        t.samples[result.value] = held
    return _finish(t, result)


def _varies(t: Tracer, row: tuple[Any, ...]) -> bool:
    """Whether texts that it loads are taken to be others each time: items are, as those of records in a list, and attributes which were."""
    return row[0] != "field" or t.state.frame.pc in texts(t.state.frame.bytecode)


def texts(bytecode: Bytecode) -> set[int]:
    """The places of instructions that read an attribute which holds one text now and another one then."""
    found: set[int] = bytecode.analyses.setdefault("texts", set())
    return found


def look_any(t: Tracer, owner: Abstract, row: tuple[Any, ...]) -> Value:
    """The object that a row loads in the middle of the fragment, whatever it is."""
    found = Value(OBJECT)
    _walk(t, owner, [(row[0], 0, *row[1:]), ("any", 1, found)], [found], t.exit("redo", "source_changed"))
    return found


def like(t: Tracer, value: Value, sample: Any, exit: Exit | None = None) -> Abstract:
    """The abstract value of an object that is like the sample, or leaves: does the instruction again, or takes the exit that is given."""
    expected = _of_result()
    results: list[Value] = []
    result = _expect_whole(expected, _RESULT, sample, results)
    _walk(t, Opaque(value, None), expected.rows, results, exit or t.exit("redo", "list_item_type"))
    if isinstance(result, Opaque):
        t.samples[result.value] = sample
    return _finish(t, result)


def _walk(t: Tracer, owner: Abstract, rows: list[tuple[Any, ...]], results: list[Value], exit: Exit) -> None:
    """The operation that walks rows on an object, and gives what they unbox."""
    op = Op("look", owner.parts(), (), {"arguments": (owner.recipe(),), "result_guard": tuple(rows)}, {"redo": exit}, t.line)
    for value in results:
        value.op = op
    op.results = tuple(results)
    t.append(op)


# ---- what is expected of the result ----------------------------------------------------------------------------------------


def _of_result() -> Guards:
    """Guards of an object that is in the first register."""
    expected = Guards()
    expected.load(_RESULT)
    for column in (expected.rows, expected.texts, expected.names):
        column.clear()
    return expected


def _expect(guards: Guards, source: Source, sample: Any, results: list[Value]) -> Abstract:
    """Guard rows for a result like the sample, and its abstract value."""
    cls = type(sample)
    if cls is Exactly:
        guards.same(source, sample.value)
        return Known(sample.value)
    if sample is None:
        guards.check(source, "is", None, text="the result is None")
        return Known(None)
    if cls in NUMBERS:
        value = Value(NUMBERS[cls])
        guards.scalar(source, value)
        results.append(value)
        return Scalar(value)
    if cls is complex:
        value = Value(COMPLEX)
        guards.scalar(source, value)
        results.append(value)
        return Scalar(value)  # its parts are taken after the call, see _finish
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


def _expect_whole(guards: Guards, source: Source, sample: Any, results: list[Value]) -> Abstract:
    """The same, but a tuple stays the object that it is: its items are looked at one by one."""
    if type(sample) is not tuple:
        return _expect(guards, source, sample, results)
    results.append(Value(Obj("tuple")))
    guards.object(source, results[0], tuple)
    return Opaque(results[0], tuple)


def _finish(t: Tracer, result: Abstract) -> Abstract:
    """Loads the dims of the arrays in a result."""
    if isinstance(result, ArrayValue):
        dims = [
            dim if not isinstance(dim, Value) or hasattr(dim, "value") else t.emit("dim", (result.value,), INT, axis=axis)
            for axis, dim in enumerate(result.dims)
        ]
        return ArrayValue(result.value, tuple(dims))
    if isinstance(result, Scalar) and result.type == COMPLEX:
        return complexes.parts(t, result.value)
    if isinstance(result, Container):
        return Container(result.kind, tuple(_finish(t, item) for item in result.items))
    return result
