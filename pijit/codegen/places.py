"""What generated code stores in lists and attributes, or appends, of what it has at hand, without a recipe (csrc/places.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Box, Build, Known, Op
from ..ir.types import BOOL
from . import attributes
from .llvm import I64, PTR, call, i64
from .storable import NUMBERS, is_single, is_written_over

if TYPE_CHECKING:
    from collections.abc import Callable

    from .driver import Driver

_SINGLE = {None: "_Py_NoneStruct", False: "_Py_FalseStruct", True: "_Py_TrueStruct"}


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
        return ("object", d.data_symbol(_SINGLE[value.value])) if is_single(value.value) else ("int", i64(value.value), PTR(None), i64(-1))
    if isinstance(value, Build):
        which, number, owner = value.items
        assert isinstance(which, Box)
        assert isinstance(number, Box)
        source = d.object(owner.value) if isinstance(owner, Box) else PTR(None)
        return NUMBERS[number.value.type], d.scalar(number.value), source, d.scalar(which.value)
    type = value.value.type
    if type in NUMBERS:
        return NUMBERS[type], d.scalar(value.value), PTR(None), i64(-1)
    if type == BOOL:
        return "object", d.builder.select(d.scalar(value.value), d.data_symbol(_SINGLE[True]), d.data_symbol(_SINGLE[False]))
    return "object", d.object(value.value)
