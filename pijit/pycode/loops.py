"""Finds natural loops: what runs again and again between a header and the jumps back to it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pijit.ground.records import dataclass
from pijit.pycode.instructions import Instruction

STORES = frozenset({"STORE_FAST", "DELETE_FAST", "LOAD_FAST_AND_CLEAR", "STORE_DEREF", "DELETE_DEREF", "MAKE_CELL"})
STORES_NAME = frozenset({"STORE_NAME", "DELETE_NAME"})
CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})

Blocks = Mapping[int, tuple[Instruction, ...]]
Edges = Mapping[int, set[int]]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop; `stores` and `names` are what its body may change, deletions included."""

    header: int
    back_edges: tuple[Instruction, ...]
    body: frozenset[int]
    stores: frozenset[int]
    names: frozenset[str]
    parent: "Loop | None"
    depth: int  # 1 for an outermost loop


def find_loops(blocks: Blocks, edges: Edges, shared: frozenset[int] = frozenset()) -> tuple[Loop, ...]:
    """The loops of a flow graph, outer ones first, in the order of their headers. ``shared``: slots that calls may store to."""
    dominators = Dominators(blocks, edges)
    sources: dict[int, list[int]] = defaultdict(list)
    for leader, block in blocks.items():
        header = block[-1].target
        if header is not None and header <= block[-1].pc and dominators.dominates(header, leader):
            sources[header].append(leader)
    bodies = {header: _body(header, leaders, dominators.sources) for header, leaders in sources.items()}
    found: dict[int, Loop] = {}
    for header in sorted(bodies, key=lambda header: (-len(bodies[header]), header)):
        around = [loop for other, loop in found.items() if header in bodies[other]]
        parent = max(around, key=lambda loop: loop.depth, default=None)
        jumps = [blocks[leader][-1] for leader in sources[header]]
        found[header] = _loop(header, jumps, bodies[header], blocks, parent, shared)
    return tuple(sorted(found.values(), key=lambda loop: (loop.depth, loop.header)))


def _loop(
    header: int, jumps: list[Instruction], body: set[int], blocks: Blocks, parent: Loop | None, shared: frozenset[int]
) -> Loop:
    inside = [i for leader in body for i in blocks[leader]]
    steps = [step for i in inside for step in i.micros]
    return Loop(
        header=header,
        back_edges=tuple(sorted(jumps, key=lambda i: i.pc)),
        body=frozenset(i.pc for i in inside),
        stores=frozenset(step.arg for step in steps if step.name in STORES) | (shared if any(step.name in CALLS for step in steps) else frozenset()),
        names=frozenset(step.arg for step in steps if step.name in STORES_NAME),
        parent=parent,
        depth=parent.depth + 1 if parent else 1,
    )


def _body(header: int, jumps: Iterable[int], sources: Edges) -> set[int]:
    """The blocks from which a jump back is reached without passing the header."""
    body = {header}
    todo = list(jumps)
    while todo:
        leader = todo.pop()
        if leader not in body:
            body.add(leader)
            todo += sources[leader]
    return body


class Dominators:
    """Which blocks every path to a block passes (Cooper, Harvey, Kennedy)."""

    def __init__(self, blocks: Blocks, edges: Edges) -> None:
        order = _postorder(edges)
        self._number = {leader: n for n, leader in enumerate(order)}
        self.sources: dict[int, set[int]] = {leader: set() for leader in blocks}
        for leader in order:
            for after in edges[leader]:
                self.sources[after].add(leader)
        self._above = {0: 0}
        changed = True
        while changed:
            changed = False
            for leader in reversed(order[:-1]):
                known = [source for source in self.sources[leader] if source in self._above]
                above = known[0]
                for source in known[1:]:
                    above = self._meet(above, source)
                changed |= self._above.get(leader) != above
                self._above[leader] = above

    def _meet(self, a: int, b: int) -> int:
        while a != b:
            while self._number[a] < self._number[b]:
                a = self._above[a]
            while self._number[b] < self._number[a]:
                b = self._above[b]
        return a

    def above(self, a: int) -> int:
        """The nearest block, other than itself, that every path to the block passes."""
        return self._above[a]

    def dominates(self, a: int, b: int) -> bool:
        """Whether every path to b passes a."""
        return self._meet(a, b) == a


def _postorder(edges: Edges) -> list[int]:
    order: list[int] = []
    seen = {0}
    todo = [(0, iter(sorted(edges[0])))]
    while todo:
        leader, rest = todo[-1]
        for after in rest:
            if after not in seen:
                seen.add(after)
                todo.append((after, iter(sorted(edges[after]))))
                break
        else:
            order.append(leader)
            todo.pop()
    return order
