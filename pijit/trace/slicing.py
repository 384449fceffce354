"""Basic indexing: where an index or a slice lies along an axis, and the views of arrays that ints, slices and new axes make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Const, Value, const
from ..ir.types import INT, Array, Np
from . import caught, standins
from .addresses import add, compare, either, multiply
from .elementwise import is_one
from .operators import cast
from .values import Abstract, ArrayValue, Container, Known, items_of, kind_of, value_of

if TYPE_CHECKING:
    from .tracer import Tracer


def checked_index(t: Tracer, index: Value, length: Value, args: Abstract | None = None) -> Value:
    """The index counted from the start; leaves when it is out of range. ``args``: those of the IndexError, where they are known."""
    if index.type != INT:
        index = cast(t, index, INT)
    if caught.catches(t, IndexError, args):
        before = compare(t, "<", add(t, index, length), const(0))
        caught.where(t, either(t, compare(t, ">=", index, length), before), IndexError, args)
    return t.emit("check_index", (index, length), INT, reason="index_error")  # type: ignore[no-any-return]


def plan_of(t: Tracer, array: ArrayValue, index: Abstract) -> list[tuple[str, Any]] | None:
    """The index as one entry per axis: ("index", value), ("slice", (start, stop, step)) or ("new", None); None for fancy indexing."""
    parts = list(items_of(index) or (index,)) if items_of(index) is not None else [index]
    consumed = sum(1 for p in parts if not _is_constant(p, (None, Ellipsis)))
    dots = [i for i, p in enumerate(parts) if _is_constant(p, (Ellipsis,))]
    missing = array.type.ndim - consumed
    if missing < 0 or len(dots) > 1 or (dots and len(parts) == consumed + 1 and missing == 0):
        return None  # with nothing but indices beside the dots it is an array without dimensions
    position = dots[0] if dots else len(parts)
    whole = [("slice", (None, None, 1))] * missing
    before, after = parts[:position], parts[position + 1 if dots else position :]
    plan: list[tuple[str, Any]] = []
    for part in (*before, whole, *after):
        if part is whole:
            plan += whole
            continue
        assert isinstance(part, Abstract)
        entry = _entry(t, part)
        if entry is None:
            return None
        plan.append(entry)
    return plan


def _is_constant(part: Abstract, values: tuple[Any, ...]) -> bool:
    return isinstance(part, Known) and any(part.value is value for value in values)


def _entry(t: Tracer, part: Abstract) -> tuple[str, Any] | None:
    if _is_constant(part, (None,)):
        return ("new", None)
    if kind_of(part) == "int":
        return ("index", value_of(part))
    if _is_np_int(part):
        return ("index", value_of(part))
    bounds: tuple[Abstract, ...] | None = None
    if isinstance(part, Container) and part.kind == "slice":
        bounds = part.items
    elif isinstance(part, Known) and type(part.value) is slice:
        bounds = (Known(part.value.start), Known(part.value.stop), Known(part.value.step))
    if bounds is None:
        return None
    step = bounds[2]
    if not isinstance(step, Known) or not (step.value is None or (type(step.value) is int and 0 < abs(step.value) < 2**31)):
        return None
    ends: list[Value | None] = []
    for end in bounds[:2]:
        if isinstance(end, Known) and end.value is None:
            ends.append(None)
        elif kind_of(end) == "int":
            ends.append(value_of(end))
        elif _is_np_int(end):
            found = value_of(end)
            assert found is not None
            ends.append(cast(t, found, INT))
        else:
            return None
    return ("slice", (*ends, step.value or 1))


def _is_np_int(part: Abstract) -> bool:
    value = value_of(part)
    return value is not None and isinstance(value.type, Np) and value.type.dtype.kind in "iu" and value.type.name != "uint64"


def view(t: Tracer, array: ArrayValue, plan: list[tuple[str, Any]], checked: bool = False) -> ArrayValue:
    """A view: basic indexing with ints (``checked``: known to be in range), slices and new axes."""
    offset: Value = const(0)
    dims: list[Value] = []
    strides: list[Value] = []
    axes: list[tuple[int, int]] = []
    axis = 0
    for kind, what in plan:
        if kind == "new":
            dims.append(const(1))
            strides.append(const(0))
            axes.append((-1, 0))
            continue
        length = array.dims[axis]
        stride = stride_of(t, array, axis)
        axis += 1
        if kind == "index":
            offset = add(t, offset, multiply(t, what if checked else checked_index(t, what, length), stride))
            continue
        start, stop, step = what
        first, count = bounds(t, start, stop, step, length)
        offset = add(t, offset, multiply(t, first, stride))
        dims.append(count)
        strides.append(multiply(t, stride, const(step)))
        axes.append((axis - 1, step))
    type_ = Array(array.type.name, len(dims), _order(array.type.order, plan, dims), array.type.writable)
    result = t.emit("view", (array.value, offset, *dims, *strides), type_, axes=tuple(axes))
    return ArrayValue(result, tuple(dims))


def stride_of(t: Tracer, array: ArrayValue, axis: int) -> Value:
    """A stride of an array, in bytes; a constant where the order tells it."""
    type_ = array.type
    if type_.order == "C" and axis == type_.ndim - 1:
        return const(type_.dtype.itemsize)
    if type_.order == "F" and axis == 0:
        return const(type_.dtype.itemsize)
    return t.once("stride", (array.value,), INT, axis=axis)


def bounds(t: Tracer, start: Value | None, stop: Value | None, step: int, length: Value) -> tuple[Value, Value]:
    """(first index, number of items) of a slice of an axis.

    The usual constant ends are folded to length minus a constant, so that equal slices have equal lengths for fusion; the axis is then
    checked to be long enough.
    """
    if start is None and stop is None and step == 1:
        return const(0), length
    ends = [end for end in (start, stop) if end is not None]
    if step == 1 and all(isinstance(end, Const) for end in ends) and not isinstance(length, Const):
        low = 0 if start is None else int(start.value)  # type: ignore[attr-defined]
        high = None if stop is None else int(stop.value)  # type: ignore[attr-defined]
        if not (high is not None and low < 0 <= high) and max(abs(low), abs(high or 0)) < 2**31 and _is_long_enough(t, low, high, length):
            return _constant_bounds(t, low, high, length)
    given = (start is not None, stop is not None)
    key = ("slice_bounds", start, stop, step, length)
    found = t.state.memo.get(key)
    if found is None:
        args = (*ends, length)
        found = t.emit("slice_bounds", args, INT, INT, step=step, given=given)
        t.state.memo[key] = found
    return found  # type: ignore[no-any-return]


def _needed(low: int, high: int | None) -> int:
    """The length from which on a slice's items are as many as its constant bounds say, and at least one where it does not start at 0."""
    if low >= 0 and (high is None or high < 0):
        return low - (high or 0) + (low > 0)
    return max(abs(low), abs(high or 0))


def _is_long_enough(t: Tracer, low: int, high: int | None, length: Value) -> bool:
    """Whether the axis is that long now, as far as is known."""
    actual = standins.actual_length(t, length)
    return actual is None or actual >= _needed(low, high)


def _constant_bounds(t: Tracer, low: int, high: int | None, length: Value) -> tuple[Value, Value]:
    t.check(compare(t, ">=", length, const(_needed(low, high))), "short_axis")
    if low >= 0 and (high is None or high < 0):
        return const(low), add(t, length, const((high or 0) - low))
    count = max((high or 0) - low, 0)
    if count == 0:
        return const(0), const(0)  # NumPy starts a slice without items at 0
    return const(low) if low >= 0 else add(t, length, const(low)), const(count)


def _order(order: str, plan: list[tuple[str, Any]], dims: list[Value]) -> str:
    """What is known of a view's strides; see ir.types.Array."""
    kept = [(kind, what) for kind, what in plan if kind != "new"]
    slices = [what for kind, what in kept if kind == "slice"]
    if any(step < 0 for _, _, step in slices):
        return "A"
    whole = [what == (None, None, 1) for what in slices]
    leading = next((i for i, (kind, _) in enumerate(kept) if kind == "slice"), len(kept))
    ints_lead = all(kind == "slice" for kind, _ in kept[leading:])
    if len(kept) == len(plan) and order == "C" and ints_lead and slices and slices[0][2] == 1 and all(whole[1:]):
        return "C"
    if order in ("C", "S"):
        return "S"
    if len([dim for dim in dims if not is_one(dim)]) <= 1 and len(dims) == 1:
        return "S" if order == "F" else "A"
    return "A"
