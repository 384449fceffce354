"""The one helper of all behavioural tests: a program under plain Python and under pijit has to be the same program.

    check(function, *args)                 several calls, in every configuration
    check('''def f(x): ...''', *args)      the same for source text, whose globals are compared too
    check_calls(function, [args, args])    different arguments from call to call

Each side gets its own copies of the arguments, with the same strides, sharing and flags. What is compared is all that a
program could see: see Outcome.
"""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import linecache
import math
import os
import random
import struct
import textwrap
import traceback
import types
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from shares import VERSION, VERSIONS, part_of

import pijit
from pijit.ir.draws import bit_generator_of
from pijit.runtime import tiers

NAN = struct.pack("<d", math.nan)


# ---- copies of arguments ------------------------------------------------------------------------------------------


def arrays_in(value: object, seen: dict[int, object] | None = None) -> list[np.ndarray]:
    """Every array that can be reached, in a fixed order."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return []
    seen[id(value)] = value
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        parts: Any = itertools.chain(value.keys(), value.values())
    elif isinstance(value, tuple | list | set | frozenset):
        parts = value
    elif hasattr(value, "__dict__") and not isinstance(value, type | types.ModuleType | types.FunctionType):
        parts = vars(value).values()
    else:
        parts = ()
    return [array for part in parts for array in arrays_in(part, seen)]


def root_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def clone(value: Any) -> Any:
    """A deep copy in which arrays keep their strides and flags and overlap as they did."""
    memo: dict[int, Any] = {}
    memory: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for array in arrays_in(value):
        root = root_of(array)
        if type(array) is not np.ndarray or type(root) is not np.ndarray or array.dtype.hasobject:
            continue
        if id(root) not in memory:
            new_root = root.copy(order="K")
            memory[id(root)] = (new_root, new_root.ravel(order="K").view(np.uint8) if root.size else new_root)
        new, flat = memory[id(root)]
        if array is not root:
            offset = array.__array_interface__["data"][0] - lowest(root)
            if root.size == 0 or not flat_shares(flat, new):
                continue
            new = np.ndarray(array.shape, array.dtype, flat.data, offset, array.strides)
        new.flags.writeable = array.flags.writeable
        memo[id(array)] = new
    return copy.deepcopy(value, memo)


def lowest(array: np.ndarray) -> int:
    """The address of the first byte."""
    return np.lib.array_utils.byte_bounds(array)[0]


def flat_shares(flat: np.ndarray, root: np.ndarray) -> bool:
    """Whether ravel gave a view, as it does for memory without holes."""
    return bool(np.shares_memory(flat, root))


def clone_function(function: types.FunctionType) -> types.FunctionType:
    """The same function with a code object of its own, and closure cells of its own."""
    cells = function.__closure__ and tuple(clone_cell(cell) for cell in function.__closure__)
    new = types.FunctionType(
        function.__code__.replace(), function.__globals__, function.__name__, clone(function.__defaults__), cells
    )
    new.__kwdefaults__ = clone(function.__kwdefaults__)
    new.__dict__.update(function.__dict__)
    new.__qualname__, new.__module__ = function.__qualname__, function.__module__
    return new


def clone_cell(cell: types.CellType) -> types.CellType:
    try:
        return types.CellType(clone(cell.cell_contents))
    except ValueError:  # empty
        return types.CellType()


# ---- descriptions that can be compared ----------------------------------------------------------------------------


def float_bits(value: float) -> bytes:
    return NAN if math.isnan(value) else struct.pack("<d", value)


def array_bits(array: np.ndarray) -> object:
    """Contents, every NaN the same."""
    if array.dtype.hasobject:
        return [describe(item) for item in array.ravel().tolist()]
    plain = np.array(array, order="C", subok=False)
    if plain.dtype.kind == "c":
        plain = plain.view(plain.real.dtype) if plain.ndim else np.array([plain.real, plain.imag])
    if plain.dtype.kind == "f":
        plain = np.where(np.isnan(plain), plain.dtype.type(math.nan), plain)
        if plain.dtype == np.longdouble:
            return [repr(x) for x in plain.ravel()]  # bits beyond the value are padding
    return plain.tobytes()


def name_of(kind: type) -> Any:
    """The type itself, or the name of one that each run of a source makes anew."""
    return f"subject.{kind.__qualname__}" if kind.__module__ == "subject" else kind


def describe(value: Any, path: tuple[int, ...] = ()) -> Any:
    """What can be told from looking at a value, in a form that == compares."""
    kind = name_of(type(value))
    if id(value) in path:
        return ("cycle", len(path) - path.index(id(value)))
    inner = (*path, id(value))
    if isinstance(value, np.ndarray):
        flags = {name: value.flags[name] for name in ("C", "F", "WRITEABLE", "OWNDATA", "ALIGNED")}
        return (kind, value.dtype, value.shape, value.strides, flags, array_bits(value))
    if isinstance(value, np.generic):
        return (kind, value.dtype, array_bits(np.asarray(value)))
    if isinstance(value, float):
        return (kind, float_bits(value))
    if isinstance(value, complex):
        return (kind, float_bits(value.real), float_bits(value.imag))
    if isinstance(value, dict):
        return (kind, [(describe(k, inner), describe(v, inner)) for k, v in value.items()])
    if isinstance(value, tuple | list):
        return (kind, [describe(item, inner) for item in value])
    if isinstance(value, set | frozenset):
        return (kind, sorted(repr(describe(item, inner)) for item in value))
    if isinstance(value, int):
        return (kind, int(value))
    if isinstance(value, str | bytes | None | range | slice | types.EllipsisType):
        return (kind, value)
    if isinstance(value, types.FunctionType | type | types.ModuleType | types.BuiltinFunctionType):
        return (kind, getattr(value, "__qualname__", value.__name__))
    if type(value).__name__.endswith("iterator"):
        return (kind, [describe(item, inner) for item in itertools.islice(copy.copy(value), 1000)])
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return (kind, describe(bit_generator_of(value).state, inner))
    slots = [name for base in type(value).__mro__ if base.__module__ == "subject" for name in vars(base).get("__slots__", ())]
    if hasattr(value, "__dict__") or slots:
        return (kind, describe(getattr(value, "__dict__", {}), inner), [(n, describe(getattr(value, n, None), inner)) for n in slots])
    return (kind, str(value) if type(value).__repr__ is not object.__repr__ else "")


def sharing(values: Any) -> list[tuple[int, int, bool]]:
    """Which arrays are the same object or share memory."""
    arrays = arrays_in(values)
    return [
        (i, j, arrays[i] is arrays[j])
        for i, j in itertools.combinations(range(len(arrays)), 2)
        if np.shares_memory(arrays[i], arrays[j])
    ]


DEEP = 100
NUMBERS = (int, float, complex, np.generic)  # which of several equal ones it is, is not promised


def describe_exception(error: BaseException | None) -> Any:
    """Type, message, and the traceback's functions and lines, without the frame of this file."""
    if error is None:
        return None
    frames = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    if len(frames) > DEEP:  # how deep it goes before the limit depends on how deep it was called
        frames = [*frames[: DEEP // 2], *frames[-DEEP // 2 :]]
    return (
        name_of(type(error)),
        str(error),
        frames,
        describe_exception(error.__cause__),
        describe_exception(error.__context__),
        getattr(error, "__notes__", None),
    )


@dataclass
class Outcome:
    """Everything that one call did, as far as a program could see it."""

    exception: Any = None  # first: what raised has no result
    result: Any = None
    arguments: Any = None
    sharing: Any = None
    identity: Any = None
    warnings: Any = None
    stdout: Any = None
    numpy_random: Any = None
    python_random: Any = None
    errstate: Any = None
    namespace: Any = None


def observe(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], namespace: dict[str, Any] | None) -> Outcome:
    """Call once and look."""
    outcome, result = Outcome(), None
    np.random.seed(12345)
    random.seed(12345)
    text = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(text):
        warnings.simplefilter("always")
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            outcome.exception = describe_exception(error)
    outcome.result = describe(result)
    outcome.arguments = describe((args, kwargs))
    outcome.sharing = sharing([args, kwargs, result])
    outcome.identity = [i for i, arg in enumerate(args) if result is arg and not isinstance(arg, NUMBERS)]
    outcome.warnings = [(w.category, str(w.message), w.filename, w.lineno) for w in caught]
    outcome.stdout = text.getvalue()
    outcome.numpy_random = describe(np.random.get_state())
    outcome.python_random = random.getstate()
    outcome.errstate = np.geterr()
    if namespace is not None:
        outcome.namespace = {name: describe(value) for name, value in namespace.items() if not name.startswith("__")}
    return outcome


# ---- subjects -----------------------------------------------------------------------------------------------------

SOURCE_NUMBER = itertools.count(1)


class Instance:
    """A function that nobody has called yet, with its namespace."""

    def __init__(self, function: types.FunctionType, namespace: dict[str, Any] | None) -> None:
        self.function = function
        self.namespace = namespace  # None: not its own

    def jit(self, options: dict[str, Any]) -> None:
        """Replace the function by its jitted form, in its namespace too."""
        self.function = pijit.jit(self.function, **options)
        if self.namespace is not None:
            self.namespace[self.function.__name__] = self.function

    def run(self, calls: list[Any]) -> list[Outcome]:
        """Call after call, each on its own copies of the arguments."""
        return [observe(self.function, *clone(call), self.namespace) for call in calls]


@dataclass
class Subject:
    """Makes fresh instances, one for each configuration."""

    function: types.FunctionType | None
    source: str = ""
    entry: str = ""
    file: str = ""
    exits: dict[str, list[Any]] = field(default_factory=dict)  # of its fragments, by the options that they were made with

    def make(self) -> Instance:
        if self.function is not None:
            return Instance(clone_function(self.function), None)
        namespace: dict[str, Any] = {"__name__": "subject", "np": np, "math": math}
        exec(compile(self.source, self.file, "exec", dont_inherit=True), namespace)
        return Instance(namespace[self.entry], namespace)


def subject_of(what: Any, entry: str | None) -> Subject:
    """A function, or source text in which `entry` (or the last function) is called."""
    if not isinstance(what, str):
        return Subject(what, entry=what.__qualname__)
    file = f"<subject {next(SOURCE_NUMBER)}>"
    linecache.cache[file] = (len(what), None, what.splitlines(keepends=True), file)
    if entry is None:
        module = compile(what, file, "exec", dont_inherit=True)
        entry = [c.co_name for c in module.co_consts if isinstance(c, types.CodeType)][-1]
    return Subject(None, what, entry, file)


# ---- configurations -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def settings(**values: int) -> Any:
    """pijit.config with other values for a while."""
    before = {name: getattr(pijit.config, name) for name in values}
    for name, value in values.items():
        setattr(pijit.config, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(pijit.config, name, value)


def difference(a: Any, b: Any) -> str:
    """Both values around the first place where their texts differ."""
    texts = [repr(a), repr(b)]
    first = next((i for i, (x, y) in enumerate(zip(*texts, strict=False)) if x != y), min(map(len, texts)))
    start = max(0, first - 200)
    return "".join(
        f"\n  {who}: {'...' * (start > 0)}{t[start : first + 400]}"
        for who, t in zip(("plain", "pijit"), texts, strict=True)
    )


def compare(name: str, plain: list[Outcome], native: list[Outcome]) -> None:
    """AssertionError that names the first difference."""
    for number, (expected, got) in enumerate(zip(plain, native, strict=True), 1):
        for row in fields(Outcome):
            a, b = getattr(expected, row.name), getattr(got, row.name)
            assert a == b, f"{name}, call {number}: {row.name} differs{difference(a, b)}"
    assert not tiers.INTERNAL_ERRORS, f"{name}: {tiers.INTERNAL_ERRORS}"


def jitted(subject: Subject, calls: list[Any], plain: list[Outcome], options: dict[str, Any]) -> Any:
    """Compiled at the first call; the others run what was compiled."""
    instance = subject.make()
    instance.jit(options)
    compare(f"jit({options})", plain, instance.run(calls))
    subject.exits[repr(options)] = [fragment.exits for fragment in tiers.record_of(instance.function.__code__).fragments]
    return pijit.stats(instance.function)


def enabled(subject: Subject, calls: list[Any], plain: list[Outcome], _: dict[str, Any]) -> Any:
    """Not jitted: everything in the namespace, at threshold 1."""
    return _enabled("enabled", subject, calls, plain, threshold_calls=1)


def turns(subject: Subject, calls: list[Any], plain: list[Outcome], _: dict[str, Any]) -> Any:
    """So for loops alone; the rounds of those that the clock is to judge go natively and in the interpreter in turn, one by one."""
    return _enabled("turns", subject, calls, plain, threshold_calls=1 << 30, long_loop=1)


def _enabled(name: str, subject: Subject, calls: list[Any], plain: list[Outcome], **values: int) -> Any:
    instance = subject.make()
    space = instance.function.__globals__
    with settings(threshold_loops=1, **values):
        tiers.enable_namespace(space)
        try:
            native = instance.run(calls)
        finally:
            tiers.disable_namespace(space)
    compare(name, plain, native)
    return pijit.stats(instance.function)


# Exits of one program that are tried; evenly spread when there are more, and others on each version.
FORCED_LIMIT = int(os.environ.get("PIJIT_TEST_FORCED", "1"))
EVERYWHERE = "PIJIT_TEST_FORCED" in os.environ  # no version leaves a configuration to another


def forced(subject: Subject, calls: list[Any], plain: list[Outcome], options: dict[str, Any], limit: int = FORCED_LIMIT) -> Any:
    """Each exit in turn: compiled so that it is taken whenever it is reached."""
    stats = None if repr(options) in subject.exits else jitted(subject, calls, plain, options)
    tables = subject.exits[repr(options)]
    exits = max(map(len, tables), default=0)
    # A poll comes straight back to where it was taken: always taken, it would never get on.
    possible = [i for i in range(exits) if not any(len(t) > i and t[i].kind in ("poll", "return") for t in tables)]
    places = range(VERSION, limit * VERSIONS, VERSIONS) if possible else ()
    for index in sorted({possible[len(possible) * place // (limit * VERSIONS)] for place in places}):
        instance = subject.make()
        instance.jit(options)
        tiers.record_of(instance.function.__code__).plan.force_exit = index
        compare(f"forced exit {index} of {exits}, {options}", plain, instance.run(calls))
    return stats


def forced_numpy(*how: Any) -> Any:
    """Half as many: what an exit rebuilds is what `forced` looks at, and only who rebuilds it is another."""
    return forced(*how, limit=(FORCED_LIMIT + 1) // 2)


# How to run it, and the options for jit.
CONFIGURATIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "jit": (jitted, {}),
    "O0": (jitted, {"jit_level": "O0"}),
    "numpy": (jitted, {"backend": "numpy"}),
    "enabled": (enabled, {}),
    "turns": (turns, {}),
    "forced": (forced, {}),
    "forced numpy": (forced_numpy, {"backend": "numpy"}),
}

# Each version runs a program as jit does, and in two of the other configurations, another two on each: the version hardly matters to what they show.
SHARED = (("enabled", "forced"), ("O0", "turns"), ("numpy", "forced numpy"))


def configurations_of(subject: Subject, named: Sequence[str] | None) -> list[str]:
    """This version's part of all, or of those that a test names: then the first one and every other of the rest."""
    if EVERYWHERE:
        return list(named or CONFIGURATIONS)
    turn = part_of(subject.source or subject.entry) + VERSION
    if named:
        return [named[0], *named[1 + turn % 2 :: 2]]
    own = SHARED[turn % len(SHARED)]
    return [name for name in CONFIGURATIONS if name == "jit" or name in own]


def check_calls(what: Any, calls: list[Any], *, entry: str | None = None, configurations: Any = None, **options: Any) -> Any:
    """Run the calls plainly and in this version's share of the configurations that are named, or else of all; the counters of the first
    one are returned.

    A call is a tuple of arguments, or (arguments, keywords) when its second item is a dict and its first a tuple.
    """
    subject = subject_of(what, entry)
    pairs = [c if len(c) == 2 and isinstance(c[0], tuple) and isinstance(c[1], dict) else (c, {}) for c in calls]
    plain = subject.make().run(pairs)
    stats = []
    with settings(compile_all=True, raise_internal=True):
        for name in configurations_of(subject, configurations):
            run, own = CONFIGURATIONS[name]
            stats.append(run(subject, pairs, plain, {**own, **options}))
    return stats[0]


def check(what: Any, *args: Any, calls: int = 3, **how: Any) -> Any:
    """The same arguments again and again, in every configuration."""
    return check_calls(what, [args] * calls, **how)


def function_of(parameters: str, body: str) -> str:
    """The source of a function f with such a body."""
    return f"def f({parameters}):\n" + textwrap.indent(body, "    ") + "\n"


def check_stays_native(source: str, *args: Any) -> None:
    """A program whose f is native from beginning to end, call after call: nothing breaks, nothing leaves."""
    space: dict[str, Any] = {"__name__": "program"}  # else classes look like built-in ones
    exec(source, space)
    f = space["f"] = pijit.jit(space["f"])
    with settings(compile_all=True):
        for _ in range(3):
            f(*args)
        assert not pijit.explain(f).to_dict()["breaks"]
        before = pijit.stats(f).exits
        f(*args)
        assert pijit.stats(f).exits == before


def check_native(form: str, names: str, *args: Any) -> None:
    """The same for an expression of NumPy's, which native code computes without a call of NumPy, and without leaving."""
    stats = check(f"def f({names}):\n    return {form}\n", *args, configurations=("jit",))
    assert not stats.exits
    fast = pijit.jit(eval(f"lambda {names}: {form}"))
    fast(*args)
    assert "= call" not in str(pijit.explain(fast)), form
