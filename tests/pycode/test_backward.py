"""Where functions jump backwards, found in their bytes, is what their control flow says."""

from __future__ import annotations

import argparse
import inspect
import tarfile
import textwrap
import typing
from types import CodeType, FunctionType

import numpy as np
import pytest

from pijit.pycode.backward import back_jumps
from pijit.pycode.flow import control_flow
from pijit.pycode.outline import SUSPENDABLE, outline


def by_flow(code):
    flow = control_flow(code)
    jumps = [(loop, jump) for loop in flow.loops for jump in loop.back_edges]
    return sorted((jump.at, loop.header, flow.stack_depth(jump.pc)) for loop, jump in jumps if flow.stack_depth(jump.pc) is not None)


def codes_in(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes_in(const)


def functions_of(module):
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) else ()
        yield from (f for f in (inspect.unwrap(value), *members) if isinstance(f, FunctionType))


@pytest.mark.parametrize("module", [argparse, inspect, tarfile, textwrap, typing, np.lib._function_base_impl, np.polynomial.polynomial])
def test_of_real_functions(module):
    found = 0
    for function in functions_of(module):
        for code in codes_in(function.__code__):
            if not code.co_flags & SUSPENDABLE and outline(code).may_loop:
                assert [tuple(jump) for jump in back_jumps(code)] == by_flow(code), code
                found += 1
    assert found


SOURCES = {
    "behind a handler": "try:\n    a()\nexcept E:\n    b()\nc()",
    "a handler goes on": "while a:\n    try:\n        b()\n    except E:\n        if c: continue\n        d()\n    e()",
    "in a handler": "try:\n    a()\nexcept E as e:\n    for x in b: c(x)\n    while d: e()\nf()",
    "in finally": "for x in a:\n    try:\n        b()\n    finally:\n        for y in c: d(y)",
    "in with": "with a:\n    for x in b:\n        with c: d(x)",
    "a long one": "for x in a:\n    if b: continue\n" + "    c(x)\n" * 300,
    "comprehensions": "return [[y for y in x if y] for x in a if x], {x: y for x, y in b}",
    "never left": "while True:\n    a()",
    "behind return": "while a:\n    return b\nelse:\n    c()",
    "on a stack": "return f(a, b, [x for x in c], d(*[y for y in e]))",
}


@pytest.mark.parametrize("name", SOURCES)
def test_of_all_ways_to_loop(name):
    space: dict[str, object] = {}
    exec("def f(a, b, c, d, e, E):\n" + textwrap.indent(SOURCES[name], "    "), space)
    for code in codes_in(space["f"].__code__):
        if not code.co_flags & SUSPENDABLE:
            assert [tuple(jump) for jump in back_jumps(code)] == by_flow(code)
