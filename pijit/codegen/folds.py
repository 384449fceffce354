"""Kernels that add up what they compute along one axis, in the order in which NumPy adds a contiguous array.

Along the last axis NumPy adds pairwise: fewer than 8 elements one after the other; up to 128 in eight sums, element by element, which are added
in pairs, then what is left; more in two halves. So a row is computed in blocks that stay in the cache, and the sums of blocks wait on a stack for
the other half. Along other axes row is added to row.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.kernel import Kernel
from . import llvm_ir as ir
from . import reductions, scalars
from .inner import equal
from .kernels import I64, POINTER, Body, memory_type
from .llvm import call
from .vectors import AROUND, EIGHT_AT_ONCE, NOT_UNROLLED, Wishes, taken_singly

if TYPE_CHECKING:
    from collections.abc import Callable

_SUMS, _BLOCK, _DEPTH = 8, 128, 64
_STEPS = 8  # kernels of so many have, since LLVM takes its time for them, loops for a last axis of less than eight elements,
_SHORT = (2, 3)  # and of these lengths
_LENGTHS = (0, 1, 2, 7, 8, 9, 15, 16, 127, 128, 129, 137, 255, 257, 1031, 4099)


@functools.cache
def known(dtype: str) -> bool:
    """Whether NumPy adds elements of the dtype in the order of these kernels: from 0, pairwise."""
    if dtype not in ("float64", "float32", "int64"):
        return False
    how = reductions.plan("add", dtype)
    if how is None or how.first or any(how.identity):
        return False
    rng = np.random.default_rng(7)
    samples = [(rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)).astype(dtype) for n in _LENGTHS]
    samples += [np.full(n, -0.0).astype(dtype) for n in _LENGTHS[:9]]
    return all(equal(a.sum()[None], np.zeros(1, dtype) + _pairwise(a)) for a in samples)


def _pairwise(a: Any) -> Any:
    n = len(a)
    if n > _BLOCK:
        half = n // 2 // _SUMS * _SUMS
        return _pairwise(a[:half]) + _pairwise(a[half:])
    total, rest = a.dtype.type(-0.0), a
    if n >= _SUMS:
        r, rest = a[: n // _SUMS * _SUMS].reshape(-1, _SUMS), a[n // _SUMS * _SUMS :]
        r = functools.reduce(np.add, r)
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    return functools.reduce(np.add, rest, total)


class FoldedBody(Body):
    """The loops of a kernel with a fold."""

    def __init__(self, function: ir.Function, kernel: Kernel) -> None:
        super().__init__(function, kernel)
        assert kernel.fold is not None
        self.fold = kernel.fold
        self.dtype = kernel.dtype(kernel.fold.reference)
        self.type = memory_type(self.dtype)
        self.sum = self.entry.alloca(self.type)
        self.lane: ir.Value | None = None  # of the elements that are made at once, which accumulate each for itself: all together takes its time
        self.lanes: dict[ir.IntType, Any] = {}
        self.small = len(kernel.steps) <= _STEPS
        self.few = False  # than eight elements along the last axis

    def nest(self, axis: int, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any]) -> None:
        """All loops; for a short last axis loops of their own, of which LLVM knows some lengths."""
        last = self.kernel.ndim - 1
        if last == 0 or not self.small:
            self._nest(axis, low, high, row, pointers)
            return
        builder, length = self.builder, self.dims[last]
        ways = [(builder.append_basic_block(), I64(known), True) for known in _SHORT]
        other, done = builder.append_basic_block(), builder.append_basic_block()
        switch = builder.switch(length, other)
        for place, known, _ in ways:
            switch.add_case(known, place)
        if self.fold.axis == last and not self.distances():
            builder.position_at_end(other)
            few, other = builder.append_basic_block(), builder.append_basic_block()
            builder.cbranch(builder.icmp_signed("<", length, I64(_SUMS)), few, other)
            ways.append((few, length, True))
        for place, self.dims[last], self.few in (*ways, (other, length, False)):
            builder.position_at_end(place)
            self._nest(axis, low, high, row, pointers)
            builder.branch(done)
        builder.position_at_end(done)

    def _nest(self, axis: int, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any], before: Any = None) -> None:
        """``before``: how many sums come before, in units of the next axis that is not folded."""
        builder, last = self.builder, self.kernel.ndim - 1
        before = I64(0) if before is None else before
        if axis == self.fold.axis:
            if axis == last:
                self._row(low, high, row, pointers, before)
                return
            self._begin(axis, before)
        else:
            before = builder.mul(before, self.dims[axis])
        if axis == last:
            self._add_to(low, high, row, pointers, before)
            return
        low, high, start, end = self.bounds(axis, low, high) if axis > self.fold.axis else (low, high, I64(0), self.dims[axis + 1])
        with self.loop(low, high, AROUND) as index:
            inner = self.moved(axis, pointers, index)
            row = builder.mul(builder.add(row, index), self.dims[axis + 1])
            place = before if axis == self.fold.axis else builder.add(before, index)
            self._nest(axis + 1, start, end, row, inner, place)

    def accumulate(self, bits: ir.Value) -> None:
        if self.lane is None:
            super().accumulate(bits)
            return
        builder, type = self.builder, scalars.I8 if bits.type == scalars.I1 else bits.type
        if type not in self.lanes:
            vector = ir.VectorType(type, _SUMS)
            made = self.lanes[type] = self.entry.alloca(vector)
            self.entry.store(vector(None), made)
        place = builder.gep(self.lanes[type], [self.lane], inbounds=True, source_etype=type)
        wide = bits if type == bits.type else builder.zext(bits, type)
        builder.store(builder.or_(builder.load(place, typ=type), wide), place)

    def taken(self, source: int, dtype: str, pointer: ir.Value, index: ir.Value) -> Any:
        """As ever; of elements that are made one by one, those that are not counted from the end take no more than a look."""
        if self.lane is not None:
            return super().taken(source, dtype, pointer, index)
        builder, (length, distance) = self.builder, self.rows[source]
        usual = builder.gep(pointer, [builder.mul(index, distance)], source_etype=scalars.I8)
        before = builder.block
        with builder.if_then(builder.icmp_unsigned(">=", index, length), likely=False):
            other, missing = self.wrapped(source, pointer, index)
            self.accumulate(missing)
            inside = builder.block
        place = builder.phi(POINTER)
        place.add_incoming(usual, before)
        place.add_incoming(other, inside)
        return scalars.load(builder, dtype, place)

    def finish(self) -> ir.Value:
        builder = self.builder
        for type, place in self.lanes.items():
            lanes = builder.load(place, typ=ir.VectorType(type, _SUMS))
            bits = call(builder, f"llvm.vector.reduce.or.v{_SUMS}i{type.width}", type, lanes)
            super().accumulate(builder.trunc(bits, scalars.I1) if type == scalars.I8 else bits)
        return super().finish()

    # ---- row after row ----

    def _begin(self, axis: int, before: ir.Value) -> None:
        """The sums along the axis begin with nothing."""
        builder = self.builder
        count = functools.reduce(builder.mul, self.dims[axis + 1 :])
        start = builder.mul(before, count)
        with self.loop(I64(0), count) as index:
            builder.store(self.type(0), self._sum_at(builder.add(start, index)))

    def _add_to(self, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any], before: ir.Value) -> None:
        builder = self.builder
        same, outputs = self.unchanging(pointers), self.row(row)
        for index in self.along(low, high):
            value = self.elements(index, same, pointers, outputs)[self.fold.reference]
            place = self._sum_at(builder.add(before, index))
            builder.store(self._add(builder.load(place, typ=self.type), value), place)

    def _sum_at(self, number: ir.Value) -> ir.Value:
        return self.builder.gep(self.sums, [number], inbounds=True, source_etype=self.type)

    def _add(self, one: ir.Value, other: ir.Value) -> Any:
        return scalars.emit(self.builder, "add", (self.dtype,) * 3, [one, other], self.trouble, scalar=False, quiet=self.quiet)

    # ---- along a row ----

    def _row(self, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any], before: ir.Value) -> None:
        """Adds up a row."""
        builder = self.builder
        same, outputs = self.unchanging(pointers), self.row(row)
        n = builder.sub(high, low)

        def element(index: ir.Value) -> Any:
            return self.elements(builder.add(low, index), same, pointers, outputs)[self.fold.reference]

        pairs = _Pairs(self, element)
        self._set(self._nothing())
        if self.few:
            pairs.in_turn(I64(0), n)
        else:
            pairs.emit(n, pairs.in_eights)
        builder.store(self._add(self.type(0), self._get()), self._sum_at(before))

    def _nothing(self) -> Any:
        return self.type(0) if self.dtype == "int64" else self.type(-0.0)

    def _get(self) -> ir.Value:
        return self.builder.load(self.sum, typ=self.type)

    def _set(self, value: ir.Value) -> None:
        self.builder.store(value, self.sum)


class _Pairs:
    """Leaves the sum in the body's."""

    def __init__(self, body: FoldedBody, element: Any) -> None:
        self.body, self.element = body, element
        self.vector = ir.VectorType(body.type, _SUMS)
        self.eight = body.entry.alloca(self.vector)
        self.lanes = self._room(body.type, _SUMS)
        self.lanes.align = 64
        self.left, self.right = self._room(body.type, _DEPTH), self._room(I64, _DEPTH)

    def _room(self, type: ir.Type, length: int) -> Any:
        return self.body.entry.alloca(ir.ArrayType(type, length))

    def in_eights(self, first: ir.Value, n: ir.Value) -> None:
        """At most a block, as the elements are made."""
        body, b = self.body, self.body.builder
        with b.if_then(b.icmp_signed(">=", n, I64(_SUMS))):
            turns = b.lshr(n, I64(3))
            self._join(self._singly(first, turns) if body.small and taken_singly(body.kernel) else self._at_once(first, turns))
        self.in_turn(b.add(first, b.and_(n, I64(-_SUMS))), b.add(first, n), NOT_UNROLLED)

    def _at_once(self, first: ir.Value, turns: ir.Value) -> list[ir.Value]:
        """The eight sums, in a vector."""
        body, b = self.body, self.body.builder
        b.store(self.vector([body._nothing().constant] * _SUMS), self.eight)
        for distances in body.versions():
            with body.loop(I64(0), turns, NOT_UNROLLED) as turn:
                start = b.add(first, b.shl(turn, I64(3)))
                with body.loop(I64(0), I64(_SUMS), () if distances else EIGHT_AT_ONCE) as lane:
                    body.lane = None if distances else lane
                    b.store(self.element(b.add(start, lane)), self._at(self.lanes, body.type, lane))
                    body.lane = None
                more = b.load(self.lanes, typ=self.vector, align=_ALIGNED)
                b.store(self._add(b.load(self.eight, typ=self.vector), more), self.eight)
        sums = b.load(self.eight, typ=self.vector)
        return [b.extract_element(sums, ir.IntType(32)(number)) for number in range(_SUMS)]

    def _singly(self, first: ir.Value, turns: ir.Value) -> list[ir.Value]:
        """The eight sums, of elements that are better made one by one."""
        body, b = self.body, self.body.builder
        sums = [body.entry.alloca(body.type) for _ in range(_SUMS)]
        for sum in sums:
            b.store(body._nothing(), sum)
        with body.loop(I64(0), turns, AROUND) as turn:
            start = b.add(first, b.shl(turn, I64(3)))
            for lane, sum in enumerate(sums):
                b.store(body._add(b.load(sum, typ=body.type), self.element(b.add(start, I64(lane)))), sum)
        return [b.load(sum, typ=body.type) for sum in sums]

    def in_turn(self, low: ir.Value, high: ir.Value, wishes: Wishes = ()) -> None:
        """One after the other, to what is there."""
        body = self.body
        with body.loop(low, high, wishes) as index:
            body._set(body._add(body._get(), self.element(index)))

    def emit(self, n: ir.Value, add_up: Callable[[ir.Value, ir.Value], None]) -> None:
        """Halves, until what is left is a block, which is added up; adds it to what waits for it, and goes on with what is next."""
        b, start = self.body.builder, self.body.builder.block
        down, halve, leaf, up, wait, other, join, done = (b.append_basic_block() for _ in range(8))
        b.branch(down)
        b.position_at_end(down)
        length, depth, first = b.phi(I64), b.phi(I64), b.phi(I64)
        for phi, value in ((length, n), (depth, I64(0)), (first, I64(0))):
            phi.add_incoming(value, start)
        b.cbranch(b.icmp_signed(">", length, I64(_BLOCK)), halve, leaf)

        b.position_at_end(halve)
        half = b.and_(b.lshr(length, I64(1)), I64(-_SUMS))
        b.store(b.sub(length, half), self._at(self.right, I64, depth))
        for phi, value in ((length, half), (depth, b.add(depth, I64(1))), (first, first)):
            phi.add_incoming(value, halve)
        b.branch(down)

        b.position_at_end(leaf)
        add_up(first, length)
        behind = b.add(first, length)
        after = b.block
        b.branch(up)
        b.position_at_end(up)
        level = b.phi(I64)
        level.add_incoming(depth, after)
        above = b.sub(level, I64(1))
        b.cbranch(b.icmp_signed("==", level, I64(0)), done, wait)

        b.position_at_end(wait)
        place = self._at(self.right, I64, above)
        rest = b.load(place, typ=I64)
        b.cbranch(b.icmp_signed("!=", rest, I64(0)), other, join)

        b.position_at_end(other)
        b.store(self.body._get(), self._at(self.left, self.body.type, above))
        b.store(I64(0), place)
        for phi, value in ((length, rest), (depth, level), (first, behind)):
            phi.add_incoming(value, other)
        b.branch(down)

        b.position_at_end(join)
        self.body._set(self.body._add(b.load(self._at(self.left, self.body.type, above), typ=self.body.type), self.body._get()))
        level.add_incoming(above, join)
        b.branch(up)
        b.position_at_end(done)

    def _join(self, sums: list[ir.Value]) -> None:
        """The sum of the eight sums."""
        while len(sums) > 1:
            sums = [self.body._add(*sums[number : number + 2]) for number in range(0, len(sums), 2)]
        self.body._set(sums[0])

    def _add(self, one: ir.Value, other: ir.Value) -> ir.Value:
        b = self.body.builder
        return b.add(one, other) if self.body.dtype == "int64" else b.fadd(one, other)

    def _at(self, start: ir.Value, type: ir.Type, number: ir.Value) -> ir.Value:
        return self.body.builder.gep(start, [number], inbounds=True, source_etype=type)


_ALIGNED = 32
