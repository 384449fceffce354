"""NumPy's floating-point error states: what native code has to know of one, and which one np.errstate makes of another.

A mask (csrc/errstate.c) holds the treatments of divide, over, under and invalid, three bits each; 0 is NumPy's default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

KINDS = ("divide", "over", "under", "invalid")
TREATMENTS = ("ignore", "warn", "raise", "call", "print", "log")
_FLAGS = {"divide": 1, "over": 2, "invalid": 8}  # NPY_FPE_*
_CALL, _BUFFER, _SET = 1 << 12, 1 << 13, 1 << 14
_USUAL = 1 | 1 << 3 | 1 << 9


class ErrorState(NamedTuple):
    """``watched``: the flags that are not ignored; ``harmless``: NumPy warns of them and does nothing else."""

    watched: int = sum(_FLAGS.values())
    harmless: bool = True


DEFAULT = ErrorState()


def error_state(mask: int) -> ErrorState | None:
    """None where it is not known (-1), underflow counts too or buffers are not of the usual size."""
    if mask == 0:
        return DEFAULT
    if mask < 0 or mask & _BUFFER or not mask & _SET:
        return None
    found = treatments(mask)
    if found["under"] != "ignore":
        return None
    watched = sum(flag for kind, flag in _FLAGS.items() if found[kind] != "ignore")
    return ErrorState(watched, all(found[kind] in ("ignore", "warn") for kind in _FLAGS))


def treatments(mask: int) -> dict[str, str]:
    """How each kind of error is treated."""
    bits = mask or _USUAL
    return {kind: TREATMENTS[bits >> 3 * place & 7] for place, kind in enumerate(KINDS)}


def within(mask: int, given: Mapping[str, str]) -> int | None:
    """The mask within np.errstate(**given); None where the state around it holds more than treatments."""
    if mask < 0 or mask & (_CALL | _BUFFER):
        return None
    found = treatments(mask) | dict.fromkeys(KINDS if "all" in given else (), given.get("all", "")) | dict(given)
    bits = sum(TREATMENTS.index(found[kind]) << 3 * place for place, kind in enumerate(KINDS))
    return 0 if bits == _USUAL else bits | _SET
