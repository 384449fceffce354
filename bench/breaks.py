"""What an unsupported call in a hot loop costs."""

from __future__ import annotations

from measure import Figure, human, interleaved

import pijit

N = 100_000


def with_call(n):
    history = []
    s = 1
    for i in range(n):
        s = (s * 5 + i) % 1000003
        history.append(i)
    return s, history


def without_call(n):
    s = 1
    for i in range(n):
        s = (s * 5 + i) % 1000003
    return s


def figures():
    broken = interleaved({"pijit": pijit.jit(with_call), "python": with_call}, f"f({N})")
    whole = interleaved({"pijit": pijit.jit(without_call)}, f"f({N})")
    extra = (broken["pijit"] - whole["pijit"]) / N * 1e9
    each = [human(seconds / N) for seconds in (broken["pijit"], whole["pijit"], broken["python"])]
    note = "{} an iteration against {}; plain Python {}".format(*each)
    yield Figure("history.append(i) in a hot loop, per iteration more", extra, 150, "ns", note=note)
