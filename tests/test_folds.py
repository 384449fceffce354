"""Sums of what a kernel computes, added up while it is made: NumPy's bits for every length, layout and axis."""

from __future__ import annotations

import platform
import re

import numpy as np
import pytest
from differential import check_calls

import pijit
from pijit.codegen import emit, folds
from pijit.codegen import llvm_ir as ir
from pijit.codegen.kernels import define
from pijit.ground.config import CONFIG
from pijit.ground.records import replace
from pijit.ir.kernel import Fold, Kernel, Operand, Step
from pijit.ir.ufuncs import shows_flags

pytestmark = pytest.mark.shared

ROW = "import numpy as np\ndef f(a, b):\n    return np.sum(a * b), (a - b).sum(axis=0), (a > b).sum(), (a * a).mean()\n"
GRID = (
    "import numpy as np\ndef f(a, b):\n    d = a - b\n"
    "    return d, (d * d).sum(axis=1, keepdims=True), (a * b).sum(axis=0), np.sum(a + b), (a[:, None] * b).sum(axis=-1), "
    "(a[:, None] - b).sum(axis=1)\n"
)
LENGTHS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 127, 128, 129, 136, 255, 256, 257, 300, 1025, 5000, 20001)
SHAPES = ((3, 4), (1, 1), (5, 3), (40, 3), (3, 40), (5, 2), (7, 20), (2, 3, 2), (4, 3, 31), (0, 2), (9, 3, 3), (7, 200), (200, 7), (4, 33, 3))
SHAPES += ((0, 3), (3, 0), (2, 1031))


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-2, 4, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
def test_rows(dtype):
    calls = []
    for n in LENGTHS:
        a, b = numbers(n, dtype), numbers(n, dtype, 1)
        calls += [(a, b), (a[::-1], b), (np.repeat(a, 2)[::2], b[::-1])]
    check_calls(ROW, [calls[k] for k in range(0, len(calls), 3)], configurations=("jit", "numpy"))
    for start in (1, 2):
        check_calls(ROW, calls[start::3], configurations=("jit",))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("layout", ["C", "rows", "F", "turned"])
def test_axes(dtype, layout):
    for shape in SHAPES:
        a, b = numbers(shape, dtype), numbers(shape, dtype, 1)
        if layout == "rows":
            b = np.broadcast_to(b[:1], shape)
        elif layout == "F":
            a = np.asfortranarray(a)
        elif layout == "turned":
            a, b = a[::-1], b[..., ::-1]
        check_calls(GRID, [(a, b)] * 2, configurations=("jit",))


SPECIAL = (np.nan, np.inf, -np.inf, 1e308, -0.0, 5e-324, 0.0)


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
def test_special_values(state):
    calls = []
    for n in (1, 5, 8, 130):
        for value in SPECIAL:
            a, b = np.ones(n), np.full(n, 2.0)
            a[n // 2] = value
            calls += [(a, b), (b * 0.0, a), (np.full(n, value), b)]
    source = ROW.replace("def f(", "def g(") + f"def f(a, b):\n    with np.errstate(all='{state}'):\n        return g(a, b)\n"
    check_calls(source, calls, configurations=("jit", "numpy"))


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
def test_flags_that_a_finite_sum_hides(state):
    """What is too large, or divided by zero, need not be seen in the sum."""
    lines = ["1.0 / (a * b)", "np.where(b > 0.0, a / b, 0.0)", "np.minimum(a * b, 1.0)", "(a * b > 1.0).astype(np.float64)", "np.sqrt(a) * 0.5 - b"]
    calls = []
    for n in (1, 5, 40):
        for x, y in ((1e200, 1e200), (1.0, 0.0), (0.0, 0.0), (-1.0, 1.0), (np.inf, 1.0), (np.nan, 1.0), (np.inf, -np.inf)):
            a, b = np.ones(n), np.full(n, 2.0)
            a[n // 2], b[n // 2] = x, y
            calls.append((a, b))
    for line in lines:
        source = f"import numpy as np\ndef f(a, b):\n    with np.errstate(all='{state}'):\n        return np.sum({line})\n"
        check_calls(source, calls, configurations=("jit", "numpy"))


def test_what_a_finite_sum_shows():
    def kernel(*steps, reference=None, dtype="float64"):
        made = tuple(Step(name, args, dtype) for name, args in steps)
        return Kernel(1, (Operand(dtype, (8,)),) * 2, made, (), fold=Fold(len(made) + 1 if reference is None else reference, 0))

    assert shows_flags(kernel(("multiply", (0, 1))))
    assert shows_flags(kernel(("divide", (0, 1)), ("multiply", (2, 2)), ("absolute", (3,)), reference=3))
    assert not shows_flags(kernel(("multiply", (0, 1)), ("divide", (0, 2))))
    assert not shows_flags(kernel(("multiply", (0, 1)), ("maximum", (2, 0))))
    assert not shows_flags(kernel(("multiply", (0, 1)), ("subtract", (0, 1)), reference=2))
    assert not shows_flags(kernel(("multiply", (0, 1)), dtype="int64"))
    assert not shows_flags(replace(kernel(("multiply", (0, 1))), fold=None))


PROGRAMS = {
    "used afterwards": "d = a - b\n    s = (d * d).sum()\n    return d / s, s",
    "used by its own producer's group": "d = a - b\n    s = d.sum()\n    return d * s, d + 1",
    "two sums": "d = a * b\n    return d.sum(), (d + 1).sum(), d.mean(), np.sum(d * d)",
    "stored between": "d = a * b\n    a[0] = 7\n    return d.sum(), a.sum(), (a + d).sum()",
    "in a loop": "s = 0.0\n    for k in range(len(a)):\n        s += np.sum(a[k:] * b[:len(b) - k])\n    return s",
    "into an element": "for k in range(len(a)):\n        a[k] = np.sum(a * b)\n    return a",
    "shapes that do not fit": "return np.sum(a * b[1:])",
    "not a sum": "return (a * b).max(), (a * b).prod(), np.min(a + b)",
    "elementary": "return np.exp(-a * a).sum(), np.sum(np.sqrt(np.abs(a)) + np.maximum(a, b))",
    "whole": "d = a * 2\n    return d[1:].sum(), d[::2].sum(), d.sum(keepdims=True)",
    "printed": "d = a * b\n    print(d)\n    return d.sum()",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    source = f"import numpy as np\ndef f(a, b):\n    {PROGRAMS[name]}\n"
    calls = [(numbers(n, float), numbers(n, float, 1)) for n in (0, 1, 5, 9, 140)]
    check_calls(source, [*calls, (np.full(5, 1e200), np.full(5, 1e200)), (np.array([np.nan, 1.0]), np.array([np.inf, np.inf]))])


def test_nothing_is_written_out():
    def total(a, b):
        return np.sum((a - b) * (a - b))

    native = pijit.jit(total)
    a = np.arange(1000.0)
    assert native(a, a[::-1]) == total(a, a[::-1])
    (text,) = (line for line in str(pijit.explain(native)).splitlines() if line.strip().startswith("kernel"))
    assert "sum of" in text
    assert "out" not in text


def test_an_order_that_is_not_known_is_numpys(monkeypatch):
    monkeypatch.setattr(folds, "known", lambda dtype: False)
    monkeypatch.setattr(CONFIG, "raise_internal", True)
    check_calls(ROW, [(numbers(100, float), numbers(100, float, 1))], configurations=("jit",))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_the_order_is_known(dtype):
    assert folds.known(dtype)


def ways(steps, stride):
    """In how many places of the kernel's code an element is made."""
    module = ir.Module()
    rows = tuple(Step("multiply", (number, number), "float64") for number in range(steps))
    define(module, Kernel(1, (Operand("float64", (stride,)),), rows, (), fold=Fold(steps, 0)))
    return str(module).count("fmul") // steps

def test_elements_are_made_in_few_places():
    """Eight at once, and one by one what is left; or eight at once in another way if they may lie apart."""
    assert ways(1, 8) == ways(1, 16) == ways(20, 8) == 2
    assert ways(1, None) == ways(20, None) == 3


@pytest.mark.parametrize("ufunc", ["add", "maximum"])
@pytest.mark.parametrize("stride", [8, None])
@pytest.mark.skipif(platform.machine() != "x86_64", reason="looks at the machine code")
def test_eight_at_once(ufunc, stride):
    """Whatever they accumulate, and if it is seen only then that they lie behind each other."""
    module, f = ir.Module(), Operand("float64", (stride,))
    define(module, Kernel(1, (f, f), (Step(ufunc, (0, 1), "float64"),), (), fold=Fold(2, 0)))
    text = emit.object_code(str(module), emit.LOOPS, readable=True)
    loops = [part for part in re.split(r"^\.LBB", text, flags=re.M) if re.search(r"v?addpd", part)]
    assert any(re.search(r"v?movup[ds]|v?movdqu", loop) for loop in loops), text


LOOPS = {
    "sums of rows": ("y = np.empty(n)\n    for i in range(n):\n        y[i] = np.sum(a[i : i + 5] * b[i : i + 5])\n    return y", emit.PLAIN),
    "and stores": ("b = b.copy()\n    for i in range(n):\n        b[i : i + 5] -= np.sum(a[i : i + 5] * b[:5]) * a[:5]\n    return b", emit.PLAIN),
    "stores": ("b = b.copy()\n    for i in range(n):\n        b -= a * 0.5\n    return b", emit.QUICK),
    "new arrays": ("s = 0.0\n    for i in range(n):\n        b = b - a\n        s += np.sum(a * b)\n    return s, b", emit.QUICK),
    "numbers": ("s = 0.0\n    for i in range(n):\n        s += a[i] * b[i]\n    return s", emit.BEST),
    "none": ("return np.sum(a * b)", emit.QUICK),
}


@pytest.mark.parametrize("name", LOOPS)
def test_what_is_around_short_sums_is_compiled_with_some_care(name, levels_found):
    """Its time is theirs; what takes longer than the code around it needs none."""
    body, expected = LOOPS[name]
    a, b = numbers(40, "float64"), numbers(40, "float64", 1)
    check_calls(f"import numpy as np\ndef f(a, b, n):\n    {body}\n", [(a, b, 30)] * 3, configurations=("jit",))
    assert levels_found[0] == expected
