"""The guards of a fragment under construction: rows of docs/native.md, with graph values where the native rows have words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ground.names import class_name, is_one_of, short
from ..ir.graph import Value
from ..ir.types import BOOL, COMPLEX, FLOAT, INT, NATIVE, Array, Np, Obj
from .sources import Source, _Same

_TYPENUM = {name: np.dtype(name).num for name in NATIVE}


class Guards:
    """Loads every source once; every check once. ``texts[i]`` says row i for the user, ``sources[i]`` names its source."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.texts: list[str] = []
        self.names: list[str] = []
        self._registers: dict[Source, int] = {}
        self._seen: set[Any] = set()
        self._classes: dict[int, tuple[int, dict[str, Any]]] = {}

    def _add(self, row: tuple[Any, ...], name: str, text: str) -> None:
        self.rows.append(row)
        self.names.append(name)
        self.texts.append(text)

    def load(self, source: Source) -> int:
        register = self._registers.get(source)
        if register is None:
            parent = () if source.parent is None else (self.load(source.parent),)
            operands = tuple(part.value if isinstance(part, _Same) else part for part in source.row[1:])
            self._add((source.row[0], *parent, *operands), source.name, f"{source.name} exists")
            register = self._registers[source] = len(self._registers)
        return register

    def check(self, source: Source, kind: str, *operands: Any, text: str) -> None:
        register = self.load(source)
        key = (kind, register, *(id(o) if not is_one_of(type(o), (int, bool, str)) else o for o in operands))
        if key not in self._seen:
            self._seen.add(key)
            self._add((kind, register, *operands), source.name, text)

    def apart(self, one: Source, other: Source) -> None:
        """They are two objects."""
        registers = self.load(one), self.load(other)
        self._add(("apart", *registers), one.name, f"{one.name} is not {other.name}")

    def frame(self, kind: str, *operands: Any, text: str) -> None:
        """A check of the frame itself, not of a loaded object."""
        key = (kind, *(id(o) if not is_one_of(type(o), (int, bool, str)) else o for o in operands))
        if key not in self._seen:
            self._seen.add(key)
            self._add((kind, *operands), text, text)

    def member(self, cls: type, name: str, found: Any) -> None:
        """What a class and its bases say of a name (UNSET: nothing). All names of one class are one row."""
        if id(cls) not in self._classes:
            self._classes[id(cls)] = len(self.rows), {}
            self._add((), class_name(cls, "__name__"), "")
        index, names = self._classes[id(cls)]
        if name in names and names[name] is found:
            return
        names[name] = found
        self.rows[index] = ("class", (cls, *(part for pair in names.items() for part in pair)))
        known = [f"{class_name(cls, '__name__')}.{name}" for name in names]
        self.texts[index] = f"{known[0]} is what it was" if len(known) == 1 else f"{', '.join(known)} are what they were"

    # ---- the kinds of checks that capture states -----------------------------------------------------------------------

    def sole(self, source: Source) -> None:
        self.check(source, "sole", text=f"nothing else refers to {source.name}")

    def same(self, source: Source, value: Any) -> None:
        self.check(source, "is", value, text=f"{source.name} is {short(value)}")

    def scalar(self, source: Source, value: Value) -> None:
        if isinstance(value.type, Np):
            self.check(source, "np", value, _TYPENUM[value.type.name], text=f"{source.name} is a {value.type}")
        else:
            kind = {INT: "int", FLOAT: "float", BOOL: "bool", COMPLEX: "complex"}[value.type]  # type: ignore[index]
            wide = " of at most 64 bits" if kind == "int" else ""
            self.check(source, kind, value, text=f"{source.name} is a {kind}{wide}")

    def array(self, source: Source, value: Value, array: np.ndarray[Any, Any]) -> None:
        type_ = value.type
        assert isinstance(type_, Array)
        need = 0x0100 | (0x0400 if type_.writable else 0)
        ones = sum(1 << axis for axis, length in enumerate(array.shape) if length == 1)
        shape = ", ".join("1" if length == 1 else "n" for length in array.shape)
        self.check(
            source, "array", value, _TYPENUM[type_.name], type_.ndim, need, ones, {"A": "any"}.get(type_.order, type_.order),
            text=f"{source.name} is a {type_.name} array of shape ({shape}{',' if type_.ndim == 1 else ''}), order {type_.order}"
            + ("" if type_.writable else ", read only"),
        )  # fmt: skip

    def object(self, source: Source, value: Value, cls: type) -> None:
        assert isinstance(value.type, Obj)
        self.check(source, "object", value, cls, text=f"{source.name} is a {class_name(cls, '__name__')}")
