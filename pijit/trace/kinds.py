"""Lists whose items are of a few types: where one is taken, they are told apart, and there is a way onward for each type.

What the list holds at capture says which types to ask for, the frequent ones first; an item of yet another one is an exit, as where all are of one
type. The ways meet where what is left of the item is alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ground.names import is_one_of
from ..ir.graph import Value
from ..ir.types import BOOL, OBJECT
from . import deeds, objects
from .cursors import SequenceIterator, Together
from .state import State
from .values import Abstract, Known, Opaque

if TYPE_CHECKING:
    from .tracer import Tracer

_LOOKED_AT, _OF_OTHERS = 64, 8  # items of a list, and of each other one that it was taken from among
_MOST = 8  # ways,
_OF_MORE = 3  # and where there are more types: the others leave anyway
_MOST_HERE = 36  # from one instruction, however often it is there
_FORKS = 100  # ways more in a graph: without a limit it would be large where many items meet
_OTHERS = (int, float, type(None), list, tuple, dict, str)


class Several(NamedTuple):
    """The list, where the item is in it, and an item of each type."""

    container: Opaque
    at: Value
    samples: list[Any]


def ahead(t: Tracer, it: Abstract) -> Several | None:
    """What the next item of an iterator may be, where it is of one of several types; of `zip` the first such item."""
    for inner in it.iterators if isinstance(it, Together) else (it,):
        if isinstance(inner, SequenceIterator) and isinstance(inner.sequence, Opaque) and inner.sequence.cls is list:
            found = item(t, inner.sequence, inner.index)
            if found is not None:
                return found
    return None


def item(t: Tracer, container: Opaque, at: Value) -> Several | None:
    """The same of the item at an index."""
    items = t.samples.get(container.value) if t.forks < _FORKS else None
    others = [one for other in t.siblings.get(container.value, ()) if type(other) is list for one in other[:_OF_OTHERS]]
    samples = of_each([*items[:_LOOKED_AT], *others])[: _left_here(t)] if type(items) is list else []
    return Several(container, at, samples) if len(samples) > 1 else None


def _left_here(t: Tracer) -> int:
    """How many ways onward there may be from the instruction, which is there once for each way that has led to it."""
    frame = t.state.frame
    return max(0, _MOST_HERE - t.ways_from.get((frame.bytecode.code, frame.pc), 0))


def of_each(some: list[Any]) -> list[Any]:
    """An item of each type; none where one of another type is among them."""
    counts = Counter(id(type(item)) for item in some)
    first = {id(type(item)): item for item in reversed(some)}
    if not all(is_one_of(type(item), _OTHERS) or objects.is_plain(type(item)) for item in first.values()):
        return []
    return [first[cls] for cls, _ in counts.most_common(_MOST if len(counts) <= _MOST else _OF_MORE)]


def fork(t: Tracer, several: Several, go_on: Callable[[State], None]) -> None:
    """Ends the block with a way for each type. ``go_on`` follows one: it is given the state, in which the item is of that type."""
    container, at, samples = several
    found = t.emit("list_get", (container.value, at), OBJECT, reason="list_item_type")

    def follow(sample: Any) -> None:
        t.expected[container.value, at] = found, sample
        try:
            go_on(t.state)
        finally:
            del t.expected[container.value, at]

    by_type(t, found, samples, follow)


def by_type(t: Tracer, found: Value, samples: list[Any], follow: Callable[[Any], None]) -> None:
    """Ends the block with a way for each type that an object may be of. ``follow`` goes one: it is given what the object is like there."""
    site = t.state.frame.bytecode.code, t.state.frame.pc
    t.ways_from[site] = t.ways_from.get(site, 0) + len(samples)
    t.item_types, t.forks = max(t.item_types, len(samples)), t.forks + len(samples) - 1

    def is_like(sample: Any) -> Value:
        return t.emit("is_of", (found, deeds.as_object(t, Known(type(sample)))), BOOL)  # type: ignore[no-any-return]

    t.ways([partial(is_like, sample) for sample in samples[:-1]], lambda number: follow(samples[number]))
