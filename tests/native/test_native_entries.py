"""Leaving and entering the interpreter at every instruction changes nothing."""

import types

import native_code as nc
import native_programs as programs
import pytest

from pijit import _native
from pijit.pycode.flow import control_flow
from pijit.pycode.instructions import decode

_REDO = nc.always(0)


def copy_of(function):
    """The same function with a code object of its own."""
    new = types.FunctionType(
        function.__code__.replace(), function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    new.__kwdefaults__ = function.__kwdefaults__
    return new


def codes_of(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes_of(const)


def entries_everywhere(code, threshold=1 << 40):
    """All entries that a code object may have: every instruction after the prologue, backward jumps as such."""
    bytecode, flow = decode(code), control_flow(decode(code))
    jumps = dict(nc.jumps_back(code))
    out = []
    for i in bytecode.instructions:
        depth = flow.stack_depth(i.pc)
        if i.pc < bytecode.start or depth is None:
            continue
        if i.at in jumps and "NO_INTERRUPT" not in i.opname:
            out.append((i.at, "jump", jumps[i.at], depth, threshold))
        else:
            out.append((i.pc, "after", i.pc, depth, threshold))
    return out


def attach_everywhere(code, pick=lambda k: True, fragments=False):
    n = 0
    for co in codes_of(code):
        if decode(co).is_generator:
            continue
        state = _native.attach(co, None, "on")
        entries = [e for k, e in enumerate(entries_everywhere(co)) if pick(k)]
        state.set_entries(entries)
        n += len(entries)
        if fragments:
            for pc, _kind, target, depth, _ in entries:
                keep = [("keep",)] * (depth if _kind == "after" else control_flow(decode(co)).stack_depth(target))
                state.add_fragment(target, nc.fragment(_REDO, [], [("redo", [(None, target, {}, keep)], [], None)]))
    return n


def fresh(function):
    code = function.__code__.replace(co_consts=tuple(
        c.replace() if isinstance(c, types.CodeType) else c for c in function.__code__.co_consts))
    new = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    new.__kwdefaults__ = function.__kwdefaults__
    return new


@pytest.mark.parametrize("fragments", [False, True], ids=["misses", "redo"])
@pytest.mark.parametrize("pick", ["all", "even", "odd", "third"])
@pytest.mark.parametrize("function", programs.ALL, ids=lambda f: f.__name__)
def test_crossing_everywhere(function, pick, fragments, monkeypatch):
    picks = {"all": lambda k: True, "even": lambda k: k % 2 == 0, "odd": lambda k: k % 2, "third": lambda k: k % 3 == 0}
    expected = [function() for _ in range(3)]
    other = fresh(function)
    monkeypatch.setitem(function.__globals__, function.__name__, other)
    attach_everywhere(other.__code__, picks[pick], fragments)
    before = _native.counters()["crossings"]
    for _ in range(4):  # specialised instructions appear on the way
        assert [other() for _ in range(3)] == expected
    for _ in range(20):
        other()
    assert _native.counters()["crossings"] > before


@pytest.mark.parametrize("function", programs.ALL, ids=lambda f: f.__name__)
def test_one_entry_at_a_time(function, monkeypatch):
    expected = function()
    for entry in entries_everywhere(function.__code__):
        other = fresh(function)
        monkeypatch.setitem(function.__globals__, function.__name__, other)
        state = _native.attach(other.__code__, None, "on")
        state.set_entries([entry])
        for _ in range(12):
            assert other() == expected, entry


@pytest.mark.parametrize("fragments", [False, True])
def test_module_level(fragments):
    plain, ours = {"__name__": "m"}, {"__name__": "m"}
    exec(compile(programs.MODULE, "m", "exec"), plain)
    code = compile(programs.MODULE, "m", "exec")
    attach_everywhere(code, fragments=fragments)
    exec(code, ours)
    for d in (plain, ours):
        d.pop("__builtins__")
        for name in ("A", "f", "sys"):
            d[name] = getattr(d[name], "items", d[name].__name__)
    assert plain == ours


def test_growing_entries_while_running():
    def loop(n):
        total = 0
        for i in range(n):
            total += i
            if i == 5:
                state.set_entries(entries)
        return total

    code = loop.__code__
    state = _native.attach(code, None, "on")
    entries = entries_everywhere(code)
    jumps = [e for e in entries if e[1] == "jump"]
    state.set_entries(jumps)
    assert loop(50) == sum(range(50))
    assert loop(50) == sum(range(50))


def test_unknown_entries_are_refused():
    def f():
        return 1

    state = _native.attach(f.__code__, None, "on")
    for bad in [(10**6, "after", 0, 0, 1), (-1, "after", 0, 0, 1), (0, "never", 0, 0, 1), "x", (0, "after")]:
        with pytest.raises((ValueError, TypeError)):
            state.set_entries([bad])
    assert f() == 1


def test_thresholds_and_answers_of_on_entry():
    def loop(n):
        k = 0
        for _ in range(n):
            k += 1
        return k

    ((jump, target),) = nc.jumps_back(loop.__code__)
    state = _native.attach(loop.__code__, None, "on")
    state.set_entries([(jump, "jump", target, 1, 3)])
    calls, answers = [], [4, 1, -1]

    def on_entry(got, pc, view, failures):
        assert got is state
        assert pc == target
        assert failures == []
        function, globals_, builtins, names, local, stack, alone = view
        assert function is loop
        assert globals_ is globals()
        assert builtins is __builtins__ or builtins == vars(__import__("builtins"))
        assert (names, alone) == (None, 1)
        calls.append((local[1], type(stack[0]).__name__))
        return answers.pop(0)

    _native.set_callbacks(on_entry=on_entry)
    assert loop(20) == 20
    assert calls == [(3, "range_iterator"), (7, "range_iterator"), (8, "range_iterator")]
