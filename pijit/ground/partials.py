"""Partials around jitted functions."""

from __future__ import annotations

import functools
from typing import Any


class Partial(functools.partial[Any]):
    """A functools.partial that pickles as its instance says. multiprocessing takes functools.partial itself apart, and would look for the
    jitted function under the plain one's name."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return vars(self).get("__reduce_ex__", super().__reduce_ex__)(protocol)


Partial.__module__, Partial.__qualname__, Partial.__name__ = "functools", "partial", "partial"  # for repr
PARTIALS = (functools.partial, Partial)
