"""Whether Python's built-in functions and types are those that pijit and what it compiles with were written for, and the modules that all of it
imports from are where they were.

A program may rebind any built-in for everybody, and empty sys.modules. What was compiled sees what concerns it (its guards look); but as long as
it is so, nothing of pijit's own Python code can be relied on, and nothing more is compiled. Built-in functions are used here under names that
nobody rebinds.
"""

from __future__ import annotations

import builtins
import sys
from builtins import all as _all
from builtins import dict as _dict
from builtins import isinstance as _isinstance
from builtins import map as _map
from builtins import vars as _vars
from itertools import repeat as _repeat
from operator import is_ as _is

import numpy as np  # so that it is among the modules

_CURRENT = vars(builtins)
_OTHERS = ("print", "input", "open", "breakpoint", "__build_class__")  # rebound by many, and not used in compiling
_NEEDED = {name: value for name, value in _CURRENT.items() if callable(value) and name not in _OTHERS and "site" not in type(value).__module__}
_NAMES, _VALUES = tuple(_NEEDED), tuple(_NEEDED.values())
_get = _CURRENT.get
_MODULES = {name: sys.modules[name] for name in ("builtins", "sys", np.__name__, __name__.partition(".")[0])}


def intact() -> bool:
    """Whether no built-in that compiling needs is rebound, and no module."""
    return _all(_map(_is, _map(_get, _NAMES), _VALUES)) and _has_modules()


def _has_modules() -> bool:
    """None of the program's code is run, and no function is made: where memory has run out, CPython 3.12+ lets go of its code twice."""
    modules = _vars(sys).get("modules")
    return _isinstance(modules, _dict) and _all(_map(_is, _map(_dict.get, _repeat(modules), _MODULES), _MODULES.values()))
