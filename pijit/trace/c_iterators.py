"""Iterators in C: real objects that nobody else need have, which native code moves. Nothing of the program's runs in that."""

from __future__ import annotations

import itertools
from array import array
from collections import deque
from gc import get_referents
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass, replace

from ..ground.names import is_one_of
from ..ir.graph import Op, Value
from ..ir.types import BOOL, Obj
from . import deeds, generators, objects, opaque, standins, through
from .instances import settled
from .values import Abstract, Break, Container, Instance, Known, Opaque, Suspended

if TYPE_CHECKING:
    from .tracer import Tracer

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_ITERATED: tuple[type, ...] = (*deeds.MAPPINGS, *deeds.SETS, tuple, str, bytes, bytearray, array, deque, *_VIEWS)
_EMPTY: tuple[Any, ...] = ({}, {}.values(), {}.items(), set(), (), "", "\u0100", b"", bytearray(), array("b"), deque())
_ITERATORS = tuple({type(iter(empty)) for empty in _EMPTY})
_OF_POOLS = (itertools.product, itertools.permutations, itertools.combinations, itertools.combinations_with_replacement)  # which they have themselves


def iterator(t: Tracer, value: Abstract) -> Abstract | None:
    """A real iterator over a built-in container or text; None for anything else. What it gives is like what it goes through."""
    if isinstance(value, Container) and value.kind in deeds.VIEWS:
        (owner,) = value.items
        if isinstance(owner, Instance):
            return None
        held: Any = t.samples.get(owner.value, objects.MISSING) if isinstance(owner, Opaque) else objects.MISSING
        under: Any = deeds.VIEWS[value.kind](held) if isinstance(held, deeds.MAPPINGS) else objects.MISSING
    elif isinstance(value, Known) and is_one_of(type(value.value), (str, bytes, tuple, frozenset)):
        under = value.value
    elif _is_made(t, value):
        return value
    elif isinstance(value, Opaque) and is_one_of(value.cls, _ITERATED):
        under = t.samples.get(value.value, objects.MISSING)
    else:
        return None
    owner = value.items[0] if isinstance(value, Container) else value
    if under is objects.MISSING or (not len(under) and deeds.made_at(t, owner) is not None):
        raise deeds.unseen(t, owner)
    return _begun(t, value, type(iter(under)), _Through(under, value, _is_own(t)))


def _begun(t: Tracer, value: Abstract, cls: type, through: _Through) -> Opaque:
    found = deeds.do(t, "iter", [value], objects.MISSING, pure=True)
    assert isinstance(found, Opaque)
    t.samples[found.value] = through
    return Opaque(found.value, cls)


def _is_own(t: Tracer) -> bool:
    """Whether what is made now is gone before the step of a generator that is running is over, and made again with it."""
    top = t.state.frame.consumer
    return t.state.consumer is not None and (t.state.is_in_call() or top is None or top.kind != "for")


def afresh(t: Tracer, generator: Suspended) -> Suspended:
    """A generator expression that is about to be consumed, with an iterator of its own: what the interpreter would do again has not moved."""
    it = generators.goes_through(generator)
    held = t.samples.get(it.value) if isinstance(it, Opaque) else None
    if not isinstance(it, Opaque) or not isinstance(held, _Through) or held.over is None or not _is_new(t, it):
        return generator
    own = _begun(t, held.over, it.cls or object, _Through(held.under, own=True))
    return replace(generator, items=(generator.items[0], own, *generator.items[2:]), built=None)


def _is_new(t: Tracer, it: Opaque) -> bool:
    """Whether nothing has changed since it was made: another one is like it."""
    ops = t.block.ops
    made = next((place for place, op in enumerate(ops) if op is it.value.op), len(ops))
    return made < len(ops) and not any(map(t.is_seen, ops[made:]))


def is_iterated(value: Abstract) -> bool:
    """Whether C has an iterator over it, where others go by position."""
    if isinstance(value, Container):
        return value.kind in deeds.VIEWS
    return isinstance(value, Opaque) and is_one_of(value.cls, _ITERATED) and not deeds.is_text(value, str, bytes)


def goes_on(t: Tracer, made: Abstract, under: Any) -> Abstract:
    """An iterator in C that gives what is like the items of ``under``."""
    assert isinstance(made, Opaque)
    t.samples[made.value] = _Through(under)
    return made


@dataclass(frozen=True, slots=True)
class _Through:
    """The sample of an iterator: what is like that which it goes through; that itself, where the iterator was made by the loop or the generator that
    takes from it; ``own``: see `_is_own`."""

    under: Any
    over: Abstract | None = None
    own: bool = False


def _is_made(t: Tracer, value: Abstract) -> bool:
    """Whether it is an iterator that the fragment made."""
    return isinstance(value, Opaque) and isinstance(t.samples.get(value.value), _Through)


def is_unseen(t: Tracer, it: Opaque) -> bool:
    """Whether nothing is known of what it gives: it seems to give nothing."""
    held = t.samples.get(it.value)
    return isinstance(held, _Through) and not len(held.under)


def goes_through(t: Tracer, it: Opaque) -> Any:
    """What is like that which a real iterator goes through; it is not empty."""
    held = t.samples.get(it.value)
    if isinstance(held, _Through):
        if not len(held.under):
            raise deeds.unseen(t, it)
        return held.under
    if is_one_of(type(held), _ITERATORS):
        for under in get_referents(held):
            if is_one_of(type(under), _ITERATED) and len(under):
                for view in (under, *((dict.keys(under), dict.values(under), dict.items(under)) if isinstance(under, dict) else ())):
                    if type(iter(view)) is type(held):
                        return view
    if is_one_of(type(held), _OF_POOLS):
        given = [part for part in get_referents(held) if type(part) is tuple]
        if len(given) == 2:  # what it gave last is behind what it has
            return given[1:]
    raise Break("iteration", "an iterator of which nothing is known")


def advance(t: Tracer, it: Opaque) -> tuple[Value, Value]:
    """Whether a real iterator in C has another item, and that."""
    held = t.samples.get(it.value)
    own = isinstance(held, _Through) and held.own
    op = Op("next", (it.value,), (BOOL, Obj()), {"own": own or None}, {"redo": t.exit("redo", "container")}, t.line)
    t.append(op)
    return op.results[0], op.results[1]


# ---- those that the program makes and moves itself -------------------------------------------------------------------------


def held(t: Tracer, value: Abstract) -> Abstract:
    """iter(value) of a built-in container, text or range: an object, which any number of places may hold."""
    if _is_made(t, value):
        return value
    like = through.samples(t, through.through(value, "iter", inside=True))
    if not like:
        raise deeds.unseen(t, value)
    (value,) = settled(t, value, fixed="shared")
    made = deeds.do(t, "call", [Known(iter), value], _iterator_like(t, value), pure=True)
    return goes_on(t, made, like)


_EMPTY_OF: dict[str, Any] = {"range": range(0), "list": [], "tuple": ()}


def _iterator_like(t: Tracer, value: Abstract) -> Any:
    """An iterator of the type that iter(value) seems to be."""
    if isinstance(value, Container) and value.kind in _EMPTY_OF:
        return iter(_EMPTY_OF[value.kind])
    if isinstance(value, Container) and value.kind in deeds.VIEWS:
        return iter(deeds.VIEWS[value.kind]({}))
    found = standins.sample_of(t, value)
    if found is None or not isinstance(value, Opaque | Known):
        raise Break("call_arguments", "iter")
    return iter(found[0])


def following(t: Tracer, it: Opaque, *default: Abstract) -> Any:
    """next(it[, default]). What it gives is not taken twice: one of another type goes on behind the call."""
    if not t.last_micro:
        raise Break("side_effect", "next")
    like = next(iter(goes_through(t, it)))
    more, item = advance(t, it)
    exit = opaque.going_on(t, [frame.copy() for frame in t.state.frames], Opaque(item, None))

    def at_its_end() -> Abstract | None:
        if default:
            return default[0]
        t.leave(t.exit("redo", "iteration"))  # it may be asked again
        return None

    return deeds.one_of_two(t, more, lambda: opaque.like(t, item, like, exit), at_its_end)
