"""Object code on disk, one file per content key: checksum, then marshalled bytes.

A cache is never needed: whatever is wrong with the disk or a file, the code is compiled. Files are made and read by the system's own functions:
what a program puts in the places of `open`, os.replace or Path.home, as tests do, must not be asked.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import posix
import pwd
from _io import open
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
    return Path(_user_folder()) / "pijit"


def load(key: str) -> Any:
    """The value saved under the key, or None."""
    place = _place(key)
    if place is None:
        return None
    try:
        with open(place, "rb") as file:
            content = file.read()
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
    aside = f"{place}.{posix.urandom(8).hex()}"
    try:
        _make_folder(place.rpartition("/")[0])
        handle = posix.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(_MAGIC + _checksum(body) + body)
            posix.replace(aside, place)
        except OSError:
            with suppress(OSError):
                posix.unlink(aside)
            raise
        _log(f"{place} written: {len(body)} bytes")
    except OSError as error:
        _log(f"{place} could not be written: {error}")


def _make_folder(path: str) -> None:
    """With its parents, for the user only."""
    with suppress(FileExistsError):
        try:
            posix.mkdir(path, 0o700)
        except FileNotFoundError:
            parent = path.rpartition("/")[0]
            if not parent:
                raise
            _make_folder(parent)
            posix.mkdir(path, 0o700)


def _user_folder() -> str:
    """Where the user's caches are, by the environment that the process was started with: what the program sets is for what it starts."""
    base = posix.environ.get(b"XDG_CACHE_HOME")
    if base:
        return os.fsdecode(base)
    home = posix.environ.get(b"HOME")
    return (os.fsdecode(home) if home else pwd.getpwuid(posix.getuid()).pw_dir) + "/.cache"


def _place(key: str) -> str | None:
    try:
        base = folder()
    except KeyError:  # no home directory
        return None
    return None if base is None else f"{base}/{key[:2]}/{key[2:]}"


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).digest()


def _log(message: str) -> None:
    log.message("cache", message)
