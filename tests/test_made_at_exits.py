"""Iterators that native code makes when it is left: nothing of the program is run by that, errors are raised where the program makes them."""

from __future__ import annotations

import collections
import textwrap

import numpy as np
import pytest
from differential import check_calls

import pijit

pytestmark = pytest.mark.shared

LOG = []


class Told:
    def __iter__(self):
        LOG.append("iter")
        return iter((1, 2))

    def __reversed__(self):
        LOG.append("reversed")
        return iter((2, 1))

    def __index__(self):
        LOG.append("index")
        return 3


class Fails:
    def __iter__(self):
        raise ValueError("not now")

    __reversed__ = __index__ = __iter__


class Place:
    made = None


def of_zip(x):
    try:
        return zip(x, (1, 2))  # noqa: B905  # keywords are not captured
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def of_enumerate(x):
    try:
        return enumerate(x)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def of_start(x):
    try:
        return enumerate((5, 6), x)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def of_reversed(x):
    try:
        return reversed(x)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def before_a_store(x):
    Place.made = None
    try:
        kept = zip(x)
        Place.made = "made"
    except (TypeError, ValueError):
        return Place.made
    return kept, Place.made


OPERANDS = {
    "told": Told, "fails": Fails, "int": lambda: 5, "float": lambda: 1.5, "complex": lambda: 1j, "bool": lambda: True, "none": lambda: None,
    "large": lambda: 2**80, "NumPy int": lambda: np.int64(4), "NumPy float": lambda: np.float64(4), "list": lambda: [1, 2], "tuple": lambda: (1, 2),
    "dict": lambda: {1: 2}, "text": lambda: "ab", "set": lambda: {1}, "number": lambda: np.array(5), "array": lambda: np.arange(3),
    "masked": lambda: np.ma.array([1, 2]), "generator": lambda: (i for i in (1, 2)), "iterator": lambda: iter([1, 2]),
    "deque": lambda: collections.deque([1]), "ordered": lambda: collections.OrderedDict(a=1),
    "range": lambda: range(4), "function": lambda: len, "class": lambda: Told,
}  # fmt: skip


def shown(made):
    if isinstance(made, tuple):
        return [shown(part) for part in made]
    return (type(made), [*map(str, made)]) if hasattr(made, "__next__") else made


@pytest.mark.parametrize("name", OPERANDS)
@pytest.mark.parametrize("function", [of_zip, of_enumerate, of_start, of_reversed, before_a_store])
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_iterators(function, name, backend):
    native = pijit.jit(function, backend=backend)
    results = []
    for call in (function, native, native, native):
        LOG.clear()
        results.append((shown(call(OPERANDS[name]())), LOG[:]))
    assert results[1:] == results[:1] * 3


def test_rounds_of_an_unrolled_loop_over_several_iterators():
    source = """
        def f(xs, ys, flags):
            s, out = 0.0, []
            for i, (x, y, flag) in enumerate(zip(xs, ys, flags)):
                if x[0] > y[0]:
                    s += x[0] * i
                if flag is None:
                    s -= y[0]
                out.append((i, s))
            return s, out
    """
    rows = [np.array([0.5 * k, k % 3]) for k in range(5)]
    check_calls(textwrap.dedent(source), [(rows[:4], rows[3::-1], [None, "a", "b", None])] * 3 + [(rows, rows[:4], (None,) * 6)])
