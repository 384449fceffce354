"""How hard LLVM is to try: what it takes is most of what a fragment costs."""

from __future__ import annotations

from collections.abc import Collection

from ..ir.graph import Block, Graph, Op
from ..ir.loops import is_in_c, loops_by_header, natural_loops
from ..ir.types import Array
from . import emit

# What takes so much longer than the code around it that this does not have to be the best.
_HEAVY = frozenset(
    {"call", "kernel", "kernel_into", "ew", "assign", "roll", "roll_into", "mask_count", "mask_many", "pick", "place", "take", "list_ints", "ramp"}
    | {"kernel_rolled", "kernel_at", "kernel_scattered", "bincount", "edges", "places", "histogram", "within", "add_at"}
    | {"mask_places", "mask_look", "search", "interp"}
)
_OF_OBJECTS = frozenset({"look", "put", "list_get", "tuple_get"})
_LARGE, _PART = 400, 8  # operations


def level(graph: Graph) -> int:
    """A level of `emit`. LLVM's best is worth its price for a loop of scalar work only, and where such loops are a small part of a large graph it
    takes seconds."""
    hardest, of_best = emit.QUICK, 0
    loops = loops_by_header(graph)
    in_c = {header for header, blocks in loops.items() if is_in_c(_ops(blocks))}
    for header, blocks in natural_loops(graph):
        ops = _ops(blocks)
        wanted = emit.QUICK if not in_c.isdisjoint(loops[header]) else _of_loop(ops)
        hardest, of_best = max(hardest, wanted), of_best + len(ops) * (wanted == emit.BEST)
    size = sum(len(block.ops) for block in graph.blocks)
    return min(hardest, emit.PLAIN) if size > _LARGE and of_best * _PART < size else hardest


def _of_loop(ops: list[Op]) -> int:
    """Where a loop looks at objects, or has kernels that give numbers, of which one call may be as short as what is around it, what values stay in
    registers is worth its price. LLVM's passes make no more of such a loop, nor of one through a list or tuple."""
    heavy = [op for op in ops if op.name in _HEAVY]
    if heavy:
        return emit.PLAIN if _is_short(heavy) else emit.QUICK
    return emit.PLAIN if any(op.name in _OF_OBJECTS for op in ops) else emit.BEST


def _is_short(heavy: list[Op]) -> bool:
    """Whether they are kernels that make no arrays, and some give numbers."""
    alone = all(op.name in ("kernel", "kernel_into") and not any(isinstance(made.type, Array) for made in op.results) for op in heavy)
    return alone and any(op.results for op in heavy)


def _ops(blocks: Collection[Block]) -> list[Op]:
    return [op for block in blocks for op in block.ops]
