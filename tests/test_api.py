"""jit, enable, disable, skip, stats: what they accept, what they give back, and what they say when misused."""

from __future__ import annotations

import copy
import dis
import functools
import gc
import inspect
import io
import pickle
import re
import subprocess
import sys
import types
import weakref
from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

import pijit
from pijit.runtime import records, tiers


@pijit.jit
def decorated(x: int, *, y: int = 2) -> int:
    """Adds."""
    return x + y


class Counter:
    def __init__(self, step):
        self.step = step

    @pijit.jit
    def add(self, x):
        return x + self.step

    @staticmethod
    @pijit.jit
    def double(x):
        return 2 * x

    @pijit.jit
    @staticmethod
    def triple(x):
        return 3 * x

    @classmethod
    @pijit.jit
    def name(cls):
        return cls.__name__

    @pijit.jit
    @classmethod
    def name_again(cls):
        return cls.__name__

    def __call__(self, x):
        return x * self.step


def generator():
    yield 1


async def coroutine():
    return 1


# ---- what comes back ----


def test_decorated_function_looks_like_the_original():
    assert decorated(1) == 3
    assert decorated(1, y=5) == 6
    assert type(decorated) is types.FunctionType
    assert (decorated.__name__, decorated.__qualname__, decorated.__module__) == ("decorated", "decorated", __name__)
    assert decorated.__doc__ == "Adds."
    assert str(inspect.signature(decorated)) == "(x: 'int', *, y: 'int' = 2) -> 'int'"
    assert inspect.getsource(decorated).startswith("@pijit.jit")
    assert decorated.__wrapped__.__code__ is not decorated.__code__


def test_pickle_copy_and_weak_references():
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert copy.deepcopy(decorated) is decorated
    assert weakref.ref(decorated)() is decorated


def scaled(x, k=2.0):
    return x * k


fast_scaled = pijit.jit(scaled, jit_level="O0")


class Scaled:
    @staticmethod
    def plain(x):
        return x + 1

    faster = pijit.jit(plain)

    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k


@pytest.mark.parametrize("dumps", [pickle.dumps, pickle._dumps, ForkingPickler.dumps])
def test_functions_under_another_name_pickle(dumps):
    assert fast_scaled(1.0) == 2.0
    again = pickle.loads(dumps(fast_scaled))
    assert again is not fast_scaled
    assert again.__wrapped__ is scaled
    assert again.__code__ is fast_scaled.__code__  # the same options, the same fragments
    assert again(3.0) == 6.0
    method = pijit.jit(Scaled.plain)
    assert pickle.loads(dumps(method)).__wrapped__ is Scaled.plain
    assert pickle.loads(dumps([decorated, again]))[0] is decorated


def test_a_function_that_takes_its_name_pickles_by_it(monkeypatch):
    monkeypatch.setitem(globals(), "scaled", fast_scaled)
    assert pickle.loads(pickle.dumps(fast_scaled)) is fast_scaled
    monkeypatch.delitem(globals(), "scaled")
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(fast_scaled)


def test_functions_under_another_name_are_functions():
    assert isinstance(fast_scaled, types.FunctionType)
    assert inspect.isfunction(fast_scaled)
    assert inspect.isroutine(fast_scaled)
    assert repr(fast_scaled).startswith("<function scaled at 0x")
    assert (copy.copy(fast_scaled), copy.deepcopy([fast_scaled])[0]) == (fast_scaled, fast_scaled)
    assert weakref.ref(fast_scaled)() is fast_scaled
    assert str(inspect.signature(fast_scaled)) == "(x, k=2.0)"
    bound = fast_scaled.__get__(1.5)
    assert (bound(), bound.__self__, functools.partial(fast_scaled, k=4.0)(2.0)) == (3.0, 1.5, 8.0)
    assert list(map(fast_scaled, [1.0, 2.0])) == [2.0, 4.0]
    assert fast_scaled(*(1.0,), k=3.0) == 3.0
    with pytest.raises(TypeError, match=r"scaled\(\) got an unexpected keyword argument 'z'"):
        fast_scaled(1.0, z=2)


def test_functions_under_another_name_are_inlined():
    def add(self, x):
        return self.step + x

    class Steps:
        step = 2.0

    globals()["add"], add.__qualname__ = add, "add"
    Steps.add = pijit.jit(add)
    del globals()["add"]
    assert type(Steps.add) is not types.FunctionType

    @pijit.jit(fullgraph=True)
    def total(steps, n):
        s = 0.0
        for i in range(n):
            s += fast_scaled(1.0) + steps.add(i)
        return s

    assert total(Steps(), 10) == sum(4.0 + i for i in range(10))


def test_partials_methods_and_objects_pickle():
    part = pijit.jit(functools.partial(scaled, k=3.0), jit_level="O0")
    sent = pickle.loads(ForkingPickler.dumps(part))  # as multiprocessing does
    assert sent(2.0) == part(2.0)
    assert pijit.stats(sent).hits > 0
    part.note = "kept"
    for again in (pickle.loads(pickle.dumps(part)), copy.copy(part), copy.deepcopy(part)):
        assert (again(2.0), again.keywords, again.note) == (6.0, {"k": 3.0}, "kept")
        assert tiers.record_of(again.func.__code__).options.jit_level == "O0"
    assert pickle.loads(pickle.dumps(functools.partial(decorated, 1)))() == 3
    assert pickle.loads(pickle.dumps(pijit.jit(Scaled(3.0))))(2.0) == 6.0
    assert pickle.loads(pickle.dumps(pijit.jit(Counter(3).add)))(2) == 5


def test_wrapping_leaves_the_original_alone():
    def f(x, y=1, *, z=2):
        return x + y + z

    f.note = "kept"
    code = f.__code__
    g = pijit.jit(f)
    assert f.__code__ is code
    assert g.__wrapped__ is f
    assert g.__globals__ is f.__globals__
    assert (g.__defaults__, g.__kwdefaults__, g.note) == ((1,), {"z": 2}, "kept")
    assert tiers.record_of(code) is None
    assert g(1) == f(1) == 4


def test_several_settings_side_by_side():
    def f(x):
        return x * 2

    fast, reference = pijit.jit(f), pijit.jit(f, backend="numpy")
    assert fast.__code__ is not reference.__code__
    assert tiers.record_of(fast.__code__).options.backend == "numba"
    assert tiers.record_of(reference.__code__).options.backend == "numpy"
    assert fast(2) == reference(2) == f(2)


def test_jitted_once_more():
    def f(x):
        return x + 1

    once = pijit.jit(f)
    assert pijit.jit(once).__code__ is once.__code__
    other = pijit.jit(once, jit_level="O0")
    assert tiers.record_of(other.__code__).options.jit_level == "O0"
    assert other(1) == 2


def test_nested_functions_share_one_code_object():
    def make(n):
        @pijit.jit
        def add(x):
            return x + n

        return add

    a, b = make(1), make(10)
    assert a.__code__ is b.__code__
    assert (a(1), b(1)) == (2, 11)


def test_equal_code_objects_of_different_files_stay_apart():
    codes = [compile("def f(x):\n    return x\n", name, "exec") for name in ("one.py", "two.py")]
    spaces = [{}, {}]
    for code, space in zip(codes, spaces, strict=True):
        exec(code, space)
    files = [pijit.jit(space["f"]).__code__.co_filename for space in spaces]
    assert files == ["one.py", "two.py"]


def test_private_copies_die_with_the_original():
    def make():
        space = {}
        exec("def f(x):\n    return x\n", space)
        return pijit.jit(space["f"])

    gc.collect()
    before = len(records.RECORDS)
    for _ in range(10):
        make()(1)
    gc.collect()
    assert len(records.RECORDS) <= before + 1


def test_methods_and_descriptors():
    c = Counter(3)
    assert (c.add(1), Counter.add(c, 2)) == (4, 5)
    assert (c.double(2), Counter.triple(2), c.name(), Counter.name_again()) == (4, 6, "Counter", "Counter")


def test_bound_method_partial_lambda_and_callable_object():
    c = Counter(3)
    assert pijit.jit(c.add)(1) == 4
    part = pijit.jit(functools.partial(lambda x, y, z: (x, y, z), 1, z=3))
    assert isinstance(part, functools.partial)
    assert part(2) == (1, 2, 3)
    assert pijit.jit(lambda x: -x)(1) == -1
    assert pijit.jit(c)(2) == 6
    assert Counter.__call__.__code__ is not pijit.jit(c).__func__.__code__


def test_recursion_and_closures():
    @pijit.jit
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    assert fib(10) == 55


def test_code_without_source():
    space = {"pijit": pijit}
    exec("@pijit.jit\ndef f(x):\n    return x + 1\n", space)
    assert space["f"](1) == 2


@pytest.mark.parametrize("thing", [generator, coroutine, len, np.sin, np.add, dict, Counter, "".join])
def test_what_has_nothing_to_compile_comes_back_unchanged(thing, caplog):
    assert pijit.jit(thing) is thing
    (line,) = caplog.messages
    assert line.endswith("returned as it is")
    assert "PJ40" in line


# ---- misuse ----


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capture_mode": "ast"}, "jit: capture_mode='ast' does not exist; there are: 'bytecode'"),
        ({"jit_level": "O3"}, "jit: jit_level='O3' does not exist; there are: 'O0', 'O1', 'O2'"),
        ({"backend": "cuda"}, "jit: backend='cuda' does not exist; there are: 'numba', 'numpy'"),
        ({"backend": []}, "jit: backend=[] does not exist; there are: 'numba', 'numpy'"),
        ({"fullgraph": "yes"}, "jit: fullgraph='yes' does not exist; there are: False, True"),
        ({"speed": 9}, "jit: no option 'speed'; there are: capture_mode, jit_level, backend, fullgraph, compile_once"),
        (
            {"dynamic": True},
            "jit: option 'dynamic' does not exist yet; there are: capture_mode, jit_level, backend, fullgraph, compile_once",
        ),
        ({"mode": "PSJit"}, "jit: mode='PSJit' does not exist; there are: 'PIJit'"),
        ({"compile_once": 2}, "jit: compile_once=2 does not exist; there are: False, True"),
        ({"jit_config": {"jit_level": "O3"}}, "jit: jit_level='O3' does not exist; there are: 'O0', 'O1', 'O2'"),
    ],
)
def test_unknown_options_list_what_exists(options, message):
    for use in (lambda: pijit.jit(**options), lambda: pijit.jit(len, **options)):
        with pytest.raises(ValueError) as caught:
            use()
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: pijit.jit(5), "jit: 5 cannot be called"),
        (lambda: pijit.jit()("f"), "jit: 'f' cannot be called"),
        (lambda: pijit.skip(len), "skip: <built-in function len> is not a Python function"),
        (lambda: pijit.stats(len), "stats: <built-in function len> is not a Python function"),
        (lambda: pijit.enable(5), "enable: a module or the name of one is expected, not 5"),
        (lambda: pijit.disable(len), "disable: a module or the name of one is expected, not <built-in function len>"),
        (lambda: pijit.enabled(""), "enabled: a module or the name of one is expected, not ''"),
    ],
)
def test_wrong_types_are_one_clear_line(use, message):
    with pytest.raises(TypeError) as caught:
        use()
    assert str(caught.value) == message


def test_fullgraph_of_a_generator_is_a_capture_error():
    with pytest.raises(pijit.CaptureError) as caught:
        pijit.jit(generator, fullgraph=True)
    error = caught.value
    assert error.reason == "PJ409"
    assert error.hint
    assert error.where[:2] == (__file__, generator.__code__.co_firstlineno)
    assert "def generator():" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.reason, again.where, str(again)) == (error.reason, error.where, str(error))


# ---- enable and disable ----


def watched():
    return [namespace["__name__"] for namespace in tiers.NAMESPACES.values()]


def test_enable_means_the_calling_module():
    pijit.enable()
    assert watched() == [__name__]
    pijit.disable()
    assert watched() == []


def test_enable_modules_names_and_patterns():
    pijit.enable(functools)
    pijit.enable("inspect")
    assert sorted(watched()) == ["functools", "inspect"]
    pijit.disable("inspect")
    assert watched() == ["functools"]
    pijit.enable("json.d*")
    import json.decoder  # noqa: F401  # before or after: both are found

    pijit.enable("not.imported.yet")
    assert tiers.matches("not.imported.yet")
    assert not tiers.matches("not.imported")
    pijit.disable()
    assert (watched(), tiers.PATTERNS) == ([], {})


def test_enabled_restores_what_was():
    with pijit.enabled():
        assert watched() == [__name__]
        with pijit.enabled():
            pass
        assert watched() == [__name__]
    assert watched() == []
    pijit.enable(functools)
    with pijit.enabled("func*"):
        pass
    assert watched() == ["functools"]
    with pijit.enabled("func*"):
        pijit.disable()
    assert watched() == []
    with pytest.raises(KeyError), pijit.enabled(functools):
        raise KeyError
    assert watched() == []


SUMMED = "def f(n):\n    s = 0.0\n    for i in range(n):\n        s += i * 0.5\n    return s\n"


def module_of(name, source=SUMMED):
    module = types.ModuleType(name)
    exec(source, vars(module))
    return module


def hook_is_out():
    """On 3.11 the jitted functions of this file need it, until everything is disabled."""
    from pijit import _native

    return not _native.installed() or not _native.OWN_CALLS


def test_what_was_compiled_for_a_module_runs_natively_only_while_it_is_enabled():
    one, other = module_of("one"), module_of("other")
    with pijit.enabled(one):
        hits = []
        for enabled in (True, False, True):
            if not enabled:
                pijit.enable(other)  # so that the hook stays
                pijit.disable(one)
            else:
                pijit.enable(one)
            before = pijit.stats(one.f).hits
            for _ in range(8):
                one.f(500)
            hits.append(pijit.stats(one.f).hits > before)
        assert hits == [True, False, True]
    assert watched() == ["other"]
    pijit.disable(other)
    assert hook_is_out()


@pytest.mark.parametrize("leave", [pijit.disable, lambda: pijit.disable("sub*"), lambda: None])
def test_patterns_leave_nothing_behind(leave):
    with pijit.enabled("sub*"):
        module = module_of("subject")  # is not in sys.modules: only the pattern knows it
        for _ in range(8):
            module.f(500)
        assert pijit.stats(module.f).hits
        leave()
    assert hook_is_out()
    before = pijit.stats(module.f).hits
    pijit.enable()
    for _ in range(8):
        module.f(500)
    assert pijit.stats(module.f).hits == before


def test_a_block_leaves_no_hook_behind():
    """In a process without jitted functions."""
    program = (
        "import pijit\nfrom pijit import _native\ndef f(n):\n    s = 0.0\n    for i in range(n):\n        s += i * 0.5\n    return s\n"
        "with pijit.enabled():\n    for _ in range(9): f(5000)\nprint(pijit.stats(f).hits > 0, _native.installed())\n"
        "pijit.enable('*')\nf(9)\npijit.disable('*')\nprint(_native.installed())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"], done.stderr


def test_hook_is_there_only_while_something_is_enabled():
    from pijit import _native

    pijit.disable()
    assert not _native.installed()
    pijit.enable()
    assert _native.installed()
    pijit.disable()
    assert not _native.installed()
    jitted = pijit.jit(lambda: 1)
    assert _native.installed() or _native.OWN_CALLS  # 3.12+: the function has a vectorcall of its own instead
    assert jitted() == 1
    assert pijit.stats(jitted).hits == 1


@pytest.mark.parametrize(
    ("name", "value", "error", "says"),
    [
        ("max_fragments", "x", TypeError, "pijit.config.max_fragments is an int, not 'x'"),
        ("max_fragments", True, TypeError, "pijit.config.max_fragments is an int, not True"),
        ("enabled", 1, TypeError, "pijit.config.enabled is a bool, not 1"),
        ("threshold_calls", -3, ValueError, "pijit.config.threshold_calls is never negative, as -3 is"),
        ("stance", "x", ValueError, "pijit.config.stance is one of eager, compile, fail_on_break, fail_on_recompile, not 'x'"),
        ("fragments", 3, AttributeError, "pijit.config has no 'fragments'; there are: enabled, threshold_calls, "),
    ],
)
def test_settings_are_checked(name, value, error, says):
    with pytest.raises(error, match=re.escape(says)):
        setattr(pijit.config, name, value)


def two_operations(x, y):
    return x * y + 1.0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="3.11: a vectorcall of its own needs the hook")
def test_calls_of_what_is_not_worth_compiling_are_specialised():
    """As those of any function made by `def`, once it is known not to pay and the interpreter has looked again."""

    def caller(function):
        for _ in range(20_000):
            function(1.25, 0.75)

    caller(pijit.jit(two_operations))
    listing = io.StringIO()
    dis.dis(caller, file=listing, adaptive=True)
    assert "CALL_PY_EXACT_ARGS" in listing.getvalue()


def test_no_hook_stays_for_functions_that_are_gone():
    """In a process without other jitted functions; the plain function, whose code is what was compiled, is still there."""
    program = (
        "import gc, pijit\nfrom pijit import _native\nfrom pijit.runtime import tiers\ndef f(n):\n    s = 0.0\n    for i in range(n):\n"
        "        s += i * 0.5\n    return s\njitted = pijit.jit(f)\njitted(9)\nprint(pijit.stats(jitted).hits)\n"
        "del jitted\ngc.collect()\ntiers.rest()\nprint(_native.installed())\njitted = pijit.jit(f)\njitted(9)\nprint(pijit.stats(jitted).hits)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False", "2"], done.stderr


def test_switched_off_everything_is_plain():
    pijit.config.enabled = False
    function = pijit.jit(lambda x: x + 1)
    pijit.enable()
    pijit.skip(generator)
    assert function(1) == 2
    assert watched() == []
    assert pijit.stats(function) == records.Stats()


def test_skip_gives_the_function_back():
    def f():
        return 1

    assert pijit.skip(f) is f
    assert f() == 1


# ---- stats ----


class Native:
    hits = 7
    exits = (5, 2, 1)


def test_stats_of_a_record():
    def f(x):
        return x

    record = records.Record(f.__code__, tiers.DEFAULT)
    line = f.__code__.co_firstlineno + 1
    row = record.add_break("unsupported_call", line, "print")
    assert record.add_break("PJ111", line, "print") is row
    exits = [records.Exit("return"), records.Exit("redo", "PJ201", line), records.Exit("redo", "PJ111", line, row)]
    record.add_fragment(
        records.FragmentRecord(line, "loop", ["'x' is an int"], exits, native=Native(), compile_seconds=0.25)
    )
    record.misses = 3
    stats = records.snapshot(record)
    assert (stats.compiles, stats.hits, stats.misses, stats.exits, stats.compile_seconds) == (1, 7, 3, 2, 0.25)
    (found,) = stats.breaks
    assert (found.id, found.file, found.line, found.count, found.detail) == ("PJ111", __file__, line, 2, "print")
    assert found.hint
    (fragment,) = stats.fragments
    assert (fragment.line, fragment.kind, fragment.guards, fragment.hits) == (line, "loop", ("'x' is an int",), 7)
    record.fragments[0].retire("not_worth_it")
    assert record.fragments[0].native is None
    assert records.snapshot(record).hits == 7
    assert records.snapshot(record).fragments[0].retired == "PJ404"


def test_stats_attribute_and_function_agree():
    assert decorated.stats() == pijit.stats(decorated)
    assert pijit.stats(decorated.__code__) == pijit.stats(decorated)
    assert pijit.stats(test_stats_of_a_record) == records.Stats()
