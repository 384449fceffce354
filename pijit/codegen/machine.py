"""LLVM IR to machine code, by numba's code generator: its optimisation pipeline, its target machine and its linker."""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock


@functools.cache
def _codegen() -> Any:
    return JITCPUCodegen("pijit")  # type: ignore[no-untyped-call]


class Library:
    """The machine code of one module. It lives as long as this object."""

    def __init__(self, module: ir.Module) -> None:
        with global_compiler_lock:
            codegen = _codegen()
            self._library = codegen.create_library(module.name)
            target = self._library.create_ir_module(module.name)
            module.triple, module.data_layout = target.triple, target.data_layout
            self._library.add_ir_module(module)
            self._library.finalize()

    def address(self, symbol: str) -> int:
        """The address of a function."""
        return int(self._library.get_pointer_to_function(symbol))

    def assembly(self) -> str:
        """For people to read."""
        return str(self._library.get_asm_str())
