"""Every way to name a dtype, with dtypes of every kind and what is none: native code knows a few of them, and leaves the others to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls
from shares import share

pytestmark = pytest.mark.shared

FORMS = (
    "np.array(a, D)", "np.array(a, dtype=D)", "np.array(a * 2, D)", "np.array([1.0, 2.0], D)", "np.array([[n], [2]], dtype=D)",
    "np.array(x, D)", "np.asarray(a, D)", "np.asarray([x], dtype=D)", "np.ascontiguousarray(a, D)", "a.astype(D)",
    "a.astype(D, copy=False)", "np.zeros(3, D)", "np.ones((2, n), dtype=D)", "np.empty(n, D).shape", "np.full(3, 1, D)",
    "np.full(n, x, dtype=D)", "np.zeros_like(a, D)", "np.ones_like(a, dtype=D)", "np.full_like(a, 2, D)", "np.empty_like(a, D).dtype",
    "np.arange(n, dtype=D)", "np.arange(0, 3, dtype=D)", "np.linspace(0, 1, 5, dtype=D)", "np.eye(3, dtype=D)", "np.identity(n, D)",
    "np.tri(3, dtype=D)", "a.sum(dtype=D)", "np.sum(a, 0, D)", "a.mean(dtype=D)", "a.cumsum(dtype=D)", "np.prod(a, dtype=D)",
    "np.add(a, a, dtype=D)", "np.multiply(a, n, dtype=D, casting='unsafe')", "np.concatenate((a, a), dtype=D)",
    "np.stack((a, a), dtype=D, casting='unsafe')", "np.nansum(a, dtype=D)", "a.view(D)", "np.dtype(D)", "np.var(a, dtype=D)",
    "np.trace(np.array([a, a]), dtype=D)", "np.fromiter([1, 2], D)", "np.add.reduce(a, dtype=D)", "np.ndarray((0,), D)",
)  # fmt: skip
DTYPES = (
    "np.float64", "float", "'f8'", "np.float32", "int", "np.int8", "'u2'", "bool", "complex", "np.complex64", "None", "a.dtype",
    "np.dtype('i4')", "object", "np.float16", "np.longdouble", "'>f8'", "'>i4'", "str", "'U5'", "'S'", "'V8'", "'M8[D]'", "'m8[s]'",
    "[('p', float), ('q', int)]", "(float, (2,))", "np.longlong", "np.ulonglong", "np.clongdouble", "'nonsense'", "3", "np.floating",
    "np.generic", "'?'", "a", "type",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS)
def test_form(form):
    for dtype in share(DTYPES):
        calls = [(a, 3, 1.5) for a in (np.array([1.0, 2.5]), np.array([2.0, 0.0]), np.array([3, 4]), np.array([True, False]))]
        check_calls(f"def f(a, n, x):\n    return {form.replace('D', dtype)}\n", calls, configurations=("jit",))
