"""Exceptions that are raised and handled within a fragment: the same answer, and natively."""

from __future__ import annotations

import pytest
from differential import check

import pijit

CLASSES = """
import sys
import numpy as np

class Stop(Exception):
    pass

class Later(Stop):
    level = 2

class Told(Exception):
    def __init__(self, x):
        super().__init__(x)
        log.append(x)

class Counted(ValueError):
    made = 0

    def __new__(cls, *args):
        cls.made += 1
        return super().__new__(cls, *args)

log = []
numbers = [3, -1, 0, 7, 12, -5, 2, 0, 9, 4]
table = {3: 1.5, 0: 2.5, 7: -1.0}
texts = {"a": 1, "b": 2}

def checked(i):
    if i < 0:
        raise ValueError(f"{i} is negative: {i:5d} {i!r}")
    if i > 8:
        raise Later("large", i)
    return i * 2

def twice(i):
    return checked(i) + checked(i + 1)
"""
NATIVE = {
    "in place": """
def f(n):
    balance = 0
    for i in range(n):
        try:
            if i % 2:
                raise ValueError
            balance += 1
        except ValueError:
            balance -= 1
    return balance
""",
    "of a call": """
def f(n):
    total = bad = 0
    for i in numbers:
        try:
            total += twice(i)
        except ValueError:
            bad += 1
        except Stop:
            bad += 10
    return total, bad
""",
    "in order": """
def f(n):
    seen = []
    for i in numbers:
        try:
            x = checked(i)
        except (KeyError, Stop):
            x = -1
        except Exception:
            x = -2
        else:
            x += 1
        finally:
            seen.append(i)
        seen.append(x)
    return seen
""",
    "any": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except:
            total -= 1
    return total
""",
    "that ends the loop": """
def f(n):
    total = 0
    for i in numbers:
        try:
            if total > n:
                raise Later
            total += i
        except Stop:
            break
    else:
        total = -total
    return total
""",
    "that returns": """
def one(i):
    try:
        return checked(i)
    except ValueError:
        return -1
    except Stop:
        return -2

def f(n):
    return [one(i) for i in range(-2, n)]
""",
    "named": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except ValueError as e:
            total -= 1
        except Stop as e:
            total -= 2
            continue
        total += 3
    try:
        return total, e
    except NameError:
        return total
""",
    "again": """
def f(n):
    total = 0
    for i in numbers:
        try:
            try:
                total += checked(i)
            except ValueError:
                total -= 1
                raise
            except Stop as e:
                total -= 5
                raise e if i < 0 else ValueError("x") from None
        except ValueError:
            total -= 20
    return total
""",
    "another": """
def f(n):
    total = 0
    for i in numbers:
        try:
            try:
                total += checked(i)
            except ValueError as e:
                raise Later(f"{i}") from e
            except Later:
                try:
                    raise KeyError(i)
                except LookupError:
                    total += 100
                raise
        except Stop:
            total -= 20
    return total
""",
    "through finally": """
def f(n):
    total = 0
    for i in numbers:
        try:
            try:
                total += checked(i)
            finally:
                total += 1
        except ValueError:
            total -= 20
        except Stop:
            total *= 2
    return total
""",
    "swallowed by finally": """
def one(i):
    try:
        checked(i)
    finally:
        return i + 1

def f(n):
    return [one(i) for i in numbers]
""",
    "keys": """
def f(n):
    total = 0.0
    for i in numbers:
        try:
            total += table[i]
        except KeyError:
            total -= 1.0
    return total
""",
    "indices": """
def f(n):
    total, x = 0, np.arange(6.0)
    for i in numbers:
        try:
            total += numbers[i + 2]
            total += x[i]
        except IndexError:
            total -= 1
        try:
            x[-i] = i
        except LookupError:
            total -= 50
    return total, x
""",
    "zero": """
def f(n):
    total, whole = 0.0, 0
    for i in numbers:
        try:
            total += 1.0 / i
            whole += 7 // i
            whole += 9 % i
        except ZeroDivisionError:
            total -= 1.0
    for i in numbers:
        try:
            total += 2.5 % float(i)
        except ArithmeticError:
            total += 0.25
    return total, whole
""",
    "counts": """
def f(n):
    counts = {}
    for i in numbers:
        try:
            counts[i] += 1
        except KeyError:
            counts[i] = 1
    return counts
""",
    "assertions": """
def f(n):
    good = 0
    for i in numbers:
        try:
            assert i >= 0, f"{i}"
            assert i < 9
            good += 1
        except AssertionError:
            good -= 1
    return good
""",
    "branches in the handler": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except ValueError:
            if i < -2:
                total += 3
            elif total > 4:
                total -= 1
            else:
                total = 0
        except Stop:
            total += 1 if i > 10 else 2
    return total
""",
    "calls in the handler": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except ValueError:
            total += twice(-i)
        except Stop:
            total += max(i, 3)
    return total
""",
}
OTHERS = {
    "looked at": """
def f(n):
    total = []
    for i in numbers:
        try:
            total.append(checked(i))
        except ValueError as e:
            total.append(e.args)
        except Stop as e:
            total.append((type(e), e.level, str(e), e.__traceback__ is None, e.__context__))
    return total
""",
    "the state": """
def f(n):
    total = []
    for i in numbers:
        try:
            total.append(checked(i))
        except ValueError:
            total.append(sys.exc_info()[0])
        except Stop:
            total.append(repr(sys.exc_info()[1]))
        total.append(sys.exc_info()[0])
    return total
""",
    "not handled": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except KeyError:
            total -= 1
    return total
""",
    "not handled here": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except ValueError:
            if total > n:
                raise RuntimeError(f"at {i}") from None
            total += 1
        except Stop as e:
            log.append(i)
            raise KeyError(i) from e
    return total
""",
    "two effects": """
def f(n):
    done = []
    for i in numbers:
        try:
            checked(i)
        except ValueError:
            done.append(i)
            done.append(numbers[i])
            log.append(i * 2)
        except Stop:
            log.append(1 << (60 + i % 5))
            done.append(i * 2 ** 60)
    return done, log[-8:]
""",
    "an effect and an overflow": """
def f(n):
    big, done = 2 ** 61, []
    for i in numbers:
        try:
            checked(i)
        except ValueError:
            done.append(i)
            big += big // 2
        except Stop:
            big *= 2
    return big, done
""",
    "of its own making": """
def f(n):
    total = 0
    for i in numbers:
        try:
            if i < 0:
                raise Told(i)
            if i > 8:
                raise Counted(i, 2)
            total += i
        except Told:
            total -= 1
        except ValueError:
            total += Counted.made
    return total, log[-4:]
""",
    "wrongly made": """
def f(n):
    total = 0
    for i in numbers:
        try:
            if i < 0:
                raise UnicodeDecodeError
            if i == 0:
                raise ValueError(x=1)
            if i > 8:
                raise n
            total += i
        except TypeError:
            total -= 1
    return total
""",
    "wrongly caught": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except n:
            total -= 1
    return total
""",
    "wrong formats": """
def f(n):
    total = 0
    for i in numbers:
        try:
            if i < 0:
                raise KeyError(f"{i:.3q}")
            if i > 8:
                raise ValueError(f"{i:c}{-i:c}")
        except KeyError:
            total -= 1
        except (ValueError, OverflowError):
            total += 1
    return total
""",
    "a loop in the handler": """
def f(n):
    total = 0
    for i in numbers:
        try:
            total += checked(i)
        except ValueError:
            for j in range(4):
                total += j
    return total
""",
    "in a generator": """
def some():
    for i in numbers:
        try:
            yield checked(i)
        except ValueError:
            yield -1
        except Stop:
            return

def f(n):
    return sum(some()), list(some()), sum(1 for i in numbers if one(i))

def one(i):
    try:
        return checked(i) > 2
    except Exception:
        return False
""",
    "with": """
class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *what):
        log.append(what[0])
        return what[0] is not None and issubclass(what[0], ValueError)

def f(n):
    total = 0
    for i in numbers:
        try:
            with Manager(), np.errstate(all="ignore"):
                total += checked(i)
        except Stop:
            total -= 1
    return total, log[-5:]
""",
    "closures": """
def made(i):
    k = i
    def inner():
        nonlocal k
        k += 1
        return k
    if i < 0:
        raise ValueError(inner)
    return inner()

def f(n):
    total = 0
    for i in numbers:
        try:
            total += made(i)
        except ValueError:
            total -= 1
    return total
""",
    "kept": """
def f(n):
    kept = last = None
    for i in numbers:
        try:
            checked(i)
        except ValueError as e:
            last = e
        except Stop as e:
            kept = (e, i)
    return last.args, kept[1], kept[0].args
""",
    "within one that is handled": """
def f(n):
    total = []
    try:
        raise KeyError(n)
    except KeyError:
        for i in numbers:
            try:
                total.append(checked(i))
            except ValueError:
                total.append(-1)
            except Stop:
                total.append(sys.exc_info()[1].args)
        total.append(sys.exc_info()[1].args)
        for i in numbers:
            try:
                if i > 8:
                    raise Stop(i)
                total.append(table[i])
            except KeyError:
                total.append(0)
            except Stop as e:
                total.append(e.__context__.args)
    return total
""",
    "finalizers": """
class Loud:
    def __init__(self, i):
        self.i = i

    def __del__(self):
        log.append(self.i)

def made(i):
    x = Loud(i)
    if i < 0:
        raise ValueError
    return x.i

def f(n):
    total = 0
    for i in numbers:
        try:
            total += made(i)
        except ValueError:
            log.append(0)
    return total, log[-30:]
""",
    "groups": """
def f(n):
    total = []
    for i in numbers:
        try:
            try:
                if i > 8:
                    raise Stop
                checked(i)
            except* ValueError as group:
                total.append(len(group.exceptions))
            except* Later:
                total.append(i)
        except Stop:
            total.append(-1)
    return total
""",
    "dicts of other kinds": """
from collections import Counter, defaultdict

class Own(dict):
    def __missing__(self, key):
        return key

def f(n):
    total = 0
    for d in ({1: 2}, Counter([3]), defaultdict(int, {2: 5}), Own({4: 1})):
        for i in numbers:
            try:
                total += d[i]
            except KeyError:
                total -= 1
    return total
""",
}


@pytest.mark.parametrize("program", NATIVE.values(), ids=NATIVE)
def test_native(program: str) -> None:
    check(CLASSES + program, 8)


@pytest.mark.parametrize("program", OTHERS.values(), ids=OTHERS)
def test_others(program: str) -> None:
    check(CLASSES + program, 8)


@pytest.mark.parametrize("name", [name for name in NATIVE if name != "named"])
def test_stays_native(name: str) -> None:
    """No exception ends native code; and what is formatted, looked up or divided by does not, either."""
    namespace: dict[str, object] = {"__name__": "raising"}
    exec(CLASSES + NATIVE[name], namespace)
    f = pijit.jit(namespace["f"])  # type: ignore[arg-type]
    for _ in range(3):
        f(8)
    before = pijit.stats(f).exits
    f(8)
    assert pijit.stats(f).exits == before
