"""What a function returns that calls itself on every way of the calls so far, as a walk through a tree does: others show it, the leaves. Nothing is
compiled before that is known, or too many calls have shown nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from pijit.trace.own_calls import NOTHING, UNKNOWN, VARIOUS, Told
from pijit.trace.tracer import Capture, View

_MOST = 1000  # calls that are looked at: more than are under way at once


@dataclass(slots=True)
class Watch:
    """Of one function. ``seen``: the types of arguments, by their ids, with which it was captured in vain."""

    told: Told = NOTHING
    seen: set[tuple[int, ...]] = field(default_factory=set)
    asks: bool = False  # the function calls itself, and what that gives is not known
    calls: int = 0

    @property
    def _is_over(self) -> bool:
        return self.calls > _MOST

    def knows(self, view: View) -> bool:
        """Whether a capture of this call would show nothing new: it is like earlier ones. What their arguments hold may differ, so some are
        captured all the same."""
        if not self.seen or self._is_over:
            return False
        self.calls += 1
        return _types(view) in self.seen and not (self.asks and self.calls.bit_count() == 1)

    def learn(self, capture: Capture) -> None:
        found, gives = capture.told, self.told.gives
        if gives is UNKNOWN and found.gives is not UNKNOWN and found.gives is not VARIOUS:
            gives = found.gives
            self.seen.clear()
        self.told = Told(gives, self.told.others | found.others)
        self.asks = capture.asks

    def waits(self, view: View) -> bool:
        """Whether another call is to be looked at first: nothing comes of the capture of this one."""
        self.seen.add(_types(view))
        return not self._is_over


def _types(view: View) -> tuple[int, ...]:
    return tuple(id(type(held)) for held in view.locals)
