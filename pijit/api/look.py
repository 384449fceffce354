"""What pijit did with a function: counters, a report, a comparison with plain Python."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any

from pijit.ground import forks
from pijit.runtime import tiers
from pijit.runtime.callables import plain_function

if TYPE_CHECKING:
    from pijit.reports.function import Report
    from pijit.reports.verify import Verdict
    from pijit.runtime.records import Stats

__all__ = ["explain", "stats", "verify"]


def stats(function: Any) -> Stats:
    """Counters of one function: compiles, hits (native runs), misses (guard failures), exits, breaks, fragments, compile_seconds,
    failures, gave_up."""
    code = function if isinstance(function, CodeType) else getattr(plain_function(function), "__code__", None)
    if code is None:
        raise TypeError(f"stats: {function!r} is not a Python function")
    with forks.importing("pijit.runtime.records"):
        from pijit.runtime.records import snapshot
    return snapshot(tiers.record_of(code))


def explain(function: Any, /, *args: Any, **kwargs: Any) -> Report:
    """Call a function once under capture and report what was compiled, what was not, and why.

    A function that pijit knows already is reported with all that happened to it so far; another one is jitted for this call only. With
    no arguments, a known function that needs some is not called. print() the report; `.to_dict()` is for tools.
    """
    with forks.importing("pijit.reports.function"):
        from pijit.reports.function import explain as report
    return report(function, args, kwargs)


def verify(function: Any, /, *args: Any, **kwargs: Any) -> Verdict:
    """Run a function plainly and natively on copies of the arguments and compare everything bit for bit.

    Gives a Verdict that is true when both agree; otherwise it names what differs first and, where it can be found, the operation and
    its source line.
    """
    with forks.importing("pijit.reports.verify"):
        from pijit.reports.verify import verify as compare
    return compare(function, args, kwargs)
