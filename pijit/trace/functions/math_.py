"""The math module.

Native are the functions for which CPython calls the C library, and those that are exact; of the others, which are CPython's own code, those that take
numbers and give a float (hypot, dist, gamma, ...) are called without more ado (`ir/called.py`), and the rest as any pure function is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...ir.called import CALLED, MOST, OF_INTS
from ...ir.types import BOOL, FLOAT, INT, Type
from .. import objects, opaque, operators
from ..tables import CALLABLES, PURE
from ..values import Abstract, Known, Scalar, items_of
from .builtins_ import to_float
from .rows import abstract, fold, index, row, scalar_kind

if TYPE_CHECKING:
    from ..tracer import Tracer

# name -> numbers of arguments; those of an older CPython lack some
_FLOATS = {
    "acos": 1, "acosh": 1, "asin": 1, "asinh": 1, "atan": 1, "atanh": 1, "cbrt": 1, "cos": 1, "cosh": 1, "erf": 1, "erfc": 1,
    "exp": 1, "exp2": 1, "expm1": 1, "log": 1, "log10": 1, "log1p": 1, "log2": 1, "sin": 1, "sinh": 1, "tan": 1, "tanh": 1,
    "sqrt": 1, "fabs": 1, "degrees": 1, "radians": 1,
    "atan2": 2, "fmod": 2, "pow": 2, "remainder": 2, "copysign": 2, "nextafter": 2,
}  # fmt: skip
_TESTS = ("isnan", "isinf", "isfinite")
_ROUNDINGS = ("floor", "ceil", "trunc")
_WHOLE = frozenset({"int", "bool", "i", "u"})
_REAL = _WHOLE | {"float", "f", "b"}
_KINDS: dict[Type, frozenset[str]] = {FLOAT: _REAL, INT: frozenset({"int", "bool"})}
# Only cheap ones are folded.
_CALLED = frozenset(name for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_"))


def _floating(name: str, count: int, type_: Type) -> None:
    function = getattr(math, name)

    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        # log(x, base) too is two logarithms and a division
        native = not kwargs and (len(args) == count or (name == "log" and len(args) == 2))
        if not native or any(scalar_kind(a) in ("", "c") for a in args):
            return opaque.call_pure(t, function, args, kwargs)
        folded = fold(function, args)
        if folded is not None:
            return folded
        values = tuple(to_float(t, a) for a in args)
        return Scalar(t.emit("math", values, type_, name=name))


def _rounding(name: str) -> None:
    function = getattr(math, name)

    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        kinds = [scalar_kind(a) for a in args]
        folded = fold(function, args) if len(args) == 1 and not kwargs else None
        if folded is not None:
            return folded
        if kinds == ["int"] or kinds == ["bool"]:
            return abstract(index(t, args[0], name))
        if kinds == ["float"]:
            return Scalar(t.emit("math", (to_float(t, args[0]),), INT, name=name))
        return opaque.call_pure(t, function, args, kwargs)


for _name, _count in _FLOATS.items():
    if hasattr(math, _name):
        _floating(_name, _count, FLOAT)
for _name in _TESTS:
    _floating(_name, 1, BOOL)
for _name in _ROUNDINGS:
    _rounding(_name)


# ---- of ints, and what is called ----------------------------------------------------------------------------------------------


def _of_ints(name: str) -> None:
    function, arity = getattr(math, name), OF_INTS[name].arity

    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        if kwargs or len(args) != arity or not all(scalar_kind(a) in _WHOLE for a in args):
            return opaque.call_pure(t, function, args, kwargs)
        return Scalar(t.emit("int_math", tuple(index(t, a, name) for a in args), INT, name=name))


def _called(name: str) -> None:
    function = getattr(math, name)

    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        return (None if kwargs else by_itself(t, name, args)) or opaque.call_pure(t, function, args, kwargs)


def by_itself(t: Tracer, name: str, args: list[Abstract]) -> Abstract | None:
    """What Python's own function of numbers gives, a float; None where it is given something else."""
    types = CALLED[name].args or (FLOAT,) * len(args)
    if len(args) != len(types) or not all(scalar_kind(a) in _KINDS[type_] for a, type_ in zip(args, types, strict=True)):
        return None
    if not CALLED[name].takes(types):
        return None
    values = (to_float(t, a) if type_ == FLOAT else index(t, a, name) for a, type_ in zip(args, types, strict=True))
    return Scalar(t.emit("called", tuple(values), FLOAT, name=name))


@row(math.isclose)
def _isclose(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    given = [*args, *({"rel_tol": Known(1e-9), "abs_tol": Known(0.0)} | kwargs).values()]
    names = {"rel_tol", "abs_tol"}
    if len(args) != 2 or not names.issuperset(kwargs) or any(scalar_kind(a) not in _REAL for a in given):
        return opaque.call_pure(t, math.isclose, args, kwargs)
    return Scalar(t.emit("math", tuple(to_float(t, a) for a in given), BOOL, name="isclose"))


@row(math.dist)
def _dist(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    """The hypot of the differences: CPython has one function for both, behind such differences and their absolute values."""
    points = [] if kwargs else [objects.items(t, a) for a in args]
    if len(points) == 2 and points[0] and points[1] and len(points[0]) == len(points[1]) <= MOST:
        pairs = [*zip(points[0], points[1], strict=True)]
        if all(scalar_kind(a) in _REAL for pair in pairs for a in pair):
            return Scalar(t.emit("called", tuple(t.emit("float_sub", tuple(to_float(t, a) for a in p), FLOAT) for p in pairs), FLOAT, name="hypot"))
    return opaque.call_pure(t, math.dist, args, kwargs)


@row(math.prod)
def _prod(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    items = items_of(args[0]) if len(args) == 1 and not kwargs else None
    if items is None or len(items) > MOST or not all(scalar_kind(item) in ("int", "bool", "float") for item in items):
        return opaque.call_pure(t, math.prod, args, kwargs)
    product: Abstract = Known(1)
    for item in items:
        product = operators.binary(t, "*", product, item)
    return product


for _name in ("gcd", "lcm", "isqrt", "comb", "perm", "factorial"):
    _of_ints(_name)
for _name in CALLED.keys() & _CALLED:
    _called(_name)
PURE.update({getattr(math, _name): "math" for _name in _CALLED if getattr(math, _name) not in CALLABLES})
