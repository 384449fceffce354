"""The description of one fused loop nest: what the fusion pass makes and the kernel generator compiles.

A Kernel is a value: equal descriptions are the same machine code, whichever fragment or process they belong to. It names no
addresses, no lengths and no source positions. How its words are packed: see `words`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pijit.ground.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Operand:
    """An input. ``strides`` has one entry per kernel axis: a constant number of bytes (0: broadcast along it), or None: passed at
    run time. A scalar operand has no strides. ``rows``: it has one more axis, in front, which a step folds or takes elements of.
    ``distance``: the stride of that axis, or None: passed at run time. ``near``: an operand before it and a number of bytes: it lies so far
    behind that one, and is walked along as that one is; it has no words of its own."""

    dtype: str
    strides: tuple[int | None, ...] | None
    rows: bool = False
    distance: int | None = None
    near: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One elementwise operation. ``args`` are references: 0..len(operands)-1 operands, then steps in order. ``dtype`` is the
    result's. ``fold``: the ufunc's reduction of an operand that has rows, one row after the other. ``scan``: what the ufunc accumulates
    along the only axis, the first element first. "take" is no ufunc: elements of the first argument, an operand with rows, at the places that
    the second says; a place that there is not is trouble."""

    ufunc: str
    args: tuple[int, ...]
    dtype: str
    fold: bool = False
    scan: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """A step whose result goes into an array that is there already, with strides as those of an operand: None, or on the innermost axis
    the size of an element. The kernel may take it that nothing else that it works on lies in the same memory. ``operand``: one that is
    read from there, element by element, wherever its own pointer leads to; ``logged``: what was read is also written contiguously, as a new
    array would be. ``named``: the step that floating-point flags come from, where that is known. ``spent``:
    nobody needs what was in the target."""

    reference: int
    strides: tuple[int | None, ...]
    operand: int | None = None
    logged: bool = False
    named: int | None = None
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Fold:
    """What becomes of the elements of a step along one of the kernel's axes: their sum, in NumPy's order, as if they were in a contiguous array.
    The sums are contiguous along the other axes."""

    reference: int
    axis: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """``ndim`` >= 1 axes, the outermost loop first. ``outputs``: references to steps, each written to a new array that is
    contiguous in the order of the kernel's axes. ``relaxed``: its sums and products may be regrouped and contracted."""

    ndim: int
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    store: Store | None = None
    relaxed: bool = False
    fold: Fold | None = None

    def dtype(self, reference: int) -> str:
        """The dtype of an operand or a step."""
        n = len(self.operands)
        return self.operands[reference].dtype if reference < n else self.steps[reference - n].dtype

    def behind(self, references: tuple[int, ...]) -> list[int]:
        """These, and all that they are made of, in order."""
        n, needed = len(self.operands), set(references)
        for reference in reversed(range(n, n + len(self.steps))):
            if reference in needed:
                needed.update(self.steps[reference - n].args)
        return sorted(needed)

    def part(self, outputs: tuple[int, ...], others: tuple[int, ...]) -> tuple[Kernel, list[int]]:
        """What makes these outputs only, and does these other steps, of a kernel that does nothing else; and the operands that it needs."""
        n, kept = len(self.operands), self.behind(outputs + others)
        place = {reference: number for number, reference in enumerate(kept)}
        steps = [self.steps[reference - n] for reference in kept if reference >= n]
        operands = [reference for reference in kept if reference < n]
        assert not any(self.operands[number].near for number in operands), "what lies near what is the last thing that is found out"
        made = replace(
            self,
            operands=tuple(self.operands[number] for number in operands),
            steps=tuple(replace(step, args=tuple(place[arg] for arg in step.args)) for step in steps),
            outputs=tuple(place[reference] for reference in outputs),
        )
        return made, operands

    def words(self) -> Iterator[tuple[str, int, int]]:
        """What each word of ``p`` holds, in order: ("dim", axis, 0), ("pointer", operand, 0), ("rows", operand, 0), ("row_stride",
        operand, 0), ("stride", operand, axis), ("scalar", operand, 0 or 1), ("output", index in outputs, 0), ("store", 0, 0),
        ("store_stride", 0, axis), ("log", 0, 0), ("fold", 0, 0)."""
        for axis in range(self.ndim):
            yield "dim", axis, 0
        for number, operand in enumerate(self.operands):
            if operand.strides is None:
                for half in range(2 if operand.dtype == "complex128" else 1):
                    yield "scalar", number, half
                continue
            if operand.near is not None:
                continue
            yield "pointer", number, 0
            if operand.rows:
                yield "rows", number, 0
                if operand.distance is None:
                    yield "row_stride", number, 0
            for axis, stride in enumerate(operand.strides):
                if stride is None:
                    yield "stride", number, axis
        for number in range(len(self.outputs)):
            yield "output", number, 0
        if self.store is not None:
            yield "store", 0, 0
            for axis, stride in enumerate(self.store.strides):
                if stride is None:
                    yield "store_stride", 0, axis
            if self.store.logged:
                yield "log", 0, 0
        if self.fold is not None:
            yield "fold", 0, 0
