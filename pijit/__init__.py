"""pijit: unmodified Python and NumPy at compiled speed, with the same answers.

import pijit

@pijit.jit
def step(u): ...

pijit.enable()  # or everything in this module
"""

from pijit.ground import interpreter

interpreter.check()

from pijit.ground import places  # noqa: E402  # after the check

places.begin()

from pijit.api import (  # noqa: E402  # after the check
    disable,
    enable,
    enabled,
    explain,
    jit,
    set_logs,
    set_stance,
    skip,
    stats,
    switches,
    verify,
)
from pijit.ground.config import CONFIG as config  # noqa: E402
from pijit.ground.errors import CaptureError  # noqa: E402

__all__ = [
    "CaptureError",
    "config",
    "disable",
    "enable",
    "enabled",
    "explain",
    "jit",
    "set_logs",
    "set_stance",
    "skip",
    "stats",
    "verify",
]
__version__ = "0.1.0"

switches.start()
del switches
