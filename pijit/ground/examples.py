"""One small program per reason: what leads to it. tests/test_reason_rows.py runs each and pins what is said of it.

`import numpy as np` and `import pijit` go without saying. A line that raises is the last one.
"""

from __future__ import annotations


def f(body: str, calls: str, args: str = "x", before: str = "") -> str:
    """A jitted function, what stands before it, and calls of it."""
    lines = [*before.splitlines(), "@pijit.jit", f"def f({args}):", *("    " + line for line in body.splitlines())]
    return "\n".join([*lines, "", *calls.splitlines()])


SIX = "np.arange(6.0)"
TWICE = "return x + x"
SCALED = "return g(x)"
SCALE = "def g(x, k=2):\n    return x * k\n\n"

# By id, as programs are read. fmt: off
EXAMPLES: dict[str, str] = {
    # breaks
    "PJ101": f("match x:\n    case {'rate': r}:\n        return r * 2", "f({'rate': 1.5})"),
    "PJ102": f("s = x[0] * 2\nfor y in g(x):\n    s += y\nreturn s", "f(np.ones(3))",
               before="def g(x):\n    for i in range(len(x)):\n        x[i] = i\n        yield x[i]\n\n"),
    "PJ103": f("with np.errstate(under='raise'):\n    return x + 1", "f(1.5)"),
    "PJ104": f("s = 0\nfor i in range(9):\n    if i == 1:\n        s = 1.5\n    elif i == 2:\n        s = True\n    elif i == 3:\n"
               "        s = np.float32(1)\n    elif i == 4:\n        s = np.int16(3)\n    elif i == 5:\n        s = np.int8(3)\nreturn s", "f(1)"),
    "PJ105": f("".join(f"x = x + 1 if x > {n} else x - 1\n" for n in range(6)) + "return x", "f(1.5)",
               before="pijit.config.max_blocks = 2\n\n"),
    "PJ106": f("import math\nreturn math.sqrt(x)", "f(1.5)"),
    "PJ107": f("class G:\n    n = x\nreturn x + x", "f(1.5)"),
    "PJ108": f("one = other = zip(x, x)\nreturn len(list(one))", "f([1.5])"),
    "PJ109": f("text = f'{x}'\nreturn len(text)", "f([1.5])"),
    "PJ111": f("return id(x) > 0", "f(1.5)"),
    "PJ112": f("return max(x, key=abs, default=1)", "f((1, 2))"),
    "PJ113": f("return x if x < 1 else f(x - 1)", "f(1.5)", "x, *more"),
    "PJ114": f("return g(x)", "f(1.5)", before="def g(x):\n    return locals()\n\n"),
    "PJ115": f("print(x)\nreturn x + x", "f(1.5)"),
    "PJ116": f("return g(x) + 1", "f(1.5)", before="@pijit.skip\ndef g(x):\n    return x + x\n\n"),
    "PJ121": f(TWICE, "f(bytearray(2))"),
    "PJ122": f(TWICE, "f(np.ones(3, np.longdouble))"),
    "PJ123": f(TWICE, "f(np.ma.ones(3))"),
    "PJ126": f("return x.n + 1", "f(Thing())", before="class Thing:\n    def __getattr__(self, name):\n        return 1\n\n"),
    "PJ127": f("x[0] = 1\nreturn 2.0", "f(memoryview(bytearray(2)))"),
    "PJ128": f(TWICE, "f(2**70)"),
    "PJ129": f("s = 0\nfor k in x:\n    s = s + 1\nreturn s", "f(memoryview(bytes(3)))"),
    "PJ133": f("if x > 9:\n    y = 1\nreturn y", "f(1.5)"),
    "PJ134": f("return x + (1 % 0)", "f(1.5)"),
    "PJ135": f("return add(x) * 2", "f(1.5)",
               before="def make():\n    n = 0.0\n\n    def add(x):\n        nonlocal n\n        n = n + x\n        return n\n\n    return add\n\n"
                      "add = make()\n\n"),
    "PJ136": f("return x * (seen[0] if seen else 2)", "f(1.5)", before="seen = []\n\n"),
    # exits
    "PJ200": f(TWICE, "f(1.5)"),
    "PJ201": f(TWICE, "f(2**62)"),
    "PJ202": f("return x[k]", f"f({SIX}, 9)", "x, k"),
    "PJ203": f("return x / k", "f(1.5, 0.0)", "x, k"),
    "PJ204": f("return x + k", f"f({SIX}, np.ones(4))", "x, k"),
    "PJ205": f("return math.sqrt(x)", "f(-1.5)", before="import math\n\n"),
    "PJ206": f("return 1.0 / x", f"f({SIX})"),
    "PJ207": f("return np.linalg.inv(x)", "f(np.zeros((2, 2)))"),
    "PJ208": f("return np.real_if_close(x) * 2", "f(np.array([1.0 + 2.0j, 3.0]))"),
    "PJ209": f("for i in range(10**9):\n    x = x + 1.0\n    if done:\n        break\nreturn done",
               "signal.setitimer(signal.ITIMER_PROF, 0.2)\nf(1.5)\nsignal.signal(signal.SIGPROF, signal.SIG_IGN)",
               before="import signal\n\ndone = False\n\ndef stop(*_):\n    global done\n    done = True\n\nsignal.signal(signal.SIGPROF, stop)\n\n"),
    "PJ212": f("y = np.polyval((1, 1, 1), x)\nreturn y * k",
               "with np.errstate(over='call', call=change):\n    print(f(np.full(6, 2.0)), f(np.full(6, 1e308)))",
               before="k = 2\n\ndef change(*_):\n    global k\n    k = -3\n\n"),
    "PJ215": f("x[0] = 1.0", "f(np.broadcast_to(1.5, 6))"),
    "PJ217": f("return int(x)", "f(float('nan'))"),
    "PJ218": f("return np.empty(x)", "f(2**50)"),
    "PJ222": f("s = 0\nfor i in range(x, x + 3):\n    s = s + 1\nreturn s", "f(2**62 + 5)"),
    "PJ223": f("return x[k] + 1", "f([1, 2], 0)\nf([1, 2.5], 1)", "x, k"),
    "PJ224": f("return x[1:5] + 1", f"f({SIX})\nf({SIX}[:3])"),
    "PJ225": f("return x ** k", "f(2, -1)", "x, k"),
    "PJ226": f("return x >> k", "f(1, -1)", "x, k"),
    "PJ227": f("x[k] = x[:2]", f"f({SIX}, {SIX} > 3)", "x, k"),
    "PJ228": f("return rng.normal(0.0, x)", "f(-1.5, np.random.default_rng(1))", "x, rng"),
    "PJ229": f("return np.histogram(x, 3)", "f(np.full(6, np.nan))"),
    "PJ230": f("return d[k]", "f({(1, 2): 3}, (1, 2)); f({(1, 2): 3}, (4, 5))", "d, k"),
    "PJ231": f("for i in range(k):\n    x = x + 'ab'\nreturn x", "f('', 6000)", "x, k"),
    "PJ232": f("return 1 / x if x < 1 else f(x - 1)", "f(1.5); f(3.0)"),
    # guard failures
    "PJ301": f(TWICE, "f(1.5)\nf(1)"),
    "PJ302": f("return x + (m == 'a')", "f(1.5, 'a')\nf(1.5, 'b')", "x, m"),
    "PJ303": f(SCALED, "f(1.5)\ng = abs\nf(1.5)", before=SCALE),
    "PJ304": f(TWICE, f"f({SIX})\nf({SIX}.astype(np.float32))"),
    "PJ305": f(TWICE, f"f({SIX})\nf({SIX}.reshape(2, 3))"),
    "PJ306": f(TWICE, f"f({SIX})\nf({SIX}[:1])"),
    "PJ307": f(TWICE, f"f({SIX})\nf({SIX}[::-1])"),
    "PJ308": f("x[0] = 2.0", f"f({SIX})\nf(np.frombuffer(bytes(48)))"),
    "PJ309": f("return x * k", "f(1.5)\ndel k\nf(1.5)", before="k = 2\n\n"),
    "PJ310": f("return abs(x)", "f(1.5)\nabs = float\nf(1.5)"),
    "PJ311": f(TWICE, "f(1)\nf(2**70)"),
    "PJ312": f(TWICE, f"f({SIX})\nwith np.errstate(all='ignore'):\n    f({SIX})"),
    "PJ313": f(SCALED, "f(1.5)\ng.__defaults__ = (3,)\nf(1.5)", before=SCALE),
    "PJ314": f("s = 0.0\nfor y in x:\n    s = s + y\nreturn s", "f((1.5, 2.5))\nf((1.5, 2.5, 3.5))"),
    "PJ315": f("return x * k", "f(1.5)\npijit.jit(type(f)(f.__code__, {'__name__': 'elsewhere', 'k': 3}))(1.5)", before="k = 2\n\n"),
    # compiled again, or given up
    "PJ401": f(TWICE, "f(1.5)\nf(1)"),
    "PJ402": f(TWICE, "f(1.5)\nf(1)", before="pijit.config.max_fragments = 1\n\n"),
    "PJ404": f("for i in range(5000):\n    y = (x + i) * 2\nreturn y", "f(2**62)"),
    "PJ405": f("raise ValueError", "f(1)"),
    "PJ408": "pijit.jit(len)",
    "PJ409": "@pijit.jit\ndef f():\n    yield 1\n\nlist(f())",
    "PJ410": "from pijit.runtime.budget import BUDGET\n\nBUDGET.looking.spent = 1e6  # much has been looked at\npijit.config.patience_ms = 1\n\n"
             "def f(x):\n    return x * 2\n\npijit.enable()\nfor _ in range(300_000):\n    f(1.5)",
    "PJ411": f("s = 0.0\nfor y in x[0]:\n    s = s + y\nreturn s", "f([iter([1.5] * 100)])"),
    "PJ901": f(TWICE, "f(1.5)", before="from pijit.runtime import driver\n\ndriver.capture_entry = None  # a bug in pijit, imitated\n\n"),
}
# fmt: on
