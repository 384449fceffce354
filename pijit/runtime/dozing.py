"""What it takes to count a function, and for how long it need not be: until it will have taken what compiling it is worth.

While a function is counted it shows which share of the time it takes. By that it is known when it is time to look at it, and until then, or
for as long as it has been known, it may doze. What it is taken to have spent meanwhile is put down to it.
"""

from __future__ import annotations

from typing import Any

from pijit.ground import clock
from pijit.ground.records import dataclass

_COUNTING = 1e-7  # seconds that a call costs, or that it is dearer for,
_LITTLE = 0.0005  # and the part of the time that it may take
_CROSSING = 2.5e-8  # seconds that it costs when a frame comes by,
_MUCH = 0.002  # and the part of the time that this may take
_REGULARLY = 4  # times since the last tick
_RECENT = 1.0  # seconds: what was before says nothing
_FEWEST = 256  # calls that tell, and misses until it is asked again
_SOON = 0.02  # seconds that are too few to tell, or to doze for
_LONGEST = 5.0  # seconds
_MOST = 32  # entries of a function: looking at more would take too long


@dataclass(slots=True)
class Stretch:
    """In which a function was counted. ``met``: the calls when it began; ``hits``: those of its fragments; ``took``: by pc, what the interpreter had
    taken from there on."""

    began: float
    met: int
    hits: int
    took: dict[int, float]


@dataclass(slots=True)
class Tick:
    """The last one: by the pc of each entry that is not the start the misses until then, and what the interpreter had taken from there on."""

    time: float
    seen: dict[int, tuple[int, float]]


def _took(state: Any, plan: Any) -> dict[int, float]:
    return {pc: state.took(pc) for pc, entry in plan.entries.items() if not entry.off}


def _hits(state: Any, plan: Any) -> int:
    return sum(fragment.hits for pc in plan.entries for fragment in state.fragments(pc))


def rate(state: Any, plan: Any) -> float:
    """Calls per second since it is watched, in vain; 0: there were too few. Where counting them costs next to nothing, or something ran natively, it
    is watched anew."""
    if len(plan.entries) > _MOST:
        return 0.0
    now = clock.perf_counter()
    stretch: Stretch | None = plan.stretch
    if stretch is not None:
        calls, passed = state.met - stretch.met, now - stretch.began
        if calls < _FEWEST or passed < _SOON:
            return 0.0
        found = float(calls / passed)
        if found * _COUNTING >= _LITTLE and _hits(state, plan) == stretch.hits:
            return found
    plan.stretch, plan.known = Stretch(now, state.met, _hits(state, plan), _took(state, plan)), plan.known or now
    return 0.0


def shares(state: Any, plan: Any) -> dict[int, float]:
    """The entries in loops and after breaks that frames have come by so often since the last tick that it costs something, and the part of the time
    that was taken from there on. Not all: frames that are under way have to come by somewhere all the same, those in a loop before long."""
    awake = {pc: entry for pc, entry in plan.entries.items() if not (entry.off or entry.rests or entry.kind == "start")}
    if not 1 < len(awake) <= _MOST:
        return {}
    now, last = clock.perf_counter(), plan.tick
    plan.tick = Tick(now, {pc: (state.misses(pc), state.took(pc)) for pc in awake})
    passed = now - last.time if last is not None else 0.0
    if last is None or not _SOON < passed < _RECENT:
        return {}
    misses = {pc: n - last.seen.get(pc, (n, 0.0))[0] for pc, (n, _) in plan.tick.seen.items()}
    often = [pc for pc, n in misses.items() if n * _CROSSING >= _MUCH * passed and not state.fragments(pc)]
    if sum(n for pc, n in misses.items() if pc not in often) < _REGULARLY:
        often = sorted(often, key=misses.__getitem__)[1:]
    return {pc: (plan.tick.seen[pc][1] - last.seen[pc][1]) / passed for pc in often}


def seconds(state: Any, plan: Any) -> float:
    """For how long the function may doze; 0: it is worth a look."""
    stretch: Stretch = plan.stretch
    took = _took(state, plan)
    taken = sum(seconds - stretch.took.get(pc, 0.0) for pc, seconds in took.items())
    left = min((plan.entries[pc].patience.left(seconds) for pc, seconds in took.items()), default=0.0)
    return until_due(plan, left, taken / max(clock.perf_counter() - stretch.began, 1e-9))


def until_due(plan: Any, left: float, share: float) -> float:
    """The seconds until the interpreter will have taken what is left, at such a part of the time."""
    return float(min(max(left, 0.0) / max(share, 1e-9), clock.perf_counter() - plan.known, _LONGEST))


def has_dozed(state: Any, plan: Any, since: float) -> None:
    """It is counted again."""
    now, stretch = clock.perf_counter(), plan.stretch
    plan.stretch = None
    if stretch is None or since <= stretch.began:
        return
    for pc, took in _took(state, plan).items():
        before = stretch.took.get(pc, took)
        entry_has_dozed(plan.entries[pc], (took - before) / (since - stretch.began), now - since)


def entry_has_dozed(entry: Any, share: float, seconds: float) -> None:
    """For so long, and had taken such a part of the time before."""
    entry.patience.dozed(share * seconds, _FEWEST)
