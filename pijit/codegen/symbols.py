"""Names that machine code refers to: helpers of the C extension, NumPy's loops, kernels. Code holds no addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_registered: dict[str, int] = {}


def register(symbols: Mapping[str, int]) -> None:
    """Gives addresses to names, before the code that uses them is loaded."""
    import llvmlite.binding as llvm

    for name, address in symbols.items():
        if _registered.get(name) != address:
            llvm.add_symbol(name, address)
            _registered[name] = address


def forget(name: str, address: int) -> None:
    """What was there is gone; LLVM has no way to forget it."""
    if _registered.get(name) == address:
        del _registered[name]


def unknown(names: Iterable[str]) -> list[str]:
    """The names of ours that nobody registered: LLVM would end the process over them."""
    return [name for name in names if name.startswith("pj_") and name not in _registered]
