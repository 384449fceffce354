"""jit: what it accepts, and what it gives back."""

from __future__ import annotations

import functools
import weakref
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from pijit.api.look import stats
from pijit.api.pickling import named
from pijit.api.spellings import translated
from pijit.ground import log, reasons
from pijit.ground.config import Options
from pijit.ground.errors import capture_error
from pijit.ground.partials import Partial
from pijit.pycode.outline import SUSPENDABLE
from pijit.runtime import tiers
from pijit.runtime.callables import call_method
from pijit.runtime.copies import private_code, with_code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pijit.runtime.records import Stats

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")
C = TypeVar("C", bound=type)
C_contra = TypeVar("C_contra", bound=type, contravariant=True)
F = TypeVar("F")


class OfClass(Protocol[C_contra, P, R_co]):
    """For type checkers: what takes a class first."""

    def __call__(self, cls: C_contra, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class Jitted(Protocol[P, R_co]):
    """For type checkers: what jit makes of a function. At run time it is a plain function."""

    __name__: str
    __qualname__: str

    @property
    def __wrapped__(self) -> Callable[P, R_co]: ...
    @property
    def stats(self) -> Callable[[], Stats]: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload  # a class method: type checkers do not tell, but its first parameter is a class
    def __get__(self: OfClass[C, Q, R], instance: object, owner: C, /) -> Callable[Q, R]: ...
    @overload
    def __get__(self, instance: None, owner: type, /) -> Jitted[P, R_co]: ...
    @overload
    def __get__(self: Jitted[Concatenate[S, Q], R], instance: S, owner: type | None = None, /) -> Callable[Q, R]: ...


class Factory(Protocol):
    """For type checkers: what jit(option=...) gives, a decorator."""

    @overload
    def __call__(self, function: classmethod[S, P, R], /) -> classmethod[S, P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Jitted[P, R]: ...


@overload
def jit(function: classmethod[S, P, R], /) -> classmethod[S, P, R]: ...
@overload
def jit(
    function: Callable[P, R],
    /,
    *,
    capture_mode: str = ...,
    fullgraph: bool = ...,
    jit_level: str = ...,
    backend: str = ...,
    compile_once: bool = ...,
    mode: str | None = ...,
    jit_config: Mapping[str, object] | None = ...,
) -> Jitted[P, R]: ...
@overload
def jit(
    *,
    fn: Callable[P, R],
    capture_mode: str = ...,
    fullgraph: bool = ...,
    jit_level: str = ...,
    backend: str = ...,
    compile_once: bool = ...,
    mode: str | None = ...,
    jit_config: Mapping[str, object] | None = ...,
) -> Jitted[P, R]: ...
@overload
def jit(
    function: None = None,
    /,
    *,
    capture_mode: str = ...,
    fullgraph: bool = ...,
    jit_level: str = ...,
    backend: str = ...,
    compile_once: bool = ...,
    mode: str | None = ...,
    jit_config: Mapping[str, object] | None = ...,
) -> Factory: ...
def jit(
    function: Any = None,
    /,
    **options: Any,
) -> Any:
    """Compile a function at its first call. Decorator, factory of decorators, or wrapper of an existing function.

    What comes back is a plain function that shares everything with the original but its code object, so that the
    original stays as it is and the same function may be jitted in several ways. Methods, static and class methods, lambdas and partials
    come back as what they were, around a jitted function; an object with a `__call__` in Python as that method, jitted and bound to it.

    capture_mode: "bytecode": symbolic execution of the bytecode; what is not supported runs in the interpreter.
    fullgraph: raise CaptureError where anything would have to run in the interpreter.
    jit_level: "O1": operations are fused; "O0": each on its own, for debugging. Both give NumPy's bits. "O2": floating-point arithmetic may be
        regrouped and rounded less often, and large kernels use all cores (docs/levels.md says what that means for results).
    backend: "numba", or "numpy": the graph evaluated by NumPy, the reference.
    compile_once: accepted; functions made again and again from one code object always share what was compiled.
    fn, mode, jit_config: other spellings: `fn=f` is the function, `mode="PIJit"` is capture_mode="bytecode", `jit_config` a
    mapping of options.
    """
    function, given = translated(function, options)
    chosen = Options(**given, eager=True)
    if function is None:
        return functools.partial(jitted, options=chosen)
    return jitted(function, chosen)


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


def jitted_function(function: FunctionType, options: Options) -> Any:
    """A function on a private copy of the code object."""
    if function.__code__.co_flags & SUSPENDABLE:
        if options.fullgraph:
            raise capture_error("suspendable", function.__code__, function.__code__.co_firstlineno)
        return unchanged(function, "suspendable")
    new = with_code(function, private_code(function.__code__, options))
    new.stats = functools.partial(stats, new.__code__)  # type: ignore[attr-defined]  # the function itself would be a cycle
    tiers.enable_code(new.__code__, options, new)
    return named(new, function)


def unchanged(function: F, reason: str) -> F:
    """Nothing to compile: say so, and give it back."""
    row = reasons.lookup(reason)
    name = getattr(function, "__qualname__", None) or repr(function)
    log.warn("breaks", f"jit({name}): {row.id} {row.title}; returned as it is", id=row.id)
    return function


def jitted_partial(call: functools.partial[Any], options: Options) -> functools.partial[Any]:
    """The same arguments, and whatever else hangs on it, around the jitted function."""
    kind = Partial if type(call) is functools.partial else type(call)
    new = kind(jitted(call.func, options), *call.args, **call.keywords)
    new.__dict__.update(call.__dict__)
    this = weakref.ref(new)  # for what hangs on it: itself would be a cycle

    def reduce(protocol: int) -> tuple[Any, ...]:
        """For pickle, which cannot find a jitted function under the plain one's name: jitted again from the plain one."""
        plain = type(call)(call.func, *call.args, **call.keywords)
        plain.__dict__.update((name, value) for name, value in vars(this()).items() if value is not reduce)
        return jitted, (plain, options)

    new.__reduce_ex__ = reduce  # type: ignore[method-assign, assignment]
    return new


WRAPPERS: dict[type, Callable[[Any, Options], Any]] = {
    FunctionType: jitted_function,
    MethodType: lambda method, options: MethodType(jitted(method.__func__, options), method.__self__),
    staticmethod: lambda method, options: staticmethod(jitted(method.__func__, options)),
    classmethod: lambda method, options: classmethod(jitted(method.__func__, options)),
    functools.partial: jitted_partial,
    type: lambda cls, options: unchanged(cls, "not_a_python_function"),
    BuiltinFunctionType: lambda builtin, options: unchanged(builtin, "not_a_python_function"),
}
