"""Frames that have ended, in memory: faulthandler's watchdog walks those of other threads without the lock, and may be at one just then."""

import ctypes
import sys

import native_code as nc
import pytest

from pijit import _native

word = ctypes.c_void_p.from_address  # no Python function is called to look: its frame would lie where the ended one lay
FRAME = 24  # in a frame object
PREVIOUS = 48 if sys.version_info < (3, 12) else 8


def returns(places, n):
    places.append(word(id(sys._getframe()) + FRAME).value)
    total = 0
    for i in range(n):
        total += i
    return total


def raises(places, n):
    returns(places, n)
    places[-1] = word(id(sys._getframe()) + FRAME).value
    raise ValueError


@pytest.mark.parametrize("function", [returns, raises])
@pytest.mark.parametrize("entries", [False, True], ids=["ordinary", "on a clone"])
def test_an_ended_frame_leads_to_its_caller(function, entries):
    own = word(id(sys._getframe()) + FRAME).value
    function.__code__ = code = function.__code__.replace()
    if entries:
        _native.attach(code, None, "on").set_entries([(nc.start_pc(code), "start", nc.start_pc(code), 0, 1 << 40)] + [
            (jump, "jump", target, 1, 1 << 40) for jump, target in nc.jumps_back(code)])  # fmt: skip
    for n in (0, 5, 5):
        places = []
        try:
            function(places, n)
        except ValueError:
            pass
        previous = word(places[0] + PREVIOUS).value
        assert previous == own


def test_what_showed_an_inlined_function_is_never_anything_else():
    places = []

    def look(x):
        places[:] = [word(id(sys._getframe(back)) + FRAME).value for back in (1, 2)]
        return x

    def inner(x):
        return look(x)

    def f(x):
        return inner(x)

    code = f.__code__
    call = nc.pcs(code, "CALL")[0]
    chain = [(None, call), (("const", inner), nc.pcs(inner.__code__, "CALL")[0])]
    site = (("const", look), [("object", 2)], (), chain, [("int", 0, 5)], 3)

    def write(c):
        c.call("pj_call", c.W, 0)
        c.exit(0)

    state = _native.attach(code, None, "on")
    state.set_entries([(nc.start_pc(code), "start", nc.start_pc(code), 0, 1 << 40)])
    state.add_fragment(nc.start_pc(code), nc.fragment(
        nc.native(write), [("local", 0), ("object", 0, 2, int)], [("return", [], [], ("int", 5))], [site], roots_start=3, nroots=1))  # fmt: skip
    for _ in range(3):
        assert f(1) == 1
        shadow, root = places
        kept = [bytes(size) for size in range(600) for _ in range(20)]
        assert word(shadow + PREVIOUS).value == root
        del kept
