"""PIJIT_TRACE=file: every event of every channel as one JSON object per line, appended, for tools.

    {"time": 1700000000.123, "pid": 42, "channel": "guards", "file": "heat.py", "line": 14, "function": "step", "text": ...}

Child processes append to the same file: a line is written by one call and has its pid.
"""

from __future__ import annotations

import os

from pijit.ground import clock
from pijit.ground.config import to_stderr

path = os.environ.get("PIJIT_TRACE", "")


def on() -> bool:
    """Whether there is a file to write to."""
    return bool(path)


def write(channel: str, text: str, **fields: object) -> None:
    """One line. A file that cannot be written is one complaint, and then there is no trace."""
    global path
    import json

    row = {"time": round(clock.time(), 6), "pid": os.getpid(), "channel": channel, **fields, "text": text}
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            os.write(file, (json.dumps(row) + "\n").encode())
        finally:
            os.close(file)
    except OSError as error:
        to_stderr(f"pijit: PIJIT_TRACE={path!r} cannot be written ({error.strerror}); ignored")
        path = ""
