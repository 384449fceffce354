"""Types of graph values."""

from __future__ import annotations

import numpy as np

from pijit.ground.names import ByClass
from pijit.ground.records import dataclass


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types. Types are values: equal types are interchangeable."""


@dataclass(frozen=True, slots=True)
class Scalar(Type):
    """A Python scalar. ``int`` is an int that fits in 64 bits; dimensions and offsets have this type too."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Np(Type):
    """A NumPy scalar of one of the NATIVE dtypes, named as NumPy names it (``float64``)."""

    name: str

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.name)

    def __str__(self) -> str:
        return f"np.{self.name}"


@dataclass(frozen=True, slots=True)
class Array(Type):
    """An exact ndarray with a NATIVE dtype. ``order`` is what is known of its strides:

    "C" C-contiguous, "F" Fortran-contiguous and not C, "S" positive strides each at least as large as the next
    ones, "A" nothing.
    """

    name: str
    ndim: int
    order: str = "A"
    writable: bool = True

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.name)

    @property
    def element(self) -> Np:
        return Np(self.name)

    def __str__(self) -> str:
        return f"{SHORT[self.name]}[{self.ndim}]{self.order}" + ("" if self.writable else "r")


@dataclass(frozen=True, slots=True)
class Obj(Type):
    """Any Python object; ``name`` is its exact type's qualified name, or "object"."""

    name: str = "object"

    def __str__(self) -> str:
        return self.name


INT, FLOAT, BOOL = Scalar("int"), Scalar("float"), Scalar("bool")
COMPLEX = Scalar("complex")  # only where one comes in: capture works on the two floats
OBJECT = Obj()

# The dtypes that are computed natively; all others stay objects and go through NumPy.
SHORT = {
    "bool": "b1",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float32": "f32", "float64": "f64",
    "complex64": "c64", "complex128": "c128",
}  # fmt: skip
NATIVE = frozenset(SHORT)
HALVES = {"complex64": "float32", "complex128": "float64"}  # the dtypes of the parts of complex numbers

# The types of numbers, by the classes of the program's objects.
NUMBERS: ByClass[Type] = ByClass({bool: BOOL, int: INT, float: FLOAT, **{np.dtype(name).type: Np(name) for name in NATIVE}})

# The NumPy scalar that holds exactly what a Python scalar does.
SAME_SCALAR: dict[Type, Np] = {BOOL: Np("bool"), INT: Np("int64"), FLOAT: Np("float64")}


def words(type: Type) -> int:
    """How many 64-bit words hold a value of this type."""
    return 2 if type in (COMPLEX, Np("complex128")) else 1


def is_owned(type: Type) -> bool:
    """Whether values of this type are Python objects that native code must keep alive."""
    return isinstance(type, (Array, Obj))
