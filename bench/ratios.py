"""Every program of the suite at every size against NumPy, and against the same algorithm compiled by numba.

The answers are compared first: with NumPy's bit for bit, with numba's to a few digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from measure import Figure, geometric_mean, interleaved, peak_memory, ratio
from suite import ARRAY, ELEMENTARY, LOOPS, PROGRAMS, Program

import pijit

SLOWER = 1.05  # at every size of every program
BUDGET = 0.01  # seconds that one sample lasts at least
# By kind, at medium and large sizes: against whom, and how many times as fast in the geometric mean.
MEANS = ((ARRAY, "numpy", 2.5), (ELEMENTARY, "numpy", 1.5), (LOOPS, "numba", 0.9))


def parts(value: Any) -> list[np.ndarray]:
    """The arrays and numbers of a result."""
    return [part for item in value for part in parts(item)] if isinstance(value, tuple) else [np.asarray(value)]


def same(a: Any, b: Any) -> bool:
    """Types, shapes and bits."""
    return (
        type(a) is type(b)
        and len(parts(a)) == len(parts(b))
        and all(
            x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
            for x, y in zip(parts(a), parts(b), strict=True)
        )
    )


def alike(a: Any, b: Any, tolerance: float = 1e-3) -> bool:
    """The same problem was solved: what does not promise NumPy's bits has to come this near, of the largest value."""
    return len(parts(a)) == len(parts(b)) and all(
        x.shape == y.shape and np.allclose(x, y, rtol=tolerance, atol=tolerance * np.abs(x).max(initial=0.0))
        for x, y in zip(parts(a), parts(b), strict=True)
    )


def compiled_by_numba(program: Program, args: tuple[Any, ...], answer: Any) -> Any:
    """Compiled and run once; None where there is no version, or numba lacks what it takes (@ needs SciPy)."""
    if program.numba is None:
        return None
    function = numba.njit(program.numba)
    try:
        got = function(*args)
    except ImportError:
        return None
    assert alike(answer, got), f"{program.name}: numba's answer is another one"
    return function


def measured(program: Program, size: int, ours: Any) -> tuple[dict[str, float], Any]:
    """Seconds of one call for each contender, once their answers agree."""
    args = program.arguments(size)
    answer = program.run(*args)
    for _ in range(3):  # the interpreter's, a first and a later native run
        assert same(answer, ours(*args)), f"{program.name}, {size}: another answer than NumPy's"
    contenders = {"numpy": program.run, "pijit": ours}
    if native := compiled_by_numba(program, args, answer):
        contenders["numba"] = native
    return interleaved(contenders, "f(*args)", repeats=5, sample=BUDGET, args=args), args


def figures(names: tuple[str, ...] = ()) -> Iterator[Figure]:
    speedups: dict[tuple[str, str], list[float]] = {(kind, other): [] for kind, other, _ in MEANS}
    for program in PROGRAMS:
        if names and program.name not in names:
            continue
        ours = pijit.jit(program.run)
        for size in program.sizes:
            best, args = measured(program, size, ours)
            yield ratio(f"{program.name}, {size}", best, "numpy", SLOWER)
            if program.kind == LOOPS:
                yield ratio(f"{program.name}, {size}", best, "numba", 1 / 0.9)
            for kind, other in speedups:
                if program.kind == kind and size != program.sizes[0] and other in best:
                    speedups[kind, other].append(best[other] / best["pijit"])
        plain, native = (peak_memory(f, args) for f in (program.run, ours))
        yield Figure(f"{program.name}, peak memory / numpy", native / max(plain, 1), 1.0)
    for kind, other, limit in MEANS:
        if found := speedups[kind, other]:
            name = f"{kind} programs, medium and large: mean speedup over {other}"
            yield Figure(name, geometric_mean(found), limit, least=True, note=f"{len(found)} figures")
