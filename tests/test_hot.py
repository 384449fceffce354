"""Exits that are taken again and again get an entry where the interpreter goes on."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check

import pijit

OFTEN = 2 * pijit.config.exit_threshold + 2  # the calls after which what follows the exit runs natively

ENDS = np.array([0.0, 3.0, 0.0, 0.0])  # one that is not zero: at capture it was thought to be several

# A call whose result is of a type that capture does not expect, at the end of an instruction, within one, in an inlined function.
PROGRAMS = {
    "a result": """
        def f(x):
            i = np.flatnonzero(x)
            return (x[i] + 1.0) * 2.0 - x[i]
        """,
    "a result that is not kept": """
        def f(x):
            np.flatnonzero(x)
            return (x + 1.0) * 2.0 - x
        """,
    "a result with others on the stack": """
        def f(x):
            return [x + 1.0, np.flatnonzero(x), x * 2.0 + x]
        """,
    "in a loop": """
        def f(x):
            total = np.zeros(1)
            for _ in range(3):
                total = total + x[np.flatnonzero(x)] * 2.0
            return total
        """,
    "in an inlined function": """
        def g(x):
            return np.flatnonzero(x)

        def f(x):
            i = g(x)
            return (x[i] + 1.0) * 2.0 - x[i]
        """,
    "a floating-point flag": """
        def f(x):
            y = x / x
            return (y + 1.0) * 2.0 - x
        """,
}


def source(name):
    lines = PROGRAMS[name].splitlines()[1:]
    return "\n".join(line[8:] for line in lines)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_follows_is_compiled(name):
    space = {"np": np}
    exec(source(name), space)
    fast = pijit.jit(space["f"])
    for _ in range(OFTEN):
        fast(ENDS)
    found = pijit.stats(fast)
    assert "after" in {fragment.kind for fragment in found.fragments}
    assert found.fragments[-1].hits


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_stays(name):
    check(source(name), ENDS, calls=OFTEN, entry="f", configurations=["jit", "O0", "numpy", "enabled"])
