"""Decoding agrees with dis, whatever state the code is in, and keeps nothing alive."""

import dis
import gc
import sys
import weakref
from types import CodeType, FunctionType

from pijit.pycode.instructions import Bytecode, Micro, decode
from pijit.pycode.versions import CALL_ORDER, PREFIXES
from tests.pycode.programs import function, library


def steps(code: CodeType) -> list[tuple[str, object]]:
    return [(step.name, step.arg) for i in decode(code).instructions for step in i.micros if step.name != "NOP"]


def lines_of(code: CodeType) -> list[int | None]:
    """The line of each code unit; what has none (3.11's handlers) is on the line of what is before it."""
    known: list[int | None] = []
    for line, *_ in code.co_positions():
        known.append(known[-1] if line is None and known else line)
    return known


def test_library_agrees_with_dis() -> None:
    for code in library():
        bytecode = decode(code)
        expected = [i for i in dis.get_instructions(code) if i.opname not in PREFIXES]
        lines = lines_of(code)
        assert [(i.at, i.opname, i.line) for i in bytecode.instructions] == [
            (i.offset // 2, i.opname, lines[i.offset // 2]) for i in expected
        ]
        for i, other in zip(bytecode.instructions, expected, strict=True):
            jumps = other.opcode in dis.hasjrel
            assert (i.target is not None) == jumps
            if jumps and i.opname != "FOR_ITER":
                assert i.target == other.argval // 2


def test_library_has_no_gaps() -> None:
    for code in library():
        bytecode = decode(code)
        pc = 0
        for i in bytecode.instructions:
            assert i.pc == pc <= i.at < i.next
            assert bytecode.at(i.pc) is bytecode.at(i.at) is i
            assert i.micros
            pc = i.next
        assert pc * 2 == len(code.co_code)


def test_library_jumps_to_instructions() -> None:
    for code in library():
        bytecode = decode(code)
        firsts = {i.pc for i in bytecode.instructions}
        assert {i.target for i in bytecode.instructions if i.target is not None} <= firsts
        assert bytecode.start in firsts
        before = [i.opname for i in bytecode.instructions if i.next == bytecode.start]
        assert before == ["RESUME"]


def test_library_slots() -> None:
    for code in library():
        bytecode = decode(code)
        names = tuple(code._varname_from_oparg(n) for n in range(len(bytecode.slots)))  # type: ignore[attr-defined]
        assert names == bytecode.slots
        assert {bytecode.slots[n] for n in bytecode.cell_slots} == set(code.co_cellvars)
        assert tuple(bytecode.slots[n] for n in sorted(bytecode.free_slots)) == code.co_freevars


def test_for_goes_on_after_the_end() -> None:
    code = function("def f(a):\n for x in a: pass\n return 7")
    bytecode = decode(code)
    loop = next(i for i in bytecode.instructions if i.opname == "FOR_ITER")
    assert loop.target is not None
    assert bytecode.at(loop.target).micros[0] == Micro("LOAD_CONST", 7)


def test_prefixes_belong_to_the_call() -> None:
    code = function("def f(g, a):\n return g(a, key=1)")
    call = next(i for i in decode(code).instructions if i.opname in ("CALL", "CALL_KW"))
    assert decode(code).at(call.at) is call
    if sys.version_info < (3, 13):
        assert call.pc < call.at
        assert call.micros == (Micro("CALL", (2, ("key",))),)
    else:
        assert call.micros == (Micro("CALL_KW", 2),)


def test_extended_arguments() -> None:
    body = "\n".join(f" v{n} = {n + 1000}" for n in range(400))
    code = function(f"def f(c):\n{body}\n while c:\n  c = v300\n{body}\n return v399")
    bytecode = decode(code)
    loads = [i for i in bytecode.instructions if Micro("LOAD_CONST", 1399) in i.micros]
    assert loads and all(i.pc < i.at for i in loads)
    stores = {step.arg for i in bytecode.instructions for step in i.micros if step.name == "STORE_FAST"}
    assert len(stores) == 400 + 1


def test_null_goes_where_the_version_has_it() -> None:
    names = [name for name, _ in steps(function("def f():\n return g()")) if name in ("PUSH_NULL", "LOAD_GLOBAL")]
    assert names == (["PUSH_NULL", "LOAD_GLOBAL"] if CALL_ORDER == "null_first" else ["LOAD_GLOBAL", "PUSH_NULL"])


def test_closures_are_told_from_values() -> None:
    source = """
        def f(x):
            y = [lambda: x for z in range(3)]
            return [0 if x else 1 for x in y], lambda: y
    """
    code = function(source)
    names = decode(code).slots
    closures = [names[arg] for name, arg in steps(code) if name == "LOAD_CLOSURE" and isinstance(arg, int)]
    assert closures == ["x", "y"]
    if sys.version_info >= (3, 12):  # before, a comprehension is a function of its own
        assert ("LOAD_FAST", names.index("x")) in steps(code)
    body = function("class f:\n def g(self): return __class__")
    assert ("LOAD_CLOSURE", 0) in steps(body)


def test_generators() -> None:
    assert decode(function("def f():\n yield")).is_generator
    assert decode(function("async def f(): pass")).is_generator
    assert not decode(function("def f(): pass")).is_generator


def test_looks_at_frames() -> None:
    for body in ("locals()", "eval('x')", "sys._getframe()", "vars()", "dir()", "exec('')", "sys._getframe().f_back"):
        assert decode(function(f"def f(x):\n return {body}")).sees_frame
    assert not decode(function("def f(x):\n return x.locals(x)")).sees_frame


def test_specialised_code_decodes_the_same() -> None:
    source = "def f(n, o):\n s = 0\n for i in range(n):\n  s += o.real * i\n  o = max(o, s)\n return s"
    code, fresh = function(source), function(source)
    FunctionType(code, {"__builtins__": __builtins__})(5000, 3)
    assert steps(code) == steps(fresh)
    traced = function(source)
    before = sys.gettrace()
    sys.settrace(lambda *_: lambda *_: None)
    FunctionType(traced, {"__builtins__": __builtins__})(50, 3)
    during = Bytecode(traced).instructions
    sys.settrace(before)
    assert during == decode(fresh).instructions


def test_nothing_is_kept_alive() -> None:
    code = function("def f(x):\n return x + 1")
    bytecode = decode(code)
    assert decode(code) is bytecode
    assert bytecode.code is code
    gone = weakref.ref(code)
    del code
    gc.collect()
    assert gone() is None


def test_equal_steps_are_one_object_and_constants_are_not() -> None:
    """What is decoded is kept; most of it is the same again and again. Of constants equal ones may be different."""
    one, other = (decode(function(f"def f(o, n):\n o.real\n return o, n, {value}")) for value in ("1", "1.0"))
    shared = zip(one.instructions, other.instructions, strict=True)
    assert all(i.micros is j.micros for i, j in shared if "CONST" not in i.opname)
    for bytecode, kind in ((one, int), (other, float)):
        assert kind in [type(step.arg) for i in bytecode.instructions for step in i.micros if step.name == "LOAD_CONST"]
