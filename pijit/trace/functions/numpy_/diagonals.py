"""Diagonals of matrices: what lies on them, matrices that have something there, and what lies on one side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.graph import Const, Value, const
from ....ir.types import INT, Array, Np
from ... import elementwise, slicing
from ...values import Abstract, ArrayValue, Known, Scalar
from ..rows import index, scalar_kind
from .arrays import contiguous
from .composing import Given, composed, ew
from .creation import dtype_of, new
from .ranges import ramp
from .reductions import asked, packed, reduced

if TYPE_CHECKING:
    from ...tracer import Tracer

_INTS = ("int", "i")


def _offset(given: Given, name: str) -> int | None:
    """Which diagonal: a known one."""
    k = given.get(name, Known(0))
    return k.value if isinstance(k, Known) and type(k.value) is int and abs(k.value) < 2**31 else None


def _matrix(given: Abstract | None) -> ArrayValue | None:
    return given if isinstance(given, ArrayValue) and len(given.dims) == 2 else None


def _diagonal(t: Tracer, a: ArrayValue, k: int, writable: bool) -> ArrayValue:
    """The view of a matrix, k places above its main diagonal."""
    from ...addresses import add, multiply

    down, across = (slicing.stride_of(t, a, axis) for axis in (0, 1))
    rows, columns = (_less(t, dim, places) for dim, places in zip(a.dims, (max(-k, 0), max(k, 0)), strict=True))
    count = t.emit("raw_max", (t.emit("raw_min", (rows, columns), INT), const(0)), INT)
    offset = multiply(t, across if k > 0 else down, const(abs(k)))
    type = Array(a.type.name, 1, "A" if a.type.order == "A" else "S", writable)
    return ArrayValue(t.emit("view", (a.value, offset, count, add(t, down, across)), type, axes=((0, 1, 1, 1),)), (count,))


def _less(t: Tracer, dim: Value, places: int) -> Value:
    from ...addresses import add

    return add(t, dim, const(-places)) if places else dim


def _plain(given: Given) -> bool:
    """Whether it is the diagonal of the first two axes, in the same dtype."""
    axes = [given.get(name, Known(default)) for name, default in (("axis1", 0), ("axis2", 1))]
    return all(isinstance(axis, Known) and axis.value in expected for axis, expected in zip(axes, ((0, -2), (1, -1)), strict=True))


@composed((np.diagonal, np.ndarray.diagonal), "a", "offset", "axis1", "axis2")
def _diagonal_of(t: Tracer, given: Given) -> Abstract | None:
    a, k = _matrix(given.get("a")), _offset(given, "offset")
    return _diagonal(t, a, k, writable=False) if a is not None and k is not None and _plain(given) else None


@composed((np.trace, np.ndarray.trace), "a", "offset", "axis1", "axis2")
def _trace(t: Tracer, given: Given) -> Abstract | None:
    """Where NumPy adds in the dtype that there is."""
    a, k = _matrix(given.get("a")), _offset(given, "offset")
    if a is None or k is None or not _plain(given) or a.type.dtype.kind not in "iufc" or not t.limits.reduce("add", a.type.name):
        return None
    fold = asked(t, "add", {"a": packed(t, _diagonal(t, a, k, writable=False))})
    return None if fold is None else reduced(t, "add", fold)


@composed(np.diag, "v", "k")
def _diag(t: Tracer, given: Given) -> Abstract | None:
    v, k = given.get("v"), _offset(given, "k")
    if not isinstance(v, ArrayValue) or k is None or len(v.dims) not in (1, 2):
        return None
    if len(v.dims) == 2:
        return _diagonal(t, v, k, writable=False)
    n = _less(t, v.dims[0], -abs(k))
    made = new(t, (n, n), v.type.dtype, "C", _element(v.type.dtype, 0))
    elementwise.assign(t, _diagonal(t, made, k, writable=True), v)
    return made


def _element(dtype: np.dtype[Any], value: int) -> Const:
    return Const(Np(dtype.name), dtype.type(value))


@composed(np.eye, "N", "M", "k", "dtype")
def _eye(t: Tracer, given: Given) -> Abstract | None:
    dims, k, dtype = _shape(t, given), _offset(given, "k"), dtype_of(given.get("dtype"), float)
    if dims is None or k is None or dtype is None:
        return None
    made = new(t, dims, dtype, "C", _element(dtype, 0))
    elementwise.assign(t, _diagonal(t, made, k, writable=True), Scalar(_element(dtype, 1)))
    return made


@composed(np.identity, "n", "dtype")
def _identity(t: Tracer, given: Given) -> Abstract | None:
    return _eye(t, {"N": given["n"], **given}) if "n" in given else None


def _shape(t: Tracer, given: Given) -> tuple[Value, Value] | None:
    """How many rows and columns; none of them less than 0."""
    from ...addresses import compare

    rows, columns = given.get("N"), given.get("M")
    if columns is None or (isinstance(columns, Known) and columns.value is None):
        columns = rows
    if rows is None or columns is None or scalar_kind(rows) not in _INTS or scalar_kind(columns) not in _INTS:
        return None
    dims = tuple(index(t, number, "shape") for number in (rows, columns))
    if any(isinstance(dim, Const) and dim.value < 0 for dim in dims):
        return None
    for dim in dims:
        if not isinstance(dim, Const):
            t.check(compare(t, ">=", dim, const(0)), "shape_mismatch")
    return dims[0], dims[1]


def _below(t: Tracer, dims: tuple[Value, ...], k: int) -> ArrayValue:
    """Whether an element is on the k-th diagonal or below it."""
    rows = contiguous(t, ramp(t, dims[0], const(0), const(1), "int64"), (dims[0], const(1)))
    return ew(t, "greater_equal", rows, ramp(t, dims[1], const(-k), const(1), "int64"))


def _can(t: Tracer) -> bool:
    return elementwise.native(t, "greater_equal", (np.dtype("int64"), np.dtype("int64"), np.dtype("bool")))


@composed(np.tri, "N", "M", "k", "dtype")
def _tri(t: Tracer, given: Given) -> Abstract | None:
    dims, k, dtype = _shape(t, given), _offset(given, "k"), dtype_of(given.get("dtype"), float)
    if dims is None or k is None or dtype is None or not _can(t) or not t.limits.elementwise("cast", ("bool", dtype.name)):
        return None
    return elementwise.converted(t, _below(t, dims, k), dtype.name)


@composed(np.tril, "m", "k")
def _lower(t: Tracer, given: Given) -> Abstract | None:
    return _side(t, given, 0)


@composed(np.triu, "m", "k")
def _upper(t: Tracer, given: Given) -> Abstract | None:
    return _side(t, given, -1)


def _side(t: Tracer, given: Given, further: int) -> Abstract | None:
    """What is on the k-th diagonal and below it; with -1 above it, which begins one further down. The rest is 0."""
    m, k = given.get("m"), _offset(given, "k")
    if not isinstance(m, ArrayValue) or len(m.dims) < 2 or k is None or m.type.order not in ("C", "S") or not _can(t):
        return None
    dtype, zero = m.type.dtype, Scalar(_element(m.type.dtype, 0))
    if not t.limits.elementwise("where", ("bool", *[dtype.name] * 3)):
        return None
    sides = [m, zero] if further == 0 else [zero, m]
    return elementwise.emit(t, "where", [_below(t, m.dims[-2:], k + further), *sides], (np.dtype(bool), dtype, dtype, dtype), "C")
