"""The Python in README.md runs."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_code_blocks_run_one_after_another():
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    space = {"__name__": "readme"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"README.md block {number}", "exec"), space)
    assert space["stats"] == space["relax"].stats()


def test_options_and_channels_are_those_that_exist():
    from pijit.ground.config import CHOICES
    from pijit.ground.log import CHANNELS

    rows = re.findall(r"^\| (`.*?) \|", README, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {*CHOICES, "fullgraph", *CHANNELS}
