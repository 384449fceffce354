"""Attributes of plain instances that generated code reads by itself, where an inline cache (csrc/inline_cache.c) knows the object's class.

    owner's tag is the cache's?  no -> pj_look_first, which leaves by the exit where the rows do not hold, and else fills the cache
    the object in the slot, or among the instance's values; none -> pj_look_first
    what it is: a number, an object of the class that the cache knows, None -> checked and unboxed here
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import words as memory
from .arrays import field
from .llvm import I8, I32, I64, PTR, call, i64
from .looks import NUMBERS, layout
from .references import count_type
from .unboxing import FLOAT_VALUE, TYPE, UNBOX, float_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.graph import Op
    from .driver import Driver


class Cache:
    """The one of a site. Generated code goes on elsewhere where it does not help."""

    def __init__(self, d: Driver, site: int, elsewhere: Any) -> None:
        self._d, self._elsewhere = d, elsewhere
        self._at = site * layout()["site"] + layout()["cache"]

    def part(self, name: str) -> Any:
        return field(self._d, self._d.sites_of_run(), self._at + layout()[name], I32)

    def must(self, condition: Any) -> None:
        self._d.leave_if(self._d.builder.not_(condition), self._elsewhere)

    def tag(self, o: Any) -> Any:
        """Which version of which type an object is of."""
        return field(self._d, field(self._d, o, TYPE, PTR), layout()["type_tag"], I32)

    def place(self, o: Any) -> Any:
        """Where an object whose tag is the cache's has the attribute: its slot, or one of the values, if it still has them."""
        d, b = self._d, self._d.builder
        in_slot, in_values, after = (d.function.append_basic_block(name) for name in ("slot", "values", "found"))
        slot = b.sext(self.part("slot"), I64)
        b.cbranch(b.icmp_signed(">=", slot, i64(0)), in_slot, in_values)
        b.position_at_end(in_slot)
        first = b.gep(o, [slot], inbounds=True, source_etype=I8)
        b.branch(after)
        b.position_at_end(in_values)
        second = b.gep(self._values(o), [b.sext(self.part("place"), I64)], source_etype=I8)
        other = b.block
        b.branch(after)
        b.position_at_end(after)
        place = b.phi(PTR)
        place.add_incoming(first, in_slot)
        place.add_incoming(second, other)
        return place

    def _values(self, o: Any) -> Any:
        d, b, at = self._d, self._d.builder, layout()
        if at["values_valid"] >= 0:
            values = b.gep(o, [i64(at["values"])], inbounds=True, source_etype=I8)
            self.must(b.icmp_unsigned("!=", field(d, values, at["values_valid"], I8), I8(0)))
            return values
        marked, mark = field(d, o, at["values"], PTR), at["values_mark"]
        word = b.ptrtoint(marked, I64)
        self.must(b.icmp_unsigned("!=", b.and_(word, i64(mark)) if mark else word, i64(0)))
        return b.gep(marked, [i64(mark)], source_etype=I8) if mark else marked


def read(d: Driver, op: Op, kind: str, site: int, o: Any, words: list[int]) -> tuple[Any, ...]:
    """What the rows of the site unbox of the object, into words where it is looked up: a number and perhaps its object, a pointer, or nothing."""
    b, function = d.builder, d.function
    slow, after = function.append_basic_block("look"), function.append_basic_block("seen")
    cache = Cache(d, site, slow)
    cache.must(b.icmp_unsigned("==", cache.tag(o), cache.part("owner")))
    found = o
    if kind != "whole":
        found = field(d, cache.place(o), 0, PTR)
        cache.must(b.icmp_unsigned("!=", found, PTR(None)))
    usual: tuple[Any, ...] = (found,)
    if kind in NUMBERS:
        usual = (UNBOX[kind](d, found, cache.must), found)
    elif kind == "object":
        cache.must(b.icmp_unsigned("==", cache.tag(found), cache.part("value")))
    elif kind == "none":
        cache.must(b.icmp_unsigned("==", found, d.data_symbol("_Py_NoneStruct")))
        usual = ()
    fast = b.block
    b.branch(after)
    b.position_at_end(slow)
    d.exit_if(op, b.icmp_signed("!=", call(b, "pj_look_first", I64, d.W, i64(site), o), i64(0)))
    rare = [memory.load_value(d, word, value.type) for word, value in zip(words, op.results, strict=True)]
    other = b.block
    b.branch(after)
    b.position_at_end(after)
    results = []
    for here, there in zip(usual, rare, strict=False):
        phi = b.phi(here.type)
        phi.add_incoming(here, fast)
        phi.add_incoming(there, other)
        results.append(phi)
    return tuple(results)


def write(d: Driver, site: int, o: Any, stored: tuple[str, list[Any]], otherwise: Callable[[], None], over: bool) -> None:
    """Puts what is ``stored`` (its kind, and what the helper for it is given) into an attribute that is there. ``over``: it is a float, which is
    written over the one that is there if nothing else has that."""
    b, function = d.builder, d.function
    kind, given = stored
    slow, after = function.append_basic_block("put"), function.append_basic_block("there")
    cache = Cache(d, site, slow)
    cache.must(b.icmp_unsigned("==", cache.tag(o), cache.part("owner")))
    place = cache.place(o)
    if over:
        old = field(d, place, 0, PTR)
        cache.must(b.icmp_unsigned("!=", old, PTR(None)))
        float_of(d, old, cache.must)
        cache.must(b.icmp_unsigned("==", field(d, old, 0, count_type()), count_type()(1)))
        b.store(given[0], b.gep(old, [i64(FLOAT_VALUE)], inbounds=True, source_etype=I8), align=8).set_metadata("tbaa", d.tags.fields)
    else:
        cache.must(b.icmp_signed("==", call(b, f"pj_put_{kind}", I64, o, place, *given), i64(0)))
    b.branch(after)
    b.position_at_end(slow)
    otherwise()
    b.branch(after)
    b.position_at_end(after)
