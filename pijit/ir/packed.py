"""array.array and bytearray: objects that hold numbers of one type side by side."""

from __future__ import annotations

import struct
from array import array
from typing import Any

from pijit.ir.types import FLOAT, INT, Type

BYTES = "bytearray"
_INTS = "bBhHiIlq"  # unsigned ones of 64 bits may be no INT
_FLOATS = "fd"


def element(code: str) -> Type | None:
    """What items are, by the typecode of an array or BYTES; None where they are not taken out natively."""
    return INT if code == BYTES or code in _INTS else FLOAT if code in _FLOATS else None


def size(code: str) -> int:
    """Bytes of an item."""
    return 1 if code == BYTES else struct.calcsize(code)


def bounds(code: str) -> tuple[int, int]:
    """The least and the greatest int that an item can be."""
    bits = 8 * size(code)
    return (0, (1 << bits) - 1) if code == BYTES or code.isupper() else (-1 << bits - 1, (1 << bits - 1) - 1)


def code_of(held: Any) -> str | None:
    """The typecode of an object that is exactly one of these."""
    return BYTES if type(held) is bytearray else held.typecode if type(held) is array else None
