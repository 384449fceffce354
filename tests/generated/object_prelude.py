"""What the generated programs of objects are made of: their text begins with this one (see object_programs.py)."""

# ruff: noqa: F401  programs use them

import contextlib
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import random
from collections import defaultdict, deque, namedtuple

import numpy as np

TOTAL = 0
SEEN = []


class Refused(Exception):
    pass


class TooMany(Refused, ValueError):
    def __init__(self, limit, *rest):
        super().__init__(limit, *rest)
        self.limit = limit


def told(error):
    """An exception, where it has been, and those that led to it."""
    if error is None:
        return None
    lines, trace = [], error.__traceback__
    while trace is not None:
        lines.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    return type(error).__name__, str(error), lines[-4:], told(error.__cause__), told(error.__context__)


class Base:
    scale = 1.5
    made = 0

    def __init__(self, x=1, **rest):
        super().__init__(**rest)
        self.x = x
        Base.made += 1

    def step(self, v):
        self.x = self.x + v
        return self

    def __repr__(self):
        held = {name: v for name, v in vars(self).items() if type(v).__name__ not in ("function", "method", "tuple", "Spot", "Slotted")}
        return f"{type(self).__name__}({held})"


class Tagged:
    def __init__(self, *args, tag="t", **rest):
        super().__init__(*args, **rest)
        self.tag = tag

    def step(self, v):
        self.tag = self.tag[-5:] + "!"
        return super().step(v * 2)


class Limit:
    """A descriptor."""

    def __set_name__(self, owner, name):
        self.place = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.place, 0)

    def __set__(self, instance, value):
        if value > 1000:
            raise TooMany(1000, value)
        setattr(instance, self.place, value)


class Point(Base):
    limit = Limit()

    def __init__(self, x=1, y=2, **rest):
        super().__init__(x, **rest)
        self.y = y
        self.items = [x]

    @property
    def norm(self):
        return self.x + self.y

    @norm.setter
    def norm(self, v):
        if v > 1e6:
            raise Refused("too large", v)
        self.x = v

    @functools.cached_property
    def cached(self):
        SEEN.append("cached")
        return self.x * 2

    def __getattr__(self, name):
        if name == "late":
            return self.y
        raise AttributeError(name)

    def loop(self, n):
        t = 0
        for i in range(n):
            t += self.x * i
            self.x = self.x + 1
            if t > 30:
                break
        else:
            self.items.append(t)
        return t

    def grow(self, v):
        self.items.append(v)
        if len(self.items) > 5:
            raise TooMany(5, len(self.items))
        return len(self.items)

    @staticmethod
    def times(a, b=3):
        return a * b

    @classmethod
    def like(cls, a):
        cls.made = cls.made + 1
        return cls(a, a)

    def __add__(self, other):
        return type(self)(self.x + (other.x if isinstance(other, Point) else other), self.y)

    __radd__ = __add__

    def __iadd__(self, other):
        self.y = self.y - 1
        self.x += other
        return self

    def __neg__(self):
        return Point(-self.x, self.y)

    def __lt__(self, other):
        return self.x < (other.x if isinstance(other, Point) else other)

    def __eq__(self, other):
        return isinstance(other, Point) and self.x == other.x

    def __hash__(self):
        return 5

    def __bool__(self):
        return bool(self.x != 0)

    def __getitem__(self, i):
        return (self.x, self.y, self.scale)[i]

    def __setitem__(self, i, v):
        if i == 0:
            self.x = v
        elif i in (1, -1):
            self.y = v
        else:
            raise IndexError(i)

    def __len__(self):
        return len(self.items)

    def __call__(self, v):
        return self.x * 2 + v

    def __iter__(self):
        yield self.x
        yield self.y

    def __contains__(self, v):
        return v in self.items


class Child(Tagged, Point):
    scale = 7

    @Point.norm.getter
    def norm(self):
        return super().norm * 2

    def step(self, v, k=1):
        super().step(v * k)
        self.w = getattr(self, "w", 0) + 1
        return self

    def __len__(self):
        return super().__len__() + 1


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    def swap(self):
        self.a, self.b = self.b, self.a
        return self.a

    def __repr__(self):
        return f"{type(self).__name__}({getattr(self, 'a', None)}, {getattr(self, 'b', None)})"


class Wider(Slotted):
    __slots__ = ("more",)

    def swap(self):
        self.more = self.b
        return super().swap()


@dataclasses.dataclass(order=True)
class Pair:
    left: int
    right: float = 2.5
    seen: list = dataclasses.field(default_factory=list, compare=False)

    def turn(self):
        self.seen.append(self.left)
        return dataclasses.replace(self, left=self.right, right=self.left)


@dataclasses.dataclass(frozen=True, slots=True)
class Fixed:
    left: int
    right: float = 0.5

    @property
    def both(self):
        return self.left + self.right


Spot = namedtuple("Spot", "row column", defaults=[3])


class Colour(enum.IntEnum):
    RED = 1
    GREEN = 2

    @property
    def next(self):
        return Colour(self % 2 + 1)


class Mode(enum.Enum):
    ON = "on"
    OFF = "off"


class Field:
    """Arrays and NumPy's numbers in attributes."""

    def __init__(self, data):
        self.data = data
        self.rate = np.float64(0.5)
        self.steps = np.int64(0)

    def advance(self, v):
        self.data = self.data + self.rate * v
        self.steps += 1
        return self.data[0]

    def __repr__(self):
        return f"Field({self.data.tolist()}, {self.rate!r}, {self.steps!r})"


class Farewell:
    """Tells when it goes."""

    def __init__(self, name):
        self.name = name

    def __del__(self):
        SEEN.append(self.name)

    def __repr__(self):
        return f"Farewell({self.name})"


class Opened:
    def __init__(self, log, eat=False):
        self.log, self.eat = log, eat

    def __enter__(self):
        self.log.append("in")
        return self.log

    def __exit__(self, kind, value, trace):
        self.log.append(kind.__name__ if kind else "out")
        return self.eat and kind is not None and issubclass(kind, (Refused, LookupError, ArithmeticError))


@contextlib.contextmanager
def noted(log, v):
    log.append(v)
    try:
        yield v
    finally:
        log.append("end")


def note(v):
    global TOTAL
    TOTAL += 1
    SEEN.append(v)
    return v


def set_total(v):
    global TOTAL
    TOTAL = v


def spread(a, b=1, *rest, k=2, **more):
    if a > 1000:
        raise Refused("spread", a)
    t = a * k + b
    for v in rest:
        t += v
    for name, v in more.items():
        t += v if name == "z" else 1
    return t


def forward(*args, **kwargs):
    return spread(*args, **kwargs)


def remember(v, kept=[]):  # noqa: B006  that it is one list is what is tested
    kept.append(v)
    if len(kept) > 3:
        del kept[:2]
    return kept


def find(items, v):
    s = 0
    for i, item in enumerate(items):
        if item == v:
            return i, s
        s += item
    return -1, s


def push(o, n):
    while n > 0:
        o.x += 1
        n -= 1
        if o.x > 50:
            o.x = 0
            return o
    return None


def steps(n, v):
    for i in range(n):
        if i * v > 60:
            return
        yield i * v


def sums(items):
    t = 0
    for item in items:
        t += item
        yield t, item


def echo(v):
    try:
        for _ in range(6):
            try:
                got = yield v
            except Refused as error:
                got = len(error.args)
            if got is not None:
                v = got
    finally:
        SEEN.append("closed")


def chain(n, v):
    yield v
    got = yield from steps(n, v)
    yield n if got is None else got


def deep(n, v):
    if n <= 0:
        return v
    return deep(n - 1, v + n) if n % 2 else deep(n - 2, v) + 1


def counter(v):
    def more(k=1):
        nonlocal v
        v += k
        if v > 500:
            raise TooMany(500, v)
        return v

    return more


def watched(o, v):
    """Functions that outlive the call, of an object that does."""

    def get():
        return v, o

    def put(w):
        nonlocal v
        v = w
        return o

    o.get, o.put = get, put
    v = v + 1
    if v > 4:
        str(v)
    v += 1
    return o


def read(thing):
    """What a function gives, a number."""
    if type(thing) is type(read):
        thing = thing()
    return thing if isinstance(thing, (int, float)) else 1 if thing is None else 2


def adders():
    return [lambda v: v + i for i in range(3)]  # noqa: B023  they share i


def logged(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        SEEN.append(function.__name__)
        return function(*args, **kwargs)

    return call


@logged
def halve(v, by=2):
    return v / by


SHARED = Point(2, 3)
