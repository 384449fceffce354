"""Kernels that are made for arrays with any distances between elements, and are given all kinds of them: NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

pytestmark = pytest.mark.shared

CHEAP = "c = a * b + 1.0\n    return c, (a - b).sum(), (a + b).sum()\n"
COLLECTED = "c = a / b\n    return np.maximum(c, a) + np.floor(b), np.sqrt(a * a + b), np.where(a > b, a, c).sum(), np.exp(b) * a\n"
WHOLE = "return a // b, a % b, (a * b).sum(), np.maximum(a, b) * 3, a // 7 + b\n"
STORED = "a *= b\n    a += 1\n    a[1:-1] = a[2:] - b[:-2]\n    return a.copy()\n"
LENGTHS = (0, 1, 2, 8, 9, 63, 64, 65, 130, 600)
PACKED = np.dtype([("flag", "i1"), ("x", "f8"), ("y", "f4")])  # a distance of 13 bytes
HALF = np.dtype([("x", "f8"), ("y", "f4")], align=False)  # of 12


def layouts(n, dtype):
    """Arrays of n elements, the same whichever way they lie."""
    values = (np.random.default_rng(n).random(n) * 50 + 1).astype(dtype)
    yield values
    for step in (2, 3, -1, -2):
        whole = np.zeros(abs(step) * n, dtype)
        whole[::step] = values
        yield whole[::step]
    column = np.zeros((n, 5), dtype)
    column[:, 2] = values
    yield column[:, 2]
    for record in (PACKED, HALF):
        fields = np.zeros(n, record)
        if dtype == "float64":
            fields["x"] = values
            yield fields["x"]
    raw = np.zeros(n * values.itemsize + 1, np.uint8)
    raw[1:] = values.view(np.uint8)
    yield raw[1:].view(dtype)


def check_strided(source, calls, dtype):
    """All in what the first of them is compiled to, of which little is known."""
    apart = np.arange(1, 41).astype(dtype)[::2]
    check_calls(source, [(apart, apart), *calls], configurations=("jit",))


INTEGERS = ("int64", "uint64", "int32", "uint8")


@pytest.mark.parametrize(
    ("body", "dtype"), [*((body, dtype) for body in (CHEAP, COLLECTED) for dtype in ("float64", "float32")), *((WHOLE, dtype) for dtype in INTEGERS)]
)
def test_layouts(body, dtype):
    source = f"import numpy as np\ndef f(a, b):\n    {body}"
    calls = []
    for n in LENGTHS:
        one, other = list(layouts(n, dtype)), list(layouts(n, dtype))
        calls += [*zip(one, other, strict=True)] + [(a, other[0]) for a in one] + [(one[0], b) for b in other]
    check_strided(source, calls, dtype)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_stores(dtype):
    source = f"import numpy as np\ndef f(a, b):\n    {STORED}"
    calls = [(a, b) for n in LENGTHS[2:] for a, b in zip(layouts(n, dtype), reversed(list(layouts(n, dtype))), strict=True)]
    check_strided(source, calls, dtype)


def test_planes():
    """Rows within a larger array: distances are known at run time only, and are those of contiguous elements along them."""
    source = "import numpy as np\ndef f(a):\n    b = a[1:-1, 1:-1]\n    c = a[:-2, 1:-1] + a[2:, 1:-1] - 4.0 * b\n"
    source += "    return c, (b * b).sum(axis=0), (b / 3.0).sum(axis=1), b.T * 2.0\n"
    calls = []
    for shape in ((3, 3), (5, 40), (40, 5), (70, 140)):
        whole = np.random.default_rng(1).random((2 * shape[0], 2 * shape[1]))
        calls += [(whole[::2, ::2],), (whole[: shape[0], : shape[1]],), (whole[: shape[0], : shape[1]].T,), (whole[::2, : shape[1]][::-1, ::-1],)]
    check_calls(source, calls, configurations=("jit",))
