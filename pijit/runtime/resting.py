"""Functions that wait until more may be compiled rest: they are not counted, and their calls are the interpreter's own. Those that asked last
stay awake, to notice when it is time; what is hot elsewhere notices too.
"""

from __future__ import annotations

import weakref
from threading import RLock
from typing import Any

from pijit import _native
from pijit.ground import forks, log, reasons
from pijit.runtime import tiers
from pijit.runtime.budget import BUDGET

_AWAKE = 2
_SHORT = 0.02  # seconds that are not worth it

_awake: list[weakref.ref[Any]] = []  # records of those that asked last
_resting: list[weakref.ref[Any]] = []
_change = RLock()  # of these two; a signal may come while a report is made
forks.hold(_change)


def rest_until_paid(record: Any, price: float) -> None:
    """A call of the function would be compiled now if that could be paid for; 0: nobody has looked yet."""
    if record.space is None or BUDGET.missing_for(price) < _SHORT:
        return
    if not any(ref() is record for ref in _awake):
        _tell(record)
    with _change:
        if not any(ref() is record for ref in _awake):
            _awake.append(weakref.ref(record))
        while len(_awake) > _AWAKE:
            _rest(_awake.pop(0))


def waits(record: Any) -> bool:
    """Whether the function would be compiled if that could be paid for."""
    with _change:
        return any(ref() is record for ref in (*_awake, *_resting))


def _tell(record: Any) -> None:
    row, code = reasons.lookup("not_yet"), record.code
    text = f"{row.id} {row.title}: {BUDGET.spent:.1f} s of compiling so far, {BUDGET.missing():.1f} s to go"
    log.event("perf", code, code.co_firstlineno, text, id=row.id)


def _rest(ref: weakref.ref[Any]) -> None:
    record = ref()
    state = _state(record)
    if record is not None and state is not None and state.mode == "on" and not any(map(state.fragments, record.plan.entries)):
        state.rest()
        _resting.append(ref)


def wake() -> None:
    """Those that rest are counted again, if something may be compiled."""
    if not (_resting or _awake) or BUDGET.missing() > 0:
        return
    with _change:
        for record in [ref() for ref in _resting]:
            state = _state(record)
            if record is not None and state is not None and tiers.is_enabled(record):
                state.mode = "on"
        _resting.clear()
        _awake.clear()
    _native.wake()


def _state(record: Any) -> Any:
    code = None if record is None else record.code_ref()
    return None if code is None else _native.state_of(code)
