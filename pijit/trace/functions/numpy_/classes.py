"""Which public callables of NumPy are pure, which have effects on their arguments, and which are left to the interpreter.

A pure one may read global state (print options, the error state): it is called for real where the program calls it. What it may not do is
run code of the user's, or have effects when it is tried on stand-ins.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import opaque
from ...tables import PURE
from ...values import Abstract, Known
from ..rows import row

if TYPE_CHECKING:
    from ...tracer import Tracer

# Write into their first argument; the result is None.
EFFECTS = frozenset(["copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis"])

# Files, global settings, printing, and callables that run functions they are given.
_FILES = "save savetxt savez savez_compressed load loadtxt fromfile fromregex genfromtxt memmap open_memmap"
_SETTINGS = "seterr seterrcall geterrcall errstate setbufsize set_printoptions printoptions"
_SHOWS = "info show_config show_runtime test get_include"
_RUN_CODE = "apply_along_axis apply_over_axes fromfunction fromiter frompyfunc mask_indices piecewise vectorize"
_OBJECTS = (
    "nditer nested_iters ndenumerate ndindex flatiter broadcast from_dlpack ufunc poly1d matrix asmatrix bmat recarray record ndarray"
    " busdaycalendar"
)
LEFT = frozenset(" ".join([_FILES, _SETTINGS, _SHOWS, _RUN_CODE, _OBJECTS]).split())

MODULES: tuple[ModuleType, ...] = (np, np.linalg, np.fft, np.lib.stride_tricks)


def public(module: ModuleType) -> dict[str, Any]:
    """The public callables of a module that are neither ufuncs nor classes of dtypes."""
    found = {
        name: getattr(module, name)
        for name in dir(module)
        if not name.startswith("_") and not _is_deprecated(module, name)
    }
    return {name: value for name, value in found.items() if callable(value) and not _has_its_own_table(value)}


def _is_deprecated(module: ModuleType, name: str) -> bool:
    return name not in vars(module)


def _has_its_own_table(value: Any) -> bool:
    if isinstance(value, type):
        return issubclass(value, (np.generic, np.dtype, BaseException))
    return isinstance(value, np.ufunc)


def _effect(function: Any) -> None:
    @row(function)
    def handler(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        opaque.call_for_effect(t, function, args, kwargs)
        return Known(None)


for _module in MODULES:
    for _name, _value in public(_module).items():
        if _name in EFFECTS:
            _effect(_value)
        elif _name not in LEFT:
            PURE[_value] = f"{_module.__name__}.{_name}"
