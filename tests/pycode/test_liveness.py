"""What is live at marked places of small programs."""

from types import CodeType

import pytest

from pijit.pycode.flow import control_flow
from pijit.pycode.instructions import decode
from pijit.pycode.liveness import live, names_all_live
from tests.pycode.programs import function, library

# Each program marks places by loading a global HERE; the names that are live there follow.
PROGRAMS = {
    "straight": ("def f(a, b):\n c = a\n HERE\n return c", [{"c"}]),
    "dead store": ("def f(a):\n b = a\n HERE\n b = 1\n return b", [set()]),
    "branch": ("def f(a, b, c):\n HERE\n if a: return b\n return c", [{"a", "b", "c"}]),
    "loop": (
        "def f(a, n):\n s = 0\n for i in range(n):\n  HERE\n  t = a[i]\n  s += t\n HERE\n return s",
        [{"a", "i", "s"}, {"s"}],
    ),
    "while": ("def f(a, n):\n while n:\n  HERE\n  x = n - 1\n  n = x\n return a", [{"a", "n"}]),
    "handler": (
        "def f(a, b):\n x = 1\n try:\n  HERE\n  x = a()\n except KeyError:\n  return x, b\n HERE\n return x",
        [{"a", "b", "x"}, {"x"}],
    ),
    "handler does not read": (
        "def f(a, b):\n try:\n  HERE\n  b = a()\n except KeyError:\n  return a\n HERE\n return b",
        [{"a"}, {"b"}],
    ),
    "finally": ("def f(a, b):\n try:\n  HERE\n  return a()\n finally:\n  b.close()", [{"a", "b"}]),
    "with": ("def f(a, b):\n with a:\n  HERE\n  b = 1\n  return b", [set()]),
    "with may swallow": ("def f(a, b):\n with a:\n  HERE\n  b = 1\n return b", [{"b"}]),
    "handler in a loop": (
        "def f(a, last):\n for x in a:\n  try:\n   HERE\n   last = x()\n  except KeyError:\n   continue\n HERE\n return last",
        [{"x", "last"}, {"last"}],
    ),
    "cell": ("def f(a):\n c = a\n g = lambda: c\n HERE\n return 1", [{"c"}]),
    "closure": ("def outer(c):\n def f(a):\n  HERE\n  return a\n  c\n return f, c", [{"a", "c"}]),
    "delete": ("def f(a, b):\n HERE\n del a\n HERE\n a = b\n return a", [{"a", "b"}, {"b"}]),
    "unpack": ("def f(a, x, y):\n HERE\n x, y = a\n HERE\n return y", [{"a"}, {"y"}]),
    "locals": ("def f(a, b):\n HERE\n return locals()", [{"a", "b"}]),
    "getframe": ("def f(a, b):\n HERE\n return sys._getframe().f_back", [{"a", "b"}]),
    "comprehension": ("def f(a, b):\n HERE\n c = [x + 1 for x in a]\n HERE\n return c", [{"a"}, {"c"}]),
    "super": ("class C:\n def f(self, a):\n  HERE\n  s = super()\n  return s.f", [{"self", "__class__"}]),
}
FAST = ("_FAST", "_FAST_CHECK", "_FAST_AND_CLEAR")


def marked(code: CodeType) -> list[int]:
    steps = [(i, step) for i in decode(code).instructions for step in i.micros]
    return [i.pc for i, step in steps if step.name == "LOAD_GLOBAL" and step.arg == "HERE"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_live(name: str) -> None:
    source, expected = PROGRAMS[name]
    code = function(source)
    slots = decode(code).slots
    found = [{slots[n] for n in live(code, pc)} for pc in marked(code)]
    cleared = {s.arg for i in decode(code).instructions for s in i.micros if s.name == "LOAD_FAST_AND_CLEAR"}
    first = {slots[n] for n in cleared}  # inlined comprehensions put their variable's old value aside: that is a use
    assert [names - first for names in found] == expected


def test_cleared_variables_are_used() -> None:
    code = function("def f(a):\n return [x for x in a]")
    for i in decode(code).instructions:
        for step in i.micros:
            if step.name == "LOAD_FAST_AND_CLEAR":
                assert step.arg in live(code, i.pc)


def test_names() -> None:
    assert names_all_live(compile("x = 1", "program", "exec"))
    assert names_all_live(function("class f:\n x = 1"))
    assert not names_all_live(function("def f(): pass"))


def paths_read(code: CodeType, pc: int, slot: int) -> bool:
    """Whether some path from pc reads the slot before writing it, looked for step by step."""
    flow, bytecode = control_flow(code), decode(code)
    todo, seen = [pc], set()
    while todo:
        pc = todo.pop()
        if pc in seen:
            continue
        seen.add(pc)
        uses = [step for step in bytecode.at(pc).micros if step.name.endswith(FAST) and step.arg == slot]
        if uses and uses[0].name != "STORE_FAST":
            return True
        handler = flow.handler(pc)
        todo += [handler.pc] if handler else []
        todo += flow.next_pcs(pc) if not uses else []
    return False


def test_library_agrees_with_a_search() -> None:
    sample = [code for code in library() if len(code.co_code) < 600][::29]
    for code in sample:
        bytecode, flow = decode(code), control_flow(code)
        if bytecode.sees_frame or bytecode.loads_super:
            continue
        cells = bytecode.cell_slots | bytecode.free_slots
        for i in bytecode.instructions:
            if flow.stack_depth(i.pc) is not None:
                slots = frozenset(n for n in range(len(bytecode.slots)) if n in cells or paths_read(code, i.pc, n))
                assert live(code, i.pc) == slots
