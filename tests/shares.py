"""What is about no version of Python in particular is shared between the supported ones: each does another part of it.

Of tests that are marked `shared` a run of the whole suite has a fifth on each version. Which ones the three have is another choice in each
TURN, and two that follow each other have all: CI takes turns from commit to commit.
"""

from __future__ import annotations

import os
import sys
from typing import Any
from zlib import crc32

VERSIONS, VERSION = 3, sys.version_info.minor - 11
PARTS, TURN = 5, int(os.environ.get("PIJIT_TEST_TURN", "0"))


def share(items: Any) -> Any:
    """This version's part of a sequence: every third item."""
    return items[VERSION::VERSIONS]


def is_of_this_version(name: str) -> bool:
    """Whether a test is this version's in this turn."""
    return part_of(name, PARTS) == (TURN * VERSIONS + VERSION) % PARTS


def part_of(name: str, parts: int = VERSIONS) -> int:
    """One of so many numbers, the same for a name everywhere."""
    return crc32(name.encode()) % parts


def most(items: Any) -> list[Any]:
    """All but every third item, which the two other versions have."""
    return [item for number, item in enumerate(items) if number % VERSIONS != VERSION]


WHOLE = "PIJIT_TEST_WHOLE"  # in the environment of a process that runs a part of the whole suite


def is_whole(config: Any) -> bool:
    """Whether pytest runs the whole suite, or a file of it in a process of its own: then this version leaves tests to the others."""
    asked = config.args_source is type(config).ArgsSource.ARGS or config.option.keyword
    return "PIJIT_TEST_FORCED" not in os.environ and (not asked or WHOLE in os.environ)
