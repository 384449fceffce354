"""Where a function jumps backwards, and how high the value stack is there: found in the bytes, since most functions with loops that a program
calls while it imports are never looked at again.
"""

import bisect
import dis
import opcode
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import NamedTuple

from pijit.pycode.flow import EFFECT_OF_JUMP, ENDS, Handler, exception_table
from pijit.pycode.instructions import target_of
from pijit.pycode.outline import opcodes
from pijit.pycode.versions import CACHES, JUMPS, PREFIXES


class BackJump(NamedTuple):
    """``at``: the opcode; ``header``: where it goes; ``depth``: the height of the value stack before it."""

    at: int
    header: int
    depth: int


_PREFIXES, _JUMPS, _ENDS, _EXTENDED = opcodes(PREFIXES), opcodes(JUMPS), opcodes(ENDS), opcode.opmap["EXTENDED_ARG"]


class _Step(NamedTuple):
    """One instruction, its prefixes included. ``effect``: theirs on the height of the value stack."""

    at: int
    op: int
    arg: int
    after: int
    effect: int


def back_jumps(code: CodeType) -> list[BackJump]:
    """Those that close a loop, in order. Of a function, not of a generator or coroutine."""
    steps = dict(_steps(code.co_code))
    rows = sorted(exception_table(code.co_exceptiontable))
    depths, found = _walk(steps, 0, 0, {})
    for _, _, handler in rows:
        depths, more = _walk(steps, handler.pc, handler.depth + handler.lasti + 1, depths)
        # what follows a `try` statement lies before its handlers: only a jump to where all ways to it lead by goes round
        found += [jump for jump in more if jump.at not in _reached(steps, rows, without=jump.header)]
    return sorted(found)


def _walk(steps: dict[int, _Step], start: int, height: int, depths: dict[int, int]) -> tuple[dict[int, int], list[BackJump]]:
    """Notes the heights of what follows, and gives the jumps backwards."""
    found = []
    todo = [(start, height)]
    while todo:
        pc, depth = todo.pop()
        while pc not in depths:
            depths[pc] = depth
            step = steps[pc]
            if step.op in _JUMPS:
                goal = _goal(step)
                if goal <= pc:
                    found.append(BackJump(step.at, goal, depth))
                todo.append((goal, depth + step.effect + _effect(step.op, step.arg, True)))
            if step.op in _ENDS:
                break
            depth += step.effect + _effect(step.op, step.arg, False)
            pc = step.after
    return depths, found


def _reached(steps: dict[int, _Step], rows: list[tuple[int, int, Handler]], without: int) -> set[int]:
    """The opcodes that can be reached from the start other than through a place."""
    starts = [start for start, _, _ in rows]
    seen, reached, todo = {without}, set(), [0]
    while todo:
        pc = todo.pop()
        while pc not in seen:
            seen.add(pc)
            step = steps[pc]
            reached.add(step.at)
            row = bisect.bisect_right(starts, step.at) - 1
            if row >= 0 and step.at < rows[row][1]:
                todo.append(rows[row][2].pc)
            if step.op in _JUMPS:
                todo.append(_goal(step))
            if step.op in _ENDS:
                break
            pc = step.after
    return reached


def _goal(step: _Step) -> int:
    return target_of(opcode.opname[step.op], step.after, step.arg)


def _steps(raw: bytes) -> Iterator[tuple[int, _Step]]:
    pc = at = arg = effect = 0
    while at * 2 < len(raw):
        op = raw[at * 2]
        arg = arg << 8 | raw[at * 2 + 1]
        after = at + 1 + CACHES[op]
        if op in _PREFIXES:
            effect += _effect(op, arg, False)
        else:
            yield pc, _Step(at, op, arg, after, effect)
            pc, effect = after, 0
        arg = arg if op == _EXTENDED else 0
        at = after


@lru_cache(maxsize=10_000)
def _effect(op: int, arg: int, jumps: bool) -> int:
    if jumps and opcode.opname[op] in EFFECT_OF_JUMP:
        return EFFECT_OF_JUMP[opcode.opname[op]]
    return dis.stack_effect(op, arg if op >= opcode.HAVE_ARGUMENT else None, jump=jumps)
