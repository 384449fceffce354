"""The public functions. Each checks what it is given and hands over to the runtime."""

from __future__ import annotations

import functools
import sys
import weakref
from contextlib import contextmanager
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from pijit.ground import log, reasons
from pijit.ground.config import CHOICES, Options
from pijit.ground.errors import capture_error
from pijit.ground.log import set_logs
from pijit.runtime import records, tiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pijit.runtime.records import Stats

__all__ = ["disable", "enable", "enabled", "jit", "set_logs", "skip", "stats"]

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")


@overload
def jit(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def jit(
    function: Callable[P, R],
    /,
    *,
    capture_mode: str = ...,
    fullgraph: bool = ...,
    jit_level: str = ...,
    backend: str = ...,
    **options: object,
) -> Callable[P, R]: ...
@overload
def jit(
    function: None = None,
    /,
    *,
    capture_mode: str = ...,
    fullgraph: bool = ...,
    jit_level: str = ...,
    backend: str = ...,
    **options: object,
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(
    function: Any = None,
    /,
    *,
    capture_mode: str = "bytecode",
    fullgraph: bool = False,
    jit_level: str = "O1",
    backend: str = "numba",
    **options: object,
) -> Any:
    """Compile a function at its first call. Decorator, factory of decorators, or wrapper of an existing function.

    What comes back is a plain function that shares everything with the original but its code object, so that the
    original stays as it is and the same function may be jitted in several ways.

    capture_mode: "bytecode": symbolic execution of the bytecode; what is not supported runs in the interpreter.
    fullgraph: raise CaptureError where anything would have to run in the interpreter.
    jit_level: "O1": operations are fused; "O0": each on its own, for debugging. Both give NumPy's bits.
    backend: "numba", or "numpy": the graph evaluated by NumPy, the reference.
    """
    chosen = Options(capture_mode, fullgraph, jit_level, backend, eager=True)
    check_options(chosen, options)
    if function is None:
        return functools.partial(jitted, options=chosen)
    return jitted(function, chosen)


def check_options(chosen: Options, unknown: dict[str, object]) -> None:
    """ValueError that lists what exists."""
    for name in unknown:
        raise ValueError(f"jit: no option {name!r}; there are: {', '.join([*CHOICES, 'fullgraph'])}")
    for name, choices in CHOICES.items():
        value = getattr(chosen, name)
        if value not in choices:
            raise ValueError(f"jit: {name}={value!r} does not exist; there are: {', '.join(map(repr, choices))}")
    if not isinstance(chosen.fullgraph, bool):
        raise ValueError(f"jit: fullgraph={chosen.fullgraph!r} does not exist; there are: False, True")


def jitted(function: Any, options: Options) -> Any:
    """The jitted form of anything that can be called."""
    for kind, wrap in WRAPPERS.items():
        if isinstance(function, kind):
            return wrap(function, options)
    if not callable(function):
        raise TypeError(f"jit: {function!r} cannot be called")
    call = call_method(function)
    if call is not None:
        return MethodType(jitted_function(call, options), function)
    return unchanged(function, "not_a_python_function")


def call_method(thing: object) -> FunctionType | None:
    """The `__call__` that a class defines in Python."""
    call = getattr(type(thing), "__call__", None)  # noqa: B004  # the method itself is wanted
    return call if isinstance(call, FunctionType) else None


def jitted_function(function: FunctionType, options: Options) -> Any:
    """A function on a private copy of the code object."""
    if function.__code__.co_flags & tiers.SUSPENDABLE:
        if options.fullgraph:
            raise capture_error("suspendable", function.__code__, function.__code__.co_firstlineno)
        return unchanged(function, "suspendable")
    new = FunctionType(
        private_code(function.__code__, options),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    new.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(new, function)
    new.stats = functools.partial(stats, new)  # type: ignore[attr-defined]
    tiers.enable_code(new.__code__, options, new)
    return new


# One private copy for one code object and one set of options, so that a nested function that is made again and again
# is compiled once. By id: code objects compare by content, and equal ones may come from different files.
COPIES: dict[tuple[int, Options], CodeType] = {}
ORIGINALS: dict[int, weakref.ref[CodeType]] = {}  # by id of the copy


def private_code(code: CodeType, options: Options) -> CodeType:
    """The copy that carries what pijit knows; it lives as long as the original. A copy's copy is its original's."""
    code = ORIGINALS.get(id(code), lambda: None)() or code
    key = (id(code), options)
    if key not in COPIES:
        copy = COPIES[key] = code.replace()
        ORIGINALS[id(copy)] = weakref.ref(code)
        weakref.finalize(code, COPIES.pop, key, None).atexit = False
        weakref.finalize(copy, ORIGINALS.pop, id(copy), None).atexit = False
    return COPIES[key]


def unchanged(function: F, reason: str) -> F:
    """Nothing to compile: say so, and give it back."""
    row = reasons.lookup(reason)
    name = getattr(function, "__qualname__", None) or repr(function)
    log.warn("breaks", f"jit({name}): {row.id} {row.title}; returned as it is")
    return function


WRAPPERS: dict[type, Callable[[Any, Options], Any]] = {
    FunctionType: jitted_function,
    MethodType: lambda method, options: MethodType(jitted(method.__func__, options), method.__self__),
    staticmethod: lambda method, options: staticmethod(jitted(method.__func__, options)),
    classmethod: lambda method, options: classmethod(jitted(method.__func__, options)),
    functools.partial: lambda call, options: functools.partial(jitted(call.func, options), *call.args, **call.keywords),
    type: lambda cls, options: unchanged(cls, "not_a_python_function"),
    BuiltinFunctionType: lambda builtin, options: unchanged(builtin, "not_a_python_function"),
}


def skip(function: F) -> F:
    """Leave this function to the interpreter, even in an enabled module."""
    plain = plain_function(function)
    if plain is None:
        raise TypeError(f"skip: {function!r} is not a Python function")
    tiers.skip_code(plain.__code__)
    return function


def plain_function(thing: Any) -> FunctionType | None:
    """The Python function behind a method, a partial, a static or class method, or a callable object."""
    while not isinstance(thing, FunctionType):
        inner = getattr(thing, "__func__", None) or getattr(thing, "func", None) or call_method(thing)
        if inner is None:
            return None
        thing = inner
    return thing


def stats(function: Any) -> Stats:
    """Counters of one function: compiles, hits, misses, exits, breaks, fragments, compile_seconds."""
    code = function if isinstance(function, CodeType) else getattr(plain_function(function), "__code__", None)
    if code is None:
        raise TypeError(f"stats: {function!r} is not a Python function")
    return records.snapshot(tiers.record_of(code))


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


def switch(target: dict[str, Any] | str, on: bool) -> None:
    """Enable or disable a namespace or a name."""
    if isinstance(target, str):
        (tiers.enable_pattern if on else tiers.disable_pattern)(target)
    else:
        (tiers.enable_namespace if on else tiers.disable_namespace)(target)


def enable(*targets: ModuleType | str) -> None:
    """Compile what is hot in the calling module, or in these modules (names may be patterns: "pkg.*")."""
    for target in [namespace_of(t, "enable") for t in targets] or [caller_globals(1)]:
        switch(target, True)


def disable(*targets: ModuleType | str) -> None:
    """Undo `enable` for these modules; without any, switch everything off and take the hook out."""
    if not targets:
        tiers.disable_all()
    for target in [namespace_of(t, "disable") for t in targets]:
        switch(target, False)


@contextmanager
def scope(spaces: list[dict[str, Any] | str]) -> Iterator[None]:
    """Enabled inside, as before outside."""
    before = [s in tiers.PATTERNS if isinstance(s, str) else id(s) in tiers.NAMESPACES for s in spaces]
    for space in spaces:
        switch(space, True)
    try:
        yield
    finally:
        for space, was_on in zip(spaces, before, strict=True):
            if not was_on:
                switch(space, False)


def enabled(*targets: ModuleType | str) -> Any:
    """`with enabled(...):` is `enable` for the length of a block."""
    return scope([namespace_of(t, "enabled") for t in targets] or [caller_globals(1)])
