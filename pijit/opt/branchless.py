"""Short branches inside loops, of which a side could leave, become straight code: both sides are computed and `select` chooses. Loads come early.

    B: branch c Y N                              B: y = x * 3; ok = low <= x <= high; check not c or ok
    Y: y = int_mul x 3; goto J(y)          =>       J's parameter is select(c, y, n)
    N: goto J(n)

A branch that goes now one way and now the other costs more than a few operations. Where no side can leave, LLVM does it by itself; a choice
between values that are there is made here all the same, so that their range is known, and so is one that ends a round of a loop, which LLVM
leaves alone. There what decides must not hang on what is chosen: else each round would wait for the one before it, and a branch does not.
Moved are operations that cannot leave, and int arithmetic with constants: there the exit is taken when the side is the one to run and its operand
lies outside the range in which nothing overflows.

A load cannot fail once what its indices depend on has been checked: before the other exits of its block, LLVM sees that the loop always does
it, and keeps in a register what does not change.
"""

from __future__ import annotations

from pijit.ground.records import replace

from ..ir.graph import Block, Branch, Const, Exit, Graph, Jump, Op, Value, const
from ..ir.ops import OPS
from ..ir.types import BOOL, FLOAT, INT, Np
from .facts import MAX, MIN, Range
from .rename import Renaming, rename
from .simplify import merge, ways_in

_TELLS = frozenset({"check", "check_index"})  # what is known behind them may be why a load needs no check of its own
_MOST = 6  # operations of both sides together
_CHEAP = frozenset({
    "cmp", "not", "select", "bool_to_int", "int_and", "int_or", "int_xor", "int_invert", "int_to_float", "raw_add", "raw_sub", "raw_mul", "raw_min",
    "raw_max", "wrap_add", "wrap_sub", "wrap_mul", "float_add", "float_sub", "float_mul",
    "float_neg", "float_abs",
})  # fmt: skip
_BY_CONSTANT = {"int_mod": "raw_mod", "int_floordiv": "raw_floordiv", "int_rshift": "raw_rshift"}
_LINEAR = {"int_add": "wrap_add", "int_sub": "wrap_sub", "int_mul": "wrap_mul"}
_ON_BOTH_WAYS = {**_BY_CONSTANT, **_LINEAR, "raw_add": "wrap_add", "raw_sub": "wrap_sub", "raw_mul": "wrap_mul"}


def straighten(graph: Graph) -> None:
    """Does it for every such branch, innermost first."""
    entered = ways_in(graph)
    place = {block: number for number, block in enumerate(graph.blocks)}
    new: Renaming = {}
    changed = False
    for block in _in_loops(graph, place):
        if isinstance(block.end, Branch):
            changed |= _try(block, block.end, entered, place, new)
    if changed:
        rename(graph, new)
        graph.arrange()
        merge(graph)
    for block in graph.blocks:
        block.ops = _loads_early(block.ops)
    _common_loads(graph)
    _common_stores(graph)


def _loads_early(ops: list[Op]) -> list[Op]:
    made: list[Op] = []
    place: dict[Value, int] = {}  # of what is defined here: before which position it may not be used
    free = 0  # no load goes up beyond this position
    for op in ops:
        if op.name == "load":
            at = max([free, *(place.get(arg, 0) for arg in op.args)])
            made.insert(at, op)
            place = {value: number + (number > at) for value, number in place.items()}
            place[op.result] = at + 1
            continue
        made.append(op)
        place.update((value, len(made)) for value in op.results)
        if OPS[op.name].effect in ("write", "any") or op.name in _TELLS:
            free = len(made)
    return made


def _common_loads(graph: Graph) -> None:
    """Moves what both ways from a branch begin with to before it."""
    ways = ways_in(graph)
    new: Renaming = {}
    for block in reversed(graph.blocks):
        sides = [jump.target for jump in block.jumps()]
        if len(sides) < 2 or any(ways[side] > 1 or side.params for side in sides):
            continue
        first, second = ({(*map(_same, op.args),): op for op in _free_loads(side)} for side in sides)
        for key in first.keys() & second.keys():
            block.ops.append(first[key])
            new[second[key].result] = first[key].result
        gone = {id(found[key]) for found in (first, second) for key in first.keys() & second.keys()}
        for side in sides:
            side.ops = [op for op in side.ops if id(op) not in gone]
    if new:
        rename(graph, new)


def _same(value: Value) -> object:
    return (value.type, value.value) if isinstance(value, Const) else value


def _common_stores(graph: Graph) -> None:
    """What two ways to one place store last of all in one element, one block stores."""
    for block in graph.blocks:
        sides = [jump.target for jump in block.jumps()]
        if len(sides) < 2 or sides[0] is sides[1]:
            continue
        ends = [(side.ops[-1], side.end) for side in sides if side.ops and side.ops[-1].name == "store"]
        if len(ends) < 2:
            continue
        (first, end), (second, other) = ends
        if not isinstance(end, Jump) or not isinstance(other, Jump) or end.target is not other.target or end.target is block:
            continue
        values, passed = [(first.args[1], second.args[1])], list(zip(end.args, other.args, strict=True))
        if [first.args[0], *map(_same, first.args[2:])] != [second.args[0], *map(_same, second.args[2:])]:
            continue
        join = Block(first.line)
        values += passed
        params = [join.param(a.type) if _same(a) != _same(b) else a for a, b in values]
        join.ops = [Op("store", (first.args[0], params[0], *first.args[2:]), (), {}, {}, first.line)]
        join.end = Jump(end.target, tuple(params[1:]))
        for number, side in enumerate(sides):
            side.ops.pop()
            side.end = Jump(join, tuple(pair[number] for pair in values if _same(pair[0]) != _same(pair[1])))
    graph.arrange()


def _free_loads(block: Block) -> list[Op]:
    """The loads before which nothing is stored or learned, of places that are known where the block begins."""
    made: set[Value] = set()
    found = []
    for op in block.ops:
        if OPS[op.name].effect in ("write", "any") or op.name in _TELLS:
            break
        if op.name == "load" and made.isdisjoint(op.args):
            found.append(op)
        made.update(op.results)
    return found


def _in_loops(graph: Graph, place: dict[Block, int]) -> list[Block]:
    """The blocks between a header and a jump back to it, the last ones first."""
    inside: set[Block] = set()
    for block in graph.blocks:
        for jump in block.jumps():
            if jump.target.is_header and place[jump.target] <= place[block]:
                inside.update(graph.blocks[place[jump.target] : place[block] + 1])
    return [block for block in reversed(graph.blocks) if block in inside]


def _try(block: Block, end: Branch, entered: dict[Block, int], place: dict[Block, int], new: Renaming) -> bool:
    yes, no = _Side(end.yes, entered), _Side(end.no, entered)
    if yes.after.target is not no.after.target:  # one may be the way past the other
        yes, no = (yes, _Side(end.no)) if yes.after.target is end.no.target else (_Side(end.yes), no)
    join = yes.after.target
    pairs = list(zip(yes.after.args, no.after.args, strict=True)) if join is no.after.target else []
    differ = [param for param, (a, b) in zip(join.params, pairs, strict=False) if a is not b]
    if not pairs or not all(_chosen(param) for param in differ) or len(yes.ops) + len(no.ops) > _MOST or not (yes.straight() and no.straight()):
        return False
    if join.is_header:
        if block is join or not differ or _hangs_on(end.condition, differ, join, place, new):
            return False
    elif entered[join] != 2 or not all(_chosen(param) for param in join.params):
        return False
    elif not (yes.ranges or no.ranges or not (yes.ops or no.ops)):
        after = join.end
        if join.ops or not isinstance(after, Jump) or not after.target.is_header:
            return False
        params = [param for param, arg in zip(after.target.params, after.args, strict=True) if arg in differ]
        if _hangs_on(end.condition, params, after.target, place, new):
            return False
    before = _redo(block)
    block.ops += yes.code(end.condition, True, before) + no.code(end.condition, False, before)
    chosen = []
    for param, (a, b) in zip(join.params, pairs, strict=True):
        if join.is_header and param not in differ:
            chosen.append(a)
            continue
        choice = Op("select", (end.condition, a, b), (param.type,), {}, {}, block.line)
        block.ops.append(choice)
        chosen.append(choice.result)
    if join.is_header:
        block.end = Jump(join, tuple(chosen))
        return True
    new.update(zip(join.params, chosen, strict=True))
    join.params = []
    block.end = Jump(join)
    return True


def _hangs_on(value: Value, params: list[Value], header: Block, place: dict[Block, int], new: Renaming) -> bool:
    """Whether it is made of any of these params of the header, or may be: what other blocks of the loop are given is not followed."""
    seen: set[Value] = set()
    left = [value]
    while left:
        value = left.pop()
        value = new.get(value, value)
        if value in seen or isinstance(value, Const):
            continue
        seen.add(value)
        if isinstance(value.op, Op):
            left += value.op.args
        elif value in params or (isinstance(value.op, Block) and value.op is not header and place[value.op] > place[header]):
            return True
    return False


def _redo(block: Block) -> Exit | None:
    """An exit to an instruction of the block after which nothing visible happens."""
    for op in reversed(block.ops):
        if OPS[op.name].effect not in (None, "read"):
            return None
        if "redo" in op.exits:
            return op.exits["redo"]
    return None


def _chosen(value: Value) -> bool:
    return value.type in (INT, FLOAT, BOOL) or (isinstance(value.type, Np) and value.type.dtype.kind in "biuf")


def _harmless(op: Op) -> bool:
    return op.name in _BY_CONSTANT and isinstance(op.args[-1], Const) and op.args[-1].value > 0


class _Side:
    """One way of a branch: what a block does that only this branch leads to, or nothing. ``ranges``: of the values from which its sums are
    made, with the exit to take outside."""

    def __init__(self, jump: Jump, entered: dict[Block, int] | None = None) -> None:
        block = jump.target
        mine = entered is not None and entered[block] == 1 and not block.params and isinstance(block.end, Jump)
        self.ops: list[Op] = block.ops if mine else []
        self.after: Jump = block.end if mine and isinstance(block.end, Jump) else jump
        self.ranges: dict[Value, tuple[Range, Exit]] = {}
        self._sums: dict[Value, tuple[Value, int, int]] = {}  # value: root, a, b such that it is a * root + b

    def straight(self) -> bool:
        """Whether all can be done on the other way too; fills ``ranges``."""
        return all(op.name in _CHEAP or _harmless(op) or (op.name in _LINEAR and self._sum(op)) for op in self.ops)

    def _sum(self, op: Op) -> bool:
        left, right = op.args
        known, base = (left, right) if isinstance(left, Const) else (right, left)
        if not isinstance(known, Const) or isinstance(base, Const):
            return False
        number = known.value
        root, a, b = self._sums.get(base, (base, 1, 0))
        if op.name == "int_mul":
            a, b = a * number, b * number
        elif op.name == "int_add":
            b += number
        elif known is right:
            b -= number
        else:
            a, b = -a, number - b
        if a == 0:
            return False
        self._sums[op.result] = root, a, b
        ends = (-((b - MIN) // a), (MAX - b) // a) if a > 0 else (-((MAX - b) // -a), (b - MIN) // -a)
        (low, high), exit = self.ranges.get(root, ((MIN, MAX), op.exits["redo"]))
        self.ranges[root] = (max(low, ends[0]), min(high, ends[1])), exit
        return True

    def code(self, condition: Value, holds: bool, before: Exit | None) -> list[Op]:
        """The operations and checks, where it runs when the condition has this value. ``before``: an exit that does for both sides: with
        it the condition need not be asked."""
        made: list[Op] = []
        for op in self.ops:
            if op.name in _ON_BOTH_WAYS:
                op.name, op.exits = _ON_BOTH_WAYS[op.name], {}
            made.append(op)
        for root, ((low, high), exit) in self.ranges.items():
            line = made[0].line

            def add(name: str, *args: Value, line: int = line, **attrs: object) -> Value:
                made.append(Op(name, args, (BOOL,), attrs, {}, line))
                return made[-1].result

            above = add("cmp", root, const(low), symbol=">=")
            inside = add("select", above, add("cmp", root, const(high), symbol="<="), const(False))
            if before is not None:
                exit = replace(before, reason=exit.reason)
            else:
                inside = add("select", condition, *((inside, const(True)) if holds else (const(True), inside)))
            made.append(Op("check", (inside,), (), {}, {"redo": exit}, line))
        return made
