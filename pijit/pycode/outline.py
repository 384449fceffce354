"""What is asked of every function that a program calls: little enough not to decode its instructions for it."""

import inspect
import opcode
from types import CodeType
from typing import NamedTuple

from pijit.pycode.versions import CACHES, PREFIXES

SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_PROLOGUE = frozenset({"COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "POP_TOP", "RESUME", "NOP"})


def opcodes(names: frozenset[str]) -> frozenset[int]:
    """Those of these names that this version has."""
    return frozenset(opcode.opmap[name] for name in names if name in opcode.opmap)


_BEFORE_START = opcodes(_PROLOGUE | PREFIXES)
_RESUME = opcode.opmap["RESUME"]
_BACKWARD = opcodes(frozenset(name for name in opcode.opmap if "BACKWARD" in name))
# What is no instruction reads as a cache, or has a number in brackets for a name.
_UNKNOWN = frozenset(op for op in range(256) if opcode.opname[op] == "CACHE" or opcode.opname[op].startswith("<"))


class Outline(NamedTuple):
    """``start``: the pc where arguments are bound and nothing has happened; ``may_loop``: it jumps backwards; ``is_malformed``: it has what is no
    instruction, since code.replace(co_code=...) takes anything."""

    start: int
    may_loop: bool
    is_malformed: bool


def outline(code: CodeType) -> Outline:
    """The outline of a code object."""
    raw, start, at = code.co_code, 0, 0
    in_prologue, seen = True, set()
    while at * 2 < len(raw):
        op = raw[at * 2]
        seen.add(op)
        at += 1 + CACHES[op]
        if in_prologue:
            in_prologue = op in _BEFORE_START and op != _RESUME
            if op in _BEFORE_START and opcode.opname[op] not in PREFIXES:
                start = at
    return Outline(start, not _BACKWARD.isdisjoint(seen), not _UNKNOWN.isdisjoint(seen))
