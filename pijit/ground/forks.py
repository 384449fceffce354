"""Forks while other threads compile.

The child of a fork gets everything as it is at that moment, half an import, the locks of LLVM and half a record of ours included, but not the
thread that would finish it. So a fork waits until no other thread compiles, and none begins before the fork is done: what is hot then
goes on in the interpreter. Nothing that compiles waits for the program; should it take too long all the same, the fork goes on, and
its child compiles nothing.

Locks that are held for a moment elsewhere, too, as that of LLVM is while the program lets go of native code, are held by the thread that forks.
So is the one that is taken where pijit imports a part of itself and does not compile: what a child has of it is whole. What imports may wait for
the thread that forks (for the lock of imports, for what the program's finders take), so a fork does not wait for that for ever either.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from contextlib import AbstractContextManager, nullcontext
from threading import Event, RLock

from pijit.ground import clock
from pijit.ground.records import dataclass, field

Lock = AbstractContextManager[object]


@dataclass(slots=True)
class Fork:
    """``held``: locks; ``torn``: others have not done what they were compiling."""

    held: list[Lock] = field(default_factory=list)
    torn: bool = False


_LONGEST = 60.0  # seconds that a fork waits
_compiling: dict[int, object] = {}  # by thread; each adds and removes its own only
_forking: dict[int, Fork] = {}  # by thread
_ended = Event()
_torn = False
_importing = RLock()
_locks: list[Lock] = []


def begin() -> bool:
    """Whether this thread may compile now; `end` has to follow if so. A fork looks in the other order, so one of the two sees the other."""
    _compiling[get_ident()] = object()
    if _torn or _forking:
        end()
        return False
    return True


def end() -> None:
    """This thread has compiled."""
    _compiling.pop(get_ident(), None)
    _ended.set()


def hold(lock: Lock) -> None:
    """From here on no fork finds it with another thread. Those who have it wait for nothing."""
    _locks.append(lock)


def importing(name: str) -> Lock:
    """To be held where a module of ours is imported, unless it is there."""
    return nullcontext() if name in sys.modules else _importing


def _others() -> set[object]:
    return set(_compiling.values()) - {_compiling.get(get_ident())}


def wait() -> bool:
    """Until other threads have done what they are compiling, or for too long; whether they have. Who begins after that looks first whether there is
    a fork, and does nothing."""
    latest, busy = clock.monotonic() + _LONGEST, _others()
    while busy & _others():
        _ended.clear()
        if not busy & _others() or not _ended.wait(max(0.0, latest - clock.monotonic())):
            break
    return not busy & _others()


def _before() -> None:
    """Waits once more: a fork that is not Python's own tells nobody before. What imports now and wants to be called at forks
    would be called at the half of this one."""
    fork = _forking[get_ident()] = Fork()
    if wait() and _importing.acquire(timeout=_LONGEST):
        fork.held.append(_importing)
    else:
        fork.torn = True
    for lock in _locks:
        lock.__enter__()
        fork.held.append(lock)


def _after_in_parent() -> Fork:
    fork = _forking.pop(get_ident(), Fork())
    for lock in reversed(fork.held):
        lock.__exit__(None, None, None)
    return fork


def _after_in_child() -> None:
    global _ended, _importing, _torn
    _torn = _after_in_parent().torn or _torn
    _importing = RLock()  # another thread may have it
    _compiling.clear()
    _forking.clear()
    _ended = Event()  # another thread may have held its lock


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
