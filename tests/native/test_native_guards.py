"""Every guard row: what passes, what fails, what it writes into words."""

import functools
import gc
import math
import struct
import sys
import types
from collections import OrderedDict, deque

import native_code as nc
import numpy as np
import pytest

from pijit import _native

HIT = object()
RETURN_HIT = [("return", [], [], ("const", HIT))]
_ALWAYS = nc.always(0)
ARRAY_FLAGS = 0x0100 | 0x0400  # aligned, writeable


def probe(function, rows, exits=RETURN_HIT, address=None, **more):
    """Attaches a whole-function fragment; gives the fragment."""
    code = function.__code__
    state = _native.attach(code, None, "on")
    pc = nc.start_pc(code)
    state.set_entries([(pc, "start", pc, 0, 1 << 40)])
    f = nc.fragment(address or _ALWAYS, rows, exits, **more)
    state.add_fragment(pc, f)
    return f


def one():
    """A function of one argument of its own."""

    def f(x=None):
        return "missed"

    f.__code__ = f.__code__.replace()
    return f


class IntSub(int):
    pass


class FloatSub(float):
    pass


class ListSub(list):
    pass


class ArraySub(np.ndarray):
    pass


def arr(*args, typenum=12, ndim=1, need=ARRAY_FLAGS, ones=0, order="any"):
    return ("array", 0, 2, typenum, ndim, need, ones, order)


CUBE = np.arange(24.0).reshape(2, 3, 4)
READ_ONLY = np.ones(3)
READ_ONLY.flags.writeable = False
UNALIGNED = np.frombuffer(bytearray(33), dtype=np.uint8)[1:].view(np.float64)

CASES = [
    (("int", 0, 2), [0, -1, 5, 2**62, -(2**63), 2**63 - 1], [2**63, -(2**63) - 1, True, 1.0, IntSub(1), np.int64(1)]),
    (("int_value", 0, 7), [7], [8, True, 7.0, 2**70]),
    (("int_value", 0, 2**40), [2**40], [2**40 + 1, 2**80]),
    (("float", 0, 2), [0.0, -1.5, math.inf], [1, FloatSub(1), np.float64(1)]),
    (("bool", 0, 2), [True, False], [1, 0, np.True_]),
    (("complex", 0, 2), [1j, 0j], [1.0, np.complex128(1)]),
    (("np", 0, 2, 12), [np.float64(1)], [1.0, np.float32(1), np.int64(1)]),
    (("np", 0, 2, 7), [np.int64(1)], [1, np.int32(1)]),
    (("np", 0, 2, 0), [np.True_], [True, np.int8(1)]),
    (("is", 0, HIT), [HIT], [None, object()]),
    (("type", 0, int), [1, 2**100], [True, 1.0]),
    (("object", 0, 2, list), [[], [1]], [(), None]),
    (("any", 0, 2), [[], None, 1], []),
    (("length", 0, 2), [[1, 2], (1, 2)], [[1], "ab", (1, 2, 3), {1, 2}]),
    (("keys", 0, ("a", "b")), [{"a": 1, "b": 2}, {"".join("a"): 1, chr(98): 2}],
     [{"b": 1, "a": 2}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, 2: 3}, {"a": 1, "\u1234": 3}, OrderedDict(a=1, b=2), ["a", "b"], None]),
    (arr(), [np.ones(3), np.ones(6)[::2], np.ones(3)[::-1], np.ones(0)],
     [np.ones(1), np.ones((3, 3)), np.ones(3, "f4"), np.ones(3, ">f8"), READ_ONLY, UNALIGNED, [1.0],
      np.ones(3).view(ArraySub), np.rec.array(np.ones(3)), np.float64(1), np.ma.ones(3)]),
    (arr(need=0), [READ_ONLY], [UNALIGNED]),
    (arr(ndim=0), [np.array(1.0)], [np.ones(1), np.float64(1)]),
    (arr(ndim=2, ones=0b01), [np.ones((1, 3))], [np.ones((3, 1)), np.ones((1, 1)), np.ones((2, 3))]),
    (arr(ndim=3, order="C"), [CUBE], [CUBE.T, CUBE[:, ::-1], CUBE[..., ::2]]),
    (arr(ndim=3, order="F"), [CUBE.T], [CUBE, CUBE[:, ::-1]]),
    (arr(ndim=1, order="F"), [], [np.ones(3)]),
    (arr(ndim=3, order="S"), [CUBE, CUBE[..., ::2], CUBE[:, :2]], [CUBE.T, CUBE[::-1], np.broadcast_to(CUBE, (2, 3, 4)).transpose(1, 0, 2)]),
    (arr(typenum=7), [np.ones(3, np.int64)], [np.ones(3), np.ones(3, np.int32), np.ones(3, "q")]),
    (arr(typenum=0), [np.ones(3, bool)], [np.ones(3, np.int8)]),
    (("range_iterator", 0, 2), [iter(range(5))], [range(5), iter([1]), iter(range(2**70))]),
    (("iterator", 0, 2, type(iter([]))), [iter([1])], [iter(()), iter(np.ones(1)), object(), 1, enumerate([1])]),
    (("iterator", 0, 2, enumerate), [enumerate([1])], [iter([1]), zip([1])]),
]  # fmt: skip


@pytest.mark.parametrize(("row", "good", "bad"), CASES, ids=lambda v: v[0] if isinstance(v, tuple) else "")
def test_checks(row, good, bad):
    f = one()
    fragment = probe(f, [("local", 0), row])
    for value in good:
        assert f(value) is HIT, value
    for value in bad:
        assert f(value) == "missed", value
    assert (fragment.hits, fragment.misses) == (len(good), len(bad))


def bits(value):
    return struct.unpack("<q", struct.pack("<d", value))[0]


UNBOXED = [
    (("int", 0, 2), -(2**63), [-(2**63)]), (("int", 0, 2), 12, [12]), (("float", 0, 2), -2.5, [bits(-2.5)]),
    (("bool", 0, 2), True, [1]), (("complex", 0, 2), 1.5 - 2j, [bits(1.5), bits(-2.0)]),
    (("np", 0, 2, 0), np.True_, [1]), (("np", 0, 2, 1), np.int8(-3), [-3]), (("np", 0, 2, 2), np.uint8(250), [250]),
    (("np", 0, 2, 3), np.int16(-3), [-3]), (("np", 0, 2, 4), np.uint16(65535), [65535]),
    (("np", 0, 2, 5), np.int32(-3), [-3]), (("np", 0, 2, 6), np.uint32(2**32 - 1), [2**32 - 1]),
    (("np", 0, 2, 7), np.int64(-3), [-3]), (("np", 0, 2, 8), np.uint64(2**64 - 1), [-1]),
    (("np", 0, 2, 11), np.float32(1.5), [struct.unpack("<i", struct.pack("<f", 1.5))[0]]),
    (("np", 0, 2, 12), np.float64(2.5), [bits(2.5)]),
    (("np", 0, 2, 23), np.float16(1.0), [0x3C00]),
    (("np", 0, 2, 14), np.complex64(1 + 2j), [struct.unpack("<q", struct.pack("<ff", 1, 2))[0]]),
    (("np", 0, 2, 15), np.complex128(1 + 2j), [bits(1.0), bits(2.0)]),
    (("object", 0, 2, str), "s", [id("s")]),
]  # fmt: skip


@pytest.mark.parametrize(("row", "value", "words"), UNBOXED, ids=lambda v: str(v)[:30])
def test_words(row, value, words):
    f = one()
    result = ("tuple", [("int", 2 + k) for k in range(len(words))])
    probe(f, [("local", 0), row], [("return", [], [], result)])
    assert f(value) == tuple(words)


def advanced(iterator, steps=1):
    for _ in range(steps):
        next(iterator)
    return iterator


def exhausted(iterator):
    list(iterator)
    return iterator


UNDER = {
    "list": (lambda: advanced(iter([7, 8])), [7, 8], 1), "array": (lambda: advanced(iter(np.arange(3)), 2), None, 2),
    "count": (lambda: advanced(enumerate("abc", 5)), None, 6), "negative count": (lambda: advanced(enumerate("abc", -5)), None, -4),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDER)
def test_what_an_iterator_goes_through_and_how_far_it_is(name):
    make, sequence, index = UNDER[name]
    it = make()
    f = one()
    probe(f, [("local", 0), ("under", 0), ("iterator", 0, 2, type(it)), ("object", 1, 3, type(gc.get_referents(it)[0]))],
          [("return", [], [], ("tuple", [("int", 2), ("object", 3)]))])  # fmt: skip
    got, under = f(it)
    assert got == index
    assert under is gc.get_referents(it)[0]
    assert sequence is None or under == sequence


@pytest.mark.parametrize("it", [
    exhausted(iter([1])), exhausted(iter(np.ones(2))), enumerate([1], 2**70), zip([1], [2], strict=True), iter({1: 2}), iter(()), map(abs, [1]), 5, [1],
], ids=str)  # fmt: skip
def test_nothing_to_go_on_with(it):
    f = one()
    probe(f, [("local", 0), ("under", 0)])
    assert f(it) == "missed"


@pytest.mark.parametrize(("kind", "strict"), [("under", False), ("under_strict", True)])
def test_zip_goes_through_a_tuple(kind, strict):
    f = one()
    probe(f, [("local", 0), (kind, 0), ("length", 1, 2), ("item", 1, 1), ("under", 2), ("object", 3, 2, list)], [("return", [], [], ("object", 2))])
    second = [3]
    assert f(zip([1], second, strict=strict)) is second
    assert f(zip([1], second, strict=not strict)) == "missed"
    assert f([1]) == "missed"


def test_range_iterator_words():
    f = one()
    probe(f, [("local", 0), ("range_iterator", 0, 2)],
          [("return", [], [], ("tuple", [("int", 3), ("int", 4), ("int", 5)]))])  # fmt: skip
    it = iter(range(10, 0, -3))
    assert f(it) == (10, -3, 4)
    next(it)
    assert f(it) == (7, -3, 3)


def test_array_word_is_the_pointer():
    f = one()
    probe(f, [("local", 0), arr()], [("return", [], [], ("object", 2))])
    x = np.ones(3)
    assert f(x) is x


def test_local_unbound_and_unset():
    def f(x, y=None):
        z = 1
        return z

    probe(f, [("unset", 2)])
    assert f(1) is HIT

    def g(x):
        z = 1
        return z

    probe(g, [("local", 1)])
    assert g(1) == 1

    def h(x):
        return 1

    probe(h, [("unset", 0)])
    assert h(1) == 1


def function_code(source):
    return next(c for c in compile(source, "x", "exec").co_consts if isinstance(c, types.CodeType))


def in_globals(globals_, source="def f(x=None):\n    return 'missed'"):
    code = function_code(source)
    return types.FunctionType(code, globals_, "f", (None,))


def test_global():
    space = {"a": HIT}
    f = in_globals(space)
    probe(f, [("global", "a"), ("is", 0, HIT)])
    assert f() is HIT
    assert f() is HIT
    space["a"] = 1
    assert f() == "missed"
    space["a"] = HIT
    for k in range(100):
        space[f"k{k}"] = k
        assert f() is HIT
    del space["a"]
    assert f() == "missed"
    space["a"] = HIT
    assert f() is HIT
    space.clear()
    assert f() == "missed"
    space.update({f"z{k}": 1 for k in range(50)}, a=HIT)
    assert f() is HIT
    space[1] = 2  # not a namespace any more
    assert f() == "missed"


def test_names_in_two_namespaces():
    code = function_code("def f(x=None):\n    return 'missed'")
    good, bad = types.FunctionType(code, {"a": HIT}), types.FunctionType(code, {"b": 1, "a": 2})
    probe(good, [("global", "a"), ("is", 0, HIT)])
    for _ in range(3):
        assert good(1) is HIT
        assert bad(1) == "missed"


def test_builtin():
    space = {"__builtins__": {"len": len}}
    f = in_globals(space)
    probe(f, [("builtin", "len"), ("is", 0, len)])
    assert f() is HIT
    assert f() is HIT
    space["len"] = len
    assert f() == "missed"
    del space["len"]
    assert f() is HIT
    space["__builtins__"]["len"] = max
    assert f() == "missed"
    space["__builtins__"]["len"] = len
    assert f() is HIT


def test_no_global():
    space = {}
    f = in_globals(space)
    probe(f, [("no_global", "a")])
    assert f() is HIT
    space["b"] = 1
    assert f() is HIT
    space["a"] = 1
    assert f() == "missed"


def test_attr_and_no_attr():
    m = types.ModuleType("m")
    m.a = HIT
    f = one()
    probe(f, [("const", m), ("attr", 0, "a"), ("is", 1, HIT), ("no_attr", 0, "b")])
    assert f() is HIT
    m.b = 1
    assert f() == "missed"
    del m.b
    m.a = 1
    assert f() == "missed"
    del m.a
    assert f() == "missed"

    class Sub(types.ModuleType):
        def __getattr__(self, name):
            raise AssertionError("ran")

    g = one()
    probe(g, [("local", 0), ("attr", 0, "a")])
    assert g(Sub("x")) == "missed"
    assert g(5) == "missed"


def test_item():
    f = one()
    probe(f, [("local", 0), ("item", 0, 1), ("is", 1, HIT)])
    assert f((0, HIT)) is HIT
    assert f([0, HIT]) is HIT
    for bad in [(0,), [0], (0, 1), {0: 1, 1: HIT}, "ab", type("T", (tuple,), {})((0, HIT))]:
        assert f(bad) == "missed"


def test_function_closure_and_cell():
    def make(k):
        def f(x=None):
            return k if x is None else "missed"

        return f

    f = make(HIT)
    probe(f, [("function",), ("type", 0, types.FunctionType), ("closure", 0), ("is", 1, HIT), ("const", f),
              ("closed", 2, 0), ("is", 3, HIT), ("local", 1), ("is", 4, HIT), ("local", 0)])  # fmt: skip
    assert f(1) is HIT
    f.__closure__[0].cell_contents = 5
    assert f(1) == "missed"
    del f.__closure__[0].cell_contents
    assert f(1) == "missed"


def test_argument_cell_before_the_prologue():
    def f(x, y=1):
        def g():
            return x

        return g

    probe(f, [("local", nc.slot(f.__code__, "x")), ("int_value", 0, 3), ("unset", nc.slot(f.__code__, "g"))])
    assert f(3) is HIT
    assert f(4)() == 4


def test_python_function():
    def callee(a=1, *, b=2):
        return a

    f = one()
    probe(f, [("local", 0), ("python_function", 0, callee.__code__, globals(), 3)])
    assert f(callee) is HIT
    assert f(types.FunctionType(callee.__code__, globals(), argdefs=(2,))) == "missed"
    elsewhere = types.FunctionType(callee.__code__, {}, argdefs=(1,))
    elsewhere.__kwdefaults__ = {"b": 2}
    assert f(elsewhere) == "missed"
    callee.__defaults__ = (2,)
    assert f(callee) is HIT
    callee.__defaults__ = None
    assert f(callee) == "missed"
    assert f(len) == "missed"

    def bare():
        return 1

    g = one()
    probe(g, [("local", 0), ("python_function", 0, bare.__code__, globals(), 0)])
    assert g(bare) is HIT
    bare.__defaults__ = ()
    assert g(bare) == "missed"


def test_part():
    def callee(a=HIT, *, b=HIT):
        return a

    def bare():
        return 1

    def method(self):
        return self

    f, g, h, p = one(), one(), one(), one()
    probe(f, [("local", 0), ("part", 0, "__defaults__"), ("item", 1, 0), ("is", 2, HIT),
              ("part", 0, "__kwdefaults__"), ("dict_item", 3, "b"), ("is", 4, HIT)])  # fmt: skip
    assert f(callee) is HIT
    for bad in (bare, 5, len, functools.partial(callee)):
        assert f(bad) == "missed"
    callee.__kwdefaults__["b"] = 5
    assert f(callee) == "missed"
    probe(g, [("local", 0), ("part", 0, "__defaults__"), ("is", 1, None)])
    assert (g(bare), g(callee)) == (HIT, "missed")
    probe(h, [("local", 0), ("part", 0, "__func__"), ("is", 1, method), ("part", 0, "__self__"), ("is", 2, HIT)])
    assert (h(types.MethodType(method, HIT)), h(types.MethodType(method, 5)), h(method)) == (HIT, "missed", "missed")
    probe(p, [("local", 0), ("part", 0, "func"), ("is", 1, len), ("part", 0, "args"), ("item", 2, 0), ("is", 3, HIT),
              ("part", 0, "keywords"), ("length", 4, 0)])  # fmt: skip
    given = functools.partial(len, HIT)
    assert p(given) is HIT
    given.keywords["k"] = 5
    assert p(given) == "missed"
    assert p(functools.partial(abs, HIT)) == "missed"


def test_part_of_a_built_in_method():
    """Its function is what the class has, wherever it comes from; there is none for a method of a module or of an instance of Python's."""
    f, g = one(), one()
    probe(f, [("local", 0), ("part", 0, "__func__"), ("is", 1, list.append), ("part", 0, "__self__"), ("type", 2, list), ("item", 2, 0), ("is", 3, HIT)])
    for given in ([HIT], [HIT, 5]):
        assert f(given.append) is HIT
    for bad in ([5].append, [HIT].insert, {}.get, len, deque([HIT]).append, "".join, ListSub([HIT]).append, [HIT].__len__, list.append, None):
        assert f(bad) == "missed"
    assert f([HIT].append) is HIT
    probe(g, [("local", 0), ("part", 0, "__func__"), ("is", 1, deque.append), ("part", 0, "__self__"), ("type", 2, deque)])
    assert (g(deque().append), g(deque().appendleft), g([].append), g(deque([1]).append)) == (HIT, "missed", "missed", HIT)


def test_unmonitored():
    def callee():
        return 1

    f, code = one(), callee.__code__
    probe(f, [("unmonitored", code)])
    assert f() is HIT
    if sys.version_info >= (3, 12):
        sys.monitoring.use_tool_id(3, "test")
        try:
            sys.monitoring.set_local_events(3, code, sys.monitoring.events.PY_START)
            assert _native.monitored(code)
            assert f() == "missed"
            sys.monitoring.set_local_events(3, code, 0)
            assert f() is HIT
        finally:
            sys.monitoring.set_local_events(3, code, 0)
            sys.monitoring.free_tool_id(3)
    assert not _native.monitored(code)
    with pytest.raises(TypeError, match="a code object is needed"):
        probe(one(), [("unmonitored", callee)])
    with pytest.raises(TypeError, match="a code object is needed"):
        _native.monitored(callee)


def test_globals():
    f = one()
    probe(f, [("globals", globals())])
    assert f() is HIT
    assert types.FunctionType(f.__code__, {}, "f", (None,))() == "missed"


def test_names_of_a_module_body():
    code = compile("seen = 'missed'", "m", "exec")
    state = _native.attach(code, None, "on")
    pc = nc.start_pc(code)
    state.set_entries([(pc, "start", pc, 0, 1 << 40)])
    state.add_fragment(pc, nc.fragment(_ALWAYS, [("name", "a"), ("is", 0, HIT), ("no_name", "b")],
                                       [("return", [], [("seen", ("const", HIT)), ("a", ("unset",))], ("const", None))]))  # fmt: skip
    for names, out in [({"a": HIT}, HIT), ({"a": HIT, "b": 1}, "missed"), ({}, "missed")]:
        exec(code, names)
        assert names["seen"] is out
        assert ("a" in names) == (out != HIT and "b" in names)


def test_errmask():
    f = one()
    assert _native.current_errmask() == 0
    probe(f, [("errmask", 0)])
    assert f() is HIT
    with np.errstate(all="raise"):
        mask = _native.current_errmask()
        assert f() == "missed"
        with np.errstate(divide="ignore"):
            assert _native.current_errmask() not in (0, mask)
    assert f() is HIT
    g = one()
    probe(g, [("errmask", mask)])
    for _ in range(3):
        with np.errstate(all="raise"):
            assert g() is HIT
        assert g() == "missed"
    with np.errstate(call=print):
        assert _native.current_errmask() != 0
    before = np.seterr(all="ignore")
    try:
        assert f() == "missed"
    finally:
        np.seterr(**before)
    assert f() is HIT


def test_failures_are_reported_by_row():
    f = one()
    fragment = probe(f, [("local", 0), ("int", 0, 2), ("global", "HIT"), ("is", 1, HIT)])
    state = _native.state_of(f.__code__)
    pc = nc.start_pc(f.__code__)
    g = one()
    state = _native.attach(g.__code__, None, "on")
    state.set_entries([(pc, "start", pc, 0, 1)])
    state.add_fragment(pc, fragment)
    got = []
    _native.set_callbacks(on_entry=lambda s, p, v, failures: got.append((failures, v)) or 1)
    assert g("text") == "missed"
    assert g(None) == "missed"
    assert [f for f, _ in got] == [[(fragment, 1, "text")], [(fragment, 1, None)]]
    assert got[0][1][4] == ("text",)
    assert got[0][1][5] == ()


@pytest.mark.parametrize("rows", [
    [("nothing",)], [("local",)], [("local", -1)], [("int", 0, 2)], [("local", 0), ("int", 1, 2)],
    [("local", 0), ("int", 0, 1)], [("local", 0), ("int", 0, 16)], [("local", 0), ("complex", 0, 15)],
    [("global", 1)], [("local", 0), ("array", 0, 2, 12, 1, 0, 0, "X")], [("local", 0), ("np", 0, 2, 17)],
    [("local", 0), ("object", 0, 2, 3)], "ab", [1],
])  # fmt: skip
def test_bad_rows_are_refused(rows):
    with pytest.raises((ValueError, TypeError)):
        nc.fragment(_ALWAYS, rows, RETURN_HIT)


def test_slots_are_checked_against_the_code():
    f = one()
    state = _native.attach(f.__code__, None, "on")
    with pytest.raises(ValueError):
        state.add_fragment(nc.start_pc(f.__code__), nc.fragment(_ALWAYS, [("local", 5)], RETURN_HIT))


def test_guards_run_no_python():
    class Loud(dict):
        def __getitem__(self, key):
            raise AssertionError("ran")

        __missing__ = get = __getitem__

    space = Loud(a=1)
    f = types.FunctionType(one().__code__, {"__builtins__": {}}, "f", (None,))
    probe(f, [("builtin", "a")])
    assert f() == "missed"
    g = types.FunctionType(one().__code__, space, "g", (None,))
    probe(g, [("global", "a")])
    assert g() == "missed"
    assert sys.exc_info()[0] is None


class Plain:
    shared = HIT

    def __init__(self, value=HIT):
        self.value = value


class Slotted:
    __slots__ = ("value", "other")


class Descriptor:
    def __get__(self, instance, owner):
        raise AssertionError("ran")

    def __set__(self, instance, value):
        raise AssertionError("ran")


def variant(name, **members):
    return type(name, (Plain,), members)()


def test_field():
    f = one()
    probe(f, [("local", 0), ("field", 0, "value"), ("is", 1, HIT)])
    slotted, in_dict = Slotted(), Plain()
    slotted.value = HIT
    in_dict.__dict__["more"] = 1
    overridden = variant("D", value=1)
    for good in [Plain(), slotted, in_dict, overridden, Plain(), slotted]:
        assert f(good) is HIT
    gone = Plain()
    del gone.value
    with_data = variant("A")
    type(with_data).value = Descriptor()
    bad = [gone, Plain(1), Slotted(), with_data, 5, Plain, variant("B", __getattribute__=lambda s, n: HIT)]
    bad += [variant("C", __getattr__=lambda s, n: HIT)]
    for o in bad:
        assert f(o) == "missed"
    kind = type(overridden)
    kind.value = property(lambda self: HIT)
    assert f(overridden) == "missed"
    del kind.value
    assert f(overridden) is HIT


def test_no_field():
    f = one()
    probe(f, [("local", 0), ("no_field", 0, "shared")], exits=RETURN_HIT)
    o = Plain()
    assert f(o) is HIT
    o.shared = 1
    assert f(o) == "missed"
    del o.shared
    assert f(o) is HIT
    o.__dict__["shared"] = 2
    assert f(o) == "missed"
    assert f(Plain()) is HIT
    kind = type(variant("E"))
    kind.shared = Descriptor()
    assert f(kind()) == "missed"


def test_member():
    f = one()
    probe(f, [("local", 0), ("member", 0, "shared"), ("is", 1, HIT), ("no_member", 0, "none")])
    kind = type(variant("F"))
    assert f(Plain) is HIT
    assert f(kind) is HIT
    assert f(Plain()) == "missed"
    kind.shared = 1
    assert f(kind) == "missed"
    del kind.shared
    assert f(kind) is HIT
    Plain.none = 1
    assert f(kind) == "missed"
    del Plain.none
    assert f(kind) is HIT


def test_apart():
    f = one()
    fragment = probe(f, [("local", 0), ("item", 0, 0), ("item", 0, 1), ("apart", 1, 2)])
    assert f([[], []]) is f((1, 2)) is HIT
    assert f([HIT, HIT]) == f((None, None)) == "missed"
    assert (fragment.hits, fragment.misses) == (2, 2)
    with pytest.raises(ValueError, match="register"):
        nc.fragment(_ALWAYS, [("local", 0), ("apart", 0, 1)], RETURN_HIT)


def test_dict_and_tuple_items():
    f = one()
    probe(f, [("local", 0), ("dict_item", 0, "a"), ("is", 1, HIT), ("no_item", 0, "b")])
    assert f({"a": HIT}) is HIT
    assert f({"c": 0, "a": HIT}) is HIT
    for bad in [{}, {"a": 1}, {"a": HIT, "b": 1}, {"a": HIT, 1: 2}, type("D", (dict,), {})(a=HIT), [HIT]]:
        assert f(bad) == "missed"
    g = one()
    probe(g, [("local", 0), ("tuple_item", 0, 1), ("is", 1, HIT)])
    assert g(type("T", (tuple,), {})((0, HIT))) is HIT
    assert g([0, HIT]) == g((0,)) == "missed"
