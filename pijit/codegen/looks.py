"""Which attributes generated code reads by itself (`attributes.py`; storable.py: what it writes). Asked also where the compiler is not loaded."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..ir.graph import Box, Const
from ..ir.types import is_owned
from . import emit

if TYPE_CHECKING:
    from ..ir.graph import Op

NUMBERS = ("float", "int", "bool")  # guard rows whose numbers it unboxes


@functools.cache
def layout() -> dict[str, int]:
    """Where it finds what it looks at: csrc/inline_cache.c. Empty where the extension is not built: helpers look then."""
    native = emit._native()
    return {} if native is None else dict(native.layout())


def reads(op: Op) -> str | None:
    """How a "look" is done by generated code: at "whole", the type of the object itself; or what an attribute is, "object", "any" (of any type),
    "none" or a kind of numbers. None: it is not."""
    (owner,), rows = op.attrs["arguments"], op.attrs["result_guard"]
    if not layout() or not is_at_hand(owner) or not 1 <= len(rows) <= 3:
        return None
    *fields, (name, register, *what) = rows
    if len(fields) == 2 and fields.pop()[:2] != ("any", 1):
        return None
    if not fields:
        return "whole" if (name, register) == ("object", 0) else None
    if fields[0][:2] != ("field", 0) or register != 1:
        return None
    if name == "is":
        return "none" if what[0] is None else None
    return name if name in ("object", "any") or name in NUMBERS else None


def is_at_hand(owner: Any) -> bool:
    """Whether a recipe stands for an object that generated code has."""
    return isinstance(owner, Box) and not isinstance(owner.value, Const) and is_owned(owner.value.type)
