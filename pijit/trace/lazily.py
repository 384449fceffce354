"""What map and filter give, and what functools.reduce and min, max and sorted with key= take: generators of pijit's own, which are consumed as
those of the program are (generators.py). An exit makes the iterator that the built-in makes, and knows nothing of them.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..ground.names import is_one_of
from . import generators, inline
from .values import Abstract, Break, Container, Known, Suspended

if TYPE_CHECKING:
    from .state import FrameState
    from .tracer import Tracer


# None of these is ever run: they are captured.


def _each(items: Any) -> Iterator[Any]:
    for item in items:  # noqa: UP028 (yield from is not captured)
        yield item


def _mapped(function: Any, items: Any) -> Iterator[Any]:
    for item in items:
        yield function(item)


def _mapped_together(function: Any, items: Any) -> Iterator[Any]:
    for arguments in items:
        yield function(*arguments)


def _filtered(function: Any, items: Any) -> Iterator[Any]:
    for item in items:
        if function(item):
            yield item


def _filtered_by_truth(function: Any, items: Any) -> Iterator[Any]:
    for item in items:
        if item:
            yield item


def _reduced(function: Any, items: Any) -> Iterator[Any]:
    started, value = False, None
    for item in items:
        value = function(value, item) if started else item
        started = True
    if started:
        yield value


def _reduced_from(function: Any, items: Any, value: Any) -> Iterator[Any]:
    for item in items:
        value = function(value, item)
    yield value


# Two, as the operator is an instruction of theirs, which special methods are inlined for.


def _least(key: Any, items: Any) -> Iterator[Any]:
    started = False
    for item in items:
        new = key(item)
        if not started:
            best, least, started = item, new, True
        elif new < least:
            best, least = item, new
    if started:
        yield best


def _greatest(key: Any, items: Any) -> Iterator[Any]:
    started = False
    for item in items:
        new = key(item)
        if not started:
            best, greatest, started = item, new, True
        elif new > greatest:
            best, greatest = item, new
    if started:
        yield best


def _keys(key: Any, items: Any) -> Iterator[Any]:
    for item in items:
        yield key(item)


_OWN = {
    _each: "list", _mapped: "map", _mapped_together: "map", _filtered: "filter", _filtered_by_truth: "filter", _reduced: "reduce",
    _reduced_from: "reduce", _least: "min", _greatest: "max", _keys: "sorted",
}  # fmt: skip
_KINDS = {_mapped: "map", _mapped_together: "map_together", _filtered: "filter", _filtered_by_truth: "filter"}
_BY_KEY = {min: _least, max: _greatest}
_DEEPEST = 3  # that many within each other, each with code of its own: no code is captured within itself


def _copy(function: Any, name: str) -> types.FunctionType:
    code = function.__code__.replace(co_name=name, co_qualname=name)
    if function in _KINDS:
        generators.KINDS[id(code)] = _KINDS[function]
    return types.FunctionType(code, {"__builtins__": {}}, name)


_COPIES = {function: [_copy(function, name) for _ in range(_DEEPEST)] for function, name in _OWN.items()}
_LEVELS = {id(copy.__code__): level for copies in _COPIES.values() for level, copy in enumerate(copies)}


def is_own(frame: FrameState) -> bool:
    """Whether it is a frame that the program does not have."""
    return id(frame.bytecode.code) in _LEVELS


def of_program(frames: list[FrameState]) -> FrameState:
    """The innermost one whose code is the program's."""
    for frame in reversed(frames):
        if id(frame.bytecode.code) not in _LEVELS:
            return frame
    raise AssertionError("a frame of the program is the outermost one")


def _begun(t: Tracer, function: Any, *values: Abstract) -> Suspended:
    level = max(map(_level, values))
    level = max([level, *(1 + _LEVELS[id(frame.bytecode.code)] for frame in t.state.frames if is_own(frame))])
    if level >= _DEEPEST:
        raise Break("inline_limit", _OWN[function])
    return generators.suspended(inline.own_frame(_COPIES[function][level], values))


def _level(value: Abstract) -> int:
    """How many of these a value goes through."""
    own = _LEVELS.get(id(value.bytecode.code), -1) + 1 if isinstance(value, Suspended) else 0
    return max([own, *map(_level, value.inner())])


def each(t: Tracer, items: Abstract) -> Suspended:
    """A generator of the items of a list, for what goes through them as it does through a generator's."""
    return _begun(t, _each, items)


def mapped(t: Tracer, function: Abstract, items: list[Abstract]) -> Abstract:
    """map(function, *items)"""
    if len(items) == 1:
        return _begun(t, _mapped, function, items[0])
    return _begun(t, _mapped_together, function, Container("zip", tuple(items)))


def filtered(t: Tracer, function: Abstract, items: Abstract) -> Abstract:
    """filter(function, items)"""
    by_truth = isinstance(function, Known) and function.value is None
    return _begun(t, _filtered_by_truth if by_truth else _filtered, function, items)


def reduced(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """functools.reduce"""
    if kwargs or not 2 <= len(args) <= 3:
        raise Break("call_arguments", "reduce with such arguments")
    return generators.consume_by(t, generators.NEXT, [_begun(t, _reduced if len(args) == 2 else _reduced_from, *args)], {})


def by_key(t: Tracer, function: Any, args: list[Abstract], kwargs: dict[str, Abstract]) -> object:
    """min, max and sorted with key="""
    from . import c_iterators, calls, closures, objects
    from .functions import containers

    more = {name: value for name, value in kwargs.items() if name != "key"}
    if isinstance(kwargs["key"], Known) and kwargs["key"].value is None:
        return calls.call(t, Known(function), args, more)
    if function is sorted and len(args) == 1 and set(more) <= {"reverse"}:
        if isinstance(kwargs["key"], Known) and not closures.is_function(kwargs["key"]):
            raise Break("call_arguments", "sorted by a built-in, which takes no longer in the interpreter")
        made = containers.list_(t, args, {})
        items = args[0] if is_one_of(objects.class_of(args[0]), (list, tuple)) else made
        return generators.consume_by(t, generators.BY_KEY, [_begun(t, _keys, kwargs["key"], items), made], more)
    if function not in _BY_KEY or more or not args:
        raise Break("call_arguments", f"{function.__name__} with {', '.join(f'{name}=' for name in kwargs)}")
    items = args[0] if len(args) == 1 else Container("tuple", tuple(args))
    if c_iterators.is_iterated(items) and objects.unrollable(t, items) is None:
        items = containers.list_(t, [items], {})  # a step that moves an iterator could not be done again
    return generators.consume_by(t, generators.NEXT, [_begun(t, _BY_KEY[function], kwargs["key"], items)], {})
