"""What compiling a program takes against numba compiling the same algorithm, both with nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator

from measure import Figure, geometric_mean, human, in_new_process

# A first call at the small size: compiling, and hardly anything else. The first of all imports numba: it is of something else.
FIRST_CALLS = """
import json, os, sys, time
os.environ["PIJIT_CACHE"] = "0"
sys.path.insert(0, {folder!r})
import numba, pijit
import numpy as np
from suite import PROGRAMS

def seconds(function, args):
    start = time.perf_counter()
    function(*args)
    return time.perf_counter() - start

for compiler in (pijit.jit, numba.njit):
    compiler(lambda x, n: x * 2.5 + n if n else x)(np.ones(3), 1.5)

found = {{}}
for program in PROGRAMS:
    if program.numba:
        args = program.arguments(program.sizes[0])
        ours = seconds(pijit.jit(program.run), args)
        try:
            found[program.name] = ours, seconds(numba.njit(program.numba), args)
        except ImportError:  # @ needs SciPy there
            pass
print(json.dumps(found))
"""


def figures() -> Iterator[Figure]:
    runs = in_new_process(FIRST_CALLS.format(folder=os.path.dirname(__file__)), 3)
    ratios = []
    for name in runs[0]:
        ours, theirs = (min(run[name][who] for run in runs) for who in (0, 1))
        ratios.append(ours / theirs)
        yield Figure(f"compile {name} / numba", ours / theirs, 1.0, note=f"{human(ours)} against {human(theirs)}")
    yield Figure("compile / numba, geometric mean", geometric_mean(ratios), 1.0)
