"""Loops over dicts and their views: in order, natively where the keys are texts, with the errors of dicts that change meanwhile."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from differential import check, check_calls, settings

import pijit

pytestmark = pytest.mark.shared

A, B = np.arange(4.0), np.full(4, 2.5)
PARAMETERS = {"w": A, "b": B, "k": 3.5, "n": 2}
CAPTURED = {
    "items": "def f(d, x):\n    s = 0.0\n    for key, value in d.items():\n        s = s + (value * x).sum() * len(key)\n    return s",
    "values": "def f(d, x):\n    s = x\n    for value in d.values():\n        s = s + value\n    return s",
    "keys": "def f(d, x):\n    s = 0.0\n    for key in d.keys():\n        s = s + (d[key] * x).sum()\n    return s",
    "the dict": "def f(d, x):\n    s, found = 0.0, []\n    for key in d:\n        found.append(key)\n        s = s + d[key]\n    return s, found",
    "outer loop": "def f(d, x):\n    s = x\n    for i in range(5):\n        for k, v in d.items():\n            s = s + v * i\n    return s",
    "left early": """
def f(d, x):
    for i, (key, value) in enumerate(d.items()):
        if key == 'b':
            break
    else:
        return -1
    return i, key, value + x
""",
    "comprehension": "def f(d, x):\n    return [v * x for v in d.values()], sum(v.sum() for v in d.values() if v[0] < 9)",
    "together": "def f(d, x):\n    s = x\n    for (k, v), w in zip(d.items(), d.values()):\n        s = s + v * w\n    return s",
    "lists of them": "def f(d, x):\n    a, b = d.values()\n    return [*d.values()], [*d.keys()], (*d.items(), a + b)",
    "made here": """
def g(x, **kw):
    s = x
    for name, value in kw.items():
        s = s + value * (2 if name == 'b' else 3)
    return s
def f(d, x):
    e = {'q': x, 'r': 2.0}
    for v in e.values():
        x = x * v
    return g(x, w=x, b=1.5), [k for k in e]
""",
    "arrays are stored into": "def f(d, x):\n    for v in d.values():\n        v[1:] -= 0.5 * x[1:]\n    return x",
    "attribute": """
class Model:
    def __init__(self, d):
        self.parameters = d
    def step(self, x):
        s = 0.0
        for name, p in self.parameters.items():
            s += float((p * x).sum())
        return s
def f(d, x):
    return Model(d).step(x)
""",
}
LEFT = {
    "other keys": "def f(d, x):\n    s = x\n    for k, v in {1: x, (2, 3): 2.0}.items():\n        s = s + v\n    return s",
    "grows": "def f(d, x):\n    s = x\n    for k in d:\n        s = s + d[k]\n        d[k + 'x'] = 1.0\n    return s",
    "shrinks": "def f(d, x):\n    s = x\n    for k, v in d.items():\n        s = s + v\n        del d['b']\n    return s",
    "items are replaced": "def f(d, x):\n    for k, v in d.items():\n        d[k] = v + x\n    return d",
    "made here and replaced": "def f(d, x):\n    e = {'p': x, 'q': 1.0}\n    for k, v in e.items():\n        e[k] = v + x\n    return e",
    "made here and grows": "def f(d, x):\n    e = {'p': x, 'q': 1.0}\n    for k in e:\n        e['r'] = x + x\n    return e",
    "by way of the object": """
class O:
    pass
def f(d, x):
    o = O()
    o.a, o.b = x, 2.0
    for k, v in o.__dict__.items():
        o.c = v + x
    return o.c
""",
    "the view is kept": "def f(d, x):\n    v = d.values()\n    d['z'] = x\n    for value in v:\n        x = x + value\n    return x, len(v), v",
    "a list of them": "def f(d, x):\n    return list(d.values()), sorted(d.items()), tuple(d), max(d.keys()), dict(d.items())",
    "asked": "def f(d, x):\n    return 'w' in d.keys(), len(d.items()), bool(d.values()), d.keys() == {'w', 'b'}, sorted(d.keys()), d.items()",
    "an error within": "def f(d, x):\n    s = 0.0\n    for k, v in d.items():\n        s = s + v[2] * x[len(k) * 9]\n    return s",
    "a class of its own": """
class D(dict):
    def items(self):
        return [('p', 2.0)]
def f(d, x):
    s = x
    for k, v in D(d).items():
        s = s + v
    return s
""",
}


@pytest.mark.parametrize("name", CAPTURED)
def test_native(name):
    stats = check(CAPTURED[name], {"w": A, "b": B}, A + 1)
    assert not stats.breaks
    assert not stats.exits


@pytest.mark.parametrize("name", LEFT)
def test_left_to_the_interpreter(name):
    check(LEFT[name], {"w": A, "b": B}, A + 1)


def test_other_dicts():
    sums = "def f(d, x):\n    s = x\n    for k, v in d.items():\n        s = s * v + len(k)\n    return s"
    dicts = [{"w": 1.5, "b": 2.5}, {"b": 2.5, "w": 1.5}, {}, {"w": 1.5}, {"w": 1.5, "b": 2.5, "c": 3.5}, {"w": 1, "b": A}, {1: 2.0}]
    for first in dicts:
        check_calls(sums, [(d, A) for d in (first, *dicts, first)])
    check_calls(sums, [({f"{prefix}{i}": 1.0 + i for i in range(n)}, A) for n in (3, 70, 3) for prefix in "ab"])


def test_names_of_a_module():
    """What a module's body stores is in its namespace, in the order of the first stores, wherever the namespace is gone through."""

    def run(text, jitted):
        space, raised = {"__name__": "views_module"}, ""
        covered = pijit.enabled("views_module") if jitted else nullcontext()
        with settings(threshold_calls=1, threshold_loops=1, compile_all=True, raise_internal=True), covered:
            try:
                exec(compile(text, "<views_module>", "exec"), space)
            except RuntimeError as error:
                raised = str(error)
        return raised, [(key, value) for key, value in space.items() if not key.startswith("__") and key != "space"]

    looks = "    for k in space:\n        n += 1\n        if n > 40:\n            break\n"
    for body in (looks, "", "    if i == 1:\n        aa = b\n", "    a0 = b\n"):
        text = "space = globals()\na = 1.5\nn = 0\nfor i in range(3):\n    b = a * i\n" + body
        assert run(text, True) == run(text, False), text


def test_order_counts():
    def f(d):
        s = 0.0
        for v in d.values():
            s = s + v
        return s

    own = pijit.jit(f)
    with settings(compile_all=True, raise_internal=True):
        for d in ({"a": 1e16, "b": 1.0, "c": -1e16}, {"a": 1e16, "c": -1e16, "b": 1.0}) * 3:
            assert own(d) == f(d)


def test_removed_and_put_back():
    d = {"w": 1.0, "b": 2.0, "k": 3.0}
    for key in ("w", "b", "q"):
        d.pop(key, None)
        d[key] = 4.0
    check(CAPTURED["outer loop"], d, A)
