"""Simplifies operations by rules."""

from __future__ import annotations

from ..ir.graph import Graph


def simplify(graph: Graph) -> None:
    """Applies the rules."""
