"""Names that machine code refers to: helpers of the C extension, NumPy's loops, kernels. Code holds no addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pijit.ground.weak import Named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_registered: dict[str, int] = {}
_libraries: Named[Any] = Named()  # whose code has a name as long as they live


def register(symbols: Mapping[str, int]) -> None:
    """Gives addresses to names, before the code that uses them is loaded."""
    import llvmlite.binding as llvm

    for name, address in symbols.items():
        if _registered.get(name) != address:
            llvm.add_symbol(name, address)
            _registered[name] = address


def lend(name: str, address: int, library: Any) -> None:
    """Gives the address to the name, until the library is gone. LLVM has no way to forget it."""
    import llvmlite.binding as llvm

    llvm.add_symbol(name, address)
    _libraries.put(name, library)


def library(name: str) -> Any:
    """The one whose code has this name, or None."""
    return _libraries.get(name)


def unknown(names: Iterable[str]) -> list[str]:
    """The names of ours that nobody registered: LLVM would end the process over them."""
    return [name for name in names if name.startswith("pj_") and name not in _registered and library(name) is None]
