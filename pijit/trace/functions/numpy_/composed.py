"""Functions that NumPy writes in Python, of operations that there are natively: differences, integrals, products of vectors, what is close.

Each does what NumPy's does, in its order; it is one instruction of the program, so whatever NumPy would warn of or refuse is done again by NumPy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ground.names import is_one_of
from ....ir.graph import Value, const
from ....ir.types import BOOL
from ... import elementwise, operators, products, slicing, standins, subscripts
from ...values import Abstract, ArrayValue, Known, Scalar, value_of
from ..rows import scalar_kind
from . import linear, moments
from .arrays import contiguous, length, permuted
from .composing import WHOLE, Given, array_of, axis_of, can, composed, ew, is_short, part
from .creation import new
from .reductions import asked, reduced

if TYPE_CHECKING:
    from ...tracer import Tracer

_MOST = 4  # differences of differences


def _at(t: Tracer, a: ArrayValue, axis: int, index: int) -> ArrayValue:
    """a[index : index + 1] along an axis, which is that long."""
    return part(t, a, axis, index, index + 1 if index != -1 else None)


@composed(np.diff, "a", "n", "axis")
def _differences(t: Tracer, given: Given) -> Abstract | None:
    a, times = array_of("iufc", given.get("a")), given.get("n", Known(1))
    if a is None or not isinstance(times, Known) or type(times.value) is not int or not 0 < times.value <= _MOST:
        return None
    axis = axis_of(given, len(a.dims))
    if axis is None or not can(t, a.type.dtype, "subtract") or is_short(t, a.dims[axis], times.value + 1):
        return None
    for _ in range(times.value):
        a = ew(t, "subtract", part(t, a, axis, 1, None), part(t, a, axis, None, -1))
    return a


@composed(np.ediff1d, "ary")
def _differences_of_vector(t: Tracer, given: Given) -> Abstract | None:
    a = given.get("ary")
    return _differences(t, {"a": a}) if isinstance(a, ArrayValue) and len(a.dims) == 1 else None


@composed(np.tensordot, "a", "b", "axes")
def _tensor_product(t: Tracer, given: Given) -> Abstract | None:
    """Of matrices along one axis: np.dot, whose result NumPy reshapes."""
    a, b, axes = given.get("a"), given.get("b"), given.get("axes", Known(2))
    if not isinstance(axes, Known) or type(axes.value) is not int or axes.value != 1:
        return None
    if not isinstance(a, ArrayValue) or not isinstance(b, ArrayValue) or len(a.dims) != 2 or len(b.dims) != 2 or a.type.order != b.type.order != "C":
        return None
    made = products.dot(t, "dot", a, b)
    return contiguous(t, made, made.dims) if isinstance(made, ArrayValue) else None


@composed(np.gradient, "f", "dx", "axis")
def _gradient(t: Tracer, given: Given) -> Abstract | None:
    """Along one axis, with one distance."""
    from ...addresses import compare

    f, dx = array_of("f", given.get("f")), given.get("dx", Known(1.0))
    if f is None or ("axis" not in given and len(f.dims) > 1) or not can(t, f.type.dtype, "subtract", "divide"):
        return None
    axis = axis_of(given, len(f.dims))
    if axis is None or is_short(t, f.dims[axis], 3) or scalar_kind(dx) not in ("int", "float"):
        return None
    distance = value_of(dx)
    assert distance is not None
    twice = operators.binary(t, "*", Known(2.0), dx)
    t.check(compare(t, ">=", f.dims[axis], const(3)), "short_axis")
    made = new(t, f.dims, f.type.dtype, "C", None)
    inner = ew(t, "divide", ew(t, "subtract", part(t, f, axis, 2, None), part(t, f, axis, None, -2)), twice)
    elementwise.assign(t, part(t, made, axis, 1, -1), inner)
    for here, after, before in ((0, 1, 0), (-1, -1, -2)):
        edge = ew(t, "divide", ew(t, "subtract", _at(t, f, axis, after), _at(t, f, axis, before)), dx)
        elementwise.assign(t, _at(t, made, axis, here), edge)
    return made


@composed(np.trapezoid, "y", "x", "dx")
def _trapezoid(t: Tracer, given: Given) -> Abstract | None:
    """Of vectors."""
    y, x, dx = array_of("f", given.get("y")), given.get("x", Known(None)), given.get("dx", Known(1.0))
    if y is None or len(y.dims) != 1 or is_short(t, y.dims[0], 2) or not can(t, y.type.dtype, "add", "multiply", "divide"):
        return None
    if not t.limits.reduce("add", y.type.name):
        return None
    width: Abstract | None = dx if scalar_kind(dx) in ("int", "float") else None
    if not (isinstance(x, Known) and x.value is None):
        same = isinstance(x, ArrayValue) and x.type.name == y.type.name and len(x.dims) == 1
        width = _differences(t, {"a": x}) if same else None
    if width is None:
        return None
    sums = ew(t, "add", part(t, y, 0, 1, None), part(t, y, 0, None, -1))
    fold = asked(t, "add", {"a": ew(t, "divide", ew(t, "multiply", width, sums), Known(2.0))})
    return None if fold is None else reduced(t, "add", fold)


@composed(np.ptp, "a", "axis", "keepdims")
def _spread(t: Tracer, given: Given) -> Abstract | None:
    a = array_of("f", given.get("a"))
    folds = [asked(t, ufunc, given) for ufunc in ("maximum", "minimum")] if a is not None else [None]
    if a is None or not can(t, a.type.dtype, "subtract") or any(fold is None for fold in folds):
        return None
    high, low = (reduced(t, ufunc, fold) for ufunc, fold in zip(("maximum", "minimum"), folds, strict=True) if fold is not None)
    if isinstance(high, Scalar):
        return operators.numpy_scalars(t, "subtract", np.subtract, high, low)
    return ew(t, "subtract", high, low)


@composed(np.linalg.norm, "x", "ord", "axis", "keepdims")
def _norm(t: Tracer, given: Given) -> Abstract | None:
    """The square root of what is added up along an axis, or of all."""
    x, order = given.get("x"), given.get("ord", Known(None))
    if given.keys() == {"x"}:
        return linear.norm(t, x)
    plain = isinstance(order, Known) and (order.value is None or (type(order.value) is int and order.value == 2))
    x = array_of("f", x)
    if x is None or not plain or "axis" not in given or axis_of(given, len(x.dims)) is None or not can(t, x.type.dtype, "multiply"):
        return None
    if len(x.dims) < 2 or not t.limits.elementwise("sqrt", (x.type.name, x.type.name)):
        return None
    fold = asked(t, "add", {"a": ew(t, "multiply", x, x), **{name: given[name] for name in ("axis", "keepdims") if name in given}})
    return None if fold is None else elementwise.attempt(t, "sqrt", reduced(t, "add", fold))


@composed(np.cross, "a", "b")
def _cross(t: Tracer, given: Given) -> Abstract | None:
    """Of vectors of three, or of rows of such."""
    from ...addresses import compare

    a, b = array_of("f", given.get("a")), array_of("f", given.get("b"))
    if a is None or b is None or a.type.name != b.type.name or not can(t, a.type.dtype, "multiply", "subtract"):
        return None
    if any(standins.actual_length(t, x.dims[-1]) not in (None, 3) for x in (a, b)):
        return None
    for x in (a, b):
        t.check(compare(t, "==", x.dims[-1], const(3)), "shape_mismatch")
    parts = [[_component(t, x, n) for n in range(3)] for x in (a, b)]
    components = []
    for n in range(3):
        (a1, b1), (a2, b2) = ([x[(n + k) % 3] for x in parts] for k in (1, 2))
        components.append(_times(t, "subtract", _times(t, "multiply", a1, b2), _times(t, "multiply", a2, b1)))
    first = components[0]
    dims = first.dims if isinstance(first, ArrayValue) else ()
    made = new(t, (*dims, const(3)), a.type.dtype, "C", None)
    for n, component in enumerate(components):
        if isinstance(component, ArrayValue):
            elementwise.assign(t, _component(t, made, n), component)
        else:
            number = value_of(component)
            assert number is not None
            t.emit("store", (made.value, number, const(n)))
    return permuted(t, made, tuple(range(len(made.dims))))  # NumPy moves the last axis to where it is


def _component(t: Tracer, x: ArrayValue, n: int) -> Any:
    """x[..., n]."""
    if len(x.dims) == 1:
        return subscripts.element(t, x, const(n))
    return slicing.view(t, x, [*[WHOLE] * (len(x.dims) - 1), ("index", const(n))], checked=True)


def _times(t: Tracer, ufunc: str, x: Any, y: Any) -> Any:
    if isinstance(x, ArrayValue) or isinstance(y, ArrayValue):
        return ew(t, ufunc, x, y)
    return operators.numpy_scalars(t, ufunc, getattr(np, ufunc), x, y)


@composed(np.average, "a", "axis", "weights")
def _average(t: Tracer, given: Given) -> Abstract | None:
    """Of a vector with weights; without them it is the mean."""
    from ...addresses import compare

    absent = given.get("weights", Known(None))
    if isinstance(absent, Known):
        whole = given.get("a")
        if absent.value is not None or not isinstance(whole, ArrayValue):
            return None
        t.check(compare(t, ">", length(t, whole.dims), const(0)), "shape_mismatch")
        return moments.mean(t, {name: value for name, value in given.items() if name != "weights"})
    a, weights, axis = array_of("f", given.get("a")), array_of("f", given.get("weights")), given.get("axis", Known(None))
    if a is None or weights is None or a.type.name != weights.type.name or len(a.dims) != 1 or len(weights.dims) != 1:
        return None
    if not isinstance(axis, Known) or axis.value is not None or not can(t, a.type.dtype, "multiply") or weights.type.order != "C":
        return None
    t.check(compare(t, "==", a.dims[0], weights.dims[0]), "shape_mismatch")
    folds = [asked(t, "add", {"a": array}) for array in (weights, ew(t, "multiply", a, weights))]
    if None in folds:
        return None
    total, weighted = (reduced(t, "add", fold) for fold in folds if fold is not None)
    some = operators.truth(t, operators.numpy_scalars(t, "not_equal", np.not_equal, total, Known(0.0)))
    assert isinstance(some, Value)
    t.check(some, "zero_division")
    return operators.numpy_scalars(t, "true_divide", np.true_divide, weighted, total)


def _close(t: Tracer, given: Given) -> ArrayValue | None:
    """Of arrays of one dtype, or an array and a known number; what is not finite raises flags of which NumPy does not tell."""
    a, b = array_of("f", given.get("a")), given.get("b")
    tolerances = [given.get(name, Known(default)) for name, default in (("rtol", 1e-5), ("atol", 1e-8))]
    numbers = [number.value for number in tolerances if isinstance(number, Known) and type(number.value) is float]
    if a is None or b is None or len(numbers) != 2 or not all(map(math.isfinite, numbers)):
        return None
    if not can(t, a.type.dtype, "subtract", "multiply", "add") or not elementwise.native(t, "absolute", (a.type.dtype,) * 2):
        return None
    rtol, atol = numbers
    if isinstance(b, Known) and is_one_of(type(b.value), (int, float)) and abs(b.value) < 2**53:
        return _either(t, ew(t, "less_equal", _apart(t, a, b), Known(atol + rtol * abs(float(b.value)))), ew(t, "equal", a, b))
    y = array_of("f", b)
    if y is None or y.type.name != a.type.name:
        return None
    limit = ew(t, "add", ew(t, "multiply", ew(t, "absolute", y), Known(rtol)), Known(atol))
    near = ew(t, "bitwise_and", ew(t, "less_equal", _apart(t, a, y), limit), ew(t, "isfinite", y))
    return _either(t, near, ew(t, "equal", a, y))


def _apart(t: Tracer, x: Abstract, y: Abstract) -> ArrayValue:
    return ew(t, "absolute", ew(t, "subtract", x, y))


def _either(t: Tracer, one: ArrayValue, other: ArrayValue) -> ArrayValue:
    return ew(t, "bitwise_or", one, other)


@composed(np.isclose, "a", "b", "rtol", "atol")
def _are_close(t: Tracer, given: Given) -> Abstract | None:
    close = _close(t, given)
    return None if close is None else permuted(t, close, tuple(range(len(close.dims))))  # result[()]


@composed(np.allclose, "a", "b", "rtol", "atol")
def _all_are_close(t: Tracer, given: Given) -> Abstract | None:
    return _whether_all(t, _close(t, given))


@composed(np.array_equal, "a1", "a2")
def _equal(t: Tracer, given: Given) -> Abstract | None:
    from ...addresses import compare

    a, b = (array_of("biufc", given.get(name)) for name in ("a1", "a2"))
    if a is None or b is None or len(a.dims) != len(b.dims):
        return None
    made = elementwise.attempt(t, "equal", a, b)
    for mine, other in zip(a.dims, b.dims, strict=True):
        t.check(compare(t, "==", mine, other), "shape_mismatch")
    return _whether_all(t, made)


def _whether_all(t: Tracer, array: Abstract | None) -> Abstract | None:
    """bool(array.all())."""
    fold = asked(t, "logical_and", {"a": array}) if isinstance(array, ArrayValue) else None
    made = None if fold is None else value_of(reduced(t, "logical_and", fold))
    return None if made is None else Scalar(operators.cast(t, made, BOOL))
