"""What is said of an entry: why its fragments do not fit, and what was compiled."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from pijit import _native
from pijit.ground import clock, log, reasons
from pijit.ir.text import text as graph_text
from pijit.pycode.instructions import decode
from pijit.runtime import lifetimes
from pijit.runtime.failures import Difference, difference, distance
from pijit.runtime.records import FragmentRecord, Record

if TYPE_CHECKING:
    from pijit.runtime.entries import Entry


def line_of(code: CodeType, pc: int) -> int:
    return decode(code).at(pc).line or code.co_firstlineno


def cause_of(record: Record, entry: Entry, line: int, failures: list[tuple[Any, int, Any]]) -> Difference | None:
    """Why the fragments of an entry do not fit: what failed in the one that came closest. On record, whoever listens."""
    if not failures:
        return None
    last = max(row for _, row, _ in failures)
    fragment, row, got = min((failure for failure in reversed(failures) if failure[1] == last), key=_far)
    data: FragmentRecord = fragment.data()
    found = difference(lifetimes.strong(data.rows[row]), data.sources[row], got, _native.UNSET)
    entry.misses += 1
    entry.since = entry.since or clock.strftime("%H:%M:%S")
    if data.rows[row][0] == "is" and lifetimes.is_like(lifetimes.strong(data.rows[row])[2], got):
        record.plan.varying.add(data.sources[row])
    record.add_failure(found.id, found.what, found.expected, found.got, line)
    return found


def _far(failure: tuple[Any, int, Any]) -> int:
    fragment, row, got = failure
    return distance(lifetimes.strong(fragment.data().rows[row]), got)


def tell(record: Record, entry: Entry, line: int, cause: Difference | None, outcome: str) -> None:
    """The line about a guard failure. From the second one on: how often, since when, what it cost, and what to do."""
    if cause is None or not log.enabled("guards"):
        return
    text = f"{cause.text()} -> {outcome}"
    if entry.misses > 1:
        text += f"; failure {entry.misses} here since {entry.since}, {entry.patience.spent * 1e3:.0f} ms of compiling. {cause.id}: {cause.hint}"
    fields = {"id": cause.id, "source": cause.what, "expected": cause.expected, "got": cause.got, "failures": entry.misses}
    log.event("guards", record.code, line, text, **fields)


def tell_postponed(record: Record, line: int, price: float, left: float) -> None:
    """The line about what has been captured and is compiled later. In seconds: what that is reckoned to take, and what the interpreter has to take
    from there on until then."""
    _tell_later(record, line, f"it is reckoned to take {price:.2f} s; the interpreter has to take {max(left, 0.0):.2f} s more here before it is")


def tell_unpaid(record: Record, line: int, spent: float, missing: float) -> None:
    """The line about what has to wait until more may be compiled. In seconds: what that took so far, and for how long the program has to go on."""
    _tell_later(record, line, f"{spent:.1f} s of compiling so far, {missing:.1f} s to go")


def _tell_later(record: Record, line: int, why: str) -> None:
    row = reasons.lookup("not_yet")
    log.event("perf", record.code, line, f"{row.id} {row.title}: {why}", id=row.id)


def log_compiled(code: CodeType, line: int, compiled: Any, count: str, cause: Difference | None) -> None:
    ms = round(compiled.seconds * 1e3, 1)
    if cause is not None:
        log.event("recompiles", code, line, f"compiled {count} because {cause.text()}", id="PJ401", ms=ms)
    log.event("perf", code, line, f"compiled {count}, {len(compiled.graph.blocks)} blocks, {len(compiled.exits)} exits", ms=ms)
    if log.enabled("graph"):
        log.event("graph", code, line, f"as captured\n{compiled.captured}")
        log.event("graph", code, line, f"as compiled\n{graph_text(compiled.graph)}")
    if log.enabled("code"):
        log.event("code", code, line, f"as handed to the code generator\n{compiled.native.code}")
