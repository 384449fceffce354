"""Around every test of the native part: the hook is installed, the callbacks are gone afterwards, no internal error."""

import deadlines
import pytest

from pijit import _native
from pijit.runtime import tiers

SECONDS = 120  # of one test


@pytest.fixture(autouse=True)
def hook():
    errors = []
    _native.set_callbacks(
        on_frame=None, on_entry=lambda *_: -1, on_exit=None, on_error=errors.append, exit_threshold=1 << 40
    )
    _native.install()
    yield errors
    _native.uninstall()
    _native.watch_all(False)
    _native.set_callbacks(on_frame=None, on_entry=None, on_exit=None, on_error=None, exit_threshold=64)
    tiers.started = False  # whoever needs the callbacks of the product sets them again
    assert not errors


@pytest.fixture(autouse=True)
def clean():
    """The fixture of the whole project is about another layer; what hangs is ended here too."""
    with deadlines.deadline(SECONDS):
        yield
