"""Copies of arguments that share memory as the originals do, and the first difference between two objects, bit for bit."""

from __future__ import annotations

import copy
import math
import struct
from typing import Any, NamedTuple

import numpy as np

from pijit.ground.names import is_writable


class Unlike(NamedTuple):
    """Where two objects differ, and how each looks there."""

    where: str
    plain: str
    native: str


# ---- copies ----------------------------------------------------------------------------------------------------------


def arrays_in(value: Any, seen: dict[int, Any]) -> None:
    """Collects every array that can be reached."""
    if id(value) in seen or isinstance(value, (str, bytes, int, float, type)):
        return
    seen[id(value)] = value
    if isinstance(value, dict):
        for item in (*value.keys(), *value.values()):
            arrays_in(item, seen)
    elif isinstance(value, (tuple, list, set, frozenset)):
        for item in value:
            arrays_in(item, seen)
    elif type(value).__module__ not in ("builtins", "numpy") and hasattr(value, "__dict__"):
        arrays_in(vars(value), seen)


def copied(value: Any) -> Any:
    """A deep copy in which plain arrays keep their strides and flags, and overlap as they did."""
    seen: dict[int, Any] = {}
    arrays_in(value, seen)
    memo: dict[int, Any] = {}
    roots: dict[int, np.ndarray[Any, Any]] = {}
    for array in seen.values():
        root = array
        while isinstance(getattr(root, "base", None), np.ndarray):
            root = root.base
        if type(array) is not np.ndarray or type(root) is not np.ndarray or array.dtype.hasobject:
            continue
        new = roots.setdefault(id(root), root.copy(order="K"))
        flat = new.ravel(order="K")
        if array is not root:
            if not root.size or not np.shares_memory(flat, new):
                continue  # memory with holes: deepcopy will do
            low = np.lib.array_utils.byte_bounds(root)[0]
            offset = array.__array_interface__["data"][0] - low
            new = np.ndarray(array.shape, array.dtype, flat.view(np.uint8).data, offset, array.strides)
        new.flags.writeable = is_writable(array)
        memo[id(array)] = new
    return copy.deepcopy(value, memo)


# ---- differences -----------------------------------------------------------------------------------------------------


def unlike(plain: Any, native: Any, where: str, path: tuple[int, ...] = ()) -> Unlike | None:
    """The first difference: types, dtypes, shapes, bits. Every NaN is the same."""
    if type(plain) is not type(native):
        return Unlike(f"type({where})", type(plain).__qualname__, type(native).__qualname__)
    if id(plain) in path:
        return None
    inner = (*path, id(plain))
    if isinstance(plain, (tuple, list)):
        if len(plain) != len(native):
            return Unlike(f"len({where})", str(len(plain)), str(len(native)))
        pairs = [(f"{where}[{i}]", a, b) for i, (a, b) in enumerate(zip(plain, native, strict=True))]
    elif isinstance(plain, dict):
        if list(plain) != list(native):
            return Unlike(f"list({where})", str(list(plain)), str(list(native)))
        pairs = [(f"{where}[{key!r}]", plain[key], native[key]) for key in plain]
    elif isinstance(plain, (np.ndarray, np.generic)):
        return unlike_arrays(plain, native, where)
    elif isinstance(plain, (float, complex)):
        same = bits(complex(plain).real, complex(plain).imag) == bits(complex(native).real, complex(native).imag)
        return None if same else Unlike(where, repr(plain), repr(native))
    elif isinstance(plain, (int, str, bytes, range, slice)):
        return None if plain == native else Unlike(where, repr(plain), repr(native))
    else:
        pairs = [(where, vars(plain), vars(native))] if hasattr(plain, "__dict__") and not callable(plain) else []
    return next(filter(None, (unlike(a, b, name, inner) for name, a, b in pairs)), None)


def bits(*numbers: float) -> list[bytes]:
    return [struct.pack("<d", math.nan if math.isnan(x) else x) for x in numbers]


def unlike_arrays(plain: Any, native: Any, where: str) -> Unlike | None:
    """Arrays and NumPy scalars."""
    for attribute in ("dtype", "shape", "strides"):
        a, b = getattr(plain, attribute), getattr(native, attribute)
        if a != b:
            return Unlike(f"{where}.{attribute}", str(a), str(b))
    a, b = np.asarray(plain), np.asarray(native)
    if a.dtype.hasobject:
        return unlike(a.tolist(), b.tolist(), where)
    same = (raw(a) == raw(b)).all(axis=-1)
    if a.dtype.kind in "fc":
        same |= np.isnan(a) & np.isnan(b)
    if same.all():
        return None
    index = tuple(int(i) for i in np.argwhere(~same)[0])
    place = f"{where}[{', '.join(map(str, index))}]" if index else where
    return Unlike(place, *(repr(side[index] if a.dtype.kind in "fc" else side[index].item()) for side in (a, b)))


def raw(array: Any) -> Any:
    """The bytes of each element, along a last axis."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(*array.shape, array.dtype.itemsize)
