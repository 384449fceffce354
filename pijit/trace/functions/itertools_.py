"""iter and next, and iterators of the itertools module that run nothing of the program's: count is one of the graph, the others are made as they are,
and move in C."""

from __future__ import annotations

import itertools
from collections.abc import Sized
from typing import TYPE_CHECKING, Any

from ...ir.types import BOOL, INT
from .. import c_iterators, deeds, generators, instances, standins
from ..operators import describe
from ..through import samples, through
from ..values import Abstract, Break, Container, Known, Opaque, Suspended, value_of
from .rows import by_name, expect, no_keywords, row, scalar_kind

if TYPE_CHECKING:
    from ..tracer import Tracer

Args = list[Abstract]
Kwargs = dict[str, Abstract]

_MANY = 99  # iterables
# How many of the first arguments are gone through; the others are numbers, which C checks.
_ITERABLES: dict[Any, int] = {
    itertools.product: _MANY, itertools.permutations: 1, itertools.combinations: 1, itertools.combinations_with_replacement: 1,
    itertools.chain: _MANY, itertools.islice: 1, itertools.pairwise: 1, itertools.zip_longest: _MANY, itertools.cycle: 1,
    **({itertools.batched: 1} if hasattr(itertools, "batched") else {}),
}  # fmt: skip
_LIKE = 6  # items of what is like an iterable: combinations of fewer would give nothing
_OFTEN = 8  # repeat= of product


def _iterator(function: Any, count: int) -> None:
    name = function.__name__

    @row(function)
    def make(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
        args = _repeated(args, kwargs) if function is itertools.product else args
        no_keywords(name, kwargs)
        iterables, numbers = [through(arg, name, inside=True) for arg in args[:count]], args[count:]
        if not iterables or not all(map(_is_number, numbers)):
            raise Break("call_arguments", f"{name} of {', '.join(map(describe, args))}")
        together = function is itertools.permutations and not numbers  # all of them in each tuple
        likes = [_items_like(t, iterable, together) for iterable in iterables]
        like = _refused(name, function, *likes, *map(_sample, numbers))
        gives = list(itertools.islice(like, 1))
        if not gives:
            raise Break("iteration", f"{name} that seems to give nothing")
        args = instances.settled(t, *args, fixed="shared")
        made = deeds.do(t, "call", [Known(function), *args], like, pure=True)
        return c_iterators.goes_on(t, made, gives)


def _repeated(args: Args, kwargs: Kwargs) -> Args:
    """The arguments of product without repeat=."""
    times = kwargs.pop("repeat", Known(1))
    if not isinstance(times, Known) or type(times.value) is not int or not 0 <= times.value <= _OFTEN:
        raise Break("call_arguments", f"product with repeat={describe(times)}")
    return args * times.value


def _is_number(value: Abstract) -> bool:
    return scalar_kind(value) in ("int", "bool") or (isinstance(value, Known) and value.value is None)


def _sample(number: Abstract) -> Any:
    return number.value if isinstance(number, Known) else 1


def _items_like(t: Tracer, iterable: Abstract, all_of_them: bool) -> list[Any]:
    found = samples(t, iterable)
    if not found:
        raise deeds.unseen(t, iterable)
    held = standins.sample_of(t, iterable) if all_of_them else None
    length = len(held[0]) if held is not None and isinstance(held[0], Sized) else _LIKE
    return list(itertools.islice(itertools.cycle(found), length))


def _refused(name: str, function: Any, *args: Any) -> Any:
    """What the function gives; where it raises, the interpreter does."""
    try:
        return function(*args)
    except (TypeError, ValueError, OverflowError):
        raise Break("always_raises", name) from None


for _function, _count in _ITERABLES.items():
    _iterator(_function, _count)


@row(itertools.count)
def count(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    """count(start=0, step=1) of numbers that the machine has."""
    bound = by_name(("start", "step"), args, kwargs)
    start, step = (bound or {}).get("start", Known(0)), (bound or {}).get("step", Known(1))
    found = value_of(start)
    is_fixed = isinstance(step, Known) and type(step.value) is int and abs(step.value) < 2**31
    if bound is None or found is None or found.type not in (INT, BOOL) or not is_fixed:
        raise Break("call_arguments", f"count of {describe(start)}, {describe(step)}")
    return Container("count", (start, step))


@row(iter)
def iter_(t: Tracer, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) != 1:
        raise Break("call_arguments", "iter with a sentinel")
    return c_iterators.held(t, args[0])


@row(next)
def next_(t: Tracer, args: Args, kwargs: Kwargs) -> Any:
    expect("next", args, kwargs, 1, 2)
    if isinstance(args[0], Suspended):
        return generators.consume_by(t, generators.NEXT, args, kwargs)
    if not isinstance(args[0], Opaque):
        raise Break("call_arguments", f"next of {describe(args[0])}")
    return c_iterators.following(t, args[0], *args[1:])
