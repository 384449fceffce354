"""np.linspace of numbers: NumPy's bits, warnings and errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_native

pytestmark = pytest.mark.shared

FORMS = ["np.linspace(a, b, n)", "np.linspace(a, b, num=n, endpoint=False)", "np.linspace(a, b, n, True, False, float)", "np.linspace(a, b)"]
FORMS += ["np.linspace(a, b, n, dtype='f4')", "np.linspace(start=a, stop=b, num=n)", "np.linspace(0, b, n) * 2", "np.linspace(a, 1.0, 7)"]
FORMS += ["np.linspace(0.0, b, n, endpoint=False)[1:]", "np.linspace(a, b, n)[:, None] + np.linspace(0, 1, 3)"]
ENDS = [(0, 1), (0.0, 1.0), (1.5, -2.5), (-1, 7.25), (1, 1), (2.5, 2.5), (0.0, 5e-324), (-5e-324, 5e-324), (1e308, -1e308), (0.0, float("inf"))]
ENDS += [(float("nan"), 1.0), (-0.0, 0.0), (2**62, -(2**62)), (2**63 - 1, 0.5), (1e16, 1e16 + 2), (np.float64(0.1), 1), (np.int64(3), np.float64(9))]
ENDS += [(np.int64(2**62), np.int64(-(2**62))), (2**64, 0), (True, 3), (np.float32(0.1), 1.0), (np.int8(100), np.int8(-100)), (1j, 2.0), ("x", 1)]


@pytest.mark.parametrize("state", ["", "all='raise'", "all='ignore'"])
@pytest.mark.parametrize("form", FORMS)
def test_forms(form, state):
    source = f"def f(a, b, n):\n    with np.errstate({state}):\n        y = {form}\n    return y\n"
    calls = [(a, b, n) for a, b in ENDS for n in (5, 2, 50)]
    calls += [(0.0, 1.0, n) for n in (1, 0, -1, np.int64(4), True, 2.0, np.float64(3), 1025)]
    check_calls(source, calls, configurations=("jit",))
    check_calls(source, calls[::7], configurations=("numpy",))
    if not state:
        check(source, 0.5, 2.5, 4, configurations=("forced", "enabled"))


def test_every_end():
    """The types of the ends as they come first, at which the code is compiled."""
    for a, b in ENDS:
        for n in (3, 1, 0):
            check("def f(a, b, n):\n    return np.linspace(a, b, n), np.linspace(a, b, n, endpoint=False)\n", a, b, n, configurations=("jit",))


def test_constants():
    forms = """
        np.linspace(0, 1, 5) | np.linspace(-1.5, 2, 4) | np.linspace(0, 1, 1) | np.linspace(0, 1, 0) | np.linspace(0, 1, -1) |
        np.linspace(3, 3, 4) | np.linspace(0, 5e-324, 4) | np.linspace(1e308, -1e308, 4) | np.linspace(0, 1, 5, retstep=True) |
        np.linspace(0, 1, 5, dtype=int) | np.linspace(0, 9, 5, dtype='i2') | np.linspace(0, 1, 5, axis=0) | np.linspace(a, 1, 3) |
        np.linspace(0, a, 3, axis=1) | np.linspace(0, 1j, 3) | np.linspace(0, 2**70, 3) | np.linspace(0, 1, 5, dtype=complex) |
        np.linspace(0, 1, 5, device='cpu') | np.linspace(0, 1, 5, stop=2) | np.linspace(0, 1, 5, 0) | np.linspace(0, 1, 5, True, None) |
        np.linspace(0) | np.linspace(0, 1, '3') | np.linspace(0, 1e30, 5, dtype='f4') | np.linspace(0, 1e300, 5, dtype='f4') |
        np.linspace(0, 1, 5, None) | np.linspace(0, 1, 10**11)
    """
    for form in map(str.strip, forms.split("|")):
        check(f"def f(a):\n    return {form}\n", np.arange(4.0), configurations=("jit",))


def test_natively():
    for form in ("np.linspace(0, 1, n)", "np.sin(np.linspace(a, 2.5, 50))", "np.linspace(a, n, n, endpoint=False)"):
        check_native(form, "a, n", 0.5, 7)
