"""The sum of all reference counts stays what it is: what passes, leaves early or raises takes no reference and drops none.

An interpreter that counts references itself (Py_REF_DEBUG) sees neither what machine code counts nor what NumPy does, so the sum is taken here,
over every object that can be reached.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import warnings

import call_programs
import instance_programs
import pytest
from differential import clone, settings, subject_of
from instance_programs import CLASSES
from shares import most

from pijit.runtime import tiers

PROGRAMS = {
    **{name: (CLASSES + source, args) for name, (source, args) in {**instance_programs.FUNCTIONS, **call_programs.FUNCTIONS}.items()},
    "arrays": (
        """
def f(a, n):
    kept = []
    for i in range(n):
        b = a * 2.0 + i
        b[1:] += a[:-1]
        kept.append(b[::2])
    return kept, np.stack(kept), a[a > 1.0], b.sum()
""",
        ([1.0, 2.0, 3.0], 4),
    ),
    "big ints and texts": (
        """
def f(n, text):
    total, seen = 1, {}
    for i in range(1, n):
        total *= i
        seen[i] = (text, total)
    return total, seen, text in seen, [*seen]
""",
        (40, "key"),
    ),
    "exceptions": (
        """
def f(items, k):
    total = 0
    for i in range(5):
        try:
            total += items[i] // k
        except ZeroDivisionError as error:
            total -= len(error.args)
        except IndexError:
            total += 100
    return total, items[k + 9]
""",
        ([5, 7, 2**70], 0),
    ),
}
CALLS = 64
FORCED = 6  # exits of one program that are forced, four of them on each version
IMMORTAL = 500_000_000


@pytest.fixture(autouse=True, scope="module")
def young():
    """Every object counts here, those that are there before the first test too: conftest would set them aside."""


def total() -> int:
    """All reference counts together, but those of objects that are immortal."""
    gc.collect()
    new: list[object] = gc.get_objects()
    seen: set[int] = set()
    count = 0
    while new:
        seen.update(map(id, new))
        for item in new:
            references = sys.getrefcount(item)
            if references < IMMORTAL:
                count += references
        new = [*{id(item): item for item in gc.get_referents(*new) if id(item) not in seen}.values()]
    return count


def prepared(source: str, args: tuple[object, ...], index: int | None) -> object:
    """A jitted function of its own, with its exit of that number forced; None where it has no such exit."""
    probe = subject_of(source, None).make()
    probe.jit({})
    if index is not None:
        tiers.record_of(probe.function.__code__).plan.force_exit = index
    function = probe.function
    repeat(function, args, 3)
    fragments = tiers.record_of(probe.function.__code__).fragments
    reached = index is None or any(len(f.exits) > index and f.exits[index].kind not in ("poll", "return") for f in fragments)
    return function if reached else None


def repeat(function: object, args: tuple[object, ...], n: int) -> None:
    """Call, whatever it prints, warns or raises."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n):
            with contextlib.suppress(Exception):
                function(*clone(args))


def growth(functions: list[tuple[object, tuple[object, ...]]]) -> int:
    """What the calls add to the sum: 0 if it stays at least once, since caches and allocators grow now and then."""
    change = 0
    for _ in range(5):
        before = total()
        for function, args in functions:
            repeat(function, args, CALLS)
        change = total() - before
        if abs(change) < CALLS // 2:
            return 0
    return change


@pytest.mark.parametrize("index", [None, *most(range(FORCED))])
def test_sum_of_reference_counts_stays(index):
    with settings(compile_all=True, raise_internal=True):
        made = {name: (prepared(source, args, index), args) for name, (source, args) in PROGRAMS.items()}
        functions = {name: pair for name, pair in made.items() if pair[0] is not None}
        assert functions
        for function, args in functions.values():
            repeat(function, args, CALLS)
        if growth([*functions.values()]):
            assert not {name: change for name, pair in functions.items() if (change := growth([pair]))}


def test_sum_sees_one_reference_more():
    kept = []
    before = total()
    kept += [sys.intern] * 100
    assert 100 <= total() - before < 110
