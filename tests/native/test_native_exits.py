"""Exits of every kind, in the root frame and in inlined callees; the recipes; call sites."""

import gc
import sys
import traceback
import types
import warnings
import weakref

import native_code as nc
import numpy as np
import pytest

from pijit import _native

ALWAYS = nc.always(0)


def start(function, rows, exits, address=ALWAYS, sites=(), nwords=24, roots_start=2, nroots=0):
    """A fragment for the start of the function, which gets a code object of its own."""
    if _native.state_of(function.__code__) is not None:
        function.__code__ = function.__code__.replace()
    code = function.__code__
    state = _native.attach(code, None, "on")
    pc = nc.start_pc(code)
    state.set_entries([(pc, "start", pc, 0, 1 << 40)])
    f = nc.fragment(address, rows, exits, sites, nwords, roots_start, nroots)
    state.add_fragment(pc, f)
    return f


def pc_of(function, opname, n=0, argval=None):
    names = (opname,) if isinstance(opname, str) else opname
    return nc.pcs(function.__code__, *names, argval=argval)[n]


CALL = "CALL"


# ---- recipes ---------------------------------------------------------------------------------------------------------


def words(*values):
    """Native code that stores numbers into words 2, 3, ... and takes exit 0."""

    def write(c):
        for k, v in enumerate(values):
            if isinstance(v, float):
                c.store_double(nc.ir.Constant(nc.F64, v), 2 + k)
            else:
                c.store(v, 2 + k)
        c.exit(0)

    return nc.native(write)


RECIPES = [
    (("int", 2), [-(2**63)], -(2**63)),
    (("int", 2), [5], 5),
    (("float", 2), [-0.0], -0.0),
    (("bool", 2), [1], True),
    (("bool", 2), [0], False),
    (("complex", 2), [1.5, -2.0], 1.5 - 2j),
    (("np", 12, 2), [2.5], np.float64(2.5)),
    (("np", 7, 2), [-3], np.int64(-3)),
    (("np", 2, 2), [250], np.uint8(250)),
    (("np", 8, 2), [-1], np.uint64(2**64 - 1)),
    (("np", 0, 2), [1], np.True_),
    (("np", 11, 2), [0x3FC00000], np.float32(1.5)),
    (("np", 23, 2), [0x3C00], np.float16(1)),
    (("np", 15, 2), [1.0, 2.0], np.complex128(1 + 2j)),
    (("tuple", [("int", 2), ("const", "x"), ("tuple", [])]), [7], (7, "x", ())),
    (("list", [("int", 2), ("float", 3)]), [7, 0.5], [7, 0.5]),
    (("slice", [("const", None), ("int", 2), ("const", -1)]), [9], slice(None, 9, -1)),
    (("range", 2, 3, 4), [1, 10, 3], range(1, 10, 3)),
    (("const", None), [], None),
]


@pytest.mark.parametrize(("recipe", "values", "expected"), RECIPES, ids=lambda v: str(v)[:40])
def test_recipes(recipe, values, expected):
    def f():
        return "interpreted"

    start(f, [], [("return", [], [], recipe)], words(*values))
    for _ in range(3):
        got = f()
        assert type(got) is type(expected)
        assert repr(got) == repr(expected)


@pytest.mark.parametrize(("a", "b", "step"), [(1, 10, 3), (1, 1, 1), (5, 1, 2), (10, 0, -3), (0, 10, -1),
                                              (-(2**63), 2**63 - 1, 2**62), (3, 4, 100)])  # fmt: skip
def test_range_iterators(a, b, step):
    def f(it=None):
        return "interpreted"

    start(f, [], [("return", [], [], ("range_iterator", 2, 3, 4))], words(a, b, step))
    assert list(f()) == list(range(a, b, step))


def test_objects_methods_iterators():
    def f(x):
        return "interpreted"

    rows = [("local", 0), ("object", 0, 2, list)]
    start(f, rows, [("return", [], [], ("tuple", [
        ("object", 2), ("bound_method", ("const", list.append), ("object", 2)), ("iterator", ("object", 2)),
        ("iterator_at", ("object", 2), ("const", 1)), ("iterator_at", ("tuple", [("const", 1), ("const", 2)]), ("const", 1)),
    ]))])  # fmt: skip
    x = [1, 2, 3]
    same, method, it, at, at2 = f(x)
    assert same is x
    assert method.__self__ is x
    assert (next(it), list(at), list(at2)) == (1, [2, 3], [2])
    assert sys.getrefcount(x) >= 4
    del same, method, it, at
    assert sys.getrefcount(x) == 2


@pytest.mark.parametrize("bad", [("int",), ("int", -1), ("int", 24), ("complex", 23), ("nothing",), (), "x",
                                 ("slice", [("const", 1)]), ("np", 17, 2), ("tuple", [("int", 99)])])  # fmt: skip
def test_bad_recipes_are_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        nc.fragment(ALWAYS, [], [("return", [], [], bad)], nwords=24)


@pytest.mark.parametrize("bad", [
    ("stop", [], [], None), ("return", [], [], None), ("redo", [], [], None), ("redo", [(("const", 1), 0, {}, [])], [], None),
    ("redo", [(None, 0, {}, []), (None, 0, {}, [])], [], None), ("redo", [(None, 0, {-1: ("keep",)}, [])], [], None), (), 5,
    ("redo", [(None, 0, {}, [])], [("a",)], None),
])  # fmt: skip
def test_bad_exits_are_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        nc.fragment(ALWAYS, [], [bad])


# ---- the root frame --------------------------------------------------------------------------------------------------


def test_redo_at_the_start():
    def f(x, y=2):
        z = x + y
        return z * 10

    fragment = start(f, [], [("redo", [(None, nc.start_pc(f.__code__), {}, [])], [], None)])
    assert f(1) == 30
    assert f("a", "b") == "ab" * 10
    assert fragment.exits == [2]


def test_redo_writes_locals_and_stack():
    def f(x, y):
        z = x + y
        w = z * 2
        return [z, w, x]

    pc = pc_of(f, "BINARY_OP", 1)  # z * 2 with its operands on the stack
    start(f, [("local", 0), ("int", 0, 2)],
          [("redo", [(None, pc, {0: ("const", "new"), 1: ("unset",), 2: ("int", 2)}, [("int", 2), ("const", 5)])], [], None)])  # fmt: skip
    assert f(7, 1) == [7, 35, "new"]


def test_continue_after_an_instruction():
    def f(x):
        y = x + 1
        return y

    pc = nc.next_pc(f.__code__, pc_of(f, "BINARY_OP"))
    start(f, [], [("continue", [(None, pc, {}, [("const", 99)])], [], None)])
    assert f(1) == 99


def raiser(kind="ValueError"):
    """A call site that raises, and native code that takes exit 0 (raise)."""

    def boom(*args):
        raise getattr(__builtins__, kind, ValueError)("from the site") if False else ValueError("from the site")

    return boom


def native_call(site=0, on_ok=0, on_raise=1, on_type=2):
    def write(c):
        r = c.call("pj_call", c.W, site)
        ok, raised, other = c.block(), c.block(), c.block()
        switch = c.b.switch(r, other)
        switch.add_case(c.const(0), ok)
        switch.add_case(c.const(1), raised)
        for block, number in ((ok, on_ok), (raised, on_raise), (other, on_type)):
            c.b.position_at_end(block)
            c.exit(number)

    return nc.native(write)


def test_raise_is_caught_by_a_try_that_begins_there():
    def g(x):
        raise ValueError(x)

    def f(x):
        try:
            g(x)
        except ValueError as e:
            return "caught", e.args, [f.name for f in traceback.extract_tb(e.__traceback__)], e.__traceback__.tb_lineno
        return "missed"

    expected = f(3)
    code = f.__code__
    call = [pc for pc, name, *_ in nc.instructions(code) if name == CALL][0]
    site = (("const", g), [("object", 2)], (), [(None, call)], [], 3)
    fragment = start(f, [("local", 0), ("object", 0, 2, int)],
                     [("raise", [(None, call, {}, [])], [], None)], native_call(0, 0, 0, 0), [site], roots_start=3, nroots=1)  # fmt: skip
    assert f(3) == expected
    assert fragment.exits == [1]


def test_uncaught_raise_has_the_right_lines():
    def g(x):
        raise ValueError(x)

    def f(x):
        y = 1

        g(x)
        return y

    def lines():
        try:
            f(3)
        except ValueError as e:
            return [(s.name, s.lineno, s.colno) for s in traceback.extract_tb(e.__traceback__)]

    expected = lines()
    call = pc_of(f, CALL)
    site = (("const", g), [("object", 2)], (), [(None, call)], [], 3)
    start(f, [("local", 0), ("object", 0, 2, int)], [("raise", [(None, call, {1: ("const", 1)}, [])], [], None)],
          native_call(0, 0, 0, 0), [site], roots_start=3, nroots=1)  # fmt: skip
    assert lines()[1:] == expected[1:]
    assert [x[:2] for x in lines()] == [x[:2] for x in expected]


def test_call_sites_pass_and_fail_their_rows():
    def g(*args, **kw):
        return args[0] if not kw else kw["k"]

    def f(x):
        return g(x, k=1)

    calls = nc.instructions(f.__code__)
    call = [pc for pc, name, *_ in calls if name in ("CALL", "CALL_KW")][0]
    after = nc.next_pc(f.__code__, call)
    site = (("const", g), [("object", 2), ("object", 2)], ("k",), [(None, call)], [("int", 0, 5)], 3)
    fragment = start(
        f, [("local", 0), ("object", 0, 2, int)],
        [("return", [], [], ("tuple", [("int", 5), ("const", "native")])),
         ("raise", [(None, call, {}, [])], [], None),
         ("continue", [(None, after, {}, [("object", 3)])], [], None)],
        native_call(), [site], roots_start=3, nroots=1)  # fmt: skip
    assert f(7) == (7, "native")
    big = 2**70
    assert f(big) is big
    assert fragment.exits == [1, 0, 1]


def test_frames_seen_from_a_call_site():
    seen = []

    def look(x):
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_name, frame.f_lineno, frame.f_code is f.__code__, dict(frame.f_locals),
                     frame.f_back.f_code.co_name))  # fmt: skip
        warnings.warn("here", stacklevel=2)
        return x

    def f(x):
        y = 5

        return look(x) + y

    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        f(1)
    expected = seen.pop()
    call = pc_of(f, CALL)
    site = (("const", look), [("object", 2)], (), [(None, call)], [("int", 0, 5)], 3)
    start(f, [("local", 0), ("object", 0, 2, int)], [("return", [], [], ("int", 5))] * 3,
          native_call(), [site], roots_start=3, nroots=1)  # fmt: skip
    with warnings.catch_warnings(record=True) as ours:
        warnings.simplefilter("always")
        assert f(1) == 1
    got = seen.pop()
    assert got[:3] == expected[:3]
    assert got[4] == expected[4]
    assert got[3]["x"] == 1
    assert (ours[0].lineno, ours[0].filename) == (plain[0].lineno, plain[0].filename)


def test_kept_frames_of_a_call_site():
    kept = []

    def look(x):
        kept.append(sys._getframe(1))
        return x

    def f(x):
        return look(x)

    call = pc_of(f, CALL)
    site = (("const", look), [("object", 2)], (), [(None, call)], [("int", 0, 5)], 3)
    start(f, [("local", 0), ("object", 0, 2, int)], [("return", [], [], ("int", 5))] * 3,
          native_call(), [site], roots_start=3, nroots=1)  # fmt: skip

    def outer():
        return f(1)

    for _ in range(50):
        assert outer() == 1
    frame = kept[0]
    assert frame.f_code is f.__code__
    assert frame.f_lineno == f.__code__.co_firstlineno + 1
    assert frame.f_locals["x"] == 1
    assert frame.f_back.f_code is outer.__code__
    gc.collect()
    del kept[:]


def test_shadow_frames():
    seen = []

    def look(x):
        frame = sys._getframe(1)
        seen.append([(s.name, s.lineno) for s in traceback.extract_stack(frame)[-3:]])
        seen.append(frame)
        return x

    def inner(x):
        k = x

        def use():
            return k

        return look(k)

    def middle(x):
        return inner(x)

    def f(x):
        return middle(x)

    f(1)
    expected = seen[0]
    seen.clear()
    chain = [(None, pc_of(f, CALL)), (("const", middle), pc_of(middle, CALL)), (("const", inner), pc_of(inner, CALL))]
    site = (("const", look), [("object", 2)], (), chain, [("int", 0, 5)], 3)
    start(f, [("local", 0), ("object", 0, 2, int)], [("return", [], [], ("int", 5))] * 3,
          native_call(), [site], roots_start=3, nroots=1)  # fmt: skip
    for _ in range(20):
        assert f(1) == 1
    assert seen[0] == expected
    assert seen[1].f_code is inner.__code__
    assert seen[1].f_back.f_code is middle.__code__
    assert seen[1].f_back.f_back.f_code is f.__code__
    assert isinstance(seen[1].f_locals, object)
    seen.clear()
    gc.collect()


def test_bound_methods_as_callables():
    class A:
        def m(self, x):
            return (self, x)

    a = A()

    def f(x):
        return "interpreted"

    site = (("bound_method", ("const", A.m), ("const", a)), [("object", 2)], (), [(None, nc.start_pc(f.__code__))],
            [("object", 0, 5, tuple)], 3)  # fmt: skip
    start(f, [("local", 0), ("object", 0, 2, int)], [("return", [], [], ("object", 5))] * 3,
          native_call(), [site], roots_start=3, nroots=1)  # fmt: skip
    assert f(4) == (a, 4)


# ---- inlined callees -------------------------------------------------------------------------------------------------


def chain_of(f, *functions):
    """Frames for an exit in the innermost of the functions: [(None, pc of f's call), ...]."""
    out = [(None, pc_of(f, CALL), {}, [])]
    for function in functions[:-1]:
        out.append((("const", function), pc_of(function, CALL), {}, []))
    return out


def inline_exit(kind, f, functions, pc, locals_, stack, **root):
    inner = functions[-1]
    frames = chain_of(f, *functions)
    frames[0] = (None, frames[0][1], root.get("locals", {}), root.get("stack", []))
    return (kind, [*frames, (("const", inner), pc, locals_, stack)], [], None)


def test_redo_in_a_callee():
    def g(a, b=2):
        c = a + b
        return c * 2

    def f(x):
        y = g(x) + 1
        return y

    fragment = start(f, [("local", 0), ("int", 0, 2)],
                     [inline_exit("redo", f, [g], nc.start_pc(g.__code__), {0: ("int", 2), 1: ("const", 100)}, [])])  # fmt: skip
    assert f(5) == 211
    pc = pc_of(g, "BINARY_OP", 1)
    start2 = nc.fragment(ALWAYS, [], [inline_exit("redo", f, [g], pc, {2: ("const", 1)}, [("const", 21), ("const", 2)])])
    state = _native.state_of(f.__code__)
    state.remove_fragment(nc.start_pc(f.__code__), fragment)
    state.add_fragment(nc.start_pc(f.__code__), start2)
    assert f(5) == 43


def test_continue_in_a_callee_with_operands_below():
    def g(a):
        return a + 1

    def f(x):
        return [x, g(x), g(x)]

    call = pc_of(f, CALL, 1)
    pc = nc.next_pc(g.__code__, pc_of(g, "BINARY_OP"))
    start(f, [("local", 0), ("object", 0, 2, int)],
          [("continue", [(None, call, {}, [("object", 2), ("const", "first")]), (("const", g), pc, {}, [("const", 50)])], [], None)])  # fmt: skip
    assert f(5) == [5, "first", 50]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_raise_in_a_callee(depth):
    def boom(x):
        raise ValueError(x)

    def three(x):
        return boom(x)

    def two(x):
        z = 1
        return (three if depth == 3 else boom)(x)

    def one(x):
        return two(x) if depth > 1 else boom(x)

    def f(x):
        a = 1
        return one(x)

    f.__code__ = f.__code__.replace()  # the parameters of this test share the one they were compiled to

    def lines():
        try:
            f(3)
        except ValueError as e:
            return [(s.name, s.lineno) for s in traceback.extract_tb(e.__traceback__)], e.__context__

    expected = lines()
    functions = [one, two, three][:depth]
    # the calls that the interpreter would be in
    calls = {one: 0 if depth > 1 else 1, two: 0, three: 0}
    pcs = [pc_of(g, CALL, calls[g]) for g in functions]
    chain = [(None, pc_of(f, CALL))] + [(("const", g), pc) for g, pc in zip(functions, pcs, strict=True)]
    site = (("const", boom), [("object", 2)], (), chain, [], 3)
    frames = [(function, pc, {}, []) for function, pc in chain]
    free = one.__code__.co_freevars
    assert "boom" in free
    start(f, [("local", 0), ("object", 0, 2, int)], [("raise", frames, [], None)], native_call(0, 0, 0, 0), [site],
          roots_start=3, nroots=1)  # fmt: skip
    for _ in range(5):
        assert lines() == expected


def test_callee_catches_and_caller_catches():
    def boom(x):
        raise ValueError(x)

    def inner(x):
        try:
            boom(x)
        except ValueError:
            return "inner"

    def inner2(x):
        boom(x)

    def f(x):
        try:
            return g(x)
        except ValueError as e:
            return "outer", e.__traceback__.tb_next.tb_frame.f_code.co_name

    for g, expected in ((inner, "inner"), (inner2, ("outer", "inner2"))):
        assert f(1) == expected
        other = types.FunctionType(f.__code__.replace(), f.__globals__, "f", None, f.__closure__)
        chain = [(None, pc_of(f, CALL)), (("const", g), pc_of(g, CALL))]
        site = (("const", boom), [("object", 2)], (), chain, [], 3)
        start(other, [("local", 0), ("object", 0, 2, int)],
              [("raise", [(a, b, {}, []) for a, b in chain], [], None)], native_call(0, 0, 0, 0), [site], roots_start=3, nroots=1)  # fmt: skip
        for _ in range(5):
            assert other(1) == expected


def test_callees_with_every_kind_of_parameter():
    def g(a, b, /, c, *args, d, e=5, **kw):
        def use():
            return a

        return a, b, c, args, d, e, kw, use()

    def f(x):
        return g(x, 2, 3, 4, d=6)

    code = g.__code__
    s = {name: nc.slot(code, name) for name in ("a", "b", "c", "args", "d", "e", "kw")}
    values = {"a": ("object", 2), "b": ("const", "B"), "c": ("unset",), "args": ("tuple", [("const", 9)]), "d": ("const", "D"),
              "e": ("const", "E"), "kw": ("const", {})}  # fmt: skip
    calls = [pc for pc, name, *_ in nc.instructions(f.__code__) if name in ("CALL", "CALL_KW")]
    locals_ = {s[k]: v for k, v in values.items()}
    locals_[s["c"]] = ("const", "C")
    exit = ("redo", [(None, calls[0], {}, []), (("const", g), nc.start_pc(code), locals_, [])], [], None)
    start(f, [("local", 0), ("object", 0, 2, str)], [exit])
    for _ in range(3):
        assert f("A") == ("A", "B", "C", (9,), "D", "E", {}, "A")


def test_callee_with_cells_and_free_variables():
    free = ["free"]

    def g(a):
        cell = a

        def use():
            return cell

        return use(), free[0], a

    def f(x):
        return g(x)

    code = g.__code__
    pc = [p for p, name, *_ in nc.instructions(code) if name in ("LOAD_FAST",)][-1]
    del pc
    exit = ("redo", [(None, pc_of(f, CALL), {}, []),
                     (("const", g), nc.start_pc(code), {nc.slot(code, "a"): ("object", 2), nc.slot(code, "cell"): ("const", 1)}, [])],
            [], None)  # fmt: skip
    start(f, [("local", 0), ("object", 0, 2, str)], [exit])
    assert f("A") == ("A", "free", "A")


def test_cells_of_the_root_frame():
    def f(x, y):
        def g():
            nonlocal x
            x += 1
            return x

        z = g() + y
        return z, x, g

    code = f.__code__
    for k in range(2):
        pc = nc.start_pc(code)
        locals_ = [{}, {nc.slot(code, "x"): ("int", 3), nc.slot(code, "y"): ("const", 5)}][k]
        other = types.FunctionType(code.replace(), globals(), "f")
        start(other, [("local", nc.slot(code, "x")), ("int", 0, 3)], [("redo", [(None, pc, locals_, [])], [], None)])
        for _ in range(3):
            z, x, g = other(10, 5)
            assert (z, x, g()) == (16, 11, 12)


def test_callee_runs_on_its_own_clone():
    def g(n):
        total = 0
        for i in range(n):
            total += i
        return total

    def f(x):
        return g(x)

    ((jump, target),) = nc.jumps_back(g.__code__)
    state = _native.attach(g.__code__, None, "on")
    state.set_entries([(jump, "jump", target, 1, 1 << 40)])
    start(f, [("local", 0), ("object", 0, 2, int)],
          [("redo", [(None, pc_of(f, CALL), {}, []), (("const", g), nc.start_pc(g.__code__), {0: ("object", 2)}, [])], [], None)])  # fmt: skip
    before = _native.counters()["crossings"]
    assert f(10) == 45
    assert _native.counters()["crossings"] == before + 10


def test_poll_exit_in_a_callee_and_nested_frames():
    def g(n):
        total = 0
        for i in range(n):
            total += i
        return total

    def h(n):
        return g(n) + 1

    def f(x):
        return h(x) * 2

    ((_, target),) = nc.jumps_back(g.__code__)
    start(f, [("local", 0), ("object", 0, 2, int)],
          [("poll", [(None, pc_of(f, CALL), {}, []), (("const", h), pc_of(h, CALL), {0: ("object", 2)}, []),
                     (("const", g), target, {0: ("object", 2), 1: ("const", 1000)}, [("iterator", ("const", [1, 2]))])], [], None)])  # fmt: skip
    assert f(3) == 2 * (1003 + 1)


# ---- entries -----------------------------------------------------------------------------------------------------------


def test_continue_to_an_after_entry_tries_its_fragments():
    def f(x):
        a = x + 1
        b = a + 1
        c = b + 1
        return c

    code = f.__code__
    stores = [nc.next_pc(code, p) for p in nc.pcs(code, "BINARY_OP")]
    state = _native.attach(code, None, "on")
    pc = nc.start_pc(code)
    state.set_entries([(pc, "start", pc, 0, 1 << 40)] + [(s, "after", s, 1, 1 << 40) for s in stores])
    first = nc.fragment(ALWAYS, [], [("continue", [(None, stores[0], {}, [("const", 100)])], [], None)])
    second = nc.fragment(ALWAYS, [("stack", 0), ("int", 0, 2)],
                         [("continue", [(None, stores[1], {1: ("int", 2)}, [("const", 200)])], [], None)])  # fmt: skip
    third = nc.fragment(ALWAYS, [("stack", 0), ("int_value", 0, 200)],
                        [("redo", [(None, stores[1], {}, [("keep",)])], [], None)])  # fmt: skip
    for at, fragment in ((pc, first), (stores[0], second), (stores[1], third)):
        state.add_fragment(at, fragment)
    for _ in range(3):
        assert f(1) == 201
    assert (first.hits, second.hits, third.hits) == (3, 3, 3)


def test_return_from_the_middle():
    kept = []

    def f(x):
        total = []
        for i in x:
            try:
                total.append(i)
                if i == 1:
                    kept.append(sys._getframe())
            except ValueError:
                pass
        return total

    code = f.__code__
    state = _native.attach(code, None, "on")
    entries = [(j, "jump", t, 1, 1) for j, t in nc.jumps_back(code)]
    state.set_entries(entries)
    target = entries[0][2]
    state.add_fragment(target, nc.fragment(
        ALWAYS, [("local", nc.slot(code, "i")), ("int_value", 0, 2)], [("return", [], [], ("const", "early"))]))  # fmt: skip
    for _ in range(10):
        items = [0, 1, 2, 3]
        assert f(iter(items)) == "early"
        frame = kept.pop()
        assert frame.f_locals["i"] == 2
        assert frame.f_code is code
        del frame
        assert sys.getrefcount(items) == 2
    assert f([5]) == [5]


def test_hot_exits_are_reported():
    def f(x):
        return x + 1

    calls = []

    def on_exit(state, fragment, index, count, operand):
        calls.append((index, count))
        assert operand is _native.UNSET
        assert state is _native.state_of(f.__code__)
        return {3: 5, 5: -1}[count]

    _native.set_callbacks(on_exit=on_exit, exit_threshold=3)
    fragment = start(f, [], [("redo", [(None, nc.start_pc(f.__code__), {}, [])], [], None)])
    for _ in range(10):
        assert f(1) == 2
    assert calls == [(0, 3), (0, 5)]
    assert fragment.exits == [10]


def test_what_is_on_top_of_the_stack_is_reported():
    def f(x):
        return x + 1

    seen = []
    operands = [("const", 20), ("const", 22)]
    code = f.__code__
    _native.set_callbacks(on_exit=lambda *args: seen.append(args[4]) or -1, exit_threshold=2)
    start(f, [], [("redo", [(None, nc.pcs(code, "BINARY_OP")[0], {}, operands)], [], None)])
    assert [f(1) for _ in range(4)] == [42] * 4
    assert seen == [22]


def test_names_are_stored_before_resuming():
    code = compile("a = 1\nb = 2\nseen = (a, b, 'c' in globals())", "m", "exec")
    state = _native.attach(code, None, "on")
    pc = nc.start_pc(code)
    state.set_entries([(pc, "start", pc, 0, 1 << 40)])
    resume = nc.pcs(code, "LOAD_NAME")[0]
    state.add_fragment(pc, nc.fragment(ALWAYS, [], [("redo", [(None, resume, {}, [])], [("a", ("const", 10)), ("b", ("const", 20)),
                                                                                     ("c", ("unset",))], None)]))  # fmt: skip
    space = {"c": 1}
    exec(code, space)
    assert space["seen"] == (10, 20, False)


def test_old_values_go_last_with_the_frame_complete():
    seen = []

    class Loud:
        def __del__(self):
            frame = sys._getframe(1)
            seen.append((frame.f_code.co_name, frame.f_locals.get("x")))

    def f(x):
        x = Loud()
        for _ in range(3):
            pass
        return x

    ((jump, target),) = nc.jumps_back(f.__code__)
    state = _native.attach(f.__code__, None, "on")
    state.set_entries([(jump, "jump", target, 1, 1)])
    state.add_fragment(target, nc.fragment(ALWAYS, [("local", 0), ("type", 0, Loud)],
                                           [("redo", [(None, target, {0: ("const", "new")}, [("keep",)])], [], None)]))  # fmt: skip
    assert f(1) == "new"
    assert seen == [("f", "new")]


def test_memory_error_while_building_is_raised_in_the_frame():
    def f(x):
        try:
            return x
        except MemoryError as e:
            return type(e).__name__

    pc = pc_of(f, "LOAD_FAST")

    def write(c):
        c.store(0, 2)
        c.exit(0)

    start(f, [], [("redo", [(None, pc, {0: ("object", 2)}, [])], [], None)], nc.native(write))
    assert f(1) == "MemoryError"


def test_many_words_go_to_the_heap():
    def f(x):
        return "interpreted"

    def write(c):
        c.store(7, 4000)
        c.exit(0)

    start(f, [], [("return", [], [], ("int", 4000))], nc.native(write), nwords=5000)
    assert f(1) == 7


def test_roots_are_released():
    class Thing:
        pass

    def make():
        return Thing()

    def f(x):
        return "interpreted"

    site = (("const", make), [], (), [(None, nc.start_pc(f.__code__))], [("type", 0, Thing)], 5)
    start(f, [], [("return", [], [], ("object", 5))] * 3, native_call(), [site], roots_start=4, nroots=3)
    thing = f(1)
    ref = weakref.ref(thing)
    assert sys.getrefcount(thing) == 2
    del thing
    assert ref() is None


def test_recheck():
    space = {"k": 5, "x": np.ones(3)}

    def f(change):
        return "interpreted"

    f = types.FunctionType(f.__code__, space, "f")

    def native(c):
        r = c.call("pj_call", c.W, 0)
        c.store(r, 10)
        c.store(c.call("pj_recheck", c.W), 11)
        c.exit(0)

    rows = [("global", "k"), ("int", 0, 3), ("global", "x"), ("array", 1, 4, 12, 1, 0x0500, 0, "any"), ("local", 0), ("object", 2, 5, types.FunctionType)]
    site = (("object", 5), [], (), [(None, nc.start_pc(f.__code__))], [], 6)
    start(f, rows, [("return", [], [], ("int", 11))], nc.native(native), [site], roots_start=6, nroots=1)

    def rebind():
        space["k"] = 6

    def resize():
        space["x"].resize(5, refcheck=False)

    def reshape():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            space["x"].shape = (5,)

    assert f(lambda: None) == 0
    assert f(rebind) == 1
    assert f(lambda: space.update(k=6)) == 0
    assert f(resize) == 1
    assert f(lambda: None) == 0
    assert f(reshape) == 0
    assert f(lambda: space.update(x=np.ones(7))) == 1
    assert f(lambda: space.pop("k")) == 1
