"""What native code has borrowed is there until its last object has been made: nothing of the program runs while an exit makes objects, and what
it needs is held where a store makes one."""

import gc

import pytest
from differential import settings

import pijit

SOURCE = """
class Thing:
    def __init__(self, value):
        self.value = value
    def __del__(self):
        log.append("gone")
class Box:  # always allocated: CPython keeps small tuples for the next time
    def __init__(self, value):
        self.value = value
class Clears:
    def __del__(self):
        global held
        log.append("collected")
        held = None
def leaves(x, pair=None):
    thing = held
    pair = Box(x)
    print(end="")
    log.append("goes on")
    return pair.value, thing.value
def leaves_in_a_call(x):
    return leaves(x)
def gives(x):
    thing = held
    return Box(x), thing
def shares(x):
    thing = held
    pair = Box(x)
    return [pair, thing, pair]
class Listed(list):
    pass
def stores(x):
    thing = held
    listed[x % 9].x = x  # the first attribute: a dict is made
    log.append("goes on")
    return thing.value
held, log, listed = None, [], [Listed() for _ in range(9)]
"""


def happens(entry, prepare):
    """What is seen of a call during which garbage is collected whose finalizer drops the function's input."""
    space = {}
    exec(SOURCE, space)
    thing, log = space["Thing"], space["log"]
    function = space[entry] = prepare(space[entry])
    for n in range(3):
        space["held"] = thing(n)
        function(n)
    space["held"] = None
    gc.collect()
    log.clear()
    before = gc.get_threshold()
    gc.disable()
    try:
        space["held"] = thing(7)
        clears = space["Clears"]()
        clears.itself = clears
        del clears
        gc.set_threshold(1)
        gc.enable()
        result = function(2**40)
    finally:
        gc.set_threshold(*before)
        gc.enable()
    log.append("returned")
    del result
    gc.collect()
    return log


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("entry", ["leaves", "leaves_in_a_call", "gives", "shares"])
def test_the_input_of_a_fragment_goes_while_objects_are_made(entry, backend):
    expected = happens(entry, lambda function: function)
    with settings(compile_all=True, raise_internal=True):
        found = happens(entry, lambda function: pijit.jit(function, backend=backend))
    assert "collected" in expected
    assert "collected" in found  # when is not said: it waits until the exit has made its objects
    assert [what for what in found if what != "collected"] == [what for what in expected if what != "collected"]


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_the_input_of_a_fragment_goes_while_a_store_makes_a_dict(backend):
    expected = happens("stores", lambda function: function)
    with settings(compile_all=True, raise_internal=True):
        found = happens("stores", lambda function: pijit.jit(function, backend=backend))
    assert sorted(found) == sorted(expected) == ["collected", "goes on", "gone", "returned"]
    assert found.index("goes on") < found.index("gone")
