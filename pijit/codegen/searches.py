"""Where numbers belong among sorted ones: csrc/search.c does it, in the steps that NumPy takes, which is found out by comparing."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from . import inner
from . import llvm_ir as ir
from .arrays import ArrayValue, load_element, store_element
from .ints import ONE, ZERO
from .llvm import I64, call, i64
from .rows import row
from .whole import exit_and_release, new_array, size

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

# As search.c has them.
_RIGHT, _BINS, _IN_TURN, _FLOATS = 1, 2, 4, 16
_POINTER, _WORD, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_SEARCH = ctypes.PYFUNCTYPE(_WORD, *[_POINTER] * 4)
_INTERP = ctypes.PYFUNCTYPE(None, _POINTER, _POINTER, _WORD, _WORD, _POINTER, _POINTER, _WORD, _DOUBLE, _DOUBLE)


def _kind(dtype: Any) -> int:
    return int(dtype.itemsize) + _FLOATS if dtype.kind == "f" else int(-dtype.itemsize if dtype.kind == "i" else dtype.itemsize)


@functools.cache
def way() -> int | None:
    """How NumPy goes on from one search to the next, which shows among numbers that are not sorted; None where it does otherwise."""
    return next((way for way in (0, _IN_TURN) if all(_agrees(way, *sample) for sample in _samples())), None)


def _samples() -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(4)
    odd = np.array([np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0])
    samples = []
    for n in (0, 1, 2, 3, 17, 64, 65, 130):
        for m in (1, 40, 200):
            a, v = rng.integers(-50, 50, n), rng.integers(-60, 60, m)
            floats = np.where(rng.random(m) < 0.3, odd[rng.integers(0, 6, m)], v / 4)
            samples += [(a, v), (np.sort(a), v), (a / 4, floats), (np.sort(np.r_[a / 4, odd]), floats)]
            samples += [(np.sort(a.astype("u1"))[::-1], v.astype("u1"))]
    return samples


def _agrees(way: int, a: Any, v: Any) -> bool:
    function = _SEARCH(_native.symbols()["pj_search"])
    made = np.empty(len(v), np.int64)
    for side in ("left", "right"):
        block = np.array([_kind(a.dtype), a.strides[0], len(a), v.strides[0], len(v), way | _RIGHT * (side == "right")])
        function(made.ctypes.data, a.ctypes.data, v.ctypes.data, block.ctypes.data)
        if not (made == np.searchsorted(a, v, side)).all():
            return False
    return True


@functools.cache
def interpolates() -> bool:
    """Whether NumPy does as pj_interp."""
    rng = np.random.default_rng(5)
    function = _INTERP(_native.symbols()["pj_interp"])
    x = np.r_[rng.integers(-20, 20, 60) / 3, rng.standard_normal(100) * 5, np.nan, np.inf, -np.inf, 0.0, -0.0]
    for n in (1, 2, 4, 5, 12, 30, 200):
        xp, fp = np.sort(rng.integers(-25, 25, n) / 3), rng.standard_normal(n)
        odd = np.where(rng.random(n) < 0.2, np.inf, fp)
        for points, values in ((xp, fp), (xp, odd), (rng.permutation(xp), fp), (np.where(rng.random(n) < 0.1, np.nan, xp), fp)):
            made = np.empty(len(x))
            function(made.ctypes.data, x.ctypes.data, 8, len(x), points.ctypes.data, values.ctypes.data, n, -1.5, 2.5)
            if not inner.equal(made, np.interp(x, points, values, -1.5, 2.5)):
                return False
    return True


def _looked_for(d: Driver, op: Op) -> tuple[Any, Any, Any, Any]:
    """Where what is looked for lies, its step and length, and what is made."""
    looked = d.value(op.args[0])
    if isinstance(looked, ArrayValue):
        step = looked.steps[0] if looked.type.ndim == 1 else i64(looked.type.dtype.itemsize)
        dims = [d.scalar(arg) for arg in op.args[len(op.args) - looked.type.ndim :]]
        return looked.data, step, size(d.builder, looked.dims), new_array(d, op, op.result, dims, [])
    place = d.stack(2)
    store_element(d, place, looked)
    return place, ZERO, ONE, None


@row("search")
def _search(d: Driver, op: Op) -> Any:
    b, a = d.builder, d.array(op.args[1])
    data, step, count, made = _looked_for(d, op)
    how = (way() or 0) | _RIGHT * (op.attrs["side"] == "right") | _BINS * op.attrs["bins"]
    block = d.dims_on_stack([i64(_kind(a.type.dtype)), *a.steps, *a.dims, step, count, i64(how)])[0]
    target = made.data if made else d.stack(1)
    done = call(b, "pj_search", I64, target, a.data, data, block)
    if op.attrs["bins"]:
        exit_and_release(d, op, b.icmp_signed("==", done, ZERO), [made] if made else [])
    return made or load_element(d, target, "int64")


@row("interp")
def _interp(d: Driver, op: Op) -> Any:
    xp, fp = map(d.array, op.args[1:3])
    data, step, count, made = _looked_for(d, op)
    target = made.data if made else d.stack(1)
    ends = map(d.scalar, op.args[3:5])
    call(d.builder, "pj_interp", ir.VoidType(), target, data, step, count, xp.data, fp.data, xp.dims[0], *ends)
    return made or load_element(d, target, "float64")
