"""Single draws of a numpy.random.Generator: the same numbers, of the same types, and the same stream afterwards."""

from __future__ import annotations

import collections
import ctypes
import random
import threading
import warnings

import numpy as np
import pytest
from differential import check, check_calls, clone_function, settings

import pijit
from pijit.codegen import streams
from pijit.ir.draws import DRAWS
from pijit.runtime import tiers

pytestmark = pytest.mark.shared

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")


def generator(name="PCG64", seed=3):
    return np.random.Generator(getattr(np.random, name)(seed))


def ops_in(function):
    """How often each operation stands in the graphs of a function."""
    graphs = [fragment.texts["graph"] for fragment in tiers.record_of(function.__code__).fragments]
    assert graphs
    return collections.Counter(word for text in graphs for word in text.split() if word in ("draw", "call"))


# Each call in a loop, where numbers that come from the loop make it the one of the graph and not a constant.
FORMS = """
rng.random() | rng.random(None) | rng.random(dtype=np.float64) | rng.uniform() | rng.uniform(2) | rng.uniform(-k, k + 1) | rng.uniform(high=2.5) |
rng.uniform(x, x + 1, None) | rng.uniform(np.float32(1.5), np.int8(3)) | rng.uniform(0, True) | rng.uniform(x, x) |
rng.standard_normal() | rng.normal() | rng.normal(x) | rng.normal(x, k) | rng.normal(scale=0.5) | rng.normal(loc=1, scale=x) |
rng.normal(1e300, 1e300) | rng.standard_exponential() | rng.standard_exponential(method="zig") | rng.exponential() | rng.exponential(x) |
rng.exponential(scale=k) | rng.integers(k + 1) | rng.integers(-k, k + 1) | rng.integers(0, 2**32) | rng.integers(0, 2**32 - 1) |
rng.integers(-2**63, 2**63 - 1) | rng.integers(k, high=k, endpoint=True) | rng.integers(-2**63, 2**63 - 1, endpoint=True) |
rng.integers(6, None) | rng.integers(9, dtype=int) |
rng.integers(np.int32(-5), np.uint8(5)) | rng.integers(low=3, high=9, dtype=np.int64) | rng.integers(2, endpoint=k > 1) | rng.integers(True)
"""
# What stays a call: arrays, other types of numbers, and what is made in another way.
CALLS = """
rng.random(2) | rng.random(dtype=np.float32) | rng.random((2,)) | rng.uniform([0, 1], 2) | rng.uniform(np.zeros(2)) | rng.normal(size=k) |
rng.standard_exponential(method="inv") | rng.integers(5, dtype=np.int32) | rng.integers(2, dtype=bool) | rng.integers(9, size=2) |
rng.integers(2.0) | rng.integers(np.array(7)) | rng.poisson(2.5)
"""


def forms(text):
    return [form.strip() for form in text.split("|")]


def looped(form):
    return f"""
def f(rng, n):
    found = []
    x = 0.5
    for k in range(1, n):
        found.append({form})
        x += 0.25
    return found
"""


@pytest.mark.parametrize("form", forms(FORMS))
def test_forms(form):
    check(looped(form), generator(), 7, configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("form", forms(CALLS))
def test_what_stays_a_call(form):
    check(looped(form), generator(), 5, configurations=("jit", "numpy"))


LEGACY_FORMS = """
rng.rand() | rng.random() | rng.random_sample() | rng.random_sample(size=None) | rng.uniform() | rng.uniform(x, k + 1) | rng.uniform(high=2.5) |
rng.randint(k + 1) | rng.randint(-k, k + 1) | rng.randint(0, 2**32) | rng.randint(low=0, high=2**32 - 1) | rng.randint(2**31 + k) |
rng.randint(-2**63, 2**63 - 1) | rng.randint(k, k + 1) | rng.randint(np.int32(-5), np.uint8(5)) | rng.randint(7, dtype=int)
"""
LEGACY_CALLS = """
rng.rand(2) | rng.uniform(x, size=2) | rng.uniform(x, -x) | rng.randint(5, size=2) | rng.randint(5, dtype=np.int8) | rng.randint(2, dtype=bool) |
rng.randn() | rng.normal(x, 1.0) | rng.choice(5)
"""


@pytest.mark.parametrize("form", forms(LEGACY_FORMS) + forms(LEGACY_CALLS))
def test_forms_of_random_state(form):
    check(looped(form), np.random.RandomState(3), 7, configurations=("jit", "numpy", "forced"))


@pytest.mark.parametrize("form", forms(LEGACY_FORMS) + forms(LEGACY_CALLS))
def test_forms_of_numpy_random(form):
    """All of them draw from one stream, which the program may set, and numbers that are drawn afterwards tell where it is."""
    source = looped(form.replace("rng.", "np.random.")).replace("found = []", "np.random.seed(5)\n    found = []")
    source = source.replace("return found", "return found, np.random.randint(9, dtype=np.int32), np.random.rand()")
    check(source, None, 7, configurations=("jit", "numpy", "forced"))


def test_no_call_is_left_of_random_state():
    def f(rng, n):
        hits = 0
        for _ in range(n):
            x, y = rng.rand(), np.random.uniform(-1.0, 1.0)
            if x * x + y * y <= 1.0:
                hits += np.random.randint(1, 4) + rng.randint(2)
        return hits, rng.rand()

    fast, wanted = pijit.jit(f), []
    for function in (f, fast):
        np.random.seed(6)
        wanted.append((function(np.random.RandomState(3), 1000), np.random.rand()))
    assert wanted[0] == wanted[1]
    assert ops_in(fast)["draw"] >= 4
    assert not ops_in(fast)["call"]


def refused(form):
    """Some draws that are well, then a wrong one: the stream is where it was before that."""
    return f"""
def f(rng, n):
    s = x = 0.5
    try:
        for k in range(n):
            s += float({form.replace("1e400", "1e308 * 10")})
            x += 0.5
    except (ValueError, OverflowError) as error:
        return s, k, str(error)
    return s, k
"""


@pytest.mark.parametrize("form", ["rng.randint(k, 4)", "rng.randint(3 - k)", "rng.uniform(x, x * 1e400)"])
def test_arguments_that_random_state_refuses(form):
    check(refused(form), np.random.RandomState(4), 8)


PYTHON_FORMS = """
rng.random() | rng.uniform(-k, x) | rng.random() if k % 2 else x | rng.gauss(x, 1.0) | rng.expovariate(2.0) | rng.randint(0, k) |
rng.random(*()) | rng.getrandbits(k) | rng.getrandbits(k + 58) | rng.getrandbits(True) | rng.getrandbits(np.int64(k)) |
rng.randrange(k + 1) | rng.randrange(k, 3 * k + 7, 3) | rng.randrange(40, k, -2) |
rng.randint(-(2**62), 2**62 + k) | rng.randint(0, 2**70) | rng.choice([3, 1, 2]) | rng.choice((1.5, 2.5, x)) | rng.choice('abc') |
rng.choice(range(9)) | rng.sample(range(20), 3) | rng.triangular(0.0, 1.0, 0.3) | rng.betavariate(2.0, 3.0) | rng.choices([1, 2], k=k) |
rng.normalvariate(x, 2.0) | rng.randbytes(k)
"""


@pytest.mark.parametrize("form", forms(PYTHON_FORMS))
@pytest.mark.parametrize("shared", [False, True])
def test_forms_of_python(form, shared):
    """A random.Random, or that of the module, from which numbers that are drawn afterwards tell how far it is."""
    source = "import random\n" + looped(form.replace("rng.", "random.") if shared else form)
    source = source.replace("found = []", f"{'random' if shared else 'rng'}.seed(5)\n    found = []")
    source = source.replace("return found", f"return found, {'random' if shared else 'rng'}.random()")
    check(source, random.Random(3), 9, configurations=("jit", "numpy", "forced"))


PYTHON_REFUSES = """
rng.getrandbits(2 - k) | rng.getrandbits(2.5) | rng.getrandbits(k=3) | rng.getrandbits() | rng.randrange(3 - k) | rng.randrange(1.5 + k) |
rng.randint(k, 4) | rng.choice([1, 2, 3][k:]) | rng.choice(()) | rng.randrange(0, 10, 3 - k) | rng.randrange(None) | rng.randint('a', 3)
"""


@pytest.mark.parametrize("form", forms(PYTHON_REFUSES))
def test_arguments_that_python_refuses(form):
    check(refused(form), random.Random(4), 8, configurations=("jit", "numpy", "forced"))


def test_integers_of_python_are_drawn_natively():
    """As many as in the interpreter, in the same order, with nothing called and nothing left to it."""

    def f(rng, items, n):
        total = 0
        for k in range(1, n):
            total += random.randint(1, k) + rng.randrange(k) + random.randrange(-5, 5) + rng.getrandbits(k % 60) + random.choice(items)
        return total

    def shuffled(rng, items):
        rng.shuffle(items)
        random.shuffle(items)
        return items

    def state():
        return random.getstate(), own.getstate()

    for function, *args in ((f, [5, 6, 7, 8], 2000), (shuffled, list(range(100)))):
        fast, got = pijit.jit(function), []
        for each in (function, fast):
            random.seed(6)
            own = random.Random(3)
            got.append((each(own, *(list(arg) if isinstance(arg, list) else arg for arg in args)), state()))
        assert got[0] == got[1]
        assert ops_in(fast)["draw"] >= 2
        assert not ops_in(fast)["call"]


def test_exits_in_the_middle_of_integers():
    """Between two draws of a round, for a number that outgrows 64 bits, and a name that is another one."""

    def f(n, big):
        total = 0
        for k in range(n):
            total += random.randint(1, 6)
            total += (big if k == n - 3 else 1) * random.getrandbits(62)
        return total

    fast, got = pijit.jit(f), []
    for function in (f, fast):
        random.seed(8)
        got.append([(function(n, big), random.getstate()) for n in (10, 300) for big in (1, 7, 2**40, 2**70)])
    assert got[0] == got[1]


@pytest.mark.parametrize("form", ["index(x)", "index(x) + 1", "index(-x)"])
def test_index(form):
    source = f"from operator import index\ndef f(x):\n    return {form}\n"
    for x in (3, True, -(2**63), 2**70, np.int8(4), np.uint64(2**63 + 1), np.bool_(True), 2.0, "a", None, np.float64(2.0)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(source, x, configurations=("jit", "numpy"))


def test_no_call_is_left_of_python():
    def f(rng, n):
        hits = 0
        for _ in range(n):
            x, y = random.random(), rng.uniform(-1.0, 1.0)
            if x * x + y * y <= 1.0:
                hits += 1
        return hits, rng.random(), random.random()

    fast, got = pijit.jit(f), []
    for function in (f, fast):
        random.seed(6)
        got.append(function(random.Random(3), 1000))
    assert got[0] == got[1]
    assert ops_in(fast)["draw"] >= 3
    assert not ops_in(fast)["call"]
    assert not pijit.stats(fast).breaks


@pytest.mark.parametrize(("module", "name", "other"), [(random, "random", random.Random(9)), (np.random, "rand", np.random.RandomState(9))])
def test_a_function_of_the_module_that_was_replaced(module, name, other, monkeypatch):
    """The one that was there draws from what it always drew from, also what is compiled only now."""

    def f(n):
        return [draw() for _ in range(n)]

    draw = getattr(module, name)
    monkeypatch.setattr(module, name, getattr(other, name))
    fast, got = pijit.jit(f), []
    for function in (f, fast):
        module.seed(6)
        got.append((function(1000), draw()))
    assert got[0] == got[1]


def test_a_random_of_the_users():
    """Whose numbers are its own: by its class, or by what it holds itself."""
    source = """
import random

class Fixed(random.Random):
    def random(self):
        return 0.25

class Same(random.Random):
    pass

def f(kind, n):
    rng = {"Random": random.Random, "Fixed": Fixed, "Same": Same, "System": random.SystemRandom}[kind](7)
    if kind == "Random" and n > 20:
        rng.random = lambda: 0.5
    return run(rng, n) if kind != "System" else run(rng, n) > 0.0

def run(rng, n):
    s = 0.0
    for _ in range(n):
        s += rng.random()
    return s
"""
    check_calls(source, [(kind, n) for kind in ("Random", "Fixed", "Same", "System", "Random") for n in (10, 30)], entry="f")


def test_numpy_random_with_another_bit_generator():
    def f(n):
        return [np.random.rand() + np.random.randint(9) for _ in range(n)]

    fast, before = pijit.jit(f), np.random.get_bit_generator()
    fast(10)
    try:
        got = []
        for function in (f, fast):
            np.random.set_bit_generator(np.random.PCG64(3))
            got.append((function(20), np.random.rand()))
    finally:
        np.random.set_bit_generator(before)
    assert got[0] == got[1]


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_bit_generators(name):
    def f(rng, n):
        s, k = 0.0, 0
        for i in range(n):
            s += rng.random() + rng.normal(1, 2) * rng.uniform(-1, i) - rng.exponential(0.5)
            k += rng.integers(0, i + 6) + int(rng.integers(2**40))
            s += rng.standard_normal() + rng.standard_exponential()
        return s, k

    check(f, generator(name), 40, calls=2, configurations=("jit", "numpy", "forced"))


def test_no_call_is_left():
    def f(rng, n):
        hits = 0
        for _ in range(n):
            x = rng.random()
            y = rng.uniform(0.0, 1.0)
            if x * x + y * y <= 1.0:
                hits += rng.integers(1, 2)
        return hits

    fast = pijit.jit(f)
    assert fast(generator(), 1000) == f(generator(), 1000)
    assert pijit.stats(fast).hits
    assert ops_in(fast)["draw"] >= 3
    assert not ops_in(fast)["call"]


WRONG = (
    "rng.uniform(k, -k)", "rng.uniform(0.0, x * 1e308)", "rng.uniform(x, x * 1e400)", "rng.normal(0, 2 - k)", "rng.normal(0, -0.0 * k)",
    "rng.exponential(2.0 - k)", "rng.exponential(x - 1.5)", "rng.integers(k, 4)", "rng.integers(k, 3, endpoint=True)", "rng.integers(3 - k)",
    "rng.integers(2**63 - k - 1, 2**63 - 3)", "rng.normal(x, x * 1e400 - x * 1e400)",
)  # fmt: skip


@pytest.mark.parametrize("form", WRONG)
def test_arguments_that_numpy_refuses(form):
    check(refused(form), generator(), 8)


def test_an_exit_between_draws():
    """Each of the draws has happened once when the interpreter goes on in the middle of an iteration."""

    def f(rng, x, n):
        s = 0.0
        for _ in range(n):
            a = rng.random()
            s += x[int(a * 12)]
            b = rng.normal()
            s += b / int(rng.integers(0, 9))
        return s

    check_calls(f, [(generator(seed=seed), np.arange(10.0), 40) for seed in range(5)])


def test_draws_on_one_side_of_a_branch():
    def f(rng, x):
        s = t = 0.0
        for i in range(len(x)):
            if x[i] > 0.0:
                s = s + rng.random() * x[i]
            else:
                t = t + x[i]
            x[i] = s
        return s, t

    check(f, generator(), np.random.default_rng(1).standard_normal(300))


def test_in_order_with_other_draws():
    """Single draws, arrays, shuffles, and another generator."""

    def f(rng, other, x):
        s = 0.0
        for _ in range(20):
            s += rng.random() - other.random()
            s += rng.random(3).sum()
            rng.shuffle(x)
            s += rng.normal() * x[0]
            s += other.standard_normal(2)[1]
        return s

    check(f, generator(), generator("MT19937", 8), np.arange(5.0))


def test_one_generator_by_two_names():
    def f(a, b, n):
        s = 0.0
        for _ in range(n):
            s = s * 0.5 + a.random() - b.random()
        return s

    rng = generator()
    check(f, rng, rng, 100)


def test_a_draw_that_nobody_uses():
    def f(rng, n):
        for _ in range(n):
            rng.random()
        return rng.integers(1000)

    check(f, generator(), 50)


def test_a_function_that_only_draws():
    """It would be called without a frame, and again with one when it leaves."""

    def f(rng, low, high):
        return rng.random() + 1.0 / rng.integers(low, high)

    check_calls(f, [(generator(), *bounds) for bounds in ((1, 5), (0, 1), (1, 2), (5, 2))])


def test_draws_in_inlined_functions_and_attributes():
    source = """
class Walk:
    def __init__(self, rng):
        self.rng = rng
        self.x = 0.0

    def step(self, scale):
        self.x += self.rng.normal(0.0, scale)
        return self.x


def f(rng, n):
    walk = Walk(rng)
    s = 0.0
    for i in range(n):
        s += walk.step(3.0 - i if i > n - 6 else 1.0) if n % 5 else walk.step(1.0)
    return s
"""
    check_calls(source, [(generator(), 40), (generator(), 41)])


def test_in_generators_and_comprehensions():
    def f(rng, n):
        return sum(rng.random() for _ in range(n)), [rng.integers(3) for _ in range(n)], max(rng.normal() for _ in range(n))

    check(f, generator(), 9)


# ---- what is looked at each time --------------------------------------------------------------------------------------------


def drawing():
    """A function that nothing is known of yet."""

    def f(rng, n):
        s = 0.0
        for _ in range(n):
            s += rng.random()
        return s

    return pijit.jit(clone_function(f))


def test_the_lock_is_waited_for():
    """While another thread holds the lock of the stream, nothing is drawn."""
    f, rng, done, holds = drawing(), generator(), [], threading.Event()
    wanted = [f(generator(), 100)]
    lock, release = rng.bit_generator.lock, threading.Event()

    def hold():
        with lock:
            holds.set()
            release.wait(20)

    def draw():
        done.append(f(rng, 100))

    threads = [threading.Thread(target=hold), threading.Thread(target=draw)]
    threads[0].start()
    assert holds.wait(20)
    threads[1].start()
    threads[1].join(0.2)
    assert not done
    assert threads[1].is_alive()
    release.set()
    for thread in threads:
        thread.join(20)
    assert done == wanted


def test_own_lock():
    """What this thread holds it may use, if the lock is of that kind."""
    f, rng = drawing(), generator()
    wanted = f(generator(), 10)
    f(generator(), 10)
    if type(rng.bit_generator.lock) is type(threading.RLock()):
        with rng.bit_generator.lock:
            assert f(rng, 10) == wanted


def test_threads_draw_from_one_generator():
    """Every number once, whoever gets it."""
    with settings(compile_all=True):
        f, rng, n = pijit.jit(lambda rng, out: [rng.integers(0, 2**62, dtype=int) for _ in range(out)]), generator(), 4
        f(generator(), 5)
        got = []
        threads = [threading.Thread(target=lambda: got.extend(f(rng, 2000))) for _ in range(n)]
        big = threading.Thread(target=lambda: [generator().random(10**5) for _ in range(5)])
        for thread in (*threads, big):
            thread.start()
        for thread in (*threads, big):
            thread.join()
    plain = generator()
    assert sorted(got) == sorted(plain.integers(0, 2**62, dtype=int) for _ in range(2000 * n))


def test_a_bit_generator_of_the_users():
    """It may run Python code in the middle of a draw: its methods are called."""
    seen = []
    double = ctypes.PYFUNCTYPE(ctypes.c_double, ctypes.c_void_p)(lambda state: seen.append(1) or 0.25)
    integer = ctypes.PYFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(lambda state: 7)
    addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in (integer, integer, double, integer)]
    bitgen = (ctypes.c_void_p * 5)(None, *addresses)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    class Mine:
        lock = threading.RLock()
        capsule = new(ctypes.addressof(bitgen), b"BitGenerator", None)

    f = drawing()
    rng = np.random.Generator(Mine())
    f(generator(), 5)
    assert f(rng, 8) == 2.0
    assert len(seen) == 8


def test_another_bit_generator_put_in():
    """__init__ once more gives a Generator another stream."""
    f, rng = drawing(), generator()
    f(rng, 5)
    rng.__init__(np.random.PCG64(77))
    other = generator(seed=77)
    assert f(rng, 9) == f(other, 9)
    assert other.bit_generator.state == rng.bit_generator.state


def test_nothing_else_than_a_generator():
    class Mine(np.random.Generator):
        def random(self):
            return 0.5

    f = drawing()
    f(generator(), 5)
    assert f(Mine(np.random.PCG64(1)), 8) == 4.0


# ---- the self-test ----------------------------------------------------------------------------------------------------------


def test_rows():
    assert set(streams.FUNCTIONS) == set(DRAWS)
    assert streams.KNOWN == BIT_GENERATORS
    assert all(map(streams.usable, DRAWS))


def test_locks_of_both_kinds():
    assert streams.held(threading.RLock()) is not None
    offset, width = streams.held(threading.Lock())
    lock = threading.Lock()
    with lock:
        assert any(ctypes.string_at(id(lock) + offset, width))
    assert not any(ctypes.string_at(id(lock) + offset, width))


@pytest.mark.parametrize("missing", ["a function", "the place", "the numbers"])
def test_another_numpy(missing, monkeypatch):
    """Where something is not as it was, draws are calls."""
    if missing == "a function":
        monkeypatch.setitem(streams.FUNCTIONS, "random", "random_no_such_thing")
    elif missing == "the place":
        monkeypatch.setattr(streams, "place", lambda owner: None)
    else:
        monkeypatch.setitem(streams.FUNCTIONS, "random", "random_standard_normal")
    streams.usable.cache_clear()
    try:
        plain = generator()
        with settings(compile_all=True):
            f = drawing()
            assert [f(generator(), 1), f(generator(), 1)] == [plain.random()] * 2
        assert ops_in(f)["call"]
        assert not ops_in(f)["draw"]
    finally:
        monkeypatch.undo()
        streams.usable.cache_clear()
