"""NumPy's functions, methods and attributes."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from harness import agree, evaluate, load, operations, plain, same, trace

from pijit.ir.types import NATIVE
from pijit.trace.functions.numpy_ import arrays, classes, random_, scalars
from pijit.trace.tables import ATTRIBUTES, CALLABLES, PURE

pytestmark = pytest.mark.shared

SPECIAL = [0.0, -0.0, 1.5, -2.5, math.inf, -math.inf, math.nan, 1e300, 5e-324, 3.0, 0.5, -1.0]


def function_of(text, count):
    names = "abcd"[:count]
    return eval(f"lambda {', '.join(names)}: {text}", {"np": np, "math": math})


def values(dtype, shape):
    """An array of awkward values."""
    n = math.prod(shape)
    if np.dtype(dtype).kind in "fc":
        return np.resize(np.array(SPECIAL), n).reshape(shape).astype(dtype)
    if dtype == "bool":
        return np.resize(np.array([True, False, False]), n).reshape(shape)
    info = np.iinfo(dtype)
    return np.resize(np.array([info.min, info.max, 0, 1, 5, 7], dtype), n).reshape(shape)


LAYOUTS = {
    "C": lambda a: a,
    "F": np.asfortranarray,
    "reversed": lambda a: a[::-1],
    "strided": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "read-only": lambda a: np.broadcast_to(a, a.shape),
}
SHAPES = [(3, 4), (5,), (0,), (0, 3), (1, 4), (2, 3, 2), ()]


def every_array(dtypes=("float64", "int32", "bool", "complex128")):
    for dtype in dtypes:
        for shape in SHAPES:
            a = values(dtype, shape)
            for name, layout in LAYOUTS.items():
                if shape or name == "C":
                    yield layout(a)


# ---- classification -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", classes.MODULES, ids=lambda m: m.__name__)
def test_every_public_callable_is_classified(module):
    names = dict(classes.public(module).items())
    assert [n for n, v in names.items() if v not in CALLABLES and v not in PURE and n not in classes.LEFT] == []
    known = {n for m in classes.MODULES for n in dir(m)} | {"open_memmap", "row_stack", "_CopyMode"}
    assert set(classes.EFFECTS) <= known


def test_what_writes_or_runs_code_is_not_pure():
    for name in classes.LEFT | classes.EFFECTS:
        assert all(getattr(module, name, None) not in PURE for module in classes.MODULES), name


def test_every_method_of_arrays_and_scalars_is_classified():
    for name, method in vars(np.ndarray).items():
        if callable(method) and not name.startswith("_"):
            assert method in CALLABLES or method in PURE or name in arrays.LEFT, name
    for cls in scalars.CLASSES:
        for name, method in vars(cls).items():
            if type(method) is type(str.join) and not name.startswith("_"):
                assert method in CALLABLES or method in PURE or name in scalars.LEFT, name


def test_every_function_of_random_is_classified():
    for cls in (np.random.Generator, np.random.RandomState):
        for name, function in vars(cls).items():
            if callable(function) and not name.startswith("_"):
                assert function in CALLABLES or name in random_.LEFT, name
    for name in dir(np.random):
        value = getattr(np.random, name)
        if callable(value) and not isinstance(value, type) and not name.startswith("_"):
            assert value in CALLABLES or name in random_.LEFT, name


# ---- arrays -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for kind, name in ATTRIBUTES if kind == "array"])
def test_attributes(name):
    for a in every_array():
        if name != "mT" or a.ndim >= 2:  # else it raises: a break
            agree(function_of(f"a.{name}", 1), a)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("np", np.float64(1.5)),
        ("np", np.int32(3)),
        ("np", np.complex128(1 + 2j)),
        ("float", 1.5),
        ("int", 3),
        ("bool", True),
    ],
)
def test_attributes_of_scalars(kind, value):
    for name in [name for k, name in ATTRIBUTES if k == kind]:
        agree(function_of(f"a.{name}", 1), value)


METHODS = [
    "sum()",
    "sum(0)",
    "sum(axis=-1, keepdims=True)",
    "mean()",
    "min()",
    "max(axis=0)",
    "argmax()",
    "argmin(0)",
    "any()",
    "all(-1)",
    "copy()",
    "copy('F')",
    "reshape(-1)",
    "reshape(4, 3)",
    "reshape((2, -1))",
    "reshape(a.size)",
    "reshape(a.shape)",
    "reshape(1, -1, 3)",
    "ravel()",
    "ravel('F')",
    "transpose()",
    "transpose(0)",
    "astype(float)",
    "astype(np.float32)",
    "astype('int64')",
    "astype(bool)",
    "astype(a.dtype)",
    "dot(2)",
    "flatten()",
    "tolist()",
    "item()",
    "round(1)",
    "clip(0, 1)",
    "cumsum()",
    "prod()",
    "std()",
    "var(0)",
    "nonzero()",
    "squeeze()",
    "swapaxes(0, -1)",
    "repeat(2)",
    "take(0)",
    "diagonal()",
    "trace()",
    "ptp()",
    "conj()",
    "argsort()",
    "view()",
    "searchsorted(1)",
]


@pytest.mark.parametrize("text", METHODS)
def test_methods(text):
    for a in every_array():
        agree(function_of(f"a.{text}", 1), a, exits=None)


@pytest.mark.parametrize(
    "text",
    [
        "a.reshape(-1)",
        "a.ravel()",
        "a.T",
        "a.transpose()",
        "np.transpose(a)",
        "a.real",
        "a.imag",
        "np.reshape(a, (4, 3))",
    ],
)
def test_views_share_memory(text):
    a = values("complex128", (3, 4))
    f = function_of(text, 1)
    capture = trace(f, a)
    mine = evaluate(capture, f, a).result
    assert operations(capture)[-1] == "view"
    assert np.shares_memory(mine, a)
    assert mine.strides == f(a).strides
    mine[...] = 7
    assert (f(a) == 7).all()


@pytest.mark.parametrize("text", ["a.reshape(b, c)", "a.reshape(b, -1)", "np.reshape(a, (b, c))", "a.reshape(2, b)"])
def test_reshape_to_lengths_of_the_graph(text):
    a = np.arange(12.0)
    cases = [
        (a, n, m) for n, m in ((3, 4), (4, 3), (1, 12), (-1, 4), (-3, -4), (5, 2), (6, 2), (2**40, 2**40), (12, -1))
    ]
    agree(function_of(text, 3), *cases[0], others=tuple(cases[1:]), exits=None)


def test_writes():
    for text in (
        "a.fill(2)",
        "a.fill(True)",
        "a.sort()",
        "np.copyto(a, 1)",
        "np.put(a, 0, 3)",
        "np.fill_diagonal(a, 1)",
        "np.add(a, 1, out=a)",
        "np.add(a, a, a)",
        "np.sum(a, axis=0, out=a[0])",
        "np.multiply(a[::-1], 2, a)",
        "np.sqrt(a, out=a)",
        "np.clip(a, 0, 1, out=a)",
        "np.power(a, 2, out=a)",
        "a.partition(1)",
    ):
        for a in every_array(("float64", "int64")):
            agree(function_of(text, 1), a, exits=None)


def test_out_is_returned():
    f = function_of("np.add(a, 1, out=b) is b", 2)
    assert evaluate(trace(f, np.ones(3), np.ones(3)), f, np.ones(3), np.ones(3)).result is True


# ---- functions ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "np.zeros(a)",
        "np.ones((a, 3))",
        "np.zeros([a, 2], np.int32)",
        "np.ones((a, a), dtype=bool)",
        "np.full(a, 7)",
        "np.full((a, 2), 1.5, np.float32)",
        "np.full(a, a)",
        "np.zeros((a, 1, 2), order='F')",
        "np.zeros((2, a), order='F')",
        "np.arange(a)",
        "np.eye(a)",
        "np.identity(a)",
        "np.linspace(0, 1, a)",
        "np.arange(0, a, 0.5)",
        "np.full(a, 300, np.uint8)",
        "np.zeros(a, dtype='f4')",
        "np.zeros(a, None)",
        "np.zeros((a,), np.float16)",
    ],
)
def test_creation(text):
    agree(function_of(text, 1), 5, others=((0,), (1,), (-1,), (2**62,)), exits=None)


@pytest.mark.parametrize(
    "text",
    [
        "np.zeros_like(a)",
        "np.ones_like(a)",
        "np.zeros_like(a, dtype=np.int8)",
        "np.full_like(a, 1)",
        "np.zeros(a.shape)",
        "np.empty_like(a).shape",
        "np.array(a)",
        "np.asarray(a)",
        "np.array([1.0, 2.0])",
        "np.zeros_like(a).strides",
    ],
)
def test_creation_like(text):
    for a in every_array():
        agree(function_of(text, 1), a, exits=None)


def test_arrays_of_lists():
    agree(function_of("np.array(a)", 1), [1, 2, 3], others=(([4, 5],), ([],), ([1],), ([1.5],)), exits=None)
    agree(function_of("np.array(a)", 1), [[1.0, 2.0], [3.0, 4.0]])


UFUNCS = [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)]


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name):
    function = getattr(np, name)
    nin = function.nin
    f = function_of(f"np.{name}({', '.join('abc'[:nin])})", nin)
    some = [2, 2.5, True, np.float64(-1.5), np.float32(3), np.int64(7), np.uint8(250), np.True_]
    some += [
        values(d, s) for d in ("float64", "float32", "int64", "uint8", "bool", "complex128") for s in ((3, 4), (4,))
    ]
    some += [np.asfortranarray(values("float64", (3, 4))), values("float64", (3, 4))[::-1, ::-1]]
    for i, a in enumerate(some):
        for step in (0, 1, 5, 9) if nin > 1 else (0,):
            args = (a, some[(i + step) % len(some)], a)[:nin]
            agree(f, *args, exits=None)


@pytest.mark.parametrize(
    "text",
    [
        "np.where(a > 0, a, b)",
        "np.where(a > 0, a, 0)",
        "np.where(a > 0, 1.5, b)",
        "np.where(a > 0, 1, 2)",
        "np.where(a)",
        "np.where(a > 0, a, True)",
        "np.where(a, b, a)",
        "np.where(a > 0, a.T, b.T) if a.ndim < 2 else 0",
    ],
)
def test_where(text):
    for a in every_array():
        for b in (a, a.astype(np.float32), np.float32(2)):
            if a.dtype.kind != "c":
                agree(function_of(text, 2), a, b, exits=None)


def test_native():
    a, b = np.ones((3, 4)), np.ones(4)
    for text, ops in {
        "np.add(a, b)": ["ew"], "np.sqrt(a)": ["ew"], "np.maximum(a, 0)": ["ew"], "np.where(a > 0, a, b)": ["ew", "ew"],
        "np.zeros((3, 4))": ["empty"],
        "np.add(a, 1, out=a)": ["ew", "assign"], "a.fill(0)": ["assign"], "a.astype(np.float32)": ["ew"], "a.reshape(-1)": ["view"],
        "np.sqrt(2.5 * a[0, 0])": ["load", "np_op", "np_op"], "np.float32(a[0, 0])": ["load", "cast"], "a.shape[0] * 2": ["int_mul"],
        "np.sum(a)": ["call sum"], "np.exp(a)": ["call exp"], "a.sum(0)": ["call sum"],
        "np.concatenate([a, a])": ["join"], "np.stack([a, a], axis=-1)": ["join"], "np.append(b, 1)": ["join"],
        "np.concatenate([a, a], axis=None)": ["call concatenate"],
        "np.roll(a, 1, axis=0)": ["int_mod", "roll"], "a[a > 1]": ["ew", "mask_count", "pick"], "a[:, b > 0]": ["ew", "mask_count", "pick", "view"],
    }.items():  # fmt: skip
        found = operations(trace(function_of(text, 2), a, b))
        assert [
            name for name in found if name not in ("dim", "stride", "check_index", "check", "cmp", "raw_mul", "raw_add", "recheck")
        ] == ops, text


SCALARS = [
    0,
    3,
    -1,
    300,
    2**40,
    True,
    1.5,
    -0.0,
    math.nan,
    math.inf,
    np.float64(2.7),
    np.float32(-1.5),
    np.int64(2**40),
    np.int8(-3),
    np.uint64(2**63),
    np.True_,
]


@pytest.mark.parametrize("name", sorted(NATIVE))
def test_scalar_types(name):
    f = function_of(f"np.{'bool_' if name == 'bool' else name}(a)", 1)
    for value in SCALARS:
        agree(f, value, exits=None)


@pytest.mark.parametrize(
    "text",
    [
        "a.item()",
        "a.round(1)",
        "a.astype(np.float32)",
        "a.sum()",
        "a.conjugate()",
        "a.is_integer()",
        "a.bit_length()",
        "a.hex()",
        "a.as_integer_ratio()",
        "a.any()",
        "a.reshape(1)",
        "a.bit_count()",
    ],
)
def test_methods_of_scalars(text):
    for value in SCALARS:
        agree(function_of(text, 1), value, exits=None)


PURE_CALLS = [
    "np.sum(a)",
    "np.mean(a, axis=0)",
    "np.min(a)",
    "np.argmax(a, 1)",
    "np.cumsum(a)",
    "np.dot(a, a)",
    "np.matmul(a, a.T)",
    "np.roll(a, 1, axis=0)",
    "np.roll(a, -1)",
    "np.concatenate((a, a))",
    "np.stack([a, a])",
    "np.vstack((a, a))",
    "np.sort(a)",
    "np.linalg.solve(a, a[0])",
    "np.linalg.inv(a)",
    "np.linalg.cholesky(a @ a.T)",
    "np.linalg.det(a)",
    "np.linalg.norm(a)",
    "np.linalg.eigh(a + a.T)[0]",
    "np.fft.fft(a)",
    "np.unique(a)",
    "np.meshgrid(a[0], a[1])[0]",
    "np.outer(a[0], a[1])",
    "np.einsum('ij,jk->ik', a, a)",
    "np.histogram(a)[0]",
    "np.interp(1.5, a[0], a[1])",
    "np.diff(a)",
    "np.gradient(a[0])",
    "np.tile(a, 2)",
    "np.pad(a, 1)",
    "np.add.reduce(a)",
    "np.maximum.accumulate(a)",
    "np.multiply.outer(a[0], a[1])",
    "np.isclose(a, a)",
    "np.allclose(a, a)",
    "np.broadcast_to(a[0], (3, 3))",
    "np.nan_to_num(a)",
    "np.count_nonzero(a)",
    "np.trapezoid(a)",
    "np.average(a, weights=a)",
    "np.percentile(a, 50)",
    "np.triu(a)",
    "np.flip(a, 0)",
    "np.split(a, 3)[1]",
    "np.size(a)",
    "np.ndim(a)",
    "np.shape(a)",
    "np.linalg.lstsq(a, a[0], rcond=None)[0]",
    "np.linalg.svd(a)[1]",
    "np.linalg.qr(a)[1]",
    "np.expand_dims(a, 0)",
    "np.squeeze(a[:1])",
]


@pytest.mark.parametrize("text", PURE_CALLS)
def test_pure(text):
    a = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 2.0], [0.25, 2.0, 6.0]])
    agree(function_of(text, 1), a, others=((a[::-1].copy(),), (a * 2,)), exits=None)
    assert plain(function_of(text, 1), (a,)) is not None


def test_frompyfunc_runs_no_code_at_capture():
    seen = []
    ufunc = np.frompyfunc(lambda x: seen.append(x) or x, 1, 1)
    capture = trace(eval("lambda a: u(a)", {"u": ufunc}), np.ones(3))
    assert not seen
    assert [b.reason for b in capture.breaks] == ["unsupported_call"]


# ---- random streams ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a.normal()",
        "a.normal(size=5)",
        "a.random((b, 2))",
        "a.integers(0, 10, size=b)",
        "a.permutation(b)",
        "a.choice(b)",
        "a.standard_normal(b) + a.standard_normal(b)",
        "a.uniform(0, 1, b)",
    ],
)
@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_draws(text, make):
    if make is np.random.RandomState:
        text = text.replace("random(", "random_sample(").replace("integers", "randint")
    f = function_of(text, 2)
    mine, theirs, untouched = make(7), make(7), make(7)
    capture = trace(f, mine, 4)
    assert same(mine.normal(size=3), untouched.normal(size=3)), "capture moved the stream"
    mine = make(7)
    outcome = evaluate(capture, f, mine, 4)
    assert outcome.kind == "return"
    assert same(outcome.result, f(theirs, 4))
    assert same(mine.normal(size=3), theirs.normal(size=3))


@pytest.mark.parametrize(
    "text",
    [
        "np.random.rand(a)",
        "np.random.normal(0, 1, (a, 2))",
        "np.random.randint(0, a)",
        "np.random.random()",
        "np.random.permutation(a)",
    ],
)
def test_draws_from_the_global_stream(text):
    f = function_of(text, 1)
    np.random.seed(3)
    wanted = (f(4), np.random.random())
    np.random.seed(3)
    capture = trace(f, 4)
    outcome = evaluate(capture, f, 4)
    assert outcome.kind == "return"
    assert same((outcome.result, np.random.random()), wanted)


def test_seed_and_shuffle():
    def f(a):
        np.random.seed(5)
        np.random.shuffle(a)
        return np.random.random()

    agree(f, np.arange(10))


def test_a_draw_of_another_type_goes_on_after_it():
    f = function_of("a.normal(size=b) * 2", 2)
    capture = trace(f, np.random.default_rng(1), 4)
    mine = np.random.default_rng(1)
    outcome = evaluate(capture, f, mine, 1)  # length 1 is another type
    assert (outcome.kind, outcome.exit.reason) == ("continue", "call_type")
    theirs = np.random.default_rng(1)
    theirs.normal(size=1)
    assert same(mine.normal(), theirs.normal())


def test_default_rng():
    f = function_of("np.random.default_rng(a).normal()", 1)
    agree(f, 3)
    assert load(trace(f, 3).guards, f, (3,))


def test_named_tuples():
    def f(a):
        values, vectors = np.linalg.eigh(a)
        return values, vectors, np.linalg.svd(a).S, np.linalg.qr(a)[1]

    agree(f, np.array([[2.0, 1.0], [1.0, 3.0]]))


def test_constants():
    agree(function_of("(np.finfo(a.dtype).eps, np.iinfo(np.int16).max, np.dtype('f4').itemsize)", 1), np.ones(2))


def test_functions_that_take_functions_are_not_tried():
    seen = []
    capture = trace(eval("lambda a: np.pad(a, 1, f)", {"np": np, "f": lambda *args: seen.append(args)}), np.ones(3))
    assert not seen
    assert [b.reason for b in capture.breaks] == ["unsupported_call"]


def test_capture_does_not_show_the_same_warning_again():
    registry: dict = {}

    def warn():
        warnings.warn_explicit("once", UserWarning, "a file", 1, registry=registry)

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        warn()
        trace(function_of("np.sqrt(a).mean()", 1), np.ones(3))
        warn()
    assert len(shown) == 1
