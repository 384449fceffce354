"""Code that drivers call by name and that is not theirs: kernels, and the inner loops of NumPy's ufuncs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pijit.ground.records import dataclass

from . import emit, engine, inner, symbols
from . import llvm_ir as ir
from .rows import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ir.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Unit:
    """``load`` makes the symbol known and gives what must be kept; ``data``: the symbol of a loop's data, if it has
    some."""

    symbol: str
    load: Callable[[bool], Any]
    data: str = ""


def kernel_unit(kernel: Kernel) -> Unit:
    """The machine code of a kernel."""
    from . import kernels

    name = kernels.symbol(kernel)

    def load(use_cache: bool) -> Any:
        library = symbols.library(name)
        if library is None:
            module = ir.Module(name)
            kernels.define(module, kernel)
            machine = engine.build(str(module), name, use_cache, emit.LOOPS)
            library = machine.library
            symbols.lend(name, machine.address, library)
        return library

    return Unit(name, load)


def loop_unit(ufunc: str, dtypes: tuple[str, ...]) -> Unit:
    """The loop of exactly these dtypes."""
    return _unit(inner.find(ufunc, dtypes), ufunc, dtypes)


def core_unit(ufunc: str, dtypes: tuple[str, ...]) -> Unit:
    """The same of a ufunc on whole axes."""
    return _unit(inner.find_core(ufunc, dtypes), ufunc, dtypes)


def _unit(loop: inner.Loop | None, ufunc: str, dtypes: tuple[str, ...]) -> Unit:
    if loop is None:
        raise Unsupported(f"np.{ufunc} on {', '.join(dtypes)}")

    def load(use_cache: bool) -> Any:
        loop.register()
        return loop.ufunc

    return Unit(loop.name, load, loop.data_name if loop.data else "")
