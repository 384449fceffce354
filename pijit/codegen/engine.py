"""From LLVM IR text to machine code in memory, by numba's code generator; identical texts are compiled once.

numba is imported here, at the first compile: it takes 130-400 ms, and `import pijit` must cost next to nothing.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pijit.ground import forks
from pijit.ground.weak import Named

from . import cache, symbols

VERSION = "3"  # of the code generator: a change of what it emits for one text of IR


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine code: the address of its function, and the library that must live as long as it is used."""

    address: int
    library: Any
    cached: bool


_GROUP = 16  # libraries with one generator, which owns the memory of their code: it is given back when all of them are gone
_RECENT = 256  # libraries that stay though nothing uses them: functions come again

_loaded: Named[Any] = Named()  # libraries, by what they are made of
_recent: OrderedDict[str, Any] = OrderedDict()


def alone() -> Any:
    """The lock of numba's compiler, to be held from a module's first instruction to its machine code: the tables of llvmlite are shared with
    all who compile, and two locks taken in two orders would stop both threads for ever."""
    _load()
    from numba.core.compiler_lock import global_compiler_lock

    return global_compiler_lock


@functools.cache
def _native() -> Any:
    """None where it is not built: in tests of the generator alone."""
    try:
        return importlib.import_module("pijit._native")
    except ImportError:
        return None


@functools.cache
def _register_helpers() -> None:
    """Once: tests put stand-ins in their place afterwards."""
    if _native() is not None:
        symbols.register(_native().symbols())


@functools.cache
def _load() -> None:
    """Imports the compiler, whose objects stay: the program's collector need not look at them. The package first: of threads that import one and
    its parts at once, one may be given half a module."""
    settling = _native() is not None and _native().settle_begin()
    try:
        for name in ("numba", "numba.core.codegen", "numba.core.compiler_lock", "llvmlite.binding.newpassmanagers"):
            importlib.import_module(name)
        forks.hold(importlib.import_module("llvmlite.binding.ffi").lib._lock)  # nothing else gives it away
    finally:
        if settling:
            _native().settle_end()


@functools.cache
def _kind(quick: bool) -> Any:
    """numba's code generator as we need it."""
    _load()
    from llvmlite.binding.ffi import ObjectRef
    from llvmlite.binding.newpassmanagers import NewPassManager
    from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

    class Library(JITCodeLibrary):
        """Optimised once: numba runs each function through the passes first, which prepares its reference counting for pruning and costs
        as much again. A quick one not at all: LLVM's passes at level 0 change nothing of ours, and llvmlite never frees 1.5 KB for each time
        that passes are made. ``units``: libraries whose addresses it holds."""

        units: Sequence[Any] = ()

        def _optimize_functions(self, ll_module: Any) -> None:
            ll_module.data_layout = self._codegen._data_layout

        def _optimize_final_module(self) -> None:
            if quick:
                return
            generator: Any = self._codegen
            passes, builder = generator._module_pass_manager()
            passes.run(self._final_module, builder)
            if type(passes)._dispose is ObjectRef._dispose:  # llvmlite takes the wrong class's, and keeps some 85 KB for each
                NewPassManager._dispose(passes)
                passes.detach()

    class Codegen(JITCPUCodegen):
        _library_class = Library
        libraries = 0

        def create_library(self, name: str, **options: Any) -> Any:
            self.libraries += 1
            create: Any = super().create_library
            return create(name, **options)

        def _customize_tm_options(self, options: Any) -> None:
            make_options: Any = super()._customize_tm_options
            make_options(options)
            if quick:
                options["opt"] = 0

    _register_helpers()
    return Codegen


_generators: dict[bool, Any] = {}


def codegen(quick: bool = False) -> Any:
    """The code generator for the next library. ``quick``: for code that is left for kernels and calls all the time, where vectorising and
    unrolling only cost."""
    found = _generators.get(quick)
    if found is None or found.libraries >= _GROUP:
        found = _generators[quick] = _kind(quick)("pijit")
    return found


@functools.cache
def _versions() -> str:
    import llvmlite
    import numba

    parts = (VERSION, numba.__version__, llvmlite.__version__, *codegen().magic_tuple())
    return repr(parts)


def key(text: str) -> str:
    """What the machine code of a text depends on, hashed: of Python's version, only what the text says."""
    return hashlib.blake2b(f"{_versions()}\n{text}".encode(), digest_size=16).hexdigest()


def build(text: str, name: str, use_cache: bool = True, quick: bool = False, units: Sequence[Any] = ()) -> Machine:
    """Compiles a module. ``name`` is its one function; it is given a name of its own, derived from the content. ``quick``: see codegen.
    ``units``: libraries that it calls."""
    text = "".join(line + "\n" for line in text.splitlines() if not line.lstrip().startswith(";"))
    digest = key(f"{quick} {text}")
    with alone():
        library: Any = _loaded.get(digest) if use_cache else None
        cached = library is not None
        if not cached:
            library, cached = _build(text, name, digest, use_cache, quick)
            library.units = units
        _keep(digest, library)
        return Machine(library.address, library, cached)


def _build(text: str, name: str, digest: str, use_cache: bool, quick: bool) -> tuple[Any, bool]:
    """The library, and whether it was on disk."""
    symbol = f"{name}_{digest}" if use_cache else f"{name}_{digest}_{next(_fresh)}"
    stored = cache.load(digest) if use_cache else None
    if stored is not None:
        library = codegen(quick).unserialize_library((symbol, "object", stored))
    else:
        library = _compile(text.replace(f'@"{name}"', f'@"{symbol}"'), symbol, quick)
        if use_cache:
            cache.save(digest, library.serialize_using_object_code()[2])
    library.address = library.get_pointer_to_function(symbol)
    return library, stored is not None


def _keep(digest: str, library: Any) -> None:
    _loaded.put(digest, library)
    _recent[digest] = library
    _recent.move_to_end(digest)
    while len(_recent) > _RECENT:
        _recent.popitem(last=False)


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
