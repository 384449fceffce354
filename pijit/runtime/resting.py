"""Functions that wait until more may be compiled rest: they are not counted, and their calls are the interpreter's own. Those that asked last
stay awake, to notice when it is time; what is hot elsewhere notices too.
"""

from __future__ import annotations

import weakref
from threading import RLock
from typing import Any

from pijit import _native
from pijit.ground import clock, forks, log, reasons
from pijit.runtime import tiers
from pijit.runtime.budget import BUDGET, Want

_AWAKE = 2
_AT_ONCE = 4  # of those that wait for the same
_SHORT = 0.02  # seconds that are not worth it
_OFTEN = 0.02  # so many pass at least until it is asked again whether anything can be paid

Waiting = tuple[weakref.ref[Any], Want]

_awake: list[Waiting] = []  # records of those that asked last, and what for
_resting: list[Waiting] = []
_woken = 0.0  # when that was asked last
_change = RLock()  # of the two lists; a signal may come while a report is made
forks.hold(_change)


def rest_until_paid(record: Any, want: Want) -> None:
    """A call of the function would be looked at or compiled now if that could be paid for."""
    if record.space is None or (seconds := BUDGET.missing(want)) < _SHORT:
        return
    with _change:
        new = not any(ref() is record for ref, _ in _awake)
        if new:
            _awake.append((weakref.ref(record), want))
        while len(_awake) > _AWAKE:
            _rest(*_awake.pop(0))
    if new:
        _tell(record, seconds)


def waits(record: Any) -> bool:
    """Whether the function would be compiled if that could be paid for."""
    with _change:
        return any(ref() is record for ref, _ in (*_awake, *_resting))


def _tell(record: Any, seconds: float) -> None:
    row, code = reasons.lookup("not_yet"), record.code
    text = f"{row.id} {row.title}: {BUDGET.spent():.1f} s of compiling so far, {seconds:.1f} s to go"
    log.event("perf", code, code.co_firstlineno, text, id=row.id)


def _rest(ref: weakref.ref[Any], want: Want) -> None:
    record = ref()
    state = _state(record)
    if record is not None and state is not None and state.mode == "on" and not any(map(state.fragments, record.plan.entries)):
        state.rest()
        _resting.append((ref, want))


def wake() -> None:
    """Those that rest and may be compiled now are counted again, which costs something: a few at a time, as what can be paid is soon spent."""
    global _woken
    if not (_resting or _awake) or (now := clock.process_time()) - _woken < _OFTEN:
        return
    _woken = now
    paid = {want for want in {want for _, want in (*_resting, *_awake)} if not BUDGET.missing(want)}
    if not paid:
        return
    with _change:
        woken = [one for want in paid for one in [waiting for waiting in _resting if waiting[1] == want][:_AT_ONCE]]
        for record in [ref() for ref, _ in woken]:
            state = _state(record)
            if record is not None and state is not None and tiers.is_enabled(record):
                state.mode = "on"
        _resting[:] = [one for one in _resting if not any(one is other for other in woken)]
        _awake[:] = [(ref, want) for ref, want in _awake if want not in paid]
    _native.wake()


def _state(record: Any) -> Any:
    code = None if record is None else record.code_ref()
    return None if code is None else _native.state_of(code)
