"""Functions of Python's that are no formula here: those of ints that helpers in C compute, and those that are called as they are. One row each for
capture, checker, evaluator and lowering."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pijit.ground.records import dataclass

from .types import FLOAT, INT, Scalar


@dataclass(frozen=True, slots=True)
class OfInts:
    """``arity``: so many ints. ``left``: which of them are left to the interpreter, beside those for which it raises or gives more than 63 bits."""

    function: Callable[..., int]
    arity: int
    left: Callable[..., bool] = lambda *args: False


# Of operation int_math.
OF_INTS: dict[str, OfInts] = {
    "gcd": OfInts(math.gcd, 2),
    "lcm": OfInts(math.lcm, 2),
    "isqrt": OfInts(math.isqrt, 1),
    "comb": OfInts(math.comb, 2),
    "perm": OfInts(math.perm, 2),
    "factorial": OfInts(math.factorial, 1, lambda n: n > 20),
    "pow_mod": OfInts(pow, 3, lambda a, n, m: n < 0 or m < 0),
}


@dataclass(frozen=True, slots=True)
class Called:
    """A function written in C that gives a float, and looks at nothing but the numbers it is given. ``args``: their types; None: floats, as many as
    there are, up to a few."""

    function: Any
    args: tuple[Scalar, ...] | None

    def takes(self, args: tuple[Any, ...]) -> bool:
        """Whether these types are what it is given."""
        if self.args is None:
            return 0 < len(args) <= MOST and set(args) == {FLOAT}
        return args == self.args


MOST = 8
_ROWS: dict[str, tuple[Scalar, ...] | None] = {
    # CPython's own algorithms, of which the last bits differ between versions
    "hypot": None, "gamma": (FLOAT,), "lgamma": (FLOAT,), "ulp": (FLOAT,), "ldexp": (FLOAT, INT), "fma": (FLOAT, FLOAT, FLOAT)
}  # fmt: skip

# Of operation called. What the program puts in the functions' places since is another function.
CALLED: dict[str, Called] = {name: Called(getattr(math, name), args) for name, args in _ROWS.items() if hasattr(math, name)}
CALLED["round"] = Called(round, (FLOAT, INT))
