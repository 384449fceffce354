"""Reductions of C-contiguous arrays by NumPy's own inner loops, called as NumPy's reduction calls them.

A reduction sees the array as (before, n, after) and folds the middle axis. With one element after, each row of n is folded by one call
of the loop into one place (that is where NumPy adds pairwise); otherwise whole rows are folded into rows, one after the other:
csrc/fold.c. Whether NumPy starts from the identity or from the first element is found out by comparing.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from pijit.ground.records import dataclass

from ..ir.types import Array
from ..ir.ufuncs import nothing_is_something
from . import inner, units
from . import llvm_ir as ir
from .arrays import ArrayValue, load_element
from .elementwise import raised
from .llvm import I64, PTR, call, i64
from .rows import Unsupported, row
from .whole import exit_and_release, new_array, size

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

_FUNCTION = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 3)
_LOOP = ir.FunctionType(ir.VoidType(), [PTR] * 4)
_WHOLE = (1, 20001, 1)  # folded in three dimensions too
_SHAPES = ((1, 1), (1, 2), (1, 9), (1, 1025), _WHOLE[:2], (3, 2), (2, 127), (9, 3), (5, 7), (5, 8), (2, 9001))
_BLOCKS = ((1, 5, 2), (1, 40, 3), (1, 2, 9001), (1, 60, 40), (3, 4, 5), (2, 70, 2), (1, 1, 7), (1, 400, 2), (3, 9, 16), (3, 9, 17))


@dataclass(frozen=True, slots=True)
class Plan:
    """``first``: NumPy starts from the first element, else from the identity. ``adds``: how csrc/fold.c may add without the loop."""

    first: bool
    adds: int
    identity: bytes


_ADDS = {("add", "float64"): 1, ("add", "float32"): 2}


@functools.cache
def plan(ufunc: str, dtype: str) -> Plan | None:
    """How NumPy reduces; None where that is not known."""
    if not inner.usable(ufunc, (dtype,) * 3):
        return None
    adds = (_ADDS[ufunc, dtype], 0) if (ufunc, dtype) in _ADDS else (0,)
    starts = (True,) if getattr(np, ufunc).identity is None else (False, True)
    plans = (Plan(first, way, _identity(ufunc, dtype)) for way in adds for first in starts)
    return next((plan for plan in plans if _agrees(ufunc, dtype, plan)), None)


def _identity(ufunc: str, dtype: str) -> bytes:
    """The element that a reduction of nothing gives; no bytes where it is an error."""
    function = getattr(np, ufunc)
    return b"" if function.identity is None else function.reduce(np.empty(0, dtype)).astype(dtype).tobytes()


def _agrees(ufunc: str, dtype: str, plan: Plan) -> bool:
    loop = inner.find(ufunc, (dtype,) * 3)
    assert loop is not None
    with np.errstate(all="ignore"):
        for shape in (*((*s, 1) for s in _SHAPES), *_BLOCKS):
            for values in _samples(dtype, shape):
                flat = shape[2] == 1
                plain = values.reshape((shape[:2] if shape[0] > 1 else shape[1]) if flat else shape)
                expected = loop.ufunc.reduce(plain, axis=-1 if flat else 1)
                if np.asarray(expected).dtype != values.dtype:
                    return False
                folded = _folded(loop, values, plan)
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


def _folded(loop: inner.Loop, values: Any, plan: Plan) -> Any:
    from pijit import _native

    before, n, after = values.shape
    result = np.empty((before, after), values.dtype)
    words = [result.ctypes.data, values.ctypes.data, before, n, after, values.itemsize, after == 1, plan.first, plan.adds, *_words(plan)]
    block = (ctypes.c_int64 * len(words))(*words)
    _FUNCTION(_native.symbols()["pj_fold"])(loop.address, loop.data or None, ctypes.addressof(block))
    return result.ravel()


def _words(plan: Plan) -> tuple[int, ...]:
    """The identity as two words."""
    return struct.unpack("2q", plan.identity.ljust(16, b"\0"))


@row("reduce")
def _reduce(d: Driver, op: Op) -> Any:
    b, array, axis, ufunc = d.builder, d.array(op.args[0]), op.attrs["axis"], op.attrs["ufunc"]
    dtype, result = array.type.name, op.results[0].type
    how = plan(ufunc, dtype)
    if how is None or array.type.order != "C":
        raise Unsupported(f"np.{ufunc}.reduce of {array.type}")
    before, n, after = (size(b, array.dims[:axis]), array.dims[axis], size(b, array.dims[axis + 1 :])) if axis >= 0 else (
        i64(1), size(b, array.dims), i64(1)
    )  # fmt: skip
    d.exit_if(op, b.icmp_signed("==", size(b, [before, after] if nothing_is_something(result) and how.identity else array.dims), i64(0)))
    made: list[ArrayValue] = []
    if isinstance(result, Array):
        kept = [i64(1)] * op.attrs["keep"]
        made.append(new_array(d, op, op.result, [*array.dims[:axis], *kept, *array.dims[axis + 1 :]], made))
        place = made[0].data
    else:
        place = d.stack(2)
    _fold(d, ufunc, how, array, (before, n, after), place, rows=axis in (-1, array.type.ndim - 1))
    if dtype[0] in "fc":
        exit_and_release(d, op, raised(d, op), made)
    return made[0] if made else load_element(d, place, dtype)


def _fold(d: Driver, ufunc: str, how: Plan, array: ArrayValue, shape: tuple[Any, Any, Any], place: Any, rows: bool) -> None:
    """``rows``: one element after the axis."""
    b, dtype = d.builder, array.type.name
    unit = units.loop_unit(ufunc, (dtype,) * 3)
    symbol = d.unit(unit)
    loop = d.module.globals.get(symbol) or ir.Function(d.module, _LOOP, symbol)
    data = d.data_symbol(unit.data) if unit.data else PTR(None)
    call(b, "pj_fp_clear", ir.VoidType())
    numbers = (array.type.dtype.itemsize, rows, how.first, how.adds, *_words(how))
    words = [b.ptrtoint(place, I64), b.ptrtoint(array.data, I64), *shape, *map(i64, numbers)]
    call(b, "pj_fold", ir.VoidType(), loop, data, d.dims_on_stack(words)[0])
