"""Draws from PCG64 are made without a call: bits, stream and exits stay NumPy's, on the rare ways of the ziggurats too."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls, clone_function
from test_draws import BIT_GENERATORS, generator

import pijit
from pijit.codegen import pcg64
from pijit.ir.draws import DRAWS

pytestmark = pytest.mark.shared

OF_GENERATORS = [name for name, draw in DRAWS.items() if draw.owner == "Generator"]

MULTIPLIER = 2549297995355413924 << 64 | 4865540595714422341


def about_to_draw(bits):
    """A generator of which these are the next 64 bits."""
    rng = generator()
    state = (bits - 1) * pow(MULTIPLIER, -1, 1 << 128) % (1 << 128)
    rng.bit_generator.state = {"bit_generator": "PCG64", "state": {"state": state, "inc": 1}, "has_uint32": 1, "uinteger": 77}
    return rng


def normals(rng, n):
    return [rng.standard_normal() for _ in range(n)]


def exponentials(rng, n):
    return [rng.standard_exponential() for _ in range(n)]


def test_it_is_what_numpy_has():
    assert [name for name in OF_GENERATORS if not pcg64.usable(name)] == ["integers", "integers_closed"]


@pytest.mark.parametrize("function", [normals, exponentials])
def test_both_sides_of_the_end_of_each_layer(function):
    fast = pijit.jit(clone_function(function))
    name = "standard_normal" if function is normals else "standard_exponential"
    rule = pcg64.ZIGGURATS[name]
    for layer, (_, end) in enumerate(pcg64._table(name).tolist()):
        for place in {0, 1, max(end - 1, 0), min(end, (1 << rule.bits) - 1), (1 << rule.bits) - 1}:
            for sign in (0, 1 << rule.sign) if rule.sign is not None else (0,):
                plain, mine = (about_to_draw(rule.bits_of(layer, place) | sign) for _ in range(2))
                assert repr(fast(mine, 3)) == repr(function(plain, 3))
                assert mine.bit_generator.state == plain.bit_generator.state


@pytest.mark.parametrize("bits", [0, 1, 2**11 - 1, 2**11, 2**64 - 1, 2**63])
def test_least_and_greatest(bits):
    def f(rng, low, high):
        return [rng.random(), rng.uniform(low, high)]

    fast = pijit.jit(clone_function(f))
    for low, high in ((0.0, 1.0), (-1.0, 1e300), (-5e-324, 5e-324), (0.1, 0.3)):
        plain, mine = about_to_draw(bits), about_to_draw(bits)
        assert repr(fast(mine, low, high)) == repr(f(plain, low, high))
        assert mine.bit_generator.state == plain.bit_generator.state


def test_long():
    """Thousands of each: the rare ways are among them."""

    def f(rng, n):
        a = b = c = d = e = g = 0.0
        for i in range(n):
            a += rng.random()
            b += rng.uniform(-1.5, i)
            c += rng.standard_normal()
            d += rng.normal(1.0, 0.1 * i)
            e += rng.standard_exponential()
            g += rng.exponential(0.3) * rng.integers(0, 7)
        return a, b, c, d, e, g

    check(f, generator(), 20000, configurations=("jit",))


def test_streams_in_turn():
    """The same code draws from one kind and another; two names are one stream."""

    def f(a, b, n):
        s = 0.0
        for _ in range(n):
            s = s * 0.5 + a.random() - b.standard_normal() * a.normal() + b.exponential()
        return s

    rng = generator()
    check_calls(f, [(generator(one), generator(other), 50) for one in BIT_GENERATORS for other in ("PCG64", "SFC64")], configurations=("jit",))
    check(f, rng, rng, 2000)


def test_unless_it_is_numpys(monkeypatch):
    monkeypatch.setattr(pcg64, "usable", lambda draw: False)
    check(clone_function(normals), generator(), 3000, configurations=("jit",))


@pytest.mark.parametrize("name", [name for name in OF_GENERATORS if name not in ("integers", "integers_closed")])
def test_exits_between_draws(name):
    method = DRAWS[name].method
    source = f"""
def f(rng, x, n):
    s = 0.0
    for i in range(n):
        s += rng.{method}() * x[i % 9]
        s += rng.{method}() / x[int(rng.random() * 40)]
    return s
"""
    check_calls(source, [(generator(seed=seed), np.arange(1.0, 39.0), 60) for seed in range(4)])
