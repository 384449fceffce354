"""An object lives as long as a local variable has it, read again or not: files, directories, memory that only an address leads to."""

import pytest
from differential import check, check_calls

CLASS = """
import weakref
class Held:
    alive = 0
    def __init__(self):
        Held.alive += 1
        self.name = Held.alive
    def __del__(self):
        Held.alive -= 1
def alive():
    return Held.alive
"""
LOOP = "    s = 0.0\n    for i in range(60):\n        s += i * n\n"
PROGRAMS = {
    "made by a call": f"def f(n):\n    held = Held()\n{LOOP}    return s, alive()\n",
    "read once": f"def f(n):\n    held = Held()\n    name = held.name\n{LOOP}    return s, alive(), name\n",
    "argument": f"def g(held, n):\n{LOOP}    return s, alive()\ndef f(n):\n    return g(Held(), n)\n",
    "another name": f"def f(n):\n    held = Held()\n    other = held\n    held = None\n{LOOP}    return s, alive()\n",
    "before a branch": "def f(n):\n    held = Held()\n    if n > 2:\n        s = n * 2\n    else:\n        s = n + 1\n    return s, alive()\n",
    "in a branch": f"def f(n):\n    if n > 2:\n        held = Held()\n{LOOP}    return s, alive()\n",
    "in an inlined call": f"def g(n):\n    held = Held()\n{LOOP}    return s + alive()\ndef f(n):\n    return g(n) + 1\n",
    "weakly": f"def f(n):\n    a = np.full(10, 7.0)\n    w = weakref.ref(a)\n{LOOP}    return w() is not None, s\n",
    "weakly, computed": "def f(n):\n    a = np.arange(10.0) * n\n    w = weakref.ref(a)\n    s = a.sum()\n"
                        "    for i in range(60):\n        s += i * n\n    return w() is not None, s\n",
    "by its address": f"import ctypes\ndef f(n):\n    a = np.full(1000, 7.0)\n    p = a.ctypes.data\n{LOOP}    b = np.zeros(1000)\n"
                      "    return ctypes.c_double.from_address(p).value, s, b.sum()\n",
    "until it is assigned again": f"def f(n):\n    held = Held()\n    before = alive()\n    held = 1\n{LOOP}    return s, before, alive()\n",
    "until it is deleted": f"def f(n):\n    held = Held()\n    before = alive()\n    del held\n{LOOP}    return s, before, alive()\n",
    "in a loop": "def f(n):\n    total = 0\n    for i in range(5):\n        held = Held()\n        name = held.name\n        for j in range(3):\n"
                 "            total += name * j\n        total += alive()\n    return total, alive()\n",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_live_as_long_as_their_names(name):
    # where an exit is forced in the loop, the object of the iteration before may live until the next exit
    how = {"configurations": ("jit", "numpy")} if name == "in a loop" else {}
    check_calls(CLASS + PROGRAMS[name], [(n,) for n in (1, 2, 3, 2.5, 4)], entry="f", **how)


SECOND = """
import numpy as np
def f(n):
    x = np.zeros(n)
    y = x
    {between}
    try:
        x.resize(n + 3)
    except ValueError:
        return "refused", x
    return x
"""


@pytest.mark.parametrize("between", ["print(end='')", "x[0] = len(str(x))"])
def test_a_second_name_is_a_reference_as_long_as_the_first_is_there(between):
    """`resize` refuses while there is another one, though nothing reads it again."""
    check(SECOND.format(between=between), 5, entry="f")


ENDS = """
told = []
class Last:
    def __init__(self, name):
        self.name = name
    def __del__(self):
        told.append(self.name)
class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b
def f():
"""


@pytest.mark.parametrize("body", [
    "a = Last(1); b = Last(2)", "t = [Last(1), Last(2)]", "t = Last(1), Last(2)", "t = [Last(1), Last(2)]; return 3",
    "[Last(1), Last(2)][0].name", "len((Last(1), Last(2)))", "t = [Last(1), [Last(2), Last(3)]]; t = 4; told.append(t)",
    "t = Pair(Last(1), [Last(2), Last(3)]); del t; told.append(4)", "t = [Last(1), Last(2)]; t[0] = 3; t = 4; told.append(t)",
    "t = [Last(i) for i in range(3)]; t = 4; told.append(t)", "t = lambda a=Last(1), b=Last(2): a; t = 3; told.append(t)",
    "a = Last(1); b = Last(2); t = lambda: (a, b); del a, b; told.append(3); del t; told.append(4)",
    "for i in range(3):\n        t = [Last(i), Last(3)]\n        told.append(4)\n    t = 5\n    told.append(t)",
    "t = [Last(1)]\n    for i in range(50):\n        if i == 20:\n            t = i\n        if i == 30:\n            told.append(i)",
    "t = slice(Last(1), Last(2)); t = 3; told.append(t)", "a = Last(1); t = {1: a}; a = 2; told.append(a); t = 3; told.append(t)",
])  # fmt: skip
def test_objects_go_in_order(body):
    """An object whose class wants to know goes with the last that owns it, before anything else happens."""
    check(ENDS + "    " + body, entry="f")
