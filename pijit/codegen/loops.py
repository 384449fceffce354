"""Counted loops in the code that is being built."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .llvm import I64, i64

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .driver import Driver


@contextmanager
def nest(d: Driver, lengths: list[Any]) -> Iterator[list[Any]]:
    """Runs the body for every index tuple, the last index fastest. Lengths may be zero."""
    b = d.builder
    indices, open_loops = [], []
    for length in lengths:
        before = b.block
        head, body, done = (d.function.append_basic_block(f"each_{part}") for part in ("head", "body", "done"))
        b.branch(head)
        b.position_at_end(head)
        index = b.phi(I64)
        index.add_incoming(i64(0), before)
        b.cbranch(b.icmp_signed("<", index, length), body, done)
        b.position_at_end(body)
        indices.append(index)
        open_loops.append((head, done, index))
    yield indices
    for head, done, index in reversed(open_loops):
        index.add_incoming(b.add(index, i64(1), flags=["nsw"]), b.block)
        b.branch(head)
        b.position_at_end(done)
