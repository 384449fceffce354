"""The same of which some, or all, is left to the interpreter, or was wrong once: for test_seen_exceptions.py."""

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
