"""Work in several threads at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


def in_threads(work: Callable[[int], object], n: int = 8, interval: float = 0.005) -> None:
    """work(0), work(1), ... at once, in turns of `interval` seconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
