"""Makes instructions: `IRBuilder`, under llvmlite's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from .types import BIT, POINTER, VOID, FunctionType, LiteralStructType, Type, Value, VectorType
from .values import Allocation, Block, Instruction, Module, Phi, Switch

_ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_EQUAL = {"==": "eq", "!=": "ne"}
_SIGNED = _EQUAL | {symbol: f"s{name}" for symbol, name in _ORDERS.items()}
_UNSIGNED = _EQUAL | {symbol: f"u{name}" for symbol, name in _ORDERS.items()}
_ORDERED = {symbol: f"o{name}" for symbol, name in (_EQUAL | _ORDERS).items()} | {"ord": "ord", "uno": "uno"}
_UNORDERED = {symbol: f"u{name}" for symbol, name in (_EQUAL | _ORDERS).items()} | {"ord": "ord", "uno": "uno"}


def _binary(opname: str) -> Callable[..., Instruction]:
    def method(self: IRBuilder, a: Value, b: Value, flags: Sequence[str] = ()) -> Instruction:
        return self._value(a.type, opname, f" {a.type.text} {a.ref}, {b.ref}", flags)

    return method


def _cast(opname: str) -> Callable[..., Value]:
    def method(self: IRBuilder, value: Value, type: Type) -> Value:
        if value.type == type:
            return value
        return self._value(type, opname, f" {value.type.text} {value.ref} to {type.text}")

    return method


def _overflowing(name: str) -> Callable[..., Instruction]:
    """Gives the result and whether it did not fit."""

    def method(self: IRBuilder, a: Value, b: Value) -> Instruction:
        type = FunctionType(LiteralStructType([a.type, BIT]), [a.type, a.type])
        return self.call(self.module.declare_intrinsic(f"llvm.{name}.with.overflow", [a.type], type), [a, b])

    return method


class IRBuilder:
    """Adds instructions to a block: at its end, or before what `goto_entry_block` has found there."""

    def __init__(self, block: Block) -> None:
        self.position_at_end(block)

    def position_at_end(self, block: Block) -> None:
        self.block, self.function = block, block.function
        self._at: int | None = None

    @property
    def module(self) -> Module:
        return self.function.module

    def append_basic_block(self, name: str = "") -> Block:
        return self.function.append_basic_block(name)

    @contextmanager
    def goto_entry_block(self) -> Iterator[None]:
        """Before the end of the function's first block."""
        before, at = self.block, self._at
        self.position_at_end(self.function.blocks[0])
        self._at = len(self.block.instructions) - 1 if self.block.is_terminated else None
        yield
        self.position_at_end(before)
        self._at = at

    @contextmanager
    def if_then(self, condition: Value, likely: bool | None = None) -> Iterator[Block]:
        """The block is run where the condition holds."""
        inside, after = self.append_basic_block("if"), self.append_basic_block("endif")
        branch = self.cbranch(condition, inside, after)
        if likely is not None:
            branch.set_weights([99, 1] if likely else [1, 99])
        with self._within(inside, after):
            yield after
        self.position_at_end(after)

    @contextmanager
    def if_else(self, condition: Value) -> Iterator[tuple[AbstractContextManager[Block], AbstractContextManager[Block]]]:
        yes, no, after = (self.append_basic_block(name) for name in ("if", "else", "endif"))
        self.cbranch(condition, yes, no)
        yield self._within(yes, after), self._within(no, after)
        self.position_at_end(after)

    @contextmanager
    def _within(self, block: Block, after: Block) -> Iterator[Block]:
        self.position_at_end(block)
        yield after
        if self.block.terminator is None:
            self.branch(after)

    # ---- instructions ----

    def _insert(self, made: Any) -> None:
        if self._at is None:
            self.block.instructions.append(made)
        else:
            self.block.instructions.insert(self._at, made)
            self._at += 1

    def _ref(self) -> str:
        self.function.counter += 1
        return f"%v{self.function.counter}"

    def _value(self, type: Type, opname: str, rest: str, flags: Sequence[str] = ()) -> Instruction:
        made = Instruction(type, self._ref(), opname, rest, flags, self.block)
        self._insert(made)
        return made

    def _effect(self, opname: str, rest: str) -> Instruction:
        made = Instruction(VOID, "", opname, rest, (), self.block)
        self._insert(made)
        return made

    def _end(self, opname: str, rest: str) -> Instruction:
        made = self.block.terminator = self._effect(opname, rest)
        return made

    def comment(self, text: str) -> None:
        self._insert(f"  ; {text}")

    add, sub, mul, sdiv, udiv, srem, urem = map(_binary, ("add", "sub", "mul", "sdiv", "udiv", "srem", "urem"))
    and_, or_, xor, shl, lshr, ashr = map(_binary, ("and", "or", "xor", "shl", "lshr", "ashr"))
    fadd, fsub, fmul, fdiv, frem = map(_binary, ("fadd", "fsub", "fmul", "fdiv", "frem"))
    zext, sext, trunc, bitcast, ptrtoint, inttoptr = map(_cast, ("zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr"))
    sitofp, uitofp, fptosi, fptoui, fpext, fptrunc = map(_cast, ("sitofp", "uitofp", "fptosi", "fptoui", "fpext", "fptrunc"))

    sadd_with_overflow, ssub_with_overflow, smul_with_overflow = map(_overflowing, ("sadd", "ssub", "smul"))
    umul_with_overflow = _overflowing("umul")

    def not_(self, value: Value) -> Instruction:
        return self._value(value.type, "xor", f" {value.typed}, {value.type(-1).ref}")

    def neg(self, value: Value) -> Instruction:
        return self._value(value.type, "sub", f" {value.type(0).typed}, {value.ref}")

    def fneg(self, value: Value) -> Instruction:
        return self._value(value.type, "fneg", f" {value.typed}")

    def _compared(self, opname: str, how: str, a: Value, b: Value) -> Instruction:
        type = VectorType(BIT, a.type.count) if isinstance(a.type, VectorType) else BIT
        return self._value(type, opname, f" {how} {a.type.text} {a.ref}, {b.ref}")

    def icmp_signed(self, symbol: str, a: Value, b: Value) -> Instruction:
        return self._compared("icmp", _SIGNED[symbol], a, b)

    def icmp_unsigned(self, symbol: str, a: Value, b: Value) -> Instruction:
        return self._compared("icmp", _UNSIGNED[symbol], a, b)

    def fcmp_ordered(self, symbol: str, a: Value, b: Value) -> Instruction:
        return self._compared("fcmp", _ORDERED[symbol], a, b)

    def fcmp_unordered(self, symbol: str, a: Value, b: Value) -> Instruction:
        return self._compared("fcmp", _UNORDERED[symbol], a, b)

    def select(self, condition: Value, a: Value, b: Value) -> Instruction:
        return self._value(a.type, "select", f" {condition.typed}, {a.typed}, {b.typed}")

    def load(self, pointer: Value, typ: Type, align: int | None = None) -> Instruction:
        return self._value(typ, "load", f" {typ.text}, ptr {pointer.ref}{_aligned(align)}")

    def load_atomic(self, pointer: Value, ordering: str, align: int, typ: Type) -> Instruction:
        return self._value(typ, "load", f" atomic {typ.text}, ptr {pointer.ref} {ordering}{_aligned(align)}")

    def store(self, value: Value, pointer: Value, align: int | None = None) -> Instruction:
        return self._effect("store", f" {value.typed}, ptr {pointer.ref}{_aligned(align)}")

    def gep(self, pointer: Value, indices: Sequence[Value], inbounds: bool = False, source_etype: Type | None = None) -> Instruction:
        assert source_etype is not None
        where = ", ".join([index.typed for index in indices])
        return self._value(POINTER, "getelementptr", f"{' inbounds' if inbounds else ''} {source_etype.text}, ptr {pointer.ref}, {where}")

    def extract_value(self, whole: Value, number: int) -> Instruction:
        type: Any = whole.type
        return self._value(type.elements[number], "extractvalue", f" {whole.typed}, {number}")

    def insert_value(self, whole: Value, part: Value, number: int) -> Instruction:
        return self._value(whole.type, "insertvalue", f" {whole.typed}, {part.typed}, {number}")

    def extract_element(self, vector: Value, number: Value) -> Instruction:
        type: Any = vector.type
        return self._value(type.element, "extractelement", f" {vector.typed}, {number.typed}")

    def insert_element(self, vector: Value, element: Value, number: Value) -> Instruction:
        return self._value(vector.type, "insertelement", f" {vector.typed}, {element.typed}, {number.typed}")

    def shuffle_vector(self, a: Value, b: Value, numbers: Value) -> Instruction:
        type, mask = a.type, numbers.type
        assert isinstance(type, VectorType)
        assert isinstance(mask, VectorType)
        return self._value(VectorType(type.element, mask.count), "shufflevector", f" {a.typed}, {b.typed}, {numbers.typed}")

    def alloca(self, type: Type) -> Allocation:
        made = Allocation(type, self._ref(), self.block)
        self._insert(made)
        return made

    def phi(self, type: Type) -> Phi:
        made = Phi(type, self._ref(), self.block)
        self._insert(made)
        return made

    def call(self, function: Any, args: Iterable[Value]) -> Instruction:
        return self._call(function.function_type, function.ref, args)

    def asm(self, type: FunctionType, text: str, constraints: str, args: Iterable[Value], side_effect: bool, attributes: str = "") -> Instruction:
        return self._call(type, f'asm {"sideeffect " if side_effect else ""}"{text}", "{constraints}"', args, attributes)

    def _call(self, type: FunctionType, what: str, args: Iterable[Value], attributes: str = "") -> Instruction:
        returned = type.return_type
        rest = f" {returned.text} {what}({', '.join([arg.typed for arg in args])}){attributes}"
        return self._effect("call", rest) if returned.text == "void" else self._value(returned, "call", rest)

    # ---- ends of blocks ----

    def branch(self, block: Block) -> Instruction:
        return self._end("br", f" {block.ref}")

    def cbranch(self, condition: Value, yes: Block, no: Block) -> Instruction:
        return self._end("br", f" {condition.typed}, {yes.ref}, {no.ref}")

    def switch(self, value: Value, other: Block) -> Switch:
        made = Switch(value, other, self.block)
        self._insert(made)
        self.block.terminator = made
        return made

    def ret(self, value: Value) -> Instruction:
        return self._end("ret", f" {value.typed}")

    def ret_void(self) -> Instruction:
        return self._end("ret", " void")

    def unreachable(self) -> Instruction:
        return self._end("unreachable", "")


def _aligned(align: int | None) -> str:
    return f", align {align}" if align else ""
