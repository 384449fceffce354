"""From LLVM IR text to machine code in memory; identical texts are compiled once."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from threading import RLock
from typing import Any

from pijit.ground import clock
from pijit.ground.records import dataclass
from pijit.ground.weak import Named

from . import cache, emit

VERSION = "5"  # of the code generator: a change of what it emits for one text of IR


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine code: the address of its function, and the library that must live as long as it is used."""

    address: int
    library: Any
    cached: bool


_GROUP = 16  # libraries in one memory, which is given back when all of them are gone
_RECENT = 256  # libraries that stay though nothing uses them: functions come again

_loaded: Named[Any] = Named()  # libraries, by what they are made of
_recent: OrderedDict[str, Any] = OrderedDict()
_alone = RLock()


class Memory:
    """Holds the machine code of some libraries."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        self.engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(""), emit.target_machine(emit.BEST))
        self.libraries = 0

    def load(self, code: bytes) -> None:
        """Object code, at an address of its own."""
        from llvmlite.binding.object_file import ObjectFileRef

        self.engine.add_object_file(ObjectFileRef.from_data(code))
        self.engine.finalize_object()
        self.libraries += 1


@dataclass(slots=True, weakref_slot=True)
class Library:
    """Machine code, which is in memory as long as this lives. ``units``: libraries whose addresses it holds."""

    memory: Memory
    address: int
    units: Sequence[Any] = ()

    def address_of(self, name: str) -> int:
        """Of a function that it has."""
        found: int = self.memory.engine.get_function_address(name)
        return found


def alone() -> AbstractContextManager[Any]:
    """To be held from a module's first instruction to its machine code."""
    emit.load()
    return _alone


_memory: list[Memory] = []  # of the next library


def memory() -> Memory:
    """Where the next library goes."""
    if not _memory or _memory[0].libraries >= _GROUP:
        _memory[:] = [Memory()]
    return _memory[0]


@functools.cache
def _versions() -> str:
    import llvmlite

    return repr((VERSION, llvmlite.__version__, *emit.processor()))


def key(text: str) -> str:
    """What the machine code of a text depends on, hashed: of Python's version, only what the text says."""
    return hashlib.blake2b(f"{_versions()}\n{text}".encode(), digest_size=16).hexdigest()


def build(text: str, name: str, use_cache: bool = True, level: int = emit.BEST, units: Sequence[Any] = ()) -> Machine:
    """Compiles a module. ``name`` is its one function; it is given a name of its own, derived from the content. ``level``: of `emit`; code
    that is left for kernels and calls all the time gains nothing by vectorising and unrolling. ``units``: libraries that it calls."""
    text = "".join(line + "\n" for line in text.splitlines() if not line.lstrip().startswith(";"))
    emit.ready()
    digest = key(f"{level} {text}")
    with alone():
        library: Any = _loaded.get(digest) if use_cache else None
        cached = library is not None
        if not cached:
            library, cached = _build(text, name, digest, use_cache, level)
            library.units = units
        _keep(digest, library)
        return Machine(library.address, library, cached)


_generating = 0.0


def generating() -> float:
    """The seconds that all machine code so far took which was not on disk."""
    return _generating


def _build(text: str, name: str, digest: str, use_cache: bool, level: int) -> tuple[Library, bool]:
    """The library, and whether it was on disk."""
    global _generating
    symbol = f"{name}_{digest}" if use_cache else f"{name}_{digest}_{next(_fresh)}"
    code: bytes | None = cache.load(digest) if use_cache else None
    cached = code is not None
    if code is None:
        start = clock.thread_time()
        code = emit.object_code(text.replace(f'@"{name}"', f'@"{symbol}"'), level)
        _generating += clock.thread_time() - start
        if use_cache:
            cache.save(digest, code)
    place = memory()
    place.load(code)
    return Library(place, place.engine.get_function_address(symbol)), cached


def _keep(digest: str, library: Any) -> None:
    _loaded.put(digest, library)
    _recent[digest] = library
    _recent.move_to_end(digest)
    while len(_recent) > _RECENT:
        _recent.popitem(last=False)


_fresh = iter(range(1 << 62))
