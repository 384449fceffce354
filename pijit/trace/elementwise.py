"""Whole-array operations: which loop NumPy would choose, the broadcast shape, the memory order of the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.graph import Block, Const, Op, Value, const
from ..ir.ops import OPS
from ..ir.types import BOOL, NATIVE, Array, Np
from . import opaque, powers, products, standins
from .values import Abstract, ArrayValue, Break, Complex, Known, Scalar, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

Dims = tuple[Value, ...]


def is_real_scalar(value: Value) -> bool:
    return isinstance(value.type, Np) and value.type.dtype.kind != "c"


def is_complex(operand: Abstract) -> bool:
    return isinstance(operand, Complex) or (isinstance(operand, Known) and type(operand.value) is complex)


def beside_complex(left: Abstract, right: Abstract) -> Value | None:
    """The number or array that stands beside a Python complex, if one of the two is one."""
    if is_complex(right):
        return value_of(left)
    return value_of(right) if is_complex(left) else None


def with_complex(t: Tracer, left: Abstract, right: Abstract) -> tuple[Abstract, Abstract]:
    """A Python complex beside an array or a complex NumPy scalar as the NumPy scalar that it is there, unless that overflows."""
    value = beside_complex(left, right)
    if value is None or not isinstance(value.type, (Array, Np)) or is_real_scalar(value):
        return left, right
    second = is_complex(right)
    scalar = numpy_complex(t, right if second else left, np.result_type(value.type.dtype, 1j))
    if scalar is None:
        return left, right
    return (left, scalar) if second else (scalar, right)


def numpy_complex(t: Tracer, operand: Abstract, dtype: np.dtype[Any]) -> Abstract | None:
    """A Python complex as a NumPy scalar; None where it overflows."""
    if isinstance(operand, Complex):
        from .operators import cast

        return Scalar(cast(t, t.emit("np_complex", operand.parts(), Np("complex128")), Np(dtype.name)))
    assert isinstance(operand, Known)
    with np.errstate(all="ignore"):
        scalar = dtype.type(operand.value)
    return Known(scalar) if np.isfinite(scalar) else None


def binary(t: Tracer, ufunc: str, python: Callable[..., Any], left: Abstract, right: Abstract) -> Abstract:
    """A binary operator on arrays."""
    if ufunc == "power":
        found = powers.ufunc_of(left, right)
        if found is None:
            return opaque.call_pure(t, python, [left, right], {})
        if found != "power":
            made = attempt(t, found, left)  # else it is NumPy's operator
            return opaque.call_pure(t, python, [left, right], {}) if made is None else made
    if ufunc == "matmul":
        return products.matmul(t, python, left, right)
    if ufunc == "multiply" and isinstance(right, ArrayValue) and right.type.dtype.kind == "c" and _may_be_temporary(t, right):
        _check_not_reused(t, left, right)
    return apply(t, ufunc, python, left, right)


_REUSED = 1 << 18  # bytes: from here on NumPy's operators compute in the memory of an operand that nobody else has


def _may_be_temporary(t: Tracer, array: ArrayValue) -> bool:
    """Whether an operand that was taken from the stack owns its memory, as a view does not, and nothing else may have it."""
    op = array.value.op
    if isinstance(op, Op) and (op.name == "view" or not (OPS[op.name].fresh or op.name == "call")):
        return False
    return not any(array.value is part for *_, held in t.state.slots() for part in held.parts())


def _is_temporary(t: Tracer, operand: Abstract) -> bool:
    """Whether an operand that was taken from the stack is certainly such a one: made in this block, for nothing else."""
    if not isinstance(operand, ArrayValue) or not _may_be_temporary(t, operand):
        return False
    op, here = operand.value.op, t.block.ops
    made = isinstance(op, Op) and OPS[op.name].fresh and any(other is op for other in here)
    return made and not any(operand.value is arg for other in here for arg in other.args)


def _check_not_reused(t: Tracer, left: Abstract, right: ArrayValue) -> None:
    """In the memory of its right operand NumPy computes a product the other way round, which complex numbers show. It takes the left one's first."""
    from .addresses import compare

    if isinstance(left, ArrayValue) and (len(left.dims) not in (0, len(right.dims)) or not np.can_cast(left.type.dtype, right.type.dtype)):
        return  # it would be another array in any case
    if _is_temporary(t, left) and isinstance(left, ArrayValue) and left.type.name == right.type.name and len(left.dims) == len(right.dims):
        for mine, other in zip(left.dims, right.dims, strict=True):
            t.check(compare(t, "==", mine, other), "shape_mismatch")
        return
    limit = _REUSED // right.type.dtype.itemsize
    t.check(compare(t, "<", _size(t, right.dims), const(limit)), "shape_mismatch")


def apply(t: Tracer, ufunc: str, python: Callable[..., Any], *operands: Abstract) -> Abstract:
    """An elementwise ufunc on arrays and scalars: an `ew` of the graph, or a call of NumPy where there is no native loop."""
    made = attempt(t, ufunc, *operands)
    return opaque.call_pure(t, python, list(operands), {}) if made is None else made


def attempt(t: Tracer, ufunc: str, *operands: Abstract) -> Abstract | None:
    """An `ew` of the graph; None, and nothing emitted, where there is no native loop for the operands."""
    from .operators import loop_dtypes

    dtypes = loop_dtypes(ufunc, list(operands))
    order = result_order(operands)
    if (
        dtypes is None
        or order is None
        or not native(t, ufunc, dtypes)
        or not castable(t, list(operands), dtypes)
        or not forwards(t, ufunc, list(operands), dtypes)
    ):
        return None
    return emit(t, ufunc, list(operands), dtypes, order)


def native(t: Tracer, ufunc: str, dtypes: tuple[np.dtype[Any], ...]) -> bool:
    """Whether the loop has a lowering."""
    names = tuple(dtype.name for dtype in dtypes)
    return NATIVE.issuperset(names) and t.limits.elementwise(ufunc, names)


def product(ufunc: str, dtypes: tuple[np.dtype[Any], ...]) -> bool:
    """Whether it multiplies complex numbers: how NumPy's loop rounds depends on how the arrays lie in memory."""
    return ufunc in ("multiply", "square") and dtypes[-1].kind == "c"


def forwards(t: Tracer, ufunc: str, operands: list[Abstract], dtypes: tuple[np.dtype[Any], ...]) -> bool:
    """Whether a loop of NumPy, if it takes one, sees the steps that it would see without us, as far as its bits depend on them: on
    their signs, and for powers on which operand is repeated."""
    if t.limits.formula(ufunc, tuple(dtype.name for dtype in dtypes)):
        return True
    arrays = [(o, dtype) for o, dtype in zip(operands, dtypes, strict=False) if isinstance(o, ArrayValue)]
    if (product(ufunc, dtypes) or ufunc in ("power", "float_power", "clip")) and any(is_one(dim) for o, _ in arrays for dim in o.dims):
        return False
    return all(o.type.order != "A" or o.type.name != dtype.name for o, dtype in arrays)


def castable(t: Tracer, operands: list[Abstract], dtypes: tuple[np.dtype[Any], ...]) -> bool:
    """Whether the operands that are arrays can be converted natively."""
    return all(
        not isinstance(o, ArrayValue)
        or o.type.name == dtype.name
        or (result_order((o,)) is not None and t.limits.elementwise("cast", (o.type.name, dtype.name)))
        for o, dtype in zip(operands, dtypes, strict=False)
    )


def result_order(operands: tuple[Abstract, ...]) -> str | None:
    """The memory order of a new result ("K" order of NumPy's iterator): C, F, or None where it takes NumPy to tell."""
    arrays = [o for o in operands if isinstance(o, ArrayValue)]
    rank = max(a.type.ndim for a in arrays)
    if rank == 0:
        return None  # the result is a scalar
    orders = {a.type.order for a in arrays if a.type.ndim > 1}
    if rank == 1 or orders <= {"C", "S"}:
        return "C"
    if orders == {"F"} and all(a.type.ndim == rank and not (rank > 2 and any(map(is_one, a.dims))) for a in arrays):
        return "F"  # an axis of length 1 has no place among others: the iterator puts it outermost
    return None


def emit(t: Tracer, ufunc: str, operands: list[Abstract], dtypes: tuple[np.dtype[Any], ...], order: str) -> ArrayValue:
    """The `ew` operation, with the casts of its operands and the checks of their shapes before it."""
    from .operators import cast

    dims = broadcast(t, [o.dims for o in operands if isinstance(o, ArrayValue)])
    values: list[Value] = []
    for operand, dtype in zip(operands, dtypes, strict=False):
        if isinstance(operand, ArrayValue):
            values.append(converted(t, operand, dtype.name).value)
        else:
            value = value_of(operand)
            assert value is not None
            values.append(cast(t, value, Np(dtype.name)))
    stretch = tuple(stretched(o, len(dims)) for o in operands)
    type_ = Array(dtypes[-1].name, len(dims), order)
    result = t.emit("ew", (*values, *dims), type_, ufunc=ufunc, n=len(values), stretch=stretch, reason="fp_flags")
    return ArrayValue(result, dims)


def converted(t: Tracer, array: ArrayValue, dtype: str) -> ArrayValue:
    """The array in another dtype."""
    if array.type.name == dtype:
        return array
    order = result_order((array,))
    if order is None or not t.limits.elementwise("cast", (array.type.name, dtype)):
        raise Break("unsupported_type", f"{array.type.name} array as {dtype}")
    type_ = Array(dtype, array.type.ndim, order)
    stretch = (stretched(array, len(array.dims)),)
    result = t.emit("ew", (array.value, *array.dims), type_, ufunc="cast", n=1, stretch=stretch, reason="fp_flags")
    return ArrayValue(result, array.dims)


def stretched(operand: Abstract, rank: int) -> tuple[int, ...]:
    """The axes of an operand that have length 1 and are repeated (also where the result's length is 1: that changes nothing)."""
    if not isinstance(operand, ArrayValue):
        return ()
    return tuple(axis for axis, dim in enumerate(operand.dims) if is_one(dim))


def is_one(dim: Value) -> bool:
    return isinstance(dim, Const) and dim.value == 1


def broadcast(t: Tracer, shapes: list[Dims]) -> Dims:
    """The broadcast shape. Lengths that must agree are checked; a length that is 1 is known to be."""
    from .addresses import compare

    rank = max(len(shape) for shape in shapes)
    dims: list[Value] = []
    for axis in range(rank):
        chosen: Value | None = None
        for shape in shapes:
            position = axis - rank + len(shape)
            if position < 0:
                continue
            dim = shape[position]
            if chosen is None or is_one(chosen):
                chosen = dim
            elif not is_one(dim) and dim is not chosen:
                t.check(compare(t, "==", chosen, dim), "shape_mismatch")
        assert chosen is not None
        dims.append(chosen)
    return tuple(dims)


def inplace(t: Tracer, ufunc: str, python: Callable[..., Any], target: ArrayValue, operand: Abstract) -> Abstract:
    """target <op>= operand: computed as a new array, then assigned, so that nothing is written before every check has passed."""
    if not target.type.writable:
        raise Break("read_only", "in-place operation on a read-only array")
    operands = [target, operand]
    if ufunc == "power":
        ufunc = powers.ufunc_of(target, operand) or ""
        operands = operands if ufunc == "power" else operands[:1]
    if not ufunc or better_by_numpy(t, ufunc, target, operands) or not assign_result(t, ufunc, operands, target):
        opaque.call_for_effect(t, python, [target, operand])
    return target


_LARGE = 4096  # elements: from here on a second pass over the memory costs more than a call of NumPy
_HUGE = 1 << 18  # elements: from here on only passes over the memory count, and kernels may share one (csrc/backlog.c)
_DEAR = frozenset(["maximum", "minimum", "fmax", "fmin"])  # of floats: to give NumPy's bits takes longer than a pass over memory in the cache
_CHEAP = {  # a kernel needs no second pass
    "f": frozenset(["add", "subtract", "multiply", "divide", "true_divide"]),
    "iu": frozenset(["add", "subtract", "multiply", "maximum", "minimum"]),
}


def better_by_numpy(t: Tracer, ufunc: str, target: ArrayValue, operands: list[Abstract]) -> bool:
    """Whether one operation on large arrays is done by NumPy, which needs no temporary: what it has written when it warns is written. A
    guess from the arrays that there are now. With an operand that is computed in the same kernel, a kernel is as good."""
    kind = target.type.dtype.kind
    dear = ufunc in _DEAR and kind == "f"
    made = any(isinstance(o, ArrayValue) and isinstance(o.value.op, Op) and o.value.op.name == "ew" for o in operands)
    if (made and not dear) or any(kind in kinds and ufunc in cheap for kinds, cheap in _CHEAP.items()):
        return False
    lengths = [standins.actual_length(t, dim) for dim in target.dims]
    if None not in lengths:
        size: int = math.prod(lengths)  # type: ignore[arg-type]
    else:
        size = max((a.size for a in t.samples.values() if isinstance(a, np.ndarray) and a.ndim == len(target.dims)), default=0)
    return size >= _LARGE and not (dear and size >= _HUGE)


def assign_result(t: Tracer, ufunc: str, operands: list[Abstract], target: ArrayValue) -> bool:
    """target[...] = ufunc(*operands) as NumPy does with out=target; False, and nothing emitted, where it takes NumPy."""
    from .operators import loop_dtypes

    dtypes = loop_dtypes(ufunc, operands)
    arrays = [o for o in operands if isinstance(o, ArrayValue)]
    order = result_order(tuple(arrays)) if arrays else None
    # NumPy casts the result by the same_kind rule; only the cast that changes nothing is done natively
    if dtypes is None or order is None or dtypes[-1].name != target.type.name or not native(t, ufunc, dtypes):
        return False
    if not castable(t, operands, dtypes) or not forwards(t, ufunc, [*operands, target], dtypes):
        return False
    for array in arrays:
        if len(array.dims) > len(target.dims):
            raise Break("shape_mismatch", "in-place operation that would need a larger target")
        for mine, dim in zip(target.dims[::-1], array.dims[::-1], strict=False):
            if is_one(mine) and not is_one(dim):
                raise Break("shape_mismatch", "in-place operation that would need a larger target")
    if product(ufunc, dtypes):  # of a single element NumPy makes a reduction, which rounds otherwise
        if all(is_one(dim) for dim in target.dims):
            return False
        _check_not_single(t, target.dims)
    if product(ufunc, dtypes) or not t.limits.formula(ufunc, tuple(dtype.name for dtype in dtypes)):
        _check_apart(t, target, [a for a in arrays if a.type.name == target.type.name])
    assign(t, target, emit(t, ufunc, operands, dtypes, order))
    return True


def _check_not_single(t: Tracer, dims: Dims) -> None:
    from .addresses import compare

    t.check(compare(t, "!=", _size(t, dims), const(1)), "shape_mismatch")


def _size(t: Tracer, dims: Dims) -> Value:
    from .addresses import multiply

    size: Value = const(1)
    for dim in dims:
        size = multiply(t, size, dim)
    return size


def _check_apart(t: Tracer, target: ArrayValue, operands: list[ArrayValue]) -> None:
    """Over memory that operands share with the target but for its very elements NumPy may run its loop as it is, which then computes in
    another way."""
    for operand in operands:
        if operand.value is not target.value and not _unrelated(target.value, operand.value):
            name = "apart" if len(operand.dims) == len(target.dims) else "disjoint"
            t.check(t.emit(name, (target.value, operand.value), BOOL), "overlap")


def _unrelated(one: Value, other: Value) -> bool:
    """Whether the arrays cannot share memory: one was made by an operation, and the other did not come from it."""
    roots = [_root(one), _root(other)]
    made = any(isinstance(root.op, Op) and OPS[root.op.name].fresh for root in roots)
    return made and roots[0] is not roots[1] and not any(isinstance(root.op, Block) for root in roots)


def _root(array: Value) -> Value:
    while isinstance(array.op, Op) and array.op.name == "view":
        array = array.op.args[0]
    return array


def assign(t: Tracer, target: ArrayValue, source: Abstract) -> None:
    """target[...] = source, broadcast; dtypes are equal and shapes are checked here."""
    from .addresses import compare

    if isinstance(source, ArrayValue):
        extra = len(source.dims) - len(target.dims)
        if extra > 0:
            if not all(is_one(dim) for dim in source.dims[:extra]):
                raise Break("shape_mismatch", "assignment of an array of higher rank")
            raise Break("shape_mismatch", "assignment of an array with extra axes of length 1")
        for mine, dim in zip(target.dims[::-1], source.dims[::-1], strict=False):
            if not is_one(dim) and dim is not mine:
                t.check(compare(t, "==", mine, dim), "shape_mismatch")
    value = value_of(source)
    assert value is not None
    t.emit("assign", (target.value, value, *target.dims), stretch=stretched(source, len(target.dims)))
