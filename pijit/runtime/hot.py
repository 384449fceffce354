"""Hot exits: what is done about an exit that is taken again and again.

- An exit in the middle of a loop becomes an entry of its own at the next instruction, so that only that one runs in the interpreter.
- A fragment that leaves more often than it gets anything done is retired.
"""

from __future__ import annotations

from typing import Any

from pijit.ground import log, reasons
from pijit.runtime.entries import add_entries_after, install, retire
from pijit.runtime.records import Record

NEVER = -1
_TRIAL = 256  # runs of a fragment that does next to nothing before it is retired
_GROWTH = 8  # an exit is looked at again when it has been taken this many times as often


def exit_is_hot(state: Any, record: Record, native: Any, index: int, count: int) -> int:
    """Deals with one hot exit; gives the count at which to look again."""
    fragment = native.data
    exit = fragment.exits[index]
    if exit.kind == "poll" or (exit.kind == "return" and (fragment.pays or fragment.kind != "function")):
        return NEVER
    if exit.kind == "return":
        if count < _TRIAL:
            return _TRIAL
        retire(state, record, native, "not_worth_it")
        return NEVER
    if exit.at is not None:
        return NEVER  # a break has its entry from the start
    resumed = exit.kind == "redo" and add_entries_after(record, fragment.root_pcs[index])
    if resumed:
        install(state, record.plan)
    reason = reasons.lookup(exit.reason)
    what = "an entry was made after it" if resumed else "nothing better is known"
    log.event("exits", record.code, exit.line, f"{reason.id} {reason.title}: taken {count} times; {what}")
    return count * _GROWTH
