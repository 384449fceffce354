"""One row of the table of programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator, int], tuple[Any, ...]]

ARRAY = "array"  # whole-array statements
ELEMENTARY = "elementary"  # the same, where exp, log, tanh and the like are most of the work
LOOPS = "loops"  # element by element


@dataclass(frozen=True)
class Program:
    """A program in ordinary NumPy that leaves its arguments as they are, so that every call does the same."""

    run: Callable[..., Any]
    make: Make
    sizes: tuple[int, int, int]  # small: the cost of a call; medium: in the caches; large: beyond them, or long
    kind: str = ARRAY
    numba: Callable[..., Any] | None = None  # the same algorithm as numba's users write it, not yet compiled

    @property
    def name(self) -> str:
        return self.run.__name__

    def arguments(self, size: int) -> tuple[Any, ...]:
        """The same at every call."""
        return self.make(np.random.default_rng(size), size)
