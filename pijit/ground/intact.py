"""Whether Python's built-in functions and types are those that pijit and what it compiles with were written for.

A program may rebind any of them for everybody. What was compiled sees that (its guards look); but as long as it is so, nothing of pijit's
own Python code can be relied on, and nothing more is compiled. No built-in function is used here.
"""

from __future__ import annotations

import builtins

_CURRENT = vars(builtins)
_OTHERS = ("print", "input", "open", "breakpoint", "__build_class__")  # rebound by many, and not used in compiling
_NEEDED = {name: value for name, value in _CURRENT.items() if callable(value) and name not in _OTHERS and "site" not in type(value).__module__}


def intact() -> bool:
    """Whether no built-in that compiling needs is rebound."""
    for name in _NEEDED:
        if _CURRENT.get(name) is not _NEEDED[name]:
            break
    else:
        return True
    return False
