"""Random graphs of ints: the passes do not change what a graph does."""

from graphs import Builder
from hypothesis import given, settings
from hypothesis import strategies as st

from pijit.ir.evaluate import rebuild
from pijit.ir.graph import Value, const
from pijit.ir.run import run
from pijit.ir.types import BOOL, INT
from pijit.opt.pipeline import Options, optimize

EDGE = [0, 1, -1, 2, 3, 5, -7, 63, 64, 2**31, 2**53, 2**62 - 1, 2**63 - 1, -(2**63), -(2**63) + 1]
numbers = st.one_of(st.sampled_from(EDGE), st.integers(-10, 10))
OPS = [
    "int_add",
    "int_sub",
    "int_mul",
    "int_floordiv",
    "int_mod",
    "int_and",
    "int_or",
    "int_xor",
    "int_rshift",
    "int_pow",
]
CHOICES = [*OPS, "int_neg", "int_abs", "check", "check_index", "select", "branch", "exact", "cmp"]
place = st.integers(0, 30)
steps = st.lists(
    st.tuples(st.sampled_from(CHOICES), place, place, place, st.sampled_from(["<", "<=", "==", "!=", ">", ">="])),
    max_size=14,
)


def build(chain, constants):
    """Every result is returned, so that no exit may go."""
    b = Builder(INT, INT, INT)
    ints: list[Value] = [*b.inputs, *map(const, constants)]
    others: list[Value] = []
    for name, i, j, k, symbol in chain:
        x, y, z = (ints[n % len(ints)] for n in (i, j, k))
        match name:
            case "check":
                b.op("check", b.op("cmp", x, y, type=BOOL, symbol=symbol))
            case "cmp":
                others.append(b.op("not", b.op("cmp", x, y, type=BOOL, symbol=symbol), type=BOOL))
            case "select":
                ints.append(b.op("select", b.op("cmp", x, y, type=BOOL, symbol=symbol), y, z, type=INT))
            case "exact":
                others.append(b.op("int_exact_float", x, type=const(1.0).type))
            case "branch":
                condition = b.op("cmp", x, y, type=BOOL, symbol=symbol)
                join, (value,) = b.block(INT)
                yes, _ = b.block()
                no, _ = b.block()
                b.branch(condition, yes, no)
                b.current = yes
                b.jump(join, b.op("int_sub", y, z, type=INT))
                b.current = no
                b.jump(join, b.op("check_index", z, x, type=INT))
                b.current = join
                ints.append(value)
            case "int_neg" | "int_abs":
                ints.append(b.op(name, x, type=INT))
            case "int_pow":
                ints.append(b.op(name, x, b.op("int_and", y, 3, type=INT), type=INT))
            case _:
                ints.append(b.op(name, x, y, type=INT))
    return b.leave(*ints, *others)


@settings(max_examples=300, deadline=None)
@given(
    steps,
    st.lists(numbers, min_size=3, max_size=3),
    st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_same(chain, constants, inputs):
    plain, graph = build(chain, constants), build(chain, constants)
    optimize(graph, Options(checked=True))
    for args in inputs:
        (old, before), (new, after) = run(plain, args), run(graph, args)
        assert old.kind == new.kind
        assert old.frames[0].pc == new.frames[0].pc
        if old.kind == "return":
            x, y = rebuild(old.result, before), rebuild(new.result, after)
            assert x == y
            assert [type(v) for v in x] == [type(v) for v in y]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["<", "<=", ">", ">=", "!="]), st.sampled_from([-2, -1, 1, 2, 3]),
    st.integers(-3, 3), st.integers(-3, 3), st.tuples(numbers, numbers, st.integers(-2, 6)),
)  # fmt: skip
def test_loops(symbol, step, shift, minus, args):
    """i = a; while i <symbol> b - minus: check_index(i + shift, n); i += step"""

    def make():
        b = Builder(INT, INT, INT)
        first, last, n = b.inputs
        bound = b.op("int_sub", last, minus, type=INT)
        b.op("check", b.op("cmp", last, n, type=BOOL, symbol="<="))
        header, (i, count) = b.block(INT, INT, header=True)
        body, _ = b.block()
        end, _ = b.block()
        b.jump(header, first, 0)
        b.current = header
        b.branch(b.op("cmp", i, bound, type=BOOL, symbol=symbol), body, end)
        b.current = body
        b.live = {0: i, 1: count}
        j = b.op("check_index", b.op("int_add", i, shift, type=INT), n, type=INT)
        b.op("check", b.op("cmp", count, 40, type=BOOL, symbol="<"))  # so that it ends
        total = b.op("int_add", b.op("int_add", count, 1, type=INT), b.op("int_mul", j, 0, type=INT), type=INT)
        b.jump(header, b.op("int_add", i, step, type=INT), total)
        b.current = end
        b.live = {}
        return b.leave(i, count)

    plain, graph = make(), make()
    optimize(graph, Options(checked=True))
    (old, before), (new, after) = run(plain, args), run(graph, args)
    assert (old.kind, old.frames[0].pc) == (new.kind, new.frames[0].pc)
    for recipe, other in zip(old.recipes(), new.recipes(), strict=True):
        assert rebuild(recipe, before) == rebuild(other, after)
