"""How everything is measured: repeats of all contenders in turn, there and back, in one process, and the least of each.

Ratios within one run are what counts; absolute times are there to be looked at. BENCH_CLOCK=cpu counts the time that the process
itself ran, which is right for what runs in one thread on a machine that is busy with other things. Contenders other than pijit run with
the frame hook taken out, as they would without pijit.
"""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
import time
import timeit
import tracemalloc
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

CLOCK = time.process_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.perf_counter
SAMPLE = 0.02  # seconds that one sample lasts at least


@dataclass(frozen=True)
class Figure:
    """One line of the table: a value and what it should be."""

    name: str
    value: float
    limit: float
    unit: str = "x"
    least: bool = False  # the limit is "at least" instead of "at most"
    note: str = ""

    @property
    def met(self) -> bool:
        return self.value >= self.limit if self.least else self.value <= self.limit

    def line(self) -> str:
        bound = "at least" if self.least else "at most"
        verdict = "ok" if self.met else "MISSED"
        value, limit = f"{self.value:.4g} {self.unit}", f"{bound} {self.limit:g} {self.unit}"
        return f"{self.name:56} {value:>12}   {limit:18} {verdict:7} {self.note}".rstrip()


def settle_allocator() -> None:
    """One large block, come and gone: from here on the allocator keeps the memory of large temporaries."""
    np.empty(31 << 20, dtype=np.uint8)


def hook(on: bool) -> None:
    """Out, or as pijit itself would have it: it rests while nothing that is enabled could use it."""
    from pijit import _native
    from pijit.runtime import tiers

    if on:
        _native.install()
        tiers.rest()
    else:
        _native.uninstall()


def let_threads_rest() -> None:
    """Returns once the process runs nothing, within half a second: the threads of a BLAS spin for a while after a product, and those of
    numba's (SciPy's) would take a core from whoever is measured next, which uses NumPy's."""
    for _ in range(100):
        began, ran = time.perf_counter(), time.process_time()
        time.sleep(0.002)
        if time.process_time() - ran < 0.2 * (time.perf_counter() - began):
            return


def interleaved(
    contenders: dict[str, Any], call: str = "f()", repeats: int = 11, sample: float = SAMPLE, **names: Any
) -> dict[str, float]:
    """Seconds of one `call` for each contender, which the call knows as f."""
    settle_allocator()
    gc.collect()  # functions jitted for an earlier figure are gone, and their claim to the hook with them
    timers, numbers = {}, {}
    for name, function in contenders.items():
        hook(name == "pijit")
        timers[name] = timeit.Timer(call, timer=CLOCK, globals={"f": function, **names})
        timers[name].timeit(2)  # compiles
        number = 1
        while (spent := timers[name].timeit(number)) < sample:
            number = max(number + 1, int(number * min(10.0, 1.2 * sample / max(spent, 1e-9))))
        numbers[name] = number
    best = dict.fromkeys(contenders, float("inf"))
    for turn in range(repeats):
        for name, timer in list(timers.items())[:: -1 if turn % 2 else 1]:  # nobody always comes after the same
            hook(name == "pijit")
            let_threads_rest()
            best[name] = min(best[name], timer.timeit(numbers[name]) / numbers[name])
    hook(True)
    return best


def human(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def ratio(name: str, best: dict[str, float], other: str, limit: float, least: bool = False) -> Figure:
    """pijit against another: time for time, or the speedup when more is better."""
    ours, theirs = best["pijit"], best[other]
    note = f"{human(ours)} against {human(theirs)}"
    value = theirs / ours if least else ours / theirs
    return Figure(f"{name} / {other}", value, limit, least=least, note=note)


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))


def peak_memory(function: Any, args: tuple[Any, ...]) -> int:
    """Bytes that a call holds at most, beyond what was there before, as far as Python and NumPy know."""
    function(*args)
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def in_new_process(program: str, repeats: int = 5) -> list[Any]:
    """What the program prints as JSON in its last line, from several fresh processes."""
    found = []
    for _ in range(repeats):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found
