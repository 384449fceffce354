"""Views with permuted axes of arrays that the fragment makes, given to NumPy's functions: how the results lie is foreseen, so nothing leaves."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check

pytestmark = pytest.mark.shared

# Of a product of n x 3k, seen as n x 3 x k and then with its axes in another order.
USES = [
    *("-y", "y * c", "(-y) * c + y", "np.concatenate((-y[..., 1:], y[..., :1]), axis=-1)", "np.repeat(y, 2, axis=0)", "y @ y.transpose(0, 2, 1)"),
    *("y.reshape(-1)", "y.reshape(3 * n, k)", "y.reshape(n, width)", "np.reshape(y, (n, width))", "(y * 2).transpose(1, 0, 2).reshape(n, width)"),
    *("(y @ c.T).transpose(1, 0, 2).reshape(n, 3 * n) @ np.ones(3 * n)", "y[1:].reshape(2 * n, k)", "y.sum(axis=0)", "y[:, ::-1] + 1"),
]


def program(use: str, axes: str) -> str:
    return (
        "import numpy as np\ndef f(x, w, c, k):\n    n, width = x.shape[0], w.shape[1]\n"
        f"    y = (x @ w).reshape(n, 3, k).transpose({axes})\n    return {use}\n"
    )


def arguments(n: int, k: int):
    rng = np.random.default_rng(n)
    return rng.random((n, 4)), rng.random((4, 3 * k)), rng.random((n, k)), k


@pytest.mark.parametrize("use", USES)
def test_nothing_leaves(use):
    stats = check(program(use, "1, 0, 2"), *arguments(7, 5))
    assert not stats.breaks
    assert not stats.exits


@pytest.mark.parametrize("use", ["-y", "y.reshape(n, width)", "y.reshape(3 * n, k)", "y.reshape(-1)[1:]"])
@pytest.mark.parametrize(("n", "k"), [(1, 5), (7, 1), (1, 1), (0, 4), (3, 3)])
@pytest.mark.parametrize("axes", ["1, 0, 2", "2, 0, 1", "0, 2, 1"])
def test_odd_lengths(use, n, k, axes):
    check(program(use, axes), *arguments(n, k))


def test_a_view_stays_one():
    source = """
def f(x, rows, columns):
    y = x[:, :columns].reshape(rows, 2, columns)
    y[0, 0, 0] = 5.0
    return y, x
"""
    check(source, np.arange(48.0).reshape(6, 8), 3, 8)
    check(source, np.arange(48.0).reshape(6, 8), 3, 4)


def test_no_such_shape():
    check("def f(x, n):\n    return (x + 1).T.reshape(n, n)\n", np.ones((3, 5)), 4)
