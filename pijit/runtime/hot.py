"""Hot exits: what is done about an exit that is taken again and again.

- Where an attribute holds another type than the one that was captured, the fragment is compiled again, with a way for each.
- Where a container was empty that may be filled by now, the fragment is compiled again, too.
- A fragment that does not pay is retired (see worth).
- An exit at an instruction that native code knows (an overflow, a floating-point flag, a result of another type, ...) becomes an entry
  of its own at the next instruction, so that only that one runs in the interpreter, if that.
"""

from __future__ import annotations

from typing import Any

from pijit import _native
from pijit.ground import log, reasons
from pijit.ground.config import CONFIG
from pijit.runtime import worth
from pijit.runtime.closing import entry_of, install, retire, take_out
from pijit.runtime.entries import MOST_EMPTY, Entry, add_entries_after
from pijit.runtime.records import FragmentRecord, Record
from pijit.trace import learned

NEVER = -1
_TRIAL = 128  # times that an exit is taken before its fragment is judged
_LONG = 10_000_000  # nanoseconds that its runs took: it is tried before
_GROWTH = 8  # an exit is looked at again when it has been taken this many times as often
_MOST = 8  # times that an entry's fragments are made again because more is known
_LAST = 10**6  # a fragment that has come so far is left alone
_OWN_CALL = reasons.lookup("own_call").id
_EMPTY = reasons.lookup("was_empty").id
_AGAIN = reasons.lookup("recompiled")


def exit_is_hot(state: Any, record: Record, native: Any, index: int, count: int, operand: Any = _native.UNSET) -> int:
    """Deals with one hot exit; gives the count at which to look again. ``operand``: see on_exit."""
    fragment: FragmentRecord = native.data()
    exit = fragment.exits[index]
    if exit.kind == "poll" or fragment.retired:  # another thread was quicker, or runs on in what it has retired
        return NEVER
    place = fragment.places[index]
    if place is not None and operand is not _native.UNSET and _has_learned(state, record, native, place, operand):
        what = f".{place.name} holds another type" if place.name else "a dict has other keys"
        log.event("exits", record.code, exit.line, f"{_AGAIN.id} {_AGAIN.title}: {what}, {count} times", id=_AGAIN.id)
        return NEVER
    if exit.at is not None and exit.at.reason == _EMPTY and _may_be_filled(state, record, native):
        log.event("exits", record.code, exit.line, f"{_AGAIN.id} {_AGAIN.title}: a container was empty, {count} times", id=_AGAIN.id)
        return NEVER
    if exit.reason == _OWN_CALL:
        record.plan.watch.looks = True  # it is of arguments that there is no fragment for
    if count >= _TRIAL:
        doubtful = worth.needs_clock(record)
        by_calls = doubtful and fragment.kind == "function"  # then the clock judges, which knows more than the estimate
        if not by_calls and not worth.pays(fragment):
            retire(state, record, native, "not_worth_it")
            return NEVER
        if doubtful or _leaves_early(fragment, index):
            state.try_calls()
    elif native.sampled > _LONG and fragment.kind == "function" and worth.needs_clock(record):
        state.try_calls()  # so many calls tell
    if exit.kind in ("redo", "continue") and exit.at is None and add_entries_after(record, *fragment.resumes[index]):
        install(state, record.plan)
        reason = reasons.lookup(exit.reason)
        log.event("exits", record.code, exit.line, f"{reason.id} {reason.title}: taken {count} times; an entry was made after it", id=reason.id)
    return max(_TRIAL, count * _GROWTH) if count < _LAST else NEVER


def _has_learned(state: Any, record: Record, native: Any, place: learned.Place, owner: Any) -> bool:
    """Whether what an attribute holds is of a type that was not known there, or a dict has other keys: then the fragment goes, for one that has a way
    for each, or takes the dict as it is."""
    pc = entry_of(state, record, native)
    entry = record.plan.entries[pc]
    if entry.again >= _MOST or CONFIG.stance != "compile" or not learned.learn(place, owner):
        return False
    for other in filter(None, native.data().places):
        if place.name and other.name:
            learned.learn(other, owner)
    _make_again(state, pc, entry, native)
    return True


def _may_be_filled(state: Any, record: Record, native: Any) -> bool:
    """Whether a container that was empty is looked at again, for which the fragment goes."""
    pc = entry_of(state, record, native)
    entry = record.plan.entries[pc]
    if entry.again >= MOST_EMPTY or CONFIG.stance != "compile":
        return False
    _make_again(state, pc, entry, native)
    return True


def _make_again(state: Any, pc: int, entry: Entry, native: Any) -> None:
    take_out(state, pc, native, "recompiled")
    entry.again += 1
    entry.compiled -= 1


def _leaves_early(fragment: FragmentRecord, index: int) -> bool:
    """Whether most runs leave there, before the end: what was captured is not what the program does now."""
    native = fragment.native
    early = native is not None and 2 * native.exits[index] > native.hits
    return early and fragment.exits[index].kind != "return" and not CONFIG.compile_all
