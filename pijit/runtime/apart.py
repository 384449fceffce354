"""Modules of pijit's whose names lead the program to others: to its own queue.py, say, in the script's folder.

Each side has its own in sys.modules: the program's are set aside while pijit works, and what pijit has imported meanwhile is taken away where
the program would find another. With several threads nothing is exchanged, since the others import, too.
"""

from __future__ import annotations

import os
import sys
from _imp import is_frozen
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, NamedTuple

from pijit import _native
from pijit.ground import log, places

_NEEDED = sys.stdlib_module_names | {"numba", "llvmlite"}
_IMPORTED = _NEEDED | {"numpy", "scipy"}

_own: dict[str, Any] = {}  # what sys.modules holds while pijit works only
_looked = -1  # how many modules there were when it was last looked whether some are in the way
_in_the_way: list[str] = []
_told = False
_last_made: ModuleSpec | None = None  # what the program was importing when that was last asked

_native.set_import_path(places.installed_first(sys.path))


class Aside(NamedTuple):
    """What `begin` has set aside, and how many modules were left."""

    path: list[str]
    modules: dict[str, Any]
    left: int


def begin(loaded: bool) -> Aside | bool:
    """pijit's modules come into the places of the program's. What `end` is to be given; False where they cannot and the compiler would
    get the program's, or what is not complete yet."""
    if not loaded and _being_made():
        return False
    path = _native.program_path()
    if path is None:
        return loaded or not _obstructed()
    return _exchange(path)


def _exchange(path: list[str]) -> Aside:
    if _has_compiler():
        sys.path[:] = places.installed
    names = _find_in_the_way()
    theirs = _take([*names, *_tops(_own)]) if names or _own else {}
    sys.modules.update(_own)
    return Aside(path, theirs, len(sys.modules))


def end(aside: Aside | bool) -> None:
    """The program's modules are in their places again."""
    if isinstance(aside, bool):
        return
    if len(sys.modules) > aside.left:
        new = [name for name in list(sys.modules)[aside.left :] if "." not in name]
        replaced = _tops(aside.modules)
        _own.update(_take([*replaced, *_found_elsewhere([name for name in new if name not in replaced], aside.path)]))
    for name in _own:
        sys.modules.pop(name, None)
    sys.modules.update(aside.modules)


@contextmanager
def ours() -> Iterator[None]:
    """What pijit imports when the program is over is its own."""
    path = sys.path
    sys.path = places.installed_first(path)
    aside = _exchange(path)
    try:
        yield
    finally:
        end(aside)
        sys.path = path


def hide(after: str) -> None:
    """Before the program begins: what was imported since a module, and plain Python would not have yet, is out of the way of its own."""
    names = list(sys.modules)
    since = names.index(after) + 1 if after in names else len(names)  # a module comes last when it is complete
    ours = [name for name in names[since:] if "." not in name and name not in ("pijit", "__main__")]
    _own.update(_take(_found_elsewhere(ours, sys.path)))


def _tops(names: Iterable[str]) -> list[str]:
    return [name for name in names if "." not in name]


def _take(tops: Collection[str]) -> dict[str, Any]:
    """These modules and what is in them, out of sys.modules."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in tops} if tops else {}


def _found_elsewhere(names: Collection[str], path: list[str]) -> list[str]:
    """Those that the program finds in a folder that comes before Python's own, and not where we have."""
    found: dict[str, bool] = {}
    for folder in path:
        if not isinstance(folder, str) or places.is_installed(folder):
            break
        finder = _finder(folder or os.getcwd())
        for name in names:
            spec = _spec(finder, name) if name not in found and not _is_built_in(name) else None
            if spec is not None and spec.loader is not None:
                found[name] = spec.origin != getattr(getattr(sys.modules.get(name), "__spec__", None), "origin", None)
    return [name for name in names if found.get(name)]


def _finder(folder: str) -> Any:
    """One that has looked at nothing yet."""
    for hook in sys.path_hooks:
        with suppress(Exception):  # a path that is none
            return hook(folder)
    return None


def _spec(finder: Any, name: str) -> Any:
    with suppress(Exception):
        return finder.find_spec(name)
    return None


def _find_in_the_way() -> list[str]:
    """The program's modules under names that pijit needs."""
    global _looked, _in_the_way
    if _looked != len(sys.modules):
        there = list(sys.modules.items())  # at once: other threads import
        candidates = [name for name, module in there if name in _NEEDED and name not in _own and _is_programs(name, module)]
        _in_the_way = [name for name in candidates if PathFinder.find_spec(name, places.installed) is not None]
        _looked = len(sys.modules)
    return [name for name in _in_the_way if name in sys.modules]


def _is_programs(name: str, module: Any) -> bool:
    """Whether this is another module than the one that everybody means. None of its code is run."""
    if _is_built_in(name):
        return False
    space = vars(module) if isinstance(module, ModuleType) else {}
    return not (places.in_library(space.get("__file__")) or (name not in sys.stdlib_module_names and "__version__" in space))


def _is_built_in(name: str) -> bool:
    return name in sys.builtin_module_names or is_frozen(name)


def _being_made() -> bool:
    """Whether the program is in the middle of importing something that the compiler imports, too."""
    global _last_made
    if _is_made(_last_made):  # most of what is asked is asked during one long import
        return True
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        spec = vars(module).get("__spec__") if top in _IMPORTED and type(module) is ModuleType else None
        if _is_made(spec) and top not in _find_in_the_way():
            _last_made = spec
            return True
    _last_made = None
    return False


def _is_made(spec: object) -> bool:
    return type(spec) is ModuleSpec and getattr(spec, "_initializing", False)


@cache
def _has_compiler() -> bool:
    """Whether llvmlite is where packages are: then there is no need to look where the program's modules are."""
    return PathFinder.find_spec("llvmlite", places.installed) is not None


def _obstructed() -> bool:
    """Whether importing the compiler now would import modules of the program, which is said once."""
    global _told
    names = _find_in_the_way() or _found_elsewhere(sorted(sys.stdlib_module_names), sys.path)
    if names and not _told:
        _told = True
        log.warn("breaks", f"nothing is compiled while there are several threads: the program has modules of its own named {', '.join(names)}")
    return bool(names)
