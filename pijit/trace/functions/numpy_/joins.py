"""Arrays put one behind another: np.concatenate and what NumPy makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.names import is_one_of
from ....ir.graph import Const, Value, const
from ....ir.types import INT, Array, Np
from ... import elementwise, opaque
from ...operators import cast
from ...values import Abstract, ArrayValue, Known, sequence_of, value_of
from ..rows import by_name, dtype_of_numbers, row, scalar_kind

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]
Parts = list[Abstract]
Plan = tuple[Parts, int, int]  # what follows each other, the axis, and the rank of the result
Planner = Callable[[Parts, int | None], Plan | None]
_MOST = 32  # parts, numbers in lists among them: each is an operation


def _join(key: Any, *names: str) -> Callable[[Planner], Planner]:
    """Enters a function that is called with these arguments: where it puts the parts, given the axis; or None where it takes NumPy."""

    def enter(plan: Planner) -> Planner:
        @row(key)
        def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
            given, made = by_name(names, args, kwargs), None
            if given is not None:
                axis = given.pop("axis", Known(_AXIS.get(key)))
                parts = _items(*given.values())
                if parts and isinstance(axis, Known) and is_one_of(type(axis.value), (int, type(None))):
                    found = plan(parts, axis.value)
                    made = None if found is None else joined(t, *found)
            return opaque.call_pure(t, key, args, kwargs) if made is None else made

        return plan

    return enter


_AXIS = {np.concatenate: 0, np.stack: 0}


def _items(*given: Abstract) -> Parts:
    """The parts: several arguments, or what is in a tuple or list that the program makes."""
    if len(given) > 1:
        return list(given)
    return list(sequence_of(given[0]) or ()) if given else []


def _rank(part: Abstract) -> int:
    """Of an array, or of what NumPy makes one of."""
    if isinstance(part, ArrayValue):
        return part.type.ndim
    return 0 if scalar_kind(part) else 1


@_join(np.concatenate, "arrays", "axis")
def _concatenated(parts: Parts, axis: int | None) -> Plan | None:
    rank = _rank(parts[0])
    return None if axis is None or not -rank <= axis < rank or any(_rank(part) != rank for part in parts) else (parts, axis % rank, rank)


@_join(np.stack, "arrays", "axis")
def _stacked(parts: Parts, axis: int | None) -> Plan | None:
    rank = _rank(parts[0]) + 1
    return None if axis is None or not -rank <= axis < rank or any(_rank(part) != rank - 1 for part in parts) else (parts, axis % rank, rank)


@_join(np.vstack, "tup")
def _below_each_other(parts: Parts, axis: int | None) -> Plan | None:
    ranks = set(map(_rank, parts))
    return (parts, 0, max(2, *ranks)) if 0 not in ranks and (ranks <= {1, 2} or len(ranks) == 1) else None


@_join(np.hstack, "tup")
def _beside_each_other(parts: Parts, axis: int | None) -> Plan | None:
    ranks = {_rank(part) or 1 for part in parts}
    return (parts, int(ranks != {1}), max(ranks)) if len(ranks) == 1 else None


@_join(np.column_stack, "tup")
def _as_columns(parts: Parts, axis: int | None) -> Plan | None:
    return (parts, 1, 2) if all(_rank(part) in (1, 2) for part in parts) else None


@_join(np.append, "arr", "values", "axis")
def _appended(parts: Parts, axis: int | None) -> Plan | None:
    if axis is not None or len(parts) != 2:
        return _concatenated(parts, axis)
    return (parts, 0, 1) if _rank(parts[0]) == 1 and _rank(parts[1]) <= 1 else None


def joined(t: Tracer, parts: Parts, axis: int, rank: int) -> ArrayValue | None:
    """A part with one axis less takes one place; None, and nothing emitted, where it takes NumPy."""
    arrays = [part for part in parts if isinstance(part, ArrayValue)]
    flat = [item for part in parts for item in ([part] if isinstance(part, ArrayValue) else _numbers(part))]
    if not arrays or len(flat) > _MOST or elementwise.result_order(tuple(arrays)) != "C":
        return None
    dtype = np.result_type(*(array.type.dtype for array in arrays))
    if not elementwise.castable(t, [*arrays], (dtype,) * len(arrays)):
        return None
    for part in parts:
        if not isinstance(part, ArrayValue) and (rank > 1 or not _become(part, dtype)):
            return None
    shapes = [_shape(item, axis, rank) for item in flat]
    if rank > 1 and any(isinstance(dim, Const) and dim.value == 0 for shape in shapes for dim in shape):
        return None
    return _emit(t, flat, shapes, axis, dtype)


def _numbers(part: Abstract) -> Parts:
    """A number, or those in a tuple or list."""
    return [part] if scalar_kind(part) else list(sequence_of(part) or ())


def _become(part: Abstract, dtype: np.dtype[Any]) -> bool:
    """Whether it is numbers that NumPy makes elements of the dtype, beside arrays of it."""
    kinds = list(map(scalar_kind, numbers := _numbers(part)))
    if not numbers or "" in kinds or "c" in kinds or dtype.kind == "c":
        return False
    return np.result_type(dtype_of_numbers(numbers), dtype) == dtype


def _shape(item: Abstract, axis: int, rank: int) -> tuple[Value, ...]:
    dims = item.dims if isinstance(item, ArrayValue) else ()
    return dims if len(dims) == rank else (*dims[:axis], const(1), *dims[axis:])


def _emit(t: Tracer, parts: Parts, shapes: list[tuple[Value, ...]], axis: int, dtype: np.dtype[Any]) -> ArrayValue:
    from ...addresses import add, compare

    total, *others = (shape[axis] for shape in shapes)
    for other in others:
        total = add(t, total, other)
    first, *more = shapes
    for shape in more:
        for number, dim in enumerate(shape):
            if number != axis and dim is not first[number]:
                t.check(compare(t, "==", first[number], dim), "shape_mismatch")
    dims = (*first[:axis], total, *first[axis + 1 :])
    if len(dims) > 1:
        for dim in dims:  # of no elements NumPy's strides are others
            t.check(compare(t, "!=", dim, const(0)), "shape_mismatch")
    values: list[Value] = []
    for part in parts:
        if isinstance(part, ArrayValue):
            values.append(elementwise.converted(t, part, dtype.name).value)
        else:
            values.append(cast(t, value_of(part), Np(dtype.name)))  # type: ignore[arg-type]
    lengths = (shape[axis] for shape in shapes)
    made = t.emit("join", (*values, *lengths, *dims), Array(dtype.name, len(dims), "C"), n=len(values), axis=axis)
    if isinstance(total, Const) and more:  # in a loop in which it grows that is a number like any other
        dims = (*dims[:axis], t.emit("dim", (made,), INT, axis=axis), *dims[axis + 1 :])
    return ArrayValue(made, dims)
