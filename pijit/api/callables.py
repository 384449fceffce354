"""What a callable is made of: the Python function behind a method, a partial or an object."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def call_method(thing: object) -> FunctionType | None:
    """The `__call__` that a class defines in Python."""
    call = getattr(type(thing), "__call__", None)  # noqa: B004  # the method itself is wanted
    return call if isinstance(call, FunctionType) else None


def plain_function(thing: Any) -> FunctionType | None:
    """The Python function behind a method, a partial, a static or class method, or a callable object."""
    while not isinstance(thing, FunctionType):
        inner = getattr(thing, "__func__", None) or getattr(thing, "func", None) or call_method(thing)
        if inner is None:
            return None
        thing = inner
    return thing
