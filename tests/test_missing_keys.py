"""Keys that a defaultdict or a Counter has not: what is made for them, natively where the factory is a built-in class."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from differential import check, check_calls, settings

import pijit

pytestmark = pytest.mark.shared

FACTORIES = ["int", "float", "bool", "complex", "str", "tuple", "list", "dict", "set"]
USES = {
    "int": "+= k", "float": "+= 1.5", "bool": "|= k > 3", "complex": "+= 1j", "str": "+= 'a'", "tuple": "+= (k,)", "list": ".append(k)",
    "dict": "[k] = 1", "set": ".add(k)",
}  # fmt: skip


@pytest.mark.parametrize("keys", [[1, 2, 1, 3, 2, 1] * 3, ["a", "\u0100", (1, "a"), 0.5, 1, True, "a", 1.0] * 2])
@pytest.mark.parametrize("factory", FACTORIES)
def test_factories(factory, keys):
    source = f"""
from collections import defaultdict
def f(keys, d):
    made = defaultdict({factory})
    for k in range(len(keys)):
        made[keys[k]] {USES[factory]}
        d[keys[k]]
        seen = made[keys[k // 2]]
    return made, d, seen, list(made.items()), [made[key] is value for key, value in list(made.items())]
"""
    check(source, keys, defaultdict(int), entry="f")
    check(source, keys, defaultdict(list, {"a": [1], 1: [2]}), entry="f")


def test_other_factories():
    """None, functions, classes of the program's, and those that are given another one meanwhile: the interpreter asks them."""
    source = """
from collections import defaultdict
made = []
class Own:
    def __init__(self):
        made.append(len(made))
def told():
    made.append(1)
    return len(made)
def f(d, n):
    found = []
    for i in range(n):
        try:
            found.append(d[i % 5])
        except KeyError as error:
            found.append(error.args)
            d[i % 5] = i
        if i == 9:
            d.default_factory = float
    return [x if isinstance(x, (int, float, tuple)) else type(x).__name__ for x in found], len(made), len(d)
def g(n, which):
    return f(defaultdict([None, int, Own, told, lambda: 0.5, dict][which]), n)
"""
    check_calls(source, [(12, which) for which in (1, 1, 0, 2, 3, 4, 5, 1)], entry="g")


def test_counters():
    source = """
from collections import Counter
class Named(Counter):
    def __missing__(self, key):
        return 100
def f(words, d):
    counts = Counter()
    for w in words:
        counts[w] += 1
        counts["all"] = counts["all"] + counts[w] + d[w] + d["none"]
    del counts["the"]
    del counts["the"]
    return counts, counts["nothing"], len(counts), d, list(counts)
def g(words, which):
    return f(words, (Counter(words[:2]), Named(), {w: 1 for w in [*words, "none"]})[which])
"""
    words = ["the", "quick", "fox", "jumps", "over", "the", "lazy", "dog", "and", "the", "cat"]
    check_calls(source, [(words, which) for which in (0, 0, 1, 2, 0, 1)], entry="g")


def test_a_counter_that_is_given_other_methods(monkeypatch):
    def f(d, n):
        total = 0
        for i in range(n):
            total += d[i % 5]
            d[i % 3] = total % 11
        return total, dict(d)

    jitted = pijit.jit(f)
    for _ in range(3):
        assert jitted(Counter([1, 2]), 20) == f(Counter([1, 2]), 20)
    monkeypatch.setattr(Counter, "__missing__", lambda self, key: 7)
    assert jitted(Counter([1, 2]), 20) == f(Counter([1, 2]), 20)
    monkeypatch.undo()
    monkeypatch.setattr(Counter, "__setitem__", lambda self, key, value: dict.__setitem__(self, key, 3), raising=False)
    assert jitted(Counter([1, 2]), 20) == f(Counter([1, 2]), 20)
    monkeypatch.undo()
    monkeypatch.setattr(Counter, "__getitem__", lambda self, key: 2, raising=False)
    assert jitted(Counter([1, 2]), 20) == f(Counter([1, 2]), 20)
    monkeypatch.undo()
    assert jitted(Counter([1, 2]), 20) == f(Counter([1, 2]), 20)


def test_in_a_generator():
    """A step of one may be done again, so nothing is made for a key there."""

    def f(d, n):
        return sum(d[i % 7] for i in range(n)), d, tuple(d[i] for i in range(3)), list(d)

    check(f, defaultdict(int, {1: 5}), 20)
    check(f, Counter([1, 1, 2]), 20)


def test_a_default_dict_that_code_runs_in():
    """Its names are looked up as a dict's items are, and what is stored there is seen at once."""
    source = """
from collections import defaultdict
space = defaultdict(int, {"__builtins__": __builtins__, "total": 1})
exec("def g(n):\\n    global total\\n    for i in range(n):\\n        total += i\\n    return total", space)
g = space["g"]
def f(n, names):
    found = []
    for i in range(n):
        for name in names:
            space[name] = space[name] + 1
        found.append(g(3))
    return found, space["total"], space["other"]
"""
    check(source, 6, ["total", "other", "total"], entry="f")


def test_names_of_a_module():
    """A dict that is no module's namespace when the loop begins is none when a text is stored in it; one that is shows it."""
    source = """
import types
module = types.ModuleType("others")
module.scale = 2
def f(spaces, keys):
    found = []
    for d in spaces:
        for k in keys:
            d[k] = d.get(k, 0) + 1
            found.append(module.scale)
    return found
def g(n, keys):
    spaces = [{}, {"scale": 5}, vars(module), {"__name__": 3}]
    return f(spaces[n:], keys), [dict(space).get("scale") for space in spaces], module.scale
"""
    check_calls(source, [(n, ["scale", "__name__", "x", "scale"]) for n in (0, 0, 1, 2, 3, 0)], entry="g")


@pytest.mark.parametrize("made", ["defaultdict(int)", "Counter()"])
def test_it_is_native(made):
    source = f"""
from collections import Counter, defaultdict
def f(d, words):
    for w in words:
        d[w] += 1
    return len(d)
def g(words):
    return f({made}, words)
"""
    space = {}
    exec(source, space)
    with settings(compile_all=True):
        f = pijit.jit(space["f"])
        words = [*"abcadbefag"] * 20
        d = {"defaultdict(int)": defaultdict(int), "Counter()": Counter()}[made]
        for _ in range(3):
            assert f(type(d)(*([int] if type(d) is defaultdict else [])), words) == 7
        stats = pijit.stats(f)
    assert (stats.hits, stats.exits, stats.breaks) == (3, 0, ())
