"""Exceptions that are raised and handled within a fragment: the same answer, and natively."""

from __future__ import annotations

import pytest
from differential import check
from raising_programs import CLASSES, NATIVE

import pijit

# What leaves native code somewhere, or is never in it.
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
