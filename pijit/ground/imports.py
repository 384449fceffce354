"""When compiling may import. It has to wait there for what other threads import, and they must not wait for it.

1. Nothing is compiled while the import lock is held, as it is where a finder looks for a module: the thread that has it may be this one, and
   another one that compiles may need it.
2. The first compilation imports the compiler. The other threads, which may be in the middle of importing what it waits for,
   go on in the interpreter meanwhile.
"""

from __future__ import annotations

from _imp import lock_held
from _thread import allocate_lock

_loading = allocate_lock()  # held by the thread that compiles while nothing has been compiled
_loaded = False


def begin() -> bool:
    """Whether this thread may compile now; `end` has to follow if so."""
    return not lock_held() and (_loaded or _loading.acquire(False))


def loaded() -> bool:
    """Whether what compiling needs has been imported."""
    return _loaded


def compiled() -> None:
    """What compiling needs has been imported."""
    global _loaded
    _loaded = True


def end() -> None:
    """This thread has compiled, or not. Once something has been, nobody looks at the lock."""
    if not _loaded:
        _loading.release()
