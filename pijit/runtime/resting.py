"""Functions that wait until more may be compiled rest, and so do those that doze (`dozing.py`): they are not counted, and their calls are the
interpreter's own. Those that asked last stay awake, to notice when it is time; what is hot elsewhere notices too.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from pijit import _native
from pijit.ground import clock, forks, log, reasons
from pijit.ground.records import dataclass, replace
from pijit.runtime import dozing, tiers
from pijit.runtime.budget import BUDGET, Want

_AWAKE = 2
_AT_ONCE = 4  # of those that wait for the same
_SHORT = 0.02  # seconds that are not worth it
_OFTEN = 0.02  # so many pass at least until it is asked again whether anything can be paid


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A record that waits until what it wants can be paid, or dozes until then (`want` None). ``since``: it has rested."""

    ref: weakref.ref[Any]
    want: Want | None
    until: float = 0.0
    since: float = 0.0


_awake: list[Waiting] = []  # those that asked last
_resting: list[Waiting] = []
_woken = 0.0  # when it was asked last who may wake up
_change = RLock()  # of the two lists; a signal may come while a report is made
forks.hold(_change)


@contextmanager
def _unless_busy() -> Iterator[bool]:
    """Whether the lists may be changed now. Nobody waits for that: another thread is at it, or forks."""
    free = _change.acquire(blocking=False)
    try:
        yield free
    finally:
        if free:
            _change.release()


def rest_until_paid(record: Any, want: Want) -> None:
    """A call of the function would be looked at or compiled now if that could be paid for."""
    if record.space is None or (seconds := BUDGET.missing(want)) < _SHORT:
        return
    if _asks(Waiting(weakref.ref(record), want)):
        _tell(record, seconds)


def doze(record: Any, seconds: float) -> None:
    """Nobody need count the function for so long."""
    if record.space is not None and seconds >= _SHORT:
        _asks(Waiting(weakref.ref(record), None, clock.perf_counter() + seconds))


def _asks(waiting: Waiting) -> bool:
    """It is one of those that stay awake; whether it was not already."""
    with _unless_busy() as free:
        record, known = waiting.ref(), [other.ref() for other in _awake]
        if not free:
            return False
        if record in known:
            before, _awake[known.index(record)] = _awake[known.index(record)], waiting
            return (before.want is None) is not (waiting.want is None)
        _awake.append(waiting)
        while len(_awake) > _AWAKE:
            _rest(_awake.pop(0))
        return True


def waits(record: Any) -> bool:
    """Whether the function would be compiled if that could be paid for."""
    with _change:
        return any(waiting.want is not None and waiting.ref() is record for waiting in (*_awake, *_resting))


def _tell(record: Any, seconds: float) -> None:
    row, code = reasons.lookup("not_yet"), record.code
    text = f"{row.id} {row.title}: {BUDGET.spent():.1f} s of compiling so far, {seconds:.1f} s to go"
    log.event("perf", code, code.co_firstlineno, text, id=row.id)


def _rest(waiting: Waiting) -> None:
    record = waiting.ref()
    state = _state(record)
    if record is not None and state is not None and state.mode == "on" and not any(map(state.fragments, record.plan.entries)):
        state.rest()
        _resting.append(replace(waiting, since=clock.perf_counter()))


def wake() -> None:
    """Those that rest and may be compiled now, or have dozed long enough, are counted again, which costs something: a few at a time, as what can be
    paid is soon spent."""
    global _woken
    if not (_resting or _awake) or (now := clock.process_time()) - _woken < _OFTEN:
        return
    _woken, time = now, clock.perf_counter()
    paid = {want for want in {w.want for w in (*_resting, *_awake) if w.want is not None} if not BUDGET.missing(want)}
    with _unless_busy() as free:
        if not free:
            return
        woken = [one for one in _resting if one.want is None and one.until <= time][:_AT_ONCE]
        woken += [one for want in paid for one in [waiting for waiting in _resting if waiting.want == want][:_AT_ONCE]]
        if not woken and not paid:
            return
        for waiting in woken:
            record = waiting.ref()
            state = _state(record)
            if record is not None and state is not None and tiers.is_enabled(record):
                state.mode = "on"
                if waiting.want is None:
                    dozing.has_dozed(state, record.plan, waiting.since)
        _resting[:] = [one for one in _resting if not any(one is other for other in woken)]
        _awake[:] = [waiting for waiting in _awake if waiting.want not in paid]
    if woken:
        _native.wake()


def _state(record: Any) -> Any:
    code = None if record is None else record.code_ref()
    return None if code is None else _native.state_of(code)
