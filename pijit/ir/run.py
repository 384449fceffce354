"""The reference evaluator: what every operation means, in plain Python and NumPy. It is the oracle of the tests and the back-end "numpy"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .evaluate import Env, Results, Taken
from .graph import Branch, Exit, Graph, Jump, Leave, Op, sides
from .run_arrays import ARRAYS
from .run_calls import CALLS
from .run_scalars import SCALARS

EVALUATORS: dict[str, Callable[..., Any]] = {**SCALARS, **ARRAYS, **CALLS}


def run(
    graph: Graph, inputs: Sequence[Any], force_exit: int | None = None, root: Callable[[], Any] | None = None
) -> tuple[Exit, Env]:
    """Runs the graph on Python objects, one per input, until it leaves by an exit. ``force_exit``: tests: the exit of that index is taken
    whenever it is reached, if it is one that a run-time value decides on. ``root``: makes a function as the root frame does."""
    env = Env(zip(graph.inputs, inputs, strict=True))
    env.force_exit, env.root = force_exit, root
    block = graph.entry
    while True:
        for op in block.ops:
            try:
                results = step(op, env)
            except Taken as taken:
                return op.exits[taken.name], env
            env.update(zip(op.results, results, strict=True))
        match block.end:
            case Leave(exit):
                return exit, env
            case Jump() as jump:
                pass
            case Branch(condition, yes, no):
                jump = yes if env.of(condition) else no
            case None:
                raise AssertionError("a block without terminator")
        arguments = [env.of(arg) for arg in jump.args]
        block = jump.target
        env.update(zip(block.params, arguments, strict=True))


def step(op: Op, env: Env) -> tuple[Any, ...]:
    """The results of one operation; raises Taken."""
    if "redo" in op.exits and op.exits["redo"].index == env.force_exit and all(env.of(value) == holds for value, holds in sides(op)):
        raise Taken
    if op.name in ("call", "look", "make", "box", "put", "find", "do", "keep", "keep_run", "kept"):
        return EVALUATORS[op.name](op, env)  # type: ignore[no-any-return]
    result = EVALUATORS[op.name](op, *(env.of(arg) for arg in op.args))
    if not op.results:
        return ()
    return result if len(op.results) > 1 or type(result) is Results else (result,)
