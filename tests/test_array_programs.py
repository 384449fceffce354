"""Generated array statements: dtypes, shapes, strides of both signs, overlap, special values. Everything that can be seen is compared."""

from __future__ import annotations

import numpy as np
from differential import check_calls
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DTYPES = ("float64", "float32", "int64", "int32", "int8", "uint8", "uint64", "bool", "complex128", "complex64")
SPECIAL = {
    "f": (0.0, -0.0, 1.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 1e300, -1e-300, 3.25, 5e-324),
    "c": (0j, 1j, -1.0, complex(np.nan, 1), complex(np.inf, -0.0), 1e300 + 1e300j, 2.5 - 0.5j),
    "i": (0, 1, -1, 2, 3, 100, 127, -128, 2**31 - 1, -(2**63), 2**63 - 1),
    "u": (0, 1, 2, 3, 200, 255, 2**63, 2**64 - 1),
    "b": (False, True),
}
UNARY = (
    "-{}", "abs({})", "np.sqrt({})", "np.exp({})", "np.floor({})", "np.square({})", "np.sign({})", "np.log1p({})", "~{}", "np.isnan({})",
    "{}.real",
)  # fmt: skip
BINARY = (
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} < {}", "{} == {}", "np.maximum({}, {})", "np.fmin({}, {})",
    "{} & {}", "{} ** 2 + {}", "np.hypot({}, {})", "np.where({} > 0, {}, 1)", "np.copysign({}, {})", "np.logical_or({}, {})", "{} << ({} & 3)",
)  # fmt: skip
VIEWS = (
    "{}", "{}[1:]", "{}[:-1]", "{}[::-1]", "{}[::2]", "{}.T", "{}[..., 1:]", "{}[..., ::-1]", "{}[None]", "{}[0]", "{}[1:-1]", "{}[2:]",
    "{}[:-2]",
)  # fmt: skip
SCALARS = ("2", "0.5", "-1", "0", "True", "1j", "np.float32(3)", "300", "np.int8(5)", "2**40")
REDUCTIONS = (
    "{}.sum()", "{}.sum(axis=0)", "np.max({}, axis=-1)", "{}.mean()", "np.any({})", "{}.prod(axis=0, keepdims=True)", "np.min({}, axis=(0,))",
    "{}.argmax()", "np.cumsum({})", "np.count_nonzero({})", "{}.mean(axis=-1, keepdims=True)", "{}.std()",
)  # fmt: skip
STORES = (
    "{t}[...] = {e}", "{t}[1:] = {e}", "{t}[::-1] = {e}", "{t} += {e}", "{t}[:-1] *= {e}", "{t}[...] -= {e}", "np.add({t}, {e}, out={t})",
    "np.sqrt({e}, out={t})", "{t}[..., 0] = {e}", "{t}.T[...] = {e}", "{t}[{t} > 0] = {e}", "{t} /= {e}", "np.multiply({t}, {e}, {u})",
    "{t}[1:-1] += {e}",
)  # fmt: skip


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(SCALARS)) if draw(st.integers(0, 4)) == 0 else draw(st.sampled_from(VIEWS)).format(draw(st.sampled_from("abc")))
    inner = [f"({draw(expressions(depth - 1))})" for _ in range(2)]
    shape = draw(st.sampled_from(UNARY + BINARY + BINARY))
    return shape.format(*inner[: shape.count("{}")])


@st.composite
def statements(draw):
    kind = draw(st.integers(0, 4))
    e = draw(expressions())
    if kind < 2:
        return draw(st.sampled_from(STORES)).format(t=draw(st.sampled_from("abcx")), u=draw(st.sampled_from("abc")), e=e)
    if kind == 2:
        return f"y = {draw(st.sampled_from(REDUCTIONS)).format(f'({e})')}"
    return f"{draw(st.sampled_from('xz'))} = {e}"


@st.composite
def array(draw, roots):
    """A view of one of the roots, with steps of both signs, transposed or stretched."""
    root = roots[draw(st.integers(0, len(roots) - 1))]
    rank = draw(st.integers(1, 3))
    shape = [draw(st.sampled_from((0, 1, 2, 3, 4, 5))) if rank > 1 else draw(st.sampled_from((0, 1, 2, 7, 9, 17))) for _ in range(rank)]
    size = int(np.prod(shape))
    start = draw(st.integers(0, root.size - max(size, 1)))
    made = root[start : start + size].reshape(shape)
    for _ in range(draw(st.integers(0, 2))):
        change = draw(st.integers(0, 5))
        made = (made[::-1], made[..., ::-1], made.T, made[::2], made[..., ::2], np.broadcast_to(made, (2, *made.shape)))[change]
    return made


@st.composite
def arguments(draw):
    roots = []
    for _ in range(draw(st.integers(1, 3))):
        dtype = np.dtype(draw(st.sampled_from(DTYPES[:3] + DTYPES)))
        seed = draw(st.integers(0, 2**16))
        rng = np.random.default_rng(seed)
        fitting = [v for v in SPECIAL[dtype.kind] if dtype.kind not in "iu" or np.iinfo(dtype).min <= v <= np.iinfo(dtype).max]
        with np.errstate(all="ignore"):
            special = np.array(fitting).astype(dtype)
        values = (rng.integers(1, 9, 130) * (0.5 if dtype.kind in "fc" else 1)).astype(dtype)
        if draw(st.booleans()):
            values[:: draw(st.integers(1, 5))] = rng.choice(special)
            spots = rng.integers(0, 130, 40)
            values[spots] = rng.choice(special, 40)
        roots.append(values)
    return tuple(draw(array(roots)) for _ in range(3))


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(statements(), min_size=1, max_size=4), arguments(), arguments())
def test_statements(lines, first, second):
    body = "\n".join(f"    {line}" for line in lines)
    source = f"def f(a, b, c):\n    x = y = z = 0.0\n{body}\n    return x, y, z\n"
    check_calls(source, [first, first, second, first], configurations=("jit",))
