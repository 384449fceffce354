"""The tables of known callables and attributes. `functions` fills them: one row per callable.

CALLABLES: object -> handler(tracer, args, kwargs) -> abstract result (raising Break where the arguments are not supported).
ATTRIBUTES: (kind, name) -> handler(tracer, owner) -> abstract result; kinds as in values.kind_of.
PURE: callables without visible effects that look at their arguments only; called as they are from inside fragments.
INHERITED: methods in C that instances of a Python class have of a base, with rows in CALLABLES.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ground.names import FUNCTIONS, is_one_of

if TYPE_CHECKING:
    from .tracer import Tracer
    from .values import Abstract

Handler = Callable[["Tracer", list["Abstract"], dict[str, "Abstract"]], "Abstract"]

CALLABLES: dict[Any, Handler] = {}
ATTRIBUTES: dict[tuple[str, str], Callable[[Tracer, Abstract], Abstract]] = {}
PURE: dict[Any, str] = {}
INHERITED: dict[Any, bool] = {}

_KEYS = (*FUNCTIONS, type, type(np.dtype))


def lookup(table: dict[Any, Any], key: Any) -> Any:
    """The row of a callable in such a table. Other kinds than those that have rows may have a __hash__ or an __eq__ of the program's."""
    function = key.__func__ if type(key) is types.MethodType else key
    return table.get(key) if is_one_of(type(function), _KEYS) else None
