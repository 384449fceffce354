"""Namespaces of the program, looked at without running any of its code: only dicts whose keys are all texts, as guards do it in C. Other keys
may have an `__eq__` of their own, and other mappings whatever they like.
"""

from __future__ import annotations

from typing import Any

from .. import _native

_NOTHING: dict[str, Any] = {}


def names_in(space: Any) -> dict[str, Any]:
    """The namespace, or an empty one where looking may run code."""
    return space if _native.only_names(space) else _NOTHING


def name_of(space: Any) -> str:
    """The name of the module that a namespace says it is, "" when it does not say."""
    name = names_in(space).get("__name__")
    return name if type(name) is str else ""
