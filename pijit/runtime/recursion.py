"""What a function returns that calls itself on every way of the calls so far, as a walk through a tree does: others show it, the leaves. Nothing is
compiled before that is known, or too many calls have shown nothing. It may do so by others that it calls, as a visitor does: its callers tell."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from pijit.ground.records import dataclass, field
from pijit.trace.own_calls import UNKNOWN, VARIOUS, Told
from pijit.trace.tracer import Capture

_MOST = 1000  # calls that are passed over: more than are under way at once,
_CAPTURES = 16  # and that are captured in vain
_SELDOM = 64  # calls that were passed over, after which not each one is asked about
_CALLERS = 24  # that are looked at, ours included


@dataclass(slots=True)
class Watch:
    """Of one function. ``of_itself``: it calls itself, or may. ``seen``: the types of arguments, by their ids, with which it was captured in vain,
    and how many such calls were passed over since; ``asking``: those where it was not known what its calls of itself give. ``found``: a capture where
    it was known is to be compiled, some time. ``looks``: the next call that is not passed over is captured at once."""

    of_itself: bool = False
    told: Told = field(default_factory=Told)
    seen: dict[tuple[int, ...], int] = field(default_factory=dict)
    asking: set[tuple[int, ...]] = field(default_factory=set)
    found: bool = False
    looks: bool = False
    calls: int = 0
    captures: int = 0

    def passes_over(self, arguments: tuple[Any, ...]) -> int:
        """How many calls to wait, as a capture of this one would show nothing new: it is like earlier ones. What their arguments hold may differ, so
        where that could help some are captured all the same: 0."""
        if not self.seen or self._is_tired():
            return 0
        types = _types(arguments)
        if types not in self.seen:
            return 0
        self.calls += 1
        self.seen[types] += 1
        return 0 if types in self.asking and self.seen[types].bit_count() == 1 else 1 + self.calls // _SELDOM

    def learn(self, capture: Capture, arguments: tuple[Any, ...], in_vain: bool) -> bool:
        """Whether another call is to be looked at first: nothing comes of this capture."""
        found, gives, types = capture.told, self.told.gives, _types(arguments)
        if gives is UNKNOWN and found.gives is not UNKNOWN and found.gives is not VARIOUS:
            gives = found.gives
            self.seen.clear()
        self.told = Told(gives, self.told.others | found.others)
        self.captures += 1
        self.found = self.found or (capture.calls_itself and not capture.asks and not in_vain)
        self.looks = (capture.asks or in_vain) and not self._is_tired() and self.captures <= _CAPTURES
        self.seen.pop(types, None)
        if self.looks:
            self.seen[types] = 0
        (self.asking.add if capture.asks else self.asking.discard)(types)
        return self.looks

    def _is_tired(self) -> bool:
        return self.calls > _MOST and not self.found


def _types(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(map(id, map(type, arguments)))  # no generator: see entries._is_too_little


def is_under_way(code: CodeType) -> bool:
    """Whether a call of the code is among the callers of what runs now."""
    frame, named = sys._getframe(1), (code.co_name, code.co_firstlineno, code.co_filename)
    for _ in range(_CALLERS):
        held = frame.f_code  # or a copy of it, which runs in its place
        if (held.co_name, held.co_firstlineno, held.co_filename) == named:
            return True
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False
