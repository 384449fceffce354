"""Who needs a value, in a graph made by hand."""

from graphs import Builder

from pijit.ir.types import BOOL, INT
from pijit.ir.uses import Uses


def test_questions():
    b = Builder(INT, INT)
    x, y = b.inputs
    first, other = b.entry, b.block(INT)
    block, (p,) = other
    twice = b.op("raw_add", x, x, type=INT)
    b.live = {0: y}
    total = b.op("int_add", x, twice, type=INT)
    flag = b.op("cmp", total, 0, type=BOOL, symbol="<")
    b.jump(block, total)
    b.current = block
    last = b.op("int_add", p, x, type=INT)
    graph = b.leave(last)
    uses = Uses(graph)
    assert uses.readers(x) == [twice.op, total.op, last.op]
    assert uses.readers(y) == []
    assert uses.at_exits(y) == [total.op, last.op]
    assert [uses.at_ends(value) for value in (total, last, flag)] == [[first], [block], []]
    assert uses.readers_of([twice, x]) == [total.op, twice.op, last.op]
    assert uses.block_of(last.op) is block
    assert [uses.is_needed_outside(value, first) for value in (x, y, twice, total, p)] == [True, True, False, False, True]
    assert uses.is_needed_outside(total, block)


def test_again_only_when_told():
    b = Builder(INT)
    (x,) = b.inputs
    made = b.op("raw_add", x, x, type=INT)
    graph = b.leave(made)
    uses = Uses(graph)
    assert uses.readers(x) == [made.op]
    graph.entry.ops.clear()
    assert uses.readers(x) == [made.op]
    uses.changed()
    assert uses.readers(x) == []
