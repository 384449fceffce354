"""The table of the page about jit in practice: a*b+c, ResNet's BasicBlock and Llama's attention, forward.

Each with its time to prepare, in a new process whose cache is empty and in one whose cache is not, and its time for 1,000 runs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from unittest import mock

from measure import Figure, human, in_new_process, interleaved, ratio
from suite import PROGRAMS

import pijit

RUNS = 1000
# Program, size, and the seconds that preparing it may take: the least that the page shows for a compiled one, or numba's import.
ROWS = (("multiply_add", 2, 0.45), ("basic_block", 8, 0.68), ("attention", 16, 1.38))

PREPARE = """
import sys, time
sys.path.insert(0, {folder!r})
import pijit
from suite import PROGRAMS
program = next(p for p in PROGRAMS if p.name == {name!r})
args = program.arguments({size})
fast = pijit.jit(program.run)
start = time.perf_counter()
fast(*args)
print(time.perf_counter() - start)
"""


def prepare(name: str, size: int) -> tuple[float, float]:
    """Seconds of the first call: with nothing on disk, and with what an earlier process left there."""
    program = PREPARE.format(folder=os.path.dirname(__file__), name=name, size=size)
    with tempfile.TemporaryDirectory() as cache, mock.patch.dict(os.environ, PIJIT_CACHE_DIR=cache):
        (cold,) = in_new_process(program, 1)
        return cold, min(in_new_process(program, 3))


def figures() -> Iterator[Figure]:
    programs = {program.name: program for program in PROGRAMS}
    for name, size, limit in ROWS:
        cold, warm = prepare(name, size)
        yield Figure(f"{name}, to prepare", cold, limit, "s", note=f"{human(warm)} with a warm cache")
        run = programs[name].run
        args = programs[name].arguments(size)
        best = interleaved({"numpy": run, "pijit": pijit.jit(run)}, "f(*args)", repeats=7, args=args)
        yield ratio(f"{name}, {RUNS} runs", {who: RUNS * seconds for who, seconds in best.items()}, "numpy", 1.0)
