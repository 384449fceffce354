"""What LLVM may do to floating-point arithmetic where rounding is not promised (jit_level="O2", docs/levels.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..ir.graph import Graph, Op
from ..ir.ufuncs import ARITHMETIC

if TYPE_CHECKING:
    from . import llvm_ir as ir

_REGROUPED = frozenset({"fadd", "fsub", "fmul", "fdiv", "fneg"})
CONTRACTED = ("contract",)
REGROUPED = ("reassoc", "arcp", "contract", "nsz")
_SUMS = frozenset({"float_add", "float_sub", "float_mul", "np_op", "np_try"})


def loose(ufunc: str, dtype: str) -> bool:
    """Whether the order of operations is not the method itself, as it is in other functions."""
    return ufunc in ARITHMETIC and dtype.startswith("float")


@contextmanager
def relaxing(builder: ir.IRBuilder, freedom: tuple[str, ...]) -> Iterator[None]:
    """Gives LLVM this freedom in the arithmetic that the body makes, all in one block; infinities and NaNs stay."""
    block, before = builder.block, len(builder.block.instructions)
    yield
    for instruction in block.instructions[before:] if freedom else ():
        if instruction.opname in _REGROUPED:
            instruction.flags = list(freedom)


def totals(graph: Graph) -> frozenset[Op]:
    """Operations that do nothing but add to what a loop carries. Those LLVM may do on several elements at once; regrouping others in a loop
    makes the way from one turn to the next longer."""
    pairs = ((p, a) for block in graph.blocks for jump in block.jumps() for p, a in zip(jump.target.params, jump.args, strict=True))
    found = {
        value.op: value
        for parameter, value in pairs
        if isinstance(value.op, Op) and value.op.name in _SUMS and value is value.op.results[0] and parameter in value.op.args
    }
    used = {arg for block in graph.blocks for op in block.ops for arg in op.args}
    return frozenset(op for op, value in found.items() if value not in used)
