"""How wide LLVM makes the vectors of a loop.

It halves the widest, of 512 bits, for the first processors that had them: those go slower while they are used. It says the same of later ones,
which do not.
"""

from __future__ import annotations

import functools

import llvmlite.binding as llvm
from llvmlite import ir

_SLOWED_DOWN = frozenset({"skylake-avx512", "cascadelake", "cooperlake", "cannonlake"})


@functools.cache
def _processor() -> str:
    return str(llvm.get_host_cpu_name())


def widen(function: ir.Function) -> None:
    """Lets the function's loops use the widest vectors that there are, where they are of use."""
    if _processor() not in _SLOWED_DOWN:
        set.add(function.attributes, '"prefer-vector-width"="512"')  # llvmlite lets only through what it knows
