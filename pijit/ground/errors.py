"""The one exception that pijit raises into user code, by request (`fullgraph=True`)."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, NamedTuple

from pijit.ground import reasons

if TYPE_CHECKING:
    from types import CodeType

CONTEXT = 1  # source lines shown before and after


class Where(NamedTuple):
    """A place in the user's source."""

    file: str
    line: int
    function: str


def source_lines(file: str, line: int) -> list[str]:
    """The line with its neighbours, the line itself marked; empty when the source is gone."""
    lines = [(n, linecache.getline(file, n).rstrip()) for n in range(max(1, line - CONTEXT), line + CONTEXT + 1)]
    if not any(n == line and text for n, text in lines):
        return []
    return [f"  {'>' if n == line else ' '} {n:4} | {text}" for n, text in lines if text or n == line]


class CaptureError(RuntimeError):
    """A function jitted with fullgraph=True cannot be captured as a whole."""

    def __init__(self, reason: str, where: Where, detail: str = "") -> None:
        row = reasons.lookup(reason)
        self.reason = row.id
        self.hint = row.hint
        self.where = where
        self.detail = detail
        title = f"{row.title}: {detail}" if detail else row.title
        head = f"{row.id} {title}\n  {where.file}:{where.line} in {where.function}()"
        super().__init__("\n".join([head, *source_lines(where.file, where.line), f"  Hint: {row.hint}"]))

    def __reduce__(self) -> tuple[type[CaptureError], tuple[str, Where, str]]:
        return type(self), (self.reason, self.where, self.detail)


def capture_error(reason: str, code: CodeType, line: int, detail: str = "") -> CaptureError:
    """The error for a break in this code object."""
    return CaptureError(reason, Where(code.co_filename, line, code.co_qualname), detail)
