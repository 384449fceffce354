"""Built-in containers and texts: lookups, deeds, iterators in C (csrc/deeds.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.graph import Op
from ..ir.types import BOOL, FLOAT, INT, Type
from . import references
from . import words as memory
from .arrays import field
from .layout import Area, recipe_tuple
from .llvm import I64, PTR, call, i64
from .objects import passing
from .rows import row
from .unboxing import TYPE

if TYPE_CHECKING:
    from .driver import Driver

_ASK = 1  # the address that says: the interpreter has to do it


def _site(d: Driver, deed: str, op: Op) -> Any:
    place = passing(d, Area(d.layout.call_start))
    d.sites.append(("do", deed, [recipe_tuple(recipe, place) for recipe in op.attrs["arguments"]]))
    return i64(len(d.sites) - 1)


def _address(d: Driver, pointer: Any) -> Any:
    return d.builder.ptrtoint(pointer, I64)


@row("find")
def _find(d: Driver, op: Op) -> Any:
    b, what = d.builder, op.attrs["what"]
    site = _site(d, "", op)
    found = call(b, "pj_find", PTR, d.W, site, d.object(op.args[0]))
    address = _address(d, found)
    if what == "has":
        d.exit_if(op, b.icmp_unsigned("==", address, i64(_ASK)))
        return b.icmp_unsigned("!=", address, i64(0))
    d.exit_if(op, b.icmp_unsigned("<=" if what == "item" else "==", address, i64(_ASK)))
    if what == "get":
        found = b.select(b.icmp_unsigned("==", address, i64(0)), d.object(op.args[1]), found)
    references.retain(d, found)
    return found


@row("do")
def _do(d: Driver, op: Op) -> Any:
    b, site = d.builder, _site(d, op.attrs["deed"], op)
    if op.results:
        given = call(b, "pj_do", PTR, d.W, site)
        d.exit_if(op, b.icmp_unsigned("==", given, PTR(None)))
        return given
    d.exit_if(op, b.icmp_signed("!=", call(b, "pj_do_only", I64, d.W, site), i64(0)))
    return None


@row("next")
def _next(d: Driver, op: Op) -> Any:
    b = d.builder
    item = call(b, "pj_next", PTR, d.object(op.args[0]))
    d.exit_if(op, b.icmp_unsigned("==", _address(d, item), i64(_ASK)))
    return b.icmp_unsigned("!=", item, PTR(None)), item


_PASSED: dict[Type, int] = {INT: 0, FLOAT: 1, BOOL: 2}  # PjPassed in csrc/fragments.h
_OBJECT, _CODE_BITS = 3, 3


@row("own_call")
def _own_call(d: Driver, op: Op) -> Any:
    """Arguments and result go through words."""
    b, (given,), first = d.builder, op.results, d.layout.call_start
    function, args = (d.object(op.args[0]), op.args[1:]) if op.attrs["closure"] else (PTR(None), op.args)
    for number, arg in enumerate(args):
        memory.store_value(d, first + number, arg.type, d.scalar(arg) if arg.type in _PASSED else d.object(arg))
    codes = sum(_PASSED.get(value.type, _OBJECT) << (_CODE_BITS * place) for place, value in enumerate((given, *args)))
    failed = call(b, "pj_own_call", I64, d.W, function, i64(codes), i64(len(args)), memory.address(d, first))
    d.exit_if(op, b.icmp_signed("!=", failed, i64(0)))
    return memory.load_value(d, first, given.type)


_OBJECTS = {"ord": 1, "byte": 1, "order": 2, "same": 2, "has": 2}  # how many of the operands are objects


@row("text")
def _text(d: Driver, op: Op) -> Any:
    which = op.attrs["which"]
    objects = _OBJECTS[which]
    operands = [d.object(arg) if number < objects else d.scalar(arg) for number, arg in enumerate(op.args)]
    name = f"pj_text_{which}" if objects == 2 else f"pj_{which}"
    found = call(d.builder, name, I64, *operands)
    if which in ("ord", "has"):
        d.exit_if(op, d.builder.icmp_signed("<", found, i64(0)))
    return found


@row("same")
def _same(d: Driver, op: Op) -> Any:
    return d.builder.icmp_unsigned("==", *map(d.object, op.args))


@row("is_of")
def _is_of(d: Driver, op: Op) -> Any:
    one, cls = map(d.object, op.args)
    return d.builder.icmp_unsigned("==", field(d, one, TYPE, PTR), cls)


@row("char")
def _char(d: Driver, op: Op) -> Any:
    made = call(d.builder, "pj_char", PTR, d.object(op.args[0]), d.scalar(op.args[1]))
    d.exit_if(op, d.builder.icmp_unsigned("==", made, PTR(None)))
    return made
