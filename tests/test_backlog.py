"""Stores that are put off and then done together, strip by strip: bits, warnings, exceptions, and what is there when one is raised."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from differential import check_calls, settings, subject_of
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from test_stores import FILTERS, SPECIAL, STATES, compare_calls

import pijit
from pijit.codegen import backlog

pytestmark = pytest.mark.shared

# Of m, nine arrays of one shape, w, five numbers, and k, an int.
CHAINS = {
    "planes": "for i in range(3):\n        m[i] = m[4] * m[5] + w[i]\n    m[:3] -= 0.5 * m[6:9]",
    "planes again": "for i in range(9):\n        e[i] = m[0] * w[1] + i\n    m += -(1.0 / 3.0) * (m - e)",
    "divided": "for i in range(3):\n        m[i] = m[4] / m[5] + w[i]\n    m[:3] /= m[6:9]",
    "sum": "t = m[0]\n    for i in range(1, 6):\n        t += w[i - 1] * m[i]",
    "quotients": "t = m[0]\n    for i in range(1, 6):\n        t += m[i] / w[i - 1]",
    "windows": "e[...] = m\n    for i in range(7):\n        m[0][..., 8:] -= w[i % 5] * e[1][..., i : i - 8]",
    "windows both ways": "e[...] = m\n    k = m.shape[-1] - 8\n    for i in range(6):\n        "
    "m[0][..., 8:] *= w[i % 5] + e[1][..., i : i - 8] / e[2][..., ::-1][..., :k]",
    "filled": "t = np.zeros_like(m[0])\n    for i in range(7):\n        t += w[i % 5] / m[i]\n    m[8] = t * m[7]",
    "filled with": "for j in range(2):\n        t = np.full(m[j].shape, w[1])\n        "
    "for i in range(3):\n            t -= w[i] * m[i][..., :]\n        m[j] = t",
    "copied": "t = m[0].copy()\n    for i in range(7):\n        t += w[i % 5] / m[i]\n    m[8] = t * m[7]",
    "copied, a part": "t = m[0][..., 3:].copy()\n    for i in range(3):\n        np.maximum(t, m[0][..., 2 - i : -i - 1], out=t)\n"
    "    m[8][..., 3:] = t",
    "copied, turned": "t = m[0][::-1].copy()\n    for i in range(3):\n        t *= m[i]\n    m[0] = t",
    "copied, and what from changed": "t = m[0].copy()\n    m[0] *= w[1]\n    for i in range(3):\n        t += m[i]\n    m[1] = t",
    "filled, for nothing": "t = np.ones_like(m[0])\n    for i in range(k - 3):\n        t *= w[i % 5] + m[i]\n    m[8] = t * m[7]",
    "thirteen": "t = np.zeros_like(m[0])\n    for i in range(13):\n        t += w[i % 5] * m[i % 9]\n    m[8] = t * m[7]",
    "nineteen": "e[...] = m\n    for i in range(19):\n        m[0] /= e[i % 8 + 1]\n    m[1] -= m[0]",
    "fourteen, longer": "t = m[0] + 1\n    for i in range(14):\n        t += (m[i % 9] - w[i % 5]) * 0.5 / w[1]\n    m[8] = t * m[7]",
    "two targets": "e[...] = m\n    for i in range(4):\n        m[i // 3] += w[i] * e[i + 2]",
    "then read": "e[...] = m\n    for i in range(5):\n        m[0] += e[i + 1] / w[i]\n    m[1] = m[0] * e[2]\n    m[0] -= m[1]",
    "nested": "for i in range(2):\n        for j in range(2):\n            m[8] += w[j] * m[2 * i + j]",
    "read before written": "m[0] = m[1] * m[2]\n    m[3] = m[0] / m[4]\n    m[1] = m[3] - m[2]",
    "shifted": "m[0][1:] = m[1][1:] * 2\n    m[2][1:] = m[0][:-1] / m[3][1:]\n    m[1][1:] += m[2][1:]",
    "shifted back": "m[0][:-1] = m[1][1:] * 2\n    m[1][:-1] = m[0][:-1] / m[3][1:]\n    m[2][:-1] = m[0][1:] + m[1][:-1]",
    "turned": "m[0][...] = m[1] * 2\n    m[2][...] = m[0][::-1] + 1\n    m[0] += m[2]",
    "looked at": "c = 0.5\n    for i in range(4):\n        m[i] = m[5] * c\n        c = m.item(0) * 0.25 + m.reshape(-1)[7]",
    "loaded": "c = w[0]\n    for i in range(4):\n        m[i] = m[5] * c\n        c = r[i] + 0.5",
    "no such index": "for i in range(4):\n        m[i] = m[5] * w[i + k]",
    "no quotient": "m[0] = m[1] * 2\n    m[2] = m[0] * (1.0 / (k - 2))\n    m[3] = m[2] + m[0]",
    "let go": "a = m[1] * 3\n    b = m[2] + 1\n    m[0] = a - b\n    m[4] = m[0] / a - b\n    a = b = None\n    m[2] = m[0] / m[3]",
    "beside": "z = m[1]\n    c = m[3] * 1\n    for i in range(k + 9):\n        y = z * w[1] + m[2]\n        c += y * z\n        z = y"
    "\n    m[4] = z + c",
    "beside, and the one before": "o = z = m[1]\n    c = m[3] * 1\n    for i in range(k + 9):\n        y = z * w[1] + m[2]\n        c += y * z\n"
    "        o, z = z, y\n    m[4] = z\n    m[5] = o + c",
    "beside, moved": "z = m[1]\n    c = m[3] * 1\n    d = m[5] * 1\n    for i in range(k + 9):\n        y = z / w[1] + m[2]\n        c += y * z\n"
    "        d[..., 1:] += y[..., :-1]\n        z = y\n    m[4] = z + c * d",
    "beside, moved first": "z = m[1]\n    c = m[3] * 1\n    d = m[5] * 1\n    for i in range(k + 9):\n        y = z / w[1] + m[2]"
    "\n        c += y * z\n"
    "        if i == 4:\n            d += z\n        z = y\n    m[4] = z + c * d",
    "two beside": "x = m[1] + 0\n    z = m[2] + 1\n    c = m[3] * 1\n    for i in range(k + 9):\n        y = x / z\n        v = z - y * w[0]\n"
    "        c += y + v\n        x, z = y, v\n    m[4] = x / z - c",
    "crossed": "x = m[1] + 0\n    z = m[2] + 1\n    c = m[3] * 1\n    for i in range(k + 9):\n        y = x / z\n        v = z - y * w[0]\n"
    "        c += y + v\n        x, z = v, y\n    m[4] = x / z - c",
    "chosen": "z = m[1] + 0\n    c = m[3] * 1\n    for i in range(k + 9):\n        t = np.abs(z) < w[1]\n        z = np.where(t, z * z + m[2], z)\n"
    "        c += t\n    m[4] = z * c",
    "beside for the next": "c = m[3] * 1\n    for i in range(k + 9):\n        y = m[1] * w[i % 5]\n        c += y\n        m[4] += y / m[5]\n"
    "    m[0] = c",
    "in place": "m[0] += m[1]\n    m[2] += m[0]\n    m[0] *= m[3]\n    m[2] /= m[0]",
    "functions": "m[0] = np.exp(m[1])\n    m[2] = m[0] * m[0]\n    m[3] = np.log(m[2]) / m[4]",
    "functions in place": "m[0] += np.exp(m[1])\n    m[2] -= np.sin(m[0]) * m[3]\n    m[2] /= m[0]\n    m[0] *= np.log(m[2]) - m[4]",
    "masks": "z = m[1] * 1\n    t = z.real > 0\n    for i in range(k + 9):\n        z[t] = z[t] * w[0] + m[2][t]\n        t = np.abs(z) < 40\n"
    "        m[3][t] += z[t]\n    m[4] = z",
    "twice": "m[0] = m[1] * 2\n    m[0] = m[2] / m[0]\n    m[3] = m[0] * m[2]",
    "inlined": "for i in range(3):\n        put(m[i], m[4 + i], m[3])\n    put(m[3], m[0], m[1])",
    "extremes": "np.maximum(m[0], m[1], out=m[0])\n    np.maximum(m[0], m[2] * m[3], out=m[0])\n    m[4] = m[0] / m[5]",
    "printed": "m[0] = m[1] * 2\n    m[2] = m[0] / m[3]\n    seen.append(float(m.sum()))\n    m[2] -= m[0]\n    m[4] = m[2] * m[0]",
    "many": "for j in range(20):\n        for i in range(9):\n            m[i] = m[i] * 0.5 + w[1]",
}
SHAPES = {"line": (9, 5000), "rows": (9, 40, 150), "planes": (9, 6, 40, 50), "wide": (9, 2, 4100), "short": (9, 70), "one": (9, 1), "none": (9, 0)}
VIEWS = {"whole": "m", "spread": "m[..., ::2]", "backwards": "m[..., ::-1]", "turned": "m[::-1]", "swapped": "m.T.copy().T"}


def program(chain: str, view: str, state: str, action: str) -> str:
    return (
        "import warnings\nimport numpy as np\nseen = []\ndef noted(*args):\n    seen.append(args)\n"
        "def put(t, a, b):\n    t[...] = (a +\n      1) / b\n"
        f"def g(m, e, w, r, k):\n    m = {VIEWS[view]}\n    e = {VIEWS[view].replace('m', 'e', 1)}\n    {CHAINS[chain]}\n    return m\n"
        "def f(m, e, w, k):\n    with warnings.catch_warnings():\n        warnings.simplefilter(" + repr(action) + ")\n"
        f"        with np.errstate({state}):\n            try:\n                return g(m, e, w, m.reshape(-1), k), seen\n"
        "            except (FloatingPointError, RuntimeWarning, ZeroDivisionError, IndexError, ValueError) as error:\n"
        "                return str(error), error.__traceback__.tb_next.tb_lineno, seen\n"
    )


def arguments(shape: tuple[int, ...], dtype: str, seed: int, special: bool):
    rng = np.random.default_rng(seed)
    m = (rng.standard_normal(shape) + 3).astype(dtype)
    if special and m.size:
        where = rng.integers(0, m.size, 4)
        m.reshape(-1)[where] = np.array(SPECIAL)[rng.integers(0, 8, 4)].astype(dtype)
    w = np.array([0.5, 2.0, 0.25, 0.0 if special else 3.0, 1.5]).astype(dtype)
    return m, np.empty_like(m), w, 1 + seed % 2


def examine(chain, view, shape, dtype, state, action, special, **options):
    with np.errstate(all="ignore"):
        calls = [arguments(SHAPES[shape], dtype, seed, special and seed != 1) for seed in range(3)]
    compare_calls(program(chain, view, state, action), [(args, {}) for args in calls], options)


@limits(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate), derandomize=True)
@given(
    st.sampled_from(list(CHAINS)), st.sampled_from(list(VIEWS)), st.sampled_from(list(SHAPES)), st.sampled_from(("float64", "float32", "complex128")),
    st.sampled_from(STATES), st.sampled_from(FILTERS), st.booleans(),
)  # fmt: skip
def test_chains(chain, view, shape, dtype, state, action, special):
    if dtype == "complex128" and chain == "looked at":
        dtype = "float64"
    examine(chain, view, shape, dtype, state, action, special)


@pytest.mark.parametrize("chain", CHAINS)
def test_each_with_and_without_flags(chain):
    for shape in ("line", "rows"):
        for special in (False, True):
            examine(chain, "whole", shape, "float64", "", "always", special)
    examine(chain, "whole", "line", "float64", "", "error", True)


@pytest.mark.parametrize("chain", ["planes", "planes again", "sum", "no such index", "no quotient", "let go", "looked at"])
def test_every_way(chain):
    source = f"import numpy as np\ndef f(m, e, w, r, k):\n    {CHAINS[chain]}\n    return m\n"
    m, e, w, k = arguments(SHAPES["line"], "float64", 1, False)
    check_calls(source, [(m, e, w, m.reshape(-1), k)])


def later_in(source: str, *args) -> tuple[int, int]:
    """How many stores may be done later, and how many of them several times at once."""
    found: list[backlog.Backlog] = []
    real = backlog.Backlog.__init__

    def kept(self, *given):
        real(self, *given)
        found.append(self)

    backlog.Backlog.__init__ = kept
    try:
        with settings(compile_all=True, raise_internal=True):
            pijit.jit(subject_of(source, "f").make().function)(*args)
    finally:
        backlog.Backlog.__init__ = real
    return max((len(each.later), len(each.repeats)) for each in found if each.later or len(found) == 1)


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        ("m[0] = m[1] * 2", 0),
        ("m[0] = m[1] * 2\n    m[2] = m[0] / m[1]", 2),
        ("for i in range(3):\n        m[i] = m[4] * m[5]", 1),
        ("for i in range(3):\n        m[i] = m[4] * m[5]\n    m[:3] -= 0.5 * m[6:9]", 2),
        ("t = np.zeros_like(m[0])\n    for i in range(3):\n        t += m[i] * 2", 2),
        ("t = np.zeros_like(m[0])\n    for i in range(3):\n        t += m[i] * 2\n    m[0] = t * m[1]", 3),
        ("t = np.zeros_like(m[0])\n    u = np.ones_like(m[0])\n    for i in range(3):\n        t += m[i] * 2\n        u *= m[i] + 2", 2),
        ("t = np.zeros(9000, np.float32)\n    for i in range(3):\n        t += np.float32(2) * m[i].astype(np.float32)", 2),
        ("t = m[0].copy()\n    for i in range(3):\n        t += m[i] * 2", 2),
        ("t = m[0, ::2].copy()\n    for i in range(3):\n        t += m[i, ::2] * 2", 1),
        ("m[0] = m[1] * 2\n    m[3, 5] = 1.0\n    m[2] = m[0] / m[1]", 0),
        ("m[0] = m[1] * 2\n    s = np.sort(m[0])\n    m[2] = m[0] / s", 0),
        ("m[0] = m[1] * 2\n    s = m[0] + m[1]\n    m[2] = m[0] / s\n    return s", 2),
        ("m[0] += np.exp(m[1])\n    m[2] = m[0] / m[1]", 2),
        ("t = m[1] > 0\n    for i in range(9):\n        m[0][t] += m[1][t]", 1),
        ("z = m[1] * 1\n    t = z > 0\n    for i in range(9):\n        z[t] = z[t] * 2\n        t = np.abs(z) < 5\n        m[3][t] += 1", 2),
        ("z = m[1]\n    for i in range(9):\n        y = z * m[2]\n        m[3] += y\n        z = y\n    return z", 1),
    ],
)
def test_which(body, stores):
    m = arguments((9, 9000), "float64", 1, False)[0]
    assert later_in(f"import numpy as np\ndef f(m):\n    {body}\n", m)[0] == stores


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        ("for i in range(8):\n        m[0] += e[i] * 2", 1),
        ("for i in range(2):\n        for j in range(4):\n            m[0] += e[2 * i + j] / e[8]", 1),
        ("for i in range(8):\n        m[0] = e[i] * 2", 0),
        ("for i in range(8):\n        m[0] += np.exp(e[i])", 0),
        ("for i in range(8):\n        m[0] += e[i] * 2\n        m[8] += m[0] * 2", 0),
        ("for i in range(8):\n        m[0] += e[i] * 2\n        np.sort(m[1])", 0),
        ("m[0] += e[1] * 2\n    m[0] += e[1] * 2", 0),
        ("z = e[1] + 0\n    for i in range(8):\n        y = z * z\n        m[0] += y\n        z = y\n    m[1] = z", 1),
        ("for i in range(8):\n        y = e[1] * e[2]\n        m[0] += y\n    m[1] = y", 0),
    ],
)
def test_which_several_times(body, stores):
    m = arguments((9, 9000), "float64", 1, False)[0]
    assert later_in(f"import numpy as np\ndef f(m, e):\n    {body}\n", m, m.copy())[1] == stores


def test_memory():
    """What is let go while others wait is the memory of what is made next, and what only the next one reads is not made at all."""
    source = "import numpy as np\ndef f(z, c, n):\n    for _ in range(n):\n        y = z * z\n        c += y\n        z = y\n    return z\n"
    f = pijit.jit(subject_of(source, "f").make().function)
    z, c = np.ones(100_000), np.zeros(100_000)
    f(z, c, 3)
    tracemalloc.start()
    try:
        f(z, c, 40)
        assert tracemalloc.get_traced_memory()[1] < 4 * z.nbytes
    finally:
        tracemalloc.stop()
    assert c[0] == 43
