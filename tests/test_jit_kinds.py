"""jit on functions made again and again, other spellings, and where pijit differs from other compilers on purpose."""

from __future__ import annotations

import bdb
import code
import contextlib
import functools
import io
import multiprocessing
import pickle
import traceback
import types

import numpy as np
import pytest

import pijit


def fresh(source, name="f", **space):
    """A function with code of its own."""
    space = {"np": np, "pijit": pijit, **space}
    exec(source, space)
    return space[name]


@pijit.jit
def square_sum(n):
    s = 0
    for i in range(n):
        s += i * i
    return s


def test_a_function_made_a_thousand_times_is_compiled_once():
    def make(k, u):
        @pijit.jit
        def f(x):
            return x * k + u.sum() + x * x - k

        return f

    made = [make(k, np.full(3, float(k))) for k in range(1000)]
    assert [f(2) for f in made] == [2 * k + 3.0 * k + 4 - k for k in range(1000)]
    assert len({id(f.__code__) for f in made}) == 1
    stats = pijit.stats(made[0])
    assert stats.compiles <= 2
    assert stats.misses == 0


def test_closure_values_of_another_type_are_guarded():
    def make(k):
        return pijit.jit(lambda x: x * k + k * k - x)

    assert [make(k)(3) for k in (2, 2.5, True, 2**80)] == [3 * k + k * k - 3 for k in (2, 2.5, True, 2**80)]


def test_partials_keep_their_kind_and_attributes():
    part = functools.partial(lambda a, b, c=0: a * b + c, 2, c=3)
    part.note = "kept"
    fast = pijit.jit(part)
    assert (fast(5), fast.note, fast.args, fast.keywords) == (13, "kept", (2,), {"c": 3})


def test_other_spellings():
    def f(x):
        return x + 1

    assert pijit.jit(fn=f)(1) == 2
    assert pijit.jit(f, mode="PIJit", jit_config={"jit_level": "O0"}, compile_once=True)(1) == 2
    assert pijit.jit(mode="PIJit")(f)(1) == 2

    class JitConfig:
        jit_config_dict = {"jit_level": "O0"}

    assert pijit.jit(f, jit_config=JitConfig())(1) == 2
    with pytest.raises(TypeError, match="given twice"):
        pijit.jit(f, fn=f)
    with pytest.raises(TypeError, match="jit_config is a mapping of options, not 3"):
        pijit.jit(f, jit_config=3)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pickles_go_to_worker_processes(method):
    assert pickle.loads(pickle.dumps(square_sum)) is square_sum
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(square_sum, [10, 100]) == [285, 328350]


def test_recursion_of_nested_functions():
    def make():
        @pijit.jit
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        return fib

    assert [make()(n) for n in range(12)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]


def test_tracebacks_show_the_users_function():
    f = fresh("@pijit.jit\ndef f(x):\n    y = x * 2\n    return y / (x - 1)\n")
    f(3)
    with pytest.raises(ZeroDivisionError) as caught:
        f(1)
    frames = [(frame.name, frame.lineno) for frame in traceback.extract_tb(caught.value.__traceback__)[1:]]
    assert frames == [("f", 4)]


# ---- deliberate differences from other compilers ----


class Model:
    rate = 3

    @pijit.jit
    def step(self, x):
        return x * self.rate


def test_an_attribute_changed_after_compilation_is_seen():
    model = Model()
    assert [model.step(2.0) for _ in range(3)] == [6.0] * 3
    model.rate = 1
    assert model.step(2.0) == 2.0


def test_global_writes_happen():
    f = fresh("total = 0\n@pijit.jit\ndef f(x):\n    global total\n    total += x\n    return total * 2\n")
    assert [f(5) for _ in range(3)] == [10, 20, 30]
    assert f.__globals__["total"] == 15


def test_breakpoints_work_inside_jitted_code():
    f = fresh("@pijit.jit\ndef f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n")
    f(100)
    seen = []

    class Debugger(bdb.Bdb):
        def user_line(self, frame):
            if frame.f_code.co_name == "f":
                seen.append((frame.f_lineno, frame.f_locals.get("s")))
            self.set_step()

    debugger = Debugger()
    assert debugger.runcall(f, 3) == 3
    assert (5, 1) in seen
    assert f(100) == 4950


def test_the_repl_works():
    shell = code.InteractiveConsole({"pijit": pijit})
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for line in ("@pijit.jit", "def f(n):", "    s = 0", "    for i in range(n): s += i", "    return s", "", "f(10)", "f(1000)"):
            shell.push(line)
    assert out.getvalue().split() == ["45", "499500"]


def test_nested_decorators_of_different_modes_compose():
    inner = fresh("@pijit.jit(backend='numpy')\ndef f(u):\n    return u * 2.0\n")

    @pijit.jit(jit_level="O0")
    @functools.wraps(inner)
    def outer(u):
        return inner(u) + 1.0

    @pijit.jit
    def outermost(u):
        return outer(u) - 1.0

    assert np.array_equal(outermost(np.arange(4.0)), np.arange(4.0) * 2)
    assert isinstance(outermost, types.FunctionType)
