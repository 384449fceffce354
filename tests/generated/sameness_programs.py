"""A grammar of programs that ask which objects are one: tuples, slices, functions and objects within each other, put into variables, containers
and attributes, taken out again, while paths part and meet.

    SamenessProgram(choose).source, SamenessProgram(choose).calls

What is compared is a number for each place that an object was found in: the number of the first place where that very object was.
`__noted__` is named so that its contents are not compared otherwise: a slice shows where the functions in it are.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from choices import Templates

PRELUDE = """
class Box:
    def __init__(self, v):
        self.v = v
    def get(self):
        return self.v
class Slots:
    __slots__ = ("v", "w")
    def __init__(self, v, w):
        self.v, self.w = v, w
__noted__ = []
def first(v):
    return v[0] if type(v) is tuple else v
def last(v):
    if type(v) is tuple:
        return v[-1]
    return v.v if type(v) is Box else (v, 1)
def either(v, w, which):
    if which:
        return v
    return w
def note(v):
    __noted__.append(v)
    return v
def hold(v):
    return lambda: v
def pairs(v, w):
    yield v, w
    yield (v, w), v
def places(value, seen):
    if type(value) in (int, float, type(None)):
        return value
    if id(value) in seen:
        return seen[id(value)][0]
    number = len(seen)
    seen[id(value)] = number, value
    if type(value) in (tuple, list):
        inner = value
    elif type(value) is dict:
        inner = value.values()
    elif type(value) is slice:
        inner = value.start, value.stop
    elif type(value) is Box:
        inner = value.__dict__.values()
    elif type(value) is Slots:
        inner = value.v, value.w
    else:
        inner = [cell.cell_contents for cell in value.__closure__ or ()] + [*(value.__defaults__ or ())] if hasattr(value, "__code__") else ()
    return number, type(value).__name__, [places(one, seen) for one in inner]
""".lstrip()

START = """
__noted__.clear()
o, d, kept = Box(0), {"v": 0}, [0]
p = q = s = t = (n, x)
fuel = 5
"""

TEMPLATES = {
    "v": ("p", "q", "s", "t"),
    "made": (
        *("(n, x)", "(<v>, n)", "(<v>, <v>)", "(<v>, <v>, i)", "(<read>, n)", "((<v>, 1), <v>)", "(<made>, <v>)"),
        *("slice(<v>, n)", "Box(<v>)", "Slots(<v>, (<v>, x))", "[<v>, n]", "{'v': <v>, 'w': n}", "lambda: 3", "lambda v=<v>: v", "hold(<v>)"),
    ),
    "read": (
        *("<v>", "kept[-1]", "kept[0]", "o.v", "d['v']", "first(<v>)", "last(<v>)", "either(<v>, <v>, n > 3)", "either(<made>, <v>, i)"),
        *("note(<v>)", "(<v>, i)[0]", "[<v>, <v>][i % 2]", "hold(<v>)()", "o.get()", "(<v> if n == 4 else <v>)", "(i and <v> or <v>)"),
        *("next(pairs(<v>, <v>))", "d.get('v')", "min((<v>, <v>), key=lambda v: 1)", "max((i, <v>), (i, <v>), key=first)[1]", "Box(<v>).v"),
    ),
    "cond": (
        *("n > 3", "n == 4", "i", "i % 2", "<v> is <v>", "first(<v>) is <v>", "o.v is <v>", "kept[-1] is not <v>", "type(<v>) is tuple"),
        *("<v> is None", "last(<v>) is first(<v>)"),
    ),
    "statement": (
        *("<v> = <made>",) * 4,
        *("<v> = <read>",) * 3,
        *("<v>, <v> = <v>, <v>", "<v> = <v> = <made>", "<v>, <v> = <read>, <made>", "<v> = None"),
        *("kept.append(<v>)", "kept.append(<read>)", "kept.append(<made>)", "kept[0] = <v>", "o.v = <v>", "o.v = <made>", "d['v'] = <v>"),
        *("d[n] = <v>", "o = Box(<v>)", "d = {'v': <v>}", "kept += [<v>, <read>]", "kept.append(<v> is <read>)", "note(<made>)"),
        *("if <cond>:\n    <block>", "if <cond>:\n    <block>\nelse:\n    <block>") * 2,
        *("for i in range(3):\n    <block>", "for i in range(n):\n    <block>", "for <v> in (<v>, <made>):\n    <block>"),
        *("for <v>, <v> in pairs(<v>, <v>):\n    <block>", "for i, <v> in enumerate([<v>, <v>]):\n    <block>", "for <v> in kept[:3]:\n    <block>"),
        *("while fuel:\n    fuel -= 1\n    <block>", "kept.append([<v> for i in range(2)])", "kept.append([(<v>, <made>) for <v> in (<v>, <v>)])"),
        *("kept.extend(first(v) for v in (<v>, <v>))", "try:\n    <block>\n    {}[n]\nexcept KeyError:\n    <block>", "abs(n)", "import math"),
        "def f(v=<v>):\n    return v, <v>\n<v> = f()",
    ),
}  # fmt: skip


class SamenessProgram(Templates):
    """One program. ``calls``: the arguments of the calls to make."""

    prelude = PRELUDE
    calls = ((3, 1.5), (4, 2.5), (3, 1.5), (5, 0.5), (4, 2.5))

    def __init__(self, choose: Callable[[int], int], size: int = 6) -> None:
        super().__init__(choose)
        self.budget = size * 3
        body = [START.strip(), f"i = {self.choose(3)}", *(self.expand("statement", 3) for _ in range(size))]
        text = "\n".join([*body, "return places([p, q, s, t, o, d, kept, __noted__], {})"])
        self.source = f"{PRELUDE}\n\ndef subject(n, x):\n" + textwrap.indent(text, "    ") + "\n"

    def expand(self, kind: str, depth: int) -> str:
        if kind == "block":
            count = 1 + self.choose(3)
            self.budget -= count
            return "\n".join(self.expand("statement", depth) for _ in range(count))
        if kind == "made" and depth <= 0:
            return self.fill("(<v>, n)", 0)
        template = self.pick(TEMPLATES[kind])
        while "<block>" in template and (depth <= 0 or self.budget <= 0):
            template = self.pick(TEMPLATES[kind])
        return self.fill(template, depth - 1)
