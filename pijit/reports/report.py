"""The report at the end of a run: what was compiled and what was not, by source line."""

from __future__ import annotations

import linecache
from itertools import starmap
from typing import TYPE_CHECKING

from pijit import _native
from pijit.ground import log, reasons
from pijit.ground.intact import intact
from pijit.pycode.outline import SUSPENDABLE
from pijit.runtime import messages, records, resting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

    from pijit.runtime.records import BreakStats, Record

WIDTH = 78  # of a source line in the report
SHORT = 0.005  # seconds in the interpreter that nobody asks about


def code_lines(code: CodeType) -> list[int]:
    """The lines of this code object that hold instructions, without the line of the definition itself."""
    found = {line for _, _, line in code.co_lines() if line}
    if code.co_name != "<module>" and len(found) > 1:
        found.discard(code.co_firstlineno)
    return sorted(found)


def native_lines(record: Record) -> set[int]:
    """The lines that fragments cover."""
    file = record.code.co_filename
    return {line for fragment in record.fragments for where, line in fragment.lines if where == file}


def source_line(file: str, line: int) -> str:
    """One line of source, cut to a width; a dash when the source is gone."""
    text = linecache.getline(file, line).rstrip() or "-"
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."


def break_text(row: BreakStats) -> str:
    """One break in one line."""
    detail = f" ({row.detail})" if row.detail else ""
    times = f", {row.count} times" if row.count > 1 else ""
    return f"{row.id} {row.reason}{detail}{times}. {row.hint}"


def heading(record: Record) -> str:
    """Which function, and its counts."""
    code, stats = record.code, records.snapshot(record)
    name = "module level" if code.co_name == "<module>" else f"{code.co_qualname}()"
    counts = (
        f"{stats.compiles} fragments compiled in {stats.compile_seconds * 1e3:.0f} ms, {stats.hits} native runs, "
        f"{stats.misses} guard failures, {stats.exits} exits"
    )
    if not stats.compiles:
        turned_off = next((entry.off for entry in record.plan.entries.values() if entry.off), "") if record.plan else ""
        why = record.gave_up or (reasons.lookup("suspendable").id if code.co_flags & SUSPENDABLE else turned_off or later(record))
        hot = "not hot" if intact() else "built-ins or modules that compiling needs are replaced"
        counts = f"not compiled: {reasons.lookup(why).title if why else hot}"
    return f"{log.shown_path(code.co_filename)}:{code.co_firstlineno} {name}: {counts}"


def later(record: Record) -> str:
    """The id of the reason why a hot function waits, or ""."""
    entries = record.plan.entries.values() if record.plan is not None else ()
    waits = resting.waits(record) or any(entry.patience.began and not entry.off for entry in entries)
    return reasons.lookup("not_yet").id if waits else ""


def waited(record: Record) -> dict[int, float]:
    """By the line of each hot entry that waits to be compiled, the seconds that the interpreter took from there on; less than SHORT is left out."""
    state = _native.state_of(record.code)
    if state is None or record.plan is None:
        return {}
    taken = {messages.line_of(record.code, pc): entry.patience.taken(state.took(pc)) for pc, entry in record.plan.entries.items() if not entry.off}
    return {line: seconds for line, seconds in taken.items() if seconds >= SHORT}


def waiting_text(record: Record, taken: dict[int, float]) -> str:
    """A function that waits, in one line: where it is hot, and what the interpreter took there."""
    places = [f"{seconds:.2f} s from line {line} on" for line, seconds in sorted(taken.items(), key=lambda row: -row[1])]
    code = record.code
    return f"  {log.shown_path(code.co_filename)}:{code.co_firstlineno} {code.co_qualname}(): {', '.join(places) or 'often called'}"


def body(record: Record) -> Iterator[str]:
    """The source, each line marked with who ran it, and below each break the reason."""
    file = record.code.co_filename
    native = native_lines(record)
    breaks = [row for row in records.snapshot(record).breaks if row.file == file]
    broken = {row.line for row in breaks}
    for line in code_lines(record.code):
        mark = "break " if line in broken else "native" if line in native else "python"
        yield f"  {mark} {line:5} | {source_line(file, line)}"
        for row in breaks:
            if row.line == line:
                yield f"               ^ {break_text(row)}"


def worth_showing(record: Record) -> bool:
    """Code that was compiled, or that something is to be said about."""
    return bool(record.fragments or record.breaks or record.gave_up)


def text(chosen: Iterable[Record] | None = None) -> str:
    """The whole report."""
    rows = [row for row in records.RECORDS if row.code_ref()] if chosen is None else list(chosen)
    shown = sorted(filter(worth_showing, rows), key=lambda r: (r.code.co_filename, r.code.co_firstlineno))
    waiting = [(row, taken) for row in rows if row not in shown and ((taken := waited(row)) or resting.waits(row))]
    waiting.sort(key=lambda pair: -max(pair[1].values(), default=0.0))
    quiet = len(rows) - len(shown) - len(waiting)
    parts = ["\n".join([heading(record), *body(record)]) for record in shown]
    if not parts:
        parts = ["nothing was compiled"]
    if waiting:
        lines = [f"hot, but the program ended before compiling them was paid for ({reasons.lookup('not_yet').id}):", *starmap(waiting_text, waiting)]
        parts.append("\n".join(lines))
    if quiet:
        parts.append(f"{quiet} more functions ran too rarely or too briefly to be compiled")
    return "pijit report\n\n" + "\n\n".join(parts)
