"""What all compilations of a process may take together that nobody asked for by name and that may not pay, so that no program is slower for long.

A little at once, then a share of the time that the program itself has run, and of what native code has saved it. What works on arrays or goes round
a loop of numbers is not counted: it has to be hot for as long as its compilation takes (`patience`), and pays. All times are seconds of CPU time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from pijit.runtime import records, worth

_TO_LOOK = 0.3  # more that may be spent on looking at code of which it is not known yet what comes of it
_AT_ONCE = 0.5
_SHARE = 0.1
_OF_SAVED = 0.5
_REVIEW = 0.05  # what was saved is summed up so often at most


@dataclass(slots=True)
class Budget:
    """``spent``: on compiling so far; ``saved``: by native code, as it was at `reviewed`."""

    spent: float = 0.0
    saved: float = 0.0
    reviewed: float = 0.0

    def missing(self, price: float = 0.0) -> float:
        """For how long the program has to go on until something of that price may be compiled; 0 when it may now."""
        now = time.process_time()
        lacking = self.spent + price - _AT_ONCE - _SHARE * (now - self.spent)
        if lacking > _OF_SAVED * self.saved and now - self.reviewed > _REVIEW:
            self.saved, self.reviewed = saved(), now
        return max(0.0, (lacking - _OF_SAVED * self.saved) / _SHARE)

    def missing_for(self, price: float) -> float:
        """The same; 0: nobody has looked yet what it will cost."""
        return self.missing(price or -_TO_LOOK)


BUDGET = Budget()


def saved() -> float:
    """What the fragments that are in use have saved, less what they cost, as far as that is known."""
    fragments = [fragment for record in list(records.RECORDS) for fragment in record.fragments if not fragment.retired]
    return max(0.0, sum(map(worth.net, fragments))) * 1e-9
