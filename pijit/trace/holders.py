"""Variables that hold: what is not read again, and yet must not be let go where paths meet.

An object lives as long as a variable has it, read again or not: weak references and `__del__` tell. Along one path it lives because the
exits name it. Where paths meet, a variable that some of them store such an object to *holds*: what each path brings is one parameter of type object,
UNSET where it is nothing that could be missed, KEEP where the frame has it anyway. That a variable holds is found out when an object arrives;
what was captured without that is captured again. It stays known for the code object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _native
from ..ir.graph import Known, Op, Recipe, recipe_values
from ..ir.types import OBJECT
from ..pycode.joins import Join
from ..pycode.liveness import live
from . import farewells
from .held import Held, matters, may_be_missed
from .values import LAZY, UNBOUND, Opaque

if TYPE_CHECKING:
    from .state import State
    from .tracer import Tracer


def forget(t: Tracer, state: State, join: Join, met: bool) -> list[Op]:
    """Dead variables of the innermost frame before paths meet; gives the operations that make what they hold. ``met``: whether others have
    come to this place before."""
    frame = state.frame
    live_slots = live(frame.bytecode, frame.pc)
    where = frame.flow.loop_at(frame.pc) or join
    holders: dict[tuple[int, int], str] = frame.bytecode.analyses.setdefault("holders", {})
    before = [one.copy() for one in state.frames]
    made: list[Op] = []

    def make(recipe: Recipe) -> Held:
        op = Op("make", tuple(recipe_values(recipe)), (OBJECT,), {"arguments": (recipe,)}, {"redo": t.exit("redo", "memory", before)}, t.line)
        made.append(op)
        return Held(op.result, holders[key])

    for slot, value in enumerate(frame.locals):
        if slot in live_slots:
            continue
        kept = len(state.frames) == 1 and slot < len(t.view.locals) and (value is LAZY or t.entry_values.get(slot) is value)
        key = frame.pc, slot
        if slot not in where.stores and not (join.is_hidden and not kept and (matters(value) or key in holders)):
            if not (kept or matters(value) or isinstance(value, Opaque)):
                frame.locals[slot] = UNBOUND
            continue
        actual = t.view.locals[slot] if kept and t.view.locals[slot] is not t.view.unset else None
        if matters(value) or may_be_missed(type(actual)):
            says = farewells.last_words(actual) or farewells.farewell(value) or holders.get(key, "")
            t.again |= met and holders.get(key) != says
            holders[key] = says
        if key not in holders:
            frame.locals[slot] = value if kept else UNBOUND
        elif kept:
            frame.locals[slot] = make(Known(_native.KEEP))
        elif not matters(value):
            frame.locals[slot] = make(Known(_native.UNSET))
        elif isinstance(value, Held | Opaque):
            frame.locals[slot] = Held(value.value, holders[key])
        else:
            frame.locals[slot] = make(value.recipe())
    return made
