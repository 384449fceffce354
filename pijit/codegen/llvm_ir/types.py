"""Types of LLVM IR, and constants of them as text."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any


class Value:
    """``ref``: how it is referred to."""

    __slots__ = ("ref", "type")
    type: Any  # what a type has depends on its kind

    def __init__(self, type: Type, ref: str) -> None:
        self.type, self.ref = type, ref

    @property
    def typed(self) -> str:
        """With its type, as an argument."""
        return f"{self.type.text} {self.ref}"


class _Undefined:
    """What an element that is not set is."""


Undefined = _Undefined()


class Constant(Value):
    """Equal where the text is. ``constant``: what it was made of; None is all zeros."""

    __slots__ = ("constant",)

    def __init__(self, type: Type, value: Any) -> None:
        self.constant = value
        super().__init__(type, type.null if value is None else "undef" if value is Undefined else type.of(value))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Constant) and self.typed == other.typed)

    def __hash__(self) -> int:
        return hash(self.typed)


class Type:
    """Equal where the text is. ``short``: in the names of intrinsics; ``null``: what is all zeros."""

    __slots__ = ("null", "short", "text")

    def __init__(self, text: str, short: str = "", null: str = "zeroinitializer") -> None:
        self.text, self.short, self.null = text, short, null

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Type) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __call__(self, value: Any) -> Value:
        return Constant(self, value)

    def of(self, value: Any) -> str:
        """A constant of this type."""
        return str(value)


class VoidType(Type):
    """Of what gives nothing."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("void")


class PointerType(Type):
    """All pointers are of one type."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("ptr", "p0", "null")


class MetaDataType(Type):
    """Of nodes, and of arguments that are such."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("metadata")


class IntType(Type):
    """With or without a sign: that is up to the instruction."""

    __slots__ = ("width",)

    def __init__(self, width: int) -> None:
        super().__init__(f"i{width}", f"i{width}", "0")
        self.width = width

    def of(self, value: Any) -> str:
        return str(int(value)) if self.width > 1 else "true" if value else "false"


class FloatType(Type):
    """32 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("float", "f32", "0.0")

    def of(self, value: Any) -> str:
        try:
            (rounded,) = struct.unpack("f", struct.pack("f", value))
        except OverflowError:
            rounded = float("inf") if value > 0 else float("-inf")
        return _hexadecimal(rounded)


class DoubleType(Type):
    """64 bits."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("double", "f64", "0.0")

    def of(self, value: Any) -> str:
        return _hexadecimal(value)


def _hexadecimal(value: float) -> str:
    return f"0x{struct.unpack('Q', struct.pack('d', value))[0]:016x}"


class _Sequence(Type):
    """Of ``count`` elements."""

    __slots__ = ("brackets", "count", "element")

    def __init__(self, element: Type, count: int, brackets: str, short: str = "") -> None:
        super().__init__(f"{brackets[0]}{count} x {element}{brackets[1]}", short)
        self.element, self.count, self.brackets = element, count, brackets

    def of(self, value: Any) -> str:
        return f"{self.brackets[0]}{', '.join(_element(self.element, item) for item in value)}{self.brackets[1]}"


class ArrayType(_Sequence):
    """In memory."""

    __slots__ = ()

    def __init__(self, element: Type, count: int) -> None:
        super().__init__(element, count, "[]")


class VectorType(_Sequence):
    """In a register."""

    __slots__ = ()

    def __init__(self, element: Type, count: int) -> None:
        super().__init__(element, count, "<>", f"v{count}{element.short}")

    def of(self, value: Any) -> str:
        return super().of(value if isinstance(value, Iterable) else [value] * self.count)


class LiteralStructType(Type):
    """One of each."""

    __slots__ = ("elements",)

    def __init__(self, elements: Sequence[Type]) -> None:
        super().__init__("{%s}" % ", ".join(map(str, elements)))  # noqa: UP031 - braces
        self.elements = tuple(elements)

    def of(self, value: Any) -> str:
        return "{%s}" % ", ".join(_element(t, v) for t, v in zip(self.elements, value, strict=True))  # noqa: UP031 - braces


class FunctionType(Type):
    """What it takes and gives."""

    __slots__ = ("args", "return_type")

    def __init__(self, return_type: Type, args: Iterable[Type]) -> None:
        self.return_type, self.args = return_type, tuple(args)
        super().__init__(f"{return_type} ({', '.join(map(str, self.args))})")


def _element(type: Type, value: Any) -> str:
    """How an element is written: itself where it is a value."""
    return value.typed if isinstance(value, Value) else Constant(type, value).typed


VOID, POINTER, METADATA, BIT, INT = VoidType(), PointerType(), MetaDataType(), IntType(1), IntType(32)
