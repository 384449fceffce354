"""Kernels with steps that NumPy's own inner loops do, on tiles of the innermost axis that stay in the first-level cache.

The steps are done in stages: formulas element by element in one loop, then loops of NumPy, then formulas that need their results, and so
on. What one stage hands to a later one goes through buffers on the stack, or through the output where it is one anyway.

Some of NumPy's loops clear the floating-point flags that were raised before: flags are sampled before every one, and what was found is
returned at the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.kernel import Kernel
from . import inner, magnitudes, scalars, scans
from . import llvm_ir as ir
from .kernels import POINTER, Body, by_loop, memory_type
from .relaxed import relaxing
from .vectors import NOT_INTERLEAVED

I64 = ir.IntType(64)
_LOOP = ir.FunctionType(ir.VoidType(), [POINTER] * 4)
_LONGEST, _SHORTEST, _ROOM = 1024, 128, 24 << 10  # elements of a tile, and bytes of all buffers together
_ROWS = 4  # of a reduction at once


class Schedule:
    """``stages``: numbers of steps, formulas and loops in turn. ``stored``: references that live in memory during a tile."""

    def __init__(self, kernel: Kernel) -> None:
        first, steps = len(kernel.operands), kernel.steps
        self.loops = {number for number, step in enumerate(steps) if by_loop(kernel, step)}
        level = [0] * len(steps)  # loops are done as early as possible: level n needs loops below n
        for number, step in enumerate(steps):
            below = [level[arg - first] + (arg - first in self.loops) for arg in step.args if arg >= first]
            level[number] = max(below, default=0)
        users: dict[int, list[int]] = {}
        for number, step in enumerate(steps):
            for arg in step.args:
                users.setdefault(arg - first, []).append(number)
        last = max(level[number] for number in self.loops) + 1
        for number in reversed(range(len(steps))):  # formulas as late as possible, where their users are
            if number not in self.loops:
                level[number] = min((level[user] for user in users.get(number, ())), default=last)
        self.stages: list[tuple[bool, list[int]]] = []  # (by loops, steps)
        for at in range(last + 1):
            for by_loops in (False, True):
                chosen = [n for n in range(len(steps)) if level[n] == at and (n in self.loops) == by_loops]
                if chosen:
                    self.stages.append((by_loops, chosen))
        stage = {number: place for place, (_, chosen) in enumerate(self.stages) for number in chosen}
        self.stored = {
            first + number
            for number in range(len(steps))
            if number in self.loops or any(stage[user] != stage[number] for user in users.get(number, ()))
        }
        self.last_use = {
            reference: max((stage[user] for user in users.get(reference - first, ())), default=len(self.stages)) for reference in self.stored
        }


class TiledBody(Body):
    """The innermost loop goes over tiles."""

    def emit(self, function: ir.Function) -> None:
        self.plan = Schedule(self.kernel)
        self.wishes = NOT_INTERLEAVED  # most of the time goes to NumPy's loops
        self.flags = self._slot(I64)
        self.entry.store(I64(0), self.flags)
        self._make_buffers()
        most = max(len(self.kernel.steps[n].args) for n in self.plan.loops) + 1
        self.count = self._slot(I64)
        self.running = {n: scans.Running(self.entry, s.ufunc, s.dtype) for n, s in enumerate(self.kernel.steps) if s.scan}
        self.places, self.steps = self._slot(ir.ArrayType(POINTER, most)), self._slot(ir.ArrayType(I64, most))
        super().emit(function)

    def _slot(self, type: ir.Type, align: int = 16) -> ir.Value:
        place = self.entry.alloca(type)
        place.align = align
        return place

    def _make_buffers(self) -> None:
        """Buffers are used again after the last use of what they hold. What is stored in consecutive elements needs none."""
        store = self.kernel.store
        close = store is not None and store.reference not in self.kernel.outputs and store.strides[-1] == item_size(self.walked[-1].dtype)
        self.in_place = store.reference if store is not None and close else None
        sizes: list[int] = []
        free: list[tuple[int, int]] = []  # (stage from which on it is free, buffer)
        self.buffer: dict[int, int] = {}
        first = len(self.kernel.operands)
        for place, (_, chosen) in enumerate(self.plan.stages):
            for reference in (first + number for number in chosen):
                if reference not in self.plan.stored or reference in self.kernel.outputs or reference == self.in_place:
                    continue
                size = item_size(self.kernel.dtype(reference))
                found = next((entry for entry in free if entry[0] < place), None)
                if found is None:
                    number = len(sizes)
                    sizes.append(size)
                else:
                    free.remove(found)
                    number = found[1]
                    sizes[number] = max(sizes[number], size)
                self.buffer[reference] = number
                free.append((self.plan.last_use[reference], number))
        self.tile = _LONGEST
        while self.tile > _SHORTEST and self.tile * sum(sizes) > _ROOM:
            self.tile //= 2
        self.buffers = [self._slot(ir.ArrayType(ir.IntType(8), self.tile * size), 64) for size in sizes]
        self.scalars_at = {  # scalar operands of loops, in memory
            arg: self._slot(ir.ArrayType(I64, 2))
            for number in self.plan.loops
            for arg in self.kernel.steps[number].args
            if arg < first and self.kernel.operands[arg].strides is None
        }

    def innermost(self, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any]) -> None:
        builder, kernel = self.builder, self.kernel
        same = self.unchanging(pointers)
        for number, place in self.scalars_at.items():
            scalars.store(builder, kernel.operands[number].dtype, pointers[number], place)
        before, inside, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.cbranch(builder.icmp_signed("<", low, high), inside, after)
        builder.position_at_end(inside)
        start = builder.phi(I64)
        start.add_incoming(low, before)
        rest = builder.sub(high, start)
        count = builder.select(builder.icmp_signed("<", rest, I64(self.tile)), rest, I64(self.tile))
        places = self._places(start, row, pointers)
        for by_loops, chosen in self.plan.stages:
            if by_loops:
                self._scan([number for number in chosen if kernel.steps[number].scan], count, places)
                for number in (number for number in chosen if not kernel.steps[number].scan):
                    (self._fold if kernel.steps[number].fold else self._make)(number, count, places)
                    self._put_tile(number, count, places)
            else:
                self._formulas(chosen, count, places, same)
        following = builder.add(start, count, flags=("nsw",))
        start.add_incoming(following, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, high), inside, after)
        builder.position_at_end(after)

    def _places(self, start: ir.Value, row: ir.Value, pointers: list[Any]) -> dict[int, ir.Value]:
        """Where the tile's part of what is in memory starts, by reference."""
        builder, kernel, last = self.builder, self.kernel, self.kernel.ndim - 1
        places = dict(self.scalars_at)
        for number, operand in enumerate(kernel.operands):
            if operand.strides is not None:
                places[number] = self.step(number, last, pointers[number], start)
        places |= {reference: self.buffers[number] for reference, number in self.buffer.items()}
        if kernel.store is not None:
            self.target = self.step(len(kernel.operands), last, pointers[-1], start)
            if kernel.store.operand is not None:
                places[kernel.store.operand] = self.target
            if self.in_place is not None:
                places[self.in_place] = self.target
        offset = builder.add(row, start)
        for pointer, reference in zip(self.outputs, self.written, strict=True):
            place = builder.gep(pointer, [offset], inbounds=True, source_etype=memory_type(kernel.dtype(reference)))
            if reference < len(kernel.operands):
                self.log = place
            else:
                places[reference] = place
        return places

    def _apart(self, number: int) -> bool:
        """Whether the step's result is stored in addition to where the steps that use it find it."""
        store = self.kernel.store
        return store is not None and store.reference == len(self.kernel.operands) + number and self.in_place is None

    def _put_tile(self, number: int, count: ir.Value, places: dict[int, ir.Value]) -> None:
        reference = len(self.kernel.operands) + number
        if self._apart(number):
            with self.loop(I64(0), count) as index:
                value = scalars.load(self.builder, self.kernel.dtype(reference), self._element(reference, places[reference], index))
                self.put(value, self.target, index)

    def _formulas(self, chosen: list[int], count: ir.Value, places: dict[int, ir.Value], same: dict[int, Any]) -> None:
        """The steps of a stage in one loop."""
        builder, kernel, first = self.builder, self.kernel, len(self.kernel.operands)
        for index in self.along(I64(0), count):
            values = dict(same)
            made = {first + number for number in chosen}
            for reference in sorted({arg for number in chosen for arg in kernel.steps[number].args} - made - set(same)):
                values[reference] = self._read(reference, places, index)
                if self.kernel.store is not None and self.kernel.store.logged and reference == self.kernel.store.operand:
                    scalars.store(builder, kernel.dtype(reference), values[reference], self._element(reference, self.log, index))
            for number in chosen:
                values[first + number] = self.element(number, values)
            self.flush_trouble()
            for reference in sorted(made):
                if reference in places:
                    scalars.store(builder, kernel.dtype(reference), values[reference], self._element(reference, places[reference], index))
                if self._apart(reference - first):
                    self.put(values[reference], self.target, index)

    def _read(self, reference: int, places: dict[int, ir.Value], index: ir.Value) -> Any:
        """An element of an operand or a step that is in memory."""
        if reference < len(self.kernel.operands):
            store = self.kernel.store
            number = len(self.kernel.operands) if store is not None and store.operand == reference else reference
            place = self.step(number, self.kernel.ndim - 1, places[reference], index)
        else:
            place = self._element(reference, places[reference], index)
        return scalars.load(self.builder, self.kernel.dtype(reference), place)

    def _element(self, reference: int, place: ir.Value, index: ir.Value) -> ir.Value:
        return self.builder.gep(place, [index], inbounds=True, source_etype=memory_type(self.kernel.dtype(reference)))

    def _make(self, number: int, count: ir.Value, places: dict[int, ir.Value]) -> None:
        """What NumPy's loop gives on the tile, or what does as well."""
        limit = magnitudes.compared(self.kernel, number)
        if limit is None:
            self._call(number, count, places)
            return
        builder, reference, (operand,) = self.builder, len(self.kernel.operands) + number, self.kernel.steps[number].args
        bounds = magnitudes.bounds(builder, self.operands[limit])
        unknown = self._slot(I64)
        builder.store(I64(0), unknown)
        with self.loop(I64(0), count) as index:
            value, missing = magnitudes.side(builder, self._read(operand, places, index), *bounds)
            scalars.store(builder, "float64", value, self._element(reference, places[reference], index))
            builder.store(builder.or_(builder.load(unknown, typ=I64), missing), unknown)
        with builder.if_then(builder.icmp_signed("<", builder.load(unknown, typ=I64), I64(0))):
            self._call(number, count, places)

    def _call(self, number: int, count: ir.Value, places: dict[int, ir.Value]) -> None:
        """NumPy's loop on the tile."""
        builder, kernel, module = self.builder, self.kernel, self.builder.module
        step = kernel.steps[number]
        loop = inner.find(step.ufunc, (*map(kernel.dtype, step.args), step.dtype))
        assert loop is not None, step
        loop.register()
        self._sample()
        for place, reference in enumerate((*step.args, len(kernel.operands) + number)):
            for array, type, value in ((self.places, POINTER, places[reference]), (self.steps, I64, self._distance(reference))):
                builder.store(value, builder.gep(array, [I64(place)], inbounds=True, source_etype=type), align=8)
        builder.store(count, self.count, align=8)
        function = module.globals.get(loop.name) or ir.Function(module, _LOOP, loop.name)
        data = POINTER(None)
        if loop.data:
            data = module.globals.get(loop.data_name) or ir.GlobalVariable(module, ir.IntType(8), loop.data_name)
        builder.call(function, [self.places, self.count, self.steps, data])

    def _scan(self, numbers: list[int], count: ir.Value, places: dict[int, ir.Value]) -> None:
        """Scans that may be done at the same time: each waits for its own last result."""
        joined = [number for number in numbers if self.running[number].joins()]
        for number in joined:
            self._scan_groups(number, count, places)
        if len(joined) < len(numbers):
            self._scan_singly([number for number in numbers if number not in joined], I64(0), count, places)
        for number in numbers:
            self._counts(places[len(self.kernel.operands) + number])

    def _scan_singly(self, numbers: list[int], low: ir.Value, high: ir.Value, places: dict[int, ir.Value]) -> None:
        first = len(self.kernel.operands)
        with self.loop(low, high) as index:
            for number in numbers:
                step = self.kernel.steps[number]
                (operand,) = step.args
                total = self.running[number].next(self.builder, self._read(operand, places, index), self.trouble)
                reference = first + number
                scalars.store(self.builder, step.dtype, total, self._element(reference, places[reference], index))
            self.flush_trouble()

    def _scan_groups(self, number: int, count: ir.Value, places: dict[int, ir.Value]) -> None:
        builder, running, step = self.builder, self.running[number], self.kernel.steps[number]
        reference, size = len(self.kernel.operands) + number, I64(scans.GROUP)
        groups = builder.sdiv(count, size)
        with self.loop(I64(0), groups) as turn:
            low = builder.mul(turn, size)
            results, right = running.group(builder, self._several(step.args[0], places, low))
            place = self._element(reference, places[reference], low)
            if right is None:
                running.keep(builder, results)
                builder.store(results, place, align=item_size(step.dtype))
            else:
                with builder.if_else(right) as (at_once, singly):
                    with at_once:
                        running.keep(builder, results)
                        builder.store(results, place, align=item_size(step.dtype))
                    with singly:
                        self._scan_singly([number], low, builder.add(low, size), places)
        self._scan_singly([number], builder.mul(groups, size), count, places)

    def _several(self, reference: int, places: dict[int, ir.Value], low: ir.Value) -> ir.Value:
        """As many elements from ``low`` on as a group has, as a vector."""
        builder, dtype = self.builder, self.kernel.dtype(reference)
        type = ir.VectorType(memory_type(dtype), scans.GROUP)
        if reference >= len(self.kernel.operands) or self.kernel.operands[reference].strides == (item_size(dtype),):
            return builder.load(self._element(reference, places[reference], low), typ=type, align=item_size(dtype))
        values: ir.Value = ir.Constant(type, ir.Undefined)
        for lane in range(scans.GROUP):
            value = self._read(reference, places, builder.add(low, I64(lane)))
            values = builder.insert_element(values, value, ir.IntType(32)(lane))
        return values

    def _fold(self, number: int, count: ir.Value, places: dict[int, ir.Value]) -> None:
        """One row after the other, as NumPy does it; several at once, so that what they are folded into is loaded and stored less."""
        from .reductions import plan

        builder, step = self.builder, self.kernel.steps[number]
        (operand,), dtype = step.args, step.dtype
        source, target = places[operand], places[len(self.kernel.operands) + number]
        rows, distance = self.rows[operand]
        self.accumulate(builder.icmp_signed("<=", rows, I64(0)))
        how = plan(step.ufunc, dtype)
        assert how is not None, step
        first = int(how.first)
        some = builder.select(builder.icmp_signed(">", rows, I64(0)), count, I64(0))
        with self.loop(I64(0), some) as index:
            start = scalars.load(builder, dtype, self._element(operand, source, index)) if first else _identity(step.ufunc, dtype)
            scalars.store(builder, dtype, start, self._element(operand, target, index))
        more = builder.sub(rows, I64(first))
        left = builder.srem(more, I64(_ROWS))
        for low, rounds, at_once in ((I64(first), builder.sdiv(more, I64(_ROWS)), _ROWS), (builder.sub(rows, left), left, 1)):
            with self.loop(I64(0), rounds) as turn:
                row = builder.add(low, builder.mul(turn, I64(at_once)))
                starts = [
                    builder.gep(source, [builder.mul(builder.add(row, I64(n)), distance)], source_etype=ir.IntType(8)) for n in range(at_once)
                ]
                with self.loop(I64(0), count) as index:
                    place = self._element(operand, target, index)
                    total = scalars.load(builder, dtype, place)
                    for start in starts:
                        value = scalars.load(builder, dtype, self._element(operand, start, index))
                        with relaxing(builder, self.freedom(step)):
                            total = scalars.emit(builder, step.ufunc, (dtype,) * 3, [total, value], self.trouble, scalar=False, quiet=self.quiet)
                    scalars.store(builder, dtype, total, place)
                    self.flush_trouble()
        self._counts(target)

    def _counts(self, place: ir.Value) -> None:
        """What was raised while the elements behind the pointer were made counts, whatever becomes of them."""
        self.builder.asm(ir.FunctionType(ir.VoidType(), [POINTER]), "", "r,~{memory}", [place], True)

    def _distance(self, reference: int) -> ir.Value:
        """The bytes from one element to the next along the tile."""
        if reference >= len(self.kernel.operands):
            return I64(item_size(self.kernel.dtype(reference)))
        strides, last = self.kernel.operands[reference].strides, self.kernel.ndim - 1
        if strides is None:
            return I64(0)
        stride = strides[last]
        return self.strides[reference, last] if stride is None else I64(stride)

    def _sample(self) -> None:
        builder, module = self.builder, self.builder.module
        name = "pj_fp_get"
        function = module.globals.get(name) or ir.Function(module, ir.FunctionType(I64, []), name)
        flags = builder.or_(builder.load(self.flags, typ=I64, align=8), builder.call(function, []))
        builder.store(flags, self.flags, align=8)

    def finish(self) -> ir.Value:
        return self.builder.or_(self.builder.load(self.flags, typ=I64, align=8), super().finish())


def _identity(ufunc: str, dtype: str) -> Any:
    """Where a reduction begins that does not begin with the first row."""
    value = getattr(np, ufunc).identity
    if dtype.startswith("complex"):
        half = scalars.llvm_type(dtype)
        return ir.Constant(half, value), ir.Constant(half, 0)
    return ir.Constant(scalars.llvm_type(dtype), value)


def item_size(dtype: str) -> int:
    """The bytes of an element."""
    from ..ir.types import Np

    return int(Np(dtype).dtype.itemsize)
