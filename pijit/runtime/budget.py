"""What pijit may take of a program's time for code that nobody asked for by name, so that no program is slower for long.

A share of the time that the program itself has run, larger within its first seconds, and of what native code has saved it. Two accounts: looking
at code, and compiling what may not pay, so that what does is found when the other is used up. What works on arrays or goes round a loop of
numbers is on neither: it has to be hot for as long as its compilation takes (`patience`), and pays. All times are seconds of CPU time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pijit.runtime import records, worth

_FIRST = 20.0  # seconds of the program
_OF_SAVED = 1.0
_REVIEW = 0.05  # what was saved is summed up so often at most


@dataclass(slots=True)
class Account:
    """What may be spent ``at_once``, and the shares of the program's ``first`` seconds and of the ``later`` ones; ``spent``: so far."""

    at_once: float
    first: float
    later: float
    spent: float = 0.0

    def missing(self, ran: float, price: float = 0.0) -> float:
        """For how long a program that has run so long has to go on until that can be paid."""
        needed = self.spent + price - self.at_once
        beyond = needed - self.first * _FIRST
        return max(0.0, (needed / self.first if beyond <= 0 else _FIRST + beyond / self.later) - ran)


@dataclass(slots=True)
class Budget:
    """``saved``: by native code, as it was at `reviewed`."""

    looking: Account = field(default_factory=lambda: Account(0.1, 0.05, 0.01))
    compiling: Account = field(default_factory=lambda: Account(0.0, 0.15, 0.03))
    saved: float = 0.0
    reviewed: float = 0.0

    def missing(self, price: float) -> float:
        """For how long the program has to go on until something of that price may be compiled, or looked at when nobody knows its price (0); 0: it
        may now."""
        now = time.process_time()
        ran = now - self.looking.spent - self.compiling.spent
        if not price:
            return self.looking.missing(ran)
        if now - self.reviewed > _REVIEW and self.compiling.missing(ran, price - _OF_SAVED * self.saved):
            self.saved, self.reviewed = saved(), now
        return self.compiling.missing(ran, price - _OF_SAVED * self.saved)


BUDGET = Budget()


def saved() -> float:
    """What the fragments that are in use have saved, less what they cost, as far as that is known."""
    fragments = [fragment for record in list(records.RECORDS) for fragment in record.fragments if not fragment.retired]
    return max(0.0, sum(map(worth.known_net, fragments))) * 1e-9
