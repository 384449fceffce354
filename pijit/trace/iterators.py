"""Iterators that a loop is in the middle of where native code begins: how far they are, and what they go through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import class_name, is_one_of
from ..ir.graph import Const, Value, const
from ..ir.types import INT, OBJECT
from ..pycode.namespaces import names_in
from . import inputs, sources
from .cursors import RangeIterator, SequenceIterator, Together
from .sources import Source
from .values import Abstract

if TYPE_CHECKING:
    from .tracer import Tracer

_RANGE = type(iter(range(0)))
_BACKWARDS = frozenset({type(reversed([])), reversed})
_SEQUENCE = frozenset({type(iter([])), type(iter(np.empty(0)))}) | _BACKWARDS
_BY_POSITION = _SEQUENCE | {type(iter("")), type(iter("\u0100")), type(iter(b""))}
_KINDS = _SEQUENCE | {_RANGE, enumerate, zip}
_LARGE = 2**62
_LEVELS = 8  # of iterators that go through others: a program may put as many into each other as it likes


def load(tracer: Tracer, source: Source, actual: Any) -> Abstract | None:
    """An iterator on the value stack that only its loop refers to, as native code goes on with it; None for anything else."""
    if source.row[0] != "stack" or not is_one_of(type(actual), _KINDS):
        return None
    parts = list(_with_inner(actual))
    return _load(tracer, source, actual) if all(map(_goes_on, parts)) and _are_own(tracer, parts) else None


def _with_inner(iterator: Any, levels: int = _LEVELS) -> Iterator[Any]:
    """An iterator and those that it goes through; None for one too deep."""
    yield iterator if levels else None
    if levels and is_one_of(type(iterator), (enumerate, zip)):
        for inner in iterator.__reduce__()[1][: 1 if type(iterator) is enumerate else None]:
            yield from _with_inner(inner, levels - 1)


def _are_own(tracer: Tracer, iterators: list[Any]) -> bool:
    """Whether they are those of one running loop: what else refers to them would not see them move. (What is not in the frame a guard finds.)"""
    view = tracer.view
    held = (*view.stack, *view.locals, *names_in(view.names).values(), *iterators[1:])
    return all(sum(item is iterator for item in held) == 1 for iterator in iterators)


def _goes_on(iterator: Any) -> bool:
    """Whether it is of a kind that native code can go on with, and is not exhausted."""
    cls = type(iterator)
    if is_one_of(cls, _BY_POSITION):
        _, (sequence,), *index = iterator.__reduce__()
        return bool(index) and (is_one_of(type(sequence), (list, str, bytes)) or bool(inputs.is_native(sequence) and sequence.ndim))
    if cls is enumerate:
        return bool(abs(iterator.__reduce__()[1][1]) < _LARGE)
    if cls is zip:
        return len(iterator.__reduce__()[1]) > 0
    return cls is _RANGE


def _load(tracer: Tracer, source: Source, iterator: Any) -> Abstract:
    cls = type(iterator)
    if cls is _RANGE:
        return _range(tracer, source, iterator)
    tracer.guards.sole(source)
    if cls is zip:
        _, parts, *strict = iterator.__reduce__()
        under = sources.under(source, bool(strict))
        tracer.guards.check(source, "type", zip, text=f"{source.name} is a zip")
        tracer.guards.check(under, "length", len(parts), text=f"{source.name} is of {len(parts)} iterators")
        tracer.guards.sole(under)
        return Together(tuple(_load(tracer, sources.item(under, i), part) for i, part in enumerate(parts)), strict=bool(strict))
    under = sources.under(source)
    position, (inner, *_) = inputs.new(tracer, Value(INT)), iterator.__reduce__()[1]
    tracer.guards.check(source, "iterator", position, cls, text=f"{source.name} is a {class_name(cls, '__name__')}")
    if cls is enumerate:
        tracer.samples[position] = iterator.__reduce__()[1][1]
        return Together((_load(tracer, under, inner),), position)
    tracer.samples[position] = iterator.__reduce__()[2]
    return SequenceIterator(inputs.load(tracer, under, inner), position, -1 if is_one_of(cls, _BACKWARDS) else 1)


def _range(tracer: Tracer, source: Source, actual: Any) -> Abstract:
    obj, start, step, remaining = (inputs.new(tracer, Value(t)) for t in (OBJECT, INT, INT, INT))
    tracer.guards.check(source, "range_iterator", (obj, start, step, remaining), text=f"{source.name} is a range iterator")
    tracer.guards.sole(source)
    # A step of 1, or back, is part of the fragment; any other one forward is a number. What it does not fit goes on in the interpreter.
    wanted: Value = const(actual.__reduce__()[1][0].step)
    if wanted.value > 1:  # type: ignore[attr-defined]
        tracer.samples[step] = wanted.value  # type: ignore[attr-defined]
        wanted = step
        tracer.pending_checks += [(step, ">", const(0)), (step, "<", const(_LARGE))]
    else:
        tracer.pending_checks.append((step, "==", wanted))
    distance = tracer.entry_op("raw_mul", (remaining, wanted), INT)
    stop = tracer.entry_op("raw_add", (start, distance), INT)
    return RangeIterator(start, stop, int(wanted.value) if isinstance(wanted, Const) else wanted)
