"""What diagnostics cost: disabled channels on the hot path, a message about a recompilation, a report."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
import time
import timeit
from pathlib import Path

import numpy as np
from measure import Figure, human

import pijit
from pijit.ground import log
from pijit.runtime import messages

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))


def scale(u):
    return u * 2.0 + 1.0


class Stamp(logging.Handler):
    """When the last line came out."""

    when = 0.0

    def emit(self, record):
        self.when = time.perf_counter()


def message_delay():
    """Seconds from the end of what decides on a recompilation to its line."""
    step, stamp, decided, least = pijit.jit(scale, jit_level="O0"), Stamp(), [0.0], 1.0
    original = messages.log_compiled

    def noted(*arguments):
        decided[0] = time.perf_counter()
        original(*arguments)

    logger = logging.getLogger("pijit.recompiles")
    logger.addHandler(stamp)
    log.set_logs("recompiles")
    messages.log_compiled = noted
    try:
        for ndim in range(1, 5):
            step(np.ones((2,) * ndim))
            if stamp.when:
                least = min(least, stamp.when - decided[0])
    finally:
        messages.log_compiled = original
        log.set_logs()
        logger.removeHandler(stamp)
    return least


def figures():
    u = np.ones((2, 3))
    quiet = pijit.jit(scale)
    timer, best = timeit.Timer("f(u)", globals={"f": quiet, "u": u}), dict.fromkeys(("all", ""), 1.0)
    timer.timeit(1000)  # compiles
    for _ in range(40):
        for channels in best:
            log.set_logs(channels)
            best[channels] = min(best[channels], timer.timeit(20_000) / 20_000)
    log.set_logs()
    note = f"{human(best[''])} against {human(best['all'])}"
    yield Figure("channels off against on, hot call", best[""] / best["all"], 1.01, note=note)
    yield Figure("a recompile message after the decision", message_delay() * 1e3, 1.0, "ms")
    import lattice_boltzmann

    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        str(pijit.explain(lattice_boltzmann.main, 100, 40, 20, 0.6, 10))
    yield Figure("explain of the lattice Boltzmann example", time.perf_counter() - start, 3.0, "s")
