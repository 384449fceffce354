"""np.histogram with bins of one width: csrc/histogram.c does it, in the steps that NumPy takes; whether it still does is found out by comparing."""

from __future__ import annotations

import ctypes
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from . import inner
from . import llvm_ir as ir
from .ints import ZERO
from .llvm import I64, PTR, call, i64
from .rows import row
from .whole import exit_and_release, new_array

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .arrays import ArrayValue
    from .driver import Driver

_POINTER, _WORD, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_EDGES = ctypes.PYFUNCTYPE(_WORD, _POINTER, _WORD, _DOUBLE, _DOUBLE, _WORD)
_PLACES = ctypes.PYFUNCTYPE(None, _POINTER, _POINTER, _WORD, _POINTER, _WORD, _WORD)
_HISTOGRAM = ctypes.PYFUNCTYPE(_WORD, _POINTER, _WORD, _POINTER, _WORD, _POINTER, _WORD, _WORD)


@functools.cache
def usable() -> bool:
    """Whether NumPy gives the same for samples: many elements that lie on an edge, and more than one block."""
    rng = np.random.default_rng(3)
    samples = [rng.standard_normal(400), rng.integers(-30, 30, 300) / 10, np.linspace(-0.7, 0.9, 211), rng.random(70000), np.full(3, 0.3), np.ones(1)]
    return all(_agrees(sample, bins, range) for sample in samples for bins in (1, 7, 10, 49) for range in (None, (-0.3, 0.3), (0.1, 0.1)))


def _agrees(sample: Any, bins: int, range: tuple[float, float] | None) -> bool:
    from pijit import _native

    weights = np.sqrt(np.arange(sample.size) + 0.1)
    helpers = _native.symbols()
    edges, places, counts, sums = np.empty(bins + 1), np.empty(sample.size, np.int32), np.empty(bins, np.int64), np.empty(bins)
    data, n = sample.ctypes.data, sample.size
    _EDGES(helpers["pj_edges"])(edges.ctypes.data, bins, *(range or (sample.min(), sample.max())), 0)
    _PLACES(helpers["pj_places"])(places.ctypes.data, edges.ctypes.data, bins, data, 8, n)
    made = _HISTOGRAM(helpers["pj_histogram"])
    made(counts.ctypes.data, bins, places.ctypes.data, n, None, 0, 0)
    made(sums.ctypes.data, bins, places.ctypes.data, n, weights.ctypes.data, 8, 0)
    expected = (*np.histogram(sample, bins, range), *np.histogram(sample, bins, range, weights=weights))
    return all(inner.equal(x, y) for x, y in zip(expected, (counts, edges, sums, edges), strict=True))


@row("edges")
def _edges(d: Driver, op: Op) -> ArrayValue:
    made = new_array(d, op, op.result, [d.scalar(op.args[-1])], [])
    bins = d.builder.sub(made.dims[0], i64(1))
    done = call(d.builder, "pj_edges", I64, made.data, bins, *map(d.scalar, op.args[:2]), i64(op.attrs["exact"]))
    exit_and_release(d, op, d.builder.icmp_signed("==", done, ZERO), [made])
    return made


@row("places")
def _places(d: Driver, op: Op) -> ArrayValue:
    a, edges = d.array(op.args[0]), d.array(op.args[1])
    made = new_array(d, op, op.result, [d.scalar(op.args[2])], [])
    bins = d.builder.sub(edges.dims[0], i64(1))
    call(d.builder, "pj_places", ir.VoidType(), made.data, edges.data, bins, a.data, *a.steps, *a.dims)
    return made


@row("histogram")
def _histogram(d: Driver, op: Op) -> ArrayValue:
    places, weights = d.array(op.args[0]), [d.array(arg) for arg in op.args[1:-1]]
    made = new_array(d, op, op.result, [d.scalar(op.args[-1])], [])
    data, steps = (weights[0].data, weights[0].steps) if weights else (PTR(None), [ZERO])
    watched = i64(d.graph.errors_at(op).watched)
    done = call(d.builder, "pj_histogram", I64, made.data, *made.dims, places.data, *places.dims, data, *steps, watched)
    exit_and_release(d, op, d.builder.icmp_signed("==", done, ZERO), [made])
    return made
