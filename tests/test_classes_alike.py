"""Classes that are compared by == and !=, and __class__: for ordinary ones both are what `is` and type() give."""

from __future__ import annotations

import pytest
from differential import check, check_stays_native

pytestmark = pytest.mark.shared

CLASSES = """
class A:
    k = 1

class B(A):
    def kind(self):
        return self.__class__

    def name(self):
        return self.__class__.__name__, type(self) == B

class Slots:
    __slots__ = ("x",)
"""
PROGRAMS = {
    "numbers": "def f(x):\n    return type(x) == int, int != type(x), float == type(x), x.__class__ == int, x.__class__ is float, bool == int\n",
    "with others": "def f(x):\n    return type(x) == 3, type(x) != None, int == 'int', type(x) == (int,), [type(x)] == [int]\n",
    "arrays": """
def f(x):
    a = np.arange(3.0) * x
    t = a.dtype.type
    return t == np.float64, t != np.int64, type(a) == np.ndarray, a.dtype == float
""",
    "objects": CLASSES + """
def f(x):
    out = []
    for o in [A(), B(), A(), B(), Slots()] * 3:
        out.append((type(o) == A, o.__class__ == B, o.__class__ != type(o), o.__class__ is A, issubclass(o.__class__, A)))
        if o.__class__ == B:
            out.append((o.kind(), *o.name()))
    return out
""",
    "it becomes another": CLASSES + """
made = [B() for _ in range(6)]

def f(x):
    out = []
    for i, o in enumerate(made):
        out.append(o.__class__.__name__)
        o.__class__ = A if i % 2 else B
        out.append((o.__class__ == A, type(o) == A, o.__class__.k))
    return out
""",
    "it claims to be another": """
told = []

class Claims:
    @property
    def __class__(self):
        told.append(1)
        return int

def f(x):
    made = [Claims(), Claims()]
    return [(o.__class__ == int, o.__class__ == Claims, type(o) == Claims, isinstance(o, int)) for o in made], len(told)
""",
    "its metaclass decides": """
class Meta(type):
    def __eq__(self, other):
        return True

    __hash__ = type.__hash__

class One(metaclass=Meta): pass

class Two(metaclass=Meta): pass

made = [One(), Two()]

def f(x):
    return [(type(o) == One, int == type(o), o.__class__ is One, type(o) is Two, o.__class__ != Two) for o in made]
""",
    "an attribute of that name": CLASSES + """
made = A()
made.__dict__["__class__"] = int

def f(x):
    return made.__class__ == A, made.__class__, type(made) == int
""",
    "members that decide": """
import enum
told = []

class Loud(enum.Enum):
    ONE = 1
    TWO = 2

    def __eq__(self, other):
        told.append(str(other))
        return True

    __hash__ = enum.Enum.__hash__

held = {"x": Loud.ONE, "y": None, "z": 2.5}

def f(x):
    return [(o is Loud.ONE, Loud.TWO is o, o is None) for o in held.values()], told[:]
""",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    check(PROGRAMS[name], 3)
    check(PROGRAMS[name], 2.5)


def test_natively():
    source = """
class A: pass

class B(A): pass

made = [A(), B()] * 8

def f(n):
    return sum(1 if type(o) == A else n if o.__class__ == B else 100 for o in made)
"""
    check_stays_native(source, 3)
