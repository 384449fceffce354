"""A kernel that changes an array, as one that does it several times with other operands: between the times an element is in a register.

In a loop such as `out += w[i] * x[i : i + n]` the kernel waits for itself; `csrc/backlog.c` takes several that wait together.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.kernel import Kernel, Step
from ..ir.ufuncs import place_counts, raises
from .kernels import by_loop

TIMES = (4, 2)


def can_repeat(kernel: Kernel) -> bool:
    """Whether the kernel reads what it stores, and does nothing else that could not be done in one go."""
    store = kernel.store
    if store is None or store.operand is None or kernel.fold is not None or kernel.outputs or place_counts(kernel):
        return False
    if any(operand.rows for operand in kernel.operands) or any(by_loop(kernel, step) for step in kernel.steps):
        return False
    return kernel.operands[store.operand].dtype == kernel.dtype(store.reference)


def repeated(kernel: Kernel, times: int) -> tuple[Kernel, list[tuple[int, int]]]:
    """The kernel so many times over, and of each of its words: of which time, and which word of the kernel it is there."""
    store = kernel.store
    assert store is not None
    assert store.operand is not None
    count = len(kernel.operands)
    others = [number for number in range(count) if number != store.operand]
    origins = [(0, number) for number in range(count)] + [(time, number) for time in range(1, times) for number in others]
    operands = tuple(kernel.operands[number] for _, number in origins)
    place = {origin: number for number, origin in enumerate(origins)}
    steps: list[Step] = []
    for time in range(times):
        place[time, store.operand] = store.operand if time == 0 else place[time - 1, store.reference]
        place |= {(time, count + number): len(operands) + len(steps) + number for number in range(len(kernel.steps))}
        steps += [replace(step, args=tuple(place[time, arg] for arg in step.args)) for step in kernel.steps]
    made = replace(kernel, operands=operands, steps=tuple(steps))
    made = replace(made, store=replace(store, reference=place[times - 1, store.reference], logged=raises(made), named=None))
    words = {word: number for number, word in enumerate(kernel.words())}
    sources = []
    for kind, number, extra in made.words():
        time, of = origins[number] if kind in ("pointer", "stride", "scalar") else (0, number)
        sources.append((time, words.get((kind, of, extra), 0)))  # the log has a place of its own
    return made, sources
