"""Attributes of numbers, arrays and tuples that native code has made: a class of its own has what its instances have not; bases of views."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from differential import check, check_calls

import pijit

pytestmark = pytest.mark.shared

VALUES = (3, 2.5, True, np.float32(1.5), np.int64(4), np.arange(3.0))
MISSING = object()


def found_in(cls, name):
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), MISSING)


def of_the_class_only(cls):
    """Names for which getattr(cls, name) is not what is looked up for an instance."""
    return sorted(name for name in {*dir(cls), *dir(type)} if getattr(cls, name, MISSING) is not found_in(cls, name))


def told(function, *args):
    try:
        found = function(*args)
    except AttributeError as error:
        return str(error)
    return type(found), found if isinstance(found, (type, str)) else type(getattr(found, "__self__", None))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_names_that_classes_have_from_theirs(value):
    made = value + value
    for name in of_the_class_only(type(made)):
        namespace = {}
        exec(f"def read(v):\n    w = v + v\n    return w.{name}", namespace)
        read = namespace["read"]
        assert told(pijit.jit(read, backend="numpy"), value) == told(read, value), name


def test_class_of_a_value():
    def same(x, a):
        y, b = x + 1, a + x
        return [v.__class__ for v in (y, b, b[0], b.sum(), (y, 1), y > 0)], b.__class__ is np.ndarray, y.__class__(7)

    check(same, 2, np.arange(3))
    check(same, 2.5, np.arange(3.0))


def test_class_that_an_object_claims():
    class Claims:
        @property
        def __class__(self):
            return int

    claims = Claims()

    def claimed(x):
        return claims.__class__, type(claims) is claims.__class__, (x + 1).__class__

    check(claimed, 2.0)


def test_single_dispatch():
    @functools.singledispatch
    def kind(value):
        return "other"

    kind.register(int, lambda value: "int")
    kind.register(np.ndarray, lambda value: "array")

    def kinds():
        return [kind(1 + len("a")), kind(2.0), kind(np.ones(3) * 2), kind(True), [kind(v) for v in (1, 0.5)]]

    check(kinds)


BASES = """
def f(a, n):
    v = a[1:]
    v += 1
    w = v[::-1]
    w += 1
    u = a[::2].T
    u += n
    found = [x.base is a for x in (v, w, u)]
    v.setflags(write=False)
    str(n)
    v.setflags(write=True)
    v.flags.writeable = True
    return found, v, w, u, [type(x.base).__name__ for x in (v, w, u)]
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_bases_of_views(order):
    for array in (np.arange(4.0), np.arange(20.0).reshape(4, 5), np.arange(6)):
        check_calls(BASES, [(np.array(array, order=order), 1)] * 2, entry="f")


MANY_AXES = """
def f(a):
    for e in range(4):
        a = np.broadcast_to(a, (3,) + a.shape) + e
    return a
"""


def test_arrays_of_many_axes():
    """What is tried on stand-ins is tried on small ones."""
    check_calls(MANY_AXES, [(np.ones((2, 2, 2)),)] * 2, entry="f", configurations=("jit", "enabled"))
