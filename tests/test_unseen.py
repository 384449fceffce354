"""What pijit does beside a program must not be noticed by it: no code of the program runs because capture looks at its objects, nothing
that it lets go lives on because it was compiled, and other users of the same hooks see what they would see alone."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from differential import check_calls

import pijit

ROOT = Path(__file__).resolve().parent.parent


def lines_of(folder, **environment):
    """What the program in a folder prints, plainly and with everything enabled."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    printed = []
    for run in ((), ("-m", "pijit", "run", "--everything", "--threshold", "1")):
        done = subprocess.run(
            [sys.executable, *run, "program.py"], capture_output=True, text=True, cwd=folder, timeout=300,
            env={**os.environ, "PYTHONPATH": path, **environment},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "PJ901" not in done.stderr, done.stderr
        printed.append(done.stdout.splitlines())
    return printed


PROGRAMS = {
    # Code of the program that counts who looks: at a module, a class, an instance, for a guard, a message, a test of truth.
    "looking runs nothing": """
        import types
        seen = []
        m = types.ModuleType("m")
        m.__getattr__ = lambda name: seen.append(name) or 123
        class Dressed:
            k = 3
            @property
            def __class__(self):
                seen.append("class")
                return float
        class Asked:
            def __getattribute__(self, name):
                seen.append(name)
                return 2
        class Meta(type):
            def __getattribute__(self, name):
                seen.append(name)
                return type.__getattribute__(self, name)
            def __bool__(self):
                seen.append("bool")
                return False
        class Made(metaclass=Meta):
            k = 3
            @classmethod
            def g(cls, n):
                return n + 1 if cls else n - 1
        class Nowhere(type):
            __module__ = property(lambda self: 1 // 0)
            k = 3
        class In(metaclass=Nowhere):
            pass
        class Text(int):
            def __repr__(self):
                seen.append("repr")
                return "Text"
        def field(held, n):
            s = 0
            for i in range(n):
                s = s + i * held.k
            return s
        def call(held, n):
            try:
                return held(n)
            except TypeError as error:
                return str(error)
        def truth(n):
            return Made.g(n), Made().g(n)
        def plus(n):
            return n + 1
        for held in (m, Dressed(), Asked(), Made(), Made, In):
            for n in (3, 4, 5):
                print(field(held, n), call(held, n) if held is m else 0, truth(n), plus(n), plus(Text(n)), seen)
        """,
    # A class that is looked at while its metaclass decides on the order of its bases; CPython's tests have types of C that are not made ready, too.
    "classes whose bases have no order yet": """
        class Base:
            x = 1
        def looks():
            return Made.x
        def asks():
            return issubclass(Made, Base), isinstance(3, Made)
        def makes():
            return Made()
        class Meta(type):
            def mro(cls):
                global Made
                Made = cls
                for look in (looks, asks, makes):
                    for i in range(3):
                        try:
                            print(look())
                        except (AttributeError, TypeError) as error:
                            print(error)
                return super().mro()
        class Made(Base, metaclass=Meta):
            pass
        print(looks(), asks(), makes().x)
        try:
            from _testbuffer import ndarray
        except ImportError:
            ndarray = memoryview
        def field(x):
            return x.c_contiguous
        array = ndarray(b"ab")
        print([field(array) for i in range(3)])
        """,
    # What NumPy compares when it is given such a dtype.
    "a dtype whose missing strings notice": """
        import numpy as np
        class Missing:
            seen = 0
            def __ne__(self, other):
                Missing.seen += 1
                return False
            __eq__ = object.__eq__
            __hash__ = object.__hash__
        dtype = np.dtypes.StringDType(na_object=Missing())
        def array(dtype):
            return np.array(["x"], dtype=dtype).size
        def same(dtype):
            return dtype == dtype, np.zeros(2, dtype).size
        for i in range(3):
            print(array(dtype), same(dtype), Missing.seen)
        """,
    # Wherever a name is looked up: keys that are no plain texts, and mappings with code of their own.
    "keys and mappings that notice": """
        import textwrap, types
        seen = []
        def shown():
            found = ' '.join(seen)
            seen.clear()
            return found
        class Key(str):
            __hash__ = str.__hash__
            def __eq__(self, other):
                seen.append(str(other))
                return str.__eq__(self, other)
        class Space(dict):
            def __getitem__(self, name):
                seen.append("[]" + str(name))
                return dict.__getitem__(self, name)
            def __contains__(self, name):
                seen.append("in" + str(name))
                return dict.__contains__(self, name)
            def get(self, name, *more):
                seen.append("get" + str(name))
                return dict.get(self, name, *more)
            def values(self):
                seen.append("values")
                return dict.values(self)
            def keys(self):
                seen.append("keys")
                return dict.keys(self)
            items = __iter__ = keys
        def isin(d, n):
            return sum([("a" in d) + ("b" not in d) for i in range(n)])
        def item(d, n):
            s = 0
            for i in range(n):
                s = s + d["a"] + i
            return s
        def get(d, n):
            s = 0
            for i in range(n):
                s = s + d.get("a", 1) + d.get("b", 2)
            return s
        def put(d, n):
            for i in range(n):
                d["a"] = i
            return len(d)
        def attribute(o, n):
            s = 0
            for i in range(n):
                s = s + o.a
            return s
        def put_attribute(o, n):
            for i in range(n):
                o.a = i
        def keyword(n, *, a=1, b=2):
            return n + a + b
        def calls(n):
            s = 0
            for i in range(n):
                s = s + keyword(i)
            return s
        class O:
            pass
        o = O()
        o.__dict__[Key("a")] = 7
        m = types.ModuleType("m")
        vars(m)[Key("a")] = 8
        keyword.__kwdefaults__ = {Key("a"): 5, "b": 6}
        for n in (3, 4, 5):
            for use in (isin, item, get, put):
                print(use({Key("a"): 1, "c": 2}, n), use(Space(a=1), n), shown())
            print(attribute(o, n), attribute(m, n), put_attribute(o, n), put_attribute(m, n))
            shown()  # the interpreter looks too, when it specialises an instruction
            print(calls(n), shown())
        text = '''
        def f(n):
            s = 0
            for i in range(n):
                s = s + len(str(a)) + int(i)
            return s
        def g(n):
            return f(n) + f(n)
        print([f(n) + g(n) for n in (3, 4, 5)])
        class C:
            b = a
            c = [a for i in range(3)]
        for i in range(3):
            a = a + 1
        '''
        for space in ({Key("a"): 1}, Space(a=1), {"a": 1, "__builtins__": {Key("len"): len, **vars(__builtins__)}},
                      {"a": 1, "__builtins__": Space(vars(__builtins__))}, {"a": 1, Key("__name__"): "x"}):
            exec(compile(textwrap.dedent(text), "t", "exec"), space)
            print(shown())
            exec(compile(textwrap.dedent(text.replace("f(n) + g(n)", "n")), "t", "exec"), {"a": 2}, space)
            print(shown())
        class Meta(type):
            def __prepare__(name, bases):
                return Space(a=1)
        class Made(metaclass=Meta):
            for i in range(5):
                b = a + i
            c = len("abc")
        print(shown())
        """,
    # What is no instruction is an error only when it is reached.
    "code with a byte that is no instruction": """
        import sys
        def f(n):
            return n + 1
        def run(f):
            try:
                return f(2)
            except SystemError as error:
                return str(error)
        bad = 238 if sys.version_info < (3, 12) else 229
        f.__code__ = f.__code__.replace(co_code=bytes([bad]) + f.__code__.co_code[1:])
        print([run(f) for _ in range(3)])
        """,
    # The constants of a code object go with it, also where a fragment of it was made.
    "a lambda of eval is gone at once": """
        import gc, weakref
        gc.disable()
        def make():
            return eval("lambda: 42")
        def look():
            f = make()
            ref = weakref.ref(f.__code__)
            del f
            return ref() is None
        print(look(), look(), look())
        """,
    # What capture finds, it lets go; no collection has to come for that.
    "what was looked at is gone at once": """
        import gc, weakref
        gc.disable()
        class A:
            k = 3
        def use(a, n):
            s = 0
            for i in range(n):
                s += i * a.k
                if s > 10**6 and n < 0:
                    print(s)
            return s
        def look():
            a = A()
            ref = weakref.ref(a)
            use(a, 1000)
            del a
            return ref() is None
        print(look(), look(), look())
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        print([type(g).__name__ for g in gc.garbage if type(g).__module__.startswith(("pijit.ir", "pijit.trace", "pijit.pycode"))])
        """,
    # Guards name functions and namespaces without owning them.
    "functions and modules that were met are gone at once": """
        import gc, sys, types, weakref
        gc.disable()
        class Canary:
            pass
        def make(source, name="f", **more):
            space = {"k": 3, **more}
            exec(source, space)
            return space.pop(name)
        def meet(f, n):
            s = 0
            for i in range(n):
                s = f(s, i)
            return s % 7, f(2, 3), f(2.5, 3)
        def met(source):
            f = make(source, canary=Canary())
            refs = [weakref.ref(f), weakref.ref(f.__code__), weakref.ref(f.__globals__["canary"])]
            found = meet(f, 40)
            del f
            return found, [ref() is None for ref in refs]
        for source in (
            "def f(s, i): return s + i * k",
            "def f(s, i):\\n for j in range(9):\\n  s = s + i * k\\n return s",
            "def f(s, i):\\n def g(x): return x + k\\n return g(s)",
            "def f(s, i, *, h=1): return s + h + k",
        ):
            print(met(source))
        def module(n):
            m = types.ModuleType("m")
            exec("k = 1\\ndef g(x): return x + k\\ndef f(n):\\n s = 0\\n for i in range(n): s = g(s)\\n return s", vars(m))
            m.canary = Canary()
            return m.f(n), weakref.ref(m.canary)
        for _ in range(3):
            s, ref = module(40)
            gc.collect()  # a module is a cycle of its own
            print(s, ref() is None)
        """,
    # A class may hold more than names, and looking one up compares it with them.
    "keys with an __eq__ of their own": """
        compared = []
        class Key:
            def __init__(self, name):
                self.name = name
            def __hash__(self):
                return hash(self.name)
            def __eq__(self, other):
                compared.append(other)
                return self.name == other
        Base = type("Base", (), {Key("k"): 3, Key("m"): 5})
        class X(Base):
            def add(self, n):
                return n + self.k
        def use(x, n):
            s = 0
            for i in range(n):
                s = s + x.k * X.m + x.add(i)
            return s
        for n in (1, 5, 50, 300):
            print(use(X(), n))
            X.other = n
        print(sorted(set(compared)))
        """,
    # As are bound methods of built-in objects, partials, modules.
    "what is callable and was met is gone at once": """
        import gc, types, weakref
        from functools import partial
        from random import Random
        from itertools import count
        gc.disable()
        def use(f, x, n):
            s = 0
            for i in range(n):
                s += i
                if n > 30:
                    f(x)
            return f is not None
        def look(make):
            f = make()
            ref = weakref.ref(f)
            used = use(f, 1, 40), use(f, 1, 3)
            del f
            return used, ref() is None
        class Items(list):
            pass
        def kept(make, name):
            things = make()
            ref = weakref.ref(things)
            used = use(getattr(things, name), 1, 40), use(getattr(things, name), 1, 3)
            del things
            return used, ref() is None
        for _ in range(3):
            print(look(lambda: [].append), look(lambda: partial(int)), look(lambda: partial(max, 3)))
            print(kept(Items, "append"), kept(Items, "count"), kept(lambda: Random(3), "seed"))
        def module(n):
            m = types.ModuleType("m")
            m.k = 2
            s = 0
            for i in range(n):
                s += i * m.k
            return s, weakref.ref(m)
        for _ in range(3):
            s, ref = module(40)
            print(s, ref() is None)
        """,
    # What a compilation allocates is not counted, listed or collected with what the program does.
    "the garbage collector": """
        import gc
        log = []
        gc.callbacks.append(lambda phase, info: log.append((phase, info["generation"], info["collected"])))
        class Node:
            def __init__(self, k):
                self.me, self.k = self, k
        def work(n):
            out = 0.0
            for i in range(n):
                Node(i)
                out = out + i * 0.5
            return out
        def other(n, text):
            for c in text:
                if c == "a":
                    n += 1
                elif c == "b":
                    n *= 2
            return n
        def step(k):
            work(300 + k)
            other(k, "abcabc" * k)
            other(k * 0.5, ["a", "b"])
            return gc.get_count()[1:]
        for _ in range(9):
            gc.collect()  # one stops listing the tuples of numbers and texts, the next those that hold only such tuples, ...
        for k in range(20):
            log.clear()
            objects, collections = len(gc.get_objects()), gc.get_stats()[0]["collections"]
            print(k, step(k), gc.collect(), gc.isenabled(), gc.get_stats()[0]["collections"] - collections, log)
            print(k < 1 or len(gc.get_objects()) - objects)
        gc.disable()
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        other(True, ["a"]), other(1j, "abab"), other(2**80, "ab")
        print(gc.get_count()[0] < 20, gc.collect(), gc.isenabled(), len(gc.garbage), gc.get_debug() == gc.DEBUG_SAVEALL)
        """,
    # No compilation comes between two counts: neither its objects nor those that it leaves on free lists for the next of their kind.
    "counts of objects and blocks": """
        import gc, sys
        def counted(make):
            gc.collect()
            before, *older = gc.get_count()
            made = make(5)
            after, *old = gc.get_count()
            return after - before, older, old
        def listed():
            gc.collect()
            before, *older = gc.get_count()
            made = []
            after, *old = gc.get_count()
            return after - before, older, old
        def keyed():
            gc.collect()
            before = gc.get_count()[0]
            made = {}
            between = gc.get_count()[0]
            more = {1: made}
            return gc.get_count()[0] - between, between - before
        def blocks():
            first = sys.getallocatedblocks()
            gc.collect()
            second = sys.getallocatedblocks()
            gc.collect()
            third = sys.getallocatedblocks()
            return second <= first, abs(third - second) < 10
        for _ in range(4):
            print(listed(), keyed(), blocks())
            print(counted(lambda n: []), counted(lambda n: {}), counted(lambda n: ([n], n)))
        """,
    # What is compiled meanwhile, by itself and in what is called, is none of the program's; 3.11 counts references to None.
    "counts of blocks and references": """
        import gc, sys, tracemalloc
        def check(value, *others):
            total = 0
            for other in others:
                total += other
            return value, None, total, [other for other in others if other is not None]
        class Counts:
            def blocks(self):
                first = sys.getallocatedblocks()
                gc.collect()
                check(first, 1, 2)
                second = sys.getallocatedblocks()
                self.more(3)
                for i in range(20):
                    self.more(i)
                gc.collect()
                return abs(sys.getallocatedblocks() - second) < 50
            def references(self):
                before = sys.getrefcount(None)
                check(before, 1.5, 2.5)
                self.other(3)
                return abs(sys.getrefcount(None) - before) < 5
            def more(self, n):
                return check(n, *[None, 4][1:]), (lambda: n)()
            def other(self, n):
                s = 0.0
                for i in range(n):
                    s += i
                return s, None
            def traced(self):
                tracemalloc.start()
                made, size = self.large(1 << 20)
                now, peak = tracemalloc.get_traced_memory()
                check(now, 3)
                snapshot = tracemalloc.take_snapshot()
                tracemalloc.stop()
                return now - size < 4096, peak - now < 4096, sum(one.size for one in snapshot.statistics("filename")) - size < 16384
            def large(self, n):
                data = bytearray(n)
                return data, len(data)
        def work(n):
            return sum(Counts().other(i)[0] for i in range(n))
        for _ in range(4):
            print(Counts().blocks(), Counts().references(), Counts().traced(), work(20))
        """,
    # Native code names NumPy's dtypes without a reference.
    "references to a dtype": """
        from sys import getrefcount as references  # what names the function itself is not compiled between two calls
        import numpy as np
        kept = np.dtype(np.int16)
        def constants(data):
            before = references(np.dtype(np.intp)), references(np.dtype(np.double)), references(kept)
            for j in range(10):
                np.bincount(data)
            between = references(np.dtype(np.intp)), references(np.dtype(np.double)), references(kept)
            for j in range(10):
                np.bincount(data, data)
                np.zeros(3, kept).sum()
            after = references(np.dtype(np.intp)), references(np.dtype(np.double)), references(kept)
            return [b - a for a, b in zip(before, between)], [b - a for a, b in zip(before, after)]
        def named(data, dtype):
            return data.astype(dtype) if dtype is kept else data
        for _ in range(4):
            print(constants([1, 2, 3]))
            before = references(kept)
            sums = [named(np.ones(3), dtype).sum() for dtype in (kept, np.dtype(np.int8)) * 3]
            print(references(kept) - before, sums)
        """,
    # An audit hook in Python runs in the middle of sys.settrace.
    "events with an audit hook": """
        import sys
        sys.addaudithook(lambda name, args: None)
        class Letters:
            def __init__(self, it):
                self.it = iter(it)
            def __aiter__(self):
                return self
            async def __anext__(self):
                try:
                    return next(self.it)
                except StopIteration:
                    raise StopAsyncIteration
        async def work():
            async for letter in Letters("abc"):
                x = letter
            return x
        def run(setter):
            events = []
            def trace(frame, event, arg):
                if frame.f_code.co_filename == __file__:
                    events.append((frame.f_lineno, event))
                    return trace
            coroutine = work()
            try:
                setter(trace)
                coroutine.send(None)
            except StopIteration as error:
                events.append(error.value)
            finally:
                setter(None)
            return events
        for setter in (sys.settrace, sys.setprofile) * 3:
            print(run(setter))
        """,
    # Imports of the compiler, code objects, files of the cache: none of it is what the program does; and a hook may forbid anything.
    "audit hooks": """
        import sys
        asked = []
        class Hook:
            def __init__(self, forbidden):
                self.forbidden, self.open, self.seen = forbidden, True, []
            def __getattr__(self, name):
                asked.append(name)
                raise AttributeError(name)
            def __call__(self, event, args):
                if self.open:
                    self.seen.append(event)
                    if event in self.forbidden:
                        raise RuntimeError(event)
        def work(n, scale):
            total = scale
            for i in range(n):
                total = total + i * scale
                sys.audit("program.step")
            return total
        def inner(n):
            def add(x, y=n):
                return [x + y for y in range(y)]
            return [add(i)[-1] for i in range(1, n)]
        def tried(call, *args):
            try:
                return call(*args)
            except RuntimeError as error:
                return str(error)
        def forbidding(*names):
            asked.clear()
            hook = Hook(names)
            sys.addaudithook(hook)
            results = [tried(work, n, scale) for n in (3, 40, 300) for scale in (1, 0.5, 2 ** 70)]
            results += [tried(inner, n) for n in (3, 9, 30)]
            results += [tried(compile, "1 + 1", "text", "eval") is not None, tried(open, __file__) is not None, tried(exec, "1 + 1")]
            hook.open = False
            return results, hook.seen, len(asked)
        first = forbidding("open", "import", "compile", "code.__new__", "sys._getframe", "ctypes.dlopen", "marshal.loads", "exec", "os.listdir")
        print(first)
        print(forbidding("program.step"))
        print(forbidding())
        """,
    # Whoever is told of imports is told of the program's, wherever what compiles is found.
    "the import system": """
        import builtins, json.decoder, sys
        seen, real = [], builtins.__import__
        def told(name, *args, **kwargs):
            seen.append(name)
            return real(name, *args, **kwargs)
        class Finder:
            def find_spec(self, name, path=None, target=None):
                seen.append(name)
        def hook(path):
            seen.append(path)
            raise ImportError
        def fails(*args):
            raise ZeroDivisionError
        def work(n, scale):
            total = scale
            for i in range(n):
                total = total + i * scale
            return total
        def other(n, scale):
            return [work(k, scale) for k in range(n)][-1]
        def importing(n):
            for i in range(n):
                import json.decoder as found
            return found.__name__
        def run(n):
            seen.clear()
            results = [call(k, scale) for call in (work, other) for k in (3, 40, n) for scale in (1, 0.5, 2 ** 70)]
            return results, importing(3), seen
        path, finders, hooks = sys.path[:], sys.meta_path, sys.path_hooks
        sys.path_importer_cache.clear()
        sys.path[:] = []
        print(run(100), sys.path)
        sys.path[:] = path
        sys.meta_path = [Finder(), *finders]
        sys.path_hooks.insert(0, hook)
        print(run(200), len(sys.meta_path), sys.path_hooks is hooks)
        builtins.__import__ = told
        print(run(300), builtins.__import__ is told)
        builtins.__import__ = fails
        try:
            print(work(300, 2j), importing(1))
        except ZeroDivisionError:
            print("raised")
        del builtins.__import__
        print(work(300, 1 << 62), hasattr(builtins, "__import__"))
        builtins.__import__ = real
        """,
    # The free function of another user of code extras runs for that user's code objects only.
    "another user of code extras": """
        import ctypes, sys
        new = sys.version_info >= (3, 12)
        freefunc = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        request = getattr(ctypes.pythonapi, "PyUnstable_Eval_RequestCodeExtraIndex" if new else "_PyEval_RequestCodeExtraIndex")
        request.argtypes, request.restype = (freefunc,), ctypes.c_ssize_t
        put = getattr(ctypes.pythonapi, "PyUnstable_Code_SetExtra" if new else "_PyCode_SetExtra")
        put.argtypes, put.restype = (ctypes.py_object, ctypes.c_ssize_t, ctypes.c_void_p), ctypes.c_int
        freed = []
        keep = freefunc(freed.append)
        index = request(keep)
        def make(text):
            space = {}
            exec(text, space)
            return space.pop("f")
        def look(value):
            f = make("def f(n):\\n s = 0\\n for i in range(n): s += i\\n return s")
            for _ in range(3):
                f(1000)
            if value:
                extra = make("def f(n): return n")
                put(extra.__code__, index, value)
        for value in (0, 100, 0, 200, 0):
            look(value)
        print(freed)
        """,
}


# Of these everything is compiled, whether it pays or not.
COMPILED = (
    "looking runs nothing", "functions and modules that were met are gone at once", "a lambda of eval is gone at once",
    "what is callable and was met is gone at once", "the garbage collector", "references to a dtype", "keys with an __eq__ of their own",
)  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_without_pijit(name, tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAMS[name]))
    plain, ours = lines_of(tmp_path, **({"PIJIT_COMPILE_ALL": "1"} if name in COMPILED else {}))
    assert ours == plain


def test_id_asks_the_hooks_that_there_are(tmp_path):
    """pijit's own in C would make each id() dearer; those of the program are told as ever."""
    (tmp_path / "program.py").write_text('''
import sys
class Thing: pass
things = [Thing(), Thing()]
def places():
    return [id(thing) for thing in things]
for _ in range(300):
    found = places()
print(found == [int(object.__repr__(thing).rpartition("0x")[2].rstrip(">"), 16) for thing in things])
try:
    id()
except TypeError as e:
    print(e)
told = []
sys.addaudithook(lambda event, args: told.append(args[0] == 7 or len(args)) if event == "builtins.id" else None)
id(5)
print(told, id.__name__, id.__self__.__name__, id.__doc__)
''')
    plain, enabled = lines_of(tmp_path)
    assert plain == enabled
    assert plain[0] == "True"
    assert plain[2].startswith("[1]")


def test_errno_is_the_programs():
    """C code may look at errno after Python code that it has called: a compile leaves it as it was."""
    libc = ctypes.PyDLL(None)
    libc.__errno_location.restype = ctypes.POINTER(ctypes.c_int)
    place = libc.__errno_location()
    fast = pijit.jit(eval("lambda x: x * 2.5 + 1.0"))
    place[0] = 77
    assert fast(2.0) == 6.0
    assert place[0] == 77
    assert pijit.stats(fast).hits


HASHES = """
log = []
class A:
    def __hash__(self):
        log.append("hash")
        return 3
class B:
    __hash__ = None
class Late:
    value = 5
late = Late()
def in_a_dict(a):
    d = {}
    d[a] = 5
    return len(d)
def in_a_set(a):
    d = set()
    d.add((a, 1))
    d.add(a)
    return len(d)
def refused(n):
    b, d = B(), {}
    try:
        d.setdefault(b, n)
    except TypeError as e:
        return str(e), b in [b]
def not_its_own(n):
    log.append(n)
    try:
        del late.value
    except AttributeError as e:
        return str(e)
def f(n):
    log.clear()
    a = A()
    str(a.__class__)
    return in_a_dict(a), in_a_set(a), refused(n), not_its_own(n), list(log)
"""


def test_hashes_are_asked_for_as_often():
    """What containers hold is known by putting objects like it into one like them; and nothing is done twice."""
    check_calls(HASHES, [(2,), (2,), (3,)], entry="f")
