"""When to compile what is hot by its count, and what a compilation must not disturb.

"Rent or buy": compiling takes tens of milliseconds, several hundred the first time, so an entry goes on in the interpreter until that has taken
about as long from there on (C takes the time of some misses), and for longer the more its compilations took: what is seldom met, or soon over,
is never compiled. A program that is over by then has not paid for anything. All entries together have what `budget` gives them. What was asked for
by name (jit) waits for neither.
"""

from __future__ import annotations

import math
import sys
import warnings
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from pijit.ground import clock
from pijit.ground.config import CONFIG
from pijit.ground.records import dataclass
from pijit.runtime.budget import BUDGET, Want

_STEP = 16
_SELDOM = 16  # it is asked again after such a part of the misses that were waited for, or later: others may take what there is, time after time
_RARELY = 5e-4  # seconds in the interpreter: asking takes some 30 us
_COMPILER = "llvmlite.binding"  # imported by the first compilation of a process,
_FIRST = 2.0  # which costs so many times as much,
_LOADING = 0.14  # so many seconds more
_TRACER = "pijit.trace.opcodes"  # imported by the first look of a process,
_FIRST_LOOK = 0.06  # which takes so many seconds more
_LOOK = 2.0  # what looking at an entry may cost at first, in terms of the setting,
_LONGER = 4.0  # and so many times as much the next time, where that is not enough
_STEP_TAKES = 7e-5  # seconds of looking at an instruction
_MOST = 0.5  # of the program's time
_SHORT = 1e-5  # seconds
_DOUBT = 4.0  # seconds in the interpreter for each second of compiling what may not pay: it saves a part of them at best
_RENT = 2.0  # seconds in the interpreter for each second that was spent on the entry


@dataclass(slots=True)
class Patience:
    """Of one entry. ``began``: when it was found hot; ``took``: what the interpreter had taken from there on by then; ``waited``: the misses since
    that were waited for; ``spent``: the seconds that compiling for it took so far; ``in_vain``: the last time nothing came of it. Once it was
    captured: about how many seconds it will take (``price``), and whether what comes of it may not pay (``doubtful``)."""

    began: float = 0.0
    took: float = 0.0
    waited: int = 0
    spent: float = 0.0
    in_vain: bool = False
    price: float = 0.0
    doubtful: bool = False
    look: float = 0.0  # the seconds that looking at it may take, where more than at first
    postponed: bool = False  # it was captured, and is compiled later
    told: bool = False  # that nothing but the price is missing
    is_whole: bool = False  # nothing breaks in what was captured
    has_arrays: bool = False  # the frame that stood there last: work on arrays pays most often

    def misses_to_wait(self, took: float, asked: bool = False, goes_on: bool = False, misses: int = 0) -> int:
        """How many more, about; 0: it is time to compile. ``took``: the seconds that the interpreter has taken from there on so far; ``asked``:
        by name; ``goes_on``: native code has led to it; ``misses``: so far."""
        if CONFIG.patience_ms <= 0 or (asked and not self.in_vain):
            return 0
        now = clock.perf_counter()
        passed, taken = (now - self.began, took - self.took) if self.began else (0.0, 0.0)
        waits = [(self._to_pass(goes_on) - passed, passed), (self._to_take() - taken, taken)]
        if not asked and all(left <= 0 for left, _ in waits):
            waits.append((BUDGET.missing(self.wants(took, misses)), passed))
        if all(left <= 0 for left, _ in waits):
            return 0
        if not self.began:
            self.began, self.took, self.waited = now, took, _STEP
            return _STEP
        # never more than were waited for already: the program may get slower
        more = max(int(self.waited * left / max(had, 1e-6)) for left, had in waits)
        more = max(min(self.waited, max(self.waited // _SELDOM, more)), int(_RARELY * misses / max(took, 1e-6)))
        self.waited += more
        return more

    def left(self, took: float) -> float:
        """The seconds that the interpreter has to go on taking from there on."""
        return self._to_take() - (took - self.took)

    def taken(self, took: float) -> float:
        """The seconds that the interpreter has taken from there on since it was found hot, while it waits."""
        return took - self.took if self.began else 0.0

    def dozed(self, seconds: float, soon: int) -> None:
        """So much more it is taken to have taken; it is asked again after so many misses."""
        self.took, self.waited = self.took - seconds, min(self.waited, soon)

    def _to_pass(self, goes_on: bool) -> float:
        """The seconds that the program has to go on: it may be over soon."""
        return 0.0 if goes_on or self.spent else CONFIG.patience_ms * 1e-3 * (1.0 if _COMPILER in sys.modules else _FIRST)

    def _to_take(self) -> float:
        """The seconds that the interpreter has to take from there on."""
        return _RENT * self.spent or self.price * (_DOUBT if self.doubtful else 1.0) or self._to_look()

    def _to_look(self) -> float:
        return self.look or _LOOK * CONFIG.patience_ms * 1e-3

    def steps(self, asked: bool) -> float:
        """How many instructions capture may look at: how long it takes shows only when it is done."""
        return math.inf if asked or CONFIG.patience_ms <= 0 else self._to_look() / _STEP_TAKES

    def look_longer(self) -> None:
        """That was not enough: it is looked at again when the interpreter has taken more there, and there is more time for it."""
        self.look, self.postponed = _LONGER * self._to_look(), True

    def wants(self, took: float, misses: int) -> Want:
        """What looking takes, or once that is done compiling, and loading the compiler if need be. Where most of the program's time is taken
        either is worth as much as where it is sure to pay, if that is done in short laps: long ones are those of what is called, too. They are
        where what is called has been captured with it, which a first look tells."""
        most = took >= _MOST * BUDGET.ran() and (took < _SHORT * misses or (self.is_whole if self.price else not self.look))
        if not self.price:
            first = 0.0 if _TRACER in sys.modules else _FIRST_LOOK
            return Want(self._to_look() + first, "compiling" if most or self.has_arrays else "looking")
        return Want(self.price + loading(), "trying" if self.doubtful and not most else "compiling")

    def compiled(self, seconds: float, in_vain: bool) -> None:
        """So long it took, and nothing came of it or something did: the next time it waits from then on."""
        self.spent += seconds
        self.began, self.waited, self.in_vain, self.price = 0.0, 0, in_vain, 0.0


@dataclass(slots=True)
class Pace:
    """How long compilations take here against what they were reckoned to: seconds ``reckoned`` and ``taken``, at first as where it was measured."""

    reckoned: float = 0.1
    taken: float = 0.1

    def seconds(self, reckoned: float) -> float:
        """What so much is likely to be."""
        return reckoned * self.taken / self.reckoned

    @contextmanager
    def measured(self, likely: float) -> Iterator[None]:
        """What is likely to take so long."""
        start, loads = clock.thread_time(), loading()
        yield
        if not loads:
            self.reckoned, self.taken = self.reckoned + likely * self.reckoned / self.taken, self.taken + clock.thread_time() - start


PACE = Pace()


def loading() -> float:
    """What a compilation now takes longer because it is the first, in seconds."""
    return 0.0 if _COMPILER in sys.modules else _LOADING


_at_work: set[int] = set()  # threads
_change = Lock()
_plain = warnings._filters_mutated  # type: ignore[attr-defined]


def _mutated() -> None:
    if get_ident() not in _at_work:
        _plain()


@contextmanager
def warnings_remembered() -> Iterator[None]:
    """Python shows a warning once per place, and forgets which ones it has shown when anybody touches the filters, as what is called here may; the
    program would see its warnings twice. Other threads may touch them meanwhile, or compile too."""
    global _plain
    me = get_ident()
    with _change:
        if not _at_work:
            _plain, warnings._filters_mutated = warnings._filters_mutated, _mutated  # type: ignore[attr-defined]
        _at_work.add(me)
    try:
        yield
    finally:
        with _change:
            _at_work.discard(me)
            if not _at_work:
                warnings._filters_mutated = _plain  # type: ignore[attr-defined]
