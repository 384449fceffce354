"""Entries of a code object: where native code may take over, when it is compiled, and when pijit gives up.

A `Plan` is the driver's part of a Record. Entries are keyed by the pc that fragments start at:

- the start of the function,
- the header of every loop, reached through its backward jumps (counted by C until the entry is hot),
- the instruction after a break.
"""

from __future__ import annotations

import operator
import traceback
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import repeat
from threading import Lock
from types import CodeType
from typing import Any

import numpy as np

from pijit import _native
from pijit.ground import clock, forks, imports, log, reasons
from pijit.ground.config import CONFIG, Options
from pijit.ground.errors import CaptureError, capture_error
from pijit.ground.intact import intact
from pijit.ground.records import dataclass, field
from pijit.ir.repeatable import calls_itself, is_repeatable
from pijit.ir.text import text as graph_text
from pijit.pycode.backward import back_jumps
from pijit.pycode.instructions import decode
from pijit.pycode.outline import SUSPENDABLE, Outline, outline
from pijit.runtime import apart, dozing, driver, lifetimes, messages, prices, resting, worth
from pijit.runtime.budget import BUDGET
from pijit.runtime.closing import close, install, leave_alone, retire, turn_off
from pijit.runtime.counting import counted
from pijit.runtime.failures import Difference
from pijit.runtime.interruptions import giving_what_handlers_raise, of_program
from pijit.runtime.patience import PACE, Patience, loading, warnings_remembered
from pijit.runtime.records import Break, Exit, FragmentRecord, Record
from pijit.runtime.recursion import Watch, is_under_way
from pijit.trace import learned
from pijit.trace.limits import TooLong
from pijit.trace.own_calls import NOTHING, may_call_itself
from pijit.trace.tracer import Capture

NEVER = -1
_OF_TUPLE = type(iter(()))
_AGAIN = 0
_EAGER_LOOPS = 8  # iterations in the interpreter before a loop of a jitted function is picked up after a break
_ASKED = 3.0  # seconds of compiling that jit has asked for: code of many types, or of many ways to be handled, could take any number of them
_LATER = 100  # misses until it is looked again whether compiling is possible
MOST_EMPTY = 2  # times that a container is looked at again which was empty,
_FILLED = 256  # after so many misses at least
_AFTER = 1  # crossings of the place after a break before it is compiled


@dataclass(slots=True)
class Entry:
    """``rows``: what C patches for it. ``compiled``: fragments made so far, retired ones included. ``misses``, ``since``: how often no
    fragment fitted, and the time of the first of those. ``hits``: native runs when it was full. ``again``: how often
    a fragment was taken out of use because more was known. ``rests``: frames do not come by for now."""

    kind: str
    rows: list[tuple[int, str, int, int, int]]
    compiled: int = 0
    off: str = ""
    misses: int = 0
    since: str = ""
    hits: int = -1
    again: int = 0
    rests: bool = False
    patience: Patience = field(default_factory=Patience)


@dataclass(slots=True)
class Plan:
    """The entries of one code object and what was observed at run time. ``force_exit``: see driver (tests). ``busy``: held by the thread that
    compiles for it, or looks at what became of that; others go on in the interpreter."""

    entries: dict[int, Entry] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)  # names of sources that held one object and then another like it
    force_exit: int | None = None
    busy: Lock = field(default_factory=Lock)
    watch: Watch = field(default_factory=Watch)  # of what it returns, for its calls of itself
    known: float = 0.0  # since when it is watched how much of the time it takes,
    stretch: dozing.Stretch | None = None  # and this is the newest time in which it was
    tick: dozing.Tick | None = None

    @property
    def start(self) -> int:
        """The pc where a call of the function begins: it has the first entry."""
        return next(iter(self.entries))


def enable_code(code: CodeType, options: Options) -> Record:
    """Attaches a record and the first entries to a code object; the second time gives the record that is there."""
    state = _native.state_of(code)
    if state is not None and state.data is not None:
        record: Record = state.data
        return record
    record = Record(code, options)
    seen = outline(code)
    if code.co_flags & SUSPENDABLE or seen.is_malformed:
        _native.attach(code, record, "off")
        return record
    state = _native.attach(code, record, "on")
    record.plan = Plan(first_entries(code, seen, options), watch=Watch(may_call_itself(code)))
    install(state, record.plan)
    return record


def first_entries(code: CodeType, seen: Outline, options: Options) -> dict[int, Entry]:
    """The start and the loop headers."""
    calls = 0 if options.eager else CONFIG.threshold_calls
    loops = _EAGER_LOOPS if options.eager else CONFIG.threshold_loops
    entries = {seen.start: Entry("start", [(seen.start, "start", seen.start, 0, calls)])}
    if not seen.may_loop:  # most functions that a program calls, and most of them only while it imports
        return entries
    for jump in back_jumps(code):
        row = (jump.at, "jump", jump.header, jump.depth, loops)
        if jump.header in entries and entries[jump.header].kind == "jump":
            entries[jump.header].rows.append(row)
        elif jump.header not in entries:
            entries[jump.header] = Entry("jump", [row])
    return entries


# ---- callbacks of the native part ------------------------------------------------------------------------------------


@giving_what_handlers_raise
def on_entry(state: Any, pc: int, raw: tuple[Any, ...], failures: list[tuple[Any, int, Any]]) -> Any:
    """An entry is hot and nothing fits the frame that stands there. Gives how many misses to wait before the next call: 0 try the
    fragments at once, -1 never. For ``fullgraph`` it gives the exception to raise."""
    entry = state.data.plan.entries.get(pc)
    if entry is None or entry.off:
        return NEVER
    record: Record = state.data
    unrolled = entry.kind == "jump" and _is_unrolled_around(raw)
    watch = record.plan.watch
    if entry.kind == "start" and not entry.compiled:
        passed_over = watch.passes_over(raw[4])
        if passed_over:
            return passed_over
    entry.patience.has_arrays = any(map(operator.is_, map(type, raw[4]), repeat(np.ndarray)))
    at_once = unrolled or (entry.kind == "start" and watch.looks) or _is_too_little(state, record, entry, pc, watch.of_itself)
    wait = 0 if at_once else _misses_to_wait(state, record, entry, pc)
    if wait:
        record.misses += bool(failures)
        return wait
    begun = _begin(record)
    if not begun:
        return _LATER
    try:
        if unrolled:
            close(state, record, pc, "nothing_to_compile")
            return NEVER
        return _for_entry(state, entry, pc, raw, failures)
    finally:
        _end(record, begun)


def _begin(record: Record) -> apart.Aside | bool:
    """Whether this thread may compile for this code now; if so `_end` has to follow with what this gives."""
    if not intact() or _waits(record) or not forks.begin():
        return False
    if imports.begin():
        if record.plan.busy.acquire(blocking=False):
            begun = apart.begin(imports.loaded())
            if begun:
                return begun
            record.plan.busy.release()
        imports.end()
    forks.end()
    return False


def _end(record: Record, begun: apart.Aside | bool) -> None:
    apart.end(begun)
    record.plan.busy.release()
    imports.end()
    forks.end()


def _waits(record: Record) -> bool:
    """Whether nothing is done now for code that nobody asked to be compiled at once."""
    return not record.options.eager and counted(record.code)


def _for_entry(state: Any, entry: Entry, pc: int, raw: tuple[Any, ...], failures: list[tuple[Any, int, Any]]) -> Any:
    """What `on_entry` gives, in the one thread that is here for this code."""
    record: Record = state.data
    if _has_come_meanwhile(state, pc, failures):
        return _AGAIN
    record.misses += bool(failures)
    try:
        with warnings_remembered(), _paid_for(record, entry, state.took(pc), state.misses(pc)):
            return _compile(state, record, entry, pc, raw, failures)
    except CaptureError as error:
        return error
    except BaseException as error:
        failure = error
    raised = _of_program_or_logged(failure)
    if raised is None:
        turn_off(state, record, pc, "internal")
        return NEVER
    return raised


@contextmanager
def _paid_for(record: Record, entry: Entry, took: float, misses: int) -> Iterator[None]:
    """What this takes is on the entry's account, and where nobody asked for the function and it may not pay on that of all."""
    before, start, patience, loads = entry.compiled, clock.thread_time(), entry.patience, loading()
    patience.postponed, want = False, patience.wants(took, misses)
    try:
        yield
    finally:
        seconds = clock.thread_time() - start
        made = entry.compiled > before
        if not record.options.eager:
            BUDGET.account(patience.wants(took, misses) if made else want).spend(seconds, in_vain=not made and not patience.price)
        if not patience.postponed:
            patience.compiled(0.0 if loads else seconds, in_vain=not made)  # others will not load the compiler


def _of_program_or_logged(error: BaseException) -> BaseException | None:
    """What a signal's handler raised. Anything else is our own and goes to the log; where the settings say so it is raised."""
    raised = of_program(error)
    if raised is None:
        if CONFIG.raise_internal:
            raise error
        log.internal("".join(traceback.format_exception(error)))
    return raised


def _has_come_meanwhile(state: Any, pc: int, failures: list[tuple[Any, int, Any]]) -> bool:
    """Whether there are other fragments than were tried, or one fits now: another thread was compiling, and is done."""
    return [fragment for fragment, _, _ in failures] != state.fragments(pc) or any(row < 0 for _, row, _ in failures)


def _compile(
    state: Any, record: Record, entry: Entry, pc: int, raw: tuple[Any, ...], failures: list[tuple[Any, int, Any]]
) -> int:
    watch = record.plan.watch
    watch.of_itself = watch.of_itself or (entry.kind == "start" and is_under_way(record.code))
    if _is_too_little(state, record, entry, pc, watch.of_itself):
        turn_off(state, record, pc, "nothing_to_compile")
        return NEVER
    code, options = record.code, record.options
    line = messages.line_of(code, pc)
    cause = messages.cause_of(record, entry, line, failures)
    if entry.compiled >= CONFIG.max_fragments:
        return _full(state, record, entry, pc, cause)
    unfit = [fragment for fragment in state.fragments(pc) if not fragment.hits]
    if unfit and not CONFIG.compile_all:
        return _never_fitted(state, record, entry, pc, unfit, cause)
    if cause is not None and CONFIG.stance == "fail_on_recompile":
        raise capture_error("recompiled", code, line, cause.text())
    view = driver.make_view(raw)
    told = watch.told if entry.kind == "start" and watch.of_itself else NOTHING
    try:
        capture = driver.capture_entry(code, pc, view, options, record.plan.varying, entry.patience.steps(_is_asked_for(record)), told)
    except TooLong:
        entry.patience.look_longer()
        return max(1, _misses_to_wait(state, record, entry, pc))
    try:
        watch.of_itself = watch.of_itself or capture.calls_itself
        if entry.kind == "start" and watch.of_itself:
            in_vain = bool(_why_not(capture, entry.kind, options.eager))
            if watch.learn(capture, view.locals, in_vain) and not entry.compiled:
                return 1
        return _use(state, record, entry, pc, capture, cause)
    finally:
        if options.backend == "numba":  # others run the graph
            capture.graph.dismiss()


def _use(state: Any, record: Record, entry: Entry, pc: int, capture: Capture, cause: Difference | None) -> int:
    """What becomes of a capture: a fragment, where that can pay."""
    code, options = record.code, record.options
    line = messages.line_of(code, pc)
    breaks = {id(b.exit): _record_break(record, b) for b in capture.breaks}
    if capture.breaks and (options.fullgraph or CONFIG.stance == "fail_on_break"):
        first = capture.breaks[0]
        raise capture_error(first.reason, first.code, first.line, first.detail)
    needed = bool(entry.compiled) and record.plan.watch.of_itself  # native code makes such calls
    unwanted = _why_not(capture, entry.kind, options.eager or needed)
    if not unwanted and _is_too_little(state, record, entry, pc, calls_itself(capture.graph)):
        unwanted = "nothing_to_compile"
    if unwanted:
        messages.tell(record, entry, line, cause, f"interpreter: {_SAID[unwanted]}")
        _add_resume_points(state, record, capture)
        if entry.compiled == 0 and entry.again < MOST_EMPTY and any(b.reason == "was_empty" for b in capture.breaks):
            entry.again += 1
            return max(_FILLED, int(state.misses(pc)))
        if entry.compiled == 0 or entry.kind == "after":
            turn_off(state, record, pc, unwanted)
        return NEVER if entry.compiled == 0 else _review(state, record, entry, pc, unwanted)
    wait = 0 if needed else _postponed(state, record, entry, pc, capture)
    if wait:
        return wait
    if entry.kind == "jump" and worth.takes_turns(capture.graph):
        capture.graph.counts = pc
    measured = prices.remembered(code, pc) if options.backend == "numba" else nullcontext()
    with measured, PACE.measured(entry.patience.price):
        compiled = driver.compile_capture(capture, code, options, record.plan.force_exit)
    imports.compiled()
    fragment = _fragment_record(compiled, entry, line, breaks)
    native = compiled.native
    pins = lifetimes.pinned(compiled.rows, native.sites)
    rows, exits, sites = (lifetimes.weaken(part, pins) for part in (compiled.rows, native.exits, native.sites))
    fragment.rows = [lifetimes.recorded(row) for row in rows]
    _native.set_callbacks(exit_threshold=CONFIG.exit_threshold, long_loop=CONFIG.long_loop)  # the settings may have changed
    fragment.native = _native.Fragment(
        native.address, native.nwords, native.roots_start, native.nroots, rows, compiled.texts, exits, sites, native.keep,
        weakref.ref(fragment), is_repeatable(compiled.graph), originals=True, counts=compiled.graph.counts is not None,
    )
    fragment.because = cause.text() if cause is not None else ""
    record.add_fragment(fragment)
    entry.compiled += 1
    record.plan.watch.looks |= calls_itself(capture.graph)  # calls of other types may be needed, too
    state.add_fragment(pc, fragment.native)
    count = f"fragment {entry.compiled} of {CONFIG.max_fragments} ({fragment.compile_seconds * 1e3:.0f} ms)"
    messages.tell(record, entry, line, cause, f"compiled {count}")
    messages.log_compiled(code, line, compiled, count, cause)
    _add_resume_points(state, record, capture)
    return _AGAIN


def _misses_to_wait(state: Any, record: Record, entry: Entry, pc: int) -> int:
    took, misses, goes_on = state.took(pc), state.misses(pc), bool(entry.compiled) or entry.kind == "after"
    patience = entry.patience
    wait = patience.misses_to_wait(took, _is_asked_for(record), goes_on, misses)
    if wait and not patience.told and patience.began and patience.left(took) <= 0:
        missing = BUDGET.missing(patience.wants(took, misses))
        patience.told = missing > 0
        if patience.told:
            messages.tell_unpaid(record, messages.line_of(record.code, pc), BUDGET.spent(), missing)
    return wait


def _is_asked_for(record: Record) -> bool:
    """Whether it is compiled as soon as it is met."""
    return record.options.eager and record.compile_seconds < _ASKED


def _is_too_little(state: Any, record: Record, entry: Entry, pc: int, own_calls: bool) -> bool:
    """Whether there is so little from there on, up to the end or another entry, that entering native code for it takes longer. ``own_calls``: native
    code, once it is entered, makes the function's calls of itself, or may."""
    # No generator: CPython 3.12 and 3.13 let go of its code once too often where there is no memory for its function.
    alone = entry.kind == "after" or "jump" not in [other.kind for other in record.plan.entries.values()]
    if not alone or entry.kind == "jump" or entry.compiled or record.options.eager or (entry.kind == "start" and own_calls):
        return False
    return worth.is_too_little(state.took(pc), state.misses(pc))


def _is_unrolled_around(raw: tuple[Any, ...]) -> bool:
    """Whether the loop that a frame stands at the head of goes through a short tuple. It is not known at which item, and compiled with what is
    around it the loop is unrolled: its body alone, item by item, would be in the way of that."""
    *_, stack, _ = raw
    return bool(stack) and type(stack[-1]) is _OF_TUPLE and operator.length_hint(stack[-1]) < CONFIG.max_unroll


def _postponed(state: Any, record: Record, entry: Entry, pc: int, capture: Capture) -> int:
    """How many misses to wait with what has been captured, now that it is known what it will take and whether it is sure to pay."""
    patience = entry.patience
    patience.price = prices.known(record.code, pc) or PACE.seconds(worth.price(capture.graph))
    patience.doubtful = worth.is_doubtful(capture.graph)
    patience.is_whole = not capture.breaks
    wait = _misses_to_wait(state, record, entry, pc)
    if wait:
        messages.tell_postponed(record, messages.line_of(record.code, pc), patience.price, patience.left(state.took(pc)))
    patience.postponed = bool(wait)
    return wait


MOST_ENTRIES = 1000  # of one code object: each new one costs a copy of the code
_REVIEW = 4096  # misses of a full entry before it is asked whether its fragments still fit anything


def _full(state: Any, record: Record, entry: Entry, pc: int, cause: Difference | None) -> int:
    """An entry at the limit: its fragments stay, other types run in the interpreter, the last reason is on record."""
    if entry.hits < 0:
        _give_up(record, entry, pc, cause, "too_many_versions", f"all {CONFIG.max_fragments} fragments are used")
    return _review(state, record, entry, pc, "too_many_versions")


def _never_fitted(state: Any, record: Record, entry: Entry, pc: int, unfit: list[Any], cause: Difference | None) -> int:
    """Fragments that did not fit even the frames that they were made for go, since each look at them costs something, and no more are made."""
    _give_up(record, entry, pc, cause, "never_fitted", "what was compiled did not fit what it was compiled for")
    for fragment in unfit:
        retire(state, record, fragment, "never_fitted")
    return NEVER


def _give_up(record: Record, entry: Entry, pc: int, cause: Difference | None, reason: str, what: str) -> None:
    """On record: an entry gets no more fragments."""
    record.gave_up = reasons.lookup(reason).id
    record.last_reason = cause.text() if cause is not None else ""
    messages.tell(record, entry, messages.line_of(record.code, pc), cause, f"interpreter from here on: {what} ({record.gave_up})")


def _review(state: Any, record: Record, entry: Entry, pc: int, reason: str) -> int:
    """When to look again at an entry that gets no more fragments. Those that it has go where they hardly ever fit: looking for one costs something
    too."""
    fragments = state.fragments(pc)
    before, entry.hits = entry.hits, sum(fragment.hits for fragment in fragments)
    if before < 0 or entry.hits - before >= _REVIEW // 8:
        return _REVIEW
    for fragment in fragments:
        retire(state, record, fragment, reason)
    return NEVER


_SAID = {"nothing_to_compile": "nothing to compile for these types", "not_worth_it": "it is faster at what the loops do"}


def _why_not(capture: Any, kind: str, asked: bool) -> str:
    """The reason why a capture is not compiled, or "". A whole function that was asked for is compiled where that is not known to be slower: it
    shows soon whether it pays. Anything else must be able to."""
    if not capture.progress or CONFIG.compile_all:
        return "" if capture.progress else "nothing_to_compile"
    if worth.loop_gain(capture.graph) < 0:
        return "not_worth_it"
    compiled = (asked and kind == "start" and capture.returns) or worth.can_pay(capture.graph, worth.savings(capture.graph))
    return "" if compiled else "nothing_to_compile"


def _fragment_record(compiled: Any, entry: Entry, line: int, breaks: dict[int, Break]) -> FragmentRecord:
    kinds = {"start": "function", "jump": "loop", "after": "after"}
    exits = [
        Exit(e.kind, "" if e.kind == "return" else reasons.lookup(e.reason).id, e.frames[-1].line if e.frames else line, breaks.get(id(e)))
        for e in compiled.exits
    ]
    stops = {(b.code.co_filename, b.line) for b in compiled.capture.breaks}
    return FragmentRecord(
        line, kinds[entry.kind], compiled.texts, exits,
        sources=compiled.names, ways=worth.ways(compiled.graph), doubtful=worth.is_doubtful(compiled.graph),
        resumes=tuple((e.frames[0].pc if e.frames else -1, e.kind == "continue" and len(e.frames) == 1) for e in compiled.exits),
        places=tuple(map(learned.place, compiled.exits)), compile_seconds=compiled.seconds, lines=frozenset(compiled.capture.lines - stops),
        texts={"graph": graph_text(compiled.graph), "code": compiled.native.code},
        kernels=tuple(op.attrs["kernel"] for block in compiled.graph.blocks for op in block.ops if "kernel" in op.attrs),
    )  # fmt: skip


def _record_break(record: Record, b: Any) -> Break:
    row = record.add_break(b.reason, b.line, b.detail, b.code.co_filename)
    if row.count == 1:
        reason = reasons.lookup(b.reason)
        detail = f" ({b.detail})" if b.detail else ""
        log.event("breaks", b.code, b.line, f"{reason.id} {reason.title}{detail}. {reason.hint}", id=reason.id)
    return row


def _add_resume_points(state: Any, record: Record, capture: Any) -> None:
    """Entries after the breaks of a capture."""
    plan: Plan = record.plan
    changed = False
    for b in capture.breaks:
        changed |= add_entries_after(record, b.root_pc)
    if changed:
        install(state, plan)


def add_entries_after(record: Record, root_pc: int, done: bool = False) -> bool:
    """Entries where the frame goes on after the instruction at root_pc, or there itself if what is before it is done; whether there are
    new ones. None in code that has too many variables, nor where a loop is closed: the frame leaves there anyway, for its header."""
    changed = False
    bytecode, entries = decode(record.code), record.plan.entries
    if bytecode.is_wide:
        return changed
    closing = {bytecode.at(row[0]).pc for entry in entries.values() for row in entry.rows if row[1] == "jump"}
    for pc, depth in driver.resume_points(record.code, root_pc, done):
        if pc not in entries and len(entries) < MOST_ENTRIES and bytecode.at(pc).pc not in closing:
            entries[pc] = Entry("after", [(pc, "after", pc, depth, _AFTER)])
            changed = True
    return changed


def on_exit(state: Any, native: Any, index: int, count: int, operand: Any) -> int | BaseException:
    """An exit was taken often. ``operand``: what an instruction that is done again finds on top of the stack, or UNSET. Gives the count to be
    called at again, -1 never; or what a signal's handler raised."""
    record: Record = state.data
    begun = _begin(record)
    if not begun:
        return count + _LATER
    try:
        from pijit.runtime import hot

        return hot.exit_is_hot(state, record, native, index, count, operand)
    except BaseException as error:
        failure = error
    finally:
        _end(record, begun)
    raised = _of_program_or_logged(failure)
    return NEVER if raised is None else raised


def on_tick(states: list[Any]) -> BaseException | None:
    """Time has passed: these were counted since the last time."""
    try:
        resting.tick(states)
        return None
    except BaseException as error:
        failure = error
    return _of_program_or_logged(failure)


def on_trial(state: Any, won: int, lost: int, native: Any = None) -> BaseException | None:
    """The calls of a function are slower with its fragments than in the interpreter (trial.c): so often they were faster, so often not. ``native``:
    no call was tried, but the rounds of that fragment's loop were (turns.c)."""
    record: Record = state.data
    begun = _begin(record)
    if not begun:
        return None  # it is tried again when an exit is hot
    try:
        often = f"were slower natively {lost} times of {won + lost}"
        if native is not None:
            log.event("perf", record.code, native.data().line, f"rounds of the loop {often}", id="PJ404")
            if not native.data().retired:
                retire(state, record, native, "not_worth_it")
            return None
        log.event("perf", record.code, record.code.co_firstlineno, f"calls {often}", id="PJ404")
        natives = [native for pc in record.plan.entries for native in state.fragments(pc)]
        worst = [native for native in natives if not worth.pays(native.data())]
        for native in worst or natives:
            retire(state, record, native, "not_worth_it")
        if 0 < len(worst) < len(natives):
            state.try_calls()
        else:
            leave_alone(state)
        return None
    except BaseException as error:
        failure = error
    finally:
        _end(record, begun)
    return _of_program_or_logged(failure)
