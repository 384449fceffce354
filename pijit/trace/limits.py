"""What a capture may use, and what there is native code for."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from types import CodeType

from pijit.ground.records import dataclass, field


class TooLong(Exception):
    """Capture has taken as many steps as it was given."""


@dataclass(slots=True)
class Steps:
    """How many instructions may still be interpreted; those of captures that have to begin again count, too."""

    left: float = math.inf


@dataclass(frozen=True, slots=True)
class Limits:
    """See ground.config for what the numbers mean. ``elementwise``: whether there is native code for a ufunc on dtypes (those of the operands,
    then the result's); ``formula``: whether it computes each element by itself, else NumPy's inner loop is called, whose bits depend on the
    signs of strides; ``reduce``, ``scan``: the same for folding and accumulating in one dtype; ``scalar``: for NumPy scalars of one dtype;
    ``single``: for one element by NumPy's inner loop;
    ``product``: for matrices of one dtype; ``dot``: whether np.dot gives the same; ``arg_extreme``: for where the largest of a dtype is;
    ``draw``: for a row of ir.draws; ``histogram``: for
    np.histogram; ``search``: for the operations search and interp;
    ``varying``: names of sources that held one object and then another like it; ``rounds``: items that a loop is unrolled for;
    ``large``: for functions that are not inlined, since they are worth fragments of their own."""

    versions: int = 8
    header_versions: int = 3
    blocks: int = 2000
    inline_depth: int = 8
    elementwise: Callable[[str, tuple[str, ...]], bool] = lambda ufunc, dtypes: False
    formula: Callable[[str, tuple[str, ...]], bool] = lambda ufunc, dtypes: True
    reduce: Callable[[str, str], bool] = lambda ufunc, dtype: False
    scan: Callable[[str, str], bool] = lambda ufunc, dtype: False
    scalar: Callable[[str, str], bool] = lambda ufunc, dtype: False
    single: Callable[[str, tuple[str, ...]], bool] = lambda ufunc, dtypes: False
    product: Callable[[str], bool] = lambda dtype: False
    dot: Callable[[str], bool] = lambda dtype: False
    arg_extreme: Callable[[str], bool] = lambda dtype: False
    draw: Callable[[str], bool] = lambda name: False
    histogram: Callable[[], bool] = lambda: False
    search: Callable[[str], bool] = lambda name: False
    varying: Collection[str] = ()
    errmask: int = 0
    unroll: int = 64
    rounds: int = 64
    large: Callable[[CodeType], bool] = lambda code: False
    steps: Steps = field(default_factory=Steps)
