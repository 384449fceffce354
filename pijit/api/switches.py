"""What is on: modules, single functions left out, the stance, the logs."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from pijit.ground.config import CONFIG, STANCES
from pijit.ground.log import set_logs
from pijit.runtime import tiers
from pijit.runtime.callables import plain_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType

__all__ = ["disable", "enable", "enabled", "set_logs", "set_stance", "skip"]

F = TypeVar("F")
Target = "ModuleType | str"


def skip(function: F) -> F:
    """Leave this function to the interpreter, even in an enabled module. Gives the function back: a decorator."""
    plain = plain_function(function)
    if plain is None:
        raise TypeError(f"skip: {function!r} is not a Python function")
    plain.__pijit_skip__ = True  # type: ignore[attr-defined]  # capture leaves calls of it alone
    tiers.skip_code(plain.__code__)
    return function


def caller_globals(depth: int) -> dict[str, Any]:
    """The namespace of whoever called."""
    return sys._getframe(depth + 1).f_globals


def namespace_of(target: object, what: str) -> dict[str, Any] | str:
    """The namespace, or the name, that a user means by `target`."""
    if isinstance(target, ModuleType):
        return vars(target)
    if isinstance(target, str) and target:
        return target
    raise TypeError(f"{what}: a module or the name of one is expected, not {target!r}")


def names_in(exclude: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Patterns given as one string or several."""
    names = (exclude,) if isinstance(exclude, str) else tuple(exclude)
    for name in names:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{what}: exclude= takes names of modules, not {name!r}")
    return names


def switch(target: dict[str, Any] | str, on: bool, exclude: tuple[str, ...] = ()) -> None:
    """Enable or disable a namespace or a name."""
    if isinstance(target, str):
        if on:
            tiers.enable_pattern(target, exclude)
        else:
            tiers.disable_pattern(target)
    else:
        (tiers.enable_namespace if on else tiers.disable_namespace)(target)


def enable(*targets: ModuleType | str, exclude: str | Iterable[str] = ()) -> None:
    """Compile what is hot in the calling module, or in these modules.

    Names may be patterns ("pkg", "pkg.sub.*", "*" for everything) and may be given before the module is imported. exclude: names or
    patterns of modules that are left out.
    """
    without = names_in(exclude, "enable")
    for target in [namespace_of(t, "enable") for t in targets] or [caller_globals(1)]:
        switch(target, True, without)


def disable(*targets: ModuleType | str) -> None:
    """Undo `enable` for these modules; without any, switch everything off and take the hook out.

    Jitted functions then run as plain ones until something is enabled or jitted again.
    """
    if not targets:
        tiers.disable_all()
    for target in [namespace_of(t, "disable") for t in targets]:
        switch(target, False)


@contextmanager
def scope(spaces: list[dict[str, Any] | str], exclude: tuple[str, ...]) -> Iterator[None]:
    """Enabled inside, as before outside."""
    before = [s in tiers.PATTERNS if isinstance(s, str) else id(s) in tiers.NAMESPACES for s in spaces]
    others = dict(tiers.NAMESPACES)  # a pattern may cover some of them
    for space in spaces:
        switch(space, True, exclude)
    try:
        yield
    finally:
        kept = [namespace for key, namespace in others.items() if key in tiers.NAMESPACES]
        for space, was_on in zip(spaces, before, strict=True):
            if not was_on:
                switch(space, False)
        for namespace in kept:
            tiers.enable_namespace(namespace)


def enabled(*targets: ModuleType | str, exclude: str | Iterable[str] = ()) -> AbstractContextManager[None]:
    """`with enabled(...):` is `enable` for the length of a block."""
    without = names_in(exclude, "enabled")
    return scope([namespace_of(t, "enabled") for t in targets] or [caller_globals(1)], without)


class Stance:
    """What set_stance gives: used as a context manager it goes back to the stance before."""

    def __init__(self, before: str) -> None:
        self.before = before

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        tiers.set_stance(self.before)


def set_stance(stance: str) -> Stance:
    """How pijit behaves from now on, or for the length of a block: `with set_stance("eager"): ...`.

    "compile": as always. "eager": everything runs in the interpreter. "fail_on_break": CaptureError where a capture meets an
    instruction that it cannot compile. "fail_on_recompile": CaptureError where something would be compiled once more because a guard
    failed. What was compiled before stays; the two last ones are for tests of code that is meant to run natively as a whole.
    """
    if stance not in STANCES:
        raise ValueError(f"set_stance: {stance!r} does not exist; there are: {', '.join(map(repr, STANCES))}")
    before = CONFIG.stance
    tiers.set_stance(stance)
    return Stance(before)


def from_environment(text: str) -> None:
    """PIJIT_ENABLE="pkg.*,other,!pkg.slow": patterns to enable, and after "!" those to leave out."""
    words = text.replace(",", " ").split()
    exclude = tuple(word[1:] for word in words if word.startswith("!"))
    for word in words:
        if not word.startswith("!"):
            tiers.enable_pattern(word, exclude)


def start(action: Callable[[str], None] = from_environment) -> None:
    """What the environment asks for, once pijit is imported."""
    if os.environ.get("PIJIT_ENABLE"):
        action(os.environ["PIJIT_ENABLE"])
