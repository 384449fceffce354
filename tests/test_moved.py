"""Stencils in place: the target and its operands are one array, moved against each other. Bits, warnings, exceptions and what the array holds
afterwards, under every error state and warning filter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from test_stores import FILTERS, STATES, compare_calls, memory

pytestmark = pytest.mark.shared

MOST = 3  # places that an operand is moved by
SHAPES = {"line": (5000,), "rows": (40, 300), "tall": (900, 12), "cube": (12, 20, 40), "little": (9, 8)}
STATEMENTS = (
    "t += (a - b) * 0.25", "t[...] = a * 0.5 + b", "t -= a / b", "t[...] = (a + b - t * 2) * 0.1 + c", "t *= a", "t[...] = np.sqrt(a) - b",
    "t[...] = np.exp(-a) * b", "s = a - b\n    t += s\n    return s", "t[...] = np.where(a > b, a, c * 2) + 1", "t += np.maximum(a, b)",
)  # fmt: skip
ORDERS = {"as it is": "", "backwards": "[::-1]", "turned": ".T", "every other": "[::2]"}

moves = st.tuples(*[st.integers(-MOST, MOST)] * 3)


def program(statement, order, ndim, moved, state, action):
    inner = [slice_of((0,) * ndim), *(slice_of(move[:ndim]) for move in moved)]
    views = ", ".join(f"x{part}" for part in inner)
    return (
        "import warnings\ndef g(m):\n"
        f"    x = m[0]{order}\n    t, a, b, c = {views}\n    {statement}\n    return t\n"
        "seen = []\ndef noted(*args):\n    seen.append(args)\n"
        f"def f(m):\n    with warnings.catch_warnings():\n        warnings.simplefilter({action!r})\n"
        f"        with np.errstate({state}):\n            try:\n                return g(m)\n"
        "            except (FloatingPointError, RuntimeWarning) as error:\n"
        "                return str(error), error.__traceback__.tb_next.tb_lineno, seen\n"
    )


def slice_of(move):
    return "[" + ", ".join(f"{MOST + n}:{n - MOST or None}" for n in move) + "]"


@limits(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate), derandomize=True)
@given(
    st.sampled_from(STATEMENTS), st.sampled_from(list(ORDERS)), st.sampled_from(list(SHAPES)), st.tuples(moves, moves, moves),
    st.sampled_from(("float64", "float32", "complex64", "int32")), st.sampled_from(STATES), st.sampled_from(FILTERS), st.booleans(),
)  # fmt: skip
def test_moved(statement, order, shape, moved, dtype, state, action, special):
    if dtype[0] == "i":
        statement = "t[...] = a * 3 - b + t" if "[" in statement else "t += a - b"
    elif dtype[0] == "c" and ("where" in statement or "maximum" in statement):
        statement = STATEMENTS[0]
    source = program(statement, ORDERS[order], len(SHAPES[shape]), moved, state, action)
    with np.errstate(all="ignore"):
        calls = [(memory(SHAPES[shape], dtype, seed, special and seed != 1), {}) for seed in range(3)]
    compare_calls(source, calls, {})


@pytest.mark.parametrize("at", [0, 3, 400, 2047, 2048, 2049, 4990])
@pytest.mark.parametrize("bad", [np.inf, 1.7e308])
def test_trouble_anywhere(at, bad):
    """What was computed before it is stored, and what comes after it is computed from what was there."""
    def values():
        x = np.linspace(1.0, 2.0, 5000)
        x[at : at + 2] = bad, -bad
        return [x]

    for moved in ((-1, -1), (1, -2), (2, 3)):
        source = program("t[...] = (a - b) * 2.0 + t", "", 1, ((moved[0],), (moved[1],), (0,)), "", "always")
        with np.errstate(all="ignore"):
            compare_calls(source, [((values(),), {}) for _ in range(3)], {})


@pytest.mark.parametrize("far", [1, 100, 2047, 2048, 2049, 9000, 19990])
@pytest.mark.parametrize("statement", ["x[w:] = np.maximum(x[w:], x[:-w] + v)", "x[:-w] = np.maximum(x[:-w], x[w:] + v)", "x[w:] = x[:-w] / x[w:]"])
@pytest.mark.parametrize("order", ["", "[::-1]", "[::2]"])
def test_far(far, statement, order):
    """Both ways, by any distance, with numbers for which NumPy has to be asked: at one place each time, or at all."""
    source = f"def g(x, w, v):\n    x = x{order}\n    {statement}\n    return x\n"
    source += "import numpy as np, warnings\ndef f(x, w, v):\n    with warnings.catch_warnings():\n"
    source += "        warnings.simplefilter('always')\n        return g(x, w, v)\n"
    base = np.random.default_rng(far).random(40_000 if order == "[::2]" else 20_000) + 0.5
    calls = []
    for at in (None, 0, 2050, 9001, 19_999, 12_345):
        for values in (((0.0, -0.0),) if at == 0 else ((-0.0, 0.0), (np.inf, np.nan), (1.7e308, 0.0))):
            x = base.copy()
            if at is not None:
                x[at % (x.size - 1) : at % (x.size - 1) + 2] = values
            calls.append(((x, far, 0.0 if at else 0.25), {}))
    compare_calls(source, calls, {})


@pytest.mark.parametrize("rows", [1, 2, 7, 30])
def test_rows_that_fall(rows):
    """Rows of matrices: with the last one first where that is right, and otherwise not."""
    falling = ("x[w:] = x[:-w] + x[w:] * 0.5", "x[w:, 1:] = x[:-w, :-1] * v", "x[w:, :-1] = x[:-w, 1:] / v")
    for statement in (*falling, "x[1:, w:] = x[1:, :-w] - x[:-1, w:]"):
        source = f"def g(x, w, v):\n    {statement}\n    return x\ndef f(x, w, v):\n    return g(x, w, v)\n"
        calls = [((np.random.default_rng(n).random((40, 700)), rows, n - 1.0), {}) for n in range(1, 5)]
        compare_calls(source, calls, {})
