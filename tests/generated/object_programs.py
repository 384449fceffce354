"""A grammar of programs about objects: attributes, operators, closures, generators, containers that change while they are gone through, exceptions.

    ObjectProgram(choose).source, ObjectProgram(choose).calls

A template is Python with <kind>s in it. A kind is a variable (VARIABLES), or made of a template in turn: of one in LEAVES, or, where the
program may go deeper, of one in RICHER. A kind that is all of its line may be several lines. The classes and functions that templates name are those of
`object_prelude.py`. Each loop uses up `fuel`, and nothing grows faster than by some digits or items a step, so that programs end.
Nothing asks where an object is: the hash of a NaN does, and so the order of a set with one in it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
from choices import Templates

PRELUDE = Path(__file__).with_name("object_prelude.py").read_text()

VARIABLES = {
    "n": ("n", "q", "x", "y"),
    "l": ("l", "m"),
    "d": ("d", "e"),
    "u": ("u", "w"),
    "s": ("s", "r"),
    "a": ("a", "b"),
    "o": ("o", "p"),
    "c": ("c",),
    "h": ("h",),
    "it": ("it", "its"),
    "pairs": ("pairs",),
    "dq": ("dq", "dr"),
    "g": ("g",),
    "f": ("f", "inner"),
    "th": ("one", "two"),
}

START = """
out = []
random.seed(2)
rng = np.random.default_rng(1)
x, y, m, e, u, w, r, b = n, q, [q, 2], {"a": 1, "b": n}, {1, 2, "a"}, set(), "1", np.arange(6.0)
o, p, c, h = Point(n), Child(q, tag="s"), Slotted(n, q), Field(a)
it, its, pairs, g = iter(l), iter([1, 2, 3]), zip(l, m), echo(n)
f, inner, t = counter(1), counter(0.5), []
dq, dr = deque([1, n]), deque([2], 3)
one, two, kept, held = (n, q), None, [], {}
""".strip()

SCRIPT = """
for arguments in [
    %s
]:
    try:
        print(subject(*arguments()))
    except Exception as err:
        print(told(err))
    print(SEEN, TOTAL)
subject(*%s)
"""

ERRORS = (
    "Refused",
    "TooMany",
    "IndexError",
    "KeyError",
    "ZeroDivisionError",
    "(TypeError, ValueError)",
    "Exception",
    "AttributeError",
    "(ArithmeticError, Refused)",
    "RuntimeError",
    "LookupError",
    "StopIteration",
)

LEAVES: dict[str, tuple[str, ...]] = {
    "op": ("+", "-", "*", "+", "-", "/", "//", "%"),
    "add": ("+", "-", "+", "/", "//", "%"),
    "cmp": ("<", ">", "==", "!=", "<=", ">="),
    "small": ("0", "1", "2", "3", "-1", "0.5", "True"),
    "count": ("3", "4", "6", "10", "len(<l>)", "5, 0, -1", "2, 5"),
    "index": ("0", "-1", "1", "2", "len(<l>) // 2", "7"),
    "slice": ("1:", ":-1", "::-1", "1:3", "::2", ":"),
    "key": ("'a'", "'b'", "'c'", "'a'", "'b'", "1", "<n>", "(1, <n>)", "(<n>, (<n>, 'a'))", "<s>", "len(<l>)"),
    "error": ERRORS,
    "num": (
        *("<n>", "<n>", "<n>", "0", "1", "2", "3", "-1", "0.5", "7", "True", "1.5", "2**62", "(10**20)", "math.inf", "-0.0"),
        "Colour.RED",
    ),
    "cond": ("<n> <cmp> <num>", "<l>", "<o>", "<n>", "<s>", "<d>"),
    "list": ("<l>", "<l>", "[1, <n>]", "<o>.items", "[<n>, <n>, 2.5]"),
    "dict": ("<d>", "{'a': <n>, 'b': 2}", "dict(a=<n>, c=1)"),
    "set": ("<u>", "{<n>, 2, 'a'}", "set(<l>)"),
    "str": ("<s>", "'a1'", "str(<n>)", "repr(<o>)[:40]", "<o>.tag"),
    "array": ("<a>", "<h>.data", "np.arange(6.0)", "np.array([1, 0, 3, -2, 7, 2])"),
    "obj": ("<o>", "<o>", "SHARED", "Point(<n>)", "Child(<n>, tag=<s>)"),
    "thing": ("<th>", "(<n>, <num>)", "lambda: <n>"),
    "place": ("<th>", "<th>", "kept[-1]", "kept[0]", "<o>.v", "held['v']", "held.get(<n>)"),
    "fuel": ("fuel -= 1\nif fuel < 0:\n    break",),
    "exit": ("return out, <num>", "raise Refused(<num>)", "raise TooMany(<num>) from None", "out.append(<num>)"),
    "jump": ("break", "continue", "break", "continue", "return out, <num>", "raise Refused(<num>)"),
    "statement": ("<simple>",),
}

RICHER: dict[str, tuple[str, ...]] = {
    "num": (
        *("(<num> <add> <num>)",) * 6,
        *("(<num> * <small>)", "(<num> % 97 * <num>)", "(2 ** (<num> % 9))", "-<num>", "abs(<num>)", "int(<num>)", "float(<num>)"),
        *("round(<num>, 1)", "math.sqrt(abs(<num>))", "math.floor(<num>)", "divmod(<num>, 3)[1]", "min(<num>, <num>)", "max(<num>, <num>)"),
        *("(<num> if <cond> else <num>)", "(<num> and <num>)", "(<num> or <num>)", "(x := <num>)", "(not <num>)", "int(<num>) & 7"),
        *("note(<num>)", "TOTAL", "len(SEEN)", "random.random()", "rng.random()", "int(rng.integers(5))", "Base.made", "Point.scale"),
        # of containers
        *("<list>[<index>]", "<list>[note(1)]", "len(<list>)", "sum(<list>)", "max(<list>, default=0)", "<l>.pop()", "<l>.index(<num>)"),
        *("<l>.count(<num>)", "<dict>[<key>]", "<dict>.get(<key>, <num>)", "len(<dict>)", "sum(<dict>.values())", "<d>.pop(<key>, <num>)"),
        *("<d>.setdefault(<key>, <num>)", "len(<set>)", "len(<set> & <set>)", "len(<str>)", "int(<str>[-1])", "ord(<str>[0])"),
        "<str>.count('1')",
        *("sorted(<list>, key=lambda v: -v)[0]", "min(<list>, key=<f>)", "find(<list>, <num>)[0]", "remember(<num>)[0]"),
        "bytes([3, 5])[<index>]",
        *("heapq.heappop(<l>)", "<dq>.popleft()", "<dq>.pop()", "<dq>[<index>]", "len(<dq>)", "sum(<dq>)", "<l>.pop(<index>)", "ord(<s>[<index>])"),
        *("hash(round(<num>)) % 7", "int.from_bytes(<str>.encode()[:3], 'big')", "deque(<list>, 2).pop()", "defaultdict(int, <dict>)['z']"),
        # of objects
        *("<obj>.x", "<obj>.y", "<obj>.norm", "<obj>.scale", "<obj>.late", "<obj>.cached", "<obj>.limit", "<obj>.step(<num>).x"),
        "<obj>.loop(4)",
        *("<obj>[<index>]", "len(<obj>)", "<obj>(<num>)", "Point.times(<num>, 2)", "<obj>.times(<num>)", "(-<obj>).x"),
        *("(<obj> + <num>).x", "(2 + <obj>).y"),
        *("sum([Point(1), <obj>]).x", "<obj>.grow(<num>)", "getattr(<obj>, 'w', <num>)", "<obj>.items[-1]", "Child(<num>).step(1).norm"),
        "Base(<num>).step(1).x",
        *("Slotted(<num>, <num>).swap()", "Wider(<num>, 1).swap()", "<c>.a", "<c>.swap()", "Pair(<num>).turn().left", "Fixed(<num>).both"),
        *("Spot(<num>)._replace(row=2).column", "Spot(<num>, 1).index(1)", "Colour(1).next + <num>", "Colour(<num>).value"),
        "vars(<obj>)['x']",
        *("operator.attrgetter('x')(<obj>)", "operator.itemgetter(0)(<list>)", "operator.methodcaller('loop', 2)(<obj>)"),
        "operator.mul(<num>, 2)",
        # of arrays
        *("<array>[<index>]", "<array>.sum()", "<array>.max()", "float(<array>[1])", "(<array> * <small>)[1]"),
        "float(np.dot(<array>, <array>))",
        *("len(<array>)", "<array>.mean()", "<h>.advance(<num>)", "<h>.rate", "<h>.steps", "<array>.tolist()[0]", "np.float64(<num>)"),
        "np.int64(2)",
        # of functions, iterators and generators
        *("spread(<num>)", "spread(<num>, <num>, k=2)", "spread(<num>, *<list>)", "forward(<num>, 1, k=3, z=<num>)"),
        "forward(*<list>, **<dict>)",
        *("deep(4, <num>)", "deep(5, <num>)", "halve(<num>)", "halve(<num>, by=<num>)", "functools.partial(spread, <num>)(2)", "<f>()"),
        "<f>(<num>)",
        *("adders()[0](<num>)", "functools.reduce(lambda v, i: v + i, <list>, <num>)", "(lambda v, w=<num>: v + w)(<num>)"),
        *("read(<place>)", "<o>.get()[0]", "watched(Point(<num>), <num>).get()[0]", "<o>.put(<num>).x", "len(kept)"),
        *("sum(steps(4, <num>))", "sum(v * 2 for v in <list>)", "max(steps(3, <num>), default=-1)", "sum(1 for v in <list> if v > <num>)"),
        *("next(<it>, <num>)", "next(<it>)", "next(<pairs>)[0]", "next(<g>)", "<g>.send(<num>)", "<g>.throw(Refused(1, 2))"),
        "list(chain(2, <num>))[-1]",
        *("sum(u * w for u, w in zip(<list>, <array>))", "len([v for v in <list> if v != <num>])"),
        "sum([v + i + <num> for v in <l> for i in (1, <n>)])",
        *("[lambda i=i: i + <n> for i in <list>][-1]()", "sum(map(<f>, <list>))", "sum(filter(None, <list>))", "next(v for v in <l> if v)"),
        *("functools.reduce(operator.add, <list>)", "functools.reduce(<f>, <list>)", "sum(map(operator.mul, <list>, <l>))", "operator.sub(<num>, <num>)"),
        *("max(<list>, key=<f>)", "min(<list>, key=lambda v: -v)", "max(<num>, <num>, key=abs)", "max(map(lambda v: v + <num>, <list>))"),
    ),
    "cond": (
        *("<place> is <place>", "<place> is None", "<place> == <place>"),
        *("<num> <cmp> <num>", "<num> <cmp> <num>", "<num> < <num> < <num>", "note(<num>) < note(<num>) <= note(<num>)", "<num> in <list>"),
        *("<num> in <obj>", "<key> in <dict>", "<num> in <dict>", "<num> in <dq>", "<key> not in <d>", "<s> < <str>", "<num> in <set>", "'1' in <str>", "<obj> < <num>", "<obj> == <obj>", "<o> is <o>"),
        "<l> is <l>",
        *("isinstance(<num>, int)", "isinstance(<obj>, Child)", "isinstance(<num>, (int, float))", "not <num>", "<num> and <num>"),
        "<obj> or <num>",
        *("<str> == '1'", "any(v > 3 for v in <list>)", "all(<list>)", "hasattr(<obj>, 'w')", "<array>[0] > <num>"),
        *("type(<num>) is int", "<list> == <list>"),
        *("callable(<obj>)", "<set> <= <set>", "Pair(<num>) < Pair(<num>)", "Spot(<num>) > (<num>, 2)", "Mode('on') is Mode.ON"),
        *("<dict> == <dict>", "not <obj>"),
    ),
    "list": (
        *("[<num>, <num>, <num>]", "[v + <num> for v in <l>]", "[v for v in <l> if v > <num>]", "<l>[<slice>]", "sorted(<l>)"),
        "<l>[:5] + [<num>]",
        *("list(steps(4, <num>))", "[*<l>[:5], <num>]", "[<num>] * 3", "list(<d>.values())", "[v + i for v, i in zip(<l>, <l>)]"),
        *("list(map(lambda v: v * 2, <l>))", "list(filter(lambda v: v > <num>, <l>))", "list(map(<f>, filter(None, <list>)))"),
        *("sorted(<list>, key=lambda v: -v)", "sorted(<l>, key=lambda v: v % 3, reverse=<cond>)", "[v + <num> for v in map(abs, <l>)]"),
        *("<array>.tolist()", "[v for v, i in sums(<l>)]", "[[v, <num>][1] for v in <l>]", "list(<obj>)", "[i * 2 for i in range(4)]"),
        "remember(<num>)",
        *("list(itertools.accumulate(<l>))", "list(itertools.chain(<l>[:3], (<num>,)))", "list(itertools.islice(<it>, 2))"),
        "[f(v) for f in adders() for v in <l>[:2]]",
        *("sorted(<l>, key=<f>)", "list(chain(2, <num>))", "[y for _ in <l>]", "[[i for i in range(2) if v][0] + <n> for v in <l>]"),
        "[*<obj>, <num>]",
    ),
    "dict": (
        *("{k: v + <num> for k, v in <d>.items()}", "{**<d>, 'c': <num>}", "<d> | {'a': <num>}", "dict(zip('abc', <list>))"),
        "dict.fromkeys('ab', <num>)",
    ),
    "set": ("{v for v in <list> if v != <num>}", "<u> | {<num>}", "<u> - {1}", "frozenset(<list>)", "set(<dict>)"),
    "str": (
        *("f'{<n>:.2f}|{<s>}'", "f'{<n>!r:>4}'", "<s>[<slice>]", "<s>[:6] + str(<num>)[:2]", "'-'.join(map(str, <list>))"),
        *("'%s' % (<num>,)", "<s>.replace('1', 'z')"),
    ),
    "array": (
        *("(<a> * <small>)", "(<a> + <num>)", "np.where(<a> > <num>, <a>, <num>)", "<a>.copy()", "<a>[::-1]"),
        *("np.array(<l>[:4] + [0.5] * 6)[:6]", "np.sqrt(abs(<a>))"),
    ),
    "obj": (
        *("(<o> + <num>)", "type(<o>).like(<num>)", "Child(<num>, y=2)", "max(<o>, Point(<num>))", "<o>.step(<num>)", "(-<o>)"),
        "push(<o>, 3)",
    ),
    "thing": (  # what has an identity, and may not exist while only native code knows it
        *("(<n>, <num>)", "((<n>, 1), <num>)", "(<place>, 2)", "slice(<n>, 5)", "range(<small>)", "lambda: <n>", "lambda w=<num>: (w, <n>)"),
        *("lambda: <place>", "<o>.step", "Slotted(<num>, (<n>, 1))", "[<n>]", "{'a': <n>}", "Spot(<num>, (<n>, 1))", "<place>"),
    ),
    "place": ("<th>", "kept[-1]", "kept[<index>]", "<o>.v", "held['v']", "held[<n>]", "held.setdefault(<n>, <thing>)", "(<place>, 1)[0]", "SHARED.v"),
    "statement": (
        *("<simple>",) * 8,
        *("<keep>",) * 3,
        *("if <cond>:\n    <block>", "if <cond>:\n    <block>\nelif <cond>:\n    <block>\nelse:\n    <block>", "if <cond>:\n    <exit>"),
        *("<for>", "<for>", "<for>", "<for>", "<for>\nelse:\n    <block>", "while <cond>:\n    <fuel>\n    <loop>"),
        *("try:\n    <block>\nexcept <error>:\n    <block>", "try:\n    <block>\nexcept <error> as err:\n    out.append(told(err))") * 2,
        "try:\n    <block>\nexcept <error> as err:\n    <block>\n    raise Refused('again') from err",
        "try:\n    <block>\nexcept <error>:\n    <block>\nelse:\n    <block>\nfinally:\n    <block>",
        *("try:\n    <block>\nfinally:\n    <block>", "try:\n    <block>\nexcept* Refused as group:\n    out.append(len(group.exceptions))"),
        *("with Opened(out, True):\n    <block>", "with Opened(out) as log, noted(log, <num>):\n    <block>"),
        "with np.errstate(all='ignore'):\n    <block>",
        "match <matched>:\n    case <pattern>:\n        <block>\n"
        "    case <pattern> if <cond>:\n        <block>\n    case _:\n        <block>",
        "def inner(v, k=<num>):\n    nonlocal x\n    x = v\n    return v * 2 + k + <n>\n<n> = inner(<num>)",
        "def g():\n    try:\n        for v in <list>:\n            got = yield v + <n>\n"
        "            out.append(got)\n    finally:\n        out.append('g')\ng = g()",
        "class Local(<class>):\n    scale = <num>\n"
        "    def step(self, v):\n        return super().step(v + <n>)\n<o> = Local(<num>)\n<o>.step(<num>)",
    ),
    "for": tuple(
        f"for {head}:\n    <fuel>\n    <loop>"
        for head in (
            *("<n> in range(<count>)", "<n> in <list>", "<n> in <array>", "<n> in <it>", "<n> in (<num>, <num>)", "<n> in <obj>"),
            "<n> in steps(4, <num>)",
            *("<n> in <dict>.values()", "k, <n> in <dict>.items()", "k in <d>", "k in list(<d>)", "<n>, _ in sums(<list>)"),
            "k, <n> in enumerate(<l>, 1)",
            *("<n>, k in zip(<l>, <array>)", "k, <n> in <pairs>", "<n> in reversed(<l>)", "<n> in map(<f>, <l>)"),
            *("<n> in <dq>", "k in <d>.items()", "k in <s>", "<n> in <d>", "k, <n> in <d>.items()"),
            *("<n> in map(lambda v: v + <num>, <l>)", "<n> in filter(lambda v: v > <num>, <list>)", "<n> in map(lambda v, w: v - w, <l>, <array>)"),
            *("<n> in (v * <num> for v in <l>)", "<n> in filter(None, <l>)", "k in sorted(<set>, key=repr)", "k in <s>"),
            *("<n>, *m in [(<num>, 2), <l>]", "<o>.x in <l>", "<l>[0] in range(3)", "<o> in [SHARED, <obj>]"),
            *("<n> in sorted(<l>, reverse=True)", "k in Colour"),
            *("<n> in <l>[:]", "<n> in chain(3, <num>)", "<n> in <g>", "<n> in b'ab'", "k, <n> in np.ndenumerate(<array>)"),
            "<n> in iter(<f>, <num>)",
        )
    ),
    "matched": ("<num>", "(<num>, <num>)", "<obj>", "<list>", "<str>", "<dict>", "Pair(<num>)", "Spot(<num>)", "<c>"),
    "pattern": (
        *("0", "int()", "(x, 2)", "[x, *l]", "Child(x=x)", "Point(x=0)", "'1' | 'a1'", "{'a': y, **e}", "float() as y", "[]"),
        *("Pair(x, 2.5)", "(x, y)"),
        *("Spot(row=1)", "Colour.RED", "Slotted(a=x)", "str() as s", "None | False", "[int(), *_, x]"),
    ),
    "class": ("Point", "Child", "Tagged, Base"),
    "iterator": (
        *("iter(<list>)", "iter(<l>)", "reversed(<l>)", "map(<f>, <l>)", "filter(None, <l>)", "iter(<d>.values())"),
        *("iter(range(<count>))", "iter(<array>)"),
        *("itertools.islice(<l>, 4)", "steps(4, <num>)", "chain(2, <num>)", "(v + <n> for v in <l>)", "itertools.chain(<l>, <list>)"),
        "iter(<obj>)",
    ),
    "paired": ("zip(<l>, <list>)", "enumerate(<l>, <small>)", "zip(<l>, <it>)", "iter(<d>.items())", "enumerate(<it>)", "sums(<l>)"),
    "function": (
        *("counter(<num>)", "lambda v=<num>: v + <n>", "functools.partial(spread, <num>)", "functools.partial(halve, by=2)", "<obj>"),
        "<obj>.grow",
        *("adders()[1]", "operator.neg", "functools.partial(Point.times, b=2)", "<l>.append", "Slotted(1, <num>).__class__", "logged(<f>)"),
    ),
    "keep": (
        *("<th> = <thing>", "<th> = <place>", "kept.append(<thing>)", "kept.append(<thing>)", "kept[<index>] = <thing>", "kept.insert(0, <thing>)"),
        *("<o>.v = <thing>", "held['v'] = <thing>", "held[<n>] = <thing>", "SHARED.v = <thing>", "kept += [<thing>, <th>]", "<th>, two = <place>, <thing>"),
        *("out.append(<place> is <place>)",) * 4,
        *("out.append(read(<place>))", "watched(<o>, <num>)", "<o>.put(<num>)", "kept.append(watched(Point(<num>), <num>).get)", "str(<num>)"),
        "def get():\n    return <n>, <th>\nkept.append(get)\n<n> = <num>",
        "for <n> in range(3):\n    kept.append(lambda: <n>)\n    <n> += 1\n    <th> = <thing>",
    ),
    "simple": (
        *("<n> = <num>",) * 6,
        *("<n> <op>= <small>", "<n> <add>= <num>", "<n>, <n> = <num>, <num>", "<n>, <n> = <obj>", "<n>, *l = <list>"),
        *("*<l>, <n> = <list>", "<n> = <n> = <num>"),
        *("out.append(<num>)", "out.append((<num>, <num>))", "out.append(<list>)", "out.append(sorted(<set>, key=repr))", "out.append(<str>)"),
        *("print(<num>)", "SEEN.append(<num>)"),
        *("<s> = <str>", "<s> += str(<num>)[:2]", "set_total(<num>)", "del <n>\n<n> = <num>", "assert <cond>, <num>", "<o>"),
        "<list>[<index>]",
        # containers
        *("<l> = <list>", "<l>.append(<num>)", "<l>[<index>] = <num>", "<l>[<index>] <add>= <num>", "<l>[note(0)] += note(<num>)"),
        *("<l>.pop()", "<l>.pop(0)"),
        *("<l>.sort()", "<l>.sort(key=lambda v: -v)", "<l>.insert(0, <num>)", "<l> += [<num>]", "<l>[1:2] = [<num>, <num>]"),
        *("del <l>[<index>]", "del <l>[<slice>]"),
        *("<l>.reverse()", "<l>.extend(<list>[:3])", "<l> += steps(2, <num>)", "<l>.remove(<num>)", "<l>.clear()"),
        *("(<l>, 1)[0] += [<num>]", "(1, <n>)[1] += 2"),
        *("<d> = <dict>", "<d>[<key>] = <num>", "<d>[<key>] <add>= <num>", "<d>.update(b=<num>)", "<d>.update(<dict>)"),
        *("del <d>[<key>]", "<d> |= <dict>"),
        *("out.append(list(<d>.items()))", "<d>.popitem()", "<d>[note(<key>)] = note(<num>)", "<d>.clear()", "<u> = <set>"),
        *("<u>.add(<num>)", "<u>.discard(<num>)", "<u> ^= {<num>}", "<u>.add((<num>, 1))", "<u>.remove(<num>)"),
        *("<d>[<num>] = <d>.get(<num>, 0) + 1", "<d>[<key>] = <list>", "<d>.pop(<key>), <d>.setdefault(<key>, <num>)", "heapq.heappush(<l>, <num>)"),
        *("<dq>.append(<num>)", "<dq>.appendleft(<num>)", "<dq> = deque(<list>)", "out.append(list(<dq>))", "out.append(<s>[<index>])"),
        # objects
        *("<o> = <obj>", "<o>.x = <num>", "<o>.x <op>= <small>", "<o>.y <add>= <num>", "<o>.norm = <num>", "<o>.norm += <num>"),
        *("<o>.limit = <num>", "<o>.limit += 400"),
        *("<o> += <num>", "<o>.step(<num>)", "<o>.grow(<num>)", "<o>[<index>] = <num>", "<o>[note(0)] += note(<num>)"),
        *("<o>.items = <list>", "<o>.w = <num>", "del <o>.w"),
        *("push(<o>, 5)", "Point.scale = <num>", "Base.scale = <num>", "del Child.scale", "<o>.scale = <num>", "out.append(repr(<o>))"),
        *("setattr(<o>, 'x', <num>)", "<o>.made += 1"),
        *("type(<o>).made += 1", "<c> = Slotted(<num>, <num>)", "<c> = Wider(<num>, 1)", "<c>.a = <num>", "<c>.b <add>= <num>"),
        *("<c>.swap()", "del <c>.a", "<c>.c = 1"),
        *("<o>.tag += 'x'", "vars(<o>)['x'] = <num>", "Fixed(1).left = <num>", "Spot(1).row += 2", "<o>.__dict__.pop('cached', 0)"),
        "<o>.__class__ = Child",
        *("t = Farewell(fuel)", "t = [Farewell(<num>), Farewell(1)]", "del t[:1]", "Farewell('now')", "<o>.t = Farewell('o')"),
        *("<o>.friend = Point(<num>)", "<l> = [<obj>, Farewell(2)][:0]"),
        # arrays
        *("<a> = <array>", "<a>[<index>] = <num>", "<a>[<slice>] <add>= <num>", "<a>[:] = <a>[::-1] + <num>", "<a> += <num>"),
        *("<a>[1:] = <a>[:-1]", "<a>[<a> > <num>] = <num>"),
        *("out.append(<array>)", "<h>.data = <array>", "<h>.data[<index>] += <num>", "<h>.data *= <small>", "<h>.advance(<num>)"),
        *("<h>.rate <add>= <num>", "<h>.steps -= 1"),
        # functions, iterators and generators
        *("<f> = <function>", "<it> = <iterator>", "<pairs> = <paired>", "<it> = <it>", "out.append(list(itertools.islice(<it>, 3)))"),
        "out.append(next(<it>, None))",
        *("out.append(next(<pairs>, 0))", "<g> = echo(<num>)", "<g> = chain(3, <num>)", "<g>.close()", "out.append(<g>.send(None))"),
        *("next(<g>)", "out.append(<f>(<num>))"),
        *("counter.__defaults__ = (<num>,)", "spread.__defaults__ = (<num>,)", "spread.__kwdefaults__['k'] = <small>", "<f>.note = <num>"),
    ),
}

NUMBERS = ("1", "0", "5", "2.5", "-3", "True", "2**62", "np.float64(1.5)", "np.int64(3)", "math.inf", "0.1", "10**19", "np.float32(2.5)", "-0.0", "7", "math.nan")
ARGUMENTS = (
    ("n", NUMBERS),
    ("q", NUMBERS),
    ("l", ("[1, 2, 3]", "[1.5, 2.0, -1.0]", "[3]", "[1, 2.5, True]", "[2**62, 1, 5]", "[5, 4, 3, 2, 1, 0]", "[np.float64(1), 2]", "[]", "[0.5] * 8", "[*range(10)]")),
    ("d", ("{'a': 1, 'b': 2}", "{'a': 1.5}", "{'b': 2, 'a': 3.5, 'c': 0}", "{}", "{'a': [1]}", "{1: 2, 'a': 0}")),
    ("s", ("'12'", "''", "'a1b'", "'7é'", "'1' * 9")),
    ("a", ("np.arange(6.0)", "np.arange(6)", "np.arange(6, dtype=np.float32)", "np.arange(12.0)[::2]", "np.linspace(5, 0, 6)", "np.array([1, 0, 3, -2, 7, 2])")),
)


class ObjectProgram(Templates):
    """One program. ``texts``: the arguments of the calls to make, as Python; ``calls``: what they are; ``script``: a file that makes them."""

    prelude = PRELUDE

    def __init__(self, choose: Callable[[int], int], size: int = 6) -> None:
        super().__init__(choose)
        self.budget = size * 5
        few = self.pick((5, 10, 40))  # of the templates are in one program, so that they come together often
        self.richer = {kind: [self.pick(templates) for _ in range(few)] for kind, templates in RICHER.items()}
        head = [START, f"fuel = {self.pick((10, 40, 150))}"]
        body = [*head, *(self.guarded(self.expand("statement", 3)) for _ in range(size)), f"return out, {self.results()}"]
        names = ", ".join(name for name, _ in ARGUMENTS)
        text = "\n".join(body)
        self.source = f"{PRELUDE}\n\ndef subject({names}):\n" + textwrap.indent(text, "    ") + "\n"
        first = self.arguments()
        changed = [*first]
        which = choose(len(first))
        changed[which] = self.pick(ARGUMENTS[which][1])
        self.texts = [f"({', '.join(texts)})" for texts in (first, first, changed, self.arguments(), first)]
        self.calls = [eval(text, {"np": np, "math": math}) for text in self.texts]
        self.script = self.source + SCRIPT % (",\n    ".join(f"lambda: {text}" for text in self.texts), self.texts[-1])

    def arguments(self) -> list[str]:
        return [self.pick(texts) for _, texts in ARGUMENTS]

    def results(self) -> str:
        """Some of the variables: what is not among them is dead before the end."""
        names = sorted({self.pick(VARIABLES[kind]) for kind in ("n", "n", "l", "d", "u", "s", "a", "o", "c", "h")})
        return ", ".join(names[self.choose(4) :]) + ", Point.scale, Base.made, *itertools.islice(it, 5)"

    def guarded(self, statement: str) -> str:
        """Most that can go wrong does not end the program."""
        if self.one_in(5):
            return statement
        return "try:\n" + textwrap.indent(statement, "    ") + "\nexcept Exception as err:\n    out.append(told(err))"

    # ---- templates -------------------------------------------------------------------------------------------------

    def expand(self, kind: str, depth: int, *, looping: bool = False) -> str:
        """A text of this kind; a loop is open around it, or none."""
        if kind in VARIABLES:
            return str(self.pick(VARIABLES[kind]))
        if kind in ("block", "loop"):
            return self.block(depth, looping or kind == "loop")
        deeper = kind not in LEAVES or (kind in RICHER and depth > 0 and self.budget > 0 and not self.one_in(3))
        template = self.pick((self.richer if deeper else LEAVES)[kind])
        return self.fill(template, depth - deeper, looping=looping)

    def block(self, depth: int, looping: bool) -> str:
        statements = [self.expand("statement", depth, looping=looping) for _ in range(1 + self.choose(3))]
        self.budget -= len(statements)
        if looping and self.one_in(3):
            statements.append(self.fill("if <cond>:\n    <jump>", depth, looping=looping))
        return "\n".join(statements)
