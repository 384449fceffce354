"""Block versions: which block a state goes to, and which of its values become the block's parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass, replace

from ..ir.graph import Block, Const, Value
from ..ir.types import NUMBERS, OBJECT, Type
from ..pycode.joins import Join
from ..pycode.liveness import live
from ..pycode.loops import Loop
from .cursors import RangeIterator, SequenceIterator, Together, Unrolled
from .held import Held, matters
from .state import FrameState, State
from .values import (
    LAZY,
    Abstract,
    Complex,
    Container,
    Done,
    Instance,
    Known,
    Opaque,
    Scalar,
    Suspended,
    containers_in,
    has_identity,
    held_twice,
    rebuilt,
    spread,
)

if TYPE_CHECKING:
    from .tracer import Tracer


_NUMBERS = Scalar, Complex


def line_of(frame: FrameState) -> int:
    """The line of the frame's next instruction."""
    return frame.bytecode.at(frame.pc).line or 0


Slot = tuple[tuple[int, str, Any], Any, Any, Abstract, bool]


def slots_of(state: State) -> list[Slot]:
    """(label, container, key, abstract, whether it may still be read or its object must live on) of everything in a state; labels are the same in
    states of one place."""
    found: list[Slot] = []
    for depth, frame in enumerate(state.frames):
        alive = live(frame.bytecode, frame.pc)
        for kind, container, keys in frame.containers():
            for key in keys:
                abstract = container[key]
                counts = container is not frame.locals or key in alive or isinstance(abstract, Opaque) or matters(abstract)
                found.append(((depth, kind, key), container, key, abstract, counts))
    return found


class Sight:
    """What a state holds, as `match` looks at it: `slots_of` it, and which tuples and virtual objects are one (for each, the number of the first
    that it is)."""

    __slots__ = ("sharing", "slots", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.look()

    def look(self) -> None:
        """Again, where the state has changed."""
        self.slots = slots_of(self.state)
        tops = [a for _, _, _, a, _ in self.slots if isinstance(a, Container) and a.items]
        inside = [inner for _, _, _, a, counts in self.slots if counts and a.inner() for inner in containers_in(a)]
        seen: dict[int, int] = {}
        self.sharing = [seen.setdefault(id(a), number) for number, a in enumerate((*tops, *inside))]


@dataclass(slots=True)
class Version:
    """A block made for one abstract state at its start. ``params`` maps a parameter's graph value to its position."""

    block: Block
    state: State
    params: dict[Value, int]
    _sight: Sight | None = None

    @property
    def sight(self) -> Sight:
        self._sight = self._sight or Sight(self.state)
        return self._sight


def new_version(t: Tracer, state: State, where: Loop | Join, earlier: Version | None) -> tuple[Version, list[Value]]:
    """A block whose parameters are what may differ between the paths to it: what is stored on some of them, and, when there is an
    earlier version that did not fit, whatever differs from it."""
    loop = where if isinstance(where, Loop) else None
    block = Block(line_of(state.frame))
    fresh = state.copy()
    # another path may lead here later, so only what the entry block computes is known to be computed
    fresh.memo = {key: value for key, value in state.memo.items() if value in t.entry_results}
    args: list[Value] = []
    params: dict[Value, int] = {}

    def param(value: Value, type: Type | None = None) -> Value:
        made = block.param(type or value.type)
        params[made] = len(args)
        args.append(value)
        for some in (t.own, t.pieces):
            if value in some:
                some.add(made)
        if value in t.samples:
            t.samples[made] = t.samples[value]
        if value in t.layouts:
            t.layouts[made] = t.layouts[value]
        if value in t.siblings:
            t.siblings[made] = t.siblings[value]
        return made

    def virtual(abstract: Abstract) -> Abstract:
        """Of virtual objects, everything may change that is a value of the graph: other names may lead to them. Numbers that are known
        at first become values in loops, and elsewhere when another path comes."""
        if isinstance(abstract, Instance) and (loop is not None or earlier is not None):
            return abstract.with_inner(tuple(_number(item, param) for item in abstract.items))
        if isinstance(abstract, SequenceIterator):
            return abstract.moved(param(abstract.position))
        if isinstance(abstract, Together):
            return _counting(abstract, param)
        if isinstance(abstract, Suspended) and loop is not None:
            return abstract.with_inner((abstract.items[0], *_stored(abstract, lambda item: _number(item, param)), *abstract.stack))
        return abstract if abstract.inner() or isinstance(abstract, Known) else abstract.remade(param(v) for v in abstract.parts())

    done: Done = {}
    depth = where.depth if isinstance(where, Join) else len(fresh.frame.stack) - 1
    before = {label: abstract for label, _, _, abstract, _ in earlier.sight.slots} if earlier is not None else {}
    slots = [
        (label, container, key, abstract, _is_stored(fresh, container, key, where, depth))
        for label, container, key, abstract, counts in slots_of(fresh)
        if counts
    ]
    shared = held_twice(abstract for *_, abstract, _ in slots)
    holders = [(label, abstract, stored) for label, _, _, abstract, stored in slots if _holds(abstract, shared)]
    if not any(stored or has_identity(abstract) or _is_other(abstract, before.get(label)) for label, abstract, stored in holders):
        shared = set()  # they stay what they are
    whole = [abstract for *_, abstract, _ in slots if has_identity(abstract) or _holds(abstract, shared)]
    deep = {id(inner) for abstract in whole for inner in (abstract, *containers_in(abstract))}
    remade: dict[int, Abstract] = {}  # a tuple in several slots stays one tuple
    for label, container, key, abstract, stored in slots:
        if id(abstract) in deep:
            container[key] = rebuilt(abstract, virtual, done)
            continue
        if isinstance(abstract, Held):
            if stored or (label in before and before[label].parts() != abstract.parts()):
                container[key] = Held(param(abstract.value, OBJECT), abstract.says)
        elif isinstance(abstract, Known):
            known = spread(abstract)
            differs = label in before and before[label].shape() != abstract.shape()
            if known is not abstract and _is_number(abstract.value) and ((loop is not None and stored) or differs):
                container[key] = known.remade(map(param, known.parts()))
        elif isinstance(abstract, Unrolled):
            continue  # its items are the same on every path
        elif stored and loop is not None and isinstance(abstract, (RangeIterator, SequenceIterator)):
            container[key] = abstract.moved(param(abstract.position))
        elif stored and isinstance(abstract, Together):
            container[key] = _stepping(abstract, param)
        elif stored and loop is not None and isinstance(abstract, Suspended):
            container[key] = _advancing(abstract, param)
        elif id(abstract) in remade:
            continue
        elif stored:
            container[key] = abstract.remade(param(v) for v in abstract.parts())
        elif _is_other(abstract, before.get(label)):  # else it stays what it is, perhaps what came in
            kept = zip(abstract.parts(), before[label].parts(), strict=True)
            container[key] = abstract.remade(mine if mine is theirs else param(mine) for mine, theirs in kept)
        if isinstance(abstract, Container) and container[key] is not abstract:
            remade[id(abstract)] = container[key]
    for _, container, key, abstract, _ in slots_of(fresh):
        if isinstance(abstract, Container):
            container[key] = remade.get(id(abstract), abstract)
    return Version(block, fresh, params), args


def _stepping(iterator: Abstract, param: Callable[[Value], Value]) -> Abstract:
    """An iterator over several. Those that a loop is unrolled for have the same items on every path, and so has the count that goes with them."""
    if isinstance(iterator, Unrolled):
        return iterator
    if not isinstance(iterator, Together):
        return iterator.remade(map(param, iterator.parts()))
    stepping = tuple(_stepping(inner, param) for inner in iterator.iterators)
    return replace(_counting(iterator, param), iterators=stepping)


def _counting(iterator: Together, param: Callable[[Value], Value]) -> Together:
    count = iterator.count
    return iterator if count is None or (iterator.rounds() and isinstance(count, Const)) else replace(iterator, count=param(count))


def _stored(generator: Suspended, change: Callable[[Abstract], Abstract]) -> tuple[Abstract, ...]:
    """The locals of a generator, those that its code stores changed."""
    return tuple(change(item) if slot in generator.stores else item for slot, item in enumerate(generator.locals))


def _advancing(generator: Suspended, param: Callable[[Value], Value]) -> Abstract:
    """A generator that a loop runs: what its code stores may differ each time."""

    def varying(item: Abstract) -> Abstract:
        if isinstance(item, Known):
            return _number(item, param)
        if isinstance(item, Suspended):
            return _advancing(item, param)
        if isinstance(item, RangeIterator | SequenceIterator):
            return item.moved(param(item.position))
        return item if isinstance(item, Unrolled) else item.remade(param(v) for v in item.parts())

    return generator.with_inner((generator.items[0], *_stored(generator, varying), *map(varying, generator.stack)))


def _number(item: Abstract, param: Callable[[Value], Value]) -> Abstract:
    known = spread(item) if isinstance(item, Known) and _is_number(item.value) else item
    return item if known is item else known.remade(map(param, known.parts()))


def _is_number(value: Any) -> bool:
    return type(value) is complex or (type(value) in NUMBERS and type(value) is not bool)


def _is_stored(state: State, container: Any, key: Any, where: Loop | Join, depth: int) -> bool:
    """Whether a slot of the innermost frame, or of one that it runs for, may be changed by the loop, or between the paths that join."""
    frame = state.frame
    if frame.consumer is not None:
        if container is frame.consumer.held:
            return True
        caller = state.frames[-2]
        loop = caller.flow.loop_at(caller.pc) if isinstance(where, Loop) else None
        if loop is not None and _is_stored(State(state.frames[:-1]), container, key, loop, len(caller.stack) - 1):
            return True
    if container is frame.locals:
        return key in where.stores
    if container is frame.names:
        return key in where.names
    return container is frame.stack and key >= depth


def match(t: Tracer, sight: Sight, version: Version) -> list[Value] | None:
    """The arguments that make the state that is seen the version's state, or None."""
    theirs = version.sight
    if len(sight.slots) != len(theirs.slots) or sight.sharing != theirs.sharing:
        return None
    args: list[Value | None] = [None] * len(version.params)
    changed = False
    try:
        for (label, container, key, a, mine), (other, _, _, b, their) in zip(sight.slots, theirs.slots, strict=True):
            if label != other:
                return None
            if not (mine or their):
                continue
            if (a is LAZY) != (b is LAZY):
                # a slot that one path has looked at and the other has not holds the same object, unless it was stored to
                known = t.entry_values.get(key)
                if known is not None and (a is known or b is known):
                    if b is LAZY:
                        continue
                    container[key] = a = known
                    changed = True
                    if a is b:
                        continue
                return None
            if not _unify(a, b, version.params, args):
                return None
    finally:
        if changed:
            sight.look()
    return None if any(a is None for a in args) else args  # type: ignore[return-value]


def _unify(a: Abstract, b: Abstract, params: dict[Value, int], args: list[Value | None]) -> bool:
    """Whether ``a`` is ``b`` for some arguments, which are noted."""
    if isinstance(b, Known):
        return a is b or a.shape() == b.shape()
    if isinstance(a, Known):
        a = spread(a)
        if not isinstance(a, _NUMBERS):
            return False
    elif isinstance(a, Container) and isinstance(b, Container):
        if isinstance(a, Suspended) and isinstance(b, Suspended):
            return a.place() == b.place() and len(a.items) == len(b.items) and _unify_items(a, b, params, args)
        if isinstance(a, Instance) and isinstance(b, Instance):
            return a.cls is b.cls and (a.kind, a.names) == (b.kind, b.names) and _unify_items(a, b, params, args)
    if a.shape() != b.shape():
        return False
    for mine, wanted in zip(a.parts(), b.parts(), strict=True):
        index = params.get(wanted)
        if index is not None:
            if args[index] is not None and args[index] is not mine:
                return False
            args[index] = mine
        elif mine is not wanted and not (isinstance(mine, Const) and isinstance(wanted, Const) and mine.value == wanted.value):
            return False
    return True


def _unify_items(a: Container, b: Container, params: dict[Value, int], args: list[Value | None]) -> bool:
    return all(_unify(mine, theirs, params, args) for mine, theirs in zip(a.items, b.items, strict=True))


def _holds(abstract: Abstract, some: set[int]) -> bool:
    """Whether it is one of some containers, or holds one."""
    return bool(some) and bool(abstract.inner()) and any(id(inner) in some for inner in containers_in(abstract))


def _is_other(mine: Abstract, theirs: Abstract | None) -> bool:
    """Whether it is made of other graph values than that of an earlier version, and is like it in all else."""
    return theirs is not None and mine.shape() == theirs.shape() and any(a is not b for a, b in zip(mine.parts(), theirs.parts(), strict=True))
