"""Functions that outlive the call that makes them: `out._backward = _backward`, a counter in an object.

While the call runs, such a function is virtual and its variables are those of the frame (closures). When an inlined call returns and something
that goes on has the function, its cells become objects, then the function, and at last the cells are given what the variables hold: that may be
what holds the function. An exit before the end of all that does the return again, with other cells.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import closures, deeds, instances, objects
from .values import UNBOUND, Abstract, Break, CellValue, Complex, Container, Opaque, containers_in

if TYPE_CHECKING:
    from .state import FrameState
    from .tracer import Tracer

_OUTLIVES = "a function that outlives the call that makes it"
_OBJECTS = frozenset({"instance", "dict", "record"})
_HOLDERS = _OBJECTS | {"tuple", "function"}  # what may hold one, of kinds of containers
Cells = dict[int, Opaque]  # by slot


def outlive(t: Tracer, value: Abstract) -> Abstract:
    """What the innermost frame returns, which is about to. Breaks where a function would outlive the variables that it shares."""
    depth = len(t.state.frames) - 1
    frame = t.state.frame
    if depth == 0:
        if closures.shares_variables(value):
            raise Break("definition", "a function that is returned")
        return value
    if not frame.bytecode.cell_slots:
        return value
    held = (container[key] for caller in t.state.frames[:-1] for _, container, keys in caller.containers() for key in keys)
    slots = _outliving(frame, depth, (value, *held, *(frame.then.held if frame.then is not None else ())))
    if not slots:
        return value
    if isinstance(value, Container) and value.kind not in _OBJECTS and any(_is_at(of, depth) for of in closures.cells(value)):
        raise Break("definition", _OUTLIVES)  # it is about to be called: made by the interpreter it can be inlined
    frame.stack.append(value)
    cells = _made(t, depth, slots)
    while (function := _with_cells(t, cells)) is not None:
        instances.settled(t, function, redone=True)
    for slot in slots:
        instances.settled(t, frame.locals[slot], fixed="shared", redone=True)
    for slot in slots:
        if frame.locals[slot] is not UNBOUND:
            if not isinstance(frame.locals[slot], Complex) and not objects.is_storable(frame.locals[slot]):
                raise Break("definition", _OUTLIVES)
            deeds.store_in_cell(t, cells[slot], frame.locals[slot])
    return t.pop()


def _is_at(of: CellValue, depth: int) -> bool:
    return of.depth == depth and of.function is None


def _outliving(frame: FrameState, depth: int, kept: Iterable[Abstract]) -> list[int]:
    """The variables of the frame that functions share which are kept, or are in such a variable."""
    found: dict[int, None] = {}
    work = list(kept)
    while work:
        one = work.pop()
        slots = [of.slot for of in closures.cells(one) if _is_at(of, depth) and of.slot not in found]
        if slots:
            _may_outlive(one, depth)
        found |= dict.fromkeys(slots)
        work += (frame.locals[slot] for slot in dict.fromkeys(slots))
    return sorted(found)


def _may_outlive(value: Abstract, depth: int) -> None:
    """Breaks where a function shares variables of other frames too, or something holds it that cannot be given another."""
    cells = list(closures.cells(value))
    if isinstance(value, CellValue) or not any(_is_at(of, depth) for of in cells):
        return
    mixed = isinstance(value, Container) and value.kind == "function" and any(of.function is None and of.depth != depth for of in cells)
    if mixed or not isinstance(value, Container) or value.kind not in _HOLDERS:
        raise Break("definition", _OUTLIVES)
    for item in value.inner():
        _may_outlive(item, depth)


def _made(t: Tracer, depth: int, slots: list[int]) -> Cells:
    """Makes the cells, and puts them in the place of the virtual ones."""
    cells = {slot: instances.make_real(t, CellValue(depth, slot), types.CellType()) for slot in slots}

    def real(value: Abstract) -> Abstract:
        return cells[value.slot] if isinstance(value, CellValue) and _is_at(value, depth) and value.slot in cells else value

    instances.changed(t.state.frames, real)
    return cells


def _with_cells(t: Tracer, cells: Cells) -> Container | None:
    """A function that has some of the cells, and no others that are a frame's: one with such ends here."""
    for _, _, _, value in t.state.slots():
        for inner in containers_in(value):
            shared = inner.items[2].inner() if inner.kind == "function" else ()
            if any(cell in cells.values() for cell in shared) and not closures.shares_variables(inner):
                return inner
    return None
