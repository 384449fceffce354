"""Exceptions that are raised and handled within a fragment by handlers that look at them, and by context managers: the same answer, and natively."""

from __future__ import annotations

import pytest
from differential import check, check_calls
from seen_exceptions_left import OTHERS
from seen_exceptions_natively import CLASSES, NATIVE

import pijit


@pytest.mark.parametrize("program", NATIVE.values(), ids=NATIVE)
def test_native(program: str) -> None:
    check(CLASSES + program, 8)


@pytest.mark.parametrize("program", OTHERS.values(), ids=OTHERS)
def test_others(program: str) -> None:
    check(CLASSES + program, 8)


@pytest.mark.parametrize("name", NATIVE)
def test_stays_native(name: str) -> None:
    """Nothing ends native code: no exception, and no handler of one."""
    namespace: dict[str, object] = {"__name__": "seen"}
    exec(CLASSES + NATIVE[name], namespace)
    f = pijit.jit(namespace["f"], fullgraph=True)  # type: ignore[arg-type]
    for _ in range(4):
        f(8)
    before = pijit.stats(f).exits
    f(8)
    assert pijit.stats(f).exits == before


RAISES = """
import numpy as np

def f(i, k):
    try:
        try:
            if i > 2:
                raise ValueError(i)
        except ValueError:
            return np.geomspace(1.0, 2.0, k)
    except ValueError as e:
        return str(e), e.__context__.args, e.__traceback__.tb_lineno
    return i
"""


def test_call_that_raises() -> None:
    """What is called in a handler raises there, not where the first exception was raised."""
    check_calls(RAISES, [(3, 4), (1, 4), (5, 6), (4, 3), (4, -1), (2, -1)])


CHANGING = """
class Error(Exception):
    def __init__(self, code):
        self.code = code

class Manager:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is ValueError

def f(i, change):
    if change == 1:
        Error.__str__ = lambda self: "mine"
    elif change == 2:
        Error.args = property(lambda self: 5)
    elif change == 3:
        Error.code = property(lambda self: 7, lambda self, value: None)
    elif change == 4:
        del Error.code
        Error.__init__ = lambda self, code: setattr(self, "code", -code)
    elif change == 5:
        Manager.__exit__ = lambda *what: None
    elif change == 6:
        Error.__getattribute__ = lambda self, name: 3
    out = []
    for k in range(i):
        try:
            if k % 3 == 1:
                raise Error(k)
            with Manager():
                if k % 3 == 2:
                    raise ValueError(k)
                out.append(k)
        except Error as e:
            out.append((e.code, str(e), e.args))
        except ValueError as e:
            out.append(f"{e}")
    return out
"""


def test_classes_change() -> None:
    """What is done to the classes later on counts."""
    check_calls(CHANGING, [(9, change) for step in range(7) for change in (step, 0, 0)])


SHARED = """
def check(i):
    if i % 3 == 1:
        raise ValueError(i)
    return i

def first(n):
    seen, total = [], 0
    for i in range(n):
        try:
            total += check(i)
        except ValueError:
            seen.append(i)
            total -= 1
    return total, seen

def f(n):
    total = 0
    for i in range(n):
        try:
            total += check(i)
        except ValueError as e:
            total += e.args[0]
    return total
"""


def test_left_for_one_caller() -> None:
    """What the interpreter has to do for one caller is done natively for others."""
    namespace: dict[str, object] = {"__name__": "shared"}
    exec(SHARED, namespace)
    first = pijit.jit(namespace["first"])  # type: ignore[arg-type]
    second = pijit.jit(namespace["f"], fullgraph=True)  # type: ignore[arg-type]
    for _ in range(3):
        assert first(9) == (21, [1, 4, 7])
        assert second(9) == sum(range(9))


LATER = """
class Kept(Exception):
    def __init__(self, x):
        self.x = x

class Plain:
    def __init__(self, x):
        self.x = x
    def twice(self):
        return self.x * 2

def f(n, name):
    for cls in (Kept, Plain):
        if name:
            setattr(cls, name, lambda self, wanted: 77)
    total = raised(n), made(n), asked(n)
    for cls in (Kept, Plain):
        if name:
            delattr(cls, name)
    return total

def raised(n):
    total = 0
    for i in range(n):
        try:
            raise Kept(i)
        except Kept as e:
            total += e.x + getattr(e, "nothing", 5)
    return total

def made(n):
    total = 0
    for i in range(n):
        p = Plain(i)
        total += p.x
    return total

def asked(n):
    total = 0
    for i in range(n):
        p = Plain(i)
        total += hasattr(p, "nothing") + getattr(p, "other", 3)
    return total
"""


@pytest.mark.parametrize("name", ["__getattribute__", "__getattr__"])
def test_classes_get_a_say_in_attributes(name: str) -> None:
    """Of objects that are never made, too."""
    check_calls(LATER, [(9, given) for _ in range(3) for given in ("", "", name)], entry="f")
