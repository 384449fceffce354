"""Programs that raise and handle exceptions, natively: for test_raising.py."""

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
