"""The public functions. Each checks what it is given and hands over to the runtime."""

from pijit.api.decorator import jit
from pijit.api.look import explain, stats, verify
from pijit.api.switches import disable, enable, enabled, set_logs, set_stance, skip

__all__ = ["disable", "enable", "enabled", "explain", "jit", "set_logs", "set_stance", "skip", "stats", "verify"]
