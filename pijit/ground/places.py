"""Where Python itself and installed packages are: what pijit imports is looked for there first, since the program may have
modules of the same names. Loaded before anything else that a folder of the program could stand in for: it imports only what is frozen."""

from __future__ import annotations

import os
import sys

_LIBRARY = os.path.dirname(os.__file__)
_PACKAGES = ("site-packages", "dist-packages", "lib-dynload", "python{}{}.zip".format(*sys.version_info))

given: list[str] | None = None  # sys.path as `python -m pijit` found it


def is_installed(folder: object) -> bool:
    """Whether this entry of sys.path is not the program's."""
    return isinstance(folder, str) and (folder == _LIBRARY or os.path.basename(folder) in _PACKAGES)


installed = [folder for folder in sys.path if is_installed(folder)]


def installed_first(path: list[str]) -> list[str]:
    """The same entries."""
    return sorted(path, key=lambda folder: not is_installed(folder))


def in_library(file: object) -> bool:
    """Whether it is a file of Python's own."""
    return isinstance(file, str) and file.startswith(tuple(folder + os.sep for folder in (_LIBRARY, *installed)))


def begin() -> None:
    """`python -m pijit`: the working directory, which comes first, may be the program's."""
    global given
    if ("-m", "pijit") in zip(sys.orig_argv, sys.orig_argv[1:], strict=False) and sys.argv[:1] == ["-m"]:
        given = sys.path[:]
        sys.path[:] = installed_first(sys.path)


def end() -> None:
    """The program's turn: what the path leads to from here on is its own."""
    if given is not None:
        sys.path[:] = given
