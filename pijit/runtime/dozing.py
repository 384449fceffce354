"""Functions that are called often and take little of the program's time doze: counting them would cost more than may be saved.

While one is counted it shows which share of the time it takes. By that it is known when it will have taken what looking at it is
worth, and until then, or for as long as it has been known, it is not counted. What it is taken to have spent meanwhile is put down to it.
"""

from __future__ import annotations

from typing import Any

from pijit.ground import clock
from pijit.ground.records import dataclass

_STRETCH = 512  # misses that tell
_FEWEST = 256  # until it is asked again
_SOON = 0.02  # seconds that are too few to tell, or to doze for
_LONGEST = 5.0  # seconds
_CALM = 0.05  # of the program's time: what takes more is counted on
_MOST = 32  # entries of a function: looking at more would take too long
_TICK = 0.1  # seconds between two questions of one that stays awake for the others


@dataclass(slots=True)
class Stretch:
    """In which a function was counted. ``seen``: by pc, what the interpreter had taken from there on when it began, and the misses."""

    began: float
    seen: dict[int, tuple[float, int]]


def _seen(state: Any, plan: Any) -> dict[int, tuple[float, int]]:
    return {pc: (state.took(pc), state.misses(pc)) for pc, entry in plan.entries.items() if not entry.off}


def seconds(state: Any, plan: Any) -> float:
    """For how long the function may doze; 0: it is counted on."""
    if len(plan.entries) > _MOST:
        return 0.0
    now, seen = clock.perf_counter(), _seen(state, plan)
    stretch: Stretch | None = plan.stretch
    if stretch is None:
        plan.stretch, plan.known = Stretch(now, seen), plan.known or now
        return 0.0
    taken, misses = (sum(all_[i] - stretch.seen.get(pc, (0.0, 0))[i] for pc, all_ in seen.items()) for i in (0, 1))
    passed = now - stretch.began
    if misses < _STRETCH or passed < _SOON:
        return 0.0
    if taken > _CALM * passed:
        plan.stretch = Stretch(now, seen)
        return 0.0
    left = min((plan.entries[pc].patience.left(took) for pc, (took, _) in seen.items()), default=0.0)
    return float(min(left * passed / max(taken, 1e-9), now - plan.known, _LONGEST))


def has_dozed(state: Any, plan: Any, since: float) -> None:
    """It is counted again."""
    now, stretch = clock.perf_counter(), plan.stretch
    plan.stretch = None
    if stretch is None or since <= stretch.began:
        return
    for pc, (took, _) in _seen(state, plan).items():
        before, _ = stretch.seen.get(pc, (took, 0))
        plan.entries[pc].patience.dozed((took - before) / (since - stretch.began) * (now - since), _FEWEST)


def misses_to_wait(state: Any, plan: Any, pc: int) -> int:
    """Until one that stays awake for others asks again."""
    stretch = plan.stretch
    passed = max(clock.perf_counter() - stretch.began, _SOON)
    return max(_FEWEST, int(_TICK * (state.misses(pc) - stretch.seen.get(pc, (0.0, 0))[1]) / passed))
