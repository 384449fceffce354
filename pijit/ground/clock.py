"""The system's clocks, as they were when pijit was imported: a program may put its own in their places, as tests do, which pijit must not ask."""

from time import monotonic, perf_counter, process_time, strftime, thread_time, time

__all__ = ["monotonic", "perf_counter", "process_time", "strftime", "thread_time", "time"]
