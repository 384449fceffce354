"""Error states as numbers, against NumPy's own."""

from __future__ import annotations

import itertools

import numpy as np

from pijit import _native
from pijit.ir.errors import DEFAULT, KINDS, TREATMENTS, ErrorState, error_state, treatments, within


def test_treatments_are_numpys():
    for values in itertools.product(TREATMENTS, repeat=2):
        given = dict(zip(("divide", "invalid"), values, strict=True))
        with np.errstate(**given):
            outer = _native.current_errmask()
            assert treatments(outer) == np.geterr()
            for inner in ({"all": values[1]}, {"all": values[0], "over": "raise"}, {"under": values[0]}, {}):
                with np.errstate(**inner):
                    assert within(outer, inner) == _native.current_errmask()


def test_what_counts():
    assert error_state(0) == DEFAULT == ErrorState(1 | 2 | 8, True)
    for given, expected in (
        ({"all": "ignore"}, ErrorState(0, True)),
        ({"divide": "ignore"}, ErrorState(2 | 8, True)),
        ({"over": "raise"}, ErrorState(1 | 2 | 8, False)),
        ({"invalid": "call", "divide": "ignore"}, ErrorState(2 | 8, False)),
        ({"all": "warn"}, None),
        ({"under": "print"}, None),
    ):
        mask = within(0, given)
        assert mask is not None
        assert error_state(mask) == expected
    assert dict.fromkeys(KINDS, "ignore") == treatments(within(0, {"all": "ignore"}) or 0)


def test_what_is_not_known():
    assert error_state(-1) is None
    assert within(-1, {}) is None
    with np.errstate(call=print):
        assert within(_native.current_errmask(), {}) is None
    with np.errstate():
        np.setbufsize(4096)
        assert within(_native.current_errmask(), {}) is None
        assert error_state(_native.current_errmask()) is None
