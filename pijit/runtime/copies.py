"""Functions on code objects of their own: what is known about a code object hangs on it, so each way to jit a function has a copy."""

from __future__ import annotations

import functools
import weakref
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from pijit.ground.weak import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pijit.ground.config import Options

SHORT = 128  # bytes of code that run in less than 300 ns

# One private copy for one code object and one set of options, so that a nested function that is made again and again
# is compiled once.
_COPIES: Rows[dict[Options, CodeType]] = Rows()
_ORIGINALS: Rows[tuple[weakref.ref[CodeType], Options]] = Rows()


def original(code: CodeType) -> CodeType:
    """The code object that a copy was made of; itself when it is no copy."""
    row = _ORIGINALS.get(code)
    return (row and row[0]()) or code


def private_code(code: CodeType, options: Options) -> CodeType:
    """The copy that carries what pijit knows; it lives as long as the original. A copy's copy is its original's."""
    code = original(code)
    copies = _COPIES.get(code)
    if copies is None:
        copies = _COPIES.put(code, {})
    if options not in copies:
        copies[options] = code.replace()
        _ORIGINALS.put(copies[options], (weakref.ref(code), options))
    return copies[options]


def options_of(copy: CodeType) -> Options | None:
    """What a copy was made for; None when it is no copy."""
    row = _ORIGINALS.get(copy)
    return row and row[1]


def as_plain(code: CodeType, functions: Iterable[FunctionType]) -> None:
    """Nothing of the functions' code is native. A call of a function of its own kind (csrc/alias.c) takes 15 ns more than one of a
    plain function: where that can be noticed, they are plain functions again."""
    from pijit import _native

    if len(code.co_code) <= SHORT:
        for function in functions:
            _native.unmake_alias(function)


def with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """The same function on another code object."""
    new = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    new.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(new, function)
    return new
