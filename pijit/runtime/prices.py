"""What compiling took in earlier runs of the program, but for the machine code, which is on disk by now: a program that is run again pays less, and
so need not wait as long. Kept with that (codegen/cache.py), by place in the program; a price that is wrong costs what it is wrong by, once."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType

from pijit.codegen import cache, emit, engine
from pijit.ground import clock


def known(code: CodeType, pc: int) -> float:
    """Seconds; 0: nothing is known."""
    found = cache.load(_key(code, pc))
    return found if type(found) is float else 0.0


@contextmanager
def remembered(code: CodeType, pc: int) -> Iterator[None]:
    """What is compiled meanwhile is for this place. Without what loading the compiler takes, which is not its own."""
    emit.ready()
    start, generating = clock.thread_time(), engine.generating()
    yield
    cache.save(_key(code, pc), clock.thread_time() - start - (engine.generating() - generating))


def _key(code: CodeType, pc: int) -> str:
    place = f"price {sys.version} {code.co_filename} {code.co_qualname} {code.co_firstlineno} {pc} "
    return hashlib.blake2b(place.encode(errors="surrogatepass") + code.co_code, digest_size=16).hexdigest()
