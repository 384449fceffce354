"""What built-in containers and texts do, done natively in the middle of a fragment: csrc/deeds.c.

Nothing here runs code of the program's: native code asks first whether keys and items are such that Python would not either (of built-in
types, or without an `__eq__` of their own), and leaves before the instruction otherwise; so it does where Python raises. What a result is
like is guessed from an object like the container (a *sample*), and checked at run time: an unexpected one goes on after the instruction.
"""

from __future__ import annotations

import operator
import types
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any

from ..ground.names import is_heap_class, is_one_of
from ..ir.graph import Exit, Op, Recipe, Value, const, recipe_values
from ..ir.graph import Known as KnownRecipe
from ..ir.types import BOOL, FLOAT, INT, Np, Obj, Type
from . import caught, objects, opaque, standins, telling
from .inputs import is_inner
from .instances import settled
from .values import (
    END,
    Abstract,
    Break,
    Complex,
    Container,
    Inside,
    Instance,
    Known,
    Opaque,
    Scalar,
    items_of,
    value_of,
)

if TYPE_CHECKING:
    from .tracer import Tracer

MAPPINGS = (dict, defaultdict, Counter)  # whose items are looked up as those of a dict, as long as they are there
SETS = (set, frozenset)
_KEYS = (str, int, bool, float, bytes, type(None), tuple, complex)
_NO_COUNT = Counter.__missing__
_FACTORIES = (int, float, bool, complex, str, tuple, list, dict, set)  # as in csrc/dict_deeds.c
_UNKNOWN = objects.MISSING
NOTHING = object()
VIEWS: dict[str, Callable[[Any], Any]] = {"dict_keys": dict.keys, "dict_values": dict.values, "dict_items": dict.items}


def is_mapping(value: Abstract) -> bool:
    return isinstance(value, Opaque) and is_one_of(value.cls, MAPPINGS)


def is_set(value: Abstract) -> bool:
    return isinstance(value, Opaque) and is_one_of(value.cls, SETS)


def is_key(key: Abstract, looked_up: bool = False) -> bool:
    """Whether native code can look a key up, as far as is known before it runs. ``looked_up``: it is not stored, and an int of NumPy's will do, which
    has the hash of Python's and is equal to what that is equal to."""
    items = items_of(key)
    if items is not None:
        inside = looked_up and _is_tuple(key)
        return not isinstance(key, Instance) and all(is_key(item, inside) for item in items)
    if isinstance(key, Known):
        return is_one_of(type(key.value), _KEYS)
    if isinstance(key, Scalar):
        return key.value.type in (INT, FLOAT, BOOL) or (looked_up and _is_int_of_numpy(key))
    return isinstance(key, Opaque) and (key.cls is None or is_heap_class(key.cls) or is_one_of(key.cls, _KEYS))


def checked_key(key: Abstract, what: str, looked_up: bool = False) -> None:
    if not is_key(key, looked_up):
        from .operators import describe

        raise Break("unsupported_type", f"{what} of {describe(key)}")


def _is_tuple(key: Abstract) -> bool:
    return isinstance(key, Container) and key.kind == "tuple"


def _is_int_of_numpy(key: Abstract) -> bool:
    return isinstance(key, Scalar) and isinstance(key.value.type, Np) and key.value.type.dtype.kind in "iu"


def _as_pythons(t: Tracer, key: Abstract) -> Abstract:
    """A key to look up, with Python's ints in place of NumPy's."""
    from .operators import cast

    if isinstance(key, Container) and _is_tuple(key):
        items = tuple(_as_pythons(t, item) for item in key.items)
        return key if all(map(operator.is_, items, key.items)) else Container("tuple", items)
    return Scalar(cast(t, key.value, INT)) if isinstance(key, Scalar) and _is_int_of_numpy(key) else key


def as_object(t: Tracer, value: Abstract) -> Value:
    """A value that native code has a pointer to."""
    return as_opaque(t, value).value


def as_opaque(t: Tracer, value: Abstract) -> Opaque:
    """What is known is an object from the start."""
    if isinstance(value, Opaque):
        return value
    assert isinstance(value, Known)
    key = ("object", id(value.value))
    found = t.entry_values.get(key)
    if found is None:
        made = t.entry_op("box", (), Obj(type(value.value).__name__), arguments=(KnownRecipe(value.value),))
        found = t.entry_values[key] = Opaque(made, type(value.value))
        t.samples[made] = value.value
    assert isinstance(found, Opaque)
    return found


# ---- deeds -----------------------------------------------------------------------------------------------------------------


_OF_SECOND = frozenset({"call", "clear", "dict_clear", "deque_put", "heap_made"})  # given a function, and then the container


def do(t: Tracer, deed: str, args: list[Abstract], sample: Any = NOTHING, pure: bool = False) -> Abstract:
    """Does it. ``sample``: an object like the result, MISSING: of some type, NOTHING: there is none. ``pure``: it may be done again."""
    if not pure and not t.last_micro:
        raise Break("side_effect", deed)
    args = settled(t, *args, fixed="none" if pure else "shared")
    given = tuple(arg.recipe() for arg in args)
    found = _emit(t, deed, given, pure, Obj() if sample is not NOTHING else None, not pure and isinstance(_changed(deed, args), Inside))
    return Known(None) if found is None else result(t, found, sample, not pure)


def _changed(deed: str, args: list[Abstract]) -> Abstract:
    """What a deed changes."""
    return args[1] if deed in _OF_SECOND and len(args) > 1 else args[0]


def store_in_cell(t: Tracer, cell: Opaque, value: Abstract) -> None:
    """Gives a new cell, which nobody sees as yet, what its variable holds."""
    _emit(t, "cell_store", (cell.recipe(), value.recipe()), True, None)


def _emit(t: Tracer, deed: str, given: tuple[Recipe, ...], pure: bool, type: Type | None, own: bool = False) -> Value | None:
    values = tuple(dict.fromkeys(v for recipe in given for v in recipe_values(recipe)))
    attrs = {"deed": deed, "arguments": given, "pure": pure, "own": own or None}
    op = Op("do", values, () if type is None else (type,), attrs, {"redo": t.exit("redo", "container")}, t.line)
    t.append(op)
    return None if type is None else op.result


def result(t: Tracer, found: Value, sample: Any, done: bool) -> Abstract:
    """The object that something gave, as what the sample is. ``done``: it must not be done again, so another one goes on with it."""
    if sample is _UNKNOWN:
        return Opaque(found, None)
    exit = opaque.going_on(t, [frame.copy() for frame in t.state.frames], Opaque(found, None)) if done and t.last_micro else None
    return opaque.like(t, found, sample, exit)


def find(t: Tracer, what: str, owner: Opaque, key: Abstract, *default: Value) -> Value:
    """A lookup: "item" (the object, or native code leaves), "has" (whether it is there), "get" (the object, or the default)."""
    (key,) = settled(t, _as_pythons(t, key))
    given = (key.recipe(),)
    values = tuple(v for recipe in given for v in recipe_values(recipe))
    type = BOOL if what == "has" else Obj()
    op = Op("find", (owner.value, *default, *values), (type,), {"what": what, "arguments": given}, {"redo": t.exit("redo", "container")}, t.line)
    t.append(op)
    return op.result


# ---- dicts -----------------------------------------------------------------------------------------------------------------


def _value_sample(t: Tracer, owner: Opaque, key: Abstract) -> Any:
    """An object like what the dict holds under the key; MISSING where it holds nothing."""
    held = t.samples.get(owner.value)
    if not held:
        return _UNKNOWN
    like = standins.sample_of(t, key)
    like = (int(like[0]),) if _is_int_of_numpy(key) and like is not None else like
    if like is not None and is_one_of(type(like[0]), (str, int, float, bool)) and all(is_one_of(type(k), _KEYS) for k in held):
        found = dict.get(held, like[0], _UNKNOWN)
        if found is not _UNKNOWN:
            return telling.value(held, found)
    return telling.item(dict.values(held))


def dict_item(t: Tracer, owner: Opaque, key: Abstract) -> Any:
    """owner[key]"""
    checked_key(key, "an item", looked_up=True)
    if owner.cls is Counter and objects.class_lookup(Counter, "__missing__") is _NO_COUNT:
        t.guards.member(Counter, "__missing__", _NO_COUNT)
        return dict_get(t, owner, key, Known(0))
    sample = _value_sample(t, owner, key)
    factory = _factory(t, owner)
    if factory is not None:
        return _item_or_made(t, owner, key, factory, factory() if sample is _UNKNOWN else sample)
    if sample is _UNKNOWN:
        raise unseen(t, owner)
    functions = functions_in(t.samples.get(owner.value))
    found = _item(t, owner, key)
    return _among_values(t, owner, opaque.like(t, found, sample)) if functions is None else one_of(t, found, functions)


def _among_values(t: Tracer, owner: Opaque, made: Abstract) -> Abstract:
    """What a dict holds, of which its other values tell."""
    held = t.samples.get(owner.value)
    return telling.with_siblings(t, made, dict.values(held)) if isinstance(held, MAPPINGS) else made


def _factory(t: Tracer, owner: Opaque) -> type | None:
    """What a defaultdict seems to make of keys that it has not, where that may be done here: it can be seen, so not in the step of a generator."""
    held = t.samples.get(owner.value) if owner.cls is defaultdict else None
    factory = getattr(held, "default_factory", None)
    is_step = not t.last_micro or t.state.consumer is not None
    return factory if not is_step and any(factory is known for known in _FACTORIES) else None


def _item_or_made(t: Tracer, owner: Opaque, key: Abstract, factory: type, sample: Any) -> object:
    """Ends the instruction with what a defaultdict has under the key on the stack, or with what is made for it."""
    checked_key(key, "an item")
    (key,) = settled(t, key, fixed="shared")
    may_store(t, owner, key)
    nothing = as_object(t, Known(objects.MISSING))
    held = find(t, "get", owner, key, nothing)

    def made() -> Abstract:
        found = do(t, "dict_made", [owner, key, Known(factory)], sample)
        stored(t, owner, key, found)
        return found

    return one_of_two(t, t.emit("same", (held, nothing), BOOL), made, lambda: opaque.like(t, held, sample))


def _item(t: Tracer, owner: Opaque, key: Abstract) -> Value:
    args = Container("tuple", (key,))
    if owner.cls is not dict or not caught.catches(t, KeyError, args):
        return find(t, "item", owner, key)
    nothing = as_object(t, Known(objects.MISSING))
    found = find(t, "get", owner, key, nothing)
    caught.where(t, t.emit("same", (found, nothing), BOOL), KeyError, args)
    return found


def has_key(t: Tracer, owner: Opaque, key: Abstract) -> Value:
    """key in owner, of a dict or set."""
    checked_key(key, "a membership", looked_up=True)
    return find(t, "has", owner, key)


def dict_get(t: Tracer, owner: Opaque, key: Abstract, default: Abstract) -> Any:
    """owner.get(key, default)"""
    checked_key(key, "an item", looked_up=True)
    sample = _value_sample(t, owner, key)
    if sample is _UNKNOWN:
        like = standins.sample_of(t, default)
        sample = like[0] if like is not None and value_of(default) is not None else sample
    if sample is _UNKNOWN:
        raise unseen(t, owner)
    if isinstance(default, Known) and type(default.value) is type(sample) and is_one_of(type(sample), (int, float)):
        return opaque.like(t, find(t, "get", owner, key, as_object(t, default)), sample)

    def held() -> Abstract:
        return _among_values(t, owner, opaque.like(t, find(t, "item", owner, key), sample))

    return one_of_two(t, has_key(t, owner, key), held, lambda: default)


def one_of_two(t: Tracer, condition: Value, yes: Callable[[], Any], no: Callable[[], Any]) -> object:
    """Ends the instruction with what ``yes`` gives on the stack where the condition holds, else with what ``no`` gives; None: that way has left, END:
    it has ended in ways of its own."""
    if not t.last_micro:
        raise Break("call_arguments", "a result of two types")
    onward = t.state.frame.bytecode.at(t.state.frame.pc).next

    def follow(number: int) -> None:
        found = (yes, no)[number]()
        if found is not None and found is not END:
            t.state.frame.stack.append(found)
            t.state.frame.pc = onward
            # nothing would say which object a complex number is (opt.identity)
            t.block.end = t.goto(t.state, meets=not isinstance(found, Complex))

    t.ways([lambda: condition], follow)
    return END


def dict_store(t: Tracer, owner: Opaque, key: Abstract, value: Abstract, again: bool = False) -> None:
    """owner[key] = value. ``again``: into a dict that nobody has seen, so it may be done again with another one."""
    checked_key(key, "a store")
    may_store(t, owner, key)
    do(t, "dict_store", [owner, key, value], pure=again)
    stored(t, owner, key, value)


def dict_default(t: Tracer, owner: Opaque, key: Abstract, default: Abstract) -> Abstract:
    """owner.setdefault(key, default)"""
    checked_key(key, "a store")
    may_store(t, owner, key)
    sample = _value_sample(t, owner, key)
    if sample is _UNKNOWN:
        like = standins.sample_of(t, default)
        sample = like[0] if like is not None else sample
    (default,) = settled(t, default, fixed="shared")
    found = do(t, "dict_default", [owner, key, default], sample)
    stored(t, owner, key, default)
    return found


def dict_pop(t: Tracer, owner: Opaque, key: Abstract, *default: Abstract) -> Abstract:
    """owner.pop(key[, default])"""
    checked_key(key, "an item")
    may_store(t, owner, key)
    sample = _value_sample(t, owner, key)
    if sample is _UNKNOWN and is_own(t, owner):
        raise unseen(t, owner)
    found = do(t, "dict_pop", [owner, key, *default], sample)
    forgotten(t, owner, key)
    return found


def dict_delete(t: Tracer, owner: Opaque, key: Abstract) -> None:
    """del owner[key]"""
    checked_key(key, "an item")
    may_store(t, owner, key)
    do(t, "dict_delete", [owner, key])
    forgotten(t, owner, key)


def may_store(t: Tracer, owner: Opaque, key: Abstract) -> None:
    """A text that is not known may be any name: of what the dict may be the namespace, such as a module or an instance. What is no module's
    becomes none by being stored into; a defaultdict is no module's, and where it is what code runs in nothing is native."""
    from . import views

    views.may_store(t)
    if _is_name(key) and owner.cls is dict and owner.value not in t.new:
        objects.holds(t, owner, "no_item", "__name__", ("module",), "is no namespace")


def _is_name(key: Abstract) -> bool:
    cls = type(key.value) if isinstance(key, Known) else key.cls if isinstance(key, Opaque) else tuple
    return cls is None or cls is str


def forgotten(t: Tracer, owner: Opaque, key: Abstract) -> None:
    """The keys and items of a dict are no longer what they were."""
    t.stored_here.add(("keys",))
    objects.forget(t, ("keys",))
    if _is_name(key):
        forget_names(t, owner)


def forget_names(t: Tracer, owner: Opaque) -> None:
    """The same, where a key may be any text."""
    t.stored_here.add(objects.ANY_NAME)
    origin = objects.origin_of(t, owner)
    if origin is not None:
        t.stored_dicts[origin] = None
    elif owner.value not in t.new:
        t.stored_here.add(objects.ANY_FIELD)
    objects.forget(t, objects.ANY_NAME)


def stored(t: Tracer, owner: Opaque, key: Abstract, value: Abstract) -> None:
    """A dict or set that the fragment makes is like what is put into it."""
    forgotten(t, owner, key)
    like, held = standins.sample_of(t, key), standins.sample_of(t, value)
    if like is not None and held is not None and is_hashable(like[0]):
        seen(t, owner, lambda sample: sample.__setitem__(like[0], held[0]))


def is_hashable(key: Any) -> bool:
    """Whether an object's hash and == are none of the program's code."""
    cls = type(key)
    if cls is tuple:
        return all(map(is_hashable, key))
    own = any(objects.class_lookup(cls, name) is not object.__dict__[name] for name in ("__hash__", "__eq__"))
    return not own or any(cls is one for one in _KEYS)


# ---- functions that are kept in containers ---------------------------------------------------------------------------------

_CALLED = (types.FunctionType, types.BuiltinFunctionType, type)
_MOST = 6  # functions in one container that are told apart


def functions_in(held: Any) -> list[Any] | None:
    """The functions and classes in a container that holds nothing else, and no more than a few; None for any other."""
    items = list(dict.values(held)) if isinstance(held, MAPPINGS) else held if is_one_of(type(held), (list, tuple)) else ()
    if not items or len(items) > 100 or not all(is_one_of(type(item), _CALLED) for item in items):
        return None
    found = list({id(item): item for item in items}.values())
    return found if len(found) <= _MOST and not any(map(is_inner, found)) else None


def one_of(t: Tracer, found: Value, functions: list[Any], exit: Exit | None = None) -> Any:
    """Ends the instruction with one of some functions on the stack, whichever an object is; leaves where it is none of them: does the
    instruction again, or takes the exit that is given."""
    if not t.last_micro:
        raise Break("unsupported_call", "one of several functions")
    frame = t.state.frame
    onward = frame.bytecode.at(frame.pc).next

    def is_it(function: Any) -> Value:
        return t.emit("same", (found, as_object(t, Known(function))), BOOL)  # type: ignore[no-any-return]

    def follow(number: int) -> None:
        if number == len(functions) - 1:
            t.append(Op("check", (is_it(functions[-1]),), (), {}, {"redo": exit or t.exit("redo", "guard_identity")}, t.line))
        chosen = t.state.frame
        chosen.stack.append(Known(functions[number]))
        chosen.pc = onward
        t.block.end = t.goto(t.state)

    t.ways([partial(is_it, function) for function in functions[:-1]], follow)
    return END


# ---- what is like them -----------------------------------------------------------------------------------------------------


def make(t: Tracer, deed: str, args: list[Abstract], sample: Any) -> Abstract:
    """A container that a deed makes, which holds what it is given."""
    return own(t, do(t, deed, settled(t, *args, fixed="shared"), sample, pure=True))


def own(t: Tracer, made: Abstract) -> Opaque:
    """A container that the fragment makes; what was put into it in an earlier capture is known already."""
    assert isinstance(made, Opaque)
    site = (t.state.frame.bytecode.code, t.state.frame.pc)
    t.own.add(made.value)
    t.new.add(made.value)
    earlier = t.made.get(("like", site))
    if earlier is not None and not t.samples.get(made.value) and type(earlier) is made.cls:
        t.samples[made.value] = earlier
    t.sites[id(t.samples[made.value])] = site, t.samples[made.value]
    return Inside(made.value, made.cls) if t.state.is_in_call() else made


def made_at(t: Tracer, owner: Abstract) -> tuple[CodeType, int] | None:
    """The code and the instruction that made a container of the fragment's, else None."""
    sample = t.samples.get(owner.value) if isinstance(owner, Opaque) and is_own(t, owner) else None
    found: tuple[CodeType, int] | None = t.sites.get(id(sample), (None, None))[0]
    return found


def is_own(t: Tracer, owner: Abstract) -> bool:
    """Whether a container is one that the fragment makes."""
    return isinstance(owner, Opaque) and owner.value in t.own


def seen(t: Tracer, owner: Abstract, put: Callable[[Any], object]) -> None:
    """Something is put into a container: into the sample of one that the fragment makes, if that has nothing in it."""
    sample = t.samples.get(owner.value) if isinstance(owner, Opaque) and is_own(t, owner) else None
    if sample is None or len(sample):
        return
    put(sample)
    site, _ = t.sites.get(id(sample), (None, None))
    if site is not None:
        t.made["like", site] = sample
        t.again |= site in t.unseen


def unseen(t: Tracer, owner: Abstract) -> Break:
    """The break at something that is taken out of a container of which nothing is known, as yet."""
    from .operators import describe

    sample = t.samples.get(owner.value) if isinstance(owner, Opaque) else None
    site, _ = t.sites.get(id(sample), (None, None))
    if site is not None:
        t.unseen.add(site)
    return Break("was_empty", describe(owner))


def item_sample(t: Tracer, owner: Abstract, container: Any = _UNKNOWN) -> Any:
    """An object like the first item of a built-in container."""
    held = t.samples.get(owner.value) if isinstance(owner, Opaque) and container is _UNKNOWN else container
    if held is _UNKNOWN or held is None or not len(held):
        raise unseen(t, owner)
    return telling.item(held)


# ---- texts and bytes -------------------------------------------------------------------------------------------------------


def text(t: Tracer, which: str, type: Type, *args: Value) -> Value:
    """A number that texts or bytes give: one of the functions in ir.run_calls.TEXTS."""
    return t.emit("text", args, type, which=which, reason="container")  # type: ignore[no-any-return]


def char(t: Tracer, owner: Abstract, index: Value) -> Abstract:
    """Item ``index`` of a text, where the index is in range."""
    made = t.emit("char", (as_object(t, owner), index), Obj("str"), reason="memory")
    t.samples[made] = "x"
    return Opaque(made, str)


LIKE = 100  # characters of a text that stands for others


def part(t: Tracer, owner: Abstract, bounds: Abstract) -> Abstract:
    """A slice of a list, tuple, text or bytes: a new one."""
    like = standins.sample_of(t, owner)
    sample: Any = _UNKNOWN
    if like is not None:
        ends = [end.value for end in bounds.inner() if isinstance(end, Known) and is_one_of(type(end.value), (int, bool, type(None)))]
        known = len(ends) == len(bounds.inner()) and ends[-1] != 0  # a step of 0 raises
        listed = is_one_of(objects.class_of(owner), (list, tuple))
        sample = like[0][slice(*ends)] if known else like[0]  # of a list, how many there are is counted on
        sample = sample if listed else sample[:LIKE]
    sample = list(sample) if type(sample) is list else sample
    if objects.class_of(owner) is list:
        return own(t, do(t, "list_slice", [owner, bounds], sample, pure=True))
    return do(t, "call", [Known(operator.getitem), owner, bounds], sample, pure=True)


def pieces(t: Tracer, made: Abstract) -> Abstract:
    """A new list of pieces of a text: there are others each time."""
    assert isinstance(made, Opaque)
    t.pieces.add(made.value)
    return own(t, made)


def into(t: Tracer, made: Abstract, n: int) -> None:
    """So many pieces are wanted: that the text of a sample has others says nothing."""
    sample = t.samples.get(made.value) if isinstance(made, Opaque) and made.value in t.pieces else None
    if type(sample) is list and sample:
        sample[:] = (sample * n)[:n]


def byte(t: Tracer, owner: Abstract, index: Value) -> Abstract:
    return Scalar(text(t, "byte", INT, as_object(t, owner), index))


def is_text(value: Abstract, *classes: type) -> bool:
    cls = objects.class_of(value)
    return any(cls is one for one in classes or (str,))


def compare(t: Tracer, symbol: str, left: Abstract, right: Abstract) -> Abstract:
    """left <symbol> right of two texts."""
    one, other = as_object(t, left), as_object(t, right)
    if symbol in ("==", "!="):
        same = t.emit("cmp", (text(t, "same", INT, one, other), const(0)), BOOL, symbol="!=" if symbol == "==" else "==")
        return Scalar(same)
    return Scalar(t.emit("cmp", (text(t, "order", INT, one, other), const(0)), BOOL, symbol=symbol))

