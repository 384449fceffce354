"""Control flow of a code object: blocks, successors, exception handlers, stack depths and loops."""

import bisect
import dis
import opcode
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from pijit.pycode.instructions import Bytecode, Instruction, decode
from pijit.pycode.joins import Join, find_joins
from pijit.pycode.loops import Loop, find_loops

__all__ = ["Flow", "Handler", "Loop", "control_flow"]

ENDS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}) | frozenset(
    {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "INTERPRETER_EXIT"}
)
"""Opcodes that never go on to the next one."""

_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})
EFFECT_OF_JUMP = {"FOR_ITER": -1}  # the iterator is gone where an exhausted loop goes on; dis counts END_FOR apart
_EFFECT = {"RETURN_GENERATOR": 1}  # what resumes a generator for the first time pushes the value that it is sent


class Handler(NamedTuple):
    """Where an exception goes, the stack depth that is kept, and whether the raising pc is pushed before it."""

    pc: int
    depth: int
    lasti: bool


class Flow:
    """The control flow of one bytecode."""

    def __init__(self, bytecode: Bytecode) -> None:
        self._instructions, self._by_pc = bytecode.instructions, bytecode.by_pc  # not the bytecode: it keeps its flow
        self._handlers = _handlers(bytecode)
        self._depths = self._find_depths()
        self.leaders: tuple[int, ...] = self._find_leaders()
        self.blocks: dict[int, tuple[Instruction, ...]] = self._find_blocks()
        edges = self._edges()
        self.loops: tuple[Loop, ...] = find_loops(self.blocks, edges, _shared(bytecode))
        self.joins: dict[int, Join] = find_joins(self.blocks, edges, self._depths, frozenset(loop.header for loop in self.loops))
        self.returns = sum(i.opname in _RETURNS for i in self._reachable())
        self._by_header = {loop.header: loop for loop in self.loops}

    def handler(self, pc: int) -> Handler | None:
        """Where an exception at the instruction at pc is handled, if it is handled here."""
        return self._handlers.get(self._by_pc[pc].pc)

    def next_pcs(self, pc: int) -> tuple[int, ...]:
        """Where the instruction at pc may go on when it does not raise."""
        i = self._by_pc[pc]
        onward = () if i.opname in ENDS else (i.next,)
        return onward if i.target is None else (*onward, i.target)

    def successors(self, pc: int) -> tuple[int, ...]:
        """What may run after the instruction at pc, its exception handler included."""
        handler = self.handler(pc)
        return self.next_pcs(pc) if handler is None else (*self.next_pcs(pc), handler.pc)

    def stack_depth(self, pc: int) -> int | None:
        """The height of the value stack before the instruction at pc; None where nothing leads."""
        return self._depths.get(self._by_pc[pc].pc)

    def loop_at(self, pc: int) -> Loop | None:
        """The loop whose header is pc."""
        return self._by_header.get(pc)

    def _find_depths(self) -> dict[int, int]:
        depths: dict[int, int] = {}
        todo = [(self._instructions[0].pc, 0)]
        while todo:
            pc, depth = todo.pop()
            if pc in depths:
                if depths[pc] != depth:
                    raise ValueError(f"stack depths {depths[pc]} and {depth} meet at {pc}")
                continue
            depths[pc] = depth
            i = self._by_pc[pc]
            todo += [(after, depth + _effect(i, jump=after == i.target)) for after in self.next_pcs(pc)]
            if handler := self.handler(pc):
                todo.append((handler.pc, handler.depth + handler.lasti + 1))
        return depths

    def _reachable(self) -> Iterator[Instruction]:
        return (i for i in self._instructions if i.pc in self._depths)

    def _find_leaders(self) -> tuple[int, ...]:
        """A block begins at the start, where a jump or a handler leads, after a jump, and where the handler changes."""
        leaders = {0}
        previous: Instruction | None = None
        for i in self._reachable():
            after = self.next_pcs(i.pc)
            if after != (i.next,):
                leaders.update(after)
            if handler := self.handler(i.pc):
                leaders.add(handler.pc)
            if previous is None or previous.next != i.pc or self.handler(previous.pc) != self.handler(i.pc):
                leaders.add(i.pc)
            previous = i
        return tuple(sorted(leaders))

    def _find_blocks(self) -> dict[int, tuple[Instruction, ...]]:
        blocks: dict[int, list[Instruction]] = {pc: [] for pc in self.leaders}
        leader = 0
        for i in self._reachable():
            leader = i.pc if i.pc in blocks else leader
            blocks[leader].append(i)
        return {pc: tuple(block) for pc, block in blocks.items()}

    def _edges(self) -> dict[int, set[int]]:
        edges: dict[int, set[int]] = defaultdict(set)
        for leader, block in self.blocks.items():
            edges[leader].update(self.next_pcs(block[-1].pc))
            if handler := self.handler(leader):
                edges[leader].add(handler.pc)
        return edges


def control_flow(code: CodeType | Bytecode) -> Flow:
    """The control flow of a code object, worked out once."""
    bytecode = code if isinstance(code, Bytecode) else decode(code)
    flow = bytecode.analyses.get("flow")
    if not isinstance(flow, Flow):
        flow = bytecode.analyses["flow"] = Flow(bytecode)
    return flow


def _effect(i: Instruction, jump: bool) -> int:
    if jump and i.opname in EFFECT_OF_JUMP:
        return EFFECT_OF_JUMP[i.opname]
    return sum(_EFFECT.get(name, dis.stack_effect(opcode.opmap[name], arg, jump=jump)) for name, arg in i.parts)


def _shared(bytecode: Bytecode) -> frozenset[int]:
    """The variables that functions made here store to."""
    found: set[int] = set()
    for inner in bytecode.code.co_consts if bytecode.cell_slots else ():
        if isinstance(inner, CodeType):
            made = decode(inner)
            stored = {step.arg for i in made.instructions for step in i.micros if step.name in ("STORE_DEREF", "DELETE_DEREF")}
            names = {made.slots[slot] for slot in (stored | _shared(made)) & made.free_slots}
            found |= {slot for slot in bytecode.cell_slots if bytecode.slots[slot] in names}
    return frozenset(found)


def _handlers(bytecode: Bytecode) -> dict[int, Handler]:
    """Handlers by the pc of the instruction that they cover."""
    rows = sorted(exception_table(bytecode.exception_table))
    starts = [start for start, _, _ in rows]
    found: dict[int, Handler] = {}
    for i in bytecode.instructions:
        row = bisect.bisect_right(starts, i.at) - 1  # rows never overlap
        if row >= 0 and i.at < rows[row][1]:
            found[i.pc] = rows[row][2]
    return found


def exception_table(table: bytes) -> Iterator[tuple[int, int, Handler]]:
    """The rows of a code object's exception table: numbers of six bits a byte, the highest bits first."""
    numbers: list[int] = []
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            numbers.append(value)
            value = 0
    for start, length, target, packed in zip(*[iter(numbers)] * 4, strict=True):
        yield start, start + length, Handler(target, packed >> 1, bool(packed & 1))
