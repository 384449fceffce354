"""What is raised for the program while pijit works.

The handlers of signals wait until it is done (csrc/callbacks.c). What another thread has raised in this one does not, such as the KeyboardInterrupt
of a debugger: it comes out of the middle of a compilation. It is the program's: it goes on from the frame that pijit was called from, as if pijit had
not been there.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import wraps
from types import CodeType, TracebackType
from typing import Any

_OWN = (KeyboardInterrupt, SystemExit, GeneratorExit)  # nothing that pijit does raises these


def of_program(error: BaseException) -> BaseException | None:
    """What a signal's handler raised, without the frames that are not the program's: the error, or one that it followed from, as where a lock is
    let go of that was not taken yet. None for an error of pijit's own. To be called when the error is handled no longer: what is handled then,
    the program was handling when it called pijit."""
    handled = sys.exception()
    # by id: a hash of code looks at all its constants
    handlers = {id(code) for number in signal.valid_signals() if (code := _code_of(signal.getsignal(number))) is not None}
    raised: BaseException | None = error
    while raised is not None and raised is not handled:
        place: TracebackType | None = raised.__traceback__
        while place is not None and id(place.tb_frame.f_code) not in handlers:
            place = place.tb_next
        if place is not None or isinstance(raised, _OWN):
            raised.__context__ = None  # what pijit was handling just then
            return raised.with_traceback(place)
        raised = raised.__context__
    return None


def giving_what_handlers_raise(callback: Callable[..., Any]) -> Callable[..., Any]:
    """The callback, which gives what is raised in it for the program."""

    @wraps(callback)
    def gives(*args: Any) -> Any:
        try:
            return callback(*args)
        except BaseException as error:
            failure = error
        raised = of_program(failure)
        if raised is None:
            raise failure
        return raised

    return gives


def _code_of(handler: object) -> CodeType | None:
    while (inner := getattr(handler, "func", None)) is not None:  # functools.partial
        handler = inner
    if not callable(handler):
        return None
    function = getattr(handler, "__func__", handler)
    code = getattr(function, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
    return code if isinstance(code, CodeType) else None
