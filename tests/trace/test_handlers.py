"""Every handler of an instruction: a program that reaches it on the versions that have the instruction, and gives what plain Python gives."""

import dis

import pytest
from differential import check_calls

from pijit.trace import opcodes

# Instructions that only some versions have; on the others the program reaches something else.
ONLY = {"LOAD_FAST": "LOAD_FAST_CHECK", "JUMP_IF_OR_POP": "JUMP_IF_TRUE_OR_POP",
        "CALL_KW": "CALL_KW",
        "TO_BOOL": "TO_BOOL", "LOAD_FAST_CHECK": "LOAD_FAST_CHECK",
        "LOAD_FAST_AND_CLEAR": "LOAD_FAST_AND_CLEAR",
        "LOAD_SUPER_ATTR": "LOAD_SUPER_ATTR",
        "LOAD_METHOD": None, "BINARY_SLICE": None, "STORE_SLICE": None, "PUSH_NULL": None}  # fmt: skip

LOOP = "    s = 0\n    for i in range(a):\n        s += i\n    return s\n"
PROGRAMS = {
    "LOAD_FAST": "def f(a):\n    return a + 1\n",
    "LOAD_FAST_CHECK": "def f(a):\n    if a > 2:\n        b = a\n    return b + a\n",
    "LOAD_FAST_AND_CLEAR": "def f(a):\n    b = a * 2\n    return [x + b for x in range(a)]\n",
    "STORE_FAST": "def f(a):\n    b = a + 1\n    return b * 2\n",
    "DELETE_FAST": "def f(a):\n    b = a * 2\n    del b\n    return a + 1\n",
    "LOAD_DEREF": "k = 2\ndef outer():\n    k = 3\n    def g(a):\n        return a * k + 1\n    return g\ng = outer()\ndef f(a):\n    return g(a)\n",
    "STORE_DEREF": "def f(a):\n    b = a + 1\n    b = b * 2\n    g = lambda: b\n    return g()\n",
    "LOAD_CLOSURE": "def f(a):\n    b = a + 1\n    g = lambda: b * 2\n    b = b * 3\n    return g()\n",
    "MAKE_FUNCTION": "def f(a):\n    g = lambda b: b * 2\n    return g(a)\n",
    "SET_FUNCTION_ATTRIBUTE": "def f(a):\n    g = lambda b, c=a, *, d=a + 1: b * c + d\n    return g(2)\n",
    "DELETE_DEREF": "def f(a):\n    b = a + 1\n    g = lambda: b\n    c = g() * 2\n    del b\n    return c\n",
    "LOAD_CONST": "def f(a):\n    return a + 12345\n",
    "LOAD_GLOBAL": "k = 2\ndef f(a):\n    return a * k\n",
    "LOAD_ATTR": "def f(a):\n    return np.pi * a + 1\n",
    "BINARY_OP": "def f(a):\n    return a ** 2 - a\n",
    "UNARY_OP": "def f(a):\n    return -a + ~a\n",
    "COMPARE_OP": "def f(a):\n    return a < 5\n",
    "TO_BOOL": "def f(a):\n    return not a * 2\n",
    "IS_OP": "def f(a):\n    return (a + 1) is None\n",
    "CONTAINS_OP": "def f(a):\n    b = 3 in (1, 2, 3)\n    return 2 in (1, 2), a + b\n",
    "BINARY_SUBSCR": "def f(a):\n    t = (a, a + 1)\n    return t[1] + t[0]\n",
    "STORE_SUBSCR": "def f(a):\n    x = np.zeros(3)\n    x[1] = a\n    x[1:] = x[:2]\n    return x\n",
    "BUILD_TUPLE": "def f(a):\n    return a + 1, a * 2\n",
    "LIST_EXTEND": "def f(a):\n    return np.array([1.0, 2.0, 3.0, 4.0]) * a\n",
    "SET_UPDATE": "def f(a):\n    return len({1, 2, 3}) + len({*(a, 1), a}) + a\n",
    "LIST_APPEND": "def f(a):\n    return len([x * a for x in range(a)]) + a\n",
    "STORE_ATTR": "class Thing:\n    pass\nthing = Thing()\nthing.k = 1\ndef f(a):\n    thing.k = a * 2\n    return thing.k + a\n",
    "DELETE_ATTR": "class Thing:\n    pass\nthing = Thing()\ndef f(a):\n    thing.k = a * 2\n    del thing.k\n    return a + 1\n",
    "DELETE_SUBSCR": "d = {}\ndef f(a):\n    d['k'] = a * 2\n    del d['k']\n    return a + 1\n",
    "STORE_GLOBAL": "k = 2\ndef f(a):\n    global k\n    k = k + a\n    return k\n",
    "DELETE_GLOBAL": "def f(a):\n    global k\n    k = a\n    del k\n    return a + 1\n",
    "BUILD_LIST": "def f(a):\n    return [a + 1, a * 2]\n",
    "BUILD_SLICE": "def f(a):\n    x = np.zeros(9)\n    return x[1:a:2] + x[0:a:2][:1]\n",
    "UNPACK_SEQUENCE": "def g(a):\n    return a + 1, a\ndef f(a):\n    b, c = g(a)\n    return b * c\n",
    "MATCH_SEQUENCE": "def f(a):\n    match (a, 1):\n        case (2, b):\n            return b\n        case (b, c):\n            return b * c\n",
    "GET_LEN": "def f(a):\n    match (a, 1, 2):\n        case (b, c):\n            return b\n        case (b, *c):\n            return b * 2\n",
    "POP_TOP": "def f(a):\n    a + 1\n    return a * 2\n",
    "COPY": "def f(a):\n    b = c = a + 1\n    return b * c\n",
    "SWAP": "def f(a):\n    return 1 < a + 1 < 9\n",
    "NOP": "def f(a):\n    try:\n        b = a + 1\n    except ValueError:\n        b = 0\n    return b * 2\n",
    "JUMP": "def f(a):\n    if a > 2:\n        b = a * 2\n    else:\n        b = a * 3\n    return b + a * 5 - b * 7\n",
    "JUMP_BACKWARD": "def f(a):\n" + LOOP,
    "POP_JUMP": "def f(a):\n    if a > 2:\n        a = a * 2\n    return a + 1\n",
    "JUMP_IF_OR_POP": "def f(a):\n    return (a - 3 or a + 1) * 2\n",
    "GET_ITER": "def f(a):\n" + LOOP,
    "FOR_ITER": "def f(a):\n" + LOOP,
    "RETURN_VALUE": "def f(a):\n    return a * 3\n",
    "YIELD_VALUE": "def f(a):\n    return sum(b * b for b in range(a))\n",
    "CALL": "def f(a):\n    return abs(a - 9)\n",
    "CALL_KW": "def g(a, b):\n    return a - b\ndef f(a):\n    return g(b=a, a=2)\n",
    "LOAD_METHOD": "def f(a):\n    return np.zeros(a).sum()\n",
    "PUSH_NULL": "def g(a):\n    return a + 1\ndef f(a):\n    h = g\n    return h(a)\n",
    "CALL_FUNCTION_EX": "def g(a, b):\n    return a - b\ndef f(a):\n    t = (a, 2)\n    return g(*t)\n",
    "LIST_TO_TUPLE": "def g(a, b, c):\n    return a - b * c\ndef f(a):\n    t = (a, 2)\n    return g(1, *t)\n",
    "DICT_MERGE": "def g(a, b):\n    return a - b\ndef f(a):\n    d = {'b': a * 2}\n    return g(a=1, **d)\n",
    "DICT_UPDATE": "def f(a):\n    d = {'b': a * 2}\n    e = {**d, 'c': 1}\n    return e['b'] + e['c']\n",
    "BUILD_MAP": "def f(a):\n    d = {'b': a * 2}\n    return d['b'] + 1\n",
    "BUILD_SET": "def f(a):\n    return len({a, a + 1, 3})\n",
    "SET_ADD": "def f(a):\n    return len({x * a for x in range(a)}) + a\n",
    "MAP_ADD": "def f(a):\n    return len({x: x * a for x in range(a)}) + a\n",
    "BUILD_CONST_KEY_MAP": "def f(a):\n    d = {'b': a * 2, 'c': 1}\n    return d['b'] + d['c']\n",
    "UNPACK_EX": "def f(a):\n    t = (a, a + 1, 3)\n    b, *c = t\n    return b * 2, c\n",
    "LOAD_SUPER_ATTR": "class A:\n    def g(self, a):\n        return a + 1\nclass B(A):\n    def g(self, a):\n        return super().g(a) * 2\n"
                       "thing = B()\ndef f(a):\n    return thing.g(a)\n",
    "BEFORE_WITH": "class A:\n    def __enter__(self):\n        return 2\n    def __exit__(self, *e):\n        return None\n"
                   "thing = A()\ndef f(a):\n    with thing as b:\n        a += b\n    return a\n",
    "WITH_EXCEPT_START": "class A:\n    def __enter__(self):\n        return 2\n    def __exit__(self, kind, *e):\n        return kind is not None\n"
                         "def f(a):\n    with A() as b:\n        a += b\n        raise ValueError(a)\n    return a + 1\n",
    "LOAD_ASSERTION_ERROR": "def f(a):\n    b = a + 1\n    assert b < a\n    return b\n",
    "RAISE_VARARGS": "def f(a):\n    try:\n        raise ValueError\n    except ValueError:\n        return a + 1\n",
    "PUSH_EXC_INFO": "def f(a):\n    try:\n        if a > 2:\n            raise ValueError(a)\n        return a\n    except:\n        return a + 1\n",
    "CHECK_EXC_MATCH": "def f(a):\n    try:\n        raise KeyError(a)\n    except (TypeError, LookupError):\n        return a + 1\n",
    "POP_EXCEPT": "def f(a):\n    try:\n        a = a // (a - 3)\n    except ZeroDivisionError:\n        a = 7\n    return a + 1\n",
    "RERAISE": "def f(a):\n    try:\n        try:\n            raise KeyError\n        finally:\n            a += 1\n"
    "    except KeyError:\n        return a + 1\n",
    "CONVERT_VALUE": "def f(a):\n    return f'{a!r}'\n",
    "FORMAT_SIMPLE": "def f(a):\n    return f'{a}'\n",
    "FORMAT_WITH_SPEC": "def f(a):\n    return f'{a:>5}'\n",
    "BUILD_STRING": "def f(a):\n    return f'{a} of {a + 1}'\n",
}
MODULE = {"LOAD_NAME", "STORE_NAME"}  # see tests/cases/module.txt


def test_every_handler_has_a_program():
    assert set(opcodes.HANDLERS) - MODULE - {"BINARY_SLICE", "STORE_SLICE"} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_handler(name, monkeypatch):
    reached = []
    plain = opcodes.HANDLERS[name]

    def noted(t, arg):
        reached.append(name)
        return plain(t, arg)

    monkeypatch.setitem(opcodes.HANDLERS, name, noted)
    check_calls(PROGRAMS[name], [(3,), (3,), (2,)], entry="f", configurations=("jit", "numpy", "forced numpy"))
    instruction = ONLY.get(name, "LOAD_FAST")
    if instruction is not None and instruction in dis.opmap:
        assert reached


# What the instructions that are told how many they take do with none.
WITH_NONE = {
    "BUILD_STRING": "f'{a:}'", "BUILD_TUPLE": "(), *()", "BUILD_LIST": "[], [*()]", "BUILD_SET": "{*()}", "BUILD_MAP": "{}, {**{}}",
    "CALL": "g(), g(*()), g(**{})", "CALL_METHOD": "''.join(()), ''.strip()", "CALL_CLASS": "list(), dict(), tuple(), int(), str(), float()",
    "CALL_STARRED": "max(*(a, 2), **{})",
}  # fmt: skip
STATEMENTS = {
    "UNPACK_SEQUENCE": "() = ()\n    [] = []\n    () = ''", "UNPACK_EX": "[*b] = ()\n    c, *d = a,\n    a = len(b) + len(d)",
    "MAKE_FUNCTION": "a = (lambda: None)()", "too many": "() = a,",
}  # fmt: skip


@pytest.mark.parametrize("taken", WITH_NONE.values(), ids=list(WITH_NONE))
def test_none_is_taken(taken):
    check_calls(f"def g():\n    return 1\ndef f(a):\n    return a + 1, {taken}\n", [(3,), (3,), (2,)], entry="f")


@pytest.mark.parametrize("done", STATEMENTS.values(), ids=list(STATEMENTS))
def test_none_is_taken_apart(done):
    check_calls(f"def f(a):\n    a += 1\n    {done}\n    return a\n", [(3,), (3,), (2,)], entry="f")
