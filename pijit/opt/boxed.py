"""One object for a computed number that is put into several places: the program could tell, `is`, and `in` for what is not equal to itself.

    call list(x)                                b = box x
    call list(x, 1)                    ->       call list(b)
    leave return x                              call list(b, 1)
                                                leave return b

It is made before the first place, or before the loop that puts it somewhere again and again, or before the branch that puts it somewhere if
it is needed after it too; identity gives it to all that follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from pijit.ground.records import dataclass

from ..ir.graph import Block, Box, Build, Const, Exit, Graph, Leave, Op, Recipe, Value, recipe_values, recipes_of
from ..ir.types import OBJECT
from .origins import is_number, take, whole

_CALLED = frozenset({"call", "make", "do"})  # what it is given may be kept anywhere; what is stored at once is found where it was stored
_PLACES = _CALLED | {"put"}
_OF_WORDS = frozenset({"range", "range_iterator"})


Number = Box | Build  # a Python complex number has two parts


@dataclass(frozen=True, slots=True)
class _Place:
    block: Block
    index: int
    op: Op
    times: int


def boxed(graph: Graph, above: dict[Block, Block], left: set[Value]) -> None:
    """Makes the objects. ``above``: the dominators; ``left``: numbers that have objects."""
    places: dict[Number, list[_Place]] = {}
    for block in graph.blocks:
        for index, op in enumerate(block.ops):
            if op.name in _PLACES:
                numbers = [number for recipe in _given(op) for number in _numbers(recipe)]
                for number in dict.fromkeys(numbers):
                    if isinstance(number, Build) or number.value not in left:
                        places.setdefault(number, []).append(_Place(block, index, op, numbers.count(number)))
    if places:
        _Boxes(graph, above, places).insert()


class _Boxes:
    def __init__(self, graph: Graph, above: dict[Block, Block], places: dict[Number, list[_Place]]) -> None:
        self.above, self.places = above, places
        self.order = {block: number for number, block in enumerate(graph.blocks)}
        self.made_in = dict.fromkeys(graph.inputs, graph.entry)
        self.made_in |= {param: block for block in graph.blocks for param in block.params}
        self.made_in |= {value: block for block in graph.blocks for op in block.ops for value in op.results}
        self.shown = self._shown(graph)
        self.below = _tree(above)
        self.known: dict[tuple[Block, Block], set[Block]] = {}

    def insert(self) -> None:
        before: dict[Block, list[tuple[Op | None, Number]]] = {}
        for number, places in self.places.items():
            first = self._where(number, places)
            if first is not None:
                before.setdefault(first[0], []).append((first[1], number))
        for block, made in before.items():
            for at, number in made:
                if isinstance(number, Box) and take(number.value.op):
                    continue
                op = Op("box", tuple(recipe_values(number)), (OBJECT,), {"arguments": (number,)}, {}, 0 if at is None else at.line)
                block.ops.insert(len(block.ops) if at is None else block.ops.index(at), op)

    def _where(self, number: Number, places: list[_Place]) -> tuple[Block, Op | None] | None:
        """The block and the operation before which the number's object is made, if it must be."""
        home = max((self.made_in[value] for value in recipe_values(number)), key=self.order.__getitem__)
        shown = self.shown[number]
        if len(places) == 1 and places[0].times == 1 and places[0].block is home and (places[0].op.name == "put" or not shown):
            return None
        reached = {place: self._reached(place.block, home) for place in places}
        # Exits where paths meet again, of which some come by the place and some do not.
        beside = {place: [use for use, index in shown if use in reached[place] and not self._is_below(place, use, index)] for place in places}
        several = [
            place
            for place in places
            if beside[place]
            or place.times > 1
            or place.block in reached[place]
            or any(self._follows(place, other, reached[place]) or self._follows(other, place, reached[other]) for other in places)
            or (place.op.name in _CALLED and any(self._is_below(place, *use) for use in shown))
        ]
        if not several:
            return None
        first = min(several, key=lambda place: (self.order[place.block], place.index))
        block = first.block
        for at in (at for place in several for at in (place.block, *beside[place])):
            block = self._common(block, at)
        inside = block
        while block is not home and block in self._reached(block, home):
            block = self.above[block]
        return (block, first.op) if block is inside is first.block else (block, None)

    def _follows(self, place: _Place, other: _Place, reached: set[Block]) -> bool:
        return other.block in reached or (place.block is other.block and place.index < other.index)

    def _is_below(self, place: _Place, block: Block, index: float) -> bool:
        if block is place.block:
            return index > place.index
        first, last = self.below[place.block]
        return first < self.below[block][0] <= last

    def _reached(self, start: Block, home: Block) -> set[Block]:
        """The blocks that are reached while the number stays what it is."""
        found = self.known.get((start, home))
        if found is not None:
            return found
        found = self.known[start, home] = set()
        work = [start]
        while work:
            for jump in work.pop().jumps():
                if jump.target is not home and jump.target not in found:
                    found.add(jump.target)
                    work.append(jump.target)
        return found

    def _common(self, one: Block, other: Block) -> Block:
        while one is not other:
            if self.order[one] > self.order[other]:
                one = self.above[one]
            else:
                other = self.above[other]
        return one

    def _shown(self, graph: Graph) -> dict[Number, list[tuple[Block, float]]]:
        """Where exits make the objects of numbers. An exit at an operation's start comes before what the operation is given."""
        shown: dict[Number, list[tuple[Block, float]]] = {number: [] for number in self.places}
        single = {number.value: places for number, places in shown.items() if isinstance(number, Box)}
        whole = [(set(recipe_values(number)), places) for number, places in shown.items() if isinstance(number, Build)]

        def show(exit: Exit, block: Block, index: float) -> None:
            values = exit.values()
            for value in values:
                if value in single:
                    single[value].append((block, index))
            for parts, places in whole:
                if parts.issubset(values):
                    places.append((block, index))

        for block in graph.blocks:
            for index, op in enumerate(block.ops):
                for name, exit in op.exits.items():
                    show(exit, block, index if name == "redo" else index + 0.5)
            if isinstance(block.end, Leave):
                show(block.end.exit, block, len(block.ops))
        return shown


def _tree(above: dict[Block, Block]) -> dict[Block, tuple[int, int]]:
    """The number of each block in the tree of dominators, and the last one below it."""
    below: dict[Block, list[Block]] = {block: [] for block in above}
    for block, parent in above.items():
        if parent is not block:
            below[parent].append(block)
    numbers: dict[Block, tuple[int, int]] = {}
    work = [(block, False) for block, parent in above.items() if parent is block]
    entered: dict[Block, int] = {}
    while work:
        block, done = work.pop()
        if done:
            numbers[block] = entered[block], len(entered) - 1
        else:
            entered[block] = len(entered)
            work += [(block, True), *((child, False) for child in below[block])]
    return numbers


def _given(op: Op) -> tuple[Recipe, ...]:
    return op.attrs["arguments"][:2] if op.name == "put" else recipes_of(op)


def _numbers(recipe: Recipe) -> Iterator[Number]:
    """The numbers that the recipe makes objects of, one after the other."""
    if isinstance(recipe, Build) and recipe.kind == "complex":
        recipe = whole(recipe)
    if isinstance(recipe, Box):
        if not isinstance(recipe.value, Const) and is_number(recipe.value):
            yield recipe
    elif isinstance(recipe, Build) and recipe.kind == "complex":
        if any(recipe_values(recipe)):
            yield recipe
    elif isinstance(recipe, Build) and recipe.kind not in _OF_WORDS:
        for item in recipe.items:
            yield from _numbers(item)
