"""np.pad: every mode that is made natively, and what is left to NumPy; its own errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

MODES = ["constant", "edge", "wrap", "reflect", "symmetric"]
WIDTHS = ["1", "(1, 2)", "((1, 2), (0, 3))", "((0, 0), (1, 1))", "((1,), (2,))", "[(2, 3), (1, 1)]", "0", "(3,)", "np.int64(2)"]
WIDTHS += ["n", "(n, 1)", "((n, 0), (m, n))"]


def arrays():
    a = np.arange(20.0).reshape(4, 5)
    yield from (a, np.asfortranarray(a), a[::-1, ::2], a.T[1:, 1:], a.astype(np.int16), a.astype(np.complex64), a > 3)
    yield np.arange(27, dtype="f4").reshape(3, 3, 3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("widths", WIDTHS)
def test_modes(mode, widths):
    source = f"def f(a, n, m):\n    made = np.pad(a, {widths}, mode={mode!r})\n    return made, made.strides, np.pad(a[0] * 2, 2, {mode!r})\n"
    calls = [(a, n, m) for a in arrays() for n, m in ((1, 2), (0, 1)) if a.ndim == 2 or widths.count("(") < 2]
    check_calls(source, calls, configurations=("jit", "numpy"))
    check(source, *calls[0], configurations=("forced",))


def test_natively():
    """No object is made but the result, and nothing leaves."""
    for mode in MODES:
        source = f"def f(a):\n    p = np.pad(a, ((1, 2), (2, 1)), {mode!r})\n    return p[1:-1, 2:] * 2 + p[2:, 1:-1]\n"
        stats = check(source, np.arange(12.0).reshape(3, 4))
        assert not stats.breaks
        assert not stats.exits
        fast = pijit.jit(eval(f"lambda a: np.pad(a, 1, {mode!r}) + 1"))
        fast(np.arange(6.0).reshape(2, 3))
        assert "= call" not in str(pijit.explain(fast))


@pytest.mark.parametrize("mode", MODES)
def test_borders_wider_than_what_is_there(mode):
    source = f"def f(a, n):\n    return np.pad(a, (n, 1), {mode!r})\n"
    a = np.arange(4.0)
    check_calls(source, [(a, n) for n in (1, 3, 4, 5, 9, 0)], configurations=("jit", "numpy", "forced"))
    check_calls(source, [(a, 1), (a[:1], 1), (a[:0], 1), (a[:0], 0), (a[:1], 0), (a[:2], 1)], configurations=("jit", "numpy"))
    check_calls(source, [(a, 1), (a, -1), (a, 2)], configurations=("jit", "numpy"))
    fixed = f"def f(a):\n    return np.pad(a, 3, {mode!r})\n"
    check_calls(fixed, [(a[:n],) for n in (4, 3, 2, 1, 0, 4)], configurations=("jit", "numpy"))
    across = f"def f(a):\n    return np.pad(a, ((1, 1), (0, 0)), {mode!r})\n"
    check_calls(across, [(np.ones(shape),) for shape in ((3, 2), (2, 0), (0, 2), (1, 1), (2, 1))], configurations=("jit", "numpy"))


def test_what_goes_into_the_borders():
    values = ["7", "-2.5", "True", "1e300", "300", "2**70", "np.float32(0.1)", "float('nan')", "(1, 2)", "((1, 2), (3, 4))", "1j", "'x'", "[5]"]
    for dtype in ("float64", "float32", "int8", "bool", "complex128"):
        for value in values:
            check(f"def f(a):\n    return np.pad(a, 1, constant_values={value})\n", np.ones((2, 2), dtype), configurations=("jit",))
    check("def f(a, v):\n    return np.pad(a, 1, constant_values=v), np.pad(a, 1, 'constant', constant_values=v)\n", np.ones(3), 2.5)


def test_what_is_left_to_numpy():
    a = np.arange(6.0).reshape(2, 3)
    forms = """
        a, 1, 'linear_ramp' | a, 1, 'mean' | a, 1, 'maximum', stat_length=2 | a, 1, 'empty' | a, 1, 'reflect', reflect_type='odd' | a, {0: 1} |
        a, np.array([1, 2]) | a, 1.0 | a, True | a, ((1, 2, 3),) | a, ((1, 2), (3, 4), (5, 6)) | a, (1, 2, 3) | a, ((1, 2), 3) | a, () |
        a, 1, 'nothing' | a, 1, 'edge', constant_values=1 | a, 1, constant_value=1 | a | a, 1, 'edge', 2 | a.tolist(), 1 | a[0, 0], 1 |
        a[0, 0, None], 1 | array=a, pad_width=1 | a, pad_width=(1, 0), mode='wrap' | a, -1 | a, ((1, -1), (0, 0)) | a, np.uint8(1) |
        a, mode='edge', pad_width=[[1], [2]]
    """
    for form in map(str.strip, forms.split("|")):
        made = "np.shape(np.pad(a, 1, 'empty'))" if "'empty'" in form else f"np.pad({form})"
        check(f"def f(a):\n    return {made}\n", a, configurations=("jit",))
