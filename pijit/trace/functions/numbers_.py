"""Rounding, powers with a modulus, and the bits of ints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ir.types import FLOAT, INT
from .. import opaque, operators
from ..operators import describe
from ..values import Abstract, Break, Known, Scalar
from .rows import abstract, expect, fold, index, row, scalar_kind, value

if TYPE_CHECKING:
    from ..tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]


@row(round)
def round_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    digits = kwargs.get("ndigits", args[1] if len(args) == 2 else Known(None))
    if len(args) == 0 or not (isinstance(digits, Known) and digits.value is None):
        return rounded(t, args, kwargs)
    folded = fold(round, args[:1])
    if folded is not None:
        return folded
    kind = scalar_kind(args[0])
    if kind in ("int", "bool"):
        return abstract(index(t, args[0], "round"))
    if kind == "float":
        return Scalar(t.emit("float_round", (value(args[0], "round"),), INT))
    return opaque.call_pure(t, round, args, kwargs)


def rounded(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    """To so many digits."""
    operands = [*args, *kwargs.values()]
    if [scalar_kind(a) for a in operands] == ["float", "int"] and kwargs.keys() <= {"ndigits"}:
        return Scalar(t.emit("called", tuple(value(a, "round") for a in operands), FLOAT, name="round"))
    return opaque.call_pure(t, round, args, kwargs)


@row(pow)
def pow_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if len(args) == 2 and not kwargs:
        return operators.binary(t, "**", args[0], args[1])
    if len(args) == 3 and not kwargs and all(scalar_kind(a) in ("int", "bool") for a in args):
        return Scalar(t.emit("int_math", tuple(index(t, a, "pow") for a in args), INT, name="pow_mod"))
    return opaque.call_pure(t, pow, args, kwargs)


def _bits(which: str, method: Any) -> None:
    @row(method)
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        expect(method.__name__, args, kwargs, 1)
        if scalar_kind(args[0]) not in ("int", "bool"):
            raise Break("call_arguments", f"{method.__name__} of {describe(args[0])}")
        return Scalar(t.emit("int_bits", (index(t, args[0], which),), INT, which=which))


_bits("length", int.bit_length)
_bits("count", int.bit_count)
