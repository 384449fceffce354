"""How jitted functions pickle: by their name, as any function does; where the name is the plain function's, as that one and its options."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any

from pijit.ground.config import CONFIG
from pijit.ground.names import is_one_of
from pijit.runtime.copies import options_of


def under_its_name(function: FunctionType) -> object:
    """What pickle finds under a function's name; None when it finds nothing. Runs no code of the program."""
    found: object = sys.modules.get(function.__module__) if type(function.__module__) is str else None
    for part in function.__qualname__.split("."):
        if type(found) is not ModuleType and not isinstance(found, type):
            return None
        found = vars(found).get(part)
    return getattr(found, "__func__", None) if is_one_of(type(found), (staticmethod, classmethod)) else found


def named(new: FunctionType, plain: FunctionType) -> FunctionType:
    """The jitted form of a function that can be pickled. A decorated function has its name to itself: it is not bound yet
    when the decorator runs. `fast = jit(slow)` has not."""
    if CONFIG.enabled and under_its_name(plain) is plain:
        from pijit import _native

        _native.make_alias(new)
    return new


def reduced(alias: Any) -> Any:
    """What `__reduce_ex__` of such a function gives."""
    options = options_of(alias.__code__)
    if options is None or under_its_name(alias) is alias:
        return alias.__qualname__
    from pijit.api.decorator import jitted

    return jitted, (alias.__wrapped__, options)
