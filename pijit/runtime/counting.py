"""Programs that count references or blocks of memory: what a compilation leaves behind is to come before their counts, or after.

So nothing of code that is enabled is looked at or compiled while a function runs that names such a count: it goes on in the
interpreter. That lasts a second of CPU time, from when it is first wanted: a function that counts may be the one that calls all others.
"""

from __future__ import annotations

from types import CodeType

from pijit import _native
from pijit.ground import clock

_COUNTS = frozenset({"getallocatedblocks", "getrefcount", "gettotalrefcount", "get_traced_memory", "take_snapshot"})
_LONGEST = 1.0
_since = 0.0  # when somebody first had to wait for the functions that count now; 0: none do


def counted(code: CodeType) -> bool:
    """Whether to wait with what is to be done for a frame of this code."""
    global _since
    if _COUNTS.isdisjoint(code.co_names) and not _native.frames_name(_COUNTS):
        _since = 0.0
        return False
    now = clock.process_time()
    _since = _since or now
    return now - _since < _LONGEST
