"""Items of array.array and bytearray. Where those have what they hold is CPython's, the same in 3.11 to 3.13 (64-bit)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir import packed
from ..ir.graph import Op
from ..ir.types import FLOAT
from . import llvm_ir as ir
from .arrays import field
from .llvm import I8, I64, PTR, i64
from .rows import row

if TYPE_CHECKING:
    from .driver import Driver

_ARRAY_ITEMS, _ARRAY_KIND, _BYTES = 24, 40, 40  # byte offsets: of pointers to the items, to a struct that begins with the typecode, to the first byte
_F32, _F64 = ir.FloatType(), ir.DoubleType()


def _type(code: str) -> Any:
    if packed.element(code) == FLOAT:
        return _F32 if code == "f" else _F64
    return ir.IntType(8 * packed.size(code))


def _item(d: Driver, op: Op, code: str) -> Any:
    """Where an item is."""
    items = field(d, d.object(op.args[0]), _BYTES if code == packed.BYTES else _ARRAY_ITEMS, PTR)
    return d.builder.gep(items, [d.scalar(op.args[1])], inbounds=True, source_etype=_type(code))


@row("packed_code")
def _code(d: Driver, op: Op) -> Any:
    return d.builder.zext(field(d, field(d, d.object(op.args[0]), _ARRAY_KIND, PTR), 0, I8), I64)


@row("packed_get")
def _get(d: Driver, op: Op) -> Any:
    b, code = d.builder, op.attrs["code"]
    found = b.load(_item(d, op, code), typ=_type(code), align=packed.size(code))
    found.set_metadata("tbaa", d.tags.data)
    if packed.element(code) == FLOAT:
        return b.fpext(found, _F64) if code == "f" else found
    if packed.size(code) == 8:
        return found
    return (b.sext if packed.bounds(code)[0] else b.zext)(found, I64)


@row("packed_put")
def _put(d: Driver, op: Op) -> None:
    b, code, value = d.builder, op.attrs["code"], d.scalar(op.args[2])
    if code == "f":
        value = b.fptrunc(value, _F32)
    elif packed.element(code) != FLOAT and packed.size(code) < 8:
        least, greatest = packed.bounds(code)
        d.exit_if(op, b.icmp_unsigned(">", b.sub(value, i64(least)), i64(greatest - least)))
        value = b.trunc(value, _type(code))
    b.store(value, _item(d, op, code), align=packed.size(code)).set_metadata("tbaa", d.tags.data)
