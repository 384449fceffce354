"""From LLVM IR text to machine code in memory, by numba's code generator; identical texts are compiled once.

numba is imported here, at the first compile: it takes 130-400 ms, and `import pijit` must cost next to nothing.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import threading
from dataclasses import dataclass, replace
from typing import Any

from . import cache, symbols

VERSION = "3"  # of the code generator: a change of what it emits for one text of IR


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine code: the address of its function, and the library that must live as long as it is used."""

    address: int
    library: Any
    cached: bool


_loaded: dict[str, Machine] = {}
_lock = threading.RLock()


@functools.cache
def _register_helpers() -> None:
    """Once: tests put stand-ins in their place afterwards."""
    try:
        _native = importlib.import_module("pijit._native")
    except ImportError:  # not built: tests of the generator alone
        return
    symbols.register(_native.symbols())


@functools.cache
def codegen(quick: bool = False) -> Any:
    """numba's code generator, one of each kind per process. ``quick``: for code that is left for kernels and calls all the time, where
    vectorising and unrolling only cost."""
    from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

    class Library(JITCodeLibrary):
        """Optimised once: numba runs each function through the passes first, which prepares its reference counting for pruning and costs
        as much again."""

        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            generator: Any = self._codegen
            level = {"opt": 0, "loop_vectorize": False, "slp_vectorize": False} if quick else {}
            passes, builder = generator._module_pass_manager(**level)
            passes.run(self._final_module, builder)

    class Codegen(JITCPUCodegen):
        _library_class = Library

        def _customize_tm_options(self, options: Any) -> None:
            make_options: Any = super()._customize_tm_options
            make_options(options)
            if quick:
                options["opt"] = 0

    _register_helpers()
    make: Any = Codegen
    return make("pijit")


@functools.cache
def _versions() -> str:
    import sys

    import llvmlite
    import numba

    parts = (VERSION, numba.__version__, llvmlite.__version__, sys.version_info[:2], *codegen().magic_tuple())
    return repr(parts)


def key(text: str) -> str:
    """What the machine code of a text depends on, hashed."""
    return hashlib.blake2b(f"{_versions()}\n{text}".encode(), digest_size=16).hexdigest()


def build(text: str, name: str, use_cache: bool = True, quick: bool = False) -> Machine:
    """Compiles a module. ``name`` is its one function; it is given a name of its own, derived from the content. ``quick``: see codegen."""
    text = "".join(line + "\n" for line in text.splitlines() if not line.lstrip().startswith(";"))
    digest = key(f"{quick} {text}")
    with _lock:
        machine = _loaded.get(digest)
        if machine is None or not use_cache:
            machine = _build(text, name, digest, use_cache, quick)
            _loaded[digest] = replace(machine, cached=True)
        return machine


def _build(text: str, name: str, digest: str, use_cache: bool, quick: bool) -> Machine:
    from numba.core.compiler_lock import global_compiler_lock

    symbol = f"{name}_{digest}" if use_cache else f"{name}_{digest}_{next(_fresh)}"
    with global_compiler_lock:
        if use_cache:
            stored = cache.load(digest)
            if stored is not None:
                library = codegen(quick).unserialize_library((symbol, "object", stored))
                return Machine(library.get_pointer_to_function(symbol), library, True)
        library = _compile(text.replace(f'@"{name}"', f'@"{symbol}"'), symbol, quick)
        if use_cache:
            cache.save(digest, library.serialize_using_object_code()[2])
        return Machine(library.get_pointer_to_function(symbol), library, False)


_fresh = iter(range(1 << 62))


def _compile(text: str, symbol: str, quick: bool) -> Any:
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    module.name = symbol
    module.verify()
    library = codegen(quick).create_library(symbol)
    library.enable_object_caching()
    library.add_llvm_module(module)
    library.finalize()
    return library
