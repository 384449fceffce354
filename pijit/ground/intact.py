"""Whether Python's built-in functions and types are those that pijit and what it compiles with were written for.

A program may rebind any of them for everybody. What was compiled sees that (its guards look); but as long as it is so, nothing of pijit's
own Python code can be relied on, and nothing more is compiled. Built-in functions are used here under names that nobody rebinds.
"""

from __future__ import annotations

import builtins
from builtins import all as _all
from builtins import map as _map
from operator import is_ as _is

_CURRENT = vars(builtins)
_OTHERS = ("print", "input", "open", "breakpoint", "__build_class__")  # rebound by many, and not used in compiling
_NEEDED = {name: value for name, value in _CURRENT.items() if callable(value) and name not in _OTHERS and "site" not in type(value).__module__}
_NAMES, _VALUES = tuple(_NEEDED), tuple(_NEEDED.values())
_get = _CURRENT.get


def intact() -> bool:
    """Whether no built-in that compiling needs is rebound."""
    return _all(_map(_is, _map(_get, _NAMES), _VALUES))
