"""Matrix products by the inner loop of NumPy's matmul, called as NumPy calls it for matrices, with a self-test before its first use."""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.types import Array
from ..ir.ufuncs import largest_product
from . import dots, inner, units
from . import llvm_ir as ir
from .arrays import ArrayValue, load_element
from .elementwise import raised
from .ints import ONE, ZERO
from .llvm import DTYPES, I64, PTR, call, i64, is_finite
from .rows import row
from .whole import exit_and_release, new_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ir.graph import Op
    from .driver import Driver

_FUNCTION = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4)
_LENGTHS = (1, 2, 3, 8, 17)


@functools.cache
def usable(dtype: str) -> bool:
    """Whether the loop may be called for matrices of the dtype: integers have no BLAS, and gain little."""
    if np.dtype(dtype).kind not in "fc":
        return False
    loop = inner.find_core("matmul", (dtype,) * 3)
    return loop is not None and all(inner.equal(np.asarray(a @ b), _product(loop, a, b)) for a, b in _samples(dtype))


@functools.cache
def is_dot(dtype: str) -> bool:
    """Whether np.dot, and np.vdot of real vectors, give what matmul gives: of arrays in which numbers lie one after the other, and of vectors
    with any positive step; but for an axis of length 1."""
    with np.errstate(all="ignore"):
        pairs = [(a, b) for a, b in _samples(dtype) if all(map(_is_plain, (a, b)))]
        same = all(inner.equal(np.dot(a, b), np.asarray(a @ b)) for a, b in pairs)
        vectors = [(a, b) for a, b in pairs if a.ndim == b.ndim == 1 and a.flags.c_contiguous and b.flags.c_contiguous]
        return same and (np.dtype(dtype).kind == "c" or all(inner.equal(np.vdot(a, b), np.asarray(a @ b)) for a, b in vectors))


def _is_plain(array: Any) -> bool:
    return array.ndim < 3 and 1 not in array.shape and (array.flags.c_contiguous or (array.ndim == 1 and array.strides[0] > 0))


def _samples(dtype: str) -> Iterator[tuple[Any, Any]]:
    """Matrices and vectors in every layout: contiguous, transposed, parts of larger ones, turned round, one with itself."""
    rng = np.random.default_rng(8)

    def made(*shape: int) -> Any:
        values = rng.standard_normal(shape)
        return (values + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)

    def layouts(n: int, m: int) -> list[Any]:
        wide = made(2 * n, 3 * m)
        return [made(n, m), made(m, n).T, wide[::2, :m], wide[:n, ::3], wide[n - 1 :: -1, :m], wide[:n, m - 1 :: -1]]

    for n, k, m in itertools.product(_LENGTHS, _LENGTHS, _LENGTHS):
        yield layouts(n, k)[(n + k + m) % 6], layouts(k, m)[(n + m) % 6]
    yield from itertools.product(layouts(5, 3), layouts(3, 4))
    for n in _LENGTHS:
        matrix, vector = made(n, n + 1), made(2 * n + 2)
        yield from ((matrix, matrix.T), (matrix.T, matrix), (matrix, vector[: n + 1]), (matrix.T, vector[: 2 * n : 2]))
        yield from ((matrix[:, :0], matrix[:0]), (vector[:0], matrix[:0]), (matrix[:, :0], vector[:0]), (vector[:0], vector[:0]))
        yield from ((vector[:n], matrix), (vector[2 * n - 1 :: -2], matrix), (vector, vector), (vector[::2], vector[1::2]))
        stack = made(4, n, 3)
        yield from ((stack, made(3, n)), (made(2, n), stack[::-2]), (stack, stack.transpose(0, 2, 1)), (stack, vector[:3]), (vector[:n], stack))


def _product(loop: inner.Loop, a: Any, b: Any) -> Any:
    """Of a stack along one axis at most."""
    stack, n, m = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2:-1], b.shape[1:][-1:]
    result = np.empty((*stack, *n, *m), a.dtype)
    outer = [x.strides[0] if stack and x.ndim == len(stack) + len(own) else 0 for x, own in ((a, (*n, 1)), (b, (1, *m)), (result, (*n, *m)))]
    steps = (*_steps(a, bool(n), True), *_steps(b, True, bool(m)), *_steps(result, bool(n), bool(m)))
    words = [
        (ctypes.c_int64 * 3)(*(x.ctypes.data for x in (a, b, result))),
        (ctypes.c_int64 * 4)(*(stack or (1,)), *(n or (1,)), a.shape[-1], *(m or (1,))),
        (ctypes.c_int64 * 9)(*outer, *steps),
    ]
    _FUNCTION(loop.address)(*map(ctypes.addressof, words), loop.data or None)
    return result


def _steps(array: Any, *there: bool) -> list[int]:
    """As NumPy gives them to the loop: 0 along an axis that is missing or has length 1."""
    axes = itertools.count(array.ndim - there.count(True))
    pairs = [(array.shape[axis], array.strides[axis]) if known and (axis := next(axes)) >= 0 else (1, 0) for known in there]
    return [0 if length == 1 else step for length, step in pairs]


@row("matmul")
def _matmul(d: Driver, op: Op) -> Any:
    b, left, right, result = d.builder, d.array(op.args[0]), d.array(op.args[1]), op.result.type
    unit = units.core_unit("matmul", (left.type.name,) * 3)
    rows, columns = len(left.dims) > 1, len(right.dims) > 1
    stack = [d.scalar(a) for a in op.args[2:]]
    lengths = [left.dims[-2] if rows else ONE, left.dims[-1], right.dims[-1] if columns else ONE]
    _exit_unless_small(d, op, largest_product(left.type.name), [*stack, lengths[0], lengths[2]], lengths[1])
    if op.attrs["function"] != "matmul":
        _exit_if_copied(d, op, (left, right))
    how = None if rows or columns else dots.way(left.type.name)
    if how is not None:
        return _of_one(d, op, left, right, _dot(d, op, how, left, right))
    made: list[ArrayValue] = []
    if isinstance(result, Array):
        made.append(new_array(d, op, op.result, [*stack, *lengths[:1] * rows, *lengths[2:] * columns], made))
    place = made[0].data if made else d.stack(2)
    *outer, inner = [_axis(op, axis, length, left, right, made[0]) for axis, length in enumerate(stack)] or [(ONE, ZERO, ZERO, ZERO)]
    steps = [*_walk(d, left, rows, True), *_walk(d, right, True, columns)]
    steps += _walk(d, made[0], rows, columns) if made else (ZERO, ZERO)
    words = [_words(d, (left.data, right.data, place)), _words(d, (inner[0], *lengths)), _words(d, (*inner[1:], *steps))]
    own = d.data_symbol(unit.data) if unit.data else PTR(None)
    further = _words(d, tuple(word for axis in outer for word in axis)) if outer else PTR(None)
    call(b, "pj_call_loop", ir.VoidType(), d.data_symbol(d.unit(unit)), *words, own, i64(len(outer)), further)
    exit_and_release(d, op, raised(d, op), made)
    return made[0] if made else _of_one(d, op, left, right, load_element(d, place, left.type.name))


def _exit_unless_small(d: Driver, op: Op, most: int, result: Sequence[Any], length: Any) -> None:
    """Leaves where the result has no elements, or it takes more multiplications. ``length``: of the vectors that are multiplied."""
    b = d.builder
    totals = list(itertools.accumulate((*result, length), b.mul))
    bad = [b.icmp_unsigned(">", n, i64(most)) for n in (*result, length, *totals[1:])]
    d.exit_if(op, functools.reduce(b.or_, bad, b.icmp_signed("==", totals[-2], ZERO)))


def _axis(op: Op, axis: int, length: Any, left: ArrayValue, right: ArrayValue, result: ArrayValue) -> tuple[Any, ...]:
    """An axis before the matrices: how long it is, and the steps along it."""
    steps = [result.steps[axis]]
    for array, stretch in zip((right, left), reversed(op.attrs["stretch"]), strict=True):
        own = axis - (len(op.args) - 2) + max(len(array.dims) - 2, 0)
        steps.insert(0, ZERO if own < 0 or own in stretch else array.steps[own])
    return (length, *steps)


def _exit_if_copied(d: Driver, op: Op, arrays: tuple[ArrayValue, ...]) -> None:
    """Leaves where np.dot does something else than matmul."""
    b = d.builder
    for array in arrays:
        for length in array.dims if len(array.dims) == 2 else ():
            d.exit_if(op, b.icmp_signed("==", length, ONE))
        if len(array.dims) == 1 and array.type.order not in ("C", "S"):
            d.exit_if(op, b.and_(b.icmp_signed("<=", array.steps[0], ZERO), b.icmp_signed("!=", array.dims[0], ONE)))


def _of_one(d: Driver, op: Op, left: ArrayValue, right: ArrayValue, product: Any) -> Any:
    """np.dot of vectors with one element multiplies these; the others add the product to 0, which shows where it is -0."""
    if op.attrs["function"] != "dot":
        return product
    b, dtype = d.builder, left.type.name
    with d.rarely(b.icmp_signed("==", left.dims[0], ONE)) as merge:
        alone = b.fmul(load_element(d, left.data, dtype), load_element(d, right.data, dtype))
    return merge.choose(product, alone)


def _dot(d: Driver, op: Op, how: dots.Way, left: ArrayValue, right: ArrayValue) -> Any:
    """A finite result has raised nothing that counts. Otherwise it is made once more, to see."""
    b, (length,), dtype = d.builder, left.dims, left.type.name
    symbol = d.unit(dots.unit(dtype, how.fused))

    def product() -> Any:
        return call(b, symbol, DTYPES[dtype], left.data, left.steps[0], right.data, right.steps[0], length, i64(how.few))

    made = product()
    if d.graph.errors_at(op).watched:
        with d.rarely(b.not_(is_finite(b, made))):
            call(b, "pj_fp_clear", ir.VoidType())
            product()
            d.exit_if(op, raised(d, op))
    return made


def _walk(d: Driver, array: ArrayValue, *there: bool) -> Iterator[Any]:
    b, matrix = d.builder, -there.count(True)
    axes = iter(zip(array.dims[matrix:], array.steps[matrix:], strict=True)) if matrix else iter(())
    for known in there:
        length, step = next(axes) if known else (ONE, ZERO)
        yield b.select(b.icmp_signed("==", length, ONE), ZERO, step)


def _words(d: Driver, values: tuple[Any, ...]) -> Any:
    place = d.stack(len(values))
    for number, value in enumerate(values):
        d.builder.store(value, d.builder.gep(place, [i64(number)], inbounds=True, source_etype=I64))
    return place

