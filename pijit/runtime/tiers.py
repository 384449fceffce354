"""What is enabled, and when it is compiled: namespaces, single functions, and the hook that is installed meanwhile.

1. The hook is installed only while a namespace or a function is enabled; `disable_all` leaves nothing behind.
2. `start` hands the native part its callbacks once. `entries.on_entry` and `entries.on_exit` import the compiler, and
   with it numba, when they are first called; nothing here does.
3. A name that is not imported yet is a pattern: while there are any, every new code object is shown to `on_frame`.
"""

from __future__ import annotations

import atexit
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pijit.ground import forks, log
from pijit.ground.config import CONFIG, Options
from pijit.ground.intact import intact
from pijit.ground.log import INTERNAL_ERRORS as INTERNAL_ERRORS
from pijit.pycode.namespaces import name_of
from pijit.pycode.outline import SUSPENDABLE

if TYPE_CHECKING:
    from types import CodeType

    from pijit.runtime.records import Record

Namespace = dict[str, Any]

DEFAULT = Options()

NAMESPACES: dict[int, Namespace] = {}  # enabled ones, by id: a namespace is a dict and cannot be hashed
PATTERNS: dict[str, tuple[str, ...]] = {}  # with the patterns that each leaves out
# Packages that no pattern covers: they do the compiling, or hold locks and tables that compiling needs.
OWN = frozenset({"pijit", "numba", "llvmlite", "importlib", "_frozen_importlib", "_frozen_importlib_external", "zipimport", "weakref"})
started = False
wanted = False  # whether the hook is to be in while the stance is not "eager"


def start(function: object = None) -> None:
    """Let frames reach pijit: all of them through the hook, or those of one function only where that is possible."""
    global started, wanted
    from pijit import _native

    with forks.importing("pijit.runtime.entries"):
        from pijit.runtime import entries
    if not started:
        _native.set_callbacks(
            on_frame=on_frame, on_entry=entries.on_entry, on_exit=entries.on_exit, on_trial=entries.on_trial, on_tick=entries.on_tick,
            on_error=on_error, on_fork=forks.wait,
        )
        started = True
    wanted = True
    owned = function is not None and _native.own(function)
    if CONFIG.stance == "eager":
        _native.uninstall()
    elif not owned and not _native.installed():
        see()


def see() -> None:
    """Let the frames of enabled code reach pijit: through their functions' own calls, or else through the hook."""
    from pijit import _native

    if _native.follow():
        return
    if _perf_has_frames():
        log.message("perf", "Linux's perf watches this program (-X perf): its trampolines have the frames, and pijit stands back")
    else:
        _native.install()


def _perf_has_frames() -> bool:
    """Whether CPython evaluates frames for perf. It asks whether that is so by looking who evaluates them."""
    return bool(getattr(sys, "is_stack_trampoline_active", bool)())


def stop() -> None:
    """Take the hook out."""
    global wanted
    wanted = False
    if started:
        from pijit import _native

        _native.uninstall()


def set_stance(stance: str) -> None:
    """In the stance "eager" the hook is out, whatever is enabled."""
    CONFIG.stance = stance
    if wanted:
        from pijit import _native

        if stance == "eager":
            _native.uninstall()
        else:
            see()
            meet()
            rest()


def on_error(text: str) -> None:
    """The native part, or a callback, failed. The frame goes on in the interpreter."""
    log.internal(text)


def on_frame(code: CodeType, namespace: Namespace) -> BaseException | bool | None:
    """A code object is seen for the first time in a watched namespace. Gives True to be shown it another time, or what a signal's handler
    raised."""
    if not intact():
        return None
    from pijit.runtime.counting import counted

    if counted(code):
        return True
    try:
        _enable_frame(code, namespace)
        return None
    except BaseException as error:
        failure = error
    from pijit.runtime.interruptions import of_program

    raised = of_program(failure)
    if raised is None:
        raise failure
    return raised


def _enable_frame(code: CodeType, namespace: Namespace) -> None:
    if id(namespace) not in NAMESPACES and not matches(name_of(namespace)):
        return
    if code.co_flags & SUSPENDABLE:
        log.event("breaks", code, code.co_firstlineno, "PJ409 generator or coroutine: runs in the interpreter", id="PJ409")
        return
    record = enable_code(code, DEFAULT)
    if record is not None:
        record.space = id(namespace), name_of(namespace)


def matches(name: str) -> bool:
    """Whether a module of this name was asked for before it existed."""
    return bool(name) and any(covers(pattern, without, name) for pattern, without in list(PATTERNS.items()))


def covers(pattern: str, without: tuple[str, ...], name: str) -> bool:
    """Whether a pattern means this module."""
    if not fnmatchcase(name, pattern) or (name != pattern and name.partition(".")[0] in OWN):
        return False
    return not any(fnmatchcase(name, other) for other in without)


def enable_code(code: CodeType, options: Options, function: object = None) -> Record | None:
    """Make one code object eligible for compilation; ``function``: when called through this object. None when pijit is switched off."""
    if not CONFIG.enabled:
        return None
    start(function)
    from pijit.runtime import entries

    record = entries.enable_code(code, options)
    if function is not None:
        record.callers.add(function)
    return record


def enable_namespace(namespace: Namespace) -> None:
    """Everything that runs with these globals is counted, and compiled when hot."""
    if CONFIG.enabled:
        watch(namespace)
        review()
        meet()


def watch(namespace: Namespace) -> None:
    """A namespace more."""
    from pijit import _native

    if id(namespace) not in NAMESPACES:
        NAMESPACES[id(namespace)] = namespace
        _native.watch_globals(namespace)
        start()


def unwatch(namespace: Namespace) -> None:
    """A namespace less."""
    from pijit import _native

    if NAMESPACES.pop(id(namespace), None) is not None:
        _native.unwatch_globals(namespace)


def enable_pattern(pattern: str, without: tuple[str, ...] = ()) -> None:
    """Modules of this name, imported already or later, but those that the patterns in `without` name."""
    if not CONFIG.enabled:
        return
    from pijit import _native

    for name, module in list(sys.modules.items()):
        if covers(pattern, without, name) and isinstance(getattr(module, "__dict__", None), dict):
            watch(vars(module))
    if pattern not in sys.modules:
        PATTERNS[pattern] = without
        _native.watch_all(True)
        start()
    review()
    meet()


def meet() -> None:
    """Functions that were made before their namespace was enabled."""
    from pijit import _native

    _native.meet()


def disable_namespace(namespace: Namespace) -> None:
    """No new code of this namespace is compiled, and its code runs in the interpreter again."""
    unwatch(namespace)
    review()
    rest()


def disable_pattern(pattern: str) -> None:
    """Undo `enable_pattern`."""
    forget(pattern)
    for name, module in list(sys.modules.items()):
        if fnmatchcase(name, pattern):
            unwatch(vars(module))
    review()
    rest()


def forget(pattern: str) -> None:
    """Modules that are imported from now on are not asked about this pattern."""
    from pijit import _native

    if PATTERNS.pop(pattern, None) is not None and not PATTERNS:
        _native.watch_all(False)


def review() -> None:
    """What was compiled because its namespace was enabled runs natively while it is, and not otherwise."""
    if not started:
        return
    from pijit import _native
    from pijit.runtime.records import RECORDS

    for record in list(RECORDS):
        code = record.code_ref()
        if record.space is None or code is None:
            continue
        state, on = _native.state_of(code), is_enabled(record)
        if state is not None and (record.paused if on else state.mode == "on"):
            state.mode, record.paused = ("on" if on else "off"), not on


def is_enabled(record: Record) -> bool:
    """Whether the namespace that it is compiled for still is."""
    if record.space is None:
        return False
    space, name = record.space
    return space in NAMESPACES or matches(name)


def rest() -> None:
    """Take the hook out while nothing that is enabled could use it: an installed hook makes every Python call dearer."""
    from pijit import _native
    from pijit.runtime.records import RECORDS

    if NAMESPACES or PATTERNS:
        return
    states = (_native.state_of(record.code) for record in list(RECORDS) if record.callers)
    if _native.OWN_CALLS:
        _native.rest()
    elif not any(state is not None and state.mode == "on" for state in states):
        stop()


@atexit.register  # before modules are cleared, what we call included: nothing of ours may keep what the program's namespaces hold alive
def disable_all() -> None:
    """Take the hook out. Jitted functions run as plain ones until something is enabled again."""
    for namespace in list(NAMESPACES.values()):
        unwatch(namespace)
    for pattern in list(PATTERNS):
        forget(pattern)
    review()
    stop()


def skip_code(code: CodeType) -> None:
    """This code object is never compiled and never inlined."""
    if CONFIG.enabled:
        from pijit import _native

        _native.attach(code, None, "off").mode = "off"


def record_of(code: CodeType) -> Record | None:
    """What is known about a code object; None if pijit has not met it."""
    if not CONFIG.enabled:
        return None
    from pijit import _native

    state = _native.state_of(code)
    return None if state is None else state.data
