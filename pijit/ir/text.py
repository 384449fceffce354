"""The text of a graph: the same on every Python version, so that tests can read and compare it."""

from __future__ import annotations

from typing import Any

from ..ground.names import class_name, is_a, is_one_of, name_of
from .graph import (
    Block,
    Box,
    Branch,
    Build,
    Const,
    Exit,
    Frame,
    Graph,
    Jump,
    Keep,
    Known,
    Leave,
    Null,
    Op,
    Recipe,
    Unset,
    Value,
)
from .kernel import Kernel, Operand, Step, Store
from .types import Obj, Scalar


def text(graph: Graph, exits: bool = False, pcs: bool = False) -> str:
    """The graph as text. ``exits`` prints what each exit rebuilds; ``pcs`` names exits by pc instead of line."""
    return _Printer(exits, pcs).graph(graph)


class _Printer:
    def __init__(self, exits: bool, pcs: bool) -> None:
        self.exits, self.pcs = exits, pcs
        self.values: dict[Value, str] = {}
        self.blocks: dict[Block, str] = {}
        self.lines: list[str] = []

    def graph(self, graph: Graph) -> str:
        inputs = ", ".join(self.typed(value) for value in graph.inputs)
        self.lines.append(f"{graph.name}({inputs})")
        for block in graph.blocks:
            self.block(block)
        return "\n".join(self.lines) + "\n"

    def block(self, block: Block) -> None:
        params = ", ".join(self.typed(value) for value in block.params)
        self.lines.append(f"{self.label(block)}({params}):" + (" loop" if block.is_header else ""))
        for op in block.ops:
            results = ", ".join(self.typed(value) for value in op.results)
            self.lines.append(f"  {results}{' = ' if results else ''}{self.op(op)}")
            for exit in op.exits.values():
                self.recipes(exit)
        self.lines.append(f"  {self.end(block)}")
        if isinstance(block.end, Leave):
            self.recipes(block.end.exit)

    def op(self, op: Op) -> str:
        words = [op.name]
        if op.args:
            words.append(", ".join(map(self.value, op.args)))
        # a chain is the frames of the exits, by pc
        words += [f"{name}={self.attr(item)}" for name, item in op.attrs.items() if item is not None and (name not in ("chain", "lines") or self.pcs)]
        words += [("" if name == exit.kind else f"{name}:") + self.exit(exit) for name, exit in op.exits.items()]
        return " ".join(words)

    def end(self, block: Block) -> str:
        match block.end:
            case Jump():
                return f"jump {self.jump(block.end)}"
            case Branch(condition, yes, no):
                return f"branch {self.value(condition)} {self.jump(yes)} {self.jump(no)}"
            case Leave(exit):
                return f"leave {self.exit(exit)}"
            case None:
                return "?"

    def jump(self, jump: Jump) -> str:
        return f"{self.label(jump.target)}({', '.join(map(self.value, jump.args))})"

    def exit(self, exit: Exit) -> str:
        place = ">".join(f"@{frame.pc}" if self.pcs else f":{frame.line}" for frame in exit.frames)
        result = "" if exit.result is None else f" {self.recipe(exit.result)}"
        return f"!{exit.kind}({exit.reason}{' ' if place else ''}{place}){result}"

    def recipes(self, exit: Exit) -> None:
        if not self.exits:
            return
        for frame in exit.frames:
            self.lines.append(f"    {self.frame(frame)}")
        if exit.names:
            self.lines.append("    names " + ", ".join(f"{name}={self.recipe(recipe)}" for name, recipe in exit.names))

    def frame(self, frame: Frame) -> str:
        function = "root" if frame.function is None else self.recipe(frame.function)
        names = getattr(frame.code, "co_varnames", ()) + getattr(frame.code, "co_cellvars", ())
        slots = ", ".join(
            f"{names[slot] if slot < len(names) else slot}={self.recipe(recipe)}"
            for slot, recipe in sorted(frame.locals.items())
        )
        stack = ", ".join(map(self.recipe, frame.stack))
        then = "" if frame.then is None else f" then {known(frame.then[0])} {self.recipe(frame.then[1])}"
        return f"{function} {{{slots}}} [{stack}]{then}"

    def recipe(self, recipe: Recipe) -> str:
        match recipe:
            case Keep():
                return "keep"
            case Unset():
                return "unset"
            case Null():
                return "null"
            case Known(value):
                return known(value)
            case Box(value):
                return self.value(value)
            case Build(kind, items):
                return f"{kind}({', '.join(map(self.recipe, items))})"
        return repr(recipe)

    def attr(self, item: Any) -> str:
        if is_a(item, Recipe):
            return self.recipe(item)
        if is_a(item, Value):
            return self.typed(item)
        if is_a(item, Kernel):
            return kernel(item)
        if is_one_of(type(item), (tuple, list)):
            return f"({', '.join(map(self.attr, item))})"
        return known(item)

    def value(self, value: Value) -> str:
        if isinstance(value, Const):
            return known(value.value) if isinstance(value.type, (Scalar, Obj)) else f"{value.type}({value.value!s})"
        return self.values.setdefault(value, f"%{len(self.values)}")

    def typed(self, value: Value) -> str:
        return f"{self.value(value)}: {value.type}"

    def label(self, block: Block) -> str:
        return self.blocks.setdefault(block, f"b{len(self.blocks)}")


def known(value: Any) -> str:
    """A short name of an object, without addresses."""
    if is_one_of(type(value), (type(None), bool, int, float, str, bytes)):
        return repr(value)
    return f"<{name_of(value) or class_name(type(value))}>"


def _rows(operand: Operand) -> str:
    return "" if not operand.rows else " rows" if operand.distance is None else f" rows[{operand.distance}]"


def _near(operand: Operand) -> str:
    return "" if operand.near is None else " a{}{:+}".format(*operand.near)


def kernel(kernel: Kernel) -> str:
    """A kernel on one line: operands a0.., steps s0.., outputs."""
    names = [f"a{i}" for i in range(len(kernel.operands))] + [f"s{i}" for i in range(len(kernel.steps))]
    operands = ", ".join(
        f"a{i}: {operand.dtype}{'' if operand.strides is None else _strides(operand.strides)}{_rows(operand)}{_near(operand)}"
        for i, operand in enumerate(kernel.operands)
    )
    steps = "; ".join(
        f"s{i}: {step.dtype} = {_function(step)} {', '.join(names[arg] for arg in step.args)}"
        for i, step in enumerate(kernel.steps)
    )
    nowhere = kernel.store is None and kernel.fold is None
    outputs = f"out {', '.join(names[output] for output in kernel.outputs)}" if kernel.outputs or nowhere else ""
    into = "" if kernel.store is None else _store(kernel.store, names)
    relaxed = "relaxed" if kernel.relaxed else ""
    fold = "" if kernel.fold is None else f"sum of {names[kernel.fold.reference]} along {kernel.fold.axis}"
    return f"{{{kernel.ndim} axes; {operands}; {steps}; {'; '.join(filter(None, (outputs, into, fold, relaxed)))}}}"


def _function(step: Step) -> str:
    return step.ufunc + (".reduce" if step.fold else ".accumulate" if step.scan else "")


def _store(store: Store, names: list[str]) -> str:
    read = "" if store.operand is None else f" from {names[store.operand]}{' logged' if store.logged else ''}{' spent' if store.spent else ''}"
    return f"into {names[store.reference]}{_strides(store.strides)}{read}"


def _strides(strides: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if s is None else str(s) for s in strides) + "]"
