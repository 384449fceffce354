"""Code objects for the tests: those of the standard library, and functions from source text."""

import os
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType

LIBRARY = Path(os.__file__).parent
PLACES = (
    "*.py",
    "json/*.py",
    "asyncio/*.py",
    "email/*.py",
    "test/test_patma.py",
    "test/test_with.py",
    "test/test_except*.py",
)


def nested(code: CodeType) -> Iterator[CodeType]:
    """A code object and all those among its constants."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from nested(const)


@cache
def library() -> tuple[CodeType, ...]:
    """Every code object of a good part of the standard library."""
    paths = [path for place in PLACES for path in sorted(LIBRARY.glob(place))]
    modules = [compile(path.read_bytes(), str(path), "exec", dont_inherit=True) for path in paths]
    return tuple(code for module in modules for code in nested(module))


def function(source: str, name: str = "f") -> CodeType:
    """The code of a function in a source text."""
    module = compile(textwrap.dedent(source), "program", "exec")
    return next(code for code in nested(module) if code.co_name == name)
