"""Forks while other threads compile.

The child of a fork gets everything as it is at that moment, half an import, the locks of LLVM and half a record of ours included, but not the
thread that would finish it. So a fork waits until no other thread compiles, and none begins before the fork is done: what is hot then
goes on in the interpreter. Nothing that compiles waits for the program; should it take too long all the same, the fork goes on, and
its child compiles nothing.
"""

from __future__ import annotations

import os
import time
from _thread import get_ident
from threading import Event

_LONGEST = 60.0  # seconds that a fork waits
_compiling: dict[int, object] = {}  # by thread; each adds and removes its own only
_forking: set[int] = set()
_ended = Event()
_torn = False


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


def _others() -> set[object]:
    return set(_compiling.values()) - {_compiling.get(get_ident())}


def wait() -> None:
    """Until other threads have done what they are compiling, or for too long."""
    latest, busy = time.monotonic() + _LONGEST, _others()
    while busy & _others():
        _ended.clear()
        if not busy & _others() or not _ended.wait(max(0.0, latest - time.monotonic())):
            break


def _before() -> None:
    """Waits once more: a fork that is not Python's own tells nobody before. What imports now and wants to be called at forks
    would be called at the half of this one."""
    _forking.add(get_ident())
    wait()


def _after_in_parent() -> None:
    _forking.discard(get_ident())


def _after_in_child() -> None:
    global _ended, _torn
    _torn = _torn or bool(_others())
    _compiling.clear()
    _forking.clear()
    _ended = Event()  # another thread may have held its lock


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
