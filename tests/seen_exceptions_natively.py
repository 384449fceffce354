"""Programs whose handlers look at exceptions, or that exceptions pass through a `with` of, natively: for test_seen_exceptions.py."""

CLASSES = """
from contextlib import suppress

class Coded(Exception):
    level = 3

    def __init__(self, code, text="bad"):
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text

    def weight(self):
        return self.code * self.level

    @property
    def half(self):
        return self.code / 2

class Later(Coded):
    level = 5

    def __init__(self, first, **more):
        Exception.__init__(self, first, 7)
        self.before = self.args
        super().__init__(first, **more)
        self.code += 1

class Bare(ValueError):
    def __init__(self, *given, sign=1):
        self.given = given
        self.sign = sign

class Slotted(LookupError):
    __slots__ = ("key", "other")

    def __init__(self, key):
        self.key = key

class Manager:
    def __init__(self, *kinds):
        self.kinds = kinds
        self.entered = self.left = 0

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, kind, error, trace):
        self.left += 1
        if kind is None:
            return None
        return issubclass(kind, self.kinds) and trace is not None and error.args is not None

class Quiet:
    def __enter__(self):
        return 2

    def __exit__(self, *what):
        return what[0] is not None and what[1] is not None

class Loud:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        log.append(kind)
        return kind is ValueError

class Point:
    def __init__(self, x):
        self.x = x

log = []
numbers = [3, -1, 0, 7, 12, -5, 2, 0, 9, 4]
table = {3: 1.5, 0: 2.5, 7: -1.0}
texts = {"a": 1, "b": 2}
loud = Loud()

def checked(i):
    if i < 0:
        raise ValueError(f"{i} is negative: {i:5d}", i)
    if i > 8:
        raise Later(i, text=f"large{i!r}")
    if i == 4:
        raise Coded(i)
    return i * 2
"""
NATIVE = {
    "arguments": """
def f(n):
    out = []
    for i in numbers:
        try:
            if i < 0:
                raise ValueError("negative", i)
            if i > 8:
                raise KeyError
            out.append(i)
        except ValueError as e:
            text, value = e.args
            out.append((text, value, e.args[1], len(e.args), e.args is e.args))
        except KeyError as e:
            out.append((e.args, type(e) is KeyError, isinstance(e, LookupError), e.__class__ is KeyError))
    return out
""",
    "texts": """
def f(n):
    out = []
    for i in numbers:
        try:
            if i < -2:
                raise ValueError(f"negative: {i:4d} {i!r}")
            if i < 0:
                raise TypeError(i)
            if i == 0:
                raise RuntimeError
            if i == 12:
                raise KeyError("twelve")
            assert i < 9, f"large: {i}"
        except (ValueError, TypeError) as e:
            out.append(f"{e}|{e!s}")
            continue
        except Exception as e:
            out.append(str(e))
            continue
        out.append(str(i))
    return out
""",
    "attributes": """
def f(n):
    out = []
    for i in numbers:
        try:
            out.append(checked(i))
        except Later as e:
            out.append((e.code, e.text, e.level, e.before, e.args, str(e), e.weight()))
        except Coded as e:
            out.append((e.code, e.half, hasattr(e, "before"), isinstance(e, Coded), f"{e}"))
        except ValueError as e:
            out.append(e.args)
    return out
""",
    "attributes that are stored": """
def f(n):
    total = 0
    for i in numbers:
        try:
            try:
                total += checked(i)
            except Coded as e:
                e.code *= 100
                e.more = i
                raise
        except Coded as e:
            total += e.code + e.more
            del e.more
        except ValueError:
            total -= 1
    return total
""",
    "what super().__init__ was not called with": """
def f(n):
    out = []
    for i in numbers:
        try:
            if i < 0:
                raise Bare(i, 2, sign=-1)
            if i > 8:
                raise Slotted(i)
            out.append(i)
        except Bare as e:
            out.append((e.args, e.given, e.sign))
        except Slotted as e:
            out.append((e.key, e.args, str(e)))
    return out
""",
    "given to a function": """
def told(e, by):
    return e.args[1] * by if isinstance(e, ValueError) else -by

def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except Exception as e:
            total += told(e, 3)
    return total
""",
    "of another": """
def f(n):
    out = []
    for i in numbers:
        try:
            try:
                out.append(checked(i))
            except ValueError as e:
                raise Coded(e.args[1], str(e.args[0])) from e
        except Coded as e:
            out.append((e.code, e.text))
    return out
""",
    "that holds a new object": """
def f(n):
    total = 0
    for i in numbers:
        p = Point(i)
        try:
            p.x += 1
            if i < 0:
                raise ValueError(p, Point(2))
            total += p.x
        except ValueError as e:
            e.args[0].x *= 3
            e.args[1].x += p.x
            total += p.x + e.args[1].x
            if e.args[0] is p:
                total += 1000
        total += p.x
    return total
""",
    "with": """
def f(n):
    total = 0
    for i in numbers:
        m = Manager(ValueError, LookupError)
        try:
            with m as inner:
                if i < 0:
                    raise ValueError(i)
                if i == 0:
                    raise KeyError
                if i > 8:
                    raise RuntimeError("large")
                total += inner.entered
        except RuntimeError as e:
            total += len(str(e))
        total += 10 * m.entered + 100 * m.left
    return total
""",
    "with that is outside": """
def f(n):
    total = 0
    for i in numbers:
        with Quiet() as two, Manager() as m:
            total += two
            if i < 0:
                raise ValueError(i)
            total += 5
        total += m.left
    return total
""",
    "with in a call": """
def one(i):
    with Manager(KeyError):
        with Manager(LookupError):
            if i < 0:
                raise ValueError
            if i > 8:
                raise IndexError
            return i
        return -100
    return 500

def f(n):
    total = 0
    for i in numbers:
        try:
            total += one(i)
        except ValueError:
            total -= 1
    return total
""",
    "of operations": """
def f(n):
    out = []
    for i in numbers:
        try:
            out.append(table[i])
            out.append(numbers[i + 3])
        except KeyError as e:
            out.append((e.args[0], str(e)))
        except IndexError as e:
            out.append(f"{e}")
        x = float(i)
        try:
            out.append(1 / i)
        except ZeroDivisionError as e:
            out.append(str(e))
        try:
            out.append(7 // i)
        except ZeroDivisionError as e:
            out.append(str(e))
        try:
            out.append(7 % i)
        except ArithmeticError as e:
            out.append(str(e))
        try:
            x = 2.5 / x
        except ZeroDivisionError as e:
            out.append(e.args)
        try:
            x = 2.5 // float(i)
        except Exception as e:
            out.append(e.args)
        try:
            x %= float(i)
        except ZeroDivisionError as e:
            out.append(e.args[0])
        out.append(x)
    return out
""",
    "of operations in other statements": """
def f(n):
    total = 0.0
    for i in numbers:
        try:
            with Manager(ValueError):
                try:
                    total += table[i]
                finally:
                    total += 1.0
        except LookupError as e:
            total -= e.args[0]
        with suppress(KeyError, ZeroDivisionError):
            total += table[i + 1]
            total += 1.0 / i
        with suppress(ArithmeticError):
            with suppress(IndexError):
                total += numbers[i]
                total += 1 // i
    return total
""",
    "suppressed": """
def f(n):
    total = 0
    for i in numbers:
        with suppress(ValueError, KeyError):
            if i < 0:
                raise ValueError("x")
            total += i
    return total
""",
    "objects on both ways": """
def f(n):
    kept, total = [], 0
    for i in numbers:
        p = Point(i)
        try:
            total += checked(i)
        except ValueError:
            if i < -2:
                kept.append(p)
            elif i < 0:
                total += i * total
                kept.append(p)
            else:
                kept.append(p)
        except Coded:
            pass
    return total, [p.x for p in kept]
""",
    "a count that a function keeps": """
def f(n):
    count = 0
    def more(by):
        nonlocal count
        count += by
    total = 0
    for i in numbers:
        try:
            if i < 0:
                raise ValueError(i)
            total += i
        except ValueError as e:
            more(2)
            total += e.args[0]
            more(total)
    return total, count
""",
}
# What leaves native code somewhere, or is never in it.
