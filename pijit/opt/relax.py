"""Powers with a whole exponent are products, where arithmetic may be relaxed (jit_level="O2"): NumPy's takes ten times as long or more.

    y = ew x, 5.0 {power}      ->      a = ew x, x {multiply};  b = ew a, a {multiply};  y = ew b, x {multiply}
"""

from __future__ import annotations

from ..ir.graph import Const, Graph, Op, Value, anew
from ..ir.types import Array, Np
from .rename import Renamer

MOST = 64  # the largest exponent: a power is off by less than so many halves of a unit in the last place
_POWERS = frozenset({"power", "float_power"})


def relax(graph: Graph) -> None:
    """Replaces them."""
    products: dict[Value, Value] = {}
    for block in graph.blocks:
        ops: list[Op] = []
        for op in block.ops:
            exponent = _exponent(op)
            if exponent:
                products[op.result] = _product(op, exponent, ops)
            else:
                ops.append(op)
        block.ops = ops
    if products:
        Renamer(products).graph(graph)


def _exponent(op: Op) -> int:
    """The exponent of a power of floats, if it is whole, known and small enough; or 0."""
    if op.name not in ("ew", "np_op") or op.attrs["ufunc"] not in _POWERS:
        return 0
    base, exponent = op.args[:2]
    if not isinstance(exponent, Const) or _dtype(base) != _dtype(op.result) or not _dtype(base).startswith("float"):
        return 0
    number = float(exponent.value)
    return int(number) if number.is_integer() and 2 <= number <= MOST else 0


def _dtype(value: Value) -> str:
    return value.type.name if isinstance(value.type, (Array, Np)) else ""


def _product(op: Op, exponent: int, ops: list[Op]) -> Value:
    """Square and multiply, from the exponent's second bit on."""
    base = op.args[0]
    ones = op.attrs["stretch"][0] if "stretch" in op.attrs else ()
    made = base
    for bit in bin(exponent)[3:]:
        made = _times(op, made, made, ones if made is base else (), ones if made is base else (), ops)
        if bit == "1":
            made = _times(op, made, base, (), ones, ops)
    return made


def _times(op: Op, a: Value, b: Value, a_ones: tuple[int, ...], b_ones: tuple[int, ...], ops: list[Op]) -> Value:
    attrs = op.attrs | {"ufunc": "multiply"}
    if "stretch" in attrs:
        attrs["stretch"] = (a_ones, b_ones)
    made = Op(op.name, (a, b, *op.args[2:]), (op.result.type,), attrs, anew(op.exits), op.line)
    ops.append(made)
    return made.result
