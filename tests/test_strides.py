"""What NumPy shows of a view: strides of axes that are never stepped along, and where a view without elements begins."""

import itertools

import numpy as np
import pytest
from differential import settings

import pijit

pytestmark = pytest.mark.shared

EXPRESSIONS = [
    *("a[1:]", "a[:-1]", "a[1:-1]", "a[2:]", "a[:1]", "a[:0]", "a[2:1]", "a[-1:]", "a[-2:1]", "a[-3:-1]", "a[n:]", "a[:n]", "a[n:0:-1]"),
    *("a[::2]", "a[::-1]", "a[1::3]", "a[::-2]", "a[n::2]", "a[:0:-1]", "a[None]", "a[..., None]", "a[:0][::-1]", "a[::-1][:0]", "a[1:][::2]"),
    *("a[::2][::-1][1:]", "a[:n][::-3]", "a[1:1][::2]", "a[None, ::2]", "a.T", "a.T[1:]", "a[::-1].T", "a.ravel()", "a[1:].ravel()"),
    *("a.reshape(-1)", "a.reshape(a.shape)", "a[1:].reshape(-1)", "a.reshape(a.size)[1:]", "a * 2", "(a * 2)[::2]", "(a + 1)[1:]", "(a * 2)[::-1].T"),
    *("(a * 2).ravel()", "a.swapaxes(0, -1)", "a.squeeze()", "np.expand_dims(a, 0)", "np.expand_dims(a, -1)", "np.flip(a)"),
]
IN_TWO = [
    *("a[:, 1:]", "a[:, ::2]", "a[:, ::-1]", "a[1:, :-1]", "a[:, None]", "a[:, 0:0]", "a[:, n:]", "a.reshape(-1, 1)", "a.reshape(1, -1)[:, 1:]"),
    *("(a * 2)[:, 1:]", "a[n:, ::-2]", "a[::-1, 1:1]", "a.transpose(1, 0)[1:]", "a[:, 1:][::2, ::-1]", "a[1:2][:, ::-1]", "a[::3][1:2, 1:]"),
]
ONE = [np.arange(float(n)) for n in (0, 1, 2, 5)]
ONE += [np.arange(1.0)[::-1], np.arange(2.0)[::2], np.arange(9.0)[3:3], np.arange(9.0)[4::-3], np.arange(9.0)[5:2]]
ONE += [np.zeros((3, 4))[:0, 1], np.arange(9.0)[3:4]]
TWO = [np.ones(shape) for shape in ((0, 3), (3, 0), (0, 0), (1, 1), (1, 4), (4, 1), (3, 4), (0, 1), (2, 2))]
TWO += [np.ones((3, 0))[1:], np.ones((5, 3))[2:2], np.arange(3.0)[:, None], np.arange(3.0)[None], np.ones((4, 4))[::2, ::3], np.ones((3, 4)).T]
TWO += [np.ones((1, 4)).T, np.ones((4, 4))[1:2, ::-1], np.ones((4, 4), order="F")[2:2], np.ones((4, 4))[:, 1:2], np.ones((4, 4))[::-1][3:]]


def seen(array, base):
    address = array.__array_interface__["data"][0]
    inside = array.size or np.shares_memory(array, base) or array.base is not None
    where = address - base.__array_interface__["data"][0] if inside and owner(array) is owner(base) else None
    return array.shape, array.strides, array.flags.num, where


def owner(array):
    """The array that has the memory. What the evaluator makes has something between."""
    while (base := getattr(array.base, "owner", array.base)) is not None:
        array = base
    return array


def hash_of(text):
    return sum(text.encode())


def outcome(function, array, n):
    try:
        made = function(array, n)
    except (ValueError, np.exceptions.AxisError) as error:
        return str(error)
    return seen(made[0], array), made[1]


@pytest.mark.parametrize("expression", EXPRESSIONS + IN_TWO)
def test_strides(expression):
    arrays = TWO if expression in IN_TWO else ONE + TWO
    backend = "numba" if hash_of(expression) % 3 else "numpy"
    space = {"np": np}
    exec(f"def f(a, n):\n    made = {expression}\n    return made, made.strides\n", space)
    fast = pijit.jit(space["f"], backend=backend)
    with settings(compile_all=True, raise_internal=True, max_fragments=200):
        for array, n in itertools.product(reversed(arrays), (1, 3)):
            expected = outcome(space["f"], array, n)
            for _ in range(2):
                assert outcome(fast, array, n) == expected, (array.shape, array.strides, n)
