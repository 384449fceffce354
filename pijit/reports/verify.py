"""verify: a function run plainly and natively on copies of the same arguments, compared bit for bit.

When they differ, the operation is looked for: the graph is cut off after one operation after the other, so that the function returns what
that operation gave, by machine code and by the reference evaluator. The first pair that differs is the culprit. An operation in a loop is
looked at when it runs for the first time.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from pijit.ground import log
from pijit.ground.config import CONFIG, Options
from pijit.ground.records import dataclass
from pijit.ir.graph import Box, Exit, Leave
from pijit.ir.text import text
from pijit.ir.types import Array, Np, Scalar
from pijit.pycode.outline import SUSPENDABLE
from pijit.reports.likeness import Unlike, copied, unlike
from pijit.runtime import driver, tiers
from pijit.runtime.callables import unbound
from pijit.runtime.copies import original, with_code

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    from pijit.ir.graph import Graph, Op, Value

OPERATIONS = 300  # that are looked at


@dataclass(frozen=True, repr=False)
class Verdict:
    """True when plain Python and native code agree. Otherwise: what differs first, how it looks on each side, and whose fault it is."""

    function: str
    difference: Unlike | None = None
    operation: str = ""  # the line of the graph
    place: str = ""  # file:line of the operation
    values: Unlike | None = None  # what the operation gave: the reference as `plain`
    note: str = ""

    def __bool__(self) -> bool:
        return self.difference is None

    def __str__(self) -> str:
        if self.difference is None:
            return f"{self.function}(): plain and native agree bit for bit" + (f" ({self.note})" if self.note else "")
        where, plain, native = self.difference
        lines = [f"{self.function}(): {where} is {plain} in plain Python and {native} natively"]
        if self.values is not None:
            lines.append(f"  first difference at {self.place}: {self.operation}")
            lines.append(f"  {self.values.where} is {self.values.plain} by NumPy and {self.values.native} natively")
        return "\n".join([*lines, *([f"  {self.note}"] if self.note else [])])

    __repr__ = __str__


@dataclass
class Outcome:
    """What a call did."""

    result: Any
    raised: tuple[str, str] | None
    arguments: Any


def verify(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Verdict:
    """Compare, and when there is a difference look for its cause."""
    plain, first, keywords = unbound(function)
    if plain is None:
        raise TypeError(f"verify: {function!r} is not a Python function")
    trial = Trial(plain, (*first, *args), {**keywords, **kwargs})
    name = plain.__qualname__
    if not CONFIG.enabled or plain.__code__.co_flags & SUSPENDABLE:
        return Verdict(name, note="nothing was compiled")
    expected = trial.run(None)
    got = trial.run(Options(eager=True))
    found = compared(expected, got)
    if found is None:
        return Verdict(name)
    if compared(expected, trial.run(Options(eager=True, backend="numpy"))) is not None:
        return Verdict(name, found, note="the graph says the same as native code: it was captured wrongly. Please report it")
    level = "O0" if compared(expected, trial.run(Options(eager=True, jit_level="O0"))) is not None else "O1"
    for number in range(OPERATIONS):
        cuts = [Cut(number, backend) for backend in ("numpy", "numba")]
        by_numpy, natively = (trial.run(Options(eager=True, jit_level=level, backend=CUT), cut) for cut in cuts)
        if not cuts[1].operation:
            break
        values = compared(by_numpy, natively)
        if values is not None:
            return Verdict(name, found, cuts[1].operation, f"{log.shown_path(trial.file)}:{cuts[1].line}", values)
    return Verdict(name, found, note="each operation by itself agrees when it first runs")


def compared(plain: Outcome, native: Outcome) -> Unlike | None:
    """The first difference of two calls."""
    pairs = (("exception", plain.raised, native.raised), ("result", plain.result, native.result),
             ("arguments", plain.arguments, native.arguments))  # fmt: skip
    return next(filter(None, (unlike(a, b, what) for what, a, b in pairs)), None)


class Trial:
    """One function and its arguments, to be run again and again from the same state."""

    def __init__(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.code = original(function.__code__)
        self.file = self.code.co_filename
        self.random = np.random.get_state(), random.getstate()

    def run(self, options: Options | None, cut: Cut | None = None) -> Outcome:
        """One call on copies of the arguments. No options: in the interpreter."""
        args, kwargs = copied((self.args, self.kwargs))
        np.random.set_state(self.random[0])
        random.setstate(self.random[1])
        function = with_code(self.function, self.code.replace())
        if options is not None:
            if cut is not None:
                driver.BACKENDS[CUT] = cut
            tiers.enable_code(function.__code__, options, function)
        try:
            return Outcome(function(*args, **kwargs), None, (args, kwargs))
        except Exception as error:
            return Outcome(None, (type(error).__qualname__, str(error)), (args, kwargs))
        finally:
            driver.BACKENDS.pop(CUT, None)


# ---- cutting a graph off -----------------------------------------------------------------------------------------------

CUT = "cut"


class Cut:
    """A back-end that makes the function return what its operation of this number gives."""

    def __init__(self, number: int, backend: str) -> None:
        self.number, self.backend = number, backend
        self.operation, self.line = "", 0

    def __call__(self, graph: Graph, force_exit: int | None) -> Any:
        if not self.operation:
            self.cut(graph)
        make: Callable[..., Any] = driver.BACKENDS[self.backend]
        return make(graph, force_exit)

    def cut(self, graph: Graph) -> None:
        """End the graph after the operation, if it is in this graph; else count what is."""
        lines, place = text(graph).splitlines(), 1
        for block in graph.blocks:
            for index, op in enumerate(block.ops):
                value = observed(op)
                if value is None:
                    continue
                if self.number == 0:
                    self.operation, self.line = lines[place + 1 + index].strip(), line_of(op)
                    block.ops[index + 1 :] = []
                    block.end = Leave(Exit("return", "return", (), (), Box(value)))
                    graph.arrange()
                    return
                self.number -= 1
            place += len(block.ops) + 2


def line_of(op: Op) -> int:
    """The line in the innermost frame that an operation belongs to."""
    return next((exit.frames[-1].line for exit in op.exits.values() if exit.frames), op.line)


_WRITTEN = {"assign": 0, "roll_into": 0, "place": 0, "store": 0, "kernel_into": -1, "kernel_at": -1}  # the argument that an operation writes to


def observed(op: Op) -> Value | None:
    """What shows whether an operation did right: its result, or the array that it wrote to. None where that may hold anything."""
    value = op.results[0] if len(op.results) == 1 else op.args[_WRITTEN[op.name]] if op.name in _WRITTEN else None
    if value is None or not isinstance(value.type, (Array, Np, Scalar)):
        return None
    return None if op.name not in ("assign", "roll_into", "kernel_into", "kernel_at") and uninitialised(value) else value


def uninitialised(value: Value) -> bool:
    """Whether an array is, or is a view of, memory that nobody has written all of."""
    op: Any = value.op
    while op is not None and getattr(op, "name", "") == "view":
        op = op.args[0].op
    return getattr(op, "name", "") == "empty"
