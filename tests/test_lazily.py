"""map, filter, functools.reduce, min and max with key=, and the operator module: what they give, where they stop, what an exit makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check_calls, subject_of

import pijit
from pijit.trace import generators, lazily

pytestmark = pytest.mark.shared

A = np.array([0.5, -1.25, 3.0, 1e16, 1.0, -1e16, 0.1])
CALLS = [
    *((5, 2, [3, -1, 4, 0], A), (6, 0.5, [0.5, -2.0, 7.25], A[:3]), (6, 0.5, [0.5, -2.0, 7.25], A[:3])),
    *((1, 1, [2], A[:1]), (3, 2.5, [1, 2.0], A[1:])),
]
HEAD = """
import functools, math, operator, sys, warnings
log = []
def double(x):
    return x * 2
def noted(x):
    log.append(x)
    return x
def checked(x):
    if x > 4:
        raise ValueError(x)
    return x + 1
def stops(x):
    if x > 2:
        raise StopIteration
    return x
def shown(x):
    return sys._getframe(1).f_code.co_name
def root(x):
    return np.sqrt(x)
def many(x):
    yield x
class Scaled:
    def __init__(self, k):
        self.k = k
    def __call__(self, x):
        return x * self.k
    def times(self, x):
        return x * self.k
"""

# expressions of the arguments n (an int), k (a number), xs (a list of numbers), a (an array)
EXPRESSIONS = (
    "list(map(double, xs)), tuple(map(double, range(n))), sorted(map(abs, xs))",
    "sum(map(double, xs)), sum(map(double, a), k), sum(map(float, range(n)))",
    "list(map(lambda x: x + k, xs)), [y - 1 for y in map(lambda x: x * k, range(n))]",
    "list(map(lambda x, y: x * y, xs, range(n))), list(map(operator.mul, xs, a)), list(map(max, xs, range(n), a))",
    "list(map(pow, range(n), range(3))), list(map(divmod, range(n), range(1, n + 1)))",
    "list(map(Scaled(k), xs)), list(map(Scaled(k).times, range(n))), list(map(functools.partial(operator.add, k), xs))",
    "list(map(len, ['a', 'bcd'] * 2)), list(map(str, range(n))), list(map(str.upper, ['a', 'b']))",
    "any(map(lambda x: x > k, xs)), all(map(lambda x: x < 99, range(n)))",
    "list(filter(None, xs)), list(filter(bool, range(n))), sum(filter(lambda x: x > 0, xs))",
    "tuple(filter(lambda x: x % 2, range(n))), list(filter(math.isfinite, xs)), max(filter(None, a))",
    "list(map(double, filter(lambda x: x > 0, map(double, xs)))), list(filter(None, map(double, range(n))))",
    "list(map(double, map(double, map(double, xs)))), list(map(double, map(double, map(double, map(double, xs)))))",
    "list(map(lambda i: sum(map(lambda j: i * j, range(i))), range(n)))",
    "list(map(double, (x + 1 for x in xs))), sum(y for y in map(double, range(n)))",
    "list(map(len, zip(xs, range(n)))), list(map(lambda p: p[0] * p[1], enumerate(xs)))",
    "functools.reduce(operator.add, xs), functools.reduce(lambda p, q: p * q, range(1, n + 1), 1)",
    "functools.reduce(lambda p, q: p * 10 + q, range(n), k), functools.reduce(max, xs), functools.reduce(operator.add, (), k)",
    "functools.reduce(lambda p, q: p + q, [k]), functools.reduce(operator.or_, range(n), 0)",
    "functools.reduce(lambda p, x: (p[0] + x, p[1] + 1), xs, (0, 0))",
    "functools.reduce(lambda p, q: p + q, range(n - n))",
    "functools.reduce(lambda p, q: p * q, range(1, n + 60))",
    "max(xs, key=abs), min(xs, key=lambda x: -x), max(range(n), key=lambda i: i % 3), min(a, key=lambda x: x * x)",
    "max(n, k, 3, key=lambda x: -x), min(n, k, key=abs), max(xs, key=None), max('ab', 'c', key=len)",
    "max(map(double, xs), key=abs), min((x for x in xs), key=lambda x: x % 2)",
    "max(range(n - n), key=abs)",
    "max([math.nan, 1.0, 2.0, math.nan], key=double), min([1.0, math.nan, -1.0], key=double)",
    "max(xs, key=abs, default=0), max((), key=abs, default=k)",
    "sorted(xs, key=lambda x: -x), sorted(range(n), key=lambda i: i % 3), sorted(a, key=abs, reverse=True), sorted(xs, key=None)",
    "sorted([math.nan, 1.0, -1.0, math.nan, 0.0], key=abs), sorted(['ccc', 'a', 'bb', 'd'], key=len, reverse=n), sorted((), key=abs)",
    "sorted(range(n), key=lambda i: i % 2 == 0, reverse=True), [x + 1 for x in sorted(map(double, xs), key=lambda x: -x)]",
    "sorted([(1, 'b'), (0, 'a'), (1, 'a')], key=lambda p: p[0]), sorted(zip(xs, range(n)), key=lambda p: p[1] % 2)",
    "sorted(['b', 'a'], key=lambda s: s[0]), sorted(xs, key=lambda x: (x % 2, x)), sorted(range(n), key=str)",
    "sorted(range(n), key=lambda i: i if i % 2 else 'odd')",
    "sorted(range(n), key=double, reverse='yes')",
    "sorted(range(n), key=double, reverse=n - 2), sorted(range(n), key=double, reverse=1), sorted(range(n), key=double, reverse=n > 2)",
    "sorted(range(n), key=double, reverse=-(2**31) - 1)",
    "sorted(range(n), key=checked)",
    "sorted(xs, abs)",
    "sorted(xs, key=noted), log[:]",
    "list(map(checked, range(n)))",
    "list(map(stops, range(n))), sum(map(stops, range(n))), max(map(stops, range(n)))",
    "list(map(noted, xs)), log[:]",
    "list(map(shown, xs)), [x for x in map(shown, xs)]",
    "list(map(lambda x: 1 / (x - 3), range(n)))",
    "list(map(lambda x: 2 ** 61 + x, range(n))), functools.reduce(lambda p, q: p * 2 ** 40 + q, range(n))",
    "list(map(root, a))",
    "list(map(3, xs))",
    "list(map(double, n))",
    "list(map(many, range(2)))[0].__next__()",
    "list(map(double))",
    "list(filter(double, xs, xs))",
    "functools.reduce(double, xs)",
    "functools.reduce((x for x in xs), xs)",
    "1 if map(double, []) else 0, not filter(None, xs), map(double, xs) is None, map(double, xs) == map(double, xs)",
    "k in map(double, xs), 3 in filter(None, xs), 99 not in map(abs, xs)",
    "len(map(double, xs))",
    "map(double, xs)[0]",
    "map(double, xs) + 1",
    "max(*map(double, xs), 1), print(*map(double, xs)), divmod(*map(abs, (n, 3)))",
    "[m for m in [map(double, xs)]][0].__next__(), {'m': filter(None, xs)}['m'].__next__(), (map(double, xs), n)[0].__next__()",
    "(lambda m: sum(m) + sum(m))(map(double, xs)), (lambda m: [next(m), *m])(filter(None, [k, n, 0, 3]))",
    "list(zip(map(double, xs), filter(None, xs))), list(enumerate(map(double, range(n)))), list(map(double, reversed(xs)))",
    "filter(bool, xs).__reduce__()[1][0], filter(None, xs).__reduce__()[1][0], map(double, xs).__reduce__()[1][0] is double",
    "next(map(double, xs)), list(iter(map(double, xs)))",
    "map(double, xs).__class__.__name__, type(filter(None, xs)).__name__, isinstance(map(double, xs), map)",
    "[*map(double, xs)], {*map(double, range(n))}, dict(zip(range(n), map(double, xs))), '-'.join(map(str, range(n)))",
    "(operator.add(n, k), operator.sub(n, k), operator.mul(n, k), operator.truediv(n, 3), operator.floordiv(n, 3), operator.mod(n, 3))",
    "operator.pow(n, 2), operator.and_(n, 3), operator.or_(n, 8), operator.xor(n, 1), operator.lshift(n, 2), operator.rshift(n, 1)",
    "operator.lt(n, k), operator.le(n, k), operator.eq(n, n), operator.ne(n, k), operator.gt(n, k), operator.ge(n, k)",
    "operator.neg(k), operator.pos(k), operator.invert(n), operator.not_(n), operator.matmul(a, a), operator.add(a, 1)",
    "operator.truediv(n, n - n)",
    "operator.add(xs, xs), operator.mul(xs, 2), operator.eq(xs, xs), operator.add('a', 'b')",
    "operator.add(n)",
)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    source = f"{HEAD}\ndef f(n, k, xs, a):\n    b = n + 1\n    return {expression}, b\n"
    check_calls(source, CALLS, entry="f")


@pytest.mark.parametrize("reverse", [1, 2**31 - 1, 2**31, -(2**31), 2**62, -(2**70), True, 0])
def test_sorted_in_reverse(reverse):
    """Numbers that C's int does not hold are refused by 3.11, at the call and nowhere in it."""
    source = "def f(xs, n):\n    return sorted(xs, key=lambda x: x, reverse=n)\n"
    check_calls(source, [([3, 1, 2], 0), *[([3, 1, 2], reverse)] * 3])


BODIES = {
    "a loop": "    for y in map(double, xs):\n        s += y\n",
    "left early": "    for y in map(lambda x: x + k, range(n)):\n        if y > 3:\n            break\n        s += y\n    else:\n        s -= 1\n",
    "an exit in the body": "    for y in map(double, range(n)):\n        s += y\n        print(s, y)\n        s += y\n",
    "an exit over two": "    for y in map(lambda p, q: p - q, range(n), xs):\n        s += y\n        print(s)\n",
    "an exit over the true": "    for y in filter(None, xs):\n        s += y\n        print(s)\n",
    "an exit over some": "    for y in filter(lambda x: x > 1, range(n)):\n        s += y\n        print(s)\n",
    "an exit over an array": "    for y in map(double, a):\n        s += y\n        print(s)\n",
    "an exit over a generator": "    for y in map(double, (x + 1 for x in xs)):\n        s += y\n        print(s)\n",
    "an exit over all kinds": "    for y in map(double, filter(None, map(len, zip(xs, a)))):\n        s += y\n        print(s)\n",
    "an exit over a dict": "    d = {n: 1, n + 1: 2}\n    for y in map(lambda p: p[0] * p[1], d.items()):\n        s += y\n        print(s)\n",
    "within each other": "    for i in map(double, range(n)):\n        for j in map(lambda x: x + i, range(3)):\n            s += i * j\n",
    "changed on the way": "    for y in map(double, xs):\n        s += y\n        if len(xs) < 9:\n            xs.append(y)\n",
    "an effect in the function": "    for y in map(noted, xs):\n        s += y\n    s += len(log)\n",
    "raises in the function": (
        "    try:\n        for y in map(checked, range(n + 3)):\n            s += y\n    except ValueError as error:\n        s += error.args[0]\n"
    ),
    "unpacked": "    p, q = map(double, range(2))\n    p, *rest = map(lambda x: x + k, range(3))\n    s += p + q + rest[-1]\n",
    "taken apart": (
        "    for y in filter(bool, xs):\n        s += y\n    m = filter(bool, xs)\n    for y in m:\n        s += y\n        print(s)\n"
        "        s += m.__reduce__()[1][0] is bool\n"
    ),
    "given on": "    global kept\n    kept = map(double, xs)\n    s += sum(kept)\n    kept = list(kept)\n",
    "in a variable": "    m = map(double, xs)\n    for y in m:\n        s += y\n        if s > 3:\n            break\n    s += sum(m)\n",
    "another map": "    def map(f, x):\n        return x\n    for y in map(double, xs):\n        s += y\n",
    "many rounds": (
        "    for i in range(200):\n        for y in map(lambda x: x * i, range(n)):\n            s += y\n"
        "        s += sum(map(double, xs)) + functools.reduce(operator.add, xs) + max(xs, key=abs)\n"
    ),
    "warned of": "    for y in map(root, [-1.0, 4.0]):\n        s += y if y == y else 1\n",
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_loop(name):
    source = f"{HEAD}\ndef f(n, k, xs, a):\n    s = 0\n{BODIES[name]}    return s, n\n"
    check_calls(source, [*CALLS[:3], (0, 1, [], A[:0])], entry="f")


def test_natively():
    source = f"{HEAD}\ndef f(n, k, xs, a):\n    s = 0\n{BODIES['many rounds']}    return s, n\n"
    function = pijit.jit(subject_of(source, "f").make().function, fullgraph=True)
    assert function(5, 2, [3, -1, 4, 0], A)[1] == 5


def test_names():
    """What reports name are the built-ins."""
    codes = [copy.__code__ for copies in lazily._COPIES.values() for copy in copies]
    assert len(codes) == len(set(map(id, codes))) == len(lazily._LEVELS)
    assert {code.co_name for code in codes} == {"list", "map", "filter", "reduce", "min", "max", "sorted"}
    assert set(generators.KINDS.values()) == {"map", "map_together", "filter"}
