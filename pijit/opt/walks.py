"""How operands of a kernel lie in memory: strides that are known, views that are the same, and those of the halves of complex numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..ir.graph import Const, Op, Value
from ..ir.types import HALVES, Array


def like(value: Value, others: Iterable[Value]) -> Value:
    """A view that shows the same elements, if there is one among the others."""
    op = value.op
    if not isinstance(op, Op) or op.name != "view":
        return value
    return next((other for other in others if _shows(op, other) and other.type == value.type), value)


def _shows(op: Op, other: Value) -> bool:
    made = other.op
    return (
        isinstance(made, Op)
        and made.name == "view"
        and len(made.args) == len(op.args)
        and all(a is b or (isinstance(a, Const) and isinstance(b, Const) and a.value == b.value) for a, b in zip(op.args, made.args, strict=True))
    )


def half(value: Value, stretch: tuple[int, ...], layouts: Collection[tuple[Value, tuple[int, ...]]], rank: int) -> str:
    """The operation that gives the elements of the view from those of another operand, of whose numbers they are the real or imaginary parts;
    nothing if it is no such view."""
    op = value.op
    if stretch or not isinstance(op, Op) or op.name != "view" or not isinstance(value.type, Array):
        return ""
    base, offset = op.args[:2]
    if (base, ()) not in layouts or not isinstance(base.type, Array) or not isinstance(offset, Const):
        return ""
    fits = HALVES.get(base.type.name) == value.type.name and base.type.ndim == value.type.ndim == rank
    if not fits or not all(_steps(base, axis, op.args[2 + rank + axis]) for axis in range(rank)):
        return ""
    return {0: "real", value.type.dtype.itemsize: "imag"}.get(offset.value, "")


def _steps(array: Value, axis: int, stride: Value) -> bool:
    """Whether it is the stride of that axis."""
    op = stride.op
    if isinstance(stride, Const):
        return known_stride(array, axis, set()) == int(stride.value)
    if isinstance(array.op, Op) and array.op.name == "view":
        assert isinstance(array.type, Array)
        return stride is array.op.args[2 + array.type.ndim + axis]
    return isinstance(op, Op) and op.name == "stride" and op.args[0] is array and op.attrs["axis"] == axis


def known_stride(array: Value, axis: int, ones: set[int]) -> int | None:
    """The stride of an axis as far as elements go (where the length is 1 it may differ), ``ones`` being axes of length 1."""
    type = array.type
    assert isinstance(type, Array)
    inner = {"C": range(axis + 1, type.ndim), "F": range(axis)}.get(type.order)
    if inner is not None and ones.issuperset(inner):
        return int(type.dtype.itemsize)
    if isinstance(array.op, Op) and array.op.name == "view":
        return _constant(array.op.args[2 + type.ndim + axis])
    return None


def _constant(stride: Value) -> int | None:
    """A stride that is computed from those of other arrays, as slices do."""
    if isinstance(stride, Const):
        return int(stride.value)
    op = stride.op
    if isinstance(op, Op) and op.name == "stride":
        return known_stride(op.args[0], op.attrs["axis"], set())
    if isinstance(op, Op) and op.name in ("raw_mul", "int_mul"):
        factors = [_constant(arg) for arg in op.args]
        return None if None in factors else factors[0] * factors[1]  # type: ignore[operator]
    return None
