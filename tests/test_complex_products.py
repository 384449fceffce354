"""Products of complex arrays, whose formula is NumPy's: bits, warnings and errors."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

R = np.random.default_rng(3)
SPECIAL = [complex(a, b) for a in (0.0, -0.0, 1.5, np.inf, np.nan, -1e200, 5e-324) for b in (-0.0, 2.0, np.inf, -np.nan, 1e308)]


def _numbers(*shape):
    return R.standard_normal(shape) + 1j * R.standard_normal(shape)


LAYOUTS = {
    "plain": lambda a: a,
    "gaps": lambda a: np.repeat(a, 3)[1::3],
    "reversed": lambda a: a[::-1],
    "unaligned": lambda a: np.frombuffer(b"1234" + a.tobytes(), a.dtype, a.size, 4),
    "repeated": lambda a: np.broadcast_to(a[:1], a.shape),
}


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("first", LAYOUTS)
def test_layouts(first, dtype):
    source = (
        "def f(a, b, s):\n    return a * b, a * b + a, a * s, s * b, np.square(a), a**2, a * a * b, (a * b).real, a.imag * b, np.multiply(a, b)\n"
    )
    calls = []
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 17, 64, 1030):
        a, b = (_numbers(n).astype(dtype) for _ in range(2))
        calls += [(LAYOUTS[first](a), LAYOUTS[second](b), b[0]) for second in LAYOUTS]
    check_calls(source, calls, configurations=("jit",))


def test_into_arrays():
    """One element is a reduction for NumPy, which rounds otherwise, also where it is a part of an array."""
    source = (
        "def f(z, w, i, j):\n    z = z.copy()\n    z[i:j] *= w[i:j]\n    z *= w\n    z[:1] *= w[1:2]\n    z[i:j] = z[i:j] * w[i:j]\n"
        "    np.multiply(z, w, out=z)\n    np.square(z[i:j], out=z[i:j])\n    z[i:j] **= 2\n    return z, z[0] * w[0], np.square(w[1])\n"
    )
    calls = [(_numbers(9), _numbers(9), i, j) for i in range(4) for j in range(i, 8)]
    check_calls(source, calls, configurations=("jit", "numpy"))
    check("def f(z):\n    z = z.copy()\n    z *= z\n    return z\n", _numbers(1), calls=2)
    check("def f(z):\n    z = z.copy()\n    z *= z\n    return z\n", _numbers(1, 1), calls=2)


@pytest.mark.parametrize("form", ["a * b", "np.square(a)", "a * b + 1", "np.where(a.real < 1, a * a + b, a)", "a * 0"])
def test_special_values(form):
    """Warnings too."""
    a, b = (v.ravel() for v in np.meshgrid(SPECIAL, SPECIAL))
    source = f"def f(a, b):\n    return {form}\n"
    with np.errstate(all="ignore"):
        check(source, a, b, calls=2, configurations=("jit", "numpy"))
    for n in range(0, a.size, 37):
        check(source, a[n : n + 1], b[n : n + 1], calls=2, configurations=("jit",))
    check(f"def f(a, b):\n    with np.errstate(all='raise'):\n        return {form}\n", a[:40], b[:40], calls=2, configurations=("jit",))


def test_reductions():
    source = "def f(a):\n    return a.prod(), a.prod(axis=0), np.multiply.reduce(a * 2, axis=1), np.cumprod(a), (a * a).sum(axis=0)\n"
    check_calls(source, [(_numbers(*shape),) for shape in ((5, 7), (5, 1), (1, 5), (1, 1), (40, 3), (3, 0))], configurations=("jit",))


def test_rows_that_follow_each_other():
    """Views without gaps are gone through as one row; others row after row."""
    source = "def f(a, b):\n    c = a * 2 + b\n    b[...] = a - c\n    b += a\n    return c, np.exp(a) + b, (a + 1).sum(axis=0)\n"
    whole = R.random((6, 5, 8))
    views = [whole[1:4], whole[:, 1:3], whole[:, :, ::2], whole[::2], whole[::-1], whole[:, ::-1, ::-1], whole[:1], whole[:, :1]]
    views += [whole[:, :, :1], whole[:0], whole.transpose(0, 2, 1), whole[..., 0], whole[:, 0]]
    views += [np.broadcast_to(v, (6, *v.shape)) for v in (whole[0], whole[0, 0])]
    gaps = [np.zeros((*v.shape[:-1], 2 * v.shape[-1]))[..., ::2] for v in views]
    check_calls(source, [*zip(views, map(np.zeros_like, views), strict=True), *zip(views, gaps, strict=True)], configurations=("jit",))
    check("def f(a):\n    return a.real * a.real + a.imag\n", _numbers(4, 5)[1:], calls=2)
    numbers = _numbers(7, 9)
    check_calls("def f(a):\n    return a.real * a.real + a.imag\n", [(a,) for a in (numbers, numbers[1:-1], numbers[:, 1:], numbers.T)])


PARTS = {
    "beside": "return np.where(z.real * z.real + z.imag < 1, z * z, z), z.real + z, z.imag * z",
    "of a view": "v = z[1:]\n    return v * v + v.real, v * v.imag.T, z[1:] * z[1:].real + z[1:] * z[1:].imag",
    "stored": "z.real[...] = z.imag * 2 + z.real\n    z.imag[...] = (z * z.real).imag\n    z[...] = z.real * z + z.imag\n    z += z.imag * z",
    "in turn": "z.real[...] = z.imag\n    y = z * z.real\n    z.imag[...] = y.real\n    return z * z.imag, y",
    "moved": "z.real[1:] = z.imag[:-1] * z.real[1:]\n    z[1:] = z[:-1].real * z[1:] + z[:-1]",
    "equal views": "z[1:] = z[1:] * 2 + z[:-1] - z[1:].real * z[:-1]\n    return z[1:] * z[1:] - z[:-1] * z[:-1]",
    "warned": "z = z * 1e200\n    z[...] = np.where(z.real > 0, z, z.imag * z)\n    return z.real / z.imag * z",
    "folded": "return (z * z.real).sum(axis=0), z.real.sum(axis=0) + z.imag.sum(axis=0) + z.real[0]",
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_what_is_used_as_well(name):
    source = f"def f(z):\n    {PARTS[name]}\n    return z\n"
    check(source, _numbers(3, 4), calls=2)
    arrays = [_numbers(4, 5), _numbers(40, 60), _numbers(4, 10)[:, ::2], _numbers(8, 5)[::-2], _numbers(1, 5), _numbers(4, 1), _numbers(0, 5)]
    arrays += [_numbers(4, 5).T, _numbers(9), _numbers(2, 3, 4), _numbers(4, 5).astype("c8")]
    check_calls(source, [(a,) for a in arrays], configurations=("jit",))
