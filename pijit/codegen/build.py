"""Compiles a graph: the one entrance of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from ..ground import clock
from ..ir.loops import natural_loops
from ..ir.types import Array
from . import emit, engine, symbols
from .rows import Unsupported

if TYPE_CHECKING:
    from ..ir.graph import Graph, Op, Value


@dataclass(slots=True)
class Native:
    """What C needs of a fragment (docs/native.md), and what the logs say about it."""

    address: int
    nwords: int
    roots_start: int
    nroots: int
    word: dict[Value, int]  # first word of each graph input
    exits: list[tuple[Any, ...]]
    sites: list[tuple[Any, ...]]
    keep: object
    code: str
    seconds: float
    cached: bool


# What takes so much longer than the code around it that this does not have to be the best.
_HEAVY = frozenset(
    {"call", "kernel", "kernel_into", "ew", "assign", "roll", "roll_into", "mask_count", "mask_many", "pick", "place", "take", "list_ints", "ramp"}
    | {"kernel_rolled", "kernel_at", "kernel_scattered", "bincount", "edges", "places", "histogram", "within", "add_at"}
    | {"mask_places", "mask_look", "search", "interp"}
)

_LARGE, _PART = 400, 8  # operations


def _level(graph: Graph) -> int:
    """How hard LLVM is to try: its best is worth its price for a loop of scalar work only; where a loop looks at objects, or has kernels that give
    numbers, of which one call may be as short as what is around it, what values stay in registers is; and where such loops are a small part of a
    large graph, it takes seconds."""
    level, of_best = emit.QUICK, 0
    for _, blocks in natural_loops(graph):
        ops = [op for block in blocks for op in block.ops]
        heavy = [op for op in ops if op.name in _HEAVY]
        best = emit.PLAIN if any(op.name in ("look", "put") for op in ops) else emit.BEST
        wanted = best if not heavy else emit.PLAIN if _is_short(heavy) else emit.QUICK
        level, of_best = max(level, wanted), of_best + len(ops) * (wanted == emit.BEST)
    size = sum(len(block.ops) for block in graph.blocks)
    return min(level, emit.PLAIN) if size > _LARGE and of_best * _PART < size else level


def _is_short(heavy: list[Op]) -> bool:
    """Whether they are kernels that make no arrays, and some give numbers."""
    alone = all(op.name in ("kernel", "kernel_into") and not any(isinstance(made.type, Array) for made in op.results) for op in heavy)
    return alone and any(op.results for op in heavy)


def compile_graph(graph: Graph, *, force_exit: int | None = None, use_cache: bool = True) -> Native:
    """Machine code for a graph. ``force_exit``: tests: the exit of that index is taken at the first chance.

    Raises `rows.Unsupported` when the graph holds something that has no lowering.
    """
    start = clock.perf_counter()
    with engine.alone():
        from .driver import NAME, Driver

        driver = Driver(graph, force_exit)
        driver.lower()
        text = str(driver.module)
        libraries = driver.load_units(use_cache)
        emit.ready()  # registers the helpers
        missing = symbols.unknown(name for name in driver.module.globals if name != NAME)
        if missing:
            raise Unsupported(f"no helper {', '.join(missing)}")
        machine = engine.build(text, NAME, use_cache, _level(graph), units=libraries)
    layout = driver.layout
    return Native(
        address=machine.address,
        nwords=layout.nwords,
        roots_start=layout.roots_start,
        nroots=layout.nroots,
        word=layout.word,
        exits=[driver.exits[exit.index] for exit in sorted(graph.exits(), key=lambda exit: exit.index)],
        sites=driver.sites,
        keep=machine.library,
        code=text,
        seconds=clock.perf_counter() - start,
        cached=machine.cached,
    )
