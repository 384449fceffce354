"""The passes, in order."""

from __future__ import annotations

from collections.abc import Callable

from pijit.ground.records import dataclass

from ..ir.check import check
from ..ir.graph import Graph
from .branchless import straighten
from .casts import casts
from .dce import dce
from .early import early
from .equal import equal
from .fuse import Fusible, Sums, fuse
from .identity import identity
from .joins import joins
from .masked import masked
from .near import near
from .polls import polls
from .relax import relax
from .rolled import rolled
from .rolls import rolls
from .scattered import scattered
from .simplify import simplify, thread
from .strip import strip
from .unseen import unseen


def _everything(ufunc: str, dtypes: tuple[str, ...]) -> bool:
    return True


def _all_dtypes(dtype: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Options:
    """``level``: "O0" does not fuse. ``fusible``: which loops the kernel generator knows: (ufunc, dtypes of operands and result);
    ``formula``: which of those it makes itself, element by element; ``sums``: the dtypes that it adds as NumPy does.
    ``checked``: check the graph after every pass."""

    level: str = "O1"
    fusible: Fusible = _everything
    formula: Fusible = _everything
    sums: Sums = _all_dtypes
    checked: bool = False


Pass = Callable[[Graph, Options], None]

PASSES: list[tuple[str, Pass]] = [
    ("simplify", lambda graph, options: simplify(graph)),
    ("dce", lambda graph, options: dce(graph)),
    ("straighten", lambda graph, options: straighten(graph)),
    ("strip", lambda graph, options: strip(graph)),
    ("simplify", lambda graph, options: simplify(graph)),
    ("dce", lambda graph, options: dce(graph)),
    ("relax", lambda graph, options: relax(graph) if graph.relaxed else None),
    ("unseen", lambda graph, options: simplify(graph) if unseen(graph) else None),
    ("equal", lambda graph, options: None if options.level == "O0" else equal(graph)),
    ("masked", lambda graph, options: None if options.level == "O0" else masked(graph, options.formula)),
    ("rolls", lambda graph, options: None if options.level == "O0" else rolls(graph)),
    ("casts", lambda graph, options: None if options.level == "O0" else casts(graph, options.fusible)),
    ("early", lambda graph, options: None if options.level == "O0" else early(graph)),
    ("fuse", lambda graph, options: fuse(graph, options.fusible, options.formula, options.sums, alone=options.level == "O0")),
    ("rolled", lambda graph, options: None if options.level == "O0" or graph.threads > 1 else rolled(graph)),
    ("scattered", lambda graph, options: None if options.level == "O0" or graph.threads > 1 else scattered(graph, options.formula)),
    ("joins", lambda graph, options: joins(graph, placed=options.level != "O0")),
    ("identity", lambda graph, options: identity(graph)),
    ("dce", lambda graph, options: dce(graph)),
    ("thread", lambda graph, options: thread(graph)),
    ("polls", lambda graph, options: polls(graph)),
    ("near", lambda graph, options: near(graph)),
]


_DEFAULT = Options()


def optimize(graph: Graph, options: Options = _DEFAULT) -> None:
    """Runs the passes on the graph, in place."""
    for _, run in PASSES:
        run(graph, options)
        graph.arrange()
        if options.checked:
            check(graph)
