"""pijit: unmodified Python and NumPy at compiled speed, with the same answers.

import pijit

@pijit.jit
def step(u): ...

pijit.enable()  # or everything in this module
"""

from pijit.ground import interpreter

interpreter.check()

from pijit.api import disable, enable, enabled, jit, set_logs, skip, stats  # noqa: E402  # after the check
from pijit.ground.config import CONFIG as config  # noqa: E402
from pijit.ground.errors import CaptureError  # noqa: E402

__all__ = [
    "CaptureError",
    "config",
    "disable",
    "enable",
    "enabled",
    "jit",
    "set_logs",
    "skip",
    "stats",
]
__version__ = "0.1.0"
