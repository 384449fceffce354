"""What a function returns that calls itself on every way of the calls so far, as a walk through a tree does: others show it, the leaves. Nothing is
compiled before that is known, or too many calls have shown nothing."""

from __future__ import annotations

from typing import Any

from pijit.ground.records import dataclass, field
from pijit.trace.own_calls import NOTHING, UNKNOWN, VARIOUS, Told
from pijit.trace.tracer import Capture

_MOST = 1000  # calls that are passed over: more than are under way at once,
_CAPTURES = 16  # and that are captured in vain


@dataclass(slots=True)
class Watch:
    """Of one function. ``seen``: the types of arguments, by their ids, with which it was captured in vain. ``asks``: what its calls of itself give
    was not known there. ``looks``: the next call that is not passed over is captured at once."""

    told: Told = NOTHING
    seen: set[tuple[int, ...]] = field(default_factory=set)
    asks: bool = False
    looks: bool = False
    calls: int = 0
    captures: int = 0

    def passes_over(self, arguments: tuple[Any, ...]) -> bool:
        """Whether a capture of this call would show nothing new: it is like earlier ones. What their arguments hold may differ, so where that could
        help some are captured all the same."""
        if not self.seen or self.calls > _MOST:
            return False
        self.calls += 1
        return _types(arguments) in self.seen and not (self.asks and self.calls.bit_count() == 1)

    def learn(self, capture: Capture, arguments: tuple[Any, ...], in_vain: bool) -> bool:
        """Whether another call is to be looked at first: nothing comes of this capture."""
        found, gives = capture.told, self.told.gives
        if gives is UNKNOWN and found.gives is not UNKNOWN and found.gives is not VARIOUS:
            gives = found.gives
            self.seen.clear()
        self.told = Told(gives, self.told.others | found.others)
        self.asks, self.captures = capture.asks, self.captures + 1
        self.looks = (capture.asks or in_vain) and self.calls <= _MOST and self.captures <= _CAPTURES
        if self.looks:
            self.seen.add(_types(arguments))
        return self.looks


def _types(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(id(type(held)) for held in arguments)
