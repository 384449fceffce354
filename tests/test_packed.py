"""array.array and bytearray: items read and stored natively, with what their types can hold."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from differential import check, check_calls, check_stays_native, function_of

from pijit.ir import packed

pytestmark = pytest.mark.shared

CODES = "bBhHiIlLqQfd"
EDGES = [0, 1, -1, 127, 128, -128, -129, 255, 256, 2**15 - 1, 2**15, -(2**15) - 1, 65535, 65536, 2**31 - 1, 2**31, -(2**31) - 1, 2**32 - 1, 2**32]
HUGE = [2**53 + 1, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**64 - 1, 2**64, 10**400]
FLOATS = [0.0, -0.0, 0.1, -1.5, 1e-45, 1e-46, 3.4028235e38, 3.5e38, -3.5e38, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"), 16777217.0]
STORING = """
def put(a, i, x):
    a[i] = x
    return a[i], a[-i - 1], len(a)
def f(a, values):
    said = []
    for x in values:
        try:
            said.append(put(a, 1, x))
        except (OverflowError, TypeError, ValueError) as error:
            said.append((type(error).__name__, str(error)))
    return said, a
"""


def test_the_table():
    for code in CODES:
        assert packed.element(code) is None or packed.size(code) == array(code).itemsize
    assert [code for code in CODES if packed.element(code) is None] == ["L", "Q"]
    assert packed.code_of(array("d")) == "d"
    assert packed.code_of(type("Mine", (array,), {})("d")) is None


@pytest.mark.parametrize("code", [*CODES, packed.BYTES])
def test_what_items_hold(code):
    made = bytearray(4) if code == packed.BYTES else array(code, [0, 1, 0, 1])
    others = [np.int64(5), np.uint8(200), np.int8(-3), np.float64(0.1), np.float32(0.1), np.bool_(True)]
    for values in (EDGES, HUGE, FLOATS, [True, False, None, "a", 1j], others):
        check_calls(STORING, [(made, values)] * 3, entry="f", configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("code", [*"bHiqfd", packed.BYTES])
def test_places(code):
    source = """
def get(a, i):
    return a[i]
def f(a):
    said = []
    for i in (0, 3, -1, -4, 4, -5, True, 2**63, 2**70):
        try:
            said.append(get(a, i))
        except IndexError as error:
            said.append(str(error))
        try:
            a[i] = i % 5
            a[i] += 1
        except IndexError as error:
            said.append(str(error))
    return said, a
"""
    check(source, bytearray(b"abcd") if code == packed.BYTES else array(code, [1, 2, 3, 4]), entry="f")


def test_every_kind_comes_to_one_place():
    """The class does not tell what an array holds."""
    source = """
from array import array
def total(a):
    s = 0
    for i in range(len(a)):
        s += a[i]
        a[i] = 1
    return s
def f():
    kinds = [array(code, [3, 4]) for code in 'dbdIfQqBd'] + [bytearray(b'ab'), [5, 6], array('d'), array('u', 'ab')]
    said = []
    for a in kinds:
        try:
            said.append(total(a))
        except TypeError as error:
            said.append(str(error))
    return said, kinds
"""
    check(source)


def test_one_that_grows_and_shrinks_meanwhile():
    source = """
from array import array
def f(n):
    a, said = array('q', [1]), []
    for i in range(n):
        a.append(i)
        said.append(a[i] + a[-1] + len(a))
        if i % 7 == 3:
            del a[1:3]
            a.insert(0, i)
            a.extend(a)
        a[0] = i
    return a, said
"""
    check(source, 40)


def test_memory_that_numpy_sees_too():
    source = """
import numpy as np
from array import array
def f(n):
    a, b = array('d', range(n)), bytearray(n)
    seen, bytes_ = np.frombuffer(a), np.frombuffer(b, np.uint8)
    said = []
    for i in range(1, n):
        seen[i] = seen[i - 1] + a[i]
        a[i - 1] = seen[i] * 2.0
        b[i] = i
        bytes_[i - 1] += b[i]
        said.append((a[i], seen[i - 1], b[i - 1], bytes_[i]))
    seen += 1.0
    return said, a[n - 1], a, b
"""
    check(source, 12)


def test_subclasses_are_the_program_s():
    source = """
from array import array
class Mine(array):
    def __getitem__(self, i):
        return array.__getitem__(self, i) * 2
    def __setitem__(self, i, x):
        array.__setitem__(self, i, x + 1)
def f(n):
    a = Mine('d', range(n))
    for i in range(n - 1):
        a[i + 1] = a[i]
    return list(a)
"""
    check(source, 6)


def test_going_through_them():
    source = """
from array import array
def f(a, b):
    s = 0
    for x in a:
        s += x
    for i, x in enumerate(b):
        s += i * x
    for x, y in zip(a, b):
        s -= x * y
    return s, [x * 2 for x in a], sum(a), max(b), list(a)
"""
    pairs = [(array("d", [1.5, 2.5]), bytearray(b"ab")), (array("h", [3, -4, 5]), array("B", [7, 8])), (array("d"), bytearray(b"x"))]
    check_calls(source, pairs * 2, entry="f")


def test_read_only_and_exported():
    body = """
view = memoryview(b)
for i in range(len(b)):
    b[i] = b[i] // 2
try:
    b.append(1)
except BufferError as error:
    return bytes(view), str(error)"""
    check(function_of("b", body), bytearray(b"abcdef"))


def test_an_object_that_has_one_stays_native():
    """As matrices are written without NumPy."""
    source = """
from array import array
class Matrix:
    def __init__(self, rows, columns):
        self.columns, self.data = columns, array('d', [1.0]) * (rows * columns)
    def __getitem__(self, place):
        return self.data[place[0] * self.columns + place[1]]
    def __setitem__(self, place, value):
        self.data[place[0] * self.columns + place[1]] = value
m = Matrix(6, 5)
def f(m, n):
    for i in range(1, 5):
        for j in range(1, 4):
            m[i, j] = 0.25 * (m[i - 1, j] + m[i + 1, j] + m[i, j - 1] + m[i, j + 1]) - 0.1 * m[i, j]
    return m[2, 2]
"""
    space: dict = {}
    exec(source, space)
    check_stays_native(source, space["m"], 4)
    check(source, space["m"], 4, entry="f")


def test_a_sieve_stays_native():
    body = """
flags = bytearray(n + 1)
count = 0
for i in range(2, n + 1):
    if not flags[i]:
        count += 1
        for j in range(i * i, n + 1, i):
            flags[j] = 1
return count"""
    check_stays_native(function_of("n", body), 300)
    check(function_of("n", body), 300)


MADE = [
    "array('d')", "array('d', [1, 2.5, True])", "array('i', range(n))", "array('b', b'ab')", "array('h', (1, -2))", "array('B', array('B', [3]))",
    "array('d', [0.0]) * n", "n * array('q', [1, 2])", "bytearray()", "bytearray(n)", "bytearray(b'ab') * n", "bytearray(range(n))",
    "array('b', [300])", "array('b', [n, 2.5])", "bytearray(-n)", "bytearray([n, 256])", "array('d', [1j])", "array('d', ['a'])", "array('x')",
    "array('d', [1], 2)", "bytearray('ab')", "bytearray('ab', 'ascii')", "array('u', 'ab')", "array('d', [Number()])", "bytearray([Index()])",
    "array('d', [x * 0.5 for x in range(n)])", "array('b', [x for x in (1, True, n)])", "array('d', [x for x in (1, Number())])",
    "bytearray([x for x in range(n)])", "bytearray([x for x in (n, Index())])", "array('i', [x for x in (1, 2.5)])", "array('d', [[1.5] * n][0])",
    "array('d', 5)", "bytearray(2.5)", "array('d', dict.fromkeys([1, 2]))",
]  # fmt: skip


@pytest.mark.parametrize("made", MADE)
def test_making_them(made):
    source = f"""
from array import array
class Number:
    def __float__(self):
        return 1.5
class Index:
    def __index__(self):
        return 3
def f(n):
    said = []
    for i in range(3):
        try:
            a = {made}
            if len(a) > 1:
                a[1] = a[0]
            said.append((a, len(a)))
        except (TypeError, ValueError, OverflowError) as error:
            said.append((type(error).__name__, str(error)))
    return said
"""
    check(source, 4, entry="f")


@pytest.mark.parametrize("bounds", [":", "1:3", "-2:", "::2", "::-1", "3:1", "n:", "True:"])
@pytest.mark.parametrize(("made", "put"), [
    ("array('d', [1, 2, 3, 4])", "array('d', [9]) * 2"), ("array('d', [1, 2, 3, 4])", "a"), ("array('h', [1, 2])", "array('d', [1])"),
    ("bytearray(b'abcd')", "b'xy'"), ("bytearray(b'abcd')", "a[1:]"), ("array('i', range(5))", "[1, 2]"), ("bytearray(b'abcd')", "[1, 2]"),
    ("bytearray(b'ab')", "'ab'"),
])  # fmt: skip
def test_slices(made, put, bounds):
    source = f"""
from array import array
def f(n):
    said = []
    for i in range(3):
        a = {made}
        said.append((a[{bounds}], len(a[{bounds}])))
        try:
            a[{bounds}] = {put}
            said.append(a)
            del a[{bounds}]
        except (TypeError, ValueError) as error:
            said.append((type(error).__name__, str(error)))
        said.append((a, a[:]))
    return said
"""
    check(source, 2, entry="f", configurations=("jit", "numpy", "forced"))


def test_appending():
    source = """
from array import array
class Index:
    def __index__(self):
        return 7
def loop(n, put, x):
    for i in range(n):
        put(i)
    put(x)
def f(n):
    said = []
    for a in (array('d'), array('b'), bytearray(), array('Q'), array('u')):
        for x in (3, 2.5, -1, 300, Index(), 'a', None):
            try:
                a.append(x)
                loop(n, a.append, x)
            except (TypeError, OverflowError, ValueError) as error:
                said.append(str(error))
        said.append(a)
    return said
"""
    check(source, 5, entry="f")
