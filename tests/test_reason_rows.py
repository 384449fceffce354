"""Every row of the registry of reasons is reached by its example, which says of it what stands here; plain Python does the same."""

from __future__ import annotations

import ast
import re
import signal
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from differential import settings

import pijit
from pijit.ground import log, reasons, trace
from pijit.runtime import driver, records, tiers, worth
from pijit.runtime.budget import BUDGET

# What is said: of a break its detail, of an exit its kind, of a guard failure what differs, of anything else the line in the log.
SAID = {
    "PJ101": "instruction not supported: MATCH_MAPPING",
    "PJ102": "generator or coroutine: an effect in a generator (store)",
    "PJ103": "exception handling: np.errstate that does not ignore underflow",
    "PJ104": "too many versions of one place: redo",
    "PJ105": "function too large: redo",
    "PJ106": "import statement: IMPORT_NAME",
    "PJ107": "function or class defined here: LOAD_BUILD_CLASS",
    "PJ108": "comprehension or container display not supported: list or iterator",
    "PJ109": "text is put together: FORMAT_SIMPLE",
    "PJ111": "call not supported: id",
    "PJ112": "arguments of this call not supported: max with key=, default=",
    "PJ113": "calls nested too deep to inline: f",
    "PJ114": "function cannot be inlined: g",
    "PJ115": "call with an effect outside the program's arrays: print",
    "PJ116": "function marked with @skip: g",
    "PJ121": "value of a type that is not supported: bytearray + bytearray",
    "PJ122": "array dtype not supported: ndarray + ndarray",
    "PJ123": "subclass of ndarray: MaskedArray + MaskedArray",
    "PJ126": "attribute access not supported: a Thing.n",
    "PJ127": "assignment to something that is not supported: store into memoryview",
    "PJ128": "integer beyond 64 bits: int + int",
    "PJ129": "iteration over this object not supported: memoryview",
    "PJ133": "variable that may be unbound: y",
    "PJ134": "operation that raises: 1 % 0",
    "PJ135": "assignment to a variable of an enclosing function: n",
    "PJ136": "container that was empty: list",
    "PJ200": "the function returned: return",
    "PJ201": "integer outgrew 64 bits: redo",
    "PJ202": "index out of range: redo",
    "PJ203": "division by zero: redo",
    "PJ204": "shapes do not broadcast: redo",
    "PJ205": "argument outside a math function's domain: redo",
    "PJ206": "floating-point flag raised: redo",
    "PJ207": "called function raised: raise",
    "PJ208": "called function returned another type: continue",
    "PJ209": "signal, thread switch or pending call: poll",
    "PJ212": "a name, attribute, item or array changed while native code ran: redo",
    "PJ215": "array is read-only: store into a read-only array",
    "PJ217": "number cannot be converted: redo",
    "PJ218": "no memory: redo",
    "PJ222": "integer too large for this operation: redo",
    "PJ223": "list item of another type: redo",
    "PJ224": "axis shorter than its slice: redo",
    "PJ225": "power that does not give a plain number: redo",
    "PJ226": "negative shift count: redo",
    "PJ227": "target overlaps what is stored: redo",
    "PJ228": "random number that native code does not draw: redo",
    "PJ229": "histogram that is not of the plain kind: redo",
    "PJ230": "built-in container does something else: redo",
    "PJ231": "text grows long: redo",
    "PJ232": "call of the function itself that leaves native code: redo",
    "PJ301": "other type: 'type(x)' expected float, got int",
    "PJ302": "other value: 'm' expected 'a', got 'b'",
    "PJ303": "other object: 'g' expected g, got abs",
    "PJ304": "other dtype: 'x.dtype' expected float64, got float32",
    "PJ305": "other number of dimensions: 'x.ndim' expected 1, got 2",
    "PJ306": "other broadcast shape: 'x.shape[0]' expected not 1 (1 broadcasts), got 1",
    "PJ307": "other memory order: 'x.strides' expected those of a C contiguous array, got (-8,) for shape (6,)",
    "PJ308": "other array flags: 'x.flags.writeable' expected True, got False",
    "PJ309": "variable missing: 'k' expected a value, got nothing",
    "PJ310": "variable appeared: 'abs' expected the builtin, got a global of this name",
    "PJ311": "integer beyond 64 bits: 'x' expected an int of at most 64 bits, got one of 71 bits",
    "PJ312": "other floating-point error state: 'np.geterr()' expected NumPy's error state of that time, "
             "got divide=ignore, over=ignore, under=ignore, invalid=ignore",
    "PJ313": "attribute changed: 'g.__defaults__' expected 2, got 3",
    "PJ314": "other length: 'len(x)' expected 2, got 3",
    "PJ315": "other globals: '' expected the globals of example, got another module's",
    "PJ401": "compiled again: compiled fragment 2 of 8 (N ms) because 'type(x)' expected float, got int",
    "PJ402": "too many fragments: 'type(x)' expected float, got int",
    "PJ404": "native code did not pay: PJ404 native code did not pay: not compiled from here",
    "PJ405": "nothing to compile here: PJ405 nothing to compile here: not compiled from here",
    "PJ408": "not a Python function: jit(len): PJ408 not a Python function; returned as it is",
    "PJ409": "generator or coroutine function: jit(f): PJ409 generator or coroutine function; returned as it is",
    "PJ410": "hot, to be compiled later: PJ410 hot, to be compiled later: N s of compiling so far, N s to go",
    "PJ411": "fragment that never fitted: 'value 0 of the expression being evaluated' expected an object that nothing else refers to, "
    "got a shared list_iterator",
    "PJ901": "internal error in pijit: PJ901 internal error in pijit: not compiled from here",
}  # fmt: skip

TIME = re.compile(r"[0-9.]+ (?=m?s\b)")
PLAIN = SimpleNamespace(jit=lambda function: function, skip=lambda function: function, enable=lambda: None, config=SimpleNamespace())


def typed(source: str, module: Any) -> tuple[dict[str, Any], list[str]]:
    """The program, statement by statement, as if typed: its namespace and what each line gave. It ends at the first exception."""
    space: dict[str, Any] = {"__name__": "example", "np": np, "pijit": module}
    seen = []
    for statement in ast.parse(source).body:
        try:
            if isinstance(statement, ast.Expr):
                seen.append(repr(eval(compile(ast.Expression(statement.value), "example.py", "eval"), space)))
            else:
                exec(compile(ast.Module([statement], []), "example.py", "exec"), space)
        except Exception as error:
            return space, [*seen, f"{type(error).__name__}: {error}"]
    return space, [re.sub(r"<(function|built-in function) (\S+).*>|0x\w+", r"\2", text) for text in seen]


def evidence(known: set[Any], rows: list[tuple[str, dict[str, Any]]]) -> set[tuple[str, str]]:
    """(id, what is said) of all that is on record or in the log."""
    found = {(fields["id"], f"{reasons.lookup(fields['id']).title}: {TIME.sub('N ', text)}") for text, fields in rows if "id" in fields}
    for record in set(records.RECORDS) - known:
        stats = records.snapshot(record)
        found |= {(b.id, f"{b.reason}: {b.detail}") for b in stats.breaks}
        assert all(b.hint == reasons.lookup(b.id).hint for b in stats.breaks)
        found |= {(r.id, f"{r.reason}: {r.source!r} expected {r.expected}, got {r.got}") for r in stats.failures}
        if stats.gave_up:
            found.add((stats.gave_up, f"{reasons.lookup(stats.gave_up).title}: {record.last_reason}"))
        for fragment in record.fragments:
            for exit, count in zip(fragment.exits, fragment.counts()[1], strict=True):
                reason = reasons.lookup(exit.reason or "return")
                if count:
                    found.add((reason.id, f"{reason.title}: {exit.kind}"))
    return found


@pytest.mark.parametrize("id", SAID)
def test_the_example_leads_to_its_reason(id, monkeypatch):
    rows: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(trace, "path", "example")
    monkeypatch.setattr(trace, "write", lambda channel, text, **fields: rows.append((text, fields)))
    monkeypatch.setattr(driver, "capture_entry", driver.capture_entry)  # an example imitates a bug
    if id == "PJ404":
        monkeypatch.setattr(worth, "_EMPTY_RUN", 1e9)  # nanoseconds: whether a run is short is not to depend on the machine
    monkeypatch.setattr(BUDGET.looking, "spent", BUDGET.looking.spent)  # and one a program that has run for long
    known = set(records.RECORDS)
    source = reasons.lookup(id).example
    with warnings.catch_warnings(), settings(raise_internal=id != "PJ901"):
        warnings.simplefilter("ignore")
        space, natively = typed(source, pijit)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _, plainly = typed(source, PLAIN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    if id == "PJ901":
        assert len(tiers.INTERNAL_ERRORS) == 1
        tiers.INTERNAL_ERRORS.clear()
    else:
        assert natively == plainly
    assert (id, SAID[id]) in evidence(known, rows), space["__name__"]


def test_every_row_has_an_example_and_is_pinned():
    from pijit.ground.examples import EXAMPLES

    assert list(EXAMPLES) == list(SAID) == [row.id for row in reasons.ROWS]
    assert not reasons.RETIRED & set(reasons.BY_ID)
    for row in reasons.ROWS:
        assert SAID[row.id].startswith(f"{row.title}: ")


def test_strict_settings_raise_the_reason():
    f = pijit.jit(lambda x: x + x)
    f(1.5)
    with settings(stance="fail_on_recompile"), pytest.raises(pijit.CaptureError, match=r"PJ401 compiled again: 'type\(x\)' expected"):
        f(np.ones(3))

    def g():
        yield 1

    with pytest.raises(pijit.CaptureError, match="PJ409 generator or coroutine function"):
        pijit.jit(g, fullgraph=True)


def test_what_is_warned_of_is_in_the_trace_too(monkeypatch):
    rows = []
    monkeypatch.setattr(trace, "path", "example")
    monkeypatch.setattr(trace, "write", lambda channel, text, **fields: rows.append((channel, text)))
    log.warn("breaks", "text")
    log.internal("boom")
    tiers.INTERNAL_ERRORS.clear()
    assert rows == [("breaks", "text"), ("internal", "boom")]
