"""Arrays: elements, views, new arrays, assignment with overlap, single ufuncs and kernels."""

import itertools
import sys

import numpy as np
import pytest
from native_harness import add, execute, straight, world

from pijit.ir.graph import const
from pijit.ir.kernel import Kernel, Operand, Step
from pijit.ir.types import INT, Array, Np

pytestmark = pytest.mark.shared

F1 = Array("float64", 1, "C")


def equal(x, y):
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


DTYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_load_and_store(dtype, order):
    type = Array(dtype, 2, order)
    a = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    a = np.asfortranarray(a) if order == "F" else np.repeat(a, 2, axis=1)[::-1, ::2] if order == "A" else a
    want = a.copy()
    want[1, 2] = want[2, 3]

    def body(block, array, i, j, k, m):
        i, j, k, m = (
            add(block, "check_index", (x, add(block, "dim", (array,), INT, axis=d)), INT, keep=(array,))
            for x, d in ((i, 0), (j, 1), (k, 0), (m, 1))
        )
        value = add(block, "load", (array, i, j), Np(dtype))
        add(block, "store", (array, value, k, m))
        return value

    graph = straight([type, INT, INT, INT, INT], body)
    left = execute(graph, [a, 2, 3, -2, 2])
    assert left.result == want[2, 3]
    assert left.result.dtype == dtype
    assert np.array_equal(a, want)
    for indices in ([3, 0, 0, 0], [-4, 0, 0, 0], [0, 0, 0, 4]):
        assert execute(graph, [a, *indices], native=left.native).exit.kind == "redo"


def test_slices_are_python_s():
    values = [-9, -5, -4, -1, 0, 1, 3, 4, 5, 9]
    for step, given in itertools.product((1, 2, 3, -1, -2), itertools.product((True, False), repeat=2)):

        def body(block, start, stop, n, step=step, given=given):
            first, length = add(block, "slice_bounds", (start, stop, n), INT, INT, step=step, given=given)
            return add(block, "raw_add", (add(block, "raw_mul", (first, const(100)), INT), length), INT)

        graph, native = straight([INT, INT, INT], body), None
        for start, stop, n in itertools.product(values, values, (0, 1, 5)):
            left = execute(graph, [start, stop, n], native=native)
            native = left.native
            chosen = slice(start if given[0] else None, stop if given[1] else None, step)
            a, b, c = chosen.indices(n)
            items = len(range(a, b, c))
            assert left.result == (100 * a + items if items else 0), (chosen, n)


def every_second(block, a):
    """a[1::2] of a one-dimensional float64 array."""
    n = add(block, "dim", (a,), INT, axis=0)
    first, length = add(block, "slice_bounds", (const(1), const(0), n), INT, INT, step=2, given=(True, False))
    offset = add(block, "raw_mul", (first, const(8)), INT)
    return add(block, "view", (a, offset, length, const(16)), Array("float64", 1, "S"), axes=((0, 2),))


def test_a_view_that_leaves_is_an_object_on_the_same_memory():
    a = np.arange(7.0)
    before = sys.getrefcount(a)
    left = execute(straight([F1], every_second), [a])
    assert np.array_equal(left.result, a[1::2])
    assert left.result.strides == a[1::2].strides
    assert left.result.base is a
    assert sys.getrefcount(left.result) == 3
    del left
    assert sys.getrefcount(a) == before


def test_a_view_that_stays_makes_nothing():
    def body(block, a):
        return add(block, "load", (every_second(block, a), const(1)), Np("float64"))

    world.made.clear()
    assert execute(straight([F1], body), [np.arange(7.0)]).result == 3.0
    assert world.made == []


@pytest.mark.parametrize("order", ["C", "F"])
def test_empty_and_full(order):
    def body(block, n, value):
        return add(block, "empty", (n, const(3), value), Array("float64", 2, order), keep=(n,), filled=True)

    graph = straight([INT, Np("float64")], body)
    left = execute(graph, [4, np.float64(2.5)])
    assert equal(left.result, np.full((4, 3), 2.5))
    assert left.result.flags.c_contiguous == (order == "C")
    assert execute(graph, [0, np.float64(2.5)], native=left.native).result.shape == (0, 3)
    assert execute(graph, [-1, np.float64(2.5)], native=left.native).exit.kind == "redo"
    world.no_memory = True
    try:
        assert execute(graph, [1, np.float64(2.5)], native=left.native).exit.kind == "redo"
    finally:
        world.no_memory = False


def assigning(target, source, stretch=()):
    def body(block, a, v):
        dims = [add(block, "dim", (a,), INT, axis=k) for k in range(target.ndim)]
        add(block, "assign", (a, v, *dims), stretch=(stretch,))
        return const(0)

    return straight([target, source], body)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float64", "complex128"])
def test_assign(dtype):
    cases = [
        ("C", "C", lambda a: a, lambda b: b),
        ("A", "A", lambda a: a[:, ::-1], lambda b: b[::-1]),
        ("F", "C", np.asfortranarray, lambda b: b),
    ]
    for one, other, first, second in cases:
        a = first(np.zeros((3, 4), dtype))
        b = second((np.arange(12).reshape(3, 4) % 7).astype(dtype))
        execute(assigning(Array(dtype, 2, one), Array(dtype, 2, other)), [a, b])
        assert np.array_equal(a, b)
    a = np.zeros((3, 4), dtype)[:, ::2]
    execute(assigning(Array(dtype, 2), Np(dtype)), [a, np.dtype(dtype).type(1)])
    assert (a == 1).all()


def test_assign_stretched():
    a, row, column = np.zeros((3, 4)), np.arange(4.0), np.arange(3.0).reshape(3, 1)
    execute(assigning(Array("float64", 2, "C"), F1), [a, row])
    assert equal(a, np.broadcast_to(row, (3, 4)).copy())
    execute(assigning(Array("float64", 2, "C"), Array("float64", 2, "C"), (1,)), [a, column])
    assert equal(a, np.broadcast_to(column, (3, 4)).copy())


@pytest.mark.parametrize(
    ("to", "of"),
    [
        (np.s_[1:], np.s_[:-1]),
        (np.s_[:-1], np.s_[1:]),
        (np.s_[:], np.s_[::-1]),
        (np.s_[::2], np.s_[:5]),
        (np.s_[:], np.s_[:]),
        (np.s_[:3], np.s_[6:]),
    ],
)
def test_assign_overlapping(to, of):
    for order in ("A", "S"):
        if order == "S" and of == np.s_[::-1]:
            continue
        a = np.arange(9.0)
        want = a.copy()
        want[to] = want[of]  # NumPy reads here what it has stored
        execute(assigning(Array("float64", 1, order), Array("float64", 1, order)), [a[to], a[of]])
        assert equal(a, want)
    a = np.arange(36.0).reshape(6, 6)
    want = a.copy()
    want[to[:3] if isinstance(to, tuple) else np.s_[:]] = want.T.copy()
    execute(assigning(Array("float64", 2), Array("float64", 2)), [a, a.T])
    assert equal(a, want)


def single(ufunc, types, result, stretch=None):
    def body(block, *operands):
        source = next(v for v in operands if isinstance(v.type, Array) and v.type.ndim == result.ndim)
        dims = [add(block, "dim", (source,), INT, axis=k) for k in range(result.ndim)]
        return add(
            block,
            "ew",
            (*operands, *dims),
            result,
            keep=operands,
            ufunc=ufunc,
            n=len(operands),
            stretch=stretch or ((),) * len(operands),
        )

    return straight(types, body)


def test_single_ufuncs_by_formula_and_by_numpy_s_loop():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(5, 7)), rng.normal(size=(5, 7))
    two = Array("float64", 2, "C")
    for ufunc in ("add", "multiply", "maximum", "arctan2", "hypot"):
        left = execute(single(ufunc, [two, two], two), [x, y])
        assert equal(left.result, getattr(np, ufunc)(x, y)), ufunc
    for ufunc in ("exp", "tanh", "sin", "sqrt", "negative"):
        z = abs(x)
        assert equal(execute(single(ufunc, [two], two), [z]).result, getattr(np, ufunc)(z)), ufunc
    assert execute(single("exp", [Array("float64", 2)], two), [x[::2, ::-1]]).exit.kind == "redo"
    backwards = x.ravel()[::-1]
    left = execute(single("exp", [Array("float64", 1)], F1), [backwards])
    assert equal(left.result, np.exp(backwards))
    strided = x[::2, ::3]
    left = execute(single("exp", [Array("float64", 2)], two), [strided])
    assert left.result.tobytes() == np.ascontiguousarray(np.exp(strided)).tobytes()
    left = execute(single("arctan2", [two, Np("float64")], two), [x, np.float64(0.3)])
    assert equal(left.result, np.arctan2(x, 0.3))
    left = execute(single("add", [two, F1], two), [x, y[0].copy()])
    assert equal(left.result, x + y[0])
    c = (x + 1j * y).astype(np.complex64)
    complex_two = Array("complex64", 2, "C")
    assert equal(execute(single("multiply", [complex_two, complex_two], complex_two), [c, c]).result, c * c)
    fortran = np.asfortranarray(x)
    ordered = Array("float64", 2, "F")
    left = execute(single("exp", [ordered], ordered), [fortran])
    assert equal(left.result, np.exp(fortran))
    assert left.result.flags.f_contiguous


def test_casts_of_arrays():
    x = np.array([1.5, -2.5, 100.0])
    assert equal(execute(single("cast", [F1], Array("int32", 1, "C")), [x]).result, x.astype("int32"))
    assert execute(single("cast", [F1], Array("int32", 1, "C")), [x * 1e20]).exit.kind == "redo"


def test_a_flag_leaves_and_releases():
    graph = single("divide", [F1, F1], F1)
    one, zero = np.ones(5), np.zeros(5)
    left = execute(graph, [one, one])
    assert equal(left.result, one)
    left = execute(graph, [one, zero], native=left.native)
    assert left.exit.kind == "redo"
    assert left.locals == [{0: one, 1: zero}] or left.locals[0][0] is one
    overflow = single("exp", [F1], F1)
    assert execute(overflow, [np.full(3, 1000.0)]).exit.kind == "redo"


def kernel_graph(order):
    """a * b + c with a scalar c."""
    contiguous = (None, 8)
    kernel = Kernel(
        2,
        (Operand("float64", contiguous), Operand("float64", (None, None)), Operand("float64", None)),
        (Step("multiply", (0, 1), "float64"), Step("add", (3, 2), "float64")),
        (4, 3),
    )

    def body(block, a, b, c):
        dims = [add(block, "dim", (a,), INT, axis=k) for k in range(2)]
        one, two = add(
            block,
            "kernel",
            (a, b, c, *dims),
            Array("float64", 2, order),
            Array("float64", 2, order),
            keep=(a, b),
            kernel=kernel,
            ndim_out=2,
            collapsed=False,
            order=order,
            flags=True,
        )
        del two
        return one

    return straight([Array("float64", 2, order), Array("float64", 2), Np("float64")], body)


@pytest.mark.parametrize("order", ["C", "F"])
def test_kernel(order):
    a = np.array(np.arange(12.0).reshape(3, 4), order=order)
    b = np.repeat(a, 2, axis=1)[:, ::2]
    graph = kernel_graph(order)
    left = execute(graph, [a, b, np.float64(3.0)])
    assert equal(left.result, a * b + 3.0)
    assert left.result.flags[f"{order}_CONTIGUOUS"]
    # the output that nobody uses is released
    assert left.native.nroots == 1
    assert execute(graph, [a + 1e200, b + 1e200, np.float64(3.0)], native=left.native).exit.kind == "redo"
    assert execute(graph, [a[:0], b[:0], np.float64(3.0)], native=left.native).result.shape == (0, 4)
