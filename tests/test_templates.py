"""text % values, text.format(...) and text.join(...)."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

HOW = ("jit", "O0", "forced")
NUMBERS = (
    [0, -7, 2**63 - 1, -(2**63), 65, 2**70],
    [0.0, -0.0, 1.5, -2.25, float("nan"), float("inf"), 1e300, 5e-324],
    [True, False],
    ["", "a", "ä\u0100\U0001f600", "a longer text"],
    [np.float64(0.1), np.float32(3), np.int64(-3), np.bool_(True)],
    [None, 3, 2.5, "b", b"c", (1, 2), [1]],
)
CONVERSIONS = [
    "%s", "%r", "%a", "%d", "%i", "%u", "%x", "%#X", "%o", "%c", "%e", "%.3f", "%5.2f", "%-8s|", "%08d", "%+d", "% d", "%.2s", "%10.3s|", "%-+7.1f|",
    "%05s", "%%", "%", "%q", "%ld", "%(a)s", "%*d", "%s %s", "",
]  # fmt: skip
FIELDS = [
    "{}", "{0}", "{!r}", "{!s:>7}", "{:>9}", "{:+}", "{:08.3f}", "{:d}", "{:x}", "{:c}", "{:,}", "{:%}", "{:n}", "{name}{}", "{name:>5}|{0:<5}|",
    "{{{}}}", "{0}{1}{0}", "{1}{}", "{}{}", "{2}", "{0.real}", "{0[0]}", "{:{}}", "{", "}", "{!q}", "{missing}", "", "{99999999999999999999}", "{ }",
]  # fmt: skip


@pytest.mark.parametrize("values", NUMBERS, ids=str)
def test_percent(values):
    for several in (CONVERSIONS[::2], CONVERSIONS[1::2]):
        lines = "\n".join(
            f"        try:\n            out.append({form!r} % {given})\n        except (ValueError, TypeError, OverflowError) as error:\n"
            "            out.append(str(error))"
            for form in several
            for given in ("x", "(x,)")
        )
        check(f"def f(values):\n    out = []\n    for x in values:\n{lines}\n    return out", values, configurations=HOW)


@pytest.mark.parametrize("values", NUMBERS, ids=str)
def test_format(values):
    for several in (FIELDS[::2], FIELDS[1::2]):
        lines = "\n".join(
            f"        try:\n            out.append({form!r}.format(x, k, name=x))\n"
            "        except (ValueError, TypeError, OverflowError, LookupError, AttributeError) as error:\n            out.append(repr(error))"
            for form in several
        )
        check(f"def f(values):\n    out = []\n    for k, x in enumerate(values):\n{lines}\n    return out", values, configurations=HOW)


FORMS = (
    "'%d-%s' % (k, x)", "'%s' % x", "'%s%s' % (x, k)", "'<%s>%%%i\\n%s' % (name, k, x)", "'%5.2f|%d' % (k / 3, k)", "name % ()", "'%s %s' % pair",
    "'%s=%d %s' % (*pair, name)", "form % (x, k)", "form.replace('%s', '{}').format(x, k)", "'{}-{}'.format(k, x)", "'{:>6}{:<4d}|'.format(x, k)",
    "'{0}{name}{0!r}'.format(x, name=name)", "'{}{}{}{}{}{}{}'.format(x, k, x, k, x, name, k)", "'{}'.format(x)",
    "','.join([str(x), name, 'b'])", "name.join((str(x), str(k)))", "''.join([str(x)] * k)", "', '.join(texts)", "name.join(tuple(texts))",
    "''.join(reversed(texts))", "'-'.join(sorted(set(texts)))", "'-'.join({text: 1 for text in texts})", "'.'.join(name)", "'.'.join([])",
    "'x'.join([name])", "'+'.join(str(i * x) for i in range(k))", "'+'.join(map(str, range(k)))", "name.join([f'{i}:{x}' for i in range(k)])",
    "'/'.join(text for text in texts if text != name)", "'/'.join(str(i) if i % 2 else name for i in range(k))",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    source = f"""
def f(values, texts, name, form):
    out = []
    for k, x in enumerate(values):
        pair = ("p", k) if k % 2 else (1, 2.5)
        out.append({form})
    return out
"""
    texts = ["a", "", "ä", "b\u0100", "c"]
    several = ([1, 2, 3, 2**62, 5], [0.5, float("nan"), 1e22], ["u", "vw", ""], [True, 2, 0.1, "m"])
    check_calls(source, [(values, texts, "n", "%s|%s") for values in several])


def test_what_is_no_text_raises():
    source = """
class Text(str):
    def __str__(self):
        log.append("str")
        return "own"
    def __len__(self):
        log.append("len")
        return 1
log = []
class Thing:
    def __str__(self):
        log.append("thing")
        return "thing"
    def __format__(self, spec):
        log.append(spec)
        return spec
    def __rmod__(self, other):
        return other
    def __getitem__(self, key):
        return key
def f(lists, n):
    out = []
    for items in lists:
        for k in range(n):
            try:
                out.append(",".join(items))
            except TypeError as error:
                out.append(str(error))
            try:
                out.append(",".join(item for item in items))
            except TypeError as error:
                out.append(str(error))
            out.append("%s|" % items[0])
            out.append("{}|{:>3}".format(items[0], items[-1]))
            if len(items) < 9:
                items.append(str(k))
    return out, log
def g(n):
    return f([["a", "b"], ["a", 1], [Text("t"), Text("u")], [Thing(), "a"], ["a", "b"]], n)
"""
    check(source, 4, entry="g")


def test_a_generator_with_an_effect():
    source = """
seen = []
def put(x):
    seen.append(x)
    return str(x)
def f(n):
    out = ",".join(put(i) for i in range(n))
    try:
        out += ",".join(put(i) if i < 3 else i for i in range(n))
    except TypeError as error:
        out += str(error)
    return out, seen
"""
    check(source, 5)


def test_messages_that_nobody_sees():
    """They are not put together; one that is wrong for its values raises another exception."""
    for message in ("'bad %d of %s' % (i, name)", "'%s' % name", "'%c' % i", "'%d' % (i / (n - 9))", "'%d %d' % i", "f'{i} %s' % i"):
        source = f"""
def f(n, name):
    out = []
    for i in range(n):
        try:
            if i % 5 == 3:
                raise ValueError({message})
            out.append(i)
        except ValueError:
            out.append(-i)
        except (TypeError, OverflowError, ZeroDivisionError) as error:
            out.append(str(error))
    return out
"""
        check(source, 12, "x")


def test_they_stay_native():
    source = """
def f(n):
    out, total = {}, 0
    for i in range(n):
        name = "%d_%s" % (i % 7, "a") + "{}:{:>4}".format(i, i * 0.5)
        name += ",".join([str(i), name]) + "-".join(map(str, range(i % 4))) + "%5.1f" % (i / 3)
        total += len(name)
        out[name] = total
    return out
"""
    check_stays_native(source, 20)
