"""Which word of W holds what, and the contract's tuples in terms of words (docs/native.md).

W[0] poll byte's address | W[1] context | inputs | values of the exit that is taken | call arguments and results | roots
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

from ..ir.graph import (
    Box,
    Build,
    Const,
    Exit,
    Graph,
    Keep,
    Known,
    Null,
    Recipe,
    Unset,
    Value,
    recipe_values,
    recipes_of,
)
from ..ir.types import BOOL, COMPLEX, FLOAT, INT, Np, Type, is_owned, words
from .rows import Unsupported

FIRST_INPUT = 2

# The builds whose items are words, not recipes.
_OF_WORDS = frozenset({"range", "range_iterator"})
# The builds whose items are one list in the contract; in the others every item is an element of the tuple.
_OF_LIST = frozenset({"tuple", "list", "slice", "dict"})
# The builds that a built-in callable makes of its items.
MAKERS: dict[str, Callable[..., Any]] = {
    "enumerate": enumerate, "zip": zip, "zip_strict": partial(zip, strict=True), "reversed": reversed, "record": tuple.__new__, "super": super,
    "map": map, "map_together": map, "filter": filter, "complex": complex, "count": itertools.count,
    "dict_keys": dict.keys, "dict_values": dict.values, "dict_items": dict.items,
}  # fmt: skip
# The items of builds that are no recipes in the contract; those of a cell say only which it is.
_PLAIN = {"function": (0,), "root_cell": (0,), "cell_of": (1,)}
_BOXES: dict[Type, str] = {INT: "int", FLOAT: "float", BOOL: "bool", COMPLEX: "complex"}

Place = Callable[[Value], int]  # the word of a value, stored there if need be


class Layout:
    """The numbers of the words of one graph's W."""

    def __init__(self, graph: Graph) -> None:
        sites = [op for block in graph.blocks for op in block.ops if op.name in ("call", "look", "make", "box", "put", "find", "do", "kernel_into")]
        calls = [op for op in sites if op.name in ("call", "kernel_into")]
        self.word: dict[Value, int] = {}
        next_word = FIRST_INPUT
        for value in graph.inputs:
            self.word[value] = next_word
            next_word += words(value.type)
        self.exit_start = next_word
        next_word += max((_size(exit.recipes()) for exit in graph.exits()), default=0)
        self.call_start = next_word
        passed = [_size(recipes_of(op)) + sum(words(r.type) for r in op.results) + 3 for op in sites]
        passed += [len(op.args) + 1 for block in graph.blocks for op in block.ops if op.name == "own_call"]
        next_word += max(passed, default=0)
        self.roots_start = next_word
        # The result of a call is in the first root until native code has taken it.
        self.call_root = self.roots_start
        self.first_held = self.roots_start + bool(calls)
        self.nroots = int(bool(calls))

    @property
    def nwords(self) -> int:
        """How long W is."""
        return self.roots_start + self.nroots

    def root(self, number: int) -> int:
        """The word of the n-th reference held at an exit."""
        word = self.first_held + number
        self.nroots = max(self.nroots, word + 1 - self.roots_start)
        return word


class Area:
    """Hands out words one after the other."""

    def __init__(self, start: int) -> None:
        self._next = start

    def take(self, type: Type) -> int:
        """The word of a new value of the type."""
        word = self._next
        self._next += words(type)
        return word


Identity = int | tuple[Any, ...]  # id of a recipe, or of the value that a recipe boxes, or those of a complex number's parts
Shared = dict[Identity, int]  # the word that holds the object


def recipe_tuple(recipe: Recipe, place: Place, shared: Shared | None = None) -> tuple[Any, ...]:
    """The recipe in the contract's terms."""
    word = (shared or {}).get(_identity(recipe))
    if word is not None:
        return ("object", word)
    match recipe:
        case Keep():
            return ("keep",)
        case Unset():
            return ("unset",)
        case Null():
            return ("null",)
        case Known(value):
            return ("const", value)
        case Box(Const() as const):
            return ("const", const.value)
        case Box(value):
            return _box(value.type, place(value))
        case Build("held", (Box(value),)):
            return ("held", place(value))
        case Build("one_of", (which, *items)):
            return ("one_of", place(_boxed(which)), [recipe_tuple(item, place, shared) for item in items])
        case Build("loaded", (number, owner, Known(row))):
            return ("loaded", recipe_tuple(number, place, shared), recipe_tuple(owner, place, shared), [row])
        case Build(kind, items) if kind in _OF_WORDS:
            return (kind, *(place(_boxed(item)) for item in items))
        case Build(kind, items):
            made = [recipe_tuple(item, place, shared) for item in items]
            if kind == "instance":
                return (kind, made[0][1], made[1:])
            if kind in _PLAIN:
                plain = _PLAIN[kind]
                return (kind, *(part[1] if number in plain else part for number, part in enumerate(made)))
            if kind == "generator":
                return (kind, made[0], made[1][1], made[2][1], made[3:])
            if kind == "cell":
                return (kind,)
            if kind in MAKERS:
                return ("made", MAKERS[kind], made)
            return (kind, made) if kind in _OF_LIST else (kind, *made)
    raise Unsupported(f"recipe {recipe}")


def exit_tuple(exit: Exit, place: Place, root: Callable[[int], int]) -> tuple[Any, ...]:
    """The exit in the contract's terms. ``root``: the word of the n-th object that is built once for several uses."""
    for value in exit.values():
        place(value)
    shared: Shared = {}
    built = []
    for number, recipe in enumerate(shared_recipes(exit)):
        built.append((recipe_tuple(recipe, place, shared), root(number)))
        shared[_identity(recipe)] = root(number)

    def made(recipe: Recipe) -> tuple[Any, ...]:
        return recipe_tuple(recipe, place, shared)

    frames = [
        (
            None if f.function is None else made(f.function),
            f.pc,
            {slot: made(recipe) for slot, recipe in f.locals.items()},
            [made(recipe) for recipe in f.stack],
            *(() if f.then is None else ((f.then[0], made(f.then[1])),)),
        )
        for f in exit.frames
    ]
    names = [(name, made(recipe)) for name, recipe in exit.names]
    return (exit.kind, frames, names, None if exit.result is None else made(exit.result), built)


def shared_recipes(exit: Exit) -> list[Recipe]:
    """Recipes of objects that the exit needs in several places, each after those that it is made of."""
    uses: dict[Identity, int] = {}
    order: list[Recipe] = []
    for recipe in exit.recipes():
        _visit(recipe, uses, order)
    return [r for r in order if uses[_identity(r)] > 1 and (isinstance(r, Build) or _is_boxed(r))]


def _visit(recipe: Recipe, uses: dict[Identity, int], order: list[Recipe]) -> None:
    identity = _identity(recipe)
    uses[identity] = uses.get(identity, 0) + 1
    if uses[identity] == 1:
        if isinstance(recipe, Build) and recipe.kind not in _OF_WORDS:
            for item in recipe.items:
                _visit(item, uses, order)
        order.append(recipe)


def _identity(recipe: Recipe) -> Identity:
    if isinstance(recipe, Build) and recipe.kind == "complex":
        return tuple(map(_identity, recipe.items))
    return id(recipe.value) if isinstance(recipe, Box) else id(recipe)


def _is_boxed(recipe: Recipe) -> bool:
    """Whether the recipe makes a new object of a word."""
    return isinstance(recipe, Box) and not isinstance(recipe.value, Const) and not is_owned(recipe.value.type)


def _box(type: Type, word: int) -> tuple[Any, ...]:
    if isinstance(type, Np):
        return ("np", type.dtype.num, word)
    return ("object" if is_owned(type) else _BOXES[type], word)


def _boxed(recipe: Recipe) -> Value:
    if isinstance(recipe, Box):
        return recipe.value
    if isinstance(recipe, Known) and type(recipe.value) is int:
        return _number(recipe.value)
    raise Unsupported(f"{recipe} where a word is needed")


@cache
def _number(value: int) -> Const:
    """One object for one number: places are found by identity."""
    return Const(INT, value)


def _size(recipes: Iterable[Recipe]) -> int:
    """How many words the values of the recipes can take."""
    recipes = list(recipes)
    values = dict.fromkeys(v for recipe in recipes for v in recipe_values(recipe))
    return sum(words(v.type) for v in values) + sum(map(_constants, recipes))


def _constants(recipe: Recipe) -> int:
    """How many constants of the recipe may need a word."""
    if not isinstance(recipe, Build):
        return 0
    return len(_of_words(recipe)) + sum(map(_constants, recipe.items))


def has_words(recipe: Recipe) -> bool:
    """Whether some part of the recipe is made of words, constants included."""
    return isinstance(recipe, Build) and (any(map(_is_constant, _of_words(recipe))) or any(map(has_words, recipe.items)))


def _of_words(recipe: Build) -> tuple[Recipe, ...]:
    """The items of a build that are words."""
    return recipe.items if recipe.kind in _OF_WORDS else recipe.items[: recipe.kind == "one_of"]


def _is_constant(recipe: Recipe) -> bool:
    return not isinstance(recipe, Box) or isinstance(recipe.value, Const)
