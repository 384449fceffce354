"""Attributes of plain instances that generated code reads by itself, where an inline cache (csrc/inline_cache.c) knows the object's class.

    owner's tag is the cache's?  no -> pj_look_first, which leaves by the exit where the rows do not hold, and else fills the cache
    the object in the slot, or among the instance's values; none -> pj_look_first
    what it is: a float, an object of the class that the cache knows, None -> checked and unboxed here
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import words as memory
from .arrays import field
from .llvm import F64, I8, I32, I64, PTR, call, i64
from .references import layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..ir.graph import Op
    from .driver import Driver

_TYPE, _FLOAT_VALUE = 8, 16  # byte offsets in CPython's objects
_USUAL = (99, 1)


def kind(rows: Sequence[tuple[Any, ...]]) -> str | None:
    """How the rows can be looked at here: "whole", the type of the object itself; "float", "object", "none", what an attribute is; or None."""
    if not layout() or not rows or len(rows) > 2:
        return None
    *fields, (name, register, *what) = rows
    if not fields:
        return "whole" if (name, register) == ("object", 0) else None
    if fields[0][:2] != ("field", 0) or register != 1:
        return None
    return name if name in ("float", "object") else "none" if (name, what) == ("is", [None]) else None


def read(d: Driver, op: Op, kind: str, site: int, o: Any, word: int = -1) -> Any:
    """What the rows of the site unbox of the object, into a word where it is looked up: a double, a pointer, or nothing."""
    b, function, at = d.builder, d.function, layout()
    slow, after = function.append_basic_block("look"), function.append_basic_block("seen")

    def must(condition: Any) -> None:
        on = function.append_basic_block("on")
        b.cbranch(condition, on, slow).set_weights(_USUAL)
        b.position_at_end(on)

    def cached(name: str) -> Any:
        return field(d, d.sites_of_run(), site * at["site"] + at["cache"] + at[name], I32)

    def tag(pointer: Any) -> Any:
        return field(d, field(d, pointer, _TYPE, PTR), at["type_tag"], I32)

    must(b.icmp_unsigned("==", tag(o), cached("owner")))
    usual = found = o
    if kind != "whole":
        found = _found(d, o, cached, must)
        must(b.icmp_unsigned("!=", found, PTR(None)))
    if kind == "float":
        must(b.icmp_unsigned("==", field(d, found, _TYPE, PTR), d.data_symbol("PyFloat_Type")))
        usual = field(d, found, _FLOAT_VALUE, F64)
    elif kind == "object":
        must(b.icmp_unsigned("==", tag(found), cached("value")))
        usual = found
    elif kind == "none":
        must(b.icmp_unsigned("==", found, d.data_symbol("_Py_NoneStruct")))
        usual = None
    fast = b.block
    b.branch(after)
    b.position_at_end(slow)
    d.exit_if(op, b.icmp_signed("!=", call(b, "pj_look_first", I64, d.W, i64(site), o), i64(0)))
    rare = None if usual is None else memory.load(d, word, usual.type)
    other = b.block
    b.branch(after)
    b.position_at_end(after)
    if usual is None:
        return None
    phi = b.phi(usual.type)
    phi.add_incoming(usual, fast)
    phi.add_incoming(rare, other)
    return phi


def _found(d: Driver, o: Any, cached: Callable[[str], Any], must: Callable[[Any], None]) -> Any:
    """What is there: in the slot, or among the values, if the instance still has them."""
    b, at = d.builder, layout()
    in_slot, in_values, after = (d.function.append_basic_block(name) for name in ("slot", "values", "found"))
    slot = b.sext(cached("slot"), I64)
    b.cbranch(b.icmp_signed(">=", slot, i64(0)), in_slot, in_values)
    b.position_at_end(in_slot)
    first = b.gep(o, [slot], inbounds=True, source_etype=I8)
    b.branch(after)
    b.position_at_end(in_values)
    if at["values_valid"] >= 0:
        values = b.gep(o, [i64(at["values"])], inbounds=True, source_etype=I8)
        must(b.icmp_unsigned("!=", field(d, values, at["values_valid"], I8), I8(0)))
    else:
        marked = field(d, o, at["values"], PTR)
        mark = at["values_mark"]
        there = b.and_(b.ptrtoint(marked, I64), i64(1)) if mark else b.ptrtoint(marked, I64)
        must(b.icmp_unsigned("!=", there, i64(0)))
        values = b.gep(marked, [i64(mark)], source_etype=I8) if mark else marked
    second = b.gep(values, [b.sext(cached("place"), I64)], source_etype=I8)
    other = b.block
    b.branch(after)
    b.position_at_end(after)
    place = b.phi(PTR)
    place.add_incoming(first, in_slot)
    place.add_incoming(second, other)
    return field(d, place, 0, PTR)
