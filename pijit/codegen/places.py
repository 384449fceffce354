"""What generated code stores in lists and attributes, or appends, of what it has at hand, without a recipe (csrc/places.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Box, Build, Const, Known, Null, Op, Recipe, Value
from ..ir.types import BOOL, FLOAT, INT, Obj, Type
from . import attributes, looks
from .llvm import I64, PTR, call, i64

if TYPE_CHECKING:
    from collections.abc import Callable

    from .driver import Driver

_NUMBERS: dict[Type, str] = {INT: "int", FLOAT: "float"}
_SINGLE = {None: "_Py_NoneStruct", False: "_Py_FalseStruct", True: "_Py_TrueStruct"}
_ONCE = range(-5, 257)  # ints that exist once


def can_store(op: Op, inputs: frozenset[Value]) -> bool:
    """Whether it is a number, an object, or a constant that exists once. A number that came in has its object already."""
    owner, value = op.attrs["arguments"][:2]
    where = op.attrs["place"]
    known = where in (("append",), ("item",)) or (where[0] == "field" and bool(looks.layout().get("count_bits")))
    if not known or not looks.is_at_hand(owner):
        return False
    if isinstance(value, Known):
        return _is_single(value.value) or _is_small(value.value)
    if _item_of_list(value):
        return True
    return isinstance(value, Box) and not isinstance(value.value, Const) and _is_given(value.value, inputs)


def is_written_over(op: Op) -> bool:
    """Whether what is stored is a float that generated code writes over the one that is there, if nothing else has that."""
    value = op.attrs["arguments"][1]
    return op.attrs["place"][0] == "field" and isinstance(value, Box) and value.value.type == FLOAT


def _is_given(value: Value, inputs: frozenset[Value]) -> bool:
    return isinstance(value.type, Obj) or value.type == BOOL or (value.type in _NUMBERS and value not in inputs)


def _item_of_list(value: Recipe) -> bool:
    """Whether it is a number that may be one of the items of a list."""
    match value:
        case Build("one_of", (_, Box(number), Box() | Null())):
            return number.type in _NUMBERS and not isinstance(number, Const)
    return False


def _is_single(value: Any) -> bool:
    return value is None or type(value) is bool


def _is_small(value: Any) -> bool:
    return type(value) is int and value in _ONCE


def store_item(d: Driver, op: Op) -> None:
    """Appends, or stores at the index that there is; leaves where that is not so simple."""
    b = d.builder
    owner, value, *index = op.attrs["arguments"]
    kind, *given = _given(d, value)
    name = f"pj_{'store' if index else 'append'}_{kind}"
    failed = call(b, name, I64, d.object(owner.value), *(d.scalar(place.value) for place in index), *given)
    d.exit_if(op, b.icmp_signed("!=", failed, i64(0)))


def store_attribute(d: Driver, op: Op, site: int, otherwise: Callable[[], None]) -> None:
    """Stores in an attribute that there is."""
    owner, value = op.attrs["arguments"]
    kind, *given = _given(d, value)
    attributes.write(d, site, d.object(owner.value), (kind, given), otherwise, over=is_written_over(op))


def _given(d: Driver, value: Any) -> tuple[Any, ...]:
    """Of which kind it is, and what the helper is given."""
    if isinstance(value, Known):
        return ("object", d.data_symbol(_SINGLE[value.value])) if _is_single(value.value) else ("int", i64(value.value), PTR(None), i64(-1))
    if isinstance(value, Build):
        which, number, owner = value.items
        assert isinstance(which, Box)
        assert isinstance(number, Box)
        source = d.object(owner.value) if isinstance(owner, Box) else PTR(None)
        return _NUMBERS[number.value.type], d.scalar(number.value), source, d.scalar(which.value)
    type = value.value.type
    if type in _NUMBERS:
        return _NUMBERS[type], d.scalar(value.value), PTR(None), i64(-1)
    if type == BOOL:
        return "object", d.builder.select(d.scalar(value.value), d.data_symbol(_SINGLE[True]), d.data_symbol(_SINGLE[False]))
    return "object", d.object(value.value)
