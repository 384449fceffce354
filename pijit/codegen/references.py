"""References to objects, counted by generated code itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import llvm_ir as ir
from .arrays import field
from .llvm import I32, I64, call
from .looks import layout

if TYPE_CHECKING:
    from .driver import Driver

_USUAL = (99, 1)  # branch weights


def count_type() -> Any:
    """What a count of references is."""
    return I32 if layout()["count_bits"] == 32 else I64


def retain(d: Driver, o: Any) -> None:
    """One reference more to an object, not NULL. Where counts have 32 bits the largest one stays: the object is immortal."""
    if not layout().get("count_bits"):
        call(d.builder, "pj_retain", ir.VoidType(), o)
        return
    b, type = d.builder, count_type()
    count = field(d, o, 0, type)
    more = b.icmp_unsigned("!=", count, I32(-1)) if type == I32 else ir.Constant(ir.IntType(1), 1)
    b.store(b.add(count, b.zext(more, type)), o).set_metadata("tbaa", d.tags.fields)


def release(d: Driver, o: Any) -> None:
    """One reference less to an object that is no array, or NULL. The last one, and those to immortal objects, are the helper's."""
    if not layout().get("count_bits"):
        call(d.builder, "pj_release", ir.VoidType(), o)
        return
    b, type = d.builder, count_type()
    there, plain, rare, after = (d.function.append_basic_block(name) for name in ("there", "plain", "rare", "on"))
    b.cbranch(b.icmp_unsigned("!=", o, o.type(None)), there, rare).set_weights(_USUAL)
    b.position_at_end(there)
    count = field(d, o, 0, type)
    b.cbranch(b.icmp_signed(">", count, type(1)), plain, rare).set_weights(_USUAL)
    b.position_at_end(plain)
    b.store(b.sub(count, type(1)), o).set_metadata("tbaa", d.tags.fields)
    b.branch(after)
    b.position_at_end(rare)
    call(b, "pj_release", ir.VoidType(), o)
    b.branch(after)
    b.position_at_end(after)
