"""Whole-array stores fused with what is stored: bits, warnings, exceptions, and what the target holds afterwards, under every error state and
warning filter, for targets that lie to their operands in every way."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from differential import check_calls, compare, settings, subject_of
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as limits
from hypothesis import strategies as st

import pijit

pytestmark = pytest.mark.shared

LARGE = 9000  # elements: more than a buffer of csrc/store.c holds

FLOATS = (
    "t[...] = a * b + 1", "t[...] = t * 0.5 - a", "t += a * b", "t -= a / b", "t /= b", "t *= 3", "t += t * t", "t[...] = np.sqrt(a) * b",
    "t[...] = np.exp(a) - np.log(b)", "np.add(a, t, out=t)", "np.maximum(t, a * b, out=t)", "np.multiply(a - b, b, out=t)",
    "t[...] = np.where(a > b, a / b, t)",
    "s = a / b\n    t[...] = s * 2\n    return s", "t -= np.sin(t) * a", "t[...] = (a\n  / b\n  * t)", "t **= 2", "t[...] = -a * b",
    "t += a.astype(np.float32) * np.float32(2)", "s = np.exp(a) * b\n    t[...] = s\n    return s", "s = a * b\n    t += s\n    return s",
    "s = np.sin(a)\n    t[...] = s\n    return s", "np.log(a / b, out=t)",
)  # fmt: skip
INTEGERS = (
    "t += a * b", "t //= b", "t[...] = a % b + t", "t[...] = a // b - 1", "t <<= 2", "t ^= a & b", "np.minimum(t, a * b, out=t)",
    "t[...] = np.abs(a) * b",
)  # fmt: skip
STATES = (
    "", "all='ignore'", "divide='ignore'", "all='raise'", "over='raise'", "invalid='call', call=noted",
    "divide='ignore', invalid='ignore', over='ignore'",
)  # fmt: skip
FILTERS = ("always", "error", "ignore", "default", "once")
# Of memory m, the target and the operands.
PLACES = {
    "apart": ("m[0]", "m[1]", "m[2]"),
    "same": ("m[0]", "m[0]", "m[1]"),
    "all": ("m[0]", "m[0]", "m[0]"),
    "shifted": ("m[0][1:]", "m[0][:-1]", "m[1][1:]"),
    "turned": ("m[0]", "m[0][::-1]", "m[1]"),
    "backwards": ("m[0][::-1]", "m[1]", "m[0][::-1]"),
    "spread": ("m[0][::2]", "m[1][::2]", "m[0][::2]"),
    "between": ("m[0][::2]", "m[0][1::2][:m[0][::2].shape[0]]", "m[1][::2]"),
}
SHAPES = {"line": (2 * LARGE,), "short": (70,), "rows": (40, 500), "wide": (2, LARGE), "few": (3, 4), "cube": (6, 40, 70), "one": (1, 1)}
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, -1e-300, 1.0)


def program(statement: str, place: str, state: str, action: str, swapped: bool) -> str:
    target, a, b = PLACES[place]
    views = [f"{view}.T" if swapped else view for view in (target, a, b)]
    lines = [f"    t, a, b = {', '.join(views)}", "    if a.shape != t.shape:", "        a = a[:t.shape[0]]", f"    {statement}", "    return t, a"]
    return (
        "import warnings\ndef g(m):\n" + "\n".join(lines) + "\nseen = []\ndef noted(*args):\n    seen.append(args)\n"
        "def f(m):\n    with warnings.catch_warnings():\n        warnings.simplefilter(" + repr(action) + ")\n"
        f"        with np.errstate({state}):\n            try:\n                return g(m)\n"
        "            except (FloatingPointError, RuntimeWarning) as error:\n"
        "                return str(error), error.__traceback__.tb_next.tb_lineno, seen\n"
    )


def memory(shape: tuple[int, ...], dtype: str, seed: int, special: bool) -> tuple[list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(3):
        values = rng.integers(1, 9, shape) if dtype[0] in "iu" else rng.standard_normal(shape) + 3
        array = values.astype(dtype)
        if special:
            flat, where = array.reshape(-1), rng.integers(0, array.size, 3)
            flat[where] = 0 if dtype[0] in "iu" else np.array(SPECIAL)[rng.integers(0, 8, 3)].astype(dtype)
        made.append(array)
    return (made,)


def examine(statement, place, shape, dtype, state, action, special, swapped, **options):
    source = program(statement, place, state, action, swapped)
    with np.errstate(all="ignore"):
        calls = [memory(SHAPES[shape], dtype, seed, special and seed != 1) for seed in range(3)]
    compare_calls(source, [(args, {}) for args in calls], options)


def compare_calls(source, calls, options):
    """As check_calls, but it is the inner function that is compiled: the outer one sets the scene."""
    subject = subject_of(source, "f")
    plain = subject.make().run(calls)
    with settings(compile_all=True, raise_internal=True):
        instance = subject.make()
        space = instance.function.__globals__
        space["g"] = pijit.jit(space["g"], **options)
        compare(f"jit({options})", plain, instance.run(calls))
        assert pijit.stats(space["g"]).hits


@limits(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate), derandomize=True)
@given(
    st.sampled_from(FLOATS), st.sampled_from(list(PLACES)), st.sampled_from(list(SHAPES)), st.sampled_from(("float64", "float32", "complex128")),
    st.sampled_from(STATES), st.sampled_from(FILTERS), st.booleans(), st.booleans(),
)  # fmt: skip
def test_floats(statement, place, shape, dtype, state, action, special, swapped):
    examine(statement, place, shape, dtype, state, action, special, swapped)


@limits(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate), derandomize=True)
@given(
    st.sampled_from(INTEGERS), st.sampled_from(list(PLACES)), st.sampled_from(list(SHAPES)), st.sampled_from(("int64", "int32", "uint8", "int16")),
    st.sampled_from(STATES), st.sampled_from(FILTERS), st.booleans(), st.booleans(),
)  # fmt: skip
def test_integers(statement, place, shape, dtype, state, action, special, swapped):
    examine(statement, place, shape, dtype, state, action, special, swapped)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", ["line", "rows", "short"])
def test_warnings_of_large_and_small(place, shape):
    """Every statement with flags, as warnings are by default, and as errors."""
    for statement in FLOATS[:6]:
        for action in ("always", "error"):
            examine(statement, place, shape, "float64", "", action, True, False)


@pytest.mark.parametrize("statement", FLOATS[-5:])
@pytest.mark.parametrize("place", ["apart", "same", "spread", "shifted"])
def test_results_that_are_kept(statement, place):
    for shape in ("line", "rows", "few"):
        examine(statement, place, shape, "float64", "", "always", True, False)


@pytest.mark.parametrize("statement", [FLOATS[0], FLOATS[2], FLOATS[4], FLOATS[13]])
def test_every_way(statement):
    for shape in ("line", "few"):
        for options in ({"jit_level": "O0"}, {"backend": "numpy"}):
            examine(statement, "same", shape, "float64", "", "always", True, False, **options)
        calls = [memory(SHAPES[shape], "float64", 1, False)]
        check_calls(f"def f(m):\n    t, a, b = m\n    {statement}\n    return t, a\n", calls)


def run_recorded(function, *args):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        function(*args)
    return [(str(w.message), w.category, w.filename, w.lineno) for w in seen]


def test_direct_stores_leave_by_no_exit():
    """What is only shown is said without the interpreter; after some times of that NumPy does it all."""
    source = "def scale(a, b):\n    a *= b\ndef f(t, a, b):\n    t[...] = (a *\n        b) + 1\n    scale(t, b)\n    t += a * b\n"
    plain, own = (subject_of(source, "f").make().function for _ in range(2))
    with settings(compile_all=True, raise_internal=True):
        jitted = pijit.jit(own)
        for number in range(8):
            arrays = [np.full(LARGE, 2.0) for _ in range(6)]
            if 2 <= number < 4:
                arrays[1][5000] = arrays[4][5000] = 1e308
                arrays[2][5000] = arrays[5][5000] = 1e300
            expected = run_recorded(plain, *arrays[:3])
            got = run_recorded(jitted, *arrays[3:])
            assert [(m, c, line) for m, c, _, line in got] == [(m, c, line) for m, c, _, line in expected]
            assert all(x.tobytes() == y.tobytes() for x, y in zip(arrays[:3], arrays[3:], strict=True))
            assert bool(expected) == (2 <= number < 4)
        assert pijit.stats(jitted).exits == 0


def test_handlers_see_the_target_as_it_was():
    """A program's own way of showing warnings can look at the target before NumPy stores."""
    source = (
        "import warnings\ndef g(t, a, b):\n    t[...] = a / b\n"
        "def f(t, a, b):\n    seen = []\n    with warnings.catch_warnings():\n        warnings.simplefilter('always')\n"
        "        warnings.showwarning = lambda *args, **more: seen.append(t.sum())\n        g(t, a, b)\n    return seen\n"
    )
    n = LARGE
    calls = [(np.ones(n), np.ones(n), divisor) for divisor in (np.arange(n) + 0.5, np.arange(n) * 1.0)]
    compare_calls(source, [(args, {}) for args in calls], {})


def test_the_registry_of_warnings_is_the_programs():
    source = (
        "def f(t, a):\n    t[...] = a * a\n    seen = globals().get('__warningregistry__', {})\n"
        "    return sorted(k[0] for k in seen if k != 'version')\n"
    )
    arrays = [np.full(LARGE, 2.0), np.full(LARGE, 1e300)]
    instances = [subject_of(source, "f").make() for _ in range(2)]
    with settings(compile_all=True, raise_internal=True), warnings.catch_warnings():
        warnings.simplefilter("default")
        jitted = pijit.jit(instances[1].function)
        quiet = [np.full(LARGE, 2.0) for _ in range(2)]
        assert jitted(*quiet) == instances[0].function(*quiet)
        with warnings.catch_warnings(record=True):
            assert jitted(*arrays) == instances[0].function(*arrays)


@pytest.mark.parametrize("action", ["error", "ignore", "default", "always", "module", "once"])
@pytest.mark.parametrize("category", [Warning, RuntimeWarning, FutureWarning, DeprecationWarning])
def test_filters_whose_texts_are_no_literals(action, category):
    """What was in an array when a warning is raised is in it still, whichever object says that it is to be."""

    def f(a, b):
        a /= b
        return a

    fast = pijit.jit(f)
    with settings(compile_all=True):
        for rows in (900, 30):
            seen = []
            for function in (f, fast, fast):
                a, b = np.ones((rows, 60)), np.ones((rows, 60))
                b[rows // 2] = 0.0
                with warnings.catch_warnings(record=True) as record:
                    warnings.simplefilter("always")
                    warnings.simplefilter("".join([*action]), category)
                    try:
                        function(a, b)
                        raised = ""
                    except RuntimeWarning as e:
                        raised = str(e)
                seen.append((a.tobytes(), raised, [str(w.message) for w in record]))
            assert seen[0] == seen[1] == seen[2]
