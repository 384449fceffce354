"""Snapshots: from abstract frames to the frames of an exit."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Build, Frame, Recipe
from ..pycode.liveness import live
from .held import matters
from .results import RESULTS
from .state import FrameState, Then
from .values import LAZY, NULL, UNBOUND, Abstract, Container, Known, NullValue, Opaque, cell_recipe


def snapshot(frames: list[FrameState], entry_values: dict[Any, Abstract]) -> tuple[Frame, ...]:
    """What the Python frames must look like at the innermost frame's pc. ``entry_values``: by root slot or name, what it holds unchanged."""
    frames = before_step(frames)
    made = []
    held = {id(value) for frame in frames for value in (*frame.stack, *(frame.locals[slot] for slot in live(frame.bytecode, frame.pc)))}
    last = len(frames) - 1
    for depth, frame in enumerate(frames):
        instruction = frame.bytecode.at(frame.pc)
        pc = frame.pc if depth == last else instruction.at
        made.append(
            Frame(
                function_recipe(frame, depth),
                frame.bytecode.code,
                pc,
                _locals(frame, entry_values if depth == 0 else None, depth, held),
                tuple(value.recipe() for value in frame.stack),
                instruction.line or 0,
                _then(frame.then),
            )
        )
    return tuple(made)


def before_step(frames: list[FrameState]) -> list[FrameState]:
    """The frames without a generator that is running, and what it calls: a step of a generator is done again as a whole."""
    step = next((depth for depth, frame in enumerate(frames) if frame.consumer is not None), len(frames))
    return frames[:step]


def _then(then: Then | None) -> tuple[Any, Recipe] | None:
    if then is None:
        return None
    function, data = RESULTS[then.kind]
    return function, Container("tuple", (*then.held, *map(Known, then.data[:data]))).recipe()


def stored_names(root: FrameState, entry_values: dict[Any, Abstract]) -> tuple[tuple[str, Recipe], ...]:
    """The namespace entries that an exit writes back."""
    return tuple((name, value.recipe()) for name, value in root.names.items() if entry_values.get(name) is not value)


def function_recipe(frame: FrameState, depth: int, shown: bool = False) -> Recipe | None:
    """The function of a frame; ``shown``: one that is only looked at, so that it needs no defaults."""
    if not frame.made:
        return None if depth == 0 or frame.function is None else frame.function.recipe()
    (made,) = frame.made
    assert isinstance(made, Container)
    return Container("function", (*made.items[:3], NULL, NULL)).recipe() if shown else made.recipe()


def _locals(frame: FrameState, entry_values: dict[Any, Abstract] | None, depth: int, held: set[int]) -> dict[int, Recipe]:
    # While a callee runs, what its caller needs afterwards is what is live at the call, which covers both.
    live_slots = live(frame.bytecode, frame.pc)
    recipes: dict[int, Recipe] = {}
    for slot, value in enumerate(frame.locals):
        if value is LAZY or (entry_values is not None and entry_values.get(slot) is value):
            continue
        if depth and slot in frame.bytecode.free_slots:
            continue
        # A dead local is rebuilt where that costs nothing, else left unbound (ARCHITECTURE.md, "dead locals").
        needed = slot in live_slots or isinstance(value, Known | Opaque) or id(value) in held or matters(value)
        if isinstance(value, NullValue) or not needed:
            value = UNBOUND
        if depth and slot in frame.bytecode.cell_slots:
            recipes[slot] = Build("in_cell", (cell_recipe(depth, slot), value.recipe()))
            continue
        if entry_values is None and value is UNBOUND:
            continue
        recipes[slot] = value.recipe()
    return recipes
