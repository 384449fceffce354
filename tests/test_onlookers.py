"""Callees that read the variables of their callers, as numexpr.evaluate, DataFrame.query and patsy do."""

import sys
import types

import pytest
from differential import check_calls

LIBRARY = """
import sys

def evaluate(text, depth=1):
    return _look(text, depth + 1)

def _look(text, depth):
    frame = sys._getframe(depth)
    return eval(text, frame.f_globals, frame.f_locals)

class Table:
    def query(self, text):
        frame = sys._getframe(1)
        return eval(text.replace("@", ""), frame.f_globals, frame.f_locals)
"""
LOOP = "    s = 0.0\n    for i in range(50):\n        t = i * 0.5\n        s += t * a\n"
PROGRAMS = {
    "module": f"import onlooker\ndef f(a):\n    b = a + 1\n{LOOP}    return onlooker.evaluate('a * b + t')\n",
    "function": f"from onlooker import evaluate\ndef f(a):\n    b = a + 1\n{LOOP}    return evaluate('a * b + t')\n",
    "imported inside": f"def f(a):\n    import onlooker\n    b = a + 1\n{LOOP}    return onlooker.evaluate('a * b + t')\n",
    "method": f"from onlooker import Table\ntable = Table()\ndef f(a):\n    limit = a + 1\n{LOOP}    return table.query('@limit + t')\n",
    "method of a global object, two frames up": "import sys\nclass Reader:\n    def look(self, text):\n        return self.go(text)\n"
        "    def go(self, text):\n        frame = sys._getframe(2)\n        return eval(text, frame.f_globals, frame.f_locals)\n"
        f"reader = Reader()\ndef f(a):\n    b = a + 1\n{LOOP}    return reader.look('a * b + t')\n",
    "method of an argument": f"import onlooker\ndef g(table, a):\n    limit = a + 1\n{LOOP}    return table.query('@limit + t')\n"
                             "def f(a):\n    return g(onlooker.Table(), a)\n",
    "of this module": "import sys\ndef look(text):\n    frame = sys._getframe(1)\n    return eval(text, frame.f_globals, frame.f_locals)\n"
                      f"def f(a):\n    b = a + 1\n{LOOP}    return look('a * b + t')\n",
    "in a branch": "import onlooker\ndef f(a):\n    if a > 2:\n        b = a + 1\n    else:\n        b = a * 2\n"
                   "    return onlooker.evaluate('a * b')\n",
    "in an inlined call": f"import onlooker\ndef g(a):\n    b = a + 1\n    return onlooker.evaluate('a * b')\ndef f(a):\n{LOOP}    return g(a) + s\n",
    "in a loop": "import onlooker\ndef f(a):\n    s = 0.0\n    for i in range(5):\n        b = a + i\n        if i % 2:\n            c = b * 2\n"
                 "        s += onlooker.evaluate('b + i')\n    return s\n",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_variables_are_there(name, monkeypatch):
    library = types.ModuleType("onlooker")
    exec(LIBRARY, vars(library))
    monkeypatch.setitem(sys.modules, "onlooker", library)
    check_calls(PROGRAMS[name], [(n,) for n in (1, 2, 3, 2.5, 4)], entry="f")
