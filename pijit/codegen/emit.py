"""From LLVM IR text to object code, by llvmlite: LLVM as numba has it. It is imported here, at the first compile; numba itself takes five times as
long to import, and offers nothing for text that is IR already.
"""

from __future__ import annotations

import functools
import importlib
import platform
from typing import Any

from pijit.ground import forks

from . import symbols

BEST, LOOPS, PLAIN, QUICK = 3, 2, 1, 0  # levels of LLVM's optimisation; PLAIN without its passes, which take more than half of the time for a driver
# What LLVM's third level adds took a tenth of the time for a loop and made none faster; kernels, whose operations the graph's passes have seen to,
# need fewer passes, but several elements at once.
_PASSES = {BEST: 2, LOOPS: 1}


@functools.cache
def _native() -> Any:
    """None where it is not built: in tests of the generator alone."""
    try:
        return importlib.import_module("pijit._native")
    except ImportError:
        return None


@functools.cache
def load() -> None:
    """Imports the compiler, and what fills the table of lowerings. Their objects stay: the program's collector need not look at them. The package
    first: of threads that import one and its parts at once, one may be given half a module."""
    settling = _native() is not None and _native().settle_begin()
    try:
        for name in ("llvmlite", "llvmlite.binding", "pijit.codegen.lowerings"):
            importlib.import_module(name)
        forks.hold(importlib.import_module("llvmlite.binding.ffi").lib._lock)  # nothing else gives it away
    finally:
        if settling:
            _native().settle_end()


@functools.cache
def ready() -> None:
    """The compiler is there, and knows the helpers. Once: tests put stand-ins in their place afterwards."""
    load()
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if _native() is not None:
        symbols.register(_native().symbols())


@functools.cache
def processor() -> tuple[str, str, str]:
    """What code is made for: triple, name and features."""
    import llvmlite.binding as llvm

    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def target_machine(level: int) -> Any:
    import llvmlite.binding as llvm

    triple, name, features = processor()
    reloc = "static" if platform.machine() in ("x86_64", "AMD64") else "default"
    return llvm.Target.from_triple(triple).create_target_machine(name, features, level, reloc, "jitdefault", jit=True)


@functools.cache
def _generator(level: int) -> tuple[Any, str]:
    """What makes object code, and the layout of its data."""
    machine = target_machine(level)
    return machine, str(machine.target_data)


def object_code(text: str, level: int = BEST, readable: bool = False) -> Any:
    """Bytes, or as ``readable`` text."""
    import llvmlite.binding as llvm

    ready()
    machine, layout = _generator(level)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = processor()[0], layout
    module.verify()
    if level in _PASSES:  # LLVM's passes at level 0 change nothing of ours, and llvmlite never frees 1.5 KB for each time that passes are made
        _optimise(module, machine, level)
    return machine.emit_assembly(module) if readable else machine.emit_object(module)


def _optimise(module: Any, machine: Any, level: int) -> None:
    import llvmlite.binding as llvm
    from llvmlite.binding.ffi import ObjectRef
    from llvmlite.binding.newpassmanagers import NewPassManager

    options = llvm.create_pipeline_tuning_options(_PASSES.get(level, 0))
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    if type(passes)._dispose is ObjectRef._dispose:  # llvmlite takes the wrong class's, and keeps some 85 KB for each
        NewPassManager._dispose(passes)
        passes.detach()
