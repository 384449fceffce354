"""Replaces values by others throughout a graph."""

from __future__ import annotations

from pijit.ground.records import replace

from ..ir.graph import Box, Branch, Build, Exit, Frame, Graph, Jump, Leave, Recipe, Value

Renaming = dict[Value, Value]


def rename(graph: Graph, new: Renaming) -> None:
    """Every use of a key becomes a use of its value (followed to the end of the chain)."""
    if new:
        Renamer(new).graph(graph)


class Renamer:
    """Gives values, recipes and exits in terms of the new values."""

    def __init__(self, new: Renaming) -> None:
        self.new = new
        # exits share frames and recipes; the old one is kept so that its id stays its own
        self.frames: dict[int, tuple[Frame, Frame]] = {}
        self.builds: dict[int, tuple[Build, Build]] = {}

    def value(self, value: Value) -> Value:
        while value in self.new:
            value = self.new[value]
        return value

    def values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(map(self.value, values))

    def graph(self, graph: Graph) -> None:
        for block in graph.blocks:
            for op in block.ops:
                op.args = self.values(op.args)
                for exit in op.exits.values():
                    self.exit(exit)
                if "arguments" in op.attrs:
                    op.attrs = self.call(op.attrs)
            for jump in block.jumps():
                self.jump(jump)
            if isinstance(block.end, Branch):
                block.end.condition = self.value(block.end.condition)
            elif isinstance(block.end, Leave):
                self.exit(block.end.exit)

    def jump(self, jump: Jump) -> None:
        jump.args = self.values(jump.args)

    def call(self, attrs: dict[str, object]) -> dict[str, object]:
        return {
            name: self.recipe(item)
            if isinstance(item, Recipe)
            else tuple(self.recipe(part) for part in item)  # type: ignore[attr-defined]
            if name == "arguments"
            else tuple((part and self.recipe(part), pc) for part, pc in item)  # type: ignore[attr-defined]
            if name == "chain"
            else item
            for name, item in attrs.items()
        }

    def exit(self, exit: Exit) -> None:
        exit.frames = tuple(map(self.frame, exit.frames))
        exit.names = tuple((name, self.recipe(recipe)) for name, recipe in exit.names)
        if exit.result is not None:
            exit.result = self.recipe(exit.result)

    def frame(self, frame: Frame) -> Frame:
        if id(frame) not in self.frames:
            locals = {slot: self.recipe(recipe) for slot, recipe in frame.locals.items()}
            stack = tuple(map(self.recipe, frame.stack))
            function = frame.function and self.recipe(frame.function)
            then = frame.then and (frame.then[0], self.recipe(frame.then[1]))
            self.frames[id(frame)] = frame, replace(frame, locals=locals, stack=stack, function=function, then=then)
        return self.frames[id(frame)][1]

    def recipe(self, recipe: Recipe) -> Recipe:
        if isinstance(recipe, Box):
            value = self.value(recipe.value)
            return recipe if value is recipe.value else Box(value)
        if isinstance(recipe, Build):
            if id(recipe) not in self.builds:
                self.builds[id(recipe)] = recipe, Build(recipe.kind, tuple(map(self.recipe, recipe.items)))
            return self.builds[id(recipe)][1]
        return recipe
