"""What generated code can store in lists and attributes without a recipe; places.py does it. Nothing of the compiler is imported for it."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Box, Build, Const, Known, Null, Op, Recipe, Value
from ..ir.types import BOOL, FLOAT, INT, Obj, Type
from . import looks

NUMBERS: dict[Type, str] = {INT: "int", FLOAT: "float"}
_ONCE = range(-5, 257)  # ints that exist once


def can_store(op: Op, inputs: frozenset[Value]) -> bool:
    """Whether it is a number, an object, or a constant that exists once. A number that came in has its object already."""
    owner, value = op.attrs["arguments"][:2]
    where = op.attrs["place"]
    known = where in (("append",), ("item",)) or (where[0] == "field" and bool(looks.layout().get("count_bits")))
    if not known or not looks.is_at_hand(owner):
        return False
    if isinstance(value, Known):
        return is_single(value.value) or _is_small(value.value)
    if _item_of_list(value):
        return True
    return isinstance(value, Box) and not isinstance(value.value, Const) and _is_given(value.value, inputs)


def is_written_over(op: Op) -> bool:
    """Whether what is stored is a float that generated code writes over the one that is there, if nothing else has that."""
    value = op.attrs["arguments"][1]
    return op.attrs["place"][0] == "field" and isinstance(value, Box) and value.value.type == FLOAT


def _is_given(value: Value, inputs: frozenset[Value]) -> bool:
    return isinstance(value.type, Obj) or value.type == BOOL or (value.type in NUMBERS and value not in inputs)


def _item_of_list(value: Recipe) -> bool:
    """Whether it is a number that may be one of the items of a list."""
    match value:
        case Build("one_of", (_, Box(number), Box() | Null())):
            return number.type in NUMBERS and not isinstance(number, Const)
    return False


def is_single(value: Any) -> bool:
    return value is None or type(value) is bool


def _is_small(value: Any) -> bool:
    return type(value) is int and value in _ONCE
