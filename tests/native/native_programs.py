"""Functions that exercise the interpreter; each returns something comparable. Run on clones they must do the same."""

import sys
import traceback


def nested_loops(n=5):
    out = []
    for i in range(n):
        for j in range(i):
            if j == 3:
                continue
            out.append(i * 10 + j)
        else:
            out.append(-i)
    return out


def while_loops():
    n, out = 10, []
    while n:
        n -= 1
        if n % 3 == 0:
            continue
        if n == 1:
            break
        out.append(n)
    i = 0
    while not i > 4 and (i is not None):
        i += 1
    return out, i


class Falsy:
    def __init__(self, n):
        self.n = n

    def __bool__(self):
        self.n -= 1
        if self.n < -3:
            raise ValueError("truth")
        return self.n > 0


def while_truth():
    f, k = Falsy(4), 0
    while f:
        k += 1
    g = Falsy(-1)
    try:
        while not g:
            k += 10
    except ValueError as e:
        return k, str(e), e.__traceback__.tb_lineno - while_truth.__code__.co_firstlineno
    return None


def while_none():
    chain = (1, (2, (3, None)))
    out = []
    while chain is not None:
        head, chain = chain
        out.append(head)
    x = None
    k = 0
    while x is None:
        k += 1
        x = None if k < 4 else 1
    return out, k


def handlers():
    out = []
    for i in range(6):
        try:
            try:
                if i == 1:
                    raise KeyError(i)
                if i == 2:
                    1 / 0
                if i == 3:
                    continue
                if i == 5:
                    break
                out.append(("body", i))
            except KeyError as e:
                out.append(("key", e.args, sys.exc_info()[0].__name__))
                raise ValueError(i) from e
            finally:
                out.append(("finally", i))
        except (ValueError, ZeroDivisionError) as e:
            out.append((type(e).__name__, type(e.__context__).__name__ if e.__context__ else None))
    return out


def first_in_try():
    d = {}
    try:
        d["x"]
    except KeyError as e:
        return "caught", e.args, e.__traceback__.tb_lineno - first_in_try.__code__.co_firstlineno
    return "missed"


class Manager:
    def __init__(self, swallow):
        self.swallow, self.log = swallow, []

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, tb):
        self.log.append(kind.__name__ if kind else None)
        return self.swallow


def managers():
    a, b = Manager(True), Manager(False)
    with a, b as x:
        x.log.append("in")
        raise RuntimeError("r")
    with b:
        for i in range(3):
            if i == 1:
                break
    return a.log, b.log


def closures(a=1, *args, k=5, **kw):
    cell = a

    def inner(x):
        nonlocal cell
        cell += x
        return cell + k + len(args) + len(kw)

    total = 0
    for i in range(4):
        total += inner(i)
    return total, cell, [lambda: i for i in range(2)][0](), [cell + j for j in range(3)]


def comprehensions():
    x = 3
    return [i * x for i in range(4)], dict.fromkeys(range(3), x), {j for j in range(3)}, list(k for k in range(x))


def unpacking():
    a, *b, c = range(6)
    [d, e] = "xy"
    (f, (g, h)) = 1, (2, 3)
    k = {"a": 1, "b": 2}
    return a, b, c, d, e, f, g, h, [*b, *b], k, f"{a!r:>4}|{c:03d}"


def keywords(*args, **kwargs):
    def callee(p, q=2, /, r=3, *rest, s, t=6, **more):
        return p, q, r, rest, s, t, more

    return callee(1, s=5), callee(1, 2, 3, 4, s=5, t=7, z=8), callee(*[1, 2], s=9), ["a", "b"]


def matching():
    out = []
    for v in [1, "s", [1, 2, 3], {"k": 2, "z": 3}, (0, 1), None, 3.5]:
        match v:
            case 1 | 2:
                out.append("num")
            case str(x):
                out.append(x)
            case [0, y]:
                out.append(y)
            case [a, *rest]:
                out.append((a, rest))
            case {"k": k, **rest}:
                out.append((k, rest))
            case None:
                out.append("none")
            case _:
                out.append("other")
    return out


def augmented():
    x = [1]
    x += [2]
    d = {"a": 1}
    d["a"] += 5
    s = "a"
    for c in "bcd":
        s += c
    y = z = 5
    z **= 2
    y, z = z, y
    del x[0]
    x[0:0] = [9, 8]
    return x, d, s, y, z, x[-1:], y if z else x, (y > 1 < z), not y


class Base:
    def method(self, x):
        return x + 1


class Derived(Base):
    def method(self, x):
        return super().method(x) * 2

    @property
    def prop(self):
        return __class__.__name__


def objects():
    d = Derived()
    out = []
    for i in range(3):
        d.attr = i
        out.append(d.method(d.attr))
    return out, d.prop, getattr(d, "nope", None)


def generators():
    def gen(n):
        got = []
        for i in range(n):
            got.append((yield i))
        return got

    def outer():
        r = yield from gen(3)
        yield r

    g = outer()
    out = [next(g), g.send("a"), g.send("b"), g.send("c")]
    return out, list(zip(gen(2), gen(3), strict=False))


def recursion(n=20):
    return 1 if n < 2 else recursion(n - 1) + recursion(n - 2) if n < 12 else recursion(n - 1)


def tracebacks():
    def deep(n):
        if n == 0:
            raise LookupError("deep")
        deep(n - 1)

    try:
        for i in range(3):
            if i == 2:
                deep(2)
    except LookupError:
        return [(f.name, f.lineno) for f in traceback.extract_tb(sys.exc_info()[2])]
    return None


def stack_lines():
    def where():
        f, out = sys._getframe(1), []
        for _ in range(3):
            out.append((f.f_lineno, f.f_code is globals().get(f.f_code.co_name, sys).__code__
                        if f.f_code.co_name in ("stack_lines",) else None))
            break
        return out

    out = []
    for _i in range(2):
        out.append(where())
        out.append((where(),
                    where()))
    return out


def deleting():
    x = 1
    del x
    try:
        x
    except UnboundLocalError as e:
        return str(e)
    return None


def locals_seen():
    a = 1
    for i in range(3):
        b = a + i
    snapshot = dict(locals())
    return sorted(snapshot), snapshot["b"]


def imports():
    import math as m
    from os import path, sep

    return m.floor(2.5), sep, path.join("a", "b")


def groups():
    out = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as e:
        out.append(len(e.exceptions))
    except* TypeError as e:
        out.append(str(e.exceptions[0]))
    return out


def long_body():
    a = 0
    for i in range(3):
        a = a + i; a = a - i; a = a * 1; a = a + 2; a = a - 1; a = a + i  # noqa: E702
        b = [a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a]
        c = (a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, a + 10, a + 11, a + 12, a + 13, a + 14)
        d = {"a": a, "b": b, "c": c, "d": a + 15, "e": a + 16, "f": a + 17, "g": a + 18, "h": a + 19, "i": a + 20}
        e = a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a
        f = a * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1 * 1
        g = a - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1
        h = a - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1 - 1
    return a, b, c, d, e, f, g, h


ALL = [
    nested_loops, while_loops, while_truth, while_none, handlers, first_in_try, managers, closures, comprehensions,
    unpacking, keywords, matching, augmented, objects, recursion, tracebacks, stack_lines, deleting, locals_seen,
    imports, groups, long_body, generators,
]  # fmt: skip

MODULE = """
import sys
total = 0
for i in range(5):
    total += i
    try:
        if i == 3:
            raise ValueError(i)
    except ValueError as e:
        kept = str(e)
class A:
    items = []
    for j in range(3):
        items.append(j)
    del j
def f(x):
    return x + total
values = [f(k) for k in range(3)]
while total:
    total -= 5
line = sys._getframe().f_lineno
del i
"""
