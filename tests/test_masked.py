"""What is computed of the elements that a mask takes and stored there again, in both ways: of those alone, and of all."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls

pytestmark = pytest.mark.shared

R = np.random.default_rng(17)
STATEMENTS = {
    "complex": "z[m] = z[m] * z[m] + c[m]",
    "count": "z[m] += 1",
    "quotient": "z[m] = c[m] / z[m]",
    "difference below": "z[m] = 3 / (c[m] - z[m])",
    "numbers": "z[m] = (z[m] * k + c[m]) / k",
    "remainder": "z[m] = z[m] % c[m] + k",
    "root": "z[m] = np.sqrt(z[m]) * c[m]",
    "exp": "z[m] = np.exp(z[m]) - c[m]",
    "where": "z[m] = np.where(z[m] > c[m], z[m], -c[m])",
    "other target": "w[m] = z[m] - c[m]",
    "same mask twice": "z[m] = z[m] + 1; w[m] = z[m] * c[m]; z[m] -= w[m]",
    "seen": "s = z[m] * 2; z[m] = s; k = s.sum()",
    "seen behind another": "w[m] = w[m] + 1; s = z[m] * 2; z[m] = s; k = s.sum()",
}
SHARES = (0.0, 0.1, 0.24, 0.25, 0.6, 1.0)


def calls(dtype, shape, ill=False):
    for share in SHARES:
        z, c = (R.standard_normal(shape).astype(dtype) * 3 for _ in range(2))
        m = R.random(shape) < share
        if ill:  # what would raise flags, where the mask is false, and then where it is true too
            bad = np.array([0, 1e308, -1e308, np.inf, np.nan, 5e-324])
            with np.errstate(all="ignore"):
                z = np.where(m, np.abs(z) + 1, R.choice(bad, shape)).astype(dtype)
                c = np.where(m, c, R.choice(bad, shape)).astype(dtype)
        yield z, c, np.zeros(shape, dtype), m, dtype(2)
        if ill and m.size:
            z, m = z.copy(), m.copy()
            z.flat[-1] = 0
            m.flat[-1] = True
            yield z, c, np.zeros(shape, dtype), m, dtype(0)


@pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.complex128, np.float32])
def test_statements(text, dtype):
    source = f"def f(z, c, w, m, k):\n    {text}\n    return z, w, k\n"
    for shape in ((0,), (1,), (700,), (23, 41)):
        check_calls(source, list(calls(dtype, shape)), configurations=("jit",))
    check_calls(source, list(calls(dtype, (50,))), configurations=("numpy",))


@pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
@pytest.mark.parametrize("state", ["all='warn', under='ignore'", "all='raise', under='ignore'", "all='ignore'"])
def test_flags(text, state):
    """Warnings and errors are those of what the mask takes."""
    source = f"def f(z, c, w, m, k):\n    with np.errstate({state}):\n        {text}\n    return z, w, k\n"
    for shape in ((300,), (9000,)):
        check_calls(source, list(calls(np.float64, shape, ill=True)), configurations=("jit",))
    check_calls(source, list(calls(np.float64, (60,), ill=True)), configurations=("numpy",))


def test_memory_that_is_shared():
    source = "def f(z, c, m):\n    z[m] = z[m] * 2 + c[m]\n    return z\n"
    shared = []
    for n in (40, 5000):
        a = R.standard_normal(n + 1)
        m = R.random(n) < 0.7
        shared += [(a[1:], a[:-1], m), (a[:-1], a[1:], m), (a[:-1], a[:-1], m), (a[:n], np.broadcast_to(a[:1], (n,)), m)]
        shared += [(a[:n], a[n - 1 :: -1], m), (np.zeros(n), a[:n], np.zeros(n, bool)), (a[:n], a[:n], np.frombuffer(a.tobytes(), bool)[:n] * 1 > 0)]
    check_calls(source, shared, configurations=("jit",))
    b = R.random(900) < 0.5
    check_calls("def f(z, c):\n    z[z] = z[z] & c[z]\n    return z\n", [(b, b[::-1]), (b, b.copy()), (b[:-1], b[1:])], configurations=("jit",))


def test_kinds_of_targets():
    source = "def f(z, c, m):\n    z[m] = z[m] * 2 + c[m]\n    return z\n"
    a = R.standard_normal((30, 40))
    m = R.random((30, 40)) < 0.6
    given = [(a.T.copy().T, a, m), (a[:, ::-1], a, m), (a[::2], a[1::2], m[::2]), (a, a.T.copy().T, m.T.copy().T)]
    given += [(a[0], a[:, 0][:30].repeat(2)[:40], m[0])]
    check_calls(source, given, configurations=("jit",))
    check_calls("def f(z, c, m):\n    z[:, m] = z[:, m] * 2\n    return z\n", [(a, a, m[0])], configurations=("jit",))
    check_calls(source, [(a, a[:, :5], m), (a, a, m[:, :5])], configurations=("jit",))


ROUNDS = {
    "two": "z[m] = z[m] * 0.5 + c[m]; t = z > c; c[t] -= z[t]",
    "overflow": "z[m] = z[m] * z[m] + c[m]; t = np.abs(z) < 3; w[t] += 1",
    "written between": "z[m] += 1; w[0] = 3; t = w > 2; c[t] += 1; t[:] = False; c[t] -= 1",
    "seen": "t = z > 0; z[m] += c[m]; w[t] += z[t]; k = t.sum() + k; m = t",
}
SEQUENCE = [0.9] * 24 + [0.05] * 9 + [0.0] * 3 + [1.0] * 3 + [0.9, 0.02] * 9 + [0.05] * 5


@pytest.mark.parametrize("text", ROUNDS.values(), ids=ROUNDS)
def test_rounds(text):
    """A mask of which many were taken is not looked at in every round."""
    statements = text.replace("; ", "\n        ")
    source = f"import numpy as np\ndef f(z, c, w, masks, k):\n    for m in masks:\n        {statements}\n    return z, c, w, k\n"
    given = [(R.standard_normal(n), R.standard_normal(n), np.zeros(n), [R.random(n) < share for share in SEQUENCE], 0) for n in (60, 5000)]
    check_calls(source, given, configurations=("jit",))


def test_is_there():
    import pijit

    def f(z, c, m):
        z[m] = z[m] * z[m] + c[m]

    z = np.zeros(100)
    jitted = pijit.jit(f)
    jitted(z, z + 1, z == 0)
    assert "where" in pijit.explain(jitted).text()
