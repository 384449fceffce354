"""Builds graphs by hand."""

from __future__ import annotations

from typing import Any

from pijit.ir.graph import Block, Box, Branch, Const, Exit, Frame, Graph, Jump, Leave, Op, Recipe, Value, const
from pijit.ir.ops import OPS
from pijit.ir.types import Array, Type

CODE = (lambda a, b, c: None).__code__


class Builder:
    """Appends operations to the current block; exits get a line of their own and the values named by ``live``."""

    def __init__(self, *types: Type) -> None:
        self.entry = Block()
        self.graph = Graph([Value(type) for type in types], self.entry, [self.entry])
        self.current = self.entry
        self.line = 0
        self.live: dict[int, Value] = {}

    @property
    def inputs(self) -> list[Value]:
        return self.graph.inputs

    def exit(self, kind: str = "redo", reason: str = "test", result: Recipe | None = None) -> Exit:
        locals: dict[int, Recipe] = {slot: Box(value) for slot, value in self.live.items()}
        return Exit(kind, reason, (Frame(None, CODE, self.line, locals, (), self.line),), (), result)

    def op(self, name: str, *args: Any, type: Type | tuple[Type, ...] = (), **attrs: Any) -> Any:
        self.line += 1
        values = tuple(arg if isinstance(arg, Value) else const(arg) for arg in args)
        types = type if isinstance(type, tuple) else (type,)
        op = Op(name, values, types, attrs, {exit: self.exit(exit, name) for exit in OPS[name].exits}, self.line)
        self.current.ops.append(op)
        return op.results[0] if len(op.results) == 1 else op.results

    def ew(self, ufunc: str, *args: Any, dims: tuple[Any, ...], type: Array, stretch: Any = None) -> Value:
        values = [arg if isinstance(arg, Value) else const(arg) for arg in args]
        stretch = stretch or tuple(() for _ in values)
        return self.op("ew", *values, *dims, type=type, ufunc=ufunc, n=len(values), stretch=stretch)

    def block(self, *types: Type, header: bool = False) -> tuple[Block, list[Value]]:
        block = Block()
        block.is_header = header
        self.graph.blocks.append(block)
        return block, [block.param(type) for type in types]

    def jump(self, block: Block, *args: Any) -> None:
        self.current.end = Jump(block, tuple(arg if isinstance(arg, Value) else const(arg) for arg in args))

    def branch(self, condition: Value, yes: Block, no: Block, yes_args: Any = (), no_args: Any = ()) -> None:
        self.current.end = Branch(condition, Jump(yes, tuple(yes_args)), Jump(no, tuple(no_args)))

    def leave(self, *values: Value | Const) -> Graph:
        from pijit.ir.graph import Build

        boxes = tuple(Box(value) for value in values)
        result = boxes[0] if len(boxes) == 1 else Build("tuple", boxes)
        self.current.end = Leave(self.exit("return", "return", result))
        self.graph.arrange()
        return self.graph
