"""Object code on disk, one file per content key: checksum, then marshalled bytes.

A cache is never needed: whatever is wrong with the disk or a file, the code is compiled.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..ground import log

_MAGIC = b"pijit1\n"
_DIGEST = 16


def folder() -> Path | None:
    """Where the files are; None when PIJIT_CACHE=0."""
    if os.environ.get("PIJIT_CACHE") == "0":
        return None
    named = os.environ.get("PIJIT_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "pijit"


def load(key: str) -> Any:
    """The value saved under the key, or None."""
    place = _place(key)
    if place is None:
        return None
    try:
        content = place.read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + _DIGEST
    body = content[head:]
    if content[:head] != _MAGIC + _checksum(body):
        _log(f"{place} is damaged; compiled again")
        return None
    try:
        value = marshal.loads(body)
    except (ValueError, EOFError, TypeError):
        _log(f"{place} is damaged; compiled again")
        return None
    _log(f"{place} found: {len(body)} bytes")
    return value


def save(key: str, value: Any) -> None:
    """Written aside and renamed, so that a reader sees the whole file or none."""
    place = _place(key)
    if place is None:
        return
    body = marshal.dumps(value)
    temporary = ""
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _checksum(body) + body)
        os.replace(temporary, place)
        _log(f"{place} written: {len(body)} bytes")
    except OSError as error:
        _log(f"{place} could not be written: {error}")
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)


def _place(key: str) -> Path | None:
    try:
        base = folder()
    except RuntimeError:  # no home directory
        return None
    return None if base is None else base / key[:2] / key[2:]


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).digest()


def _log(message: str) -> None:
    log.message("cache", message)
