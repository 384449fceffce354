"""f-strings, str(), repr(), and numbers read from texts."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_stays_native

import pijit

pytestmark = pytest.mark.shared

NUMBERS = (
    [0, -7, 2**63 - 1, -(2**63), 12345, 2**70],
    [0.0, -0.0, 1.5, -2.25, float("nan"), float("inf"), -float("inf"), 1e300, 5e-324, 0.1],
    [True, False],
    ["", "a", "ä\u0100\U0001f600", "a longer text"],
    [np.float64(0.1), np.float64("nan"), np.float64(-0.0), np.float64(1e22)],
    [np.float32(0.1), np.float32(3)],
    [np.int64(-3), np.int64(2**62)],
    [np.int8(5), np.bool_(True), None, 3, 2.5],
)
FORMS = (
    "f'{x}'", "f'{x!r}|{x!s}'", "f'{x!a:>12}'", "f'{k}: {x} of {name}'", "str(x) + repr(x) + ascii(x)", "f'{x:{width}}'", "f'{name}'",
    "f'{x}{x}' f''",
    "f'{x}{x!r}{name}{k}-{k:3}{name}/{x}{name}'",
)  # fmt: skip
SPECS = (".3f", "e", "g", "d", "x", "010", ">12", "+", "%", ",", "s", "c", "n", ".3q", "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("values", NUMBERS, ids=str)
def test_f_strings(form, values):
    source = f"def f(values, name, width):\n    out = []\n    for k, x in enumerate(values):\n        out.append({form})\n    return out"
    check(source, values, "n", 9)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("values", NUMBERS[:6], ids=str)
def test_formats(spec, values):
    source = f"""
def f(values):
    out = []
    for x in values:
        try:
            out.append(f"<{{x:{spec}}}>")
        except (ValueError, TypeError, OverflowError) as error:
            out.append(str(error))
    return out
"""
    check(source, values)
    check(f"def f(x):\n    return f'{{x:{spec}}}'", values[1])


def test_objects_are_the_interpreters():
    source = """
log = []

class Text(str):
    def __str__(self):
        log.append("str")
        return "own"

class Thing:
    def __init__(self, x):
        self.x = x

    def __format__(self, spec):
        log.append(spec)
        return f"{self.x:{spec}}"

    def __repr__(self):
        log.append("repr")
        return "Thing"

def f(n):
    out = []
    for x in (Thing(1), Thing(2.5)):
        out.append(f"{x:>4} {x!r} {x!s:>9}")
        out.append(str(x) + repr(x))
    for text in (Text("a"), Text("b")):
        out.append(f"{text}" + str(text))
    out.append(f"{[1, n]} {(n, 'a')} {dict(a=n)}")
    return out, log
"""
    check(source, 3)


@pytest.mark.parametrize("values", [NUMBERS[0], NUMBERS[2], NUMBERS[1][:2]], ids=str)
def test_other_bases(values):
    source = """
def f(values):
    out = [bin(10), oct(-8), hex(True)]
    for x in values:
        out.append(bin(x) + oct(x) + hex(x))
        out.append(len(bin(x)) - bin(x).count("1"))
    return out
"""
    check(source, values)


def test_other_bases_natively():
    check_stays_native("def f(n):\n    return [bin(i).count('1') + len(hex(i) + oct(i)) for i in range(n)]\n", 30)


TEXTS = (
    ["1", " -2.5 ", "1e400", "nan", "-0", "1_000", "x", "", "0x10", "\u0663", "9" * 25, "1.5e-3"],
    ["12", "-7", "+3"],
)


@pytest.mark.parametrize("texts", TEXTS, ids=["some", "good"])
@pytest.mark.parametrize("form", ["float(text)", "int(text)", "int(text, 16)", "int(text, base)", "float(text.encode())", "int(str(int(text)))"])
def test_numbers_of_texts(form, texts):
    source = f"""
def f(texts, base):
    out = []
    for text in texts:
        try:
            out.append({form})
        except ValueError as error:
            out.append(str(error))
    return out
"""
    check(source, texts, 12)
    check(f"def f(texts, base):\n    return [{form} for text in texts]", texts, 12)


def test_they_stay_native():
    @pijit.jit
    def f(n):
        out, total = {}, 0.0
        for i in range(n):
            x = i * 0.37
            name = f"{i % 7}_{x:.2f}_{i!r:>3}"
            total += float(str(x)) + int(f"{i}")
            out[name] = total
        return out

    for _ in range(3):
        f(20)
    assert not pijit.explain(f).to_dict()["breaks"]
    before = pijit.stats(f).exits
    f(20)
    assert pijit.stats(f).exits == before
