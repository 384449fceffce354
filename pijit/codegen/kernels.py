"""Kernels to LLVM IR: ``i64 pj_k_<hash>(i64 lo, i64 hi, i64 *p)``, with p as in `Kernel.words`.

The function reads p and calls its body, whose pointer parameters say that outputs and the store alias nothing: that lets LLVM
vectorise the inner loop.

Floating-point flags are results too, which LLVM does not know. So a step whose flags count but whose value might be
optimised away is accumulated bit by bit (see `_hidden`). What only NumPy can do ("trouble", see `scalars`) is accumulated
likewise, and is TROUBLE in what the kernel returns: 0, or that and the flags (NPY_FPE_*) that were raised and are not set any more.

A kernel with steps that only NumPy's inner loops can do works tile by tile: see `tiles`.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..ir.kernel import Kernel, Operand, Step
from ..ir.text import kernel as kernel_text
from ..ir.ufuncs import can_raise, place_counts, signals
from . import llvm_ir as ir
from . import picks, scalars
from .relaxed import REGROUPED, loose, relaxing
from .vectors import MANY, SINGLY, Wishes, collects, opaque, opaque_to_versioning, plain, widen, wish

I64 = ir.IntType(64)
POINTER = ir.PointerType()
SIGNATURE = ir.FunctionType(I64, [I64, I64, POINTER])
TROUBLE = 16  # no flag has this bit


def symbol(kernel: Kernel) -> str:
    """The name of the kernel's function: equal for equal kernels, in every process."""
    return "pj_k_" + hashlib.sha256(kernel_text(kernel).encode()).hexdigest()[:20]


def declared(module: ir.Module, symbol: str) -> ir.Function:
    """The function of a kernel, in the module that calls it."""
    return module.globals.get(symbol) or ir.Function(module, SIGNATURE, symbol)


def define(module: ir.Module, kernel: Kernel) -> ir.Function:
    """Adds the kernel to the module."""
    function = ir.Function(module, SIGNATURE, symbol(kernel))
    function.attributes.add("nounwind")
    function.attributes.add("noimplicitfloat")  # two words at once would have to wait until both, which were stored singly, are in the cache
    low, high, words = function.args
    builder = ir.IRBuilder(function.append_basic_block())
    values: list[ir.Value] = []
    for place, (kind, number, half) in enumerate(kernel.words()):
        pointer = builder.gep(words, [I64(place)], inbounds=True, source_etype=I64)
        if kind == "scalar":
            if half == 0:
                value = scalars.load(builder, kernel.operands[number].dtype, pointer)
                values += value if isinstance(value, tuple) else (value,)
        else:
            type = POINTER if kind in ("pointer", "output", "store", "log", "fold") else I64
            values.append(builder.load(pointer, typ=type, align=8))
    types = [I64, I64, *(value.type for value in values)]
    body = ir.Function(module, ir.FunctionType(I64, types), symbol(kernel) + "_body")
    body.linkage = "internal"
    body.attributes.add("nounwind")
    body.attributes.add("noinline")
    widen(body)
    if kernel.fold is not None:
        from .folds import FoldedBody

        FoldedBody(body, kernel).emit(body)
    elif loops(kernel):
        from .tiles import TiledBody

        TiledBody(body, kernel).emit(body)
    else:
        Body(body, kernel).emit(body)
    builder.ret(builder.call(body, [low, high, *values]))
    return function


class Body:
    """The loops of one kernel: one per axis; the innermost does all steps on one element."""

    def __init__(self, function: ir.Function, kernel: Kernel) -> None:
        self.kernel = kernel
        self.walked = walked(kernel)
        self.builder = self.entry = ir.IRBuilder(function.append_basic_block())  # its end: a branch to what follows
        self.dims: list[ir.Value] = []
        self.operands: list[Any] = []  # pointers, and values of scalars; the pointer of the store
        self.strides: dict[tuple[int, int], ir.Value] = {}
        self.rows: dict[int, list[ir.Value]] = {}  # of operands that are folded: how many, and the distance
        self.outputs: list[ir.Value] = []
        self.sums: Any = None  # pointer of what is folded
        self.written = written(kernel)
        self.quiet = signals(kernel)
        self.hidden = _hidden(kernel)
        self.steady = _steady(kernel)
        self.sources = {step.args[0] for step in kernel.steps if step.ufunc == "take"}
        self.accumulators: dict[str, ir.Allocation] = {}  # by LLVM type
        self.wishes = plain(kernel)  # as to its loops
        self.trouble: list[ir.Value] = []
        self._zero: ir.Value | None = None
        self.plainly: frozenset[int] = frozenset()  # steps of numbers of which none is -0.0

    def emit(self, function: ir.Function) -> None:
        """Makes everything."""
        low, high = self.parameters(function)
        head = self.entry.append_basic_block()
        self.builder = ir.IRBuilder(head)
        self.nest(0, low, high, I64(0), self.operands)
        self.builder.ret(self.finish())
        self.entry.branch(head)

    def parameters(self, function: ir.Function) -> tuple[ir.Value, ir.Value]:
        low, high, *rest = function.args
        values = iter(rest)
        found: dict[int, Any] = {}
        for kind, number, extra in self.kernel.words():
            if kind == "scalar":
                if extra == 0:
                    dtype = self.kernel.operands[number].dtype
                    pair = dtype.startswith("complex")
                    found[number] = (next(values), next(values)) if pair else next(values)
                continue
            value = next(values)
            if kind == "dim":
                self.dims.append(value)
            elif kind in ("stride", "store_stride"):
                number = number if kind == "stride" else len(self.kernel.operands)
                self.strides[number, extra] = value
            elif kind == "rows":
                distance = self.kernel.operands[number].distance
                self.rows[number] = [value] if distance is None else [value, I64(distance)]
            elif kind == "row_stride":
                self.rows[number].append(value)
            elif kind == "fold":
                value.add_attribute("noalias")
                self.sums = value
            elif kind in ("output", "log"):
                value.add_attribute("noalias")
                self.outputs.append(value)
            else:
                if kind == "store":
                    value.add_attribute("noalias")
                found[number if kind == "pointer" else len(self.kernel.operands)] = value
        for number, operand in enumerate(self.walked):
            self.operands.append(found[number] if operand.near is None else self.near(operand.near, self.operands))
        return low, high

    def near(self, place: tuple[int, int], pointers: list[Any]) -> ir.Value:
        """The pointer of an operand that lies near another one."""
        number, distance = place
        return self.builder.gep(pointers[number], [I64(distance)], source_etype=scalars.I8)

    def moved(self, axis: int, pointers: list[Any], index: ir.Value) -> list[Any]:
        """The operands and the target, moved along an axis."""
        moved: list[Any] = []
        for number, (operand, pointer) in enumerate(zip(self.walked, pointers, strict=True)):
            if operand.near is not None:
                moved.append(self.near(operand.near, moved))
            else:
                moved.append(self.step(number, axis, pointer, index) if operand.strides else pointer)
        return moved

    @contextmanager
    def loop(self, low: ir.Value, high: ir.Value, wishes: Wishes = ()) -> Iterator[ir.Value]:
        """Counts from low to high; ``wishes``: see `vectors`."""
        builder = self.builder
        before, inside, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.cbranch(builder.icmp_signed("<", low, high), inside, after)
        builder.position_at_end(inside)
        index = builder.phi(I64)
        index.add_incoming(low, before)
        yield index
        following = builder.add(index, I64(1), flags=("nsw",))
        index.add_incoming(following, builder.block)
        end = builder.cbranch(builder.icmp_signed("<", following, high), inside, after)
        wish(end, wishes or self.wishes)
        builder.position_at_end(after)

    def nest(self, axis: int, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any]) -> None:
        """The loops from this axis inwards. ``row``: how many elements of the outputs come before, in units of this axis."""
        builder = self.builder
        if axis == self.kernel.ndim - 1:
            self.innermost(low, high, row, pointers)
            return
        low, high, start, end = self.bounds(axis, low, high)
        length = self.dims[axis + 1]
        with self.loop(low, high) as index:
            self.nest(axis + 1, start, end, builder.mul(builder.add(row, index), length), self.moved(axis, pointers, index))

    def bounds(self, axis: int, low: ir.Value, high: ir.Value) -> tuple[ir.Value, ...]:
        """Of the loop along this axis, and of the one inside it, which does all where rows are one long row."""
        builder, length = self.builder, self.dims[axis + 1]
        one = self.follows() if axis == self.kernel.ndim - 2 else None
        if one is None:
            return low, high, I64(0), length
        start, end = (builder.select(one, builder.mul(bound, length), other) for bound, other in ((low, I64(0)), (high, length)))
        return builder.select(one, I64(0), low), builder.select(one, I64(1), high), start, end

    def follows(self) -> ir.Value | None:
        """Whether each row lies behind the one before it everywhere, so that they are one long row; None where that cannot be."""
        builder, last = self.builder, self.kernel.ndim - 1
        found: ir.Value = scalars.I1(1)
        for number, operand in enumerate(self.walked):
            if operand.strides is None or operand.near is not None or operand.strides[last - 1 :] == (0, 0):
                continue
            if 0 in operand.strides[last - 1 :]:
                return None
            outer, inner = (self.stride(number, axis) for axis in (last - 1, last))
            found = builder.and_(found, builder.icmp_signed("==", outer, builder.mul(inner, self.dims[last])))
        return found

    def distances(self) -> dict[tuple[int, int], ir.Value]:
        """Those along the innermost axis that are known at run time only."""
        last, target = self.kernel.ndim - 1, None if self.kernel.store is None else self.kernel.store.operand
        return {place: value for place, value in self.strides.items() if place[1] == last and place[0] != target}

    def versions(self) -> Iterator[dict[tuple[int, int], ir.Value]]:
        """What is done in it is made twice where there are such distances, first for elements that lie behind each other, whichever operand
        they are of: of these LLVM does several at once. Gives the distances that are not known."""
        builder, distances = self.builder, self.distances()
        if not distances:
            yield {}
            return
        sizes = {place: I64(_SIZES[self.walked[place[0]].dtype]) for place in distances}
        tests = [builder.icmp_signed("==", value, sizes[place]) for place, value in distances.items()]
        with builder.if_else(functools.reduce(builder.and_, tests)) as (contiguous, apart):
            with contiguous:
                self.strides |= sizes
                yield {}
            with apart:
                self.strides |= distances
                yield distances

    def along(self, low: ir.Value, high: ir.Value) -> Iterator[ir.Value]:
        """Loops along the innermost axis; what is done in it is made once for each."""
        builder = self.builder
        for distances in self.versions():
            rest = low
            if distances and collects(self.kernel):
                self.strides |= {place: opaque_to_versioning(builder, value) for place, value in distances.items()}
                rest = builder.add(low, builder.and_(builder.sub(high, low), I64(-MANY)))
                with self.loop(low, rest) as index:
                    yield index
                self.strides |= distances
            with self.loop(rest, high, SINGLY if distances else ()) as index:
                yield index

    def stride(self, number: int, axis: int) -> ir.Value:
        strides = self.walked[number].strides
        assert strides is not None
        stride = strides[axis]
        return self.strides[number, axis] if stride is None else I64(stride)

    def step(self, number: int, axis: int, pointer: ir.Value, index: ir.Value) -> ir.Value:
        """The pointer moved along an axis."""
        builder, dtype, stride = self.builder, self.walked[number].dtype, self.stride(number, axis)
        if stride == I64(0):
            return pointer
        if stride == I64(_SIZES[dtype]):  # a form that LLVM recognises as consecutive
            return builder.gep(pointer, [index], inbounds=True, source_etype=memory_type(dtype))
        distance: ir.Value = builder.mul(index, stride)
        if axis < self.kernel.ndim - 1:  # LLVM would keep where each row begins, for each of its loops, rather than multiply
            distance = opaque(builder, distance)
        return builder.gep(pointer, [distance], source_etype=scalars.I8)

    def unchanging(self, pointers: list[Any]) -> dict[int, Any]:
        """The operands that do not change along the innermost axis."""
        builder, kernel = self.builder, self.kernel
        last = kernel.ndim - 1
        same: dict[int, Any] = {}
        for number, operand in enumerate(kernel.operands):
            if operand.strides is None or number in self.sources:
                same[number] = pointers[number]
            elif operand.strides[last] == 0:
                same[number] = scalars.load(builder, operand.dtype, pointers[number])
        return same

    def innermost(self, low: ir.Value, high: ir.Value, row: ir.Value, pointers: list[Any]) -> None:
        same, outputs = self.unchanging(pointers), self.row(row)
        for _ in picks.versions(self, low, high, same, pointers):
            for index in self.along(low, high):
                self.elements(index, same, pointers, outputs)

    def row(self, row: ir.Value) -> list[ir.Value]:
        """Where what is written of a row begins."""
        types = [memory_type(self.kernel.dtype(reference)) for reference in self.written]
        return [
            self.builder.gep(pointer, [row], inbounds=True, source_etype=type)
            for pointer, type in zip(self.outputs, types, strict=True)
        ]

    def elements(self, index: ir.Value, same: dict[int, Any], pointers: list[Any], outputs: list[ir.Value]) -> list[Any]:
        """All steps on one element, which are written; gives the values by reference."""
        builder, kernel = self.builder, self.kernel
        values = [
            same[number] if number in same else scalars.load(builder, operand.dtype, self.place(number, pointers, index))
            for number, operand in enumerate(kernel.operands)
        ]
        for number in range(len(kernel.steps)):
            values.append(self.element(number, values))
        self.flush_trouble()
        for pointer, reference in zip(outputs, self.written, strict=True):
            dtype = kernel.dtype(reference)
            place = builder.gep(pointer, [index], inbounds=True, source_etype=memory_type(dtype))
            scalars.store(builder, dtype, values[reference], place)
        if kernel.store is not None:
            self.put(values[kernel.store.reference], pointers[-1], index)
        return values

    def place(self, number: int, pointers: list[Any], index: ir.Value) -> ir.Value:
        """Where an element of an operand is."""
        store = self.kernel.store
        if store is not None and store.operand == number:
            number = len(self.kernel.operands)
        return self.step(number, self.kernel.ndim - 1, pointers[number], index)

    def put(self, value: Any, pointer: ir.Value, index: ir.Value) -> None:
        """Stores an element behind the pointer of the store, moved along the innermost axis."""
        last = len(self.kernel.operands)
        scalars.store(self.builder, self.walked[last].dtype, value, self.step(last, self.kernel.ndim - 1, pointer, index))

    def element(self, number: int, values: Any) -> Any:
        """One step on one element. ``values``: by reference."""
        step = self.kernel.steps[number]
        dtypes = (*map(self.kernel.dtype, step.args), step.dtype)
        operands = [values[arg] for arg in step.args]
        if len(self.kernel.operands) + number in self.plainly:
            return picks.emit(self.builder, step.ufunc, *operands)
        if step.ufunc == "take":
            pointer, index = operands
            if index.type != I64:
                index = (self.builder.zext if dtypes[1].startswith("u") else self.builder.sext)(index, I64)
            return self.taken(step.args[0], step.dtype, pointer, index)
        with relaxing(self.builder, self.freedom(step)):
            steady = step.args[-1] in self.steady
            value = scalars.emit(self.builder, step.ufunc, dtypes, operands, self.trouble, scalar=False, quiet=self.quiet, steady=steady)
        if len(self.kernel.operands) + number in self.hidden:
            for half in value if isinstance(value, tuple) else (value,):
                self.accumulate(scalars.Emitter(self.builder).bits(half))
        return value

    def taken(self, source: int, dtype: str, pointer: ir.Value, index: ir.Value) -> Any:
        """The element at a place, which may be counted from the end; where there is none it is trouble, and nothing of the operand is read."""
        place, missing = self.wrapped(source, pointer, index)
        self.trouble.append(missing)
        return scalars.load(self.builder, dtype, place)

    def wrapped(self, source: int, pointer: ir.Value, index: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Where the element is, and whether there is none."""
        builder, (length, distance) = self.builder, self.rows[source]
        found = builder.select(builder.icmp_signed("<", index, I64(0)), builder.add(index, length), index)
        missing = builder.icmp_unsigned(">=", found, length)
        place = builder.gep(pointer, [builder.mul(found, distance)], source_etype=scalars.I8)
        return builder.select(missing, self.nothing(), place), missing

    def nothing(self) -> ir.Value:
        """The place of an element that is 0."""
        if self._zero is None:
            type = ir.ArrayType(I64, 2)
            self._zero = self.entry.alloca(type)
            self.entry.store(type([0, 0]), self._zero)
        return self._zero

    def freedom(self, step: Step) -> tuple[str, ...]:
        """What LLVM may do to the step's arithmetic."""
        return REGROUPED if self.kernel.relaxed and loose(step.ufunc, step.dtype) else ()

    def flush_trouble(self) -> None:
        """Accumulates the trouble of one element, all at once: LLVM does no loop on several elements that does so one after the other."""
        if self.trouble:
            self.accumulate(functools.reduce(self.builder.or_, self.trouble))
        self.trouble.clear()

    def accumulate(self, bits: ir.Value) -> None:
        name = str(bits.type)
        if name not in self.accumulators:
            self.accumulators[name] = self.entry.alloca(bits.type)
            self.entry.store(bits.type(0), self.accumulators[name])
        pointer = self.accumulators[name]
        self.builder.store(self.builder.or_(self.builder.load(pointer, typ=bits.type), bits), pointer)

    def finish(self) -> ir.Value:
        """Uses what was accumulated; gives what the kernel returns."""
        builder = self.builder
        status: ir.Value = I64(0)
        for name, pointer in self.accumulators.items():
            total = builder.load(pointer, typ=pointer.allocated_type)
            if name == "i1":
                status = builder.select(total, I64(TROUBLE), I64(0))
            else:
                builder.asm(ir.FunctionType(ir.VoidType(), [total.type]), "", "r", [total], True)
        return status


def walked(kernel: Kernel) -> tuple[Operand, ...]:
    """What is walked along by strides: the operands, and the store as if it were one."""
    store = kernel.store
    return kernel.operands if store is None else (*kernel.operands, Operand(kernel.dtype(store.reference), store.strides))


def written(kernel: Kernel) -> tuple[int, ...]:
    """The references that are written contiguously: the outputs, and what is read from the target."""
    store = kernel.store
    return (*kernel.outputs, *(() if store is None or not store.logged or store.operand is None else (store.operand,)))


def by_loop(kernel: Kernel, step: Step) -> bool:
    """Whether the step is done tile by tile: by NumPy's inner loop, as there is no formula for it, or row after row, or as a scan, which keeps
    a processor from doing the others on several elements at once."""
    return step.fold or step.scan or not (step.ufunc == "take" or scalars.supports(step.ufunc, (*map(kernel.dtype, step.args), step.dtype)))


def loops(kernel: Kernel) -> bool:
    """Whether it calls loops of NumPy's, which may report in other ways than arithmetic does."""
    return any(by_loop(kernel, step) for step in kernel.steps)


def _steady(kernel: Kernel) -> set[int]:
    """References of what is the same along the innermost axis."""
    found = {number for number, operand in enumerate(kernel.operands) if operand.strides is None or operand.strides[-1] == 0}
    for reference, step in enumerate(kernel.steps, len(kernel.operands)):
        if not by_loop(kernel, step) and found.issuperset(step.args):
            found.add(reference)
    return found


def divisible(kernel: Kernel) -> bool:
    """Whether parts of the first axis may be done at the same time, with the same bits."""
    if kernel.fold is not None and kernel.fold.axis == 0:
        return False
    return not place_counts(kernel) and not any(step.scan for step in kernel.steps)


_FORMULA, _LOOP, _MEMORY = 3, 30, 5  # tenths of a nanosecond, roughly


def work(kernel: Kernel) -> int:
    """What one element costs, in the units of csrc/share.c; of what is folded, one row."""
    steps = sum(_LOOP if by_loop(kernel, step) else _FORMULA for step in kernel.steps)
    moved = len(kernel.outputs) + (kernel.store is not None) + sum(1 for operand in kernel.operands if operand.strides is not None)
    return steps + _MEMORY * moved


# Arithmetic that LLVM cannot do without its operands: where its result is needed so are they.
_OPAQUE = frozenset(
    ["add", "subtract", "multiply", "divide", "true_divide", "sqrt", "square", "reciprocal", "power_2", "power_-1", "negative"]
)


def _hidden(kernel: Kernel) -> set[int]:
    """References of the steps whose flags might be lost: no path of opaque arithmetic leads from them to an output."""
    first = len(kernel.operands)
    needed = {*kernel.outputs, *(made.reference for made in (kernel.store, kernel.fold) if made is not None)}
    for number in reversed(range(len(kernel.steps))):
        step = kernel.steps[number]
        if by_loop(kernel, step) or (first + number in needed and step.ufunc in _OPAQUE):
            needed.update(step.args)
    return {
        first + number
        for number, step in enumerate(kernel.steps)
        if first + number not in needed
        and not by_loop(kernel, step)
        and ("float" in step.dtype or "complex" in step.dtype)
        and can_raise(step.ufunc, (*map(kernel.dtype, step.args), step.dtype))
    }


def memory_type(dtype: str) -> ir.Type:
    """The type of an element in memory, for addresses."""
    if dtype == "bool":
        return scalars.I8
    type = scalars.llvm_type(dtype)
    return ir.ArrayType(type, 2) if dtype.startswith("complex") else type


_SIZES = {dtype: int(np.dtype(dtype).itemsize) for _, dtype in scalars.SUPPORTED}
