"""Loads and stores of the words of W."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.types import Type, words
from . import llvm_ir as ir
from .llvm import I1, I64, PTR, i64, kind, llvm_type, make_complex, parts

if TYPE_CHECKING:
    from .driver import Driver


def address(d: Driver, word: int) -> Any:
    """A pointer to a word."""
    return d.builder.gep(d.W, [i64(word)], inbounds=True, source_etype=I64)


def load(d: Driver, word: int, type: Any) -> Any:
    """A word as a value of an LLVM type of that size or less."""
    value = d.builder.load(address(d, word), typ=type, align=8)
    value.set_metadata("tbaa", d.tags.words)
    return value


def store(d: Driver, word: int, value: Any) -> None:
    """Sets a word to a pointer, an i64 or a double."""
    d.builder.store(value, address(d, word), align=8).set_metadata("tbaa", d.tags.words)


def count_down(d: Driver) -> Any:
    """One less of the rounds that are left to the loop: the first field of PjRun, the context."""
    rounds = load(d, 1, PTR)
    before = d.builder.load(rounds, typ=I64, align=8)
    left = d.builder.sub(before, i64(1))
    for access in (before, d.builder.store(left, rounds, align=8)):
        access.set_metadata("tbaa", d.tags.words)
    return left


def load_value(d: Driver, word: int, type: Type) -> Any:
    """A scalar or an object pointer. Integers are extended to the whole word; a complex128 has two words."""
    target = llvm_type(type)
    if isinstance(target, ir.IntType):
        value = load(d, word, I64)
        return (
            value
            if target == I64
            else d.builder.icmp_signed("!=", value, i64(0))
            if target == I1
            else d.builder.trunc(value, target)
        )
    if isinstance(target, ir.LiteralStructType):
        part = target.elements[0]
        where = address(d, word)
        halves = [
            d.builder.load(d.builder.gep(where, [i64(i)], inbounds=True, source_etype=part), typ=part) for i in range(2)
        ]
        return make_complex(d.builder, *halves)
    return load(d, word, target)


def store_value(d: Driver, word: int, type: Type, value: Any) -> None:
    """The reverse of `load_value`."""
    target = value.type
    if isinstance(target, ir.IntType) and target != I64:
        value = (d.builder.sext if kind(type) == "i" else d.builder.zext)(value, I64)
    if isinstance(target, ir.LiteralStructType):
        where = address(d, word)
        for i, half in enumerate(parts(d.builder, value)):
            d.builder.store(half, d.builder.gep(where, [i64(i)], inbounds=True, source_etype=half.type))
        return
    store(d, word, value)


def pack(d: Driver, type: Type, value: Any) -> list[Any]:
    """The value as words, as C sees its bytes."""
    b = d.builder
    target = value.type
    if isinstance(target, ir.IntType):
        return [value if target == I64 else (b.sext if kind(type) == "i" else b.zext)(value, I64)]
    if isinstance(target, ir.LiteralStructType):
        halves = [pack(d, type, half)[0] for half in parts(b, value)]
        if words(type) == 2:
            return halves
        return [b.or_(halves[0], b.shl(halves[1], i64(32)))]
    if isinstance(target, ir.FloatType):
        return [b.zext(b.bitcast(value, ir.IntType(32)), I64)]
    if isinstance(target, ir.DoubleType):
        return [b.bitcast(value, I64)]
    return [b.ptrtoint(value, I64)]
