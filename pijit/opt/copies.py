"""Copies blocks, with values of their own for what they define."""

from __future__ import annotations

from collections.abc import Sequence

from pijit.ground.records import replace

from ..ir.graph import Block, Branch, Exit, Jump, Leave, Op, Terminator, Value
from .rename import Renamer, Renaming


class Copier:
    """``blocks``: the copy of each block that is copied, or what is jumped to in its place. ``values``: likewise for values."""

    def __init__(self, values: Renaming, blocks: dict[Block, Block]) -> None:
        self.values, self.blocks = values, blocks
        self._renamer = Renamer(values)

    def region(self, blocks: Sequence[Block]) -> None:
        """Copies blocks, given in an order in which definitions come before uses."""
        for block in blocks:
            made = self.blocks[block] = Block(block.line)
            made.is_header = block.is_header
            self.values.update((param, made.param(param.type)) for param in block.params)
        for block in blocks:
            self.blocks[block].ops = [made for op in block.ops for made in self.ops(op)]
        for block in blocks:
            self.blocks[block].end = self._end(block.end)

    def ops(self, op: Op) -> list[Op]:
        """What stands for an operation in the copy."""
        return [self.op(op)]

    def op(self, op: Op) -> Op:
        """The operation on the copies; its exits are exits of their own."""
        types = tuple(value.type for value in op.results)
        made = Op(op.name, self.values_of(op), types, self._renamer.call(op.attrs), {}, op.line)
        made.exits = {name: self._exit(exit) for name, exit in op.exits.items()}
        own = dict(zip(op.results, made.results, strict=True))
        self.values.update(own)
        if "result_guard" in op.attrs:
            made.attrs["result_guard"] = tuple(
                tuple(own.get(part, part) if isinstance(part, Value) else part for part in row) for row in op.attrs["result_guard"]
            )
        return made

    def value(self, value: Value) -> Value:
        """The copy of a value."""
        return self._renamer.value(value)

    def values_of(self, op: Op) -> tuple[Value, ...]:
        """The copies of its arguments."""
        return self._renamer.values(op.args)

    def _exit(self, exit: Exit) -> Exit:
        made = replace(exit)
        self._renamer.exit(made)
        return made

    def _jump(self, jump: Jump) -> Jump:
        return Jump(self.blocks.get(jump.target, jump.target), self._renamer.values(jump.args))

    def _end(self, end: Terminator | None) -> Terminator:
        match end:
            case Jump():
                return self._jump(end)
            case Branch(condition, yes, no, likely):
                return Branch(self._renamer.value(condition), self._jump(yes), self._jump(no), likely)
            case Leave(exit):
                return Leave(self._exit(exit))
        raise AssertionError("a block without an end")
