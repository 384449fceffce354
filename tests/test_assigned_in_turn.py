"""a[...] = v where both lie in the same memory: NumPy copies v first only along several axes, or in opposite directions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from differential import check, check_calls

STEPS = (1, 2, 3, -1, -2, -3)


@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "c16", "f2"])
def test_one_axis(dtype):
    def put(a, target, source, n):
        a[target][:n] = a[source][:n]

    places = [slice(start, None, step) for start in (None, 2, -2) for step in STEPS]
    pairs = [(target, source) for target, source in itertools.product(places, places)][:: 7 if dtype == "f8" else 41]
    calls = []
    for target, source in pairs:
        a = np.arange(1, 14).astype(dtype)
        calls.append((a, target, source, min(len(a[target]), len(a[source]))))
    check_calls(put, calls)


def test_in_a_loop():
    def shift(a, n):
        for i in range(1, n):
            a[::2] = a[: len(a[::2])]
            a[i::2] = a[i : i + len(a[i::2])]
            a[: len(a[::3])] = a[::3]
            np.copyto(a[1::2], a[: len(a[1::2])])
        return a[::2].sum()

    check(shift, np.arange(11.0), 4)
    check(shift, np.arange(40, dtype=np.int16)[::-2], 5)


def test_copied_first():
    def move(a, b, n):
        for _ in range(n):
            a[::2] = a[: len(a[::2])].copy()
            a[::2] = a[: len(a[::2])] * 2
            b[::2, 1:] = b[: len(b[::2]), :-1]
            b[:, ::2] = b[:, : b[:, ::2].shape[1]]
            a[:] = a[::-1]

    check(move, np.arange(11.0), np.arange(30.0).reshape(5, 6), 3)
