"""Clocks: each reading is another one, so it is done once and in its turn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .. import deeds
from ..values import Abstract, Known
from .rows import expect, row

if TYPE_CHECKING:
    from ..tracer import Tracer

_SECONDS = (time.time, time.perf_counter, time.monotonic, time.process_time, time.thread_time)
_NANOSECONDS = (time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns, time.thread_time_ns)


def _clock(function: Any, sample: Any) -> None:
    @row(function)
    def reading(t: Tracer, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
        expect(function.__name__, args, kwargs, 0)
        return deeds.do(t, "call", [Known(function)], sample)


for _function in _SECONDS:
    _clock(_function, 0.5)
for _function in _NANOSECONDS:
    _clock(_function, 1)
