"""make bench-peers: the suite against the best of numba, XLA and torch.compile.

python bench/peers.py [one|all] [O1|O2] [program...]

Not part of `make bench`: it needs jax and torch, which the Makefile keeps in an environment of their own. numba gets the
hand-written versions, XLA those of suite/xla.py with its arguments already where it wants them, torch.compile the NumPy
source itself. With "one" the process keeps to one core, which every thread pool respects.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

# No pool of compilers that is there while others are measured.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

# Before any of them counts the cores.
if __name__ == "__main__" and sys.argv[1:2] == ["one"]:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.environ |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")}

import jax
import numpy as np
import torch
from measure import Figure, geometric_mean, human, interleaved
from ratios import BUDGET, alike, compiled_by_numba, same
from suite import ELEMENTARY, LOOPS, PROGRAMS, Program
from suite.xla import VERSIONS

import pijit

CUBES = frozenset({"n_body"})  # r**3 is NumPy's power at O1, two fifths of the time; numba gets r * r * r
# NumPy's matrix products, whose bits these have, may take longer by themselves than XLA takes for all: its BLAS has no kernels for the widest vectors
# of some processors (1.9 of 2.0 ms, and 3.0 of 3.7 ms, on one where XLA took 1.1 and 1.4 ms).
PRODUCTS = frozenset({"attention", "basic_block"})
LIMITS = {"O1": (0.85, 0.6), "O2": (1.0, 0.0)}  # of the geometric mean, and of each program
# torch.compile unrolls loops: these would take minutes. The one with a condition breaks at every turn.
UNROLLED = frozenset(
    ("lu", "lu_broadcast", "cholesky", "gram_schmidt", "triangular_solve", "floyd_warshall", "csr_rows", "thomas_many")
) | {"laplace"}


def settled(result: Any) -> Any:
    """JAX returns before it is done."""
    return jax.block_until_ready(result)


def by_xla(program: Program, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    version = VERSIONS.get(program.name)
    if version is None:
        return None
    static = tuple(i for i, arg in enumerate(args) if isinstance(arg, int))
    compiled = jax.jit(version, static_argnums=static)
    placed = [jax.device_put(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    return lambda *_: settled(compiled(*placed))


def by_torch(program: Program, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    if program.kind == LOOPS or program.name in UNROLLED:
        return None
    torch.compiler.reset()
    return torch.compile(program.run, dynamic=False)


def answers(program: Program, size: int, name: str, function: Any, args: tuple[Any, ...], expected: Any) -> bool:
    """Whether it does what the program does; what refuses or differs is named, and does not take part."""
    try:
        got = function(*args)
    except Exception as error:
        print(
            f"  {program.name}, {size}: {name} refuses: {type(error).__name__}: {str(error).splitlines()[0][:80]}",
            flush=True,
        )
        return False
    if not alike(expected, got):
        print(f"  {program.name}, {size}: {name} gives another answer", flush=True)
        return False
    return True


def measured(program: Program, size: int, level: str) -> dict[str, float]:
    """Seconds of one call of each that can run it."""
    args = program.arguments(size)
    expected = program.run(*args)
    ours = pijit.jit(program.run, jit_level=level)
    right = same if level == "O1" else alike
    assert all(right(expected, ours(*args)) for _ in range(3)), f"{program.name}, {size}: another answer than NumPy's"
    peers = {"xla": by_xla(program, args), "torch": by_torch(program, args)}
    contenders = {"pijit": ours, "numpy": program.run, "numba": compiled_by_numba(program, args, expected)}
    contenders |= {n: f for n, f in peers.items() if f and answers(program, size, n, f, args, expected)}
    return interleaved({n: f for n, f in contenders.items() if f}, "f(*args)", repeats=5, sample=BUDGET, args=args)


def figures(level: str, names: list[str]) -> Iterator[Figure]:
    speeds = []
    mean, least = LIMITS[level]
    for program in PROGRAMS:
        if names and program.name not in names:
            continue
        for size in program.sizes[1:]:
            best = measured(program, size, level)
            peers = {who: seconds for who, seconds in best.items() if who not in ("pijit", "numpy")}
            if not peers:
                continue
            first = min(peers, key=peers.__getitem__)
            speeds.append(peers[first] / best["pijit"])
            note = ", ".join(f"{who} {human(seconds)}" for who, seconds in best.items())
            # exact elementary functions are NumPy's own, and bound by them
            limit = 0.0 if program.kind == ELEMENTARY or program.name in CUBES | PRODUCTS else least
            yield Figure(f"{program.name}, {size}: speed / {first}", speeds[-1], limit, least=True, note=note)
    if speeds:
        yield Figure("geometric mean of the speed / the best", geometric_mean(speeds), mean, least=True)


def main(cores: str, level: str, names: list[str]) -> None:
    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    print(
        f"\npeers, {level}, {cores} core{'s' * (cores == 'all')}: numba, jax {jax.__version__}, torch {torch.__version__}",
        flush=True,
    )
    for figure in figures(level, names):
        print("  " + figure.line(), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] not in (["one"], ["all"]):
        sys.exit(__doc__)
    given = sys.argv[2:]
    main(sys.argv[1], given.pop(0) if given[:1] in (["O1"], ["O2"]) else "O1", given)
