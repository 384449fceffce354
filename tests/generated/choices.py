"""Where the choices of a generated program come from: `choose(n)` gives a number below n, from hypothesis in the test suite, from a seeded generator in the long runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Choices:
    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.choose(len(items))]

    def one_in(self, n: int) -> bool:
        return self.choose(n) == n - 1
