"""Logs: one stdlib logger per channel, one line per event.

    pijit.guards: heat.py:14 step(): 'u.dtype' expected float64, got float32 -> compiled fragment 2 of 8 (31 ms)

A channel is on when its logger is: PIJIT_LOGS="guards,breaks", `set_logs("guards")` and ordinary logging configuration
all set the level of `pijit.<channel>`. PIJIT_TRACE=file has everything as JSON lines.
Ask `enabled(channel)` before putting a message together.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
from typing import TYPE_CHECKING

from pijit.ground import clock, trace
from pijit.ground.config import CONFIG, to_stderr
from pijit.ground.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType

CHANNELS = {
    "guards": "a value was not what a fragment was compiled for: what was expected, what came, what was done",
    "breaks": "an instruction that runs in the interpreter, why, and what to do about it",
    "recompiles": "an entry was compiled once more, and because of what",
    "exits": "native code was left at an instruction",
    "graph": "the graph of each fragment, before and after optimisation",
    "code": "the text that is handed to the code generator",
    "cache": "compiled code found in, or written to, the cache",
    "perf": "what capture and compilation cost, and what was retired because it did not pay",
}

ROOT = logging.getLogger("pijit")
LOGGERS = {name: logging.getLogger(f"pijit.{name}") for name in CHANNELS}


class Stderr(logging.StreamHandler):  # type: ignore[type-arg]  # generic in the stubs only
    """Writes to whatever sys.stderr is now, unless the program has configured logging: then its handlers do."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    @property
    def stream(self) -> object:
        """The stream of the moment."""
        return sys.stderr

    def filter(self, record: logging.LogRecord) -> bool:
        """Only while nobody else listens."""
        return not logging.getLogger().handlers and len(ROOT.handlers) == 1


# Without this a program that logs everything at INFO would get every channel.
if ROOT.level == logging.NOTSET:
    ROOT.setLevel(logging.WARNING)
ROOT.addHandler(Stderr())


def enabled(channel: str) -> bool:
    """Whether anybody wants this channel."""
    return LOGGERS[channel].isEnabledFor(logging.INFO) or trace.on()


def parse(text: str | Iterable[str]) -> list[str]:
    """Channel names from "guards,breaks" or a list of names; "all" is all of them."""
    names = text.replace(",", " ").split() if isinstance(text, str) else list(text)
    if "all" in names:
        return list(CHANNELS)
    unknown = [name for name in names if name not in CHANNELS]
    if unknown:
        raise ValueError(f"pijit: no log channel {unknown[0]!r}; there are: {', '.join(CHANNELS)}, all")
    return names


def set_logs(*channels: str | Iterable[str]) -> None:
    """Switch on these channels and no others: set_logs("guards,breaks"), set_logs("guards", "breaks"), set_logs()."""
    wrong = [part for part in channels if not hasattr(part, "__iter__")]
    if wrong:
        raise TypeError(f"pijit: set_logs takes names of channels, not {wrong[0]!r}; there are: {', '.join([*CHANNELS, 'all'])}")
    on = {name for part in channels for name in parse(part)}
    for name, logger in LOGGERS.items():
        logger.setLevel(logging.INFO if name in on else logging.NOTSET)


def from_environment(text: str) -> None:
    """PIJIT_LOGS: a mistake in it is one line on stderr, since nothing can be raised from an import."""
    try:
        set_logs(text)
    except ValueError as error:
        to_stderr(f"{error} (PIJIT_LOGS ignored)")


def shown_path(file: str) -> str:
    """The path relative to the working directory if the file is below it; the number of a notebook's cell, as its tracebacks have it."""
    if "IPython" in sys.modules:
        name = cell(file)
        if name:
            return name
    try:
        here = os.getcwd() + os.sep
    except OSError:  # the working directory was removed
        return file
    return file.removeprefix(here)


def cell(file: str) -> str:
    """The cell of a notebook that was compiled under this file name; "" when it is none."""
    shell = getattr(sys.modules["IPython"], "get_ipython", lambda: None)()
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    words = name_of(file) if name_of is not None else None  # ("Cell", "In[3]")
    return " ".join(words) if words else ""


@dataclass(slots=True)
class Flood:
    """How many lines one place has logged in this second, and how many were only counted."""

    start: float
    lines: int = 0
    dropped: int = 0


FLOODS: dict[tuple[str, str], Flood] = {}


def admit(channel: str, place: str) -> bool:
    """Whether this place may log another line now; what was left out before is reported first."""
    now = clock.monotonic()
    flood = FLOODS.setdefault((channel, place), Flood(now))
    if now - flood.start >= 1.0:
        report_dropped(channel, place, flood)
        flood.start, flood.lines = now, 0
    if flood.lines >= CONFIG.log_burst:
        flood.dropped += 1
        return False
    flood.lines += 1
    return True


def report_dropped(channel: str, place: str, flood: Flood) -> None:
    """Say how many lines were left out."""
    if flood.dropped:
        LOGGERS[channel].info("%s: %d more lines like this were left out", place, flood.dropped)
        flood.dropped = 0


@atexit.register
def report_all_dropped() -> None:
    """At exit nothing that was counted is lost."""
    for (channel, place), flood in FLOODS.items():
        report_dropped(channel, place, flood)


def event(channel: str, code: CodeType, line: int, text: str, **fields: object) -> None:
    """One line about a place in the user's source. ``fields`` are for PIJIT_TRACE only."""
    logger = LOGGERS[channel]
    if trace.on():
        trace.write(channel, text, file=code.co_filename, line=line, function=code.co_qualname, **fields)
    if not logger.isEnabledFor(logging.INFO):
        return
    place = f"{shown_path(code.co_filename)}:{line} {code.co_qualname}()"
    if admit(channel, place):
        logger.info("%s: %s", place, text)


def message(channel: str, text: str) -> None:
    """One line about nothing in particular."""
    if trace.on():
        trace.write(channel, text)
    LOGGERS[channel].info("%s", text)


def warn(channel: str, text: str, **fields: object) -> None:
    """One line that is shown even when the channel is off: somebody asked for what cannot be had."""
    if trace.on():
        trace.write(channel, text, **fields)
    LOGGERS[channel].warning("%s", text)


INTERNAL_ERRORS: list[str] = []  # for tests, which fail when there are any


def internal(text: str) -> None:
    """An error in pijit itself. The program goes on in the interpreter."""
    INTERNAL_ERRORS.append(text)
    if trace.on():
        trace.write("internal", text, id="PJ901")
    ROOT.error("PJ901 internal error, the interpreter took over: %s", text)


if os.environ.get("PIJIT_LOGS"):
    from_environment(os.environ["PIJIT_LOGS"])
