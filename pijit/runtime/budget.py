"""What pijit may take of a program's time for code that nobody asked for by name, so that no program is slower for long.

A share of the time that the program itself has run, larger within its first seconds, and of what native code has saved it. Three accounts, so
that one is there when another is used up: looking at code, compiling what may not pay, and compiling what is sure to, which works on arrays or goes
round a loop of numbers: sure, where it is hot, and not where it runs once in a while. All times are seconds of CPU time.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from pijit.ground import clock
from pijit.ground.records import dataclass, field
from pijit.runtime import records, worth

_FIRST = 20.0  # seconds of the program
_OF_SAVED = 1.0
_HOPE = 4.0  # so many times in vain, and the next costs twice as much,
_FINE = 3.0  # or more, up to so many times as much again
_REGRET = 3.0  # what was compiled and did not pay costs so many times as much again
_REVIEW = 0.05  # what was saved is summed up so often at most,
_OF_REVIEWS = 100.0  # and so many times as seldom as long as it takes, where there are many fragments


@dataclass(slots=True)
class Account:
    """What may be spent ``at_once``, and the shares of the program's ``first`` seconds and of the ``later`` ones; ``spent``: so far;
    ``fined``: what that counts for beyond it, as nothing has come of it, the last times without a break (``in_vain``)."""

    at_once: float
    first: float
    later: float
    spent: float = 0.0
    fined: float = 0.0
    in_vain: int = 0

    def spend(self, seconds: float, in_vain: bool = False) -> None:
        self.in_vain = self.in_vain + 1 if in_vain else 0
        self.spent += seconds
        self.fined += seconds * min(_FINE, self.in_vain / _HOPE)

    def regret(self, seconds: float) -> None:
        """What these were spent for did not pay."""
        self.fined += seconds * _REGRET

    def missing(self, ran: float, price: float = 0.0) -> float:
        """For how long a program that has run so long has to go on until that can be paid."""
        needed = self.spent + self.fined + price - self.at_once
        beyond = needed - self.first * _FIRST
        return max(0.0, (needed / self.first if beyond <= 0 else _FIRST + beyond / self.later) - ran)


ACCOUNTS = ("looking", "trying", "compiling")


class Want(NamedTuple):
    """About how many seconds something takes, and the account that they are on."""

    seconds: float
    account: Literal["looking", "trying", "compiling"]


@dataclass(slots=True)
class Budget:
    """``saved``: by native code, as it was at `reviewed`, and stays for a ``pause``."""

    looking: Account = field(default_factory=lambda: Account(0.1, 0.05, 0.01))
    trying: Account = field(default_factory=lambda: Account(0.0, 0.08, 0.02))
    compiling: Account = field(default_factory=lambda: Account(0.1, 0.3, 0.05))
    saved: float = 0.0
    reviewed: float = 0.0
    pause: float = _REVIEW

    @property
    def accounts(self) -> tuple[Account, ...]:
        return self.looking, self.trying, self.compiling

    def account(self, want: Want) -> Account:
        found: Account = getattr(self, want.account)
        return found

    def retired(self, fragment: records.FragmentRecord) -> None:
        """A fragment of code that nobody asked for did not pay."""
        (self.trying if fragment.doubtful else self.compiling).regret(fragment.compile_seconds)

    def spent(self) -> float:
        """Of all accounts."""
        return sum(account.spent for account in self.accounts)

    def ran(self) -> float:
        """The seconds of the program itself."""
        return clock.process_time() - self.spent()

    def missing(self, want: Want) -> float:
        """For how long the program has to go on until that can be paid; 0: it can be now."""
        now, account, ran = clock.process_time(), self.account(want), self.ran()
        if account is self.looking:
            return account.missing(ran, want.seconds)
        if now - self.reviewed > self.pause and account.missing(ran, want.seconds - _OF_SAVED * self.saved):
            self.saved, self.reviewed = saved(), now
            self.pause = max(_REVIEW, _OF_REVIEWS * (clock.process_time() - now))
        return account.missing(ran, want.seconds - _OF_SAVED * self.saved)


BUDGET = Budget()


def saved() -> float:
    """What the fragments that are in use have saved, less what they cost, as far as that is known."""
    fragments = [fragment for record in list(records.COMPILED) for fragment in record.fragments if not fragment.retired]
    return max(0.0, sum(map(worth.known_net, fragments))) * 1e-9
