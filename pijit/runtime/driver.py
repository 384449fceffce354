"""The whole story of one fragment: capture, optimise, generate, install.

`compile_entry` is what the tiers call when an entry of a code object is hot and no fragment fits the frame that stands there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection
from functools import cache
from importlib import import_module
from types import CodeType
from typing import TYPE_CHECKING, Any

from pijit.ground import clock, log
from pijit.ground.config import CONFIG, Options
from pijit.ground.names import is_a
from pijit.ground.records import dataclass
from pijit.ir import ufuncs
from pijit.ir.errors import ErrorState, error_state
from pijit.ir.graph import Exit as GraphExit
from pijit.ir.graph import Graph, Value
from pijit.ir.loops import each_round_polls
from pijit.ir.text import text
from pijit.pycode.instructions import decode
from pijit.trace.limits import Limits, Steps
from pijit.trace.own_calls import NOTHING, Told
from pijit.trace.tracer import Capture, Tracer, View

if TYPE_CHECKING:
    from pijit.codegen.build import Native
    from pijit.trace.guards import Guards

# Operations whose outcome depends on NumPy's floating-point error state.
_OBEYS_ERRSTATE = frozenset(
    {"np_op", "np_try", "ew", "kernel", "kernel_into", "kernel_rolled", "kernel_at", "kernel_scattered"}
    | {"reduce", "accumulate", "add_at", "histogram", "matmul", "cast"}
)


@dataclass(slots=True)
class Compiled:
    """A fragment ready to be installed, with what the records and logs say about it."""

    capture: Capture
    graph: Graph
    native: Native
    rows: list[tuple[Any, ...]]
    texts: list[str]
    names: list[str]  # of each row's source, as the user wrote it
    exits: list[GraphExit]
    seconds: float
    captured: str  # the graph before optimisation, when somebody listens


def capture_entry(
    code: CodeType, pc: int, view: View, options: Options, varying: Collection[str], steps: float = math.inf, told: Told = NOTHING
) -> Capture:
    """The graph of what runs from pc on, for a frame like the one in view. `TooLong` when that takes more steps."""
    from pijit import _native

    errmask = _native.current_errmask()
    borrowed: dict[str, tuple[int, int]] = {}
    capture = Tracer(code, pc, view, _limits(errmask, varying, borrowed, steps), told=told).capture()
    capture.borrowed = borrowed
    capture.graph.errors = error_state(errmask) or ErrorState(harmless=False)
    return capture


def _limits(errmask: int, varying: Collection[str], borrowed: dict[str, tuple[int, int]], steps: float) -> Limits:
    strange = error_state(errmask) is None
    fusible = _fusible(borrowed)

    def elementwise(ufunc: str, dtypes: tuple[str, ...]) -> bool:
        return not (strange and any(map(_is_inexact, dtypes))) and fusible(ufunc, dtypes)

    def formula(ufunc: str, dtypes: tuple[str, ...]) -> bool:
        return bool(_part("scalars").supports(ufunc, dtypes))

    def reduce(ufunc: str, dtype: str) -> bool:
        known = not (strange and _is_inexact(dtype)) and _part("reductions").plan(ufunc, dtype) is not None
        return known and _borrow(borrowed, ufunc, (dtype, dtype))

    def scan(ufunc: str, dtype: str) -> bool:
        known = bool(dtype) and not (strange and _is_inexact(dtype)) and _part("scans").supports(ufunc, dtype)
        return known and _borrow(borrowed, ufunc, (dtype, dtype))

    def scalar(ufunc: str, dtype: str) -> bool:
        known = not strange and (ufunc, dtype) in _part("npscalars").NP_OPS
        return known and _borrow(borrowed, ufunc, (dtype,) * ufuncs.operands(ufunc))

    def single(ufunc: str, dtypes: tuple[str, ...]) -> bool:
        return not strange and _part("singles").usable(ufunc, dtypes) and _borrow(borrowed, ufunc, dtypes[:-1])

    def product(dtype: str) -> bool:
        return not strange and _part("products").usable(dtype) and _borrow(borrowed, "matmul", (dtype, dtype))

    def dot(dtype: str) -> bool:
        return bool(_part("products").is_dot(dtype))

    def arg_extreme(dtype: str) -> bool:
        return bool(_part("extremes").usable(dtype))

    def draw(name: str) -> bool:
        return bool(_part("streams").usable(name))

    def histogram() -> bool:
        return not strange and bool(_part("histograms").usable())

    def search(name: str) -> bool:
        searches = _part("searches")
        return searches.way() is not None if name == "search" else bool(searches.interpolates())

    return Limits(
        versions=CONFIG.max_block_versions,
        blocks=CONFIG.max_blocks,
        inline_depth=CONFIG.max_inline_depth,
        elementwise=elementwise,
        formula=formula,
        reduce=reduce,
        scan=scan,
        scalar=scalar,
        single=single,
        product=product,
        dot=dot,
        arg_extreme=arg_extreme,
        draw=draw,
        histogram=histogram,
        search=search,
        varying=varying,
        errmask=errmask,
        unroll=CONFIG.max_unroll,
        rounds=CONFIG.max_unroll,
        large=_is_large if steps < math.inf else lambda code: False,
        steps=Steps(steps),
    )


@cache
def _part(name: str) -> Any:
    """A part of the compiler, which is loaded when capture first asks it something: what runs without arrays is looked at without."""
    from pijit.codegen import emit

    emit.load()
    return import_module(f"pijit.codegen.{name}")


def _is_large(code: CodeType) -> bool:
    """Whether looking at a part of the function took long. Its callers are looked at without it, else that takes longer still."""
    from pijit import _native

    state = _native.state_of(code)
    return state is not None and any(entry.patience.look > 0 for entry in state.data.plan.entries.values())


def _is_inexact(dtype: str) -> bool:
    return "float" in dtype or "complex" in dtype


def compile_capture(capture: Capture, code: CodeType, options: Options, force_exit: int | None = None) -> Compiled:
    """Machine code for a capture."""
    from pijit.codegen.folds import known
    from pijit.codegen.scalars import supports
    from pijit.opt.pipeline import Options as Passes
    from pijit.opt.pipeline import optimize

    start = clock.perf_counter()
    graph = capture.graph
    captured = text(graph) if log.enabled("graph") else ""
    graph.relaxed, graph.threads = options.jit_level == "O2", _threads(options)
    passes = Passes(options.jit_level, _fusible(capture.borrowed), supports, sums=known, checked=CONFIG.raise_internal)
    optimize(graph, passes)
    if graph.counts is not None and not each_round_polls(graph):
        graph.counts = None
    native = BACKENDS[options.backend](graph, force_exit)
    for value, relied_on in graph.alone.items():
        if relied_on:
            capture.guards.sole(capture.alone[value])
    rows, texts, names = guard_rows(capture.guards, native.word, [*_errmask_row(capture, graph), *_loop_rows(capture)])
    exits = sorted(graph.exits(), key=lambda exit: exit.index)
    return Compiled(capture, graph, native, rows, texts, names, exits, clock.perf_counter() - start, captured)


def _threads(options: Options) -> int:
    """How many a kernel may use."""
    return CONFIG.threads or (len(os.sched_getaffinity(0)) if options.jit_level == "O2" else 1)


def _fusible(borrowed: dict[str, tuple[int, int]]) -> Callable[[str, tuple[str, ...]], bool]:
    def fusible(ufunc: str, dtypes: tuple[str, ...]) -> bool:
        known = _part("scalars").supports(ufunc, dtypes) or _part("inner").usable(ufunc, dtypes)
        return known and _borrow(borrowed, ufunc, dtypes[:-1])

    return fusible


def _borrow(borrowed: dict[str, tuple[int, int]], ufunc: str, operands: tuple[str, ...]) -> bool:
    """Whether NumPy has the loop that pijit knows. The fragment is to run only as long as it does."""
    inner = _part("inner")
    place = inner.place(ufunc, operands)
    if place is None:
        return True
    if inner.is_replaced(place):
        return False
    borrowed[f"{ufunc} of {' and '.join(operands)}"] = place
    return True


def _numba(graph: Graph, force_exit: int | None) -> Native:
    from pijit.codegen.build import compile_graph

    return compile_graph(graph, force_exit=force_exit)


def _numpy(graph: Graph, force_exit: int | None) -> Native:
    from pijit.runtime.reference import evaluate_graph

    return evaluate_graph(graph, force_exit=force_exit)


# A back-end makes a Native of a graph.
BACKENDS: dict[str, Callable[[Graph, int | None], Any]] = {"numba": _numba, "numpy": _numpy}


def _errmask_row(capture: Capture, graph: Graph) -> list[tuple[tuple[Any, ...], str]]:
    from pijit import _native

    if any(op.name in _OBEYS_ERRSTATE or "errors" in op.attrs for block in graph.blocks for op in block.ops):
        return [(("errmask", _native.current_errmask()), "NumPy's floating-point error state is as it was")]
    return []


def _loop_rows(capture: Capture) -> list[tuple[tuple[Any, ...], str]]:
    return [(("loop", *place), f"{name} is NumPy's own loop") for name, place in capture.borrowed.items()]


def guard_rows(
    guards: Guards, word: dict[Value, int], extra: list[tuple[tuple[Any, ...], str]]
) -> tuple[list[tuple[Any, ...]], list[str], list[str]]:
    """The rows with words in place of graph values, their texts and the names of their sources."""
    rows = [tuple(_word(part, word) for part in row) for row in guards.rows]
    return rows + [row for row, _ in extra], guards.texts + [text for _, text in extra], guards.names + ["" for _ in extra]


def _word(part: Any, word: dict[Value, int]) -> Any:
    if is_a(part, Value):
        return word[part]
    if type(part) is tuple and part and is_a(part[0], Value):
        return word[part[0]]  # the values of one object stand in consecutive words
    return part


def make_view(raw: tuple[Any, ...]) -> View:
    """The view that C hands to on_entry."""
    from pijit import _native

    function, globals_, builtins, names, locals_, stack, alone = raw
    return View(function, globals_, builtins, names, locals_, stack, _native.UNSET, alone)


def resume_points(code: CodeType, pc: int, done: bool = False) -> list[tuple[int, int]]:
    """(pc, stack depth) of the places where native code may take over again after the instruction at pc, or at it if what is before it is
    done."""
    from pijit.pycode.flow import control_flow

    bytecode = decode(code)
    flow = control_flow(bytecode)
    points: dict[int, int] = {}
    for after in (pc,) if done else flow.next_pcs(pc):
        instruction = bytecode.at(after)
        # CPython's specialised list.append goes past the POP_TOP that follows it.
        place = instruction.next if instruction.opname == "POP_TOP" else after
        depth = flow.stack_depth(place)
        if depth is not None:
            points[place] = depth
    return list(points.items())
