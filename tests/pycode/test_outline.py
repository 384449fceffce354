"""What is asked of every function without decoding it agrees with what decoding says."""

from __future__ import annotations

import bisect
import functools
import inspect
import types

import numpy.lib._function_base_impl as numpy_functions
import pytest

from pijit.pycode.flow import control_flow
from pijit.pycode.instructions import decode
from pijit.pycode.outline import outline


def code_objects(code):
    yield code
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from code_objects(part)


@pytest.mark.parametrize("module", [inspect, functools, numpy_functions, bisect])
def test_of_all_code_of_a_module(module):
    for code in code_objects(compile(inspect.getsource(module), module.__file__, "exec")):
        seen = outline(code)
        prologue = [i for i in decode(code).instructions if i.next <= seen.start]
        assert [i.opname for i in prologue].count("RESUME") == 1
        assert prologue[-1].opname == "RESUME"
        assert not seen.is_malformed
        if control_flow(code).loops:
            assert seen.may_loop


def test_a_loop_is_seen_behind_others_and_none_where_there_is_none():
    assert outline(compile("while x:\n y()\n", "a", "exec")).may_loop
    assert not outline(compile("if x:\n y()\nelse:\n z()\n", "a", "exec")).may_loop


def test_code_that_is_none():
    code = compile("x", "a", "exec")
    assert outline(code.replace(co_code=code.co_code + b"\x00\x00")).is_malformed
