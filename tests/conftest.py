"""Around every test: nothing stays enabled, no setting stays changed, an internal error is a failure, nothing hangs."""

from __future__ import annotations

import faulthandler
import signal
from dataclasses import asdict

import pytest

import pijit
from pijit.runtime import tiers

SECONDS = 120  # of one test; a native loop that does not even see signals ends the whole run a little later


def too_long(signum, frame):
    raise TimeoutError(f"the test took more than {SECONDS} s")


@pytest.fixture(autouse=True)
def clean():
    before = asdict(pijit.config)
    tiers.INTERNAL_ERRORS.clear()
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    faulthandler.dump_traceback_later(SECONDS + 30, exit=True)
    try:
        yield
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()
        pijit.disable()
        pijit.set_logs()
        for name, value in before.items():
            setattr(pijit.config, name, value)
    assert not tiers.INTERNAL_ERRORS
