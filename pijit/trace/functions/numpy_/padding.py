"""np.pad in the modes that copy or repeat what is there: the middle is copied, then the borders are filled, one axis after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pijit.ground.records import dataclass

from ....ir.graph import Const, Value, const
from ....ir.types import Array
from ... import elementwise, opaque, slicing, standins
from ...values import Abstract, ArrayValue, Known, sequence_of
from ..rows import by_name, index, row, scalar_kind
from .creation import new

if TYPE_CHECKING:
    from ...tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]
Pair = tuple[Abstract, Abstract]


@dataclass(frozen=True, slots=True)
class _Axis:
    """How long the padded array is along an axis: ``before`` + ``length`` + ``after``."""

    before: Value
    length: Value
    after: Value


@dataclass(frozen=True, slots=True)
class _Part:
    """Elements along an axis: from ``start`` on ``count``, each ``step`` (1 or -1) from the one before."""

    start: Value
    count: Value
    step: int = 1


Source = Callable[["Tracer", _Axis], tuple[_Part, _Part]]  # of the borders before and after


def _edges(t: Tracer, axis: _Axis) -> tuple[_Part, _Part]:
    return _Part(axis.before, const(1)), _Part(_sum(t, axis.before, axis.length, const(-1)), const(1))


def _wrapped(t: Tracer, axis: _Axis) -> tuple[_Part, _Part]:
    return _Part(axis.length, axis.before), _Part(axis.before, axis.after)


def _mirrored(beyond: int) -> Source:
    """``beyond``: how many elements at each edge are not repeated."""

    def source(t: Tracer, axis: _Axis) -> tuple[_Part, _Part]:
        first = _sum(t, axis.before, axis.before, const(beyond - 1))
        last = _sum(t, axis.before, axis.length, const(-1 - beyond))
        return _Part(first, axis.before, -1), _Part(last, axis.after, -1)

    return source


# Of each mode: where the borders come from, and how many elements more than a border is wide there have to be; None where any are enough.
_MODES: dict[str, tuple[Source, int | None]] = {
    "edge": (_edges, None), "wrap": (_wrapped, 0), "symmetric": (_mirrored(0), 0), "reflect": (_mirrored(1), 1),
}  # fmt: skip


@row(np.pad)
def _pad(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    given = (by_name(("array", "pad_width", "mode", "constant_values"), args, kwargs) if len(args) <= 3 else None) or {}
    a, widths, mode = given.pop("array", None), given.pop("pad_width", None), given.pop("mode", Known("constant"))
    made = None
    if isinstance(a, ArrayValue) and a.dims and widths is not None and isinstance(mode, Known):
        made = _padded(t, a, widths, mode.value, given)
    return opaque.call_pure(t, np.pad, args, kwargs) if made is None else made


def _padded(t: Tracer, a: ArrayValue, widths: Abstract, mode: Any, further: Kwargs) -> ArrayValue | None:
    """None, and nothing emitted, where it takes NumPy."""
    pairs, order = _pairs(widths, len(a.dims)), elementwise.result_order((a,))
    if pairs is None or order is None or not all(_may_be(width) for pair in pairs for width in pair):
        return None
    fill = _fill(further, a.type.dtype) if mode == "constant" else None
    if (fill is None) if mode == "constant" else (mode not in _MODES or further or not _long_enough(t, a, pairs, mode)):
        return None
    axes = [_Axis(index(t, before, "padding"), dim, index(t, after, "padding")) for dim, (before, after) in zip(a.dims, pairs, strict=True)]
    for axis in axes:
        _check(t, axis, mode)
    made = new(t, tuple(_sum(t, axis.before, axis.length, axis.after) for axis in axes), a.type.dtype, order, None)
    middle = [_Part(axis.before, axis.length) for axis in axes]
    elementwise.assign(t, _view(t, made, middle), a)
    for number, axis in enumerate(axes):
        lower = [_Part(const(0), dim) for dim in made.dims[:number]]

        def along(part: _Part, lower: list[_Part] = lower, upper: list[_Part] = middle[number + 1 :]) -> ArrayValue:
            return _view(t, made, [*lower, part, *upper])

        borders = _Part(const(0), axis.before), _Part(_sum(t, axis.before, axis.length), axis.after)
        sources = (fill, fill) if fill is not None else map(along, _MODES[mode][0](t, axis))
        for border, source in zip(borders, sources, strict=True):
            if not (isinstance(border.count, Const) and border.count.value == 0):
                elementwise.assign(t, along(border), source)
    return made


def _pairs(widths: Abstract, rank: int) -> list[Pair] | None:
    """How wide the borders before and after each axis are: numbers, as NumPy stretches what is given to one pair for each axis."""
    rows = sequence_of(widths)
    if rows is None:
        return [(widths, widths)] * rank
    inner = [sequence_of(item) for item in rows]
    if all(items is None for items in inner):
        return [(rows[0], rows[-1])] * rank if len(rows) in (1, 2) else None
    if len(rows) not in (1, rank) or len({len(items or ()) for items in inner}) != 1 or len(inner[0] or ()) not in (1, 2):
        return None
    pairs = [(items[0], items[-1]) for items in inner if items]
    return pairs * (rank // len(pairs))


def _may_be(width: Abstract) -> bool:
    return scalar_kind(width) in ("int", "i") and not (isinstance(width, Known) and width.value < 0)


def _fill(further: Kwargs, dtype: np.dtype[Any]) -> Abstract | None:
    """What goes into the borders: what NumPy makes of a number that is known; None where it refuses or warns."""
    value = further.get("constant_values", Known(0))
    if not isinstance(value, Known) or scalar_kind(value) not in ("bool", "int", "float", "i", "u", "f"):
        return None
    try:
        with np.errstate(all="raise"):
            return Known(np.pad(np.zeros(1, dtype), 1, constant_values=value.value)[0])
    except (ArithmeticError, ValueError, TypeError):
        return None


def _long_enough(t: Tracer, a: ArrayValue, pairs: list[Pair], mode: str) -> bool:
    """Whether the axes are, as far as is known."""
    for dim, pair in zip(a.dims, pairs, strict=True):
        length = standins.actual_length(t, dim)
        known = [width.value for width in pair if isinstance(width, Known)]
        if length is not None and any(length < _needed(mode, width) for width in known):
            return False
    return True


def _needed(mode: str, width: int) -> int:
    """How long an axis has to be for a border of that width."""
    more = _MODES[mode][1]
    return 0 if width == 0 else 1 if more is None else width + more


def _check(t: Tracer, axis: _Axis, mode: str) -> None:
    """Leaves where a width is negative, or there are too few elements for the borders."""
    from ...addresses import compare

    for width in (axis.before, axis.after):
        if not isinstance(width, Const):
            t.check(compare(t, ">=", width, const(0)), "shape_mismatch")
        if mode == "constant":
            continue
        more = _MODES[mode][1]
        if isinstance(width, Const) or more is None:
            needed: Value = const(_needed(mode, width.value if isinstance(width, Const) else 1))
        else:
            t.check(compare(t, ">", axis.length, const(0)), "short_axis")
            needed = _sum(t, width, const(more))
        t.check(compare(t, ">=", axis.length, needed), "short_axis")


def _sum(t: Tracer, *terms: Value) -> Value:
    from ...addresses import add

    total, *others = terms
    for term in others:
        total = add(t, total, term)
    return total


def _view(t: Tracer, array: ArrayValue, parts: list[_Part]) -> ArrayValue:
    from ...addresses import add, multiply

    steps = [slicing.stride_of(t, array, axis) for axis in range(len(parts))]
    offset: Value = const(0)
    for part, step in zip(parts, steps, strict=True):
        offset = add(t, offset, multiply(t, part.start, step))
    strides = [multiply(t, step, const(part.step)) for part, step in zip(parts, steps, strict=True)]
    backward = any(part.step < 0 for part in parts)
    type = Array(array.type.name, len(parts), "S" if array.type.order == "C" and not backward else "A")
    dims = tuple(part.count for part in parts)
    axes = tuple((axis, part.step) for axis, part in enumerate(parts))
    return ArrayValue(t.emit("view", (array.value, offset, *dims, *strides), type, axes=axes), dims)
