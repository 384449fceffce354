"""What `make bench` calls is there, and can be called as it is timed."""

from __future__ import annotations

import importlib
import sys
import timeit
from pathlib import Path

import pytest

pytestmark = pytest.mark.shared

FOLDER = Path(__file__).resolve().parent.parent / "bench"


@pytest.fixture
def subject(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in [path.stem for path in FOLDER.glob("*.py")]:  # tests have modules of these names, too
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name, module in list(sys.modules.items()):
        if FOLDER in Path(getattr(module, "__file__", None) or "").parents:
            del sys.modules[name]


def test_every_program_with_classes_is_called(subject, monkeypatch):
    objects, called = subject("objects"), []

    def once(contenders, call="f()", repeats=0, **names):
        called.append(call)
        return {name: timeit.Timer(call, globals={"f": function, **names}).timeit(1) for name, function in contenders.items()}

    monkeypatch.setattr(objects, "interleaved", once)
    monkeypatch.setattr(objects, "whole_programs", lambda: ())
    figures = list(objects.figures())
    assert len(figures) >= 30
    assert len(called) >= len(figures)


def test_a_message_is_waited_for(subject):
    nothing_came = 1.0
    assert 0 < subject("diagnostics").message_delay() < nothing_came
