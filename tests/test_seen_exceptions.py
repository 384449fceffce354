"""Exceptions that are raised and handled within a fragment by handlers that look at them, and by context managers: the same answer, and natively."""

from __future__ import annotations

import pytest
from differential import check, check_calls

import pijit

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
OTHERS = {
    "the __init__ of a class that it is no instance of": """
class Wrong(Exception):
    def __init__(self, x):
        ValueError.__init__(self, x)

def f(n):
    total = 0
    for i in range(n):
        try:
            raise Wrong(i)
        except TypeError:
            total += 100
        except Wrong as e:
            total += e.args[0]
    return total
""",
    "texts of objects that say how often they were asked": """
class Counted:
    def __init__(self, x):
        self.x = x
    def __repr__(self):
        self.x += 10
        return f"Counted {self.x}"
    def __hash__(self):
        return 1

def f(n):
    out = []
    for i in range(n):
        o = Counted(i)
        try:
            if i % 2:
                raise KeyError(o)
            {}[o]
        except KeyError as e:
            out.append(str(e))
            out.append(f"{e}")
            out.append(o.x)
    return out
""",
    "messages that fail": """
import numpy as np
some = {kind: np.array([1.0, np.nan, 3.0, np.inf], kind) for kind in ("f4", "f8")}

def f(n):
    total = 0
    for a in some.values():
        for i in range(4):
            try:
                raise KeyError("%d" % a[i])
            except KeyError:
                total += 1
            except (ValueError, OverflowError) as e:
                total += 10
    return total
""",
    "everything": """
def f(n):
    out = []
    for i in numbers:
        try:
            out.append(checked(i))
        except ValueError as e:
            out.append((repr(e), e.__traceback__ is None, e.__context__, e.__cause__, str(e), e.__suppress_context__))
        except Later as e:
            e.add_note("note")
            out.append((e.__notes__, vars(e), dir(e) == []))
        except Coded as e:
            e.args = [1, 2]
            out.append((e.args, str(e)))
    return out
""",
    "kept": """
def f(n):
    kept = []
    for i in numbers:
        try:
            checked(i)
        except ValueError as e:
            kept.append(e)
        except Later as e:
            kept.append(e.args)
        except Coded as e:
            kept.append((e, e.code))
    return [(type(e), getattr(e, "args", None)) for e in kept], [e.code for e in kept if isinstance(e, Coded)]
""",
    "returned": """
def of(i):
    try:
        return checked(i)
    except Exception as e:
        return e

def f(n):
    out = []
    for i in numbers:
        found = of(i)
        if isinstance(found, Coded):
            out.append(found.code)
        elif isinstance(found, Exception):
            out.append(found.args)
        else:
            out.append(found)
    return out
""",
    "with an effect": """
def f(n):
    total = 0
    for i in numbers:
        try:
            with loud:
                total += checked(i)
        except Coded as e:
            total += e.code
    return total, len(log), log[-8:]
""",
    "effects of making it": """
class Noted(Exception):
    def __init__(self, i):
        log.append(i)
        self.i = i
        numbers_seen[0] += 1

numbers_seen = [0]

def f(n):
    total = 0
    for i in numbers:
        try:
            if i < 0:
                raise Noted(i)
            total += i
        except Noted as e:
            total += e.i << 60
    return total, log[-6:], numbers_seen
""",
    "making it fails": """
class Fails(Exception):
    def __init__(self, i):
        self.x = 12 // i
        super().__init__(self.x, wrong=i) if i == 9 else super().__init__(i)

def f(n):
    out = []
    for i in numbers:
        try:
            raise Fails(i)
        except Fails as e:
            out.append((e.x, e.args))
        except Exception as e:
            out.append(type(e))
    return out
""",
    "an object that is stored to": """
def f(n):
    kept, total = [], 2 ** 61
    for i in numbers:
        p = Point(i)
        try:
            if i < 0:
                raise ValueError(p)
            if i > 8:
                raise KeyError(p)
            p.x += 1
        except ValueError as e:
            p.x += 10
            total += total // 2
            kept.append(p)
            total -= total // 3
            e.args[0].x += 100
        except KeyError as e:
            e.args[0].x += 10
            total += total // 4
            p.x += 7
        kept.append(p)
    return total, [p.x for p in kept], len(set(map(id, kept)))
""",
    "classes that have a say": """
class Getter(ValueError):
    def __getattr__(self, name):
        return name * 2

class Texted(ValueError):
    def __str__(self):
        return f"<{self.args}>"

class Shown(ValueError):
    args = "mine"

class Formatted(ValueError):
    def __format__(self, spec):
        return spec + "!"

class Meta(type):
    def __instancecheck__(self, one):
        return True
    def __subclasscheck__(self, one):
        return True

class Hashed:
    def __hash__(self):
        log.append("hashed")
        return 1
    def __call__(self):
        return "called"

class Strange(ValueError):
    __str__ = Hashed()

class Odd(Exception, metaclass=Meta):
    pass

class Many(KeyError, UnicodeDecodeError):
    def __init__(self, i):
        self.start = i

def f(n):
    out = []
    for i in numbers:
        for kind in (Getter, Texted, Shown, Formatted, Strange, Odd, Many):
            try:
                raise kind(i)
            except Many as e:
                out.append((e.start, e.args))
            except Exception as e:
                out.append((str(e), f"{e}", e.args, isinstance(e, Odd), issubclass(kind, Odd)))
    return out, log
""",
    "finalizers": """
class Last:
    def __init__(self, i):
        self.i = i
    def __del__(self):
        log.append(self.i)

def f(n):
    total = 0
    for i in numbers:
        try:
            if i < 0:
                raise ValueError(Last(i))
            if i > 8:
                raise Coded(i, Last(i))
            total += i
        except ValueError as e:
            log.append("handled")
            total += e.args[0].i
        except Coded as e:
            log.append("coded")
            total += e.text.i
        log.append("next")
    return total, log[-40:]
""",
    "a manager that raises": """
class Raises:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        if kind is not None:
            raise KeyError(error.args[0]) from error
        return True

class Failing:
    def __enter__(self):
        raise ValueError("no")
    def __exit__(self, *what):
        log.append(what)

def f(n):
    out = []
    for i in numbers:
        try:
            with Raises():
                if i < 0:
                    raise ValueError(i)
                out.append(i)
        except KeyError as e:
            out.append(e.args)
        try:
            with Failing():
                out.append(1)
        except ValueError as e:
            out.append(str(e))
    return out
""",
    "a manager with a result of another type": """
class Some:
    def __init__(self, i):
        self.i = i
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        return self.i + 1 if kind is not None else [1]

def f(n):
    total = 0
    for i in numbers:
        try:
            with Some(i):
                if i < 0:
                    raise ValueError(i)
                total += i
            total += 1
        except ValueError as e:
            total += e.args[0]
    return total
""",
    "a manager that looks at the traceback": """
class Looks:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        if kind is not None:
            log.append((trace.tb_lineno > 0, trace is error.__traceback__, isinstance(trace, type(trace)), kind.__name__))
        return True

def f(n):
    total = 0
    for i in numbers:
        with Looks():
            total += checked(i)
    return total, log[-5:]
""",
    "NumPy's state": """
import numpy as np

def f(n):
    total, x = 2 ** 62, np.arange(4.0)
    for i in numbers:
        try:
            with np.errstate(all="ignore"):
                if i < 0:
                    raise ValueError(i)
                y = (x / 0.0).sum()
        except ValueError as e:
            total += total // 2
            total -= e.args[0]
        try:
            checked(i)
        except ValueError:
            with np.errstate(divide="ignore", invalid="ignore"):
                total += total // 8
                y = (x / 0.0).sum()
        except Coded:
            pass
    return total, y, np.geterr()
""",
    "what else divides": """
import operator

def f(n):
    out = []
    for i in numbers:
        try:
            out.append(divmod(i, i - 3))
        except ZeroDivisionError as e:
            out.append(str(e))
        try:
            out.append(divmod(1.5, float(i)))
        except ZeroDivisionError as e:
            out.append(str(e))
        try:
            out.append(operator.truediv(1, i))
        except ZeroDivisionError as e:
            out.append(str(e))
        try:
            out.append(0.0 ** -i)
            numbers[i + 4] = numbers[i + 4]
        except ZeroDivisionError as e:
            out.append(str(e))
        except IndexError as e:
            out.append(str(e))
    return out
""",
    "real ones": """
errors = [Coded(1), Coded(2, "x"), Slotted(3), Later(4), Bare(5)]

def f(n):
    total, texts = 0, []
    for e in errors:
        if isinstance(e, Coded):
            e.code += 1
            e.extra = n
            total += e.code + e.extra + e.weight()
        elif isinstance(e, Slotted):
            e.other = e.key
            total += e.other
        else:
            texts.append(e.given)
        if e:
            total += 1
    return total, texts, [e.args for e in errors], [getattr(e, "extra", None) for e in errors]
""",
    "making one does more": """
made = []

class Kept(Exception):
    def __init__(self, i):
        super().__init__(i, i)
        made.append(self)
        self.again = lambda: self

class Tries(Exception):
    def __init__(self, i):
        try:
            self.x = table[i]
        except KeyError as e:
            self.x = e.args[0]
        if i > 8:
            raise ValueError(i) from None
        self.args = (self.x, 2)

class Counts(Exception):
    def __init__(self, i):
        self._i = i
    @property
    def i(self):
        return self._i
    @i.setter
    def i(self, value):
        self._i = value + 1
    def __len__(self):
        return 0
    def __eq__(self, other):
        return self.i == other

def f(n):
    out = []
    for i in numbers:
        for kind in (Kept, Tries, Counts):
            try:
                if i < 5:
                    raise kind(i)
                raise Coded(i)
            except Kept as e:
                out.append((e.args, e.again() is e, len(made)))
            except Tries as e:
                out.append((e.args, e.x))
            except ValueError as e:
                out.append((e.args, e.__cause__))
            except Counts as e:
                before = e.i
                e.i = 5
                out.append((before, e.i, bool(e), e == 6, e != 6, not e))
            except Coded as e:
                out.append((e == e, e != e, bool(e), e is not None, e in (1, e)))
    return out, [type(e.again()) for e in made[-3:]]
""",
    "causes and classes": """
def f(n):
    out = []
    for i in numbers:
        try:
            try:
                if i < 0:
                    raise ValueError(i) from KeyError
                if i == 0:
                    raise TypeError(i) from None
                if i > 8:
                    raise Coded(i)
                raise KeyError(i, i)
            except KeyError as e:
                raise type(e)(e.args[0]) from e
            except TypeError as e:
                raise e from None
            except Coded as e:
                raise e.with_traceback(None)
        except Exception as e:
            out.append((type(e).__name__, e.args, type(e.__cause__), e.__suppress_context__))
    return out
""",
    "returns and loops within with": """
def first():
    for i in numbers:
        with Manager(ValueError) as m:
            if i == 3:
                continue
            if i == -1:
                raise ValueError(i)
            if i == 12:
                return i, m.left
            if i == 9:
                break
    return None

def within(i):
    with Quiet():
        try:
            if i < 0:
                raise Coded(i)
            return i
        except KeyError:
            return -1
        finally:
            i += 1
    return i * 100

def f(n):
    return [first()] + [within(i) for i in numbers]
""",
    "a manager that handles some itself": """
class Tries:
    def __enter__(self):
        self.seen = 0
        return self
    def __exit__(self, kind, error, trace):
        try:
            if kind is ValueError:
                raise KeyError(error.args[0])
            if kind is not None:
                raise error
        except KeyError as e:
            self.seen = e.args[0]
            return True
        return self.seen

def f(n):
    total = 0
    for i in numbers:
        m = Tries()
        try:
            with m:
                if i < 0:
                    raise ValueError(i)
                if i > 8:
                    raise IndexError(i)
                total += i
        except LookupError as e:
            total += 1000 * e.args[0]
        total += m.seen
    return total
""",
    "the same one again": """
def f(n):
    out = []
    for i in numbers:
        error = ValueError(i)
        try:
            if i < 0:
                raise error
            out.append(i)
        except ValueError as e:
            out.append((e is error, e.args))
    return out
""",
    "lists and iterators": """
def f(n):
    out = []
    for i in numbers:
        try:
            if i < 0:
                raise ValueError([i, 1], range(i))
            if i > 8:
                raise Coded([i], text=[2])
            raise KeyError(zip(numbers, numbers))
        except ValueError as e:
            e.args[0].append(2)
            out.append((e.args[0], len(e.args[1]), e.args[0] is e.args[0]))
        except Coded as e:
            e.code.append(3)
            out.append((e.code, e.text, e.args))
        except KeyError as e:
            out.append((next(e.args[0]), next(e.args[0])))
    return out
""",
}


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
