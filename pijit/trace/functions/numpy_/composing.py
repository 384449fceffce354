"""What functions that are composed of other operations have in common: their entry in the table, and arrays as they take and make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Value, const
from ....ir.types import Array
from ... import elementwise, opaque, slicing, standins
from ...values import Abstract, ArrayValue, Known
from ..rows import by_name, row
from .creation import new
from .views import places_of

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]
Given = dict[str, Abstract]
Maker = Callable[["Tracer", Given], Abstract | None]
WHOLE = ("slice", (None, None, 1))


def composed(functions: Any, *names: str) -> Callable[[Maker], Maker]:
    """Enters, for a function or for several, what makes the result of the arguments by name, or None where it takes NumPy."""

    def enter(maker: Maker) -> Maker:
        for function in functions if type(functions) is tuple else (functions,):
            _enter(function, names, maker)
        return maker

    return enter


def _enter(function: Any, names: tuple[str, ...], maker: Maker) -> None:
    @row(function)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        given = by_name(names, args, kwargs)
        made = None if given is None else maker(t, given)
        return opaque.call_pure(t, function, args, kwargs) if made is None else made


def array_of(kinds: str, given: Abstract | None) -> ArrayValue | None:
    """An array with such a dtype, of whose parts it is known how results of them lie."""
    if not isinstance(given, ArrayValue) or not given.dims or given.type.dtype.kind not in kinds:
        return None
    return given if len(given.dims) == 1 or given.type.order in ("C", "S") else None


def axis_of(given: Given, rank: int, default: int = -1) -> int | None:
    """The axis that is asked for by an int, counted from the start."""
    axis = given.get("axis", Known(default))
    places = places_of(axis, rank) if isinstance(axis, Known) and type(axis.value) is int else None
    return None if places is None else places[0]


def part(t: Tracer, a: ArrayValue, axis: int, start: int | None, stop: int | None) -> ArrayValue:
    """a[start:stop] along an axis."""
    bounds: tuple[Value | None, ...] = tuple(None if end is None else const(end) for end in (start, stop))
    return slicing.view(t, a, [("slice", (*bounds, 1)) if n == axis else WHOLE for n in range(len(a.dims))])


def ew(t: Tracer, ufunc: str, *operands: Abstract) -> ArrayValue:
    """Of operands that have a native loop."""
    made = elementwise.attempt(t, ufunc, *operands)
    assert isinstance(made, ArrayValue)
    return made


def stretched(t: Tracer, a: ArrayValue, dims: tuple[Value, ...]) -> ArrayValue:
    """A new array of these lengths: what is in one that has 1 where they are others."""
    if elementwise.native(t, "positive", (a.type.dtype,) * 2):  # becomes part of a kernel
        order, stretch = Array(a.type.name, len(dims), "C"), (elementwise.stretched(a, len(dims)),)
        return ArrayValue(t.emit("ew", (a.value, *dims), order, ufunc="positive", n=1, stretch=stretch, reason="fp_flags"), dims)
    made = new(t, dims, a.type.dtype, "C", None)
    elementwise.assign(t, made, a)
    return made


def can(t: Tracer, dtype: np.dtype[Any], *ufuncs: str) -> bool:
    return all(elementwise.native(t, ufunc, (dtype,) * 3) for ufunc in ufuncs)


def is_short(t: Tracer, dim: Value, least: int) -> bool:
    """Whether an axis is shorter now, as far as is known."""
    actual = standins.actual_length(t, dim)
    return actual is not None and actual < least
