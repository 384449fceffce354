"""Removes what no operation, terminator or exit needs: operations, then block parameters.

An operation may go when all it could still do is invisible. An exit that the interpreter would use to make an unused object (a big int)
is invisible; an exit that raises or warns is not.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.graph import Branch, Const, Graph, Leave, Op, Value
from ..ir.ops import OPS
from ..ir.types import SAME_SCALAR, Array, Np
from ..ir.ufuncs import can_raise


def dce(graph: Graph) -> None:
    """Removes dead operations and dead block parameters."""
    live = _live(graph)
    # decided for all before any goes: whether one may go depends on what makes its operands
    needed = {op for block in graph.blocks for op in block.ops if not removable(op) or any(value in live for value in op.results)}
    for block in graph.blocks:
        block.ops = [op for op in block.ops if op in needed]
        for jump in block.jumps():
            kept = zip(jump.args, jump.target.params, strict=True)
            jump.args = tuple(arg for arg, param in kept if param in live)
    for block in graph.blocks:
        block.params = [param for param in block.params if param in live]


def _live(graph: Graph) -> set[Value]:
    passed: dict[Value, list[Value]] = {}  # parameter: the arguments that jumps pass for it
    work: list[Value] = []
    for block in graph.blocks:
        for op in block.ops:
            if not removable(op):
                work += needs(op)
        for jump in block.jumps():
            for param, arg in zip(jump.target.params, jump.args, strict=True):
                passed.setdefault(param, []).append(arg)
        if isinstance(block.end, Branch):
            work.append(block.end.condition)
        elif isinstance(block.end, Leave):
            work += block.end.exit.values()
    live: set[Value] = set()
    while work:
        value = work.pop()
        if value in live or isinstance(value, Const):
            continue
        live.add(value)
        work += needs(value.op) if isinstance(value.op, Op) else passed.get(value, ())
    return live


def needs(op: Op) -> list[Value]:
    """The values that an operation and its exits use."""
    return [*op.args, *(value for exit in op.exits.values() for value in exit.values())]


def removable(op: Op) -> bool:
    """Whether the operation may go when its results are unused."""
    if op.name == "assign":
        return _is_same(op.args[0], op.args[1])
    if not op.results or OPS[op.name].effect not in (None, "read"):
        return False
    test = _REMOVABLE.get(op.name)
    return test(op) if test else not op.exits


def _is_same(one: Value, other: Value) -> bool:
    """Whether both are the same elements of the same array, as after ``a[i] += b``: a[i] is changed, then stored in its place."""
    if one is other or not (isinstance(one.op, Op) and isinstance(other.op, Op)):
        return one is other
    views = one.op.name == other.op.name == "view" and one.type == other.type and one.op.attrs["axes"] == other.op.attrs["axes"]
    rest = [[_number(arg) for arg in op.args[1:]] for op in (one.op, other.op)]
    return views and rest[0] == rest[1] and _is_same(one.op.args[0], other.op.args[0])


def _number(value: Value) -> object:
    """What is equal for equal numbers, as far as can be seen: an index that is known is the result of being checked the first time only."""
    if isinstance(value, Const):
        return value.value
    op = value.op
    if isinstance(op, Op) and op.name == "check_index" and isinstance(op.args[0], Const) and op.args[0].value >= 0:
        return op.args[0].value
    if isinstance(op, Op) and op.name == "raw_mul":
        factors = tuple(map(_number, op.args))
        return 0 if 0 in factors else factors
    return value


def _always(op: Op) -> bool:
    return True


def _nonzero(op: Op) -> bool:
    divisor = op.args[1]
    return isinstance(divisor, Const) and divisor.value != 0


def _nonnegative(op: Op) -> bool:
    count = op.args[1]
    return isinstance(count, Const) and count.value >= 0


def _quiet(op: Op) -> bool:
    operands = op.args[: op.attrs["n"]]
    return not can_raise(op.attrs["ufunc"], tuple(value.type.name for value in (*operands, op.result)))  # type: ignore[attr-defined]


def _possible(op: Op) -> bool:
    """np.empty of dims that are not negative."""
    dims = op.args[: op.result.type.ndim] if isinstance(op.result.type, Array) else ()
    return all((isinstance(d.op, Op) and d.op.name == "dim") or (isinstance(d, Const) and d.value >= 0) for d in dims)


def _safe_cast(op: Op) -> bool:
    old, new = op.args[0].type, op.result.type
    if SAME_SCALAR.get(old) == new or SAME_SCALAR.get(new) == old:
        return True
    return isinstance(old, Np) and isinstance(new, Np) and not can_raise("cast", (old.name, new.name))


_REMOVABLE: dict[str, Callable[[Op], bool]] = {
    **dict.fromkeys(("int_add", "int_sub", "int_mul", "int_neg", "int_abs", "int_exact_float", "make"), _always),
    **dict.fromkeys(("int_floordiv", "int_mod", "int_truediv", "float_div", "float_floordiv", "float_mod"), _nonzero),
    "int_rshift": _nonnegative,
    "ew": _quiet,
    "roll": _always,
    "join": _always,
    "pick": _always,
    "mask_places": _always,
    "interp": _always,
    "search": lambda op: not op.attrs["bins"],
    "empty": _possible,
    "cast": _safe_cast,
}
