"""What differs between CPython 3.11, 3.12 and 3.13 bytecode: one row per version, and cache sizes and jumps by opcode."""

import opcode
import sys
from typing import Any, Literal

from pijit.ground.records import dataclass


@dataclass(frozen=True, slots=True)
class Version:
    """How one CPython version encodes what the others encode differently."""

    call_order: Literal["null_first", "callable_first"]
    compare_shift: int  # where the operator starts in COMPARE_OP's argument
    compare_bool: int  # the bit of COMPARE_OP that asks for a bool
    name_shift: int  # LOAD_ATTR: where the name starts; below it is the method bit
    after_for: int  # units that an exhausted FOR_ITER skips after its target (END_FOR, POP_TOP)
    load_fast: str  # 3.11 checks every load for an unbound local, later compilers know better
    closure_is_fast: bool  # LOAD_CLOSURE is written as LOAD_FAST
    compensated_sum: bool  # sum() of floats keeps what rounding loses


VERSIONS = {
    (3, 11): Version("null_first", 0, 0, 0, 0, "LOAD_FAST_CHECK", False, False),
    (3, 12): Version("null_first", 4, 0, 1, 1, "LOAD_FAST", False, True),
    (3, 13): Version("callable_first", 5, 16, 1, 2, "LOAD_FAST", True, True),
}

HERE = VERSIONS[sys.version_info[:2]]
CALL_ORDER = HERE.call_order
"""The stack of a CALL: "null_first" [NULL|method, callable|self, args...], "callable_first" [callable, NULL|self, args...]."""

PREFIXES = frozenset({"EXTENDED_ARG", "KW_NAMES", "PRECALL"})
"""Opcodes that only prepare the one after them; nothing may come between the two."""


def _cache_sizes() -> list[int]:
    raw: Any = opcode._inline_cache_entries  # type: ignore[attr-defined]
    if isinstance(raw, dict):  # 3.13: by name
        raw = [raw.get(name, 0) for name in opcode.opname[:256]]
    return list(raw)


CACHES = _cache_sizes()
"""Code units of inline cache behind each opcode."""

JUMPS = frozenset(opcode.opname[op] for op in opcode.hasjrel)
"""Names of the opcodes with a relative target."""

INTRINSICS_1: list[str] = list(getattr(opcode, "_intrinsic_1_descs", ()))
INTRINSICS_2: list[str] = list(getattr(opcode, "_intrinsic_2_descs", ()))
COMPARISONS: tuple[str, ...] = opcode.cmp_op
BINARY: list[tuple[str, bool]] = [
    (symbol.removesuffix("="), symbol.endswith("="))
    for _, symbol in opcode._nb_ops  # type: ignore[attr-defined]
]
"""(symbol, in place) by the argument of BINARY_OP."""
