"""Compiles a graph: the one entrance of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from ..ground import clock
from . import emit, engine, symbols
from .levels import level
from .rows import Unsupported

if TYPE_CHECKING:
    from ..ir.graph import Graph, Value


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
        machine = engine.build(text, NAME, use_cache, level(graph), units=libraries)
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
