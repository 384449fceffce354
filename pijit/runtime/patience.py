"""When to compile what is hot by its count, and what a compilation must not disturb.

"Rent or buy": compiling takes tens of milliseconds, several hundred the first time, so an entry goes on in the interpreter for about as
long before it is compiled. A program that is over by then has not paid for anything.
"""

from __future__ import annotations

import sys
import time
import warnings
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from pijit.ground.config import CONFIG

_STEP = 16
_FIRST = 5.0  # the first compilation of a process costs so many times as much: it imports numba


@dataclass(slots=True)
class Patience:
    """Of one entry: when it was found hot, and the misses that were waited for since."""

    began: float = 0.0
    waited: int = 0

    def misses_to_wait(self) -> int:
        """How many more, about; 0: it is time to compile."""
        if CONFIG.patience_ms <= 0:
            return 0
        now = time.perf_counter()
        if not self.began:
            self.began, self.waited = now, _STEP
            return _STEP
        spent = (now - self.began) * 1e3
        left = CONFIG.patience_ms * (1.0 if "numba" in sys.modules else _FIRST) - spent
        if left <= 0:
            return 0
        # never more than were waited for already: the program may get slower
        more = min(self.waited, max(1, int(self.waited * left / max(spent, 1e-3))))
        self.waited += more
        return more


_at_work: set[int] = set()  # threads
_change = Lock()
_plain = warnings._filters_mutated  # type: ignore[attr-defined]


def _mutated() -> None:
    if get_ident() not in _at_work:
        _plain()


@contextmanager
def warnings_remembered() -> Iterator[None]:
    """Python shows a warning once per place, and forgets which ones it has shown when anybody touches the filters. numba's import does;
    the program would see its warnings twice. Other threads may touch them meanwhile, or compile too."""
    global _plain
    me = get_ident()
    with _change:
        if not _at_work:
            _plain, warnings._filters_mutated = warnings._filters_mutated, _mutated  # type: ignore[attr-defined]
        _at_work.add(me)
    try:
        yield
    finally:
        with _change:
            _at_work.discard(me)
            if not _at_work:
                warnings._filters_mutated = _plain  # type: ignore[attr-defined]
