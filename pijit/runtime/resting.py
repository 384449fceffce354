"""Functions that are called so often that counting them costs something rest while there is nothing to do for them: they are not counted, and their
calls are the interpreter's own. They wait until more may be compiled, or doze until they are worth a look (`dozing.py`).

Who rests and who wakes up is settled from time to time (a tick, csrc/sampled.c), which comes with a call that is counted. So one function is
always left to tell the time, which is called seldom if there is one.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from threading import RLock
from typing import Any

from pijit import _native
from pijit.ground import clock, forks
from pijit.ground.records import dataclass
from pijit.runtime import dozing, tiers
from pijit.runtime.budget import ACCOUNTS, BUDGET, Want
from pijit.runtime.closing import install
from pijit.runtime.records import Record

_AT_ONCE = 4  # of those that wait for the same account,
_ASKED = 16  # of so many
_SHORT = 0.02  # seconds that are not worth it
_LONG = 0.2  # seconds that are worth another copy of the code


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A record that waits until what it wants can be paid, or dozes until then (`want` None). ``since``: it has rested; ``pc``: of an entry, if only
    that does; ``share``: the part of the time that was taken from there on."""

    ref: weakref.ref[Record]
    want: Want | None
    since: float
    until: float = 0.0
    pc: int | None = None
    share: float = 0.0


_resting: list[Waiting] = []
_change = RLock()  # of the list; a signal may come while a report is made
forks.hold(_change)


@contextmanager
def _unless_busy() -> Iterator[bool]:
    """Whether the list may be changed now. Nobody waits for that: another thread is at it, or forks."""
    free = _change.acquire(blocking=False)
    try:
        yield free
    finally:
        if free:
            _change.release()


def tick(states: list[Any]) -> None:
    """These were counted since the last time."""
    with _unless_busy() as free:
        if free:
            _wake()
            _let_rest(states)
            _let_entries_rest(states)


def _let_rest(states: list[Any]) -> None:
    """Those that are called much, but for the last one that is met at all."""
    dear = [(rate, state) for state in states if _may_rest(state) and (rate := dozing.rate(state, state.data.plan))]
    dear.sort(key=lambda row: -row[0])
    if len(dear) == sum(state.mode == "on" for state in states):
        dear = dear[:-1]
    for _, state in dear:
        waiting = _waiting(state)
        if waiting is not None:
            state.rest()
            _resting.append(waiting)


def _let_entries_rest(states: list[Any]) -> None:
    """Entries in loops that frames come by all the time."""
    for state in filter(_may_rest, states):
        plan, before = state.data.plan, len(_resting)
        for pc, share in dozing.shares(state, plan).items():
            waiting = _waiting_at(state, pc, share)
            if waiting is not None:
                plan.entries[pc].rests = True
                _resting.append(waiting)
        if len(_resting) > before:
            install(state, plan)


def _waiting_at(state: Any, pc: int, share: float) -> Waiting | None:
    """What the entry has to wait for, if it is for long enough."""
    plan, took = state.data.plan, state.took(pc)
    now, patience = clock.perf_counter(), plan.entries[pc].patience
    left = patience.left(took)
    want = patience.wants(took, state.misses(pc)) if left <= 0 else None
    seconds = BUDGET.missing(want) if want is not None else dozing.until_due(plan, left, share)
    return Waiting(weakref.ref(state.data), want, now, now + seconds, pc, share) if seconds >= _LONG else None


def _may_rest(state: Any) -> bool:
    record = state.data
    return state.mode == "on" and isinstance(record, Record) and record.space is not None and record.plan is not None


def _waiting(state: Any) -> Waiting | None:
    """What the function has to wait for, if it is for long enough."""
    record, now = state.data, clock.perf_counter()
    seconds = dozing.seconds(state, record.plan)
    if seconds >= _SHORT:
        return Waiting(weakref.ref(record), None, now, now + seconds)
    wanted = [
        (BUDGET.missing(want), want)
        for pc, entry in record.plan.entries.items()
        if not entry.off and entry.patience.began and entry.patience.left(state.took(pc)) <= 0
        for want in [entry.patience.wants(state.took(pc), state.misses(pc))]
    ]
    missing, want = min(wanted, default=(0.0, None))
    if want is None or missing < _SHORT:
        return None
    return Waiting(weakref.ref(record), want, now)


def waits(record: Record) -> bool:
    """Whether the function rests until it can be paid to compile it."""
    with _change:
        return any(waiting.want is not None and waiting.ref() is record for waiting in _resting)


def _paid(account: str) -> list[Waiting]:
    """Those that have waited longest for an account that can pay for them, all together."""
    waiting = [(one, one.want) for one in _resting if one.want is not None and one.want.account == account]
    if not waiting or BUDGET.missing(min(want for _, want in waiting)):
        return []
    found: list[Waiting] = []
    seconds = 0.0
    for one, want in waiting[:_ASKED]:
        if len(found) < _AT_ONCE and not BUDGET.missing(want._replace(seconds=seconds + want.seconds)):
            seconds += want.seconds
            found.append(one)
    return found


def _comes_back(state: Any, waiting: Waiting, now: float) -> None:
    """Frames come by an entry again."""
    plan = state.data.plan
    entry = plan.entries[waiting.pc]
    entry.rests = False
    if waiting.want is None:
        dozing.entry_has_dozed(entry, waiting.share, now - waiting.since)
    install(state, plan)


def _wake() -> None:
    """Those that have dozed long enough, and as many as can be paid for, are counted again: others would cost something, for nothing."""
    now = clock.perf_counter()
    woken = [one for one in _resting if one.want is None and one.until <= now]
    woken += chain.from_iterable(map(_paid, ACCOUNTS))
    for waiting in woken:
        record = waiting.ref()
        code = None if record is None else record.code_ref()
        state = None if code is None else _native.state_of(code)
        if record is None or state is None:
            continue
        if waiting.pc is not None:
            _comes_back(state, waiting, now)
        elif tiers.is_enabled(record):
            state.mode = "on"
            dozing.has_dozed(state, record.plan, now if waiting.want else waiting.since)
    if woken:
        _resting[:] = [one for one in _resting if not any(one is other for other in woken)]
        _native.wake()
