"""The end of tests that hang: by processor time, since other programs may get most of the machine; what sleeps, or does not even see signals, ends
the whole run later, with a traceback."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal

_ASLEEP = 1200  # seconds, on a busy machine, too
_stderr = []


def keep_stderr():
    """Before pytest replaces it: what a run died of is to be seen."""
    _stderr.append(os.dup(2))


def _too_long(signum, frame):
    raise TimeoutError("the test took more processor time than it may")


@contextlib.contextmanager
def deadline(seconds):
    """TimeoutError after so much processor time."""
    signal.signal(signal.SIGVTALRM, _too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    faulthandler.dump_traceback_later(max(_ASLEEP, 2 * seconds), exit=True, file=_stderr[0])
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.cancel_dump_traceback_later()
