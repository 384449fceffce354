"""Which loops LLVM makes do several elements at once, and how wide it makes their vectors.

It halves the widest, of 512 bits, for the first processors that had them: those go slower while they are used. It says the same of later ones,
which do not.

Elements that do not lie behind each other are collected into a vector one by one, which takes about as long as adding or multiplying them
one by one: LLVM thinks better of it.
"""

from __future__ import annotations

import functools
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from ..ir.kernel import Kernel
from . import llvm_ir as ir

Wishes = tuple[tuple[str | int, ...], ...]
NOT_INTERLEAVED: Wishes = (("llvm.loop.interleave.count", 1),)
NOT_UNROLLED: Wishes = (("llvm.loop.unroll.disable",),)
SINGLY: Wishes = (("llvm.loop.vectorize.enable", False),)
AROUND = SINGLY + NOT_UNROLLED  # for loops around what is added up: LLVM would do several at once where rows lie one byte apart
EIGHT_AT_ONCE: Wishes = (("llvm.loop.vectorize.enable", True), ("llvm.loop.vectorize.width", 8), ("llvm.loop.unroll.disable",))

MANY = 64  # elements, of which collecting is worth its preparations
_MANY_COMPLEX = 3  # steps
_SLOWED_DOWN = frozenset({"skylake-avx512", "cascadelake", "cooperlake", "cannonlake"})
_SLOW_SINGLY = {
    *("divide", "true_divide", "floor_divide", "mod", "remainder", "reciprocal", "power_-1", "sqrt", "where", "sign"),
    *("maximum", "minimum", "fmax", "fmin", "floor", "ceil", "rint", "trunc"),
}


@functools.cache
def _processor() -> str:
    return str(llvm.get_host_cpu_name())


def widen(function: ir.Function) -> None:
    """Lets the function's loops use the widest vectors that there are, where they are of use."""
    if _processor() not in _SLOWED_DOWN:
        function.attributes.add('"prefer-vector-width"="512"')


def plain(kernel: Kernel) -> Wishes:
    """For its loops: what chooses among complex numbers is so long that several rounds beside each other only take LLVM's time."""
    ufuncs = [step.ufunc for step in kernel.steps if "complex" in step.dtype]
    return NOT_INTERLEAVED if "where" in ufuncs and len(ufuncs) > _MANY_COMPLEX else ()


def collects(kernel: Kernel) -> bool:
    """Whether elements that do not lie behind each other are worth to be collected."""
    if kernel.store is not None and kernel.store.strides[-1] is None:
        return False
    strided = [operand.dtype for operand in kernel.operands if operand.strides and operand.strides[-1] is None]
    if any(np.dtype(dtype).itemsize not in (4, 8) for dtype in strided):  # there are no instructions for others
        return False
    return _slow_singly(kernel)


def taken_singly(kernel: Kernel) -> bool:
    """Whether elements that are taken here and there are better added up one by one than collected into vectors."""
    return any(step.ufunc == "take" for step in kernel.steps) and not _slow_singly(kernel)


def _slow_singly(kernel: Kernel) -> bool:
    return any(step.ufunc in _SLOW_SINGLY for step in kernel.steps)


def wish(end: ir.Instruction, wishes: Wishes) -> None:
    """Tells LLVM what to do with the loop whose last branch it is."""
    if not wishes:
        return
    module = end.module
    rows = [[_metadata(module, part) for part in row] for row in wishes]
    loop = module.add_metadata([ir.MetaDataString(module, f"loop {len(module.metadata)}")])
    loop.operands = (loop, *map(module.add_metadata, rows))  # LLVM asks for the first
    end.set_metadata("llvm.loop", loop)


def _metadata(module: ir.Module, part: str | int) -> Any:
    return ir.MetaDataString(module, part) if isinstance(part, str) else ir.IntType(1 if isinstance(part, bool) else 32)(part)


def opaque_to_versioning(builder: ir.IRBuilder, stride: ir.Value) -> ir.Value:
    """The same distance, of which LLVM does not suppose that it is mostly 1, and makes a loop of its own for that."""
    type = stride.type
    smax = builder.module.declare_intrinsic("llvm.smax", [type], ir.FunctionType(type, [type, type]))
    return builder.call(smax, [stride, type(-(2**62))])


def opaque(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """The same number, of which LLVM does not know how it comes from that of the round before."""
    return builder.asm(ir.FunctionType(value.type, [value.type]), "", "=r,0", [value], False)
