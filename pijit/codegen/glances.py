"""Looks at an object that native code has at hand, without a call where the rows ask for built-in types, lengths and items only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.glances import is_glance
from ..ir.graph import Op, Value
from ..ir.types import is_owned
from . import references
from .arrays import field
from .llvm import F64, I64, PTR, i64
from .unboxing import FLOAT_VALUE, TYPE, whole

if TYPE_CHECKING:
    from .driver import Driver

# Byte offsets in CPython's objects (the same in 3.11 to 3.13, 64-bit). The items of a tuple lie in it, those of a list where it says.
LENGTH, ITEMS, TUPLE_ITEMS = 16, 24, 24
_SYMBOLS = {
    tuple: "PyTuple_Type", list: "PyList_Type", dict: "PyDict_Type", str: "PyUnicode_Type", bytes: "PyBytes_Type", set: "PySet_Type",
    int: "PyLong_Type", float: "PyFloat_Type", bool: "PyBool_Type",
}  # fmt: skip


def inline(d: Driver, op: Op) -> Any:
    """The results, or None where the rows ask for more than that."""
    if not is_glance(op):
        return None
    (recipe,), rows = op.attrs["arguments"], op.attrs["result_guard"]
    registers = [d.object(recipe.value)]
    d.exit_if(op, d.builder.icmp_unsigned("==", registers[0], PTR(None)))
    found: dict[Value, Any] = {}
    for row in rows:
        if row[0] == "item":
            registers.append(_item(d, op, registers[row[1]], getattr(recipe.value.type, "name", ""), row[2]))
        else:
            _check(d, op, row, registers[row[1]], found)
    results = tuple(found[value] for value in op.results)
    for value in op.results:
        if is_owned(value.type):
            references.retain(d, found[value])
    return results


def _check(d: Driver, op: Op, row: tuple[Any, ...], owner: Any, found: dict[Value, Any]) -> None:
    b, kind = d.builder, row[0]
    if kind == "any":
        found[row[2]] = owner
    elif kind == "int":
        found[row[2]] = whole(d, op, owner)
    elif kind == "length":  # of a tuple or list; anything else has been asked to be one
        d.exit_if(op, b.icmp_signed("!=", field(d, owner, LENGTH, I64), i64(row[2])))
    elif kind == "is":
        d.exit_if(op, b.icmp_unsigned("!=", owner, d.data_symbol("_Py_NoneStruct")))
    else:
        cls = {"object": row[3] if len(row) > 3 else None, "type": row[2], "float": float}[kind]
        _is_exactly(d, op, owner, cls)
        if kind == "float":
            found[row[2]] = field(d, owner, FLOAT_VALUE, F64)
        elif kind == "object":
            found[row[2]] = owner


def _is_exactly(d: Driver, op: Op, owner: Any, cls: Any) -> None:
    d.exit_if(op, d.builder.icmp_unsigned("!=", field(d, owner, TYPE, PTR), d.data_symbol(_SYMBOLS[cls])))


def _item(d: Driver, op: Op, owner: Any, name: str, index: int) -> Any:
    """An item of an exact tuple or list."""
    b, cls = d.builder, tuple if name == "tuple" else list
    _is_exactly(d, op, owner, cls)
    d.exit_if(op, b.icmp_signed("<=", field(d, owner, LENGTH, I64), i64(index)))
    if cls is tuple:
        return field(d, owner, ITEMS + 8 * index, PTR)
    return field(d, field(d, owner, ITEMS, PTR), 8 * index, PTR)
