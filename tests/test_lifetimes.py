"""In loops, where paths meet and in callees too, an object lives until the variable that has it is assigned again, deleted, or gone."""

import gc
import itertools

import pytest
from differential import check_calls
from shares import VERSION

import pijit

CLASSES = """
import weakref
class Quiet:
    size = 1.5
class Loud:
    size = 1.5
    log = []
    def __init__(self, number):
        self.number = number
    def __del__(self):
        Loud.log.append(self.number)
class Box:
    def __init__(self, inside):
        self.inside = inside
def alive(refs):
    return [number for number, ref in enumerate(refs) if ref() is not None]
def quiet(refs, i):
    made = Quiet()
    refs.append(weakref.ref(made))
    return made
def loud(refs, i):
    made = Loud(len(refs))
    refs.append(weakref.ref(made))
    return made
"""
# What has the object, and is not read again.
KEEPS = {
    "name": "last = x",
    "tuple": "last = (x, i)",
    "nested": "last = (1.5, (i, x))",
    "list": "last = [x]",
    "dict": "last = {'x': x}",
    "instance": "last = Box(x)",
    "pair": "last, other = x, (x, x)",
    "itself": "pass",
    "first a number": "last = x if i > 1 else 2.5",
    "deleted": "last = x\n        if i == 2:\n            del last",
}
# {make} makes the object, {keep} keeps it, {seen} notes what is alive.
SHAPES = {
    "for": """
    for i in range(n):
        x = {make}
        {keep}
        {drop}
        {seen}
""",
    "while": """
    i = 0
    while i < n:
        {seen}
        x = {make}
        s += x.size
        {keep}
        {drop}
        i += 1
""",
    "branch": """
    for i in range(n):
        {seen}
        if i % 3 != 1:
            x = {make}
            {keep}
            {drop}
        else:
            s += i
        {seen}
""",
    "inner loop": """
    for i in range(n):
        x = {make}
        {keep}
        {drop}
        for j in range(5):
            s += j * 0.5
        {seen}
""",
    "made in the inner loop": """
    for k in range(3):
        for i in range(n):
            x = {make}
            {keep}
            {drop}
        {seen}
        s += k
""",
    "replaced by a number": """
    for i in range(n):
        x = {make}
        {keep}
        {drop}
        {seen}
        if i % 2:
            last = 1.5
        {seen}
""",
    "raised": """
    for i in range(n):
        try:
            x = {make}
            {keep}
            {drop}
            if i == 2:
                raise ValueError(i)
        except ValueError:
            s += 1
        {seen}
""",
    "continue": """
    for i in range(n):
        if i == 1:
            {seen}
            continue
        x = {make}
        {keep}
        {drop}
        if i == 4:
            break
        s += i
    {seen}
""",
    "before the loop": """
    i = 7
    x = {make}
    {keep}
    {drop}
    for j in range(n):
        {seen}
        if j > 2:
            last = j * 2.5
    {seen}
""",
}
CALLEE = """
def one(refs, seen, i, s):
    x = {make}
    {keep}
    {drop}
    for j in range(3):
        {seen}
        s += j
    return s
def f(n):
    Loud.log.clear()
    refs, seen, s = [], [], 0.0
    for i in range(n):
        s += one(refs, seen, i, s)
        {seen}
    return seen, s, alive(refs), list(Loud.log)
"""


SEEN = "seen.append((alive(refs), list(Loud.log)))"


def program(shape, keep, make, drop):
    fields = {"make": f"{make}(refs, i)", "keep": KEEPS[keep], "drop": "x = None" if drop else "pass", "seen": SEEN}
    if shape == "callee":
        return CLASSES + CALLEE.format(**fields | {"keep": KEEPS[keep].replace("\n    ", "\n")})
    depth = next(line for line in SHAPES[shape].splitlines() if "{keep}" in line).index("{")
    fields["keep"] = fields["keep"].replace("\n        ", "\n" + " " * depth)
    body = SHAPES[shape].format(**fields)
    start = "\ndef f(n):\n    Loud.log.clear()\n    refs, seen, s = [], [], 0.0"
    return f"{CLASSES}{start}{body}    return seen, s, alive(refs), list(Loud.log)\n"


# Configurations, what is made, whether the variable that got it first is set to None. A program goes another way on each version that runs it.
WAYS = [
    (("jit", "forced"), "quiet", True),
    (("numpy", "enabled"), "loud", True),
    (("jit", "enabled"), "quiet", False),
    (("forced numpy",), "loud", False),
]
PROGRAMS = list(itertools.product((*SHAPES, "callee"), KEEPS))


@pytest.mark.shared
@pytest.mark.parametrize("number", range(len(PROGRAMS)), ids=lambda number: ", ".join(PROGRAMS[number]))
def test_lifetimes(number):
    configurations, make, drop = WAYS[(number * 3 // 2 + VERSION) % len(WAYS)]
    what = program(*PROGRAMS[number], make, drop)
    check_calls(what, [(n,) for n in (3, 6, 6)], entry="f", configurations=configurations)


NAMES = [f"k{i}" for i in range(25)]  # so many that what stands for them is no tuple of a free list: making it may collect
REBUILT = f"""
def callee(x, *, {", ".join(f"{name}=1" for name in NAMES)}):
    y = x + k3 + 1
    return 100 // y
def f(x):
    return callee(x * 2) + x
"""


def test_finalizers_while_a_callee_is_rebuilt():
    """One that leaves native code in a callee too, and so asks for a frame of its own before this one is made."""
    space = {}
    exec(REBUILT, space)
    own = pijit.jit(space["f"])
    ran = []

    class Later:
        def __del__(self):
            ran.append(self)
            with pytest.raises(ZeroDivisionError):
                own(-1)

    assert [own(n) for n in (3, 4)] == [15, 14]
    threshold = gc.get_threshold()
    gc.disable()
    later = Later()
    later.itself = later
    del later
    gc.set_threshold(1)
    try:
        gc.enable()
        with pytest.raises(ZeroDivisionError):
            own(-1)
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert len(ran) == 1
    assert gc.isenabled()
    assert pijit.stats(own).compiles > 0
