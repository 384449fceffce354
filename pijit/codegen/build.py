"""Compiles a graph: the one entrance of this package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ground import clock
from . import emit, engine, symbols
from .rows import Unsupported

if TYPE_CHECKING:
    from ..ir.graph import Block, Graph, Value


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
    {"call", "kernel", "kernel_into", "ew", "assign", "roll", "roll_into", "mask_count", "pick", "place", "take", "list_ints", "ramp"}
    | {"kernel_rolled", "kernel_at", "kernel_scattered", "bincount", "edges", "places", "histogram", "within", "add_at"}
)


def _has_tight_loop(graph: Graph) -> bool:
    """Whether there is a loop of scalar work only: where the code generator's best is worth its price."""
    place = {id(block): number for number, block in enumerate(graph.blocks)}
    ends = [(jump.target, block) for block in graph.blocks for jump in block.jumps() if place[id(jump.target)] <= place[id(block)]]
    return any(_HEAVY.isdisjoint(op.name for block in _loop(graph, *edge) for op in block.ops) for edge in ends)


def _loop(graph: Graph, header: Block, end: Block) -> list[Block]:
    """The blocks of a loop, wherever they stand: what leads to its end without its header."""
    found = [header]
    before: dict[int, list[Block]] = {id(block): [] for block in graph.blocks}
    for block in graph.blocks:
        for jump in block.jumps():
            before[id(jump.target)].append(block)
    waiting = [end]
    while waiting:
        block = waiting.pop()
        if block not in found:
            found.append(block)
            waiting += before[id(block)]
    return found


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
        machine = engine.build(text, NAME, use_cache, quick=not _has_tight_loop(graph), units=libraries)
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
