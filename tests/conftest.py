"""Around every test: nothing stays enabled, no setting stays changed, and an internal error is a failure."""

from __future__ import annotations

from dataclasses import asdict

import pytest

import pijit
from pijit.runtime import tiers


@pytest.fixture(autouse=True)
def clean():
    before = asdict(pijit.config)
    tiers.INTERNAL_ERRORS.clear()
    yield
    pijit.disable()
    pijit.set_logs()
    for name, value in before.items():
        setattr(pijit.config, name, value)
    assert not tiers.INTERNAL_ERRORS
