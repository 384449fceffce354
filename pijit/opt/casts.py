"""An array that is converted only to look at parts of it is not converted: the parts are, in the kernels that read them.

    x = ew cast a                              v = view a, ...
    v = view x, ...            ->              y = ew cast v
    w = ew add v, ...                          w = ew add y, ...

Elements of `a` are no larger, so that less is read, and nothing is made. What is contiguous lies as what it is made from does, so that offsets
and strides are those of `x` divided by the same number. Between the two nothing may write; exits there resume where the first one stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pijit.ground.records import replace

from ..ir.graph import Block, Const, Exit, Graph, Op, Value, anew
from ..ir.types import INT, Array, Type
from ..ir.ufuncs import can_raise
from ..ir.uses import Uses
from .again import redirect, repeatable, seen_elsewhere
from .fuse import Fusible, can_fuse
from .rename import rename
from .walks import like

_MOST = 9  # views: each is a step more


def casts(graph: Graph, fusible: Fusible) -> None:
    """Converts where it is read."""
    uses = Uses(graph)
    for block in graph.blocks:
        for op in list(block.ops):
            if not _widens(op, fusible):
                continue
            views = _views(uses, block, op.result, fusible)
            if not views:
                continue
            names = {op.result, *(view.result for view in views)}
            start = block.ops.index(op)
            stop = max(place for place, other in enumerate(block.ops) if not names.isdisjoint(other.args))
            if repeatable(block, start, stop) and not seen_elsewhere(uses, block, start, stop, names):
                redirect(block, start, stop)
                _convert_later(graph, block, op, views)
                uses.changed()


def _widens(op: Op, fusible: Fusible) -> bool:
    """Whether the operation converts a contiguous array as a whole, without a flag, to elements that are at least as large."""
    if op.name != "ew" or op.attrs["ufunc"] != "cast" or not can_fuse(op, fusible):
        return False
    source, made = op.args[0].type, op.result.type
    if not (isinstance(source, Array) and isinstance(made, Array)) or op.attrs["stretch"] not in ((), ((),)):
        return False
    alike = source.order == made.order and source.ndim == made.ndim == len(op.args) - 1
    return alike and source.dtype.itemsize <= made.dtype.itemsize and not can_raise("cast", (source.name, made.name))


def _views(uses: Uses, block: Block, made: Value, fusible: Fusible) -> list[Op]:
    """The views of what was made, if all that is done with it is to compute with them, element by element."""
    users = uses.readers(made)
    views = [op for op in users if op.name == "view"]
    if len(views) > _MOST or any(op not in views and not (op.name in ("stride", "dim") and not op.attrs.get("shown")) for op in users):
        return []
    shown = {view.result for view in views}
    readers = uses.readers_of(shown)
    good = all(uses.block_of(op) is block for op in (*users, *readers)) and all(_reads(op, shown, fusible) for op in readers)
    return views if good else []


def _reads(op: Op, shown: set[Value], fusible: Fusible) -> bool:
    """Whether a kernel reads the views, each of its elements once."""
    if op.name != "ew" or not can_fuse(op, fusible):
        return False
    operands = zip(op.args[: op.attrs["n"]], op.attrs["stretch"], strict=True)
    return all(value not in shown or (not stretch and _rank(value) == _rank(op.result)) for value, stretch in operands)


def _rank(value: Value) -> int:
    return getattr(value.type, "ndim", 0)


def _convert_later(graph: Graph, block: Block, op: Op, views: list[Op]) -> None:
    source, made = op.args[0].type, op.result.type
    assert isinstance(source, Array)
    assert isinstance(made, Array)
    factor = made.dtype.itemsize // source.dtype.itemsize
    ops: list[Op] = []

    def add(like: Op, name: str, args: tuple[Value, ...], type: Type, exits: Mapping[str, Exit] = {}, **attrs: Any) -> Value:
        ops.append(Op(name, args, (type,), attrs, anew(exits), like.line))
        return ops[-1].result

    new: dict[Value, Value] = {}
    divided: dict[Value, Value] = {}  # numbers of bytes of what was converted, as those of the source
    converted: dict[Value, Value] = {}  # by the view

    def divide(other: Op, value: Value) -> Value:
        if isinstance(value, Const):
            return Const(INT, value.value // factor)
        if value not in divided:
            divided[value] = add(other, "raw_rshift", (value, Const(INT, factor.bit_length() - 1)), INT)
        return divided[value]

    for other in block.ops:
        if other is op:
            continue
        if op.result not in other.args:
            ops.append(other)
        elif other.name == "dim":
            new[other.result] = add(other, "dim", op.args[:1], INT, **other.attrs)
        elif other.name == "stride":
            stride = add(other, "stride", op.args[:1], INT, **other.attrs)
            new[other.result] = add(other, "raw_mul", (stride, Const(INT, factor)), INT)
            divided[other.result] = stride
        else:
            assert isinstance(other.result.type, Array)
            order, rank = other.result.type.order, other.result.type.ndim
            _, offset, *rest = other.args
            where = divide(other, offset), *rest[:rank], *(divide(other, step) for step in rest[rank:])
            view = add(other, "view", (op.args[0], *where), Array(source.name, rank, order), **other.attrs)
            seen = like(view, converted)
            if seen not in converted:
                exits = {name: replace(exit) for name, exit in op.exits.items()}
                type = Array(made.name, rank, order if order == "F" else "C")
                converted[seen] = add(other, "ew", (seen, *rest[:rank]), type, exits, **op.attrs | {"stretch": ((),)})
            new[other.result] = converted[seen]
    block.ops = ops
    rename(graph, new)
