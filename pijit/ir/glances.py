"""Looks at objects whose rows ask for built-in types, lengths and items only: native code answers them by itself."""

from __future__ import annotations

from typing import Any

from ..ground.names import is_one_of
from .graph import Box, Const, Op
from .types import is_owned

CLASSES = (tuple, list, dict, str, bytes, set, int, float, bool)


def is_glance(op: Op) -> bool:
    """Whether it needs no call."""
    (recipe,), rows = op.attrs["arguments"], op.attrs["result_guard"]
    if not isinstance(recipe, Box) or isinstance(recipe.value, Const) or not is_owned(recipe.value.type) or not all(map(_is_simple, rows)):
        return False
    items = [row for row in rows if row[0] == "item"]
    return not items or (len(items) == 1 and items[0][1] == 0 and getattr(recipe.value.type, "name", "") in ("tuple", "list"))


def _is_simple(row: tuple[Any, ...]) -> bool:
    kind = row[0]
    if kind == "object":
        return is_one_of(row[3], CLASSES)
    if kind == "type":
        return is_one_of(row[2], CLASSES)
    return kind in ("int", "float", "any", "length", "item") or (kind == "is" and row[2] is None)
