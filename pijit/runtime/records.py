"""What is known about each code object: fragments, breaks, counts. The driver fills it, `stats` and reports read it.

A Record is the `data` of a native CodeState (`_native.attach(code, record, mode)`), so that one lookup leads from code
to everything. Counts that change per call live in C (`Fragment.hits`, `Fragment.exits`) and are only read here.

1. `Record.breaks` holds one row per (reason, file, line, detail); the same break met again is the same row.
2. An exit that stands for a break points to its row: its crossings count there, not among the exits.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from pijit.ground import reasons
from pijit.ground.records import dataclass, field
from pijit.ground.weak import Objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType

    from pijit.ground.config import Options


@dataclass(eq=False, slots=True)
class Break:
    """A place where capture stopped: an instruction that runs in the interpreter."""

    reason: str  # id, such as "PJ101"
    file: str
    line: int
    detail: str = ""  # what exactly: the opcode, the callable, the type
    hint: str = ""  # what to do about it
    count: int = 0  # times that it ended a capture


@dataclass(eq=False, slots=True)
class Exit:
    """One row of a fragment's exit table, in the same order as the native rows."""

    kind: str  # "return" | "redo" | "continue" | "raise" | "poll"
    reason: str = ""  # id
    line: int = 0
    at: Break | None = None  # the break that this exit stands for


@dataclass(eq=False, slots=True)
class Failure:
    """A guard that did not hold: what was expected of which name, and what came. ``count``: times that it led to a decision."""

    reason: str  # id
    source: str
    expected: str
    got: str
    line: int
    count: int = 0


@dataclass(eq=False, slots=True, weakref_slot=True)
class FragmentRecord:
    """A fragment as people see it. `native` is the `_native.Fragment`, or None once it is retired; its way back, `data`, is weak, since the
    garbage collector does not see it."""

    line: int
    kind: str  # "function" | "loop" | "after"
    guards: Sequence[str]
    exits: Sequence[Exit]
    ways: Sequence[tuple[float, float, float]] = ()  # to each exit: worth.Way
    doubtful: bool = False  # it may well be slower than the interpreter
    # Of each exit: the instruction of the root frame where the interpreter goes on, and whether it is the first that native code has not
    # begun; -1 for returns.
    resumes: Sequence[tuple[int, bool]] = ()
    places: Sequence[Any] = ()  # of each exit: where it reads an attribute again (learned.place), or None
    native: Any = None
    compile_seconds: float = 0.0
    lines: frozenset[tuple[str, int]] = frozenset()  # (file, line) of everything that it covers
    texts: dict[str, str] = field(default_factory=dict)  # "graph", "code", ... for explain
    sources: Sequence[str] = ()  # of each guard: the name of what it looks at
    rows: Sequence[tuple[Any, ...]] = ()  # of each guard: as C has it
    kernels: tuple[Any, ...] = ()
    because: str = ""  # the guard failure that it was compiled for, "" for the first one
    retired: str = ""  # id of the reason, "" while it is in use
    final: tuple[int, tuple[int, ...]] | None = None  # hits and exits, kept when native is let go

    def retire(self, reason: str) -> None:
        """Out of use from here on; what it counted stays."""
        self.retired = reasons.lookup(reason).id
        self.final = self.counts()
        self.native, self.rows = None, ()

    def counts(self) -> tuple[int, tuple[int, ...]]:
        """Native runs, and how often each exit was taken."""
        if self.native is not None:
            return int(self.native.hits), tuple(self.native.exits)
        return self.final or (0, (0,) * len(self.exits))


class Record:
    """Everything about one code object.

    The code object owns its record (through co_extra), which the garbage collector cannot see, so the way back is weak.
    """

    def __init__(self, code: CodeType, options: Options) -> None:
        self.code_ref = weakref.ref(code)
        self.options = options
        self.fragments: list[FragmentRecord] = []
        self.breaks: list[Break] = []
        self.failures: list[Failure] = []
        self.compiles = 0
        self.misses = 0  # guard failures: an entry had fragments and none of them fitted
        self.compile_seconds = 0.0
        self.gave_up = ""  # id of the reason why nothing more is compiled here, "" while something may be
        self.last_reason = ""  # the guard failure at which it gave up
        self.plan: Any = None  # the driver's own
        self.space: tuple[int, str] | None = None  # id and name of the namespace that it was compiled for, None when jitted
        self.paused = False  # while that namespace is not enabled
        self.callers: Objects[Any] = Objects()  # the jitted functions that run this code
        RECORDS.add(self)
        if keep is not None:
            keep.append(code)

    @property
    def code(self) -> CodeType:
        """The code object, which outlives every use of its record."""
        code = self.code_ref()
        if code is None:
            raise ReferenceError("the code object of this record is gone")
        return code

    def add_break(self, reason: str, line: int, detail: str = "", file: str = "", hint: str = "") -> Break:
        """The row for this break, counted once more. The reason is an id or a key; its hint is used unless there is a better one."""
        row_of = reasons.lookup(reason)
        id, file, hint = row_of.id, file or self.code.co_filename, hint or row_of.hint
        for row in self.breaks:
            if (row.reason, row.line, row.file, row.detail) == (id, line, file, detail):
                break
        else:
            row = Break(id, file, line, detail, hint)
            self.breaks.append(row)
        row.count += 1
        return row

    def add_failure(self, reason: str, source: str, expected: str, got: str, line: int) -> None:
        """A guard failure, counted. Values that differ each time are one row: the last one is shown."""
        for row in self.failures:
            if (row.reason, row.source, row.line) == (reason, source, line):
                row.expected, row.got = expected, got
                break
        else:
            row = Failure(reason, source, expected, got, line)
            self.failures.append(row)
        row.count += 1

    def add_fragment(self, fragment: FragmentRecord) -> FragmentRecord:
        """A fragment that was compiled and installed."""
        self.fragments.append(fragment)
        COMPILED.add(self)
        self.compiles += 1
        self.compile_seconds += fragment.compile_seconds
        return fragment


# Every record that is alive. A record dies with its code object, unless a report will want it: then `keep` is a list.
RECORDS: Objects[Record] = Objects()
COMPILED: Objects[Record] = Objects()  # those that have ever had fragments: few of those that a large program calls
keep: list[CodeType] | None = None


@dataclass(frozen=True, slots=True)
class BreakStats:
    """One break: where, why, what to do, and how often it was met (at capture or at run time)."""

    id: str
    reason: str
    file: str
    line: int
    hint: str
    count: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FailureStats:
    """One guard that failed: which name or attribute, what was expected, what came last, and how often it led to a decision."""

    id: str
    reason: str
    source: str
    expected: str
    got: str
    line: int
    count: int


@dataclass(frozen=True, slots=True)
class FragmentStats:
    """One fragment: where it starts, what it assumes, how often it ran and was left early."""

    line: int
    kind: str
    guards: tuple[str, ...]
    hits: int
    exits: int
    retired: str = ""


@dataclass(frozen=True, slots=True)
class Stats:
    """A snapshot of the counters of one function."""

    compiles: int = 0
    hits: int = 0
    misses: int = 0
    exits: int = 0
    breaks: tuple[BreakStats, ...] = ()
    fragments: tuple[FragmentStats, ...] = ()
    compile_seconds: float = 0.0
    failures: tuple[FailureStats, ...] = ()
    gave_up: str = ""


# Kinds of exit that leave native code early. A return is the normal end and a poll comes straight back.
EARLY = frozenset({"redo", "continue", "raise"})


def early_exits(fragment: FragmentRecord) -> int:
    """How often native code was left at an instruction that is not a break."""
    _, taken = fragment.counts()
    return sum(n for row, n in zip(fragment.exits, taken, strict=True) if row.kind in EARLY and row.at is None)


def crossings(fragments: Iterable[FragmentRecord]) -> dict[Break, int]:
    """How often native code was left at each break."""
    totals: dict[Break, int] = {}
    for fragment in fragments:
        for row, n in zip(fragment.exits, fragment.counts()[1], strict=True):
            if row.at is not None:
                totals[row.at] = totals.get(row.at, 0) + n
    return totals


def snapshot(record: Record | None) -> Stats:
    """The counters of one code object, as they are now."""
    if record is None:
        return Stats()
    crossed = crossings(record.fragments)
    fragments = tuple(
        FragmentStats(f.line, f.kind, tuple(f.guards), f.counts()[0], early_exits(f), f.retired)
        for f in record.fragments
    )
    breaks = tuple(
        BreakStats(
            row.reason,
            reasons.lookup(row.reason).title,
            row.file,
            row.line,
            row.hint,
            max(row.count, crossed.get(row, 0)),
            row.detail,
        )
        for row in record.breaks
    )
    return Stats(
        compiles=record.compiles,
        hits=sum(f.hits for f in fragments),
        misses=record.misses,
        exits=sum(f.exits for f in fragments),
        breaks=breaks,
        fragments=fragments,
        compile_seconds=record.compile_seconds,
        failures=tuple(
            FailureStats(f.reason, reasons.lookup(f.reason).title, f.source, f.expected, f.got, f.line, f.count)
            for f in record.failures
        ),
        gave_up=record.gave_up,
    )
