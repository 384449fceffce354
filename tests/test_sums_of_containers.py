"""sum, any, all, min and max of dicts, their views, sets and tuples, whose lengths are not known."""

from __future__ import annotations

import pytest
from differential import check, check_calls, check_stays_native

pytestmark = pytest.mark.shared

CONTAINERS = {
    "d.values()": lambda n, x: {f"k{i}": i * x for i in range(n)},
    "d": lambda n, x: {i * x: None for i in range(n)},
    "d.keys()": lambda n, x: {i * x: None for i in range(n)},
    "tuple": lambda n, x: tuple(i * x for i in range(n)),
    "set": lambda n, x: {i * x for i in range(n)},
    "frozenset": lambda n, x: frozenset(i * x for i in range(n)),
}
FORMS = (
    "sum({})", "sum({}, 3)", "sum({}, start=0.5)", "max({})", "min({})", "max({}, default=None)", "any({})", "all({})", "(sum({}) / len(d), max({}))",
)  # fmt: skip


def program(form, container):
    of = container if container.startswith("d") else "d"
    return f"""
def f(d):
    try:
        return {form.replace("{}", of)}
    except (TypeError, ValueError) as error:
        return type(error), str(error)
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_of_numbers(container, form):
    made = CONTAINERS[container]
    calls = [(made(n, x),) for n, x in ((100, 2), (80, 2), (0, 2), (100, 0.1), (70, 2**62), (100, 3), (90, True))]
    check_calls(program(form, container), calls)


@pytest.mark.parametrize("form", ["max({})", "min({})", "any({})", "sum({})", "min({}, default='')"])
@pytest.mark.parametrize("container", ["d", "d.keys()", "tuple", "set"])
def test_of_texts(container, form):
    made = [f"n{i}" for i in range(70)]
    kind = {"tuple": tuple, "set": set}.get(container, dict.fromkeys)
    check_calls(program(form, container), [(kind(made),), (kind(made[:66]),), (kind([]),), (kind(["", *made]),)])


@pytest.mark.parametrize("form", ["sum({})", "max({})", "any({})"])
@pytest.mark.parametrize("container", ["d.values()", "tuple", "d"])
def test_they_stay_native(container, form):
    check_stays_native(program(form, container), CONTAINERS[container](100, 2))


def test_objects_are_asked_by_the_program_only():
    source = """
class Number:
    def __init__(self, v):
        self.v = v
    def __radd__(self, other):
        told.append(("radd", other))
        return other + self.v
    def __gt__(self, other):
        told.append("gt")
        return self.v > (other.v if type(other) is Number else other)
    def __lt__(self, other):
        told.append("lt")
        return self.v < (other.v if type(other) is Number else other)
    def __bool__(self):
        told.append("bool")
        return self.v > 3

told = []

def f(n, last):
    del told[:]
    d = {i: i for i in range(n)}
    if last:
        d[n] = Number(n)
    found = [sum(d.values()), any(d.values()), all(d.values())]
    biggest = max(d.values())
    return found, getattr(biggest, "v", biggest), list(told)
"""
    check_calls(source, [(70, False), (70, False), (70, True), (70, True), (70, False)])


def test_what_the_program_makes():
    source = """
def f(records):
    found = {}
    for key, value in records:
        found[key] = found.get(key, 0) + value
    return sum(found.values()), max(found.values()), min(found), sorted(found), len(found)
"""
    check(source, [(i % 7, i * 0.5) for i in range(40)])


BY_KEY = (
    "max(d, key=lambda k: d[k])", "min(d.items(), key=lambda kv: kv[1])", "sorted(d.items(), key=lambda kv: -kv[1])[:3]",
    "sorted(d, key=lambda k: d[k] % 7)",
    "sorted(d.values(), key=lambda v: -v, reverse=True)", "max(set(d), key=len)", "sorted(set(d.values()), key=lambda v: v % 5)", "max(d, key=d.get)",
    "min(tuple(d.values()), key=lambda v: (v - 30) ** 2)", "sorted(frozenset(d), key=lambda k: d[k])",
)  # fmt: skip


@pytest.mark.parametrize("form", BY_KEY)
def test_by_key(form):
    source = f"def f(d):\n    try:\n        return {form}\n    except ValueError as error:\n        return str(error)\n"
    check_calls(source, [({f"k{i}": i * step % 61 for i in range(n)},) for n, step in ((100, 7), (80, 5), (3, 1), (0, 1), (90, 3))])


def test_a_key_that_changes_the_dict():
    source = """
def f(n):
    d = {i: i for i in range(n)}
    told = []

    def key(k):
        told.append(k)
        if k == n // 2:
            d[n + k] = 0
        return -k

    try:
        return max(d, key=key), told
    except RuntimeError as error:
        return str(error), told
"""
    check(source, 80)
