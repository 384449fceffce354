"""Which interpreters pijit runs on. Loaded before anything else, so it must parse on old ones."""

from __future__ import annotations

SUPPORTED = ((3, 11), (3, 12), (3, 13))
SENTENCE = "pijit supports CPython " + ", ".join(f"{major}.{minor}" for major, minor in SUPPORTED)


def objection(implementation: str, version: tuple[int, int], free_threaded: bool) -> str | None:
    """Why pijit cannot run there, or None."""
    found = f"{implementation} {version[0]}.{version[1]}"
    if implementation != "cpython" or version not in SUPPORTED:
        return f"{SENTENCE}; this is {found}"
    if free_threaded:
        return f"{SENTENCE} with the GIL; this is a free-threaded {found}"
    return None


def check() -> None:
    """ImportError on an interpreter that is not supported."""
    import sys

    # A free-threaded build says "t" in its ABI flags, whether or not the GIL happens to be on.
    reason = objection(sys.implementation.name, sys.version_info[:2], "t" in getattr(sys, "abiflags", ""))
    if reason:
        raise ImportError(reason)
