"""What a callable is made of: the Python function behind a method, a partial or an object."""

from __future__ import annotations

import functools
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


def unbound(thing: Any) -> tuple[FunctionType | None, tuple[Any, ...], dict[str, Any]]:
    """The Python function behind a callable, with the arguments that the callable puts before the caller's."""
    first: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while not isinstance(thing, FunctionType):
        if hasattr(thing, "__self__") and hasattr(thing, "__func__"):
            first, thing = (thing.__self__, *first), thing.__func__
        elif isinstance(thing, functools.partial):
            first, keywords, thing = (*thing.args, *first), {**thing.keywords, **keywords}, thing.func
        elif call_method(thing) is not None:
            first, thing = (thing, *first), call_method(thing)
        else:
            return None, (), {}
    return thing, first, keywords
