"""Decodes a code object into normalised instructions; a pc counts code units of two bytes."""

import bisect
import inspect
import opcode
import weakref
from collections.abc import Iterator
from types import CodeType
from typing import Any, NamedTuple

from pijit.ground.weak import Rows
from pijit.pycode.outline import SUSPENDABLE, outline
from pijit.pycode.rows import Micro, Operand, normalise
from pijit.pycode.versions import CACHES, CALL_ORDER, HERE, JUMPS, PREFIXES

__all__ = ["CALL_ORDER", "Bytecode", "Instruction", "Micro", "decode"]

_WIDE = 2000  # variables: what an exit keeps, times the exits, is time and memory of every compilation
_LOADS_NAME = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_LOADS_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"})
# What sees the frame that it is called from, or the objects that the frame holds: names, and modules of whose functions some do.
_FRAME_NAMES = frozenset({"locals", "eval", "exec", "vars", "dir", "gc", "tracemalloc"})
_FRAME_ATTRIBUTES = frozenset({"_getframe", "_current_frames", "currentframe", "getrefcount", "getallocatedblocks"})


class Instruction(NamedTuple):
    """One opcode with its prefixes and caches, and the normalised steps it stands for."""

    pc: int  # the first unit, prefixes included: where to do it again
    at: int  # the opcode itself: what a traceback shows
    next: int  # the instruction after it
    opname: str
    line: int | None
    micros: tuple[Micro, ...]
    target: int | None
    parts: tuple[tuple[str, int | None], ...] = ()  # the opcodes themselves with their arguments, prefixes first


class Bytecode:
    """A decoded code object. It holds the code object weakly, so that caching it keeps nothing alive."""

    def __init__(self, code: CodeType) -> None:
        self._code = weakref.ref(code)
        self.flags = code.co_flags
        self.exception_table = code.co_exceptiontable
        extra = [name for name in code.co_cellvars if name not in code.co_varnames]
        self.slots: tuple[str, ...] = (*code.co_varnames, *extra, *code.co_freevars)
        frees = len(self.slots) - len(code.co_freevars)
        self.cell_slots = frozenset(self.slots.index(name) for name in code.co_cellvars)
        self.free_slots = frozenset(range(frees, len(self.slots)))
        self.is_generator = bool(code.co_flags & SUSPENDABLE)
        self.instructions: tuple[Instruction, ...] = _closures(self, tuple(_instructions(code)))
        self.start, _, self.is_malformed = outline(code)
        steps = [step for i in self.instructions for step in i.micros]
        self.sees_frame = any(_looks_at_frames(step) for step in steps)
        self.is_wide = len(self.slots) > _WIDE
        self.loads_super = any(step.name in _LOADS_NAME and step.arg == "super" for step in steps)
        self.analyses: dict[str, Any] = {}  # what flow and liveness have found out; nothing in it refers back here
        self.by_pc = {i.at: i for i in self.instructions} | {i.pc: i for i in self.instructions}

    @property
    def code(self) -> CodeType:
        """The code object, which has to be alive."""
        code = self._code()
        if code is None:
            raise ReferenceError("the code object of this bytecode is gone")
        return code

    def at(self, pc: int) -> Instruction:
        """The instruction whose first unit or whose opcode is at pc."""
        return self.by_pc[pc]


_cache: Rows[Bytecode] = Rows()


def decode(code: CodeType) -> Bytecode:
    """The bytecode of a code object; the same object is decoded once."""
    return _cache.get(code) or _cache.put(code, Bytecode(code))


def _instructions(code: CodeType) -> Iterator[Instruction]:
    raw = code.co_code  # CPython gives the plain opcodes here, whatever has been specialised or instrumented
    lines = _Lines(code)
    pc = at = arg = 0
    kwnames: tuple[str, ...] = ()
    parts: list[tuple[str, int | None]] = []
    while at * 2 < len(raw):
        op, name = raw[at * 2], opcode.opname[raw[at * 2]]
        arg = arg << 8 | raw[at * 2 + 1]
        after = at + 1 + CACHES[op]
        if name != "EXTENDED_ARG":
            parts.append((name, arg if op >= opcode.HAVE_ARGUMENT else None))
        if name in PREFIXES:
            kwnames = code.co_consts[arg] if name == "KW_NAMES" else kwnames
            arg = arg if name == "EXTENDED_ARG" else 0
            at = after
            continue
        target = target_of(name, after, arg) if name in JUMPS else None
        micros = normalise(Operand(code, name, arg, target, kwnames))
        yield Instruction(pc, at, after, name, lines.at(at), micros, target, tuple(parts))
        pc, at, arg, kwnames, parts = after, after, 0, (), []


def target_of(name: str, after: int, arg: int) -> int:
    """Where a jump of this name goes that the instruction at ``after`` follows."""
    if name == "FOR_ITER":  # the interpreter skips what follows an exhausted loop, as if it were not there
        return after + arg + HERE.after_for
    return after - arg if "BACKWARD" in name else after + arg


class _Lines:
    """Line numbers by pc."""

    def __init__(self, code: CodeType) -> None:
        rows = list(code.co_lines())
        self.starts = [start for start, _, _ in rows]
        self.lines = [line for _, _, line in rows]

    def at(self, pc: int) -> int | None:
        """The line of the code unit at pc."""
        row = bisect.bisect_right(self.starts, pc * 2) - 1
        while row >= 0 and self.lines[row] is None:  # 3.11 leaves some without: that of what is before
            row -= 1
        return self.lines[row] if row >= 0 else None


def _looks_at_frames(step: Micro) -> bool:
    if step.name in _LOADS_NAME:
        return step.arg in _FRAME_NAMES or step.arg in _FRAME_ATTRIBUTES
    return step.name in _LOADS_ATTRIBUTE and step.arg in _FRAME_ATTRIBUTES


def _closures(bytecode: Bytecode, instructions: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
    """3.13 loads a cell for a closure by LOAD_FAST; give that its own name again.

    A cell's slot may also hold a plain value, inside a comprehension that has a variable of the same name, so what the
    load is for decides: a tuple for a new function, or `__classcell__` in a class body.
    """
    if not HERE.closure_is_fast:
        return instructions
    cells = bytecode.cell_slots | bytecode.free_slots
    in_class = not bytecode.flags & inspect.CO_OPTIMIZED
    result = list(instructions)
    for index, i in enumerate(instructions):
        if i.opname == "LOAD_FAST" and i.micros[0].arg in cells and (in_class or _for_closure(instructions, index)):
            result[index] = i._replace(micros=(Micro("LOAD_CLOSURE", i.micros[0].arg),))
    return tuple(result)


def _for_closure(instructions: tuple[Instruction, ...], index: int) -> bool:
    end = index
    while instructions[end].opname == "LOAD_FAST":
        end += 1
    names = [i.opname for i in instructions[end : end + 4]]
    if names != ["BUILD_TUPLE", "LOAD_CONST", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE"]:
        return False
    count, attribute = instructions[end].micros[0].arg, instructions[end + 3].micros[0].arg
    return bool(end - index <= count and attribute == 8)
