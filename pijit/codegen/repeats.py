"""A kernel that changes an array, as one that does it several times with other operands: between the times an element is in a register.

In a loop such as `out += w[i] * x[i : i + n]` the kernel waits for itself; `csrc/backlog.c` takes several that wait together. A new array that
the kernel makes beside, and reads the next time, is made the last time only where nobody else reads it.
"""

from __future__ import annotations

from pijit.ground.records import dataclass, replace

from ..ir.kernel import Kernel, Operand, Step
from ..ir.types import Np
from ..ir.ufuncs import place_counts, raises, repeatable
from .kernels import loops

_SHORT = 3  # steps


@dataclass(frozen=True, slots=True)
class Links:
    """How one time goes with the next. ``feeds``: by the number of an output, the operand that is it the next time; ``same``: operands that are the
    same every time."""

    feeds: dict[int, int]
    same: frozenset[int]

    def words(self, kernel: Kernel) -> list[tuple[int, int]]:
        """A word of the next time, and the word of this one that it has to be equal to."""
        place = {word: number for number, word in enumerate(kernel.words())}
        pairs = [(place["pointer", number, 0], place["output", output, 0]) for output, number in self.feeds.items()]
        kinds = ("pointer", "stride", "scalar")
        return pairs + [(word, word) for (kind, number, _), word in place.items() if kind in kinds and number in self.same]


def times(kernel: Kernel, feeds: dict[int, int]) -> tuple[int, ...]:
    """How often at once, the most first: what windows of 3, of 3 by 3 and of 5 by 5 elements need few passes for, where that much fits into
    registers; what picks from them takes more code. A loop that makes an array in every round has the memory of the last but one for
    it, so that what goes in and what comes out are apart after an odd number of rounds."""
    if feeds:
        return (5, 3)
    if place_counts(kernel):
        return (3,)
    return (9, 3) if len(kernel.steps) <= _SHORT else (4, 2)


def can_repeat(kernel: Kernel, feeds: dict[int, int]) -> bool:
    """Whether the kernel reads what it stores and what it makes, and does nothing else that could not be done in one go."""
    store = kernel.store
    if store is None or store.operand is None or kernel.fold is not None or (place_counts(kernel) and not repeatable(kernel, store.operand)):
        return False
    if len(feeds) != len(kernel.outputs) or not all(_fits(kernel, output, operand) for output, operand in feeds.items()):
        return False
    if any(operand.rows for operand in kernel.operands) or loops(kernel):
        return False
    return kernel.operands[store.operand].dtype == kernel.dtype(store.reference)


def _fits(kernel: Kernel, output: int, number: int) -> bool:
    """Whether the operand is gone through as the output is."""
    dtype = kernel.dtype(kernel.outputs[output])
    return kernel.operands[number] == Operand(dtype, (Np(dtype).dtype.itemsize,))


def _again(operand: Operand, time: int, place: dict[tuple[int, int], int]) -> Operand:
    """The operand the next times. Views of one array are all the same every time, or none is."""
    return operand if operand.near is None else replace(operand, near=(place[time, operand.near[0]], operand.near[1]))


def repeated(kernel: Kernel, times: int, links: Links) -> tuple[Kernel, list[tuple[int, int]]]:
    """The kernel so many times over, and of each of its words: of which time, and which word of the kernel it is there."""
    store = kernel.store
    assert store is not None
    assert store.operand is not None
    count = len(kernel.operands)
    feeds = links.feeds
    others = [number for number in range(count) if number != store.operand and number not in feeds.values() and number not in links.same]
    origins = [(0, number) for number in range(count)] + [(time, number) for time in range(1, times) for number in others]
    place = {origin: number for number, origin in enumerate(origins)}
    operands = tuple(_again(kernel.operands[number], time, place) for time, number in origins)
    steps: list[Step] = []
    for time in range(times):
        place[time, store.operand] = store.operand if time == 0 else place[time - 1, store.reference]
        if time:
            place |= {(time, number): place[0, number] for number in links.same}
            place |= {(time, number): place[time - 1, kernel.outputs[output]] for output, number in feeds.items()}
        place |= {(time, count + number): len(operands) + len(steps) + number for number in range(len(kernel.steps))}
        steps += [replace(step, args=tuple(place[time, arg] for arg in step.args)) for step in kernel.steps]
    again = repeatable(kernel, store.operand)  # then so are several times: of zeros, the first one that counts was picked, and is again
    outputs = tuple(place[times - 1, reference] for reference in kernel.outputs)
    made = replace(kernel, operands=operands, steps=tuple(steps), outputs=outputs)
    made = replace(made, store=replace(store, reference=place[times - 1, store.reference], logged=raises(made) and not again, named=None))
    words = {word: number for number, word in enumerate(kernel.words())}
    sources = []
    for kind, number, extra in made.words():
        time, of = origins[number] if kind in ("pointer", "stride", "scalar") else (times - 1 if kind == "output" else 0, number)
        sources.append((time, words.get((kind, of, extra), 0)))  # the log has a place of its own
    return made, sources
