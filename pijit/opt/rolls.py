"""What is rolled and then rolled again, or assigned, is moved once.

    r = roll a, ...                        r = roll a, ...
    s = roll r, ...          ->            s = roll a, ...
    assign t, s                            roll_into t, a, ...

Between the first and the last nothing may write; exits there resume where the first one stands, so that nobody needs what it made.
"""

from __future__ import annotations

from ..ir.graph import Block, Const, Graph, Op, Value
from ..ir.types import Array
from ..ir.uses import Uses
from .again import redirect, repeatable, seen_elsewhere


def rolls(graph: Graph) -> None:
    """Joins them; what is not used any more goes later."""
    uses = Uses(graph)
    for block in graph.blocks:
        for place, op in enumerate(list(block.ops)):
            source = _rolled(op)
            if source is None or source.op not in block.ops[:place]:
                continue
            assert isinstance(source.op, Op)
            start = block.ops.index(source.op)
            if alone(uses, block, source, start, place) and _join(op, source.op):
                redirect(block, start, place)
                uses.changed()


def _rolled(op: Op) -> Value | None:
    """The result of a roll that the operation moves on, if it does that."""
    if op.name == "assign" and (op.attrs["stretch"] in ((), ((),)) and len(op.args[2:]) == _rank(op.args[1])):
        value = op.args[1]
    elif op.name == "roll":
        value = op.args[0]
    else:
        return None
    value = base(value)
    return value if isinstance(value.op, Op) and value.op.name == "roll" else None


def _rank(value: Value) -> int:
    return getattr(value.type, "ndim", 0)


def base(value: Value) -> Value:
    """What a view shows all of: np.roll without an axis gives one."""
    op = value.op
    if isinstance(op, Op) and op.name == "view" and isinstance(op.args[0].op, Op) and op.args[0].op.name == "roll":
        made, (_, offset, *rest) = op.args[0], op.args
        whole = made.type == value.type and isinstance(offset, Const) and offset.value == 0 and rest[0] is op.args[0].op.args[1]
        return made if whole and _rank(value) == 1 else value
    return value


def alone(uses: Uses, block: Block, made: Value, start: int, place: int) -> bool:
    """Whether nothing but what stands between the two, and the last one, uses what was made, or a view of it."""
    if not repeatable(block, start, place):
        return False
    names = {made, *(op.result for op in block.ops[start + 1 : place] if op.name == "view" and op.args[0] is made)}
    if seen_elsewhere(uses, block, start, place, names):
        return False
    last = block.ops[place]
    return all(op is last or (op.name == "view" and op.result in names) for op in uses.readers_of(names))


def _join(op: Op, first: Op) -> bool:
    """Makes the operation do both; False where the places of one axis would have to be added."""
    rank = _rank(first.result)
    source, places = first.args[0], first.args[1 + rank :]
    if op.name == "assign":
        op.name, op.attrs = "roll_into", {}
        op.args = (op.args[0], source, *op.args[2:], *places)
        return True
    both = [_sum(one, other) for one, other in zip(places, op.args[1 + rank :], strict=True)]
    if None in both:
        return False
    op.args = (source, *op.args[1 : 1 + rank], *both)  # type: ignore[arg-type]
    return True


def along_first(op: Op) -> bool:
    """Whether it is a roll of contiguous memory along its first axis only."""
    if op.name != "roll":
        return False
    source, made, rank = op.args[0].type, op.result.type, _rank(op.result)
    still = all(isinstance(by, Const) and by.value == 0 for by in op.args[2 + rank :])
    return isinstance(source, Array) and isinstance(made, Array) and source.order == made.order == "C" and source.name == made.name and still


def _sum(one: Value, other: Value) -> Value | None:
    if isinstance(one, Const) and one.value == 0:
        return other
    return one if isinstance(other, Const) and other.value == 0 else None
