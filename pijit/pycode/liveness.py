"""Which local variables may still be read: those that an exit has to rebuild.

Sets of slots are bits of integers, since code may have thousands of locals.
"""

import inspect
from collections.abc import Iterator, Set
from types import CodeType

from pijit.pycode.flow import Flow, control_flow
from pijit.pycode.instructions import Bytecode, Instruction, decode

_READS = frozenset({"LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "DELETE_FAST"})


class Slots(Set[int]):
    """A set of slots that takes no more memory than a number."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __contains__(self, slot: object) -> bool:
        return bool(self.bits >> slot & 1)  # type: ignore[operator]

    def __iter__(self) -> Iterator[int]:
        return (slot for slot in range(self.bits.bit_length()) if self.bits >> slot & 1)

    def __len__(self) -> int:
        return self.bits.bit_count()


def live(code: CodeType | Bytecode, pc: int) -> Slots:
    """The localsplus slots that may be read, before they are written, from the instruction at pc on.

    An exception at pc may reach a handler, so what the handler reads is live too. Cells are always live, and so is
    everything where the code may look at its own frame.
    """
    bytecode = code if isinstance(code, Bytecode) else decode(code)
    table = bytecode.analyses.get("live")
    if table is None:
        table = bytecode.analyses["live"] = _solve(bytecode)
    return Slots(table[bytecode.at(pc).pc])


def names_all_live(code: CodeType | Bytecode) -> bool:
    """Whether names are kept in a namespace that others may read (a module or class body): then no store is dead."""
    bytecode = code if isinstance(code, Bytecode) else decode(code)
    return not bytecode.flags & inspect.CO_OPTIMIZED


def _solve(bytecode: Bytecode) -> dict[int, int]:
    if bytecode.sees_frame:
        everything = (1 << len(bytecode.slots)) - 1
        return {i.pc: everything for i in bytecode.instructions}
    always = 0
    for slot in bytecode.cell_slots | bytecode.free_slots:
        always |= 1 << slot
    if bytecode.loads_super and bytecode.slots:  # super() without arguments finds the first one in the frame
        always |= 1
    flow = control_flow(bytecode)
    table: dict[int, int] = {i.pc: always for i in bytecode.instructions}
    changed = True
    while changed:  # backwards over the blocks until nothing is added
        changed = False
        for leader in reversed(flow.leaders):
            block = flow.blocks[leader]
            after = always
            for pc in flow.next_pcs(block[-1].pc):
                after |= table[pc]
            changed |= _through(flow, block, after, table, always)
    return table


def _through(flow: Flow, block: tuple[Instruction, ...], after: int, table: dict[int, int], always: int) -> bool:
    """Carry what is live after a block to its start; whether it has changed there."""
    handler = flow.handler(block[0].pc)  # the same one in the whole block
    caught = table[handler.pc] if handler else 0
    before = table[block[0].pc]
    for i in reversed(block):
        for step in reversed(i.micros):
            if step.name == "STORE_FAST":
                after = after & ~(1 << step.arg) | always  # the end of a comprehension puts another cell there: functions may have the one before
            elif step.name in _READS:
                after |= 1 << step.arg
        table[i.pc] = after = after | caught
    return after != before
