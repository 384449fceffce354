"""Where the choices of a generated program come from: `choose(n)` gives a number below n, from hypothesis in the test suite, from a seeded generator in the long runs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

KIND = re.compile(r"^( *)<(\w+)>$|<(\w+)>", re.MULTILINE)


class Choices:
    def __init__(self, choose: Callable[[int], int]) -> None:
        self.choose = choose

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.choose(len(items))]

    def one_in(self, n: int) -> bool:
        return self.choose(n) == n - 1


class Templates(Choices):
    """Texts from templates: Python with <kinds> in it. A kind that is all of its line may be several lines."""

    def expand(self, kind: str, depth: int, **context: Any) -> str:
        raise NotImplementedError

    def fill(self, template: str, depth: int, **context: Any) -> str:
        return KIND.sub(lambda found: textwrap.indent(self.expand(found[2] or found[3], depth, **context), found[1] or ""), template)
