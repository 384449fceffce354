"""What no longer runs natively: fragments that are retired, entries that get no more of them, functions that are left alone."""

from __future__ import annotations

from typing import Any

from pijit.ground import log, reasons
from pijit.runtime import messages
from pijit.runtime.budget import BUDGET
from pijit.runtime.copies import as_plain
from pijit.runtime.records import FragmentRecord, Record


def install(state: Any, plan: Any) -> None:
    state.set_entries([row for entry in plan.entries.values() if not (entry.off or entry.rests) for row in entry.rows])


def turn_off(state: Any, record: Record, pc: int, reason: str) -> None:
    row = reasons.lookup(reason)
    log.event("perf", record.code, messages.line_of(record.code, pc), f"{row.id} {row.title}: not compiled from here", id=row.id)
    close(state, record, pc, reason)


def close(state: Any, record: Record, pc: int, reason: str) -> None:
    """Nothing more is compiled for an entry."""
    entry = record.plan.entries[pc]
    entry.off = reasons.lookup(reason).id
    if entry.kind != "start":
        install(state, record.plan)
    if all(entry.off and not state.fragments(pc) for pc, entry in record.plan.entries.items()):
        leave_alone(state)


def leave_alone(state: Any) -> None:
    """Nothing of a function runs natively, or will: its calls are the interpreter's own."""
    from pijit.runtime import tiers

    state.mode = "off"
    as_plain(state.data.code, state.data.callers)
    tiers.rest()


def retire(state: Any, record: Record, native: Any, reason: str) -> None:
    """Takes a fragment out of use. The other entries stay: what goes on in a loop may not pay where the loop around it does."""
    pc = entry_of(state, record, native)
    take_out(state, pc, native, reason)
    if not record.options.eager:
        BUDGET.retired(native.data())
    turn_off(state, record, pc, reason)


def entry_of(state: Any, record: Record, native: Any) -> int:
    """The pc of the entry that a fragment is for."""
    pc: int = next(pc for pc in record.plan.entries if native in state.fragments(pc))
    return pc


def take_out(state: Any, pc: int, native: Any, reason: str) -> None:
    """Takes a fragment out of use; its entry may get another one."""
    fragment: FragmentRecord = native.data()
    state.remove_fragment(pc, native)
    fragment.retire(reason)
