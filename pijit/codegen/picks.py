"""Maxima and minima of several rows of floats: one instruction each where no element is a NaN or -0.0, which is looked up first.

Otherwise each takes eight: a NaN wins, and which of 0.0 and -0.0 does is NumPy's to say. Windows on one array lie in it a few elements apart,
and what they cover is looked through once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.kernel import Kernel
from . import llvm_ir as ir
from . import scalars
from .vectors import NOT_INTERLEAVED, widen

if TYPE_CHECKING:
    from .kernels import Body

_SYMBOLS = {"maximum": ">", "fmax": ">", "minimum": "<", "fmin": "<"}
_FLOATS = ("float32", "float64")
_MANY = 3  # of them are worth it
_LONG = 64  # so are elements of a row
_I64, _POINTER = ir.IntType(64), ir.PointerType()


def picks(kernel: Kernel) -> frozenset[int]:
    """The steps that choose among elements of operands, by reference, and among what such steps chose; none where they are few."""
    chosen = {number for number, operand in enumerate(kernel.operands) if operand.dtype in _FLOATS and _is_row(kernel, number)}
    found = set()
    for reference, step in enumerate(kernel.steps, len(kernel.operands)):
        if step.ufunc in _SYMBOLS and chosen.issuperset(step.args) and not (step.fold or step.scan):
            chosen.add(reference)
            found.add(reference)
    return frozenset(found if len(found) >= _MANY else ())


def _is_row(kernel: Kernel, number: int) -> bool:
    """Whether the operand's elements lie behind each other along the innermost axis, or are one number."""
    operand = kernel.operands[number]
    return not operand.rows and (operand.strides is None or operand.strides[-1] == np.dtype(operand.dtype).itemsize)


def emit(builder: ir.IRBuilder, ufunc: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """One of two numbers of which none is -0.0."""
    return builder.select(builder.fcmp_ordered(_SYMBOLS[ufunc], a, b), a, b)


def versions(body: Body, low: ir.Value, high: ir.Value, same: dict[int, Any], pointers: list[Any]) -> Iterator[None]:
    """What is done in it is made twice where there are such steps, first, with `Body.plainly` set to them, for a row whose elements are plain."""
    found = picks(body.kernel)
    if not found:
        yield
        return
    with body.builder.if_else(_Row(body, low, high).is_plain(found, same, pointers)) as (plainly, anyhow):
        with plainly:
            body.plainly = found
            yield
        with anyhow:
            body.plainly, wishes = frozenset(), body.wishes
            body.wishes = NOT_INTERLEAVED  # it is long, and seldom run
            yield
            body.wishes = wishes


class _Row:
    """Elements from ``low`` to ``high``."""

    def __init__(self, body: Body, low: ir.Value, high: ir.Value) -> None:
        self.body, self.builder, self.low, self.high = body, body.builder, low, high

    def is_plain(self, steps: frozenset[int], same: dict[int, Any], pointers: list[Any]) -> ir.Value:
        """Whether all that the steps choose from is."""
        b, kernel = self.builder, self.body.kernel
        count = len(kernel.operands)
        numbers = sorted({arg for step in steps for arg in kernel.steps[step - count].args if arg < count})
        plain = self.body.entry.alloca(scalars.I1)
        b.store(scalars.I1(0), plain)
        with b.if_then(b.icmp_signed(">=", b.sub(self.high, self.low), _I64(_LONG))):
            b.store(scalars.I1(1), plain)
            for dtype in sorted({kernel.operands[number].dtype for number in numbers}):
                mine = [number for number in numbers if kernel.operands[number].dtype == dtype]
                for number in mine:
                    if number in same:
                        self._note(plain, b.not_(_is_odd(b, same[number])))
                self._look_through(dtype, [number for number in mine if number not in same], pointers, plain)
        return b.load(plain, typ=scalars.I1)

    def _look_through(self, dtype: str, numbers: list[int], pointers: list[Any], plain: ir.Value) -> None:
        """Rows that touch the ones before are looked through with them."""
        b = self.builder
        first = last = None
        for number in numbers:
            start = b.ptrtoint(self.body.place(number, pointers, self.low), _I64)
            end = b.ptrtoint(self.body.place(number, pointers, self.high), _I64)
            if first is None or last is None:
                first, last = start, end
                continue
            touches = b.and_(b.icmp_unsigned("<=", start, last), b.icmp_unsigned(">=", end, first))
            aligned = b.icmp_signed("==", b.and_(b.sub(start, first), _I64(np.dtype(dtype).itemsize - 1)), _I64(0))
            together = b.and_(touches, aligned)
            with b.if_then(b.not_(together)):
                self._note(plain, self._are_plain(dtype, first, last))
            smaller, larger = (b.select(b.icmp_unsigned(sign, *two), *two) for sign, two in (("<", (start, first)), (">", (end, last))))
            first, last = b.select(together, smaller, start), b.select(together, larger, end)
        if first is not None and last is not None:
            self._note(plain, self._are_plain(dtype, first, last))

    def _note(self, plain: ir.Value, also: ir.Value) -> None:
        b = self.builder
        b.store(b.and_(b.load(plain, typ=scalars.I1), also), plain)

    def _are_plain(self, dtype: str, first: ir.Value, last: ir.Value) -> ir.Value:
        b = self.builder
        return b.call(_scan(b.module, dtype), [b.inttoptr(first, _POINTER), b.inttoptr(last, _POINTER)])


def _is_odd(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Whether it is a NaN or -0.0."""
    bits = scalars.Emitter(builder).bits(value)
    minus = builder.icmp_signed("==", bits, bits.type(1 << (bits.type.width - 1)))
    return builder.or_(builder.fcmp_unordered("uno", value, value), minus)


def _scan(module: ir.Module, dtype: str) -> ir.Function:
    """The function that says whether elements, of which there are some, are plain."""
    name, type = f"pj_are_plain_{dtype}", scalars.llvm_type(dtype)
    if name in module.globals:
        found: ir.Function = module.globals[name]
        return found
    function = ir.Function(module, ir.FunctionType(scalars.I1, [_POINTER, _POINTER]), name)
    function.linkage = "internal"
    function.attributes |= {"nounwind", "noinline"}
    widen(function)
    before, inside, after = (function.append_basic_block() for _ in range(3))
    b, (first, last) = ir.IRBuilder(before), function.args
    size = b.sub(b.ptrtoint(last, _I64), b.ptrtoint(first, _I64))
    count = b.udiv(size, _I64(np.dtype(dtype).itemsize))
    b.branch(inside)
    b.position_at_end(inside)
    index, odd = b.phi(_I64), b.phi(scalars.I1)
    value = b.load(b.gep(first, [index], inbounds=True, source_etype=type), typ=type)
    following, found_odd = b.add(index, _I64(1), flags=("nuw", "nsw")), b.or_(odd, _is_odd(b, value))
    for phi, start, again in ((index, _I64(0), following), (odd, scalars.I1(0), found_odd)):
        phi.add_incoming(start, before)
        phi.add_incoming(again, inside)
    b.cbranch(b.icmp_signed("<", following, count), inside, after)
    b.position_at_end(after)
    b.ret(b.not_(found_odd))
    return function
