"""explain: everything that is known about one function, as data and as text."""

from __future__ import annotations

import html
import inspect
import os
import sys
from typing import TYPE_CHECKING, Any

from pijit.ground import log, reasons
from pijit.ground.config import CONFIG, Options
from pijit.ground.records import asdict
from pijit.reports import report
from pijit.runtime import records, tiers
from pijit.runtime.callables import unbound
from pijit.runtime.copies import with_code

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType

    from pijit.runtime.records import FragmentRecord, Record

# Terminal colours of lines, by how they begin.
COLOURS = {"  native": "32", "  break ": "31", "  python": "2", "fragment": "1", "         ^": "33"}


def explain(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Report:
    """Run once, and report."""
    plain, first, keywords = unbound(function)
    if plain is None:
        raise TypeError(f"explain: {function!r} is not a Python function")
    args, kwargs = (*first, *args), {**keywords, **kwargs}
    record = tiers.record_of(plain.__code__)
    if record is None:
        plain = with_code(plain, plain.__code__.replace())
        record = tiers.enable_code(plain.__code__, Options(eager=True), plain)
    elif not args and not kwargs and needs_arguments(plain):
        return Report(record, plain)
    raised = ""
    try:
        plain(*args, **kwargs)
    except Exception as error:
        raised = f"{type(error).__name__}: {error}"
    return Report(record, plain, raised)


def needs_arguments(function: FunctionType) -> bool:
    """Whether it cannot be called without any."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    return False


class Report:
    """What pijit did with one function. str() of it is for people, `to_dict()` for tools, notebooks show it as HTML."""

    def __init__(self, record: Record | None, function: FunctionType, raised: str = "") -> None:
        self._dict = described(record) if record is not None else undescribed(function)
        self._dict["raised"] = raised
        self._code = function.__code__  # the record lives with it

    def to_dict(self) -> dict[str, Any]:
        """Strings, numbers, lists and dicts only."""
        return self._dict

    def text(self, *, graph: bool = True, code: bool = False, colour: bool = False) -> str:
        """The report. graph: with the graph of each fragment; code: with the generated code; colour: for a terminal."""
        lines = list(text_lines(self._dict, graph, code))
        return "\n".join(map(coloured, lines) if colour else lines)

    def __str__(self) -> str:
        return self.text(colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text(code=True))}</pre>"


def undescribed(function: FunctionType) -> dict[str, Any]:
    """Nothing is known where nothing is compiled."""
    code = function.__code__
    why = "switched off (PIJIT=0)" if not CONFIG.enabled else "a generator or coroutine"
    return {"function": code.co_qualname, "file": code.co_filename, "line": code.co_firstlineno, "heading": why,
            "lines": [], "fragments": [], "breaks": [], "failures": [], "gave_up": "", "last_reason": ""}  # fmt: skip


def described(record: Record) -> dict[str, Any]:
    """A record as data."""
    code, stats = record.code, records.snapshot(record)
    native, broken = report.native_lines(record), {row.line for row in stats.breaks if row.file == code.co_filename}
    return {
        "function": code.co_qualname,
        "file": code.co_filename,
        "line": code.co_firstlineno,
        "heading": report.heading(record),
        "compiles": stats.compiles,
        "hits": stats.hits,
        "misses": stats.misses,
        "exits": stats.exits,
        "compile_seconds": stats.compile_seconds,
        "gave_up": record.gave_up,
        "last_reason": record.last_reason,
        "lines": [
            {"line": line, "by": by(line, native, broken), "source": report.source_line(code.co_filename, line)}
            for line in report.code_lines(code)
        ],
        "fragments": [fragment_dict(number, fragment) for number, fragment in enumerate(record.fragments, 1)],
        "breaks": [asdict(row) for row in stats.breaks],
        "failures": [asdict(row) for row in stats.failures],
    }


def by(line: int, native: set[int], broken: set[int]) -> str:
    """Who ran a line."""
    return "break" if line in broken else "native" if line in native else "python"


def fragment_dict(number: int, fragment: FragmentRecord) -> dict[str, Any]:
    """One fragment as data."""
    hits, taken = fragment.counts()
    pairs = zip(fragment.sources, fragment.guards, strict=True)
    return {
        "number": number,
        "line": fragment.line,
        "kind": fragment.kind,
        "hits": hits,
        "compile_seconds": fragment.compile_seconds,
        "because": fragment.because,
        "retired": fragment.retired,
        "lines": sorted(line for _, line in fragment.lines),
        "guards": [{"source": name, "text": text} for name, text in pairs if text != f"{name} exists"],
        "exits": [
            {"kind": row.kind, "id": row.reason, "line": row.line, "count": n}
            for row, n in zip(fragment.exits, taken, strict=True)
        ],
        "graph": fragment.texts.get("graph", ""),
        "code": fragment.texts.get("code", ""),
        "kernels": [kernel_dict(kernel) for kernel in fragment.kernels],
    }


def kernel_dict(kernel: Any) -> dict[str, str]:
    """One fused loop nest: its description and the text given to the code generator."""
    from pijit.codegen import kernels
    from pijit.ir.text import kernel as one_line

    from ..codegen import llvm_ir as ir

    name = kernels.symbol(kernel)
    module = ir.Module(name)
    kernels.define(module, kernel)
    return {"name": name, "text": one_line(kernel), "code": str(module)}


# ---- text ------------------------------------------------------------------------------------------------------------


def text_lines(data: dict[str, Any], graph: bool, code: bool) -> Iterator[str]:
    """The whole report, line by line."""
    yield data["heading"]
    if data["raised"]:
        yield f"this call raised {data['raised']}"
    if data["gave_up"]:
        gave_up = data["gave_up"]
        row = reasons.lookup(gave_up)
        yield f"{row.id} {row.title}: {data['last_reason'] or row.explanation} {row.hint}"
    yield ""
    for line in data["lines"]:
        yield f"  {line['by']:6} {line['line']:5} | {line['source']}"
        for row in data["breaks"]:
            if (row["file"], row["line"]) == (data["file"], line["line"]):
                yield f"               ^ {break_line(row)}"
    for row in data["breaks"]:
        if row["file"] != data["file"]:
            yield f"  break in {log.shown_path(row['file'])}:{row['line']}: {break_line(row)}"
    for fragment in data["fragments"]:
        yield from fragment_lines(fragment, graph, code)
    for row in data["failures"]:
        if row is data["failures"][0]:
            yield "\nguard failures"
        yield f"  line {row['line']}: {row['source']!r} expected {row['expected']}, got {row['got']} ({times(row['count'])}, {row['id']})"


def times(count: int) -> str:
    """How often."""
    return {0: "never", 1: "once"}.get(count, f"{count} times")


def break_line(row: dict[str, Any]) -> str:
    """Why, and what to do about it."""
    detail = f" ({row['detail']})" if row["detail"] else ""
    return f"{row['id']} {row['reason']}{detail}, {times(row['count'])}. {row['hint']}"


def fragment_lines(fragment: dict[str, Any], graph: bool, code: bool) -> Iterator[str]:
    """One fragment."""
    yield ""
    ms = f"compiled in {fragment['compile_seconds'] * 1e3:.0f} ms"
    retired = f", retired: {reasons.lookup(fragment['retired']).title}" if fragment["retired"] else ""
    covered = f", covers {line_ranges(fragment['lines'])}" if fragment["lines"] else ""
    yield f"fragment {fragment['number']}: {fragment['kind']} at line {fragment['line']}, {ms}, ran {times(fragment['hits'])}{covered}{retired}"
    if fragment["because"]:
        yield f"  because  {fragment['because']}"
    for guard in fragment["guards"]:
        yield f"  guard    {guard['text']}"
    for row in fragment["exits"]:
        if row["kind"] not in ("return", "poll"):
            yield f"  exit     line {row['line']}: {row['id']} {reasons.lookup(row['id']).title}, {times(row['count'])}"
    for kernel in fragment["kernels"]:
        yield f"  kernel   {kernel['name']} {kernel['text']}"
    if graph:
        yield from indented("graph", fragment["graph"])
    if code:
        for kernel in fragment["kernels"]:
            yield from indented(f"code of {kernel['name']}", kernel["code"])
        yield from indented("code", fragment["code"])


def indented(title: str, text: str) -> Iterator[str]:
    """A block of text under a title."""
    yield f"  {title}"
    yield from (f"    {line}" for line in text.splitlines())


def line_ranges(lines: list[int]) -> str:
    """[3, 4, 5, 9] -> "3-5, 9"."""
    runs: list[list[int]] = []
    for line in sorted(set(lines)):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in runs)


def coloured(line: str) -> str:
    """A line with its colour."""
    colour = next((colour for start, colour in COLOURS.items() if line.startswith(start)), "")
    return f"\033[{colour}m{line}\033[0m" if colour else line
