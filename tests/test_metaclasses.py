"""Enumerations, abstract classes and other classes with a metaclass: known like others, but for what their metaclass has to say."""

from __future__ import annotations

import pytest
from differential import check

import pijit

ENUM = """
import enum

class State(enum.Enum):
    IDLE = 1
    RUN = 2.5
    DONE = "x"
    AGAIN = 1

    def next(self):
        return State.RUN if self is State.IDLE else State.DONE

class Machine:
    default = State.IDLE
    def __init__(self):
        self.state, self.n = State.IDLE, 0.0
"""
ABSTRACT = """
import abc

class Shape(abc.ABC):
    count, kind = 3.5, "shape"
    def __init__(self, v):
        self.v = v
    @abc.abstractmethod
    def area(self): ...
    @classmethod
    def unit(cls):
        return cls(1.0)
    @staticmethod
    def scale(x):
        return x * 2.0
    @property
    def twice(self):
        return self.area() * 2.0

class Square(Shape):
    def area(self):
        return self.v * self.v * Square.count

class Disc(Shape):
    def area(self):
        return super().scale(self.v) + Disc.kind.count("s")
"""
PROGRAMS = {
    "is": ENUM + """
def f(n):
    m, seen = Machine(), []
    for i in range(n):
        if m.state is State.IDLE:
            m.state = State.RUN
            m.n += i * 0.5
        elif m.state is not State.DONE:
            m.state = State.DONE
            m.n -= 1.0
        else:
            m.state = Machine.default
        seen.append(m.state.name)
    return m.n, seen, m.state is State.AGAIN
""",
    "equal": ENUM + """
def f(n):
    m = Machine()
    for i in range(n):
        if m.state == State.IDLE:
            m.state = State.RUN
        elif m.state != State.IDLE:
            m.state = State.IDLE
            m.n += i
    return m.n, m.state.value, m.state == 1, State.RUN != 2.5
""",
    "match": ENUM + """
def f(n):
    m = Machine()
    for i in range(n):
        match m.state:
            case State.IDLE:
                m.state = State.RUN
            case State.RUN:
                m.state, m.n = State.DONE, m.n + i
            case State.DONE:
                m.state = State.IDLE
    return m.n, m.state.name
""",
    "methods": ENUM + """
def f(n):
    s, count = State.IDLE, 0
    for i in range(n):
        s = s.next()
        if s is State.DONE:
            s = State.AGAIN
            count += 1
    return s.name, s.value, count
""",
    "members": ENUM + """
def f(n):
    a = State.IDLE.value, State.RUN.value + n, State.DONE.name, State["RUN"].name, State(1).name, [s.name for s in State], len(State)
    return a, State.RUN in State, bool(State), str(State.RUN), {State.RUN: n}[State.RUN], type(State.RUN) is State
""",
    "missing": ENUM + """
def f(n):
    try:
        return State.NOTHING
    except AttributeError as error:
        return str(error)
""",
    "numbers": """
import enum

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5

class Bits(enum.Flag):
    A = 1
    B = 2

def f(n):
    total, bits = 0, Bits.A
    for i in range(n):
        total += Level.HIGH if i % 2 else Level.LOW
        if Level.LOW < i <= Level.HIGH:
            total *= Level.HIGH.value
        bits = bits ^ Bits.B
    return total, bits.value, Bits.A in bits, Level.LOW is Level(1)
""",
    "abstract": ABSTRACT + """
def f(n):
    total, shapes = 0.0, [Square(1.5), Square(2.5), Disc(0.5)]
    for i in range(n):
        for s in shapes:
            total += s.area() + Shape.count * i + Square.scale(s.twice)
    made = Square.unit()
    return total, made.v, isinstance(made, Square), isinstance(made, Disc), isinstance(shapes[2], Shape), Shape.kind, type(made).__name__
""",
    "no instances": ABSTRACT + """
def f(n):
    try:
        return Shape(n)
    except TypeError as error:
        return str(error)
""",
    "made in a loop": ABSTRACT + """
def f(n):
    total = 0.0
    for i in range(n):
        s = Square(float(i)) if i % 3 else Disc(i * 0.5)
        total += s.area()
    return total
""",
    "instances of what is registered": ABSTRACT + """
@Shape.register
class Other:
    v = 2.0

def f(n):
    found = [isinstance(x, Shape) for x in (Other(), Square(1.0), n, None)]
    return found, isinstance(Square(2.0), (Square, Shape)), isinstance(Square(2.0), (Disc, Square)), issubclass(Square, Shape)
""",
    "that decides": """
class Meta(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.tag = 7
        return made
    def __instancecheck__(cls, what):
        return what is None
    def __bool__(cls):
        return False
    def __repr__(cls):
        raise ValueError("nobody asks")
    def __len__(cls):
        return 12
    def __eq__(cls, other):
        return True
    def __hash__(cls):
        return 5
    def __iter__(cls):
        return iter([1, 2])
    def __getitem__(cls, item):
        return item * 2
    def __contains__(cls, item):
        return item == 3
    def __getattr__(cls, name):
        return name
    def __add__(cls, other):
        return 40
    def __neg__(cls):
        return 41
    def __lt__(cls, other):
        return 42
    @property
    def where(cls):
        return "meta"
    kind = "of the metaclass"

class Thing(metaclass=Meta):
    where, kind, own = "thing", "of the class", 1.5
    def __init__(self, x):
        self.x = x

def f(n):
    t = Thing(n)
    a = t.x, t.tag, isinstance(t, Thing), isinstance(None, Thing), isinstance(n, Thing), isinstance(t, (int, Thing)), isinstance(None, (int, Thing))
    b = bool(Thing), 1 if Thing else 2, len(Thing), Thing == n, Thing != n, Thing < 1, list(Thing), [x for x in Thing], Thing[n], 3 in Thing
    c = Thing.where, Thing.kind, Thing.own, Thing.nothing, t.where, t.kind, Thing + 1, -Thing, {Thing: 1, 5: 2}, Thing is Thing, not Thing
    x, y = Thing
    return a, b, c, x, y, Thing in (1, 2), {5: 1}.get(Thing), (Thing, 1) == (2, 1)
""",
    "beside a property with an opinion": """
class Odd:
    def __get__(self, owner, cls):
        return 5.5
    def __set__(self, owner, value):
        owner.log.append(value)
    def __hash__(self):
        raise ValueError("nobody asks")
    def __eq__(self, other):
        raise ValueError("nobody asks")

class Has:
    odd = Odd()
    def __init__(self):
        self.log = []

def f(n):
    has = Has()
    for i in range(n):
        has.odd = has.odd + i
    return has.log
""",
    "that listens": """
seen = []

class Meta(type):
    def __getattribute__(cls, name):
        seen.append(name)
        return super().__getattribute__(name)

class Thing(metaclass=Meta):
    def __init__(self, x):
        self.x = x
    def more(self):
        self.x += 1
        self.y = self.x * 2
        return self.y

def f(n):
    seen.clear()
    t = Thing(n)
    total = 0
    for i in range(n):
        total += t.more() + i
    match t:
        case [a, b]:
            total = 0
        case Thing():
            total += 1
    try:
        t.z
    except AttributeError as error:
        return total, str(error), seen
""",
    "that gets attributes": """
class Meta(type):
    def __getattribute__(cls, name):
        return 3 if name == "own" else super().__getattribute__(name)

class Thing(metaclass=Meta):
    own = 1.5

def f(n):
    return Thing.own + n, Thing().own
""",
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(source):
    check(source, 12)


@pytest.mark.parametrize("name", ["is", "equal", "match", "methods", "made in a loop"])
def test_nothing_is_left_to_the_interpreter(name):
    names = {"__name__": __name__}
    exec(PROGRAMS[name], names)
    fast = pijit.jit(fullgraph=True)(names["f"])
    assert fast(30) == names["f"](30)


CHANGES = {
    "a method": "Square.area = lambda self: -1.0",
    "a class attribute": "Square.count = 10.0",
    "the metaclass calls": "abc.ABCMeta.__call__ = lambda cls, *args: Disc.__new__(Disc)",
    "the metaclass has the name": "abc.ABCMeta.count = property(lambda cls: 100.0)",
    "the metaclass gets attributes": "abc.ABCMeta.__getattribute__ = lambda cls, name: 4.0 if name == 'count' else type.__getattribute__(cls, name)",
    "no longer": "Square.area = lambda self: -1.0; Square.area = lambda self: -2.0",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changes_take_effect_at_once(change):
    """Of a metaclass, too."""
    source = ABSTRACT.replace("import abc\n", """
import types
class Meta(type): pass
def abstractmethod(f): return f
abc = types.SimpleNamespace(ABC=Meta("ABC", (), {}), ABCMeta=Meta, abstractmethod=abstractmethod)
""") + f"""
Disc.v = 0.25

def g(n):
    s = Square(n * 0.5)
    return s.area() + Square.count

def f(n):
    before = [g(i) for i in range(n)]
    {change}
    return before, [g(i) for i in range(n)]
"""
    check(source, 40)
