"""The table of lowerings: one row per operation, filled by the modules that define them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..ir.graph import Op
    from .driver import Driver

# Takes the driver and the operation; returns the result (a tuple when there are several, None when there is none).
Lowering = Callable[["Driver", "Op"], Any]

LOWERINGS: dict[str, Lowering] = {}


class Unsupported(Exception):
    """The graph holds something that has no lowering; trace's tables should have avoided it."""


def row(*names: str) -> Callable[[Lowering], Lowering]:
    """Puts a lowering in the table, under the names of its operations."""

    def register(function: Lowering) -> Lowering:
        for name in names:
            assert name not in LOWERINGS, name
            LOWERINGS[name] = function
        return function

    return register
