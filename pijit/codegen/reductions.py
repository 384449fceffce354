"""Reductions of C-contiguous arrays by NumPy's own inner loops, called as NumPy's reduction calls them.

A reduction sees the array as (before, n, after) and folds the middle axis. With one element after, each row of n is folded by one call
of the loop into one place (that is where NumPy adds pairwise); otherwise whole rows are folded into rows, one after the other. Whether
NumPy starts from the identity or from the first element is found out by comparing.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir

from ..ir.types import Array
from . import inner, units
from .arrays import ArrayValue, load_element, store_element
from .elementwise import raised
from .llvm import I8, I64, PTR, call, constant, i64
from .loops import nest
from .rows import Unsupported, row
from .whole import exit_and_release, new_array, size

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

_FUNCTION = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 4)
_WHOLE = (1, 20001, 1)  # folded in three dimensions too
_SHAPES = ((1, 1), (1, 2), (1, 9), (1, 1025), _WHOLE[:2], (3, 2), (2, 127), (9, 3), (2, 9001))
_BLOCKS = ((1, 5, 2), (1, 40, 3), (1, 2, 9001), (1, 60, 40), (3, 4, 5), (2, 70, 2), (1, 1, 7), (1, 400, 2))


@functools.cache
def plan(ufunc: str, dtype: str) -> str | None:
    """How NumPy starts: "identity" or "first"; None where it is not known to be either."""
    if not inner.usable(ufunc, (dtype,) * 3):
        return None
    candidates = ("first",) if getattr(np, ufunc).identity is None else ("identity", "first")
    return next((start for start in candidates if _agrees(ufunc, dtype, start)), None)


def _agrees(ufunc: str, dtype: str, start: str) -> bool:
    loop = inner.find(ufunc, (dtype,) * 3)
    assert loop is not None
    folder = _FUNCTION(loop.address)
    with np.errstate(all="ignore"):
        for shape in (*((*s, 1) for s in _SHAPES), *_BLOCKS):
            for values in _samples(dtype, shape):
                flat = shape[2] == 1
                plain = values.reshape((shape[:2] if shape[0] > 1 else shape[1]) if flat else shape)
                expected = loop.ufunc.reduce(plain, axis=-1 if flat else 1)
                if np.asarray(expected).dtype != values.dtype:
                    return False
                folded = _folded(folder, loop, values, start)
                if not inner.equal(np.ravel(expected), folded):
                    return False
                if shape == _WHOLE and not inner.equal(np.ravel(loop.ufunc.reduce(values.reshape(3, 59, -1), axis=None)), folded):
                    return False
    return True


def _samples(dtype: str, shape: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(sum(shape))
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 3, shape)
    made = [(values * (20 if dtype[0] in "iu" else 1)).astype(dtype)]
    if dtype[0] in "fc":
        made += [np.full(shape, -0.0, dtype), rng.choice([0.0, -0.0, np.nan, np.inf, 1.0], shape).astype(dtype)]
        made.append(rng.choice([0.0, -0.0], shape).astype(dtype))
    return made


def _folded(folder: Any, loop: inner.Loop, values: Any, start: str) -> Any:
    before, n, after = values.shape
    result = np.empty((before, after), values.dtype)
    first = int(start == "first")
    result[...] = values[:, 0] if first else loop.ufunc.identity
    step = values.itemsize
    length, steps = (n - first, (0, step, 0)) if after == 1 else (after, (step,) * 3)
    for i, j in itertools.product(range(before), (0,) if after == 1 else range(n - first)):
        target, source = result[i].ctypes.data, values[i].ctypes.data + (first + j) * step * after
        words = [(ctypes.c_int64 * 3)(target, source, target), ctypes.c_int64(length), (ctypes.c_int64 * 3)(*steps)]
        folder(*map(ctypes.addressof, words), loop.data or None)
    return result.ravel()


@row("reduce")
def _reduce(d: Driver, op: Op) -> Any:
    b, array, axis, ufunc = d.builder, d.array(op.args[0]), op.attrs["axis"], op.attrs["ufunc"]
    dtype, result = array.type.name, op.results[0].type
    start = plan(ufunc, dtype)
    if start is None or array.type.order != "C":
        raise Unsupported(f"np.{ufunc}.reduce of {array.type}")
    before, n, after = (size(b, array.dims[:axis]), array.dims[axis], size(b, array.dims[axis + 1 :])) if axis >= 0 else (
        i64(1), size(b, array.dims), i64(1)
    )  # fmt: skip
    d.exit_if(op, b.icmp_signed("==", size(b, array.dims), i64(0)))
    made: list[ArrayValue] = []
    if isinstance(result, Array):
        kept = [i64(1)] if op.attrs["keep"] else []
        made.append(new_array(d, op, result, [*array.dims[:axis], *kept, *array.dims[axis + 1 :]], made))
        place = made[0].data
    else:
        place = d.stack(2)
    _fold(d, ufunc, start, array, (before, n, after), place, rows=axis in (-1, array.type.ndim - 1))
    if dtype[0] in "fc":
        exit_and_release(d, op, raised(d, op), made)
    return made[0] if made else load_element(d, place, dtype)


def _fold(d: Driver, ufunc: str, start: str, array: ArrayValue, shape: tuple[Any, Any, Any], place: Any, rows: bool) -> None:
    """``rows``: one element after the axis."""
    b, dtype, width = d.builder, array.type.name, i64(array.type.dtype.itemsize)
    before, n, after = shape
    unit = units.loop_unit(ufunc, (dtype,) * 3)
    symbol = d.unit(unit)
    first = int(start == "first")
    rest = b.sub(n, i64(first))
    pointers, steps, count = d.stack(3), d.stack(3), d.stack(1)
    for number, step in enumerate((i64(0), width, i64(0)) if rows else (width,) * 3):
        b.store(step, _word(b, steps, number))
    b.store(rest if rows else after, count)
    call(b, "pj_fp_clear", ir.VoidType())
    with nest(d, [before]) as (i,):
        target = _at(b, place, b.mul(i, b.mul(after, width)))
        source = _at(b, array.data, b.mul(i, b.mul(b.mul(n, after), width)))
        begin = source
        if not first:
            begin = d.stack(2)
            store_element(d, begin, constant(array.type.element, getattr(np, ufunc).identity))
        block = d.dims_on_stack([after, width, width if first else i64(0)])[0]
        call(b, "pj_spread", I64, target, begin, width, i64(1), block)
        with nest(d, [i64(1) if rows else rest]) as (j,):
            row_at = _at(b, source, b.mul(b.add(j, i64(first)), b.mul(after, width)))
            for number, value in enumerate((target, row_at, target)):
                b.store(value, _word(b, pointers, number))
            data = d.data_symbol(unit.data) if unit.data else PTR(None)
            call(b, symbol, ir.VoidType(), pointers, count, steps, data)


def _at(b: Any, pointer: Any, offset: Any) -> Any:
    return b.gep(pointer, [offset], inbounds=True, source_etype=I8)


def _word(b: Any, array: Any, number: int) -> Any:
    return b.gep(array, [i64(number)], inbounds=True, source_etype=I64)
