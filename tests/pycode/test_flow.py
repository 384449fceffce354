"""Handlers, stack depths, blocks and loops."""

import ctypes
import dis
from collections.abc import Iterator
from types import FunctionType

import pytest

from pijit.pycode.flow import Flow, control_flow
from pijit.pycode.instructions import decode
from tests.pycode.programs import function, library


def test_library_depths() -> None:
    """The deepest place is never above co_stacksize, and nearly always just that (the compiler counts dead code too)."""
    exact = 0
    for code in library():
        flow = control_flow(code)
        depths = [d for i in decode(code).instructions if (d := flow.stack_depth(i.pc)) is not None]
        assert min(depths) >= 0 and max(depths) <= code.co_stacksize
        exact += max(depths) == code.co_stacksize
    assert exact > 0.95 * len(library())


def test_library_handlers_agree_with_dis() -> None:
    for code in library():
        flow = control_flow(code)
        table = dis._parse_exception_table(code)  # type: ignore[attr-defined]
        for i in decode(code).instructions:
            rows = [row for row in table if row.start <= i.at * 2 < row.end]
            expected = [(row.target // 2, row.depth, row.lasti) for row in rows]
            handler = flow.handler(i.pc)
            assert ([] if handler is None else [tuple(handler)]) == expected


def test_library_blocks_cover_what_is_reached() -> None:
    for code in library():
        flow = control_flow(code)
        inside = [i.pc for leader in flow.leaders for i in flow.blocks[leader]]
        assert inside == [i.pc for i in decode(code).instructions if flow.stack_depth(i.pc) is not None]
        for leader, block in flow.blocks.items():
            assert block[0].pc == leader
            assert all(flow.handler(i.pc) == flow.handler(leader) for i in block)
            assert all(flow.next_pcs(i.pc) == (i.next,) for i in block[:-1])
            assert set(flow.successors(block[-1].pc)) <= set(flow.blocks)


def test_library_loops_nest() -> None:
    for code in library():
        flow = control_flow(code)
        for loop in flow.loops:
            assert flow.loop_at(loop.header) is loop
            assert {i.target for i in loop.back_edges} == {loop.header}
            assert loop.header in loop.body and all(i.pc in loop.body for i in loop.back_edges)
            assert loop.depth == (loop.parent.depth + 1 if loop.parent else 1)
            assert loop.parent is None or loop.body < loop.parent.body
            others = [other for other in flow.loops if other is not loop]
            assert all(o.body <= loop.body or loop.body <= o.body or not o.body & loop.body for o in others)


def test_library_for_loops() -> None:
    """Every jump back to a FOR_ITER closes its loop."""
    for code in library():
        flow = control_flow(code)
        reached = [i for i in decode(code).instructions if flow.stack_depth(i.pc) is not None]
        for i in reached:
            if i.opname == "FOR_ITER":
                back = {j.pc for j in reached if j.target == i.pc and j.pc > i.pc}
                loop = flow.loop_at(i.pc)
                assert back == ({j.pc for j in loop.back_edges} if loop else set())


GENERATORS = """
def f(g, a):
    x = g(1, [2, (yield 0)], key=(yield 1))
    for i in range(3):
        x = x + (yield i)
        with a as b:
            x = {1: 2, x: b.m(x, (yield i))}
        try:
            1 / 0
        except ZeroDivisionError:
            yield 5
            x = [x, *x, (yield)]
        finally:
            x = x[g:(yield 3)]
        x = a
    return x
"""


def suspended_depth(generator: Iterator[object], slots: int) -> int:
    """How many values are on the stack of a suspended generator, from its frame in memory."""
    frame = ctypes.c_void_p.from_address(id(generator.gi_frame) + 24).value  # type: ignore[attr-defined]
    assert frame is not None
    return ctypes.c_int.from_address(frame + 64).value - slots  # its field stacktop


class Anything:
    """Answers every question that the generator asks with itself."""

    def __call__(self, *args: object, **names: object) -> "Anything":
        return self

    __add__ = __getitem__ = __call__
    m = __enter__ = __call__

    def __exit__(self, *args: object) -> None:
        return None

    def __index__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[object]:
        return iter(())


def test_depths_are_those_of_a_running_generator() -> None:
    code = function(GENERATORS)
    flow, bytecode = control_flow(code), decode(code)
    thing = Anything()
    generator = FunctionType(code, {"__builtins__": __builtins__})(thing, thing)
    next(generator)
    seen = set()
    while True:
        pc = generator.gi_frame.f_lasti // 2
        assert bytecode.at(pc).opname in ("YIELD_VALUE", "RESUME")  # 3.13 shows the place to go on
        depth = flow.stack_depth(pc)
        assert depth is not None
        # what is yielded is gone, what is sent is not there yet
        assert suspended_depth(generator, len(bytecode.slots)) == depth - 1
        seen.add((pc, depth))
        try:
            generator.send(thing)
        except StopIteration:
            break
    assert len({depth for _, depth in seen}) > 3


def loops(source: str) -> tuple[Flow, list[tuple[int, set[str], set[str]]]]:
    code = function(source)
    flow, slots = control_flow(code), decode(code).slots
    return flow, [(loop.depth, {slots[n] for n in loop.stores}, set(loop.names)) for loop in flow.loops]


LOOPS = {
    "for": ("def f(a):\n for x in a:\n  y = x\n z = 1", [(1, {"x", "y"}, set())]),
    "nest": (
        "def f(a, n):\n for i in range(n):\n  for j in range(i):\n   s = a[i, j]\n  t = s",
        [(1, {"i", "j", "s", "t"}, set()), (2, {"j", "s"}, set())],
    ),
    "while": ("def f(n):\n while n > 1:\n  n = n - 1\n return n", [(1, {"n"}, set())]),
    "continue": (  # `continue` goes to the test at the top, the end of the body to its copy at the bottom
        "def f(n, x):\n while n:\n  n -= 1\n  if x: continue\n  y = n",
        [(1, {"n", "y"}, set()), (2, {"n", "y"}, set())],
    ),
    "while true": ("def f(n):\n while True:\n  n = n - 1\n  if n: break\n m = 1", [(1, {"n"}, set())]),
    "cell": ("def f(a):\n c = 0\n for x in a:\n  c += x\n return lambda: c", [(1, {"x", "c"}, set())]),
    "handler": (
        "def f(a):\n for x in a:\n  try:\n   x()\n  except KeyError:\n   bad = x\n  except ValueError:\n   worse = x\n   break",
        [(1, {"x", "bad"}, set())],
    ),
    "class": ("class f:\n for x in range(3):\n  y = x", [(1, set(), {"x", "y"})]),
    "handler without loop": ("def f(a):\n try:\n  a()\n except KeyError:\n  a = 1\n return a", []),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    source, expected = LOOPS[name]
    assert loops(source)[1] == expected


def test_loop_parents() -> None:
    flow, _ = loops(LOOPS["nest"][0])
    outer, inner = flow.loops
    assert inner.parent is outer and outer.parent is None and inner.body < outer.body


def test_handler_is_a_successor() -> None:
    code = function("def f(a):\n try:\n  a()\n except KeyError:\n  pass")
    flow = control_flow(code)
    call = next(i for i in decode(code).instructions if i.opname == "CALL")
    handler = flow.handler(call.pc)
    assert handler is not None and handler.depth == 0 and not handler.lasti
    assert flow.successors(call.pc) == (call.next, handler.pc)
    assert flow.stack_depth(handler.pc) == 1
