"""Arrays: results, views, stores, broadcasting, warnings. Every case runs in every configuration."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(3)
SIZES = [0, 1, 7, 8, 9, 1023, 1025]


def grid(*shape, dtype=np.float64):
    return (RNG.random(shape) * 10).astype(dtype)


PROGRAMS = {
    "axpy": ("def f(a, b, c):\n    return a * b + c\n", (grid(2, 3), grid(2, 3), grid(2, 3))),
    "axpy broadcast": ("def f(a, b, c):\n    return a * b + c\n", (grid(4, 1), grid(3), grid(1, 3))),
    "axpy that does not broadcast": ("def f(a, b, c):\n    return a * b + c\n", (grid(4), grid(3), grid(3))),
    "0-d": ("def f(a, b):\n    return a + b, a * 2\n", (np.array(1.5), np.array(2.0))),
    "empty": ("def f(a):\n    return a + 1, a.sum()\n", (grid(0, 3),)),
    "weak scalars": ("def f(a):\n    return a + 1, a * 2.0, a / 2, a - True\n", (grid(5, dtype=np.float32),)),
    "uint8 and ints": ("def f(a):\n    return a + 1, a * 2, -a, a // 3, a % 5\n", (grid(5, dtype=np.uint8),)),
    "uint8 and a large int": ("def f(a):\n    return a + 300\n", (grid(5, dtype=np.uint8),)),
    "bool arrays": ("def f(a):\n    return a + a, a & ~a, a * 2, a | (a > 0)\n", (np.array([True, False]),)),
    "int64 against uint64": (
        "def f(a, b):\n    return a < b, a + b\n",
        (np.array([-1, 2]), np.array([1, 2**63], dtype=np.uint64)),
    ),
    "comparison": (
        "def f(a, b):\n    return a < b, a == b, (a < b) & (a > 1), np.where(a < b, a, b)\n",
        (grid(9), grid(9)),
    ),
    "in place": ("def f(a, b):\n    a += b\n    a *= 2\n    return a\n", (grid(5), grid(5))),
    "in place with a cast": ("def f(a, b):\n    a += b\n", (grid(5, dtype=np.int64), grid(5))),
    "in place with a wrong shape": ("def f(a, b):\n    a += b\n", (grid(3), grid(2, 3))),
    "in place on itself reversed": ("def f(a):\n    a += a[::-1]\n    return a\n", (grid(9),)),
    "in place on its transpose": ("def f(a):\n    a += a.T\n    return a\n", (grid(4, 4),)),
    "shifted into itself": ("def f(a):\n    a[1:] = a[:-1]\n    a[:-1] += a[1:]\n    return a\n", (grid(9),)),
    "stencil": (
        "def f(u):\n    for _ in range(5):\n        u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])\n    return u\n",
        (grid(20),),
    ),
    "stencil in two dimensions": (
        "def f(u):\n    for _ in range(3):\n        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])\n    return u\n",
        (grid(9, 11),),
    ),
    "stencil that is too short": ("def f(u):\n    u[1:-1] = u[2:] + u[:-2]\n    return u\n", (grid(1),)),
    "views are views": (
        "def f(a):\n    b = a[2:5]\n    b[0] = 100.0\n    return b, a.T, a[::-1], a[None]\n",
        (grid(9),),
    ),
    "arrays by their class": (
        "def f(a, n):\n    b = np.ndarray((n, 3), dtype=np.float32)\n    b[:] = a\n    c = np.ndarray(n, order='F')\n    c[:] = 1\n    return b, c\n",
        (grid(3), 4),
    ),
    "arrays by their class, over memory": ("def f(a):\n    b = np.ndarray((2,), a.dtype, a, 8)\n    b[0] = -1.0\n    return a, b\n", (grid(4),)),
    "arrays by their class that cannot be": ("def f(n):\n    return np.ndarray(n)\n", (-2,)),
    "copies are copies": (
        "def f(a):\n    b, c, d = a.copy(), np.copy(a.T), a[::-1].copy('F')\n    a += 1\n    b[0] = 7\n    return a, b, c, d\n",
        (grid(4, 5),),
    ),
    "views by functions": (
        "def f(a):\n    b = np.moveaxis(a, 0, -1)\n    b[0] = 1\n    c = np.flip(np.expand_dims(a, 1), (0, 2))\n    c += 1\n"
        "    return a, b, c, np.squeeze(c), np.swapaxes(a, 0, 2)[:1].squeeze(), np.transpose(a, (2, 0, 1)) * 2\n",
        (grid(3, 4, 5),),
    ),
    "squeeze of what is one long by chance": ("def f(a, n):\n    return a[:n].squeeze(), np.squeeze(a[n:])\n", (grid(3, 4), 1)),
    "slices past the end": ("def f(a, n):\n    return a[n:], a[:n], a[-n:], a[n : n + 3], a[::-2]\n", (grid(5), 7)),
    "reassigned view": ("def f(a):\n    b = a[1:]\n    b = b + 1\n    b[0] = 0\n    return a, b\n", (grid(5),)),
    "element loads and stores": (
        "def f(a):\n    for i in range(len(a)):\n        a[i] = a[i] * 2 + a[-1]\n    return a[0], a[-1]\n",
        (grid(9),),
    ),
    "index out of range": ("def f(a, i):\n    a[0] = 7\n    return a[i]\n", (grid(5), 5)),
    "index far below": ("def f(a, i):\n    a[0] = 7\n    return a[i]\n", (grid(5), -6)),
    "store out of range in a loop": ("def f(a, n):\n    for i in range(n):\n        a[i] = i\n", (grid(5), 9)),
    "index of a NumPy type": ("def f(a, i):\n    return a[i], a[i + 1]\n", (grid(300), np.uint8(128))),
    "index of a float": ("def f(a, i):\n    return a[i]\n", (grid(3), 1.0)),
    "too many indices": ("def f(a, i):\n    return a[i, i]\n", (grid(3), 1)),
    "store that does not fit": ("def f(a, x):\n    a[1] = x\n    return a\n", (grid(3, dtype=np.uint8), 300)),
    "store of a float into ints": (
        "def f(a, x):\n    a[1] = x\n    a[2:] = x\n    return a\n",
        (grid(4, dtype=np.int64), 2.7),
    ),
    "store of a nan into ints": ("def f(a, x):\n    a[1] = x\n    return a\n", (grid(3, dtype=np.int64), np.nan)),
    "mask": ("def f(a, m):\n    b = a[m]\n    a[m] = 0\n    a[~m] += 1\n    return b, a\n", (grid(9), grid(9) > 5)),
    "mask of two dimensions": (
        "def f(a, m):\n    a[:, m] = a[:, m] * 2\n    return a\n",
        (grid(3, 4, 5), grid(4, 5) > 5),
    ),
    "repeated indices": ("def f(a, i):\n    a[i] += 1\n    return a\n", (grid(5), np.array([0, 0, 1]))),
    "sum": (
        "def f(a):\n    return np.sum(a), a.sum(axis=0), np.sum(a, axis=1, keepdims=True), a.mean()\n",
        (grid(40, 30),),
    ),
    "sum of float32": ("def f(a):\n    return a.sum(), a.mean()\n", (grid(1000, dtype=np.float32),)),
    "sum of ints": (
        "def f(a):\n    return a.sum(), a.max(), a.min(), a.argmax(), a.prod()\n",
        (grid(9, dtype=np.int32),),
    ),
    "max of nothing": ("def f(a):\n    return a.max()\n", (grid(0),)),
    "roll": (
        "def f(a, n):\n    return np.roll(a, n), np.roll(a, n, axis=1), np.roll(a, -1, axis=0)\n",
        (grid(4, 5), 2),
    ),
    "creation": (
        "def f(n):\n    return np.zeros(n), np.ones((n, 2)), np.arange(n), np.empty(0), np.full(n, 2.5)\n",
        (4,),
    ),
    "creation of a negative size": ("def f(n):\n    return np.zeros(n)\n", (-1,)),
    "zeros_like": (
        "def f(a):\n    return np.zeros_like(a), np.empty_like(a).strides, np.ones_like(a)\n",
        (np.asfortranarray(np.ones((3, 4))),),
    ),
    "ufuncs": (
        "def f(a):\n    return np.exp(a), np.sin(a), np.sqrt(a), np.tanh(a), np.log(a), np.abs(-a)\n",
        (grid(1025),),
    ),
    "ufuncs of strided arrays": (
        "def f(a):\n    return np.exp(a[::-1]), np.exp(a[::3]), np.sqrt(a[::-2])\n",
        (grid(1000),),
    ),
    "out": ("def f(a, b):\n    np.add(a, b, out=a)\n    np.multiply(a, b, a)\n    return a\n", (grid(5), grid(5))),
    "powers": ("def f(a):\n    return a**2, a**0.5, a**-1, a**3, 2.0**a\n", (grid(9),)),
    "floor division and remainder": ("def f(a, b):\n    return a // b, a % b\n", (grid(9) - 5, grid(9) - 5)),
    "division by zero warns": (
        "def f(a, b):\n    c = a / b\n    return c + 1\n",
        (np.array([1.0, 0.0, -1.0]), np.zeros(3)),
    ),
    "square root of negatives warns": (
        "def f(a):\n    b = a + 1\n    return np.sqrt(b) * 2\n",
        (np.array([1.0, -4.0]),),
    ),
    "overflow warns": ("def f(a):\n    return np.exp(a) + 1, a * a\n", (np.array([1.0, 1e200]),)),
    "int division by zero warns": ("def f(a, b):\n    return a // b, a % b\n", (np.array([1, 2]), np.array([0, 1]))),
    "errstate ignored": (
        "def f(a, b):\n    with np.errstate(all='ignore'):\n        c = a / b\n    return c\n",
        (np.ones(3), np.zeros(3)),
    ),
    "errstate raised": (
        "def f(a, b):\n    with np.errstate(all='raise'):\n        c = a / b\n    return c\n",
        (np.ones(3), np.zeros(3)),
    ),
    "signed zeros": (
        "def f(a, b):\n    return np.maximum(a, b), np.minimum(a, b), -a, a + b\n",
        (np.array([0.0, -0.0]), np.array([-0.0, 0.0])),
    ),
    "nan": (
        "def f(a):\n    return a == a, a.max(), np.maximum(a, 1), np.isnan(a), a < 1\n",
        (np.array([1.0, np.nan, 2.0]),),
    ),
    "casts": (
        "def f(a):\n    return a.astype(np.int64), a.astype(np.float32), a.astype(np.uint8), a.astype(bool)\n",
        (grid(9),),
    ),
    "matrix product": ("def f(a, b):\n    return a @ b, np.dot(a, b), a.T @ a\n", (grid(5, 4), grid(4))),
    "matrix product that does not fit": ("def f(a, b):\n    return a @ b\n", (grid(5, 4), grid(5))),
    "truth of an array": ("def f(a):\n    if a:\n        return 1\n", (grid(2),)),
    "truth of one element": ("def f(a):\n    if a[0] > 100 or a[1]:\n        return 1\n    return 2\n", (grid(2),)),
    "attributes": ("def f(a):\n    return a.shape, a.ndim, a.size, a.dtype, len(a), a.T.shape[0] + 1\n", (grid(3, 4),)),
    "iteration": ("def f(a):\n    s = 0.0\n    for x in a:\n        s = s * 0.5 + x\n    return s\n", (grid(9),)),
    "iteration over rows": (
        "def f(a):\n    s = 0.0\n    for x in a:\n        x += 1\n        s = s + x[0]\n    return s, a\n",
        (grid(3, 4),),
    ),
    "enumerate and zip": (
        "def f(a, b):\n    s = 0.0\n    for i, (x, y) in enumerate(zip(a, b)):\n        s += i * x * y\n    return s\n",
        (grid(9), grid(7)),
    ),
    "read only": ("def f(a):\n    b = a * 2\n    a[0] = 1\n    return b\n", (np.broadcast_to(1.0, 4),)),
    "big endian": ("def f(a):\n    return a + 1, a.sum()\n", (grid(5).astype(">f8"),)),
    "object arrays": ("def f(a):\n    return a + 1\n", (np.array([1, 2.5, 2**70], dtype=object),)),
    "structured": ("def f(a):\n    a['x'] += 1\n    return a\n", (np.zeros(3, dtype=[("x", float), ("y", int)]),)),
    "matrix": ("def f(a):\n    return a * a\n", (np.eye(2).view(np.matrix),)),
    "masked arrays": ("def f(a):\n    return (a * 2).sum()\n", (np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),)),
    "half and long double": (
        "def f(a, b):\n    return a * 2 + b\n",
        (grid(3, dtype=np.float16), grid(3, dtype=np.longdouble)),
    ),
    "datetimes": ("def f(a):\n    return a[1:] - a[:-1]\n", (np.array(["2020-01-01", "2020-01-03"], dtype="M8[D]"),)),
    "complex arrays": (
        "def f(a, b):\n    return a * b + 1j, np.abs(a), a.real, a.conj()\n",
        (grid(9) + 1j * grid(9), grid(9) * 1j),
    ),
    "lists of numbers": (
        "def f(x, n):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n    return s\n",
        ([1.0, 2.0, 3.5], 3),
    ),
    "lists too short": (
        "def f(x, n):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n    return s\n",
        ([1.0, 2.0], 3),
    ),
    "lists of mixed types": (
        "def f(x, n):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n    return s\n",
        ([1.0, 2, True, 2**70], 4),
    ),
    "random numbers": ("def f(n):\n    a = np.random.rand(n)\n    return a + np.random.standard_normal(n)\n", (5,)),
    "generator": ("def f(g, n):\n    return g.random(n) * 2 + g.integers(0, 9, n)\n", (np.random.default_rng(1), 5)),
    "linear algebra": ("def f(a, b):\n    return np.linalg.solve(a, b) + 1\n", (grid(4, 4), grid(4))),
    "singular": ("def f(a, b):\n    c = b * 2\n    return np.linalg.solve(a, c)\n", (np.zeros((3, 3)), grid(3))),
    "printing between": (
        "def f(a):\n    for i in range(4):\n        a = a * 2\n        print(i, a[0])\n    return a\n",
        (grid(3),),
    ),
    "append in a loop": (
        "def f(a):\n    h = []\n    for i in range(20):\n        a[i % 3] += 1\n        h.append(a[i % 3])\n    return h\n",
        (grid(3),),
    ),
    "warn with a stack level": (
        "import warnings\ndef g():\n    warnings.warn('here', stacklevel=2)\ndef f(a):\n    b = a + 1\n    g()\n    return b\n",
        (grid(3),),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    source, args = PROGRAMS[name]
    check(source, *args, entry="f")


@pytest.mark.parametrize("n", SIZES)
def test_sizes(n):
    check(
        "def f(a, b):\n    c = np.sqrt(a) * b - a / 2\n    return c, c.sum(), a[: len(a) // 2] + 1\n", grid(n), grid(n)
    )


def test_one_after_another():
    """Types, ranks, lengths, orders and strides that change from call to call."""
    arrays = [
        grid(6),
        grid(6, dtype=np.float32),
        grid(2, 3),
        grid(1),
        grid(6)[::-1],
        grid(12)[::2],
        grid(2, 3).T,
        grid(0),
        np.array(2.0),
    ]
    arrays += [grid(6, dtype=np.int64), 3, 2.5, np.float32(2), [1.0, 2.0]]
    check_calls("def f(a):\n    return a * 2 + a\n", [(a,) for a in arrays] * 2)


def test_arguments_that_overlap():
    source = "def f(a, b):\n    a[:] = b + 1\n    b *= 2\n    a -= b\n    return a\n"
    x = grid(20)
    check_calls(source, [(x[:10], x[10:]), (x[:10], x[:10]), (x[:10], x[5:15]), (x[5:15], x[:10]), (x[:10], x[9::-1])])


def test_same_array_twice():
    x = grid(4, 4)
    check("def f(a, b):\n    a += b.T\n    return a is b\n", x, x)


@pytest.mark.parametrize("dtype", [np.dtype(("i4", [("a", "<i2"), ("b", "<i2")])), np.dtype("f8", metadata={"unit": "m"})], ids=str)
def test_dtypes_that_say_more_than_their_numbers(dtype):
    def make(dtype):
        return np.zeros(4, dtype)

    made = pijit.jit(make)(dtype)
    assert made.dtype.names == dtype.names
    assert made.dtype.metadata == dtype.metadata
