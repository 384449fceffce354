"""`python -m pijit cache [clear]`: where compiled code is kept and how much there is; `clear` deletes it."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pijit.codegen.cache import folder

if TYPE_CHECKING:
    from pathlib import Path


def files(place: Path) -> list[Path]:
    """The cached files: two hexadecimal digits, then the rest of the key."""
    return [file for file in place.glob("[0-9a-f][0-9a-f]/*") if file.is_file()]


def main(arguments: list[str]) -> None:
    """Show or clear the cache."""
    if arguments not in ([], ["clear"]):
        sys.exit("pijit cache: takes nothing, or `clear`")
    place = folder()
    if place is None:
        print("cache      off (PIJIT_CACHE=0)")
        return
    found = files(place)
    size = sum(file.stat().st_size for file in found)
    print(f"folder     {place}\ncontents   {len(found)} files, {size / 2**20:.1f} MiB")
    if arguments:
        for file in found:
            with suppress(OSError):
                file.unlink()
        for sub in place.glob("[0-9a-f][0-9a-f]"):
            with suppress(OSError):
                sub.rmdir()
        print("cleared")
