"""The math module.

Native are the functions for which CPython calls the C library, and those that are exact; the others are CPython's own code (hypot, dist,
fsum, gamma, lgamma, comb, ...) and are called as they are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...ir.types import BOOL, FLOAT, INT, Type
from .. import opaque
from ..tables import PURE
from ..values import Abstract, Scalar
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
PURE.update({getattr(math, _name): "math" for _name in _CALLED - {*_FLOATS, *_TESTS, *_ROUNDINGS}})
