"""What is about no version of Python in particular is shared between the supported ones: each does another part of it, and CI runs all."""

from __future__ import annotations

import os
import sys
from typing import Any
from zlib import crc32

VERSIONS, VERSION = 3, sys.version_info.minor - 11


def share(items: Any) -> Any:
    """This version's part of a sequence: every third item."""
    return items[VERSION::VERSIONS]


def is_of_this_version(name: str) -> bool:
    """The same for what has a name: whether it is this version's."""
    return part_of(name) == VERSION


def part_of(name: str) -> int:
    """One of as many numbers as there are versions, the same for a name everywhere."""
    return crc32(name.encode()) % VERSIONS


def most(items: Any) -> list[Any]:
    """All but every third item, which the two other versions have."""
    return [item for number, item in enumerate(items) if number % VERSIONS != VERSION]


WHOLE = "PIJIT_TEST_WHOLE"  # in the environment of a process that runs a part of the whole suite


def is_whole(config: Any) -> bool:
    """Whether pytest runs the whole suite, or a file of it in a process of its own: then this version leaves tests to the others."""
    asked = config.args_source is type(config).ArgsSource.ARGS or config.option.keyword
    return "PIJIT_TEST_FORCED" not in os.environ and (not asked or WHOLE in os.environ)
