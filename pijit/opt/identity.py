"""Numbers stay the objects that they are, where the program could tell: `is`, and `in` for what is not equal to itself.

In exits and in what calls and stores are given, a number that was loaded from a list, an attribute or a dict, or that was stored there, is
what is held there, as long as it still has this value:

    x = list_get l, i                           x = list_get l, i
    leave return x                   ->         leave return one_of(i, x, l)

    put o.y, x                                  put o.y, x
    leave return x                   ->         leave return loaded(x, o, field y)

Where paths meet, and where a choice is made, a number that comes from one list, from what came in or from constants has another one beside
it, which tells which of them it is: the index in the list, -1 for none, -2 - k for the k-th number that came in; one that is an object that was
found or made on each path has that beside it. What is computed has no
object before it is stored or native code leaves, and what a loop adds to is not followed. No owner lives longer for this: one that an exit
does not need anyway is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.check import dominators
from ..ir.graph import Block, Box, Build, Const, Exit, Graph, Known, Leave, Op, Recipe, Value, recipe_values, recipes_of
from ..ir.types import INT, OBJECT
from .boxed import boxed
from .origins import ROWS, Origin, Origins, is_number, is_part, take, whole
from .rename import Renamer

_DONE = frozenset({"range", "range_iterator", "held", "one_of", "loaded"})  # made of words, or rewritten: operations may share an exit
Told = dict["Value | Build", Origin]  # of numbers, and of complex ones by their parts


def identity(graph: Graph) -> None:
    """Says in all recipes which objects numbers were taken from."""
    origins, above, inputs = Origins(graph), dominators(graph), set(graph.inputs)
    boxed(graph, above, {*inputs, *origins.known})
    _take_objects(graph, inputs)
    stored: dict[Block, Told] = {}
    for block in graph.blocks:
        parent = above.get(block, block)
        known: Told = dict(origins.known.items()) if parent is block else dict(stored[parent])
        stored[block] = known
        for op in list(block.ops):
            held = _held(op, inputs)
            given = op.attrs.get("arguments", ())
            if "arguments" in op.attrs:
                op.attrs = _Recipes(known, held).call(op.attrs)
                op.args = tuple(dict.fromkeys((*op.args, *_values(op))))
            for exit in op.exits.values():
                _rewrite(exit, known, inputs)
            if op.name == "look":
                known |= _loaded(op)
            elif op.name == "box":
                known |= {value: known.get(value, Origin()) for value in op.args}
                known[given[0].value if isinstance(given[0], Box) else given[0]] = Origin(made=op.result)
            elif op.name == "put":
                known |= _stored(block, op, known, inputs)
        if isinstance(block.end, Leave):
            _rewrite(block.end.exit, known, inputs)


def _rewrite(exit: Exit, known: Told, inputs: set[Value]) -> None:
    needed = exit.values()
    if any(value in known or is_part(value) for value in needed):
        _Recipes(known, {*inputs, *needed}).exit(exit)


class _Recipes(Renamer):
    """Rewrites the recipes of one exit or operation."""

    def __init__(self, known: Told, held: set[Value]) -> None:
        super().__init__({})
        self.known, self.held = known, held
        self.made: dict[Value, Recipe] = {}

    def recipe(self, recipe: Recipe) -> Recipe:
        if isinstance(recipe, Build) and recipe.kind == "complex":
            recipe = whole(recipe)
            if isinstance(recipe, Build) and recipe in self.known:
                return self.known[recipe].recipe(recipe, self.held)
        if not isinstance(recipe, Box):
            return recipe if isinstance(recipe, Build) and recipe.kind in _DONE else super().recipe(recipe)
        value = recipe.value
        if value in self.known and value not in self.made:
            self.made[value] = self.known[value].recipe(recipe, self.held)
        return self.made.get(value, recipe)

    def call(self, attrs: dict[str, object]) -> dict[str, object]:
        made = super().call(attrs)
        if "place" in made:  # of a store: an index stays a word
            made["arguments"] = (*made["arguments"][:2], *attrs["arguments"][2:])  # type: ignore[index]
        return made


def _held(op: Op, inputs: set[Value]) -> set[Value]:
    """What is there while an operation is given something."""
    return {*inputs, *op.args, *(value for exit in op.exits.values() for value in exit.values())}


def _take_objects(graph: Graph, inputs: set[Value]) -> None:
    """Looks at a number that an object holds give its own object, too, where something that needs the number does not have the owner."""
    looks = {op.result: op for block in graph.blocks for op in block.ops if op.name == "look" and _loaded(op) and len(op.results) == 1}
    if not looks:
        return
    lacking: dict[Value, None] = {}
    for needed, held in _needs(graph, inputs):
        for value in needed:
            if value in looks and not held.issuperset(recipe_values(looks[value].attrs["arguments"][0])):
                lacking[value] = None
    for value in lacking:
        take(looks[value])


def _needs(graph: Graph, inputs: set[Value]) -> Iterator[tuple[set[Value], set[Value]]]:
    """The values of which something makes objects, and what is there then."""
    for block in graph.blocks:
        for op in block.ops:
            if "arguments" in op.attrs:
                yield set(_values(op)), _held(op, inputs)
    for exit in graph.exits():
        needed = set(exit.values())
        yield needed, needed | inputs


def _loaded(op: Op) -> Told:
    """The number that was looked at, and where; or its object."""
    if len(op.results) == 2 and is_number(op.results[0]) and op.results[1].type == OBJECT:
        return {op.results[0]: Origin(made=op.results[1])}
    first, *rest = op.attrs["result_guard"]
    (owner,) = op.attrs["arguments"]
    if len(op.results) != 1 or not is_number(op.result) or not isinstance(owner, Box | Known):
        return {}
    return {op.result: Origin(owner=owner, row=first)} if len(rest) == 1 and first[0] in ROWS else {}


def _stored(block: Block, op: Op, known: Told, inputs: set[Value]) -> Told:
    """The number that was stored, and where, if it was no object before."""
    (kind, *names), (owner, value, *index) = op.attrs["place"], op.attrs["arguments"]
    if not isinstance(value, Box) or isinstance(value.value, Const) or not is_number(value.value) or not isinstance(owner, Box | Known):
        return {}
    if value.value in known or value.value in inputs:
        return {}
    if kind in ROWS and names:
        return {value.value: Origin(owner=owner, row=(kind, 0, *names))}
    if isinstance(owner, Known) or isinstance(owner.value, Const) or names:
        return {}
    if index:
        return {value.value: Origin(frozenset({owner.value}), place=index[0].value)}
    length = Op("obj_len", (owner.value,), (INT,), {}, {}, op.line)
    block.ops.insert(block.ops.index(op), length)
    return {value.value: Origin(frozenset({owner.value}), place=length.result)}


def _values(op: Op) -> Iterator[Value]:
    return (value for recipe in recipes_of(op) for value in recipe_values(recipe))
