"""Matrix products: the bits of NumPy's, in every layout, natively where they are small, and NumPy's own errors and warnings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from differential import check, check_calls, settings

import pijit
from pijit.codegen import dots, products
from pijit.ir.ufuncs import largest_product

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(12)
PRODUCT = "def f(a, b):\n    return a @ b, np.matmul(a, b)\n"
DTYPES = ["float64", "float32", "complex128", "complex64"]


def made(shape, dtype="float64"):
    values = RNG.standard_normal(shape) * 3
    return (values + 1j * RNG.standard_normal(shape) if dtype.startswith("complex") else values).astype(dtype)


def layouts(n, m, dtype="float64"):
    wide = made((2 * n + 1, 3 * m + 1), dtype)
    yield from (made((n, m), dtype), made((m, n), dtype).T, wide[:n, :m], wide[::2][:n, m : 2 * m], wide[:n, ::3][:, :m])
    yield from (wide[n - 1 :: -1, :m][:n], np.broadcast_to(made(m, dtype), (n, m)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_layouts(dtype):
    for n, k, m in ((5, 3, 4), (1, 4, 3), (4, 1, 3), (3, 4, 1), (1, 1, 1), (33, 17, 20)):
        pairs = list(zip(layouts(n, k, dtype), itertools.cycle(layouts(k, m, dtype)), strict=False))
        pairs += zip(itertools.cycle(layouts(n, k, dtype)), list(layouts(k, m, dtype))[::-1], strict=False)
        with settings(max_fragments=32):
            check_calls(PRODUCT, pairs[:11], configurations=("jit",))


def stacks(dtype):
    """Pairs in which one is a stack of matrices, or both are: in every layout, with axes of length 1 repeated, of none at all."""
    a, b, wide = made((2, 3, 4), dtype), made((2, 4, 5), dtype), made((3, 6, 7, 4), dtype)
    yield from ((a, b), (a, b[0]), (a[0], b), (a[0, 0], b), (a, b[0, :, 0]), (a, a.transpose(0, 2, 1)), (a.transpose(0, 2, 1), a), (b.T, a.T))
    yield from ((a[::-1], b), (a, b[:, ::-1]), (a[:, ::2], b[..., ::-2]), (np.broadcast_to(a[0], a.shape), b), (a[:1], b), (a, b[1:]))
    yield from ((wide, b[0]), (wide[:, 1:4, 2:6], b[0]), (wide[:, :1], b), (wide[:, ::2], wide[:1, :3].transpose(0, 1, 3, 2)))
    yield (wide[0, 0], wide[..., None, :, 0])
    yield from ((wide.transpose(1, 0, 2, 3), b[0]), (np.asfortranarray(wide), b[0]), (wide[::-1], b[0]), (wide[:, :, None], made((2, 4, 3), dtype)))
    yield from ((a[:0], b[0]), (a[:, :0], b), (a[..., :0], b[:, :0]), (a, b[..., :0]), (a[:, :1], b[..., :1]), (a[..., :1], b[:, :1]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks(dtype):
    with settings(max_fragments=64):
        check_calls(PRODUCT, list(stacks(dtype)), configurations=("jit",))
    for args in list(stacks(dtype))[:: 3 if dtype == "float64" else 9]:
        check(PRODUCT, *args, configurations=("numpy", "forced"))


def test_stacks_need_no_call():
    source = "def f(x, w):\n    s = 0.0\n    for i in range(3):\n        s = s + (x[:, i : i + 4] @ w) @ w.T\n    return s, x @ w[:, 0]\n"
    stats = check(source, made((2, 6, 5, 4)), made((4, 3)))
    assert not stats.breaks
    assert not stats.exits
    fast = pijit.jit(lambda x, w: x @ w)
    fast(made((2, 3, 4)), made((4, 3)))
    assert "= matmul %" in str(pijit.explain(fast))


def test_stacks_that_do_not_go_together():
    a = made((2, 3, 4))
    for args in ((a, a), (a, made((3, 4, 2))), (a, made((4,)), ), (a, made(3)), (made(3), a), (made(4), a)):
        check_calls(PRODUCT, [(a, made((2, 4, 5))), args, args])


def test_stacks_of_few_and_many():
    """Where there are more multiplications than are made natively, NumPy makes them; and where there are fewer again, no longer."""
    small, large = made((2, 3, 4)), np.broadcast_to(made((300, 700)), (2, 300, 700))
    assert np.prod(large.shape) * 700 > largest_product("float64")
    calls = [(small, made((4, 3))), (large, made((700, 700))), (small, made((4, 3)))]
    check_calls("def f(a, b):\n    return a @ b\n", calls, configurations=("jit",))


def test_vectors():
    a, v, w = made((4, 6)), made(12), made(4)
    for args in ((a, v[:6]), (a, v[::2]), (w, a), (w[::-1], a), (v, v), (v[::3], w), (a[:1], v[:6]), (w, a[:, :1])):
        check(PRODUCT, *args)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_vectors_of_every_length(dtype):
    """Few elements that lie one after the other are added in line, as NumPy's function for vectors is found to do it."""
    source = """
def f(a, b):
    made = np.empty((132, 6), a.dtype)
    for n in range(132):
        made[n, 0] = a[:n] @ b[:n]
        made[n, 1] = a[3 : n + 3] @ b[5 : n + 5]
        made[n, 2] = a[:n] @ a[:n]
        made[n, 3] = a[: 2 * n : 2] @ b[:n]
        made[n, 4] = b[n:0:-1] @ a[: 3 * n : 3]
        made[n, 5] = b[n:0:-1] @ b[:n]
    return made
"""
    stats = check(source, made(400, dtype), made(140, dtype))
    assert not stats.breaks
    assert not stats.exits


@pytest.mark.parametrize("state", ["", "over='ignore'", "invalid='ignore'", "all='ignore'", "over='raise'", "under='warn'"])
def test_flags_of_vectors(state):
    """What is not finite is looked at again: whether NumPy would warn, or something that was not finite came in."""
    source = f"""
def f(a, b):
    with np.errstate({state}):
        s = 0.0
        for n in range(len(a) + 1):
            s = a[:n] @ b[:n]
    return s
"""
    rest = np.ones(20)
    for pair in (([1e200, 1.0], [1e200, 1.0]), ([1e200, 1e200], [1e200, -1e200]), ([np.inf, 1.0], [1.0, 1.0]), ([np.inf, 1.0], [0.0, 1.0]),
                 ([np.inf, -np.inf], [1.0, 1.0]), ([np.nan, 1.0], [1.0, 1.0]), ([1e-200], [1e-200]), ([-0.0, 0.0], [1.0, -1.0])):  # fmt: skip
        for few in (True, False):
            a, b = (np.array(x) if few else np.concatenate([rest, x, rest]) for x in pair)
            check(source, a, b, configurations=("jit", "numpy", "forced"))


def test_a_matrix_by_itself():
    check("def f(a):\n    return a @ a.T, a.T @ a, (a @ a.T) @ a, a[0] @ a[0], a.T[0] @ a\n", made((5, 7)))


def test_what_is_left_to_numpy():
    a = made((3, 4))
    for args in ((a, a), (a, made((0, 3)).T), (made((3, 0)), made((0, 4))), (a, made((2, 4, 2))), (a, np.float64(2.0)), (a, [1.0, 2.0, 3.0, 4.0])):
        check(PRODUCT, *args)
    check(PRODUCT, a, np.arange(12).reshape(4, 3))
    check(PRODUCT, np.arange(12).reshape(3, 4), np.arange(12, dtype=np.int32).reshape(4, 3))
    check(PRODUCT, a.astype(np.float32), a.T)
    into = "def f(a, b):\n    c = np.empty((3, 3))\n    np.matmul(a, b, c)\n    return c, np.matmul(a, b, dtype=np.float32)\n"
    check(into, a, a.T)
    check("def f(a, b):\n    a @= b\n    return a\n", made((4, 4)), made((4, 4)))


@pytest.mark.parametrize("state", ["", "over='ignore', invalid='ignore'", "over='raise'", "all='warn'"])
@pytest.mark.parametrize("stack", [(), (2,), (2, 3)])
def test_flags(state, stack):
    huge, odd = (np.full((*stack, 3, 3), x) for x in (1e200, [[np.inf, 0.0, 1.0], [0.0, np.nan, 1.0], [1.0, 2.0, 3.0]]))
    source = f"def f(a, b):\n    with np.errstate({state}):\n        c = a @ b\n    return c, b @ a\n"
    for args in ((huge, huge), (odd, -odd), (odd, huge), (made((*stack, 3, 3)), odd)):
        check(source, *args, configurations=("jit", "numpy", "forced"))


def test_sums_of_nothing():
    """A dot of empty vectors is 0; it is no exit, so loops over growing parts run through."""
    grow = "def f(a, b):\n    t = 0.0\n    for i in range(len(b)):\n        t += a[i, :i] @ b[:i]\n    return t, a[:, :0] @ a[:0], b[:0] @ a[:0]\n"
    for dtype in DTYPES:
        stats = check(grow, made((5, 5), dtype), made(5, dtype))
        assert not stats.exits
    for args in ((made((3, 0)), made((0, 4))), (made((0, 3)), made((3, 2))), (made((2, 3)), made((3, 0))), (made((0, 0)), made((0, 0)))):
        check_calls(PRODUCT, [args] * 2)


OUTER = (
    "def f(a, b):\n    return (np.outer(a, b), np.add.outer(b, a), np.outer(a, a) * 2.0, np.power.outer(a, b),"
    " np.minimum.outer(a, b) - np.subtract.outer(a, b))\n"
)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_outer(dtype):
    source = OUTER.replace("np.power.outer(a, b)", "np.outer(b, a[::-1])") if dtype == "int64" else OUTER
    v = made(40, dtype)
    v[3], v[5] = (7, -1) if dtype == "int64" else (np.nan, np.inf)
    pairs = [(v[:5], v[5:9]), (v[::3], v[:4]), (v[::-1], v[3:7]), (v[4:1:-1], v[8:2:-2]), (v[:1], v[:6]), (v[:4], v[:1])]
    for a, b in (*pairs, (v[:0], v[:3]), (v[:3], v[:0])):
        check_calls(source, [(a, b)] * 2, configurations=("jit", "numpy", "forced"))
    check("def f(a, b):\n    return np.outer(a, b), np.outer(b, a), np.outer(a, 2), np.outer(a, [1, 2])\n", v, np.arange(3, dtype=np.int32))
    check("def f(a, b):\n    return np.outer(a, b), np.multiply.outer(a, b), np.outer(b, a)\n", made((3, 4), dtype), v[:3])


@pytest.mark.parametrize("state", ["", "over='ignore'", "over='raise'"])
def test_outer_flags(state):
    source = f"def f(a, b):\n    with np.errstate({state}):\n        c = np.outer(a, b)\n    return c, np.outer(b, a)\n"
    check(source, np.array([1e200, 1.0]), np.array([2.0, 1e200, 0.0]), configurations=("jit", "numpy", "forced"))


def test_outer_needs_no_array():
    source = """
def f(a):
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a
"""
    stats = check(source, made((6, 6)) + 9.0 * np.eye(6))
    assert not stats.breaks
    assert not stats.exits


def test_among_kernels():
    layer = """
def f(x, w, b, steps):
    y = x
    for i in range(steps):
        y = np.tanh(x @ w + b)
        w = w - 0.1 * (x.T @ (y * y - 1.0))
    return w, y
"""
    stats = check(layer, made((9, 4)), made((4, 3)), made(3), 5)
    assert not stats.breaks
    assert not stats.exits


def test_small_ones_run_natively_and_large_ones_are_numpys():
    def f(a, b):
        return a @ b

    small, large = made((6, 5)), made((round(largest_product("float64") ** (1 / 3)) + 1,) * 2)
    with settings(compile_all=True, raise_internal=True):
        own = pijit.jit(f)
        assert np.array_equal(own(small, small.T), f(small, small.T))
        assert "= matmul %" in str(pijit.explain(own))
        for _ in range(3):
            assert np.array_equal(own(large, large), f(large, large))
        assert np.array_equal(own(small, small.T), f(small, small.T))


def test_a_loop_that_differs_is_not_used(monkeypatch):
    monkeypatch.setattr(products, "_product", lambda loop, a, b: np.asarray(a @ b) + 1)
    assert products.usable("float64")
    assert not products.usable.__wrapped__("float64")


def test_a_function_for_vectors_that_differs_is_not_used(monkeypatch):
    real = dots._callable
    monkeypatch.setattr(dots, "_callable", lambda dtype, fused: lambda a, b, few: real(dtype, fused)(a, b, few) + (len(a) == 127))
    found = dots.way("float64")
    assert found is not None
    assert dots.way.__wrapped__("float64") is None
    assert dots.way("complex128") is None
    monkeypatch.setattr(dots, "way", lambda dtype: None)
    check(PRODUCT, made(9), made(9))


@pytest.mark.parametrize("wrong", range(4, 31, 13))
def test_as_few_elements_in_line_as_are_added_in_order(monkeypatch, wrong):
    real = dots._callable
    monkeypatch.setattr(dots, "_callable", lambda dtype, fused: lambda a, b, few: real(dtype, fused)(a, b, few) + (len(a) == wrong <= few))
    found = dots.way.__wrapped__("float64")
    assert found is not None
    assert found.few < wrong


# ---- np.dot and its relatives ----------------------------------------------------------------------------------------------

DOTS = """
def f(a, b):
    return np.dot(a, b), a.dot(b)
"""
OF_VECTORS = """
def f(a, b):
    return np.dot(a, b), a.dot(b), np.inner(a, b), np.vdot(a, b), np.dot(a, a)
"""


def vectors(n, dtype):
    wide = made(3 * n + 2, dtype)
    wide[::5] = -0.0
    yield from (wide[:n].copy(), wide[1 : n + 1], wide[: 2 * n : 2], wide[n - 1 :: -1][:n], wide[3 * n : n : -2], np.broadcast_to(wide[1], n))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dot_of_vectors(dtype):
    for n in (0, 1, 3, 31, 40) if dtype.startswith("float") else (1, 3):
        pairs = list(itertools.product(vectors(n, dtype), vectors(n, dtype)))
        with settings(max_fragments=64):
            check_calls(OF_VECTORS, pairs, configurations=("jit",))
    assert not any(products._is_plain(array) for pair in products._samples(dtype) for array in pair if array.ndim > 2)  # np.dot is another product
    check(OF_VECTORS, made(3, dtype), made(4, dtype))
    assert not check(OF_VECTORS, *(made(7, "float64"), made(7, "float64"))).breaks


@pytest.mark.parametrize("dtype", DTYPES)
def test_dot_of_matrices(dtype):
    for n, k, m in ((5, 3, 4), (1, 4, 3), (4, 1, 3), (3, 4, 1), (1, 1, 1), (33, 17, 20), (2, 2, 2), (0, 2, 3), (2, 0, 3)):
        pairs = list(zip(layouts(n, k, dtype), itertools.cycle(layouts(k, m, dtype)), strict=False))
        pairs += [(made((n, k), dtype), vector) for vector in vectors(k, dtype)] + [(vector, made((n, m), dtype)) for vector in vectors(n, dtype)]
        pairs += [(made((n, k), dtype) * 0.0, made((k, m), dtype))]
        with settings(max_fragments=64):
            check_calls(DOTS, pairs, configurations=("jit",))


@pytest.mark.parametrize("state", ["all='raise'", "all='ignore'", "over='ignore'", ""])
def test_flags_of_dots(state):
    """np.vdot never warns."""
    rest, source = np.ones(40), f"""
def f(a, b):
    made = [0.0]
    with np.errstate({state}):
        for n in range(len(a) + 1):
            try:
                made += [np.vdot(a[:n], b[:n]), np.dot(a[:n], b[:n]), np.dot(b[:n][::-1], a[:n][::-1])]
            except FloatingPointError as error:
                made.append(str(error))
    return made, np.linalg.norm(a)
"""
    for first, second in (([1e200], [1e200]), ([np.inf], [0.0]), ([np.inf, -np.inf], [1.0, 1.0]), ([1e-200], [1e-200]), ([np.nan], [1.0])):
        check(source, np.array([*first, *rest]), np.array([*second, *rest][: len(first) + 40]))


def test_dots_in_loops():
    """As in decompositions: lengths from 0 on, rows and columns, forward and backward."""
    source = """
def f(a, b):
    n = len(a)
    made = np.zeros((n, 6))
    for i in range(n):
        made[i, 0] = np.dot(a[i, :i], b[i, :i])
        made[i, 1] = a[i + 1 :, i].dot(b[i + 1 :, i])
        made[i, 2] = np.dot(np.flip(a[i, :i]), b[:i, i])
        made[i, 3] = np.dot(a[i, i::-1], a[: i + 1, i])
        made[i, 4] = np.linalg.norm(a[i, :i])
        made[i, 5] = np.linalg.norm(a[:, i])
    return made
"""
    stats = check(source, made((40, 40)), made((40, 40)))
    assert not stats.breaks
    assert not stats.exits


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int32", "int64", "bool", "uint8", "float16", "longdouble", "object"])
def test_norm(dtype):
    source = "def f(a):\n    return np.linalg.norm(a), np.linalg.norm(a, 1), np.linalg.norm(x=a)\n"
    for shape in (0, 1, 3, 40, (3, 4), (1, 5), (0, 3), (2, 2)):
        array = (np.arange(np.prod(shape)) * 3 % 7 - 2).reshape(shape).astype(dtype)
        check_calls(source, [(array,), (array.T,), (array[::-1],), (array * 0,)], configurations=("jit",))
    check_calls("def f(a):\n    return np.linalg.norm(a)\n", [(np.array(x),) for x in ([np.inf, 1.0], [np.nan, 1.0], [1e200, 1e200], [[np.inf]])])
