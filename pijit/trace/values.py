"""Abstract values: what capture knows of each object on the frame.

Every class lists the graph values it is made of (`parts`) and can be remade from others (`remade`), so that block parameters,
joins and recipes need no case per class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import is_
from typing import Any

import numpy as np

from pijit.ground.records import dataclass, field, replace

from ..ground.names import is_one_of
from ..ir.graph import Box, Build, Const, Keep, Null, Op, Recipe, Unset, Value, const
from ..ir.graph import Known as KnownRecipe
from ..ir.types import INT, Array, Np, Type
from ..ir.types import Scalar as ScalarType


class Abstract:
    """Base. ``parts`` are graph values; ``remade(iterator)`` is the same value on other parts; ``recipe`` makes the object."""

    __slots__ = ()

    def parts(self) -> tuple[Value, ...]:
        return ()

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return self

    def shape(self) -> object:
        """Equal for values that differ in their parts only."""
        return (type(self).__name__,)

    def recipe(self) -> Recipe:
        raise NotImplementedError(type(self).__name__)

    def inner(self) -> tuple[Abstract, ...]:
        """The abstract values that this one is made of."""
        return ()

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        """The same value made of others."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Known(Abstract):
    """An object known at capture time (held by guards, or a constant)."""

    value: Any

    def shape(self) -> object:
        cls = type(self.value)
        if is_one_of(cls, (int, bool, float, str, type(None))):
            return ("Known", id(cls), repr(self.value) if cls is float else self.value)  # -0.0 is another one than 0.0, and a NaN like itself
        return ("Known", id(self.value))

    def recipe(self) -> Recipe:
        return KnownRecipe(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Abstract):
    """A Python int, float or bool or a NumPy scalar whose value is known at run time only."""

    value: Value

    @property
    def type(self) -> Type:
        return self.value.type

    def parts(self) -> tuple[Value, ...]:
        return (self.value,)

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Scalar(next(parts))

    def shape(self) -> object:
        return ("Scalar", self.value.type)

    def recipe(self) -> Recipe:
        return Box(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Complex(Abstract):
    """A Python complex number: two floats."""

    real: Value
    imag: Value
    built: Recipe | None = field(default=None, compare=False)

    def parts(self) -> tuple[Value, ...]:
        return (self.real, self.imag)

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Complex(next(parts), next(parts))

    def shape(self) -> object:
        return ("Complex",)

    def recipe(self) -> Recipe:
        """Always the same one: what is one object here is one object in an exit."""
        if self.built is None:
            whole = self._whole()
            made = Build("complex", (Box(self.real), Box(self.imag))) if whole is None else Box(whole)
            object.__setattr__(self, "built", made)
        assert self.built is not None
        return self.built

    def _whole(self) -> Value | None:
        """The number that both parts were taken from: an exit gives back the object that came in."""
        ops = [part.op for part in self.parts() if not isinstance(part, Const)]
        parts = [op.args[0] for op in ops if isinstance(op, Op) and op.name == "part"]
        return parts[0] if len(parts) == 2 and parts[0] is parts[1] and [op.attrs["which"] for op in ops if isinstance(op, Op)] == [0, 1] else None


@dataclass(frozen=True, slots=True, eq=False)
class ArrayValue(Abstract):
    """An exact ndarray; ``dims`` are ints of the graph, Const(1) for a dimension that is guarded to be 1."""

    value: Value
    dims: tuple[Value, ...]

    @property
    def type(self) -> Array:
        assert isinstance(self.value.type, Array)
        return self.value.type

    def parts(self) -> tuple[Value, ...]:
        return (self.value, *(d for d in self.dims if not isinstance(d, Const)))

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return ArrayValue(next(parts), tuple(d if isinstance(d, Const) else next(parts) for d in self.dims))

    def shape(self) -> object:
        return ("Array", self.value.type, tuple(d.value if isinstance(d, Const) else None for d in self.dims))

    def recipe(self) -> Recipe:
        return Box(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Abstract):
    """Any other object of an exactly known type (``cls``), or of an unknown one (None)."""

    value: Value
    cls: type | None

    def parts(self) -> tuple[Value, ...]:
        return (self.value,)

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Opaque(next(parts), self.cls)

    def shape(self) -> object:
        return ("Opaque", id(self.cls))

    def recipe(self) -> Recipe:
        return Box(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Inside(Opaque):
    """A container that was made in a call that takes all that a generator yields. An exit there does the whole call again, which makes it anew, so it
    may be changed until the call is over."""

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Inside(next(parts), self.cls)

    def shape(self) -> object:
        return ("Inside", id(self.cls))


@dataclass(frozen=True, slots=True, eq=False)
class Closure(Opaque):
    """A function that came in and of which the fragment knows the code only: another one that the same ``def`` has made may come next time.
    ``actual`` is the one that capture sees. The value is an input and never another one, so joins leave it as it is."""

    actual: Any = None

    def parts(self) -> tuple[Value, ...]:
        return ()

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return self

    def shape(self) -> object:
        return ("Closure", id(self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Container(Abstract):
    """A virtual tuple, slice, range or bound method: built only where it escapes. ``kind`` is a kind of Build recipes.

    slice and range have three items, bound_method (function, self); function (a function that the program makes here) has its code, the
    function that makes it (NULL: the root frame), cells, defaults, defaults of keywords.
    """

    kind: str
    items: tuple[Abstract, ...]
    built: Build | None = field(default=None, compare=False)

    def parts(self) -> tuple[Value, ...]:
        return tuple(v for item in self.items for v in item.parts())

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return Container(self.kind, tuple(item.remade(parts) for item in self.items))

    def shape(self) -> object:
        return (self.kind, *(item.shape() for item in self.items))

    def recipe(self) -> Recipe:
        """Always the same one: what is one object here is one object in an exit."""
        if self.built is None:
            object.__setattr__(self, "built", Build(self.kind, tuple(item.recipe() for item in self.items)))
        assert self.built is not None
        return self.built

    def inner(self) -> tuple[Abstract, ...]:
        return self.items

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        return Container(self.kind, inner)


@dataclass(frozen=True, slots=True, eq=False)
class Instance(Container):
    """A virtual object that may be stored to: kind "instance" of a plain class (``names``: its fields in the order of their first store),
    "dict" (``names``: its keys), or "record", an instance of a subclass of tuple. ``token`` tells it from others of its kind; a store makes
    another Instance of the same token, which takes its place everywhere (instances.replace)."""

    cls: type = object
    names: tuple[Any, ...] = ()
    token: object = field(default_factory=object)

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return self.with_inner(tuple(item.remade(parts) for item in self.items))

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        return replace(self, items=inner, built=None)

    def shape(self) -> object:
        return (self.kind, id(self.cls), self.names, *(item.shape() for item in self.items))

    def recipe(self) -> Recipe:
        if self.built is None:
            items = tuple(item.recipe() for item in self.items)
            if self.kind == "instance":
                items = (KnownRecipe((self.cls, *self.names)), *items)
            elif self.kind == "record":
                items = (KnownRecipe(self.cls), Build("tuple", items))
            else:
                items = tuple(part for name, item in zip(self.names, items, strict=True) for part in (KnownRecipe(name), item))
            object.__setattr__(self, "built", Build(self.kind, items))
        assert self.built is not None
        return self.built

    def get(self, name: Any) -> Abstract | None:
        """What it holds under a name."""
        return self.items[self.names.index(name)] if name in self.names else None

    def storing(self, name: Any, value: Abstract) -> Instance:
        """What it is after a store."""
        if name not in self.names:
            return replace(self, names=(*self.names, name), items=(*self.items, value), built=None)
        items = tuple(value if key == name else item for key, item in zip(self.names, self.items, strict=True))
        return replace(self, items=items, built=None)

    def without(self, name: Any) -> Instance:
        """What it is after a removal."""
        kept = [(key, item) for key, item in zip(self.names, self.items, strict=True) if key != name]
        return replace(self, names=tuple(key for key, _ in kept), items=tuple(item for _, item in kept), built=None)


@dataclass(frozen=True, slots=True, eq=False)
class Suspended(Container):
    """A generator between two steps: kind "generator", or an iterator of a built-in that is captured as one ("map", "map_together" of several,
    "filter": lazily.py); the items are its function, its locals and its stack, the rest says where it stands.
    It stands for one object in one slot, as an iterator does. ``stores``: the locals that its code stores to."""

    bytecode: Any = None
    pc: int = 0
    started: bool = False
    scope: tuple[Abstract | None, Any, Any] = (None, None, None)  # the real function behind it, globals, builtins
    stores: frozenset[int] = frozenset()

    @property
    def locals(self) -> tuple[Abstract, ...]:
        return self.items[1 : 1 + len(self.bytecode.slots)]

    @property
    def stack(self) -> tuple[Abstract, ...]:
        return self.items[1 + len(self.bytecode.slots) :]

    def remade(self, parts: Iterator[Value]) -> Abstract:
        return self.with_inner(tuple(item.remade(parts) for item in self.items))

    def with_inner(self, inner: tuple[Abstract, ...]) -> Abstract:
        return replace(self, items=inner, built=None)

    def place(self) -> tuple[Any, ...]:
        """What makes it another one wherever it differs."""
        return (id(self.bytecode), self.pc, self.started, self.scope[0] and self.scope[0].shape())

    def shape(self) -> object:
        return (self.kind, self.place(), *(item.shape() for item in self.items))

    def recipe(self) -> Recipe:
        if self.built is None:
            parts = self._of_generator() if self.kind == "generator" else self._of_built_in()
            object.__setattr__(self, "built", Build(self.kind, parts))
        assert self.built is not None
        return self.built

    def _of_generator(self) -> tuple[Recipe, ...]:
        held = [(slot, item) for slot, item in enumerate(self.locals) if not isinstance(item, Lazy | Unbound)]
        head = (self.items[0].recipe(), KnownRecipe(self.pc if self.started else 0), KnownRecipe(tuple(slot for slot, _ in held)))
        return (*head, *(item.recipe() for _, item in held), *(item.recipe() for item in self.stack))

    def _of_built_in(self) -> tuple[Recipe, ...]:
        """Its locals are the function and what it goes through; on its stack is the iterator over that."""
        function, items = self.locals[:2]
        iterator = self.stack[0] if self.started else items
        several = iterator.inner() if self.kind == "map_together" else (iterator,)
        called = KnownRecipe(None) if isinstance(function, Unbound) else function.recipe()
        return (called, *(item.recipe() for item in several))


@dataclass(frozen=True, slots=True, eq=False)
class CellValue(Abstract):
    """The cell of a variable: of the frame so deep in the chain, or (``function``) one that a real function has closed over."""

    depth: int
    slot: int
    function: Abstract | None = None

    def shape(self) -> object:
        return ("Cell", self.depth, self.slot, self.function and self.function.shape())

    def recipe(self) -> Recipe:
        return cell_recipe(self.depth, self.slot) if self.function is None else _cell_of(self.function, self.slot)


@cache
def cell_recipe(depth: int, slot: int) -> Recipe:
    """The cell of a frame: always the same recipe, so that it is one cell in an exit."""
    return Build("cell", (KnownRecipe(depth), KnownRecipe(slot))) if depth else Build("root_cell", (KnownRecipe(slot),))


def _cell_of(function: Abstract, index: int) -> Recipe:
    return Build("cell_of", (function.recipe(), KnownRecipe(index)))


@dataclass(frozen=True, slots=True, eq=False)
class Lazy(Abstract):
    """A slot of the root frame that capture has not looked at: whatever it held at the entry."""

    def recipe(self) -> Recipe:
        return Keep()


@dataclass(frozen=True, slots=True, eq=False)
class Unbound(Abstract):
    """A local that is not bound; also one that is dead."""

    def recipe(self) -> Recipe:
        return Unset()


@dataclass(frozen=True, slots=True, eq=False)
class NullValue(Abstract):
    """The NULL beside a callable on the value stack."""

    def recipe(self) -> Recipe:
        return Null()


LAZY, UNBOUND, NULL = Lazy(), Unbound(), NullValue()
END = object()  # what a handler returns when it has ended the block

Done = dict[int, tuple[Abstract, Abstract]]


def rebuilt(value: Abstract, change: Callable[[Abstract], Abstract], done: Done) -> Abstract:
    """The value with ``change`` applied to all that it is made of, innermost first. What is one object stays one: ``done``."""
    found = done.get(id(value))
    if found is None:
        inner, made = value.inner(), value
        if inner:
            parts = tuple([rebuilt(item, change, done) for item in inner])
            made = value if all(map(is_, parts, inner)) else value.with_inner(parts)
        found = done[id(value)] = value, change(made)
    return found[1]


def containers_in(value: Abstract) -> list[Container]:
    """All that is not empty and that identity may be asked of, innermost first."""
    found: list[Container] = []
    for item in value.inner():
        found += containers_in(item)
    if isinstance(value, Container) and value.items:
        found.append(value)
    return found


def held_twice(abstracts: Iterable[Abstract]) -> set[int]:
    """The tuples, by id, that are in others at two places, or at one and among the values themselves: they are to stay one object."""
    found: set[int] = set()
    seen: set[int] = set()
    work = list({id(one): one for one in abstracts}.values())
    while work:  # each place once
        value = work.pop()
        if id(value) not in seen:
            seen.add(id(value))
            work += value.inner()
        elif isinstance(value, Container) and value.items:
            found.add(id(value))
    return found


def dict_of(named: dict[str, Abstract]) -> Instance:
    """A virtual dict."""
    return Instance("dict", tuple(named.values()), cls=dict, names=tuple(named))


_MOST_AGAIN = 1000


def bounded(value: Abstract) -> Abstract:
    """The value, if what it is made of does not come again in it too often: who looks at a value goes to all places, and a few lines
    (`p = p, p`, again and again) can make more of them than there is time for."""
    work, seen, again = [value], set(), 0
    while work:
        one = work.pop()
        if inner := one.inner():
            again += id(one) in seen
            seen.add(id(one))
            work += inner
        if again > _MOST_AGAIN:
            raise Break("graph_limit", "one value that holds others at too many places")
    return value


def instances_in(value: Abstract) -> Iterator[Instance]:
    """The virtual objects in a value, innermost first."""
    for item in value.inner():
        yield from instances_in(item)
    if isinstance(value, Instance):
        yield value


def has_identity(value: Abstract) -> bool:
    """Whether a value is, or holds, a virtual object or function: something of which the program may ask whether it is the same."""
    if isinstance(value, Instance) or (isinstance(value, Container) and value.kind == "function"):
        return True
    return any(map(has_identity, value.inner()))


def value_of(abstract: Abstract) -> Value | None:
    """The graph value of a scalar or array, also of a known number; None for anything else."""
    if isinstance(abstract, (Scalar, ArrayValue)):
        return abstract.value
    if isinstance(abstract, Known):
        made = const(abstract.value)
        if isinstance(made.type, (ScalarType, Np)) and not (made.type == INT and not -(2**63) <= made.value < 2**63):
            return made
    return None


def spread(abstract: Abstract) -> Abstract:
    """A known number as the values of the graph that it is; anything else as it is."""
    if isinstance(abstract, Known):
        if type(abstract.value) is complex:
            return Complex(const(abstract.value.real), const(abstract.value.imag))
        value = value_of(abstract)
        return abstract if value is None else Scalar(value)
    return abstract


def kind_of(abstract: Abstract) -> str:
    """One word for tables: int, float, bool, complex, np, array, tuple, slice, ..., known, opaque."""
    value = value_of(abstract)
    if value is not None:
        if isinstance(value.type, ScalarType):
            return value.type.name
        return "array" if isinstance(value.type, Array) else "np"
    if isinstance(abstract, Container):
        return abstract.kind
    if isinstance(abstract, Complex):
        return "complex"
    if isinstance(abstract, Opaque):
        return "opaque"
    return "tuple" if isinstance(abstract, Known) and type(abstract.value) is tuple else "known"


def items_of(abstract: Abstract) -> tuple[Abstract, ...] | None:
    """The items of a virtual or known tuple."""
    if isinstance(abstract, Container) and abstract.kind in ("tuple", "record"):
        return abstract.items
    if isinstance(abstract, Known) and type(abstract.value) is tuple:
        return tuple(Known(item) for item in abstract.value)
    return None


def sequence_of(abstract: Abstract) -> tuple[Abstract, ...] | None:
    """The same, and those of a list that is only looked at."""
    return abstract.items if isinstance(abstract, Container) and abstract.kind == "list" else items_of(abstract)


@dataclass(slots=True)
class Break(Exception):
    """Raised by a handler: this instruction cannot be captured. ``reason`` is a key of the reasons registry."""

    reason: str
    detail: str = ""
    hint: str = field(default="")


def unsupported(detail: str, *operands: Abstract, reason: str = "unsupported_type") -> Break:
    """The break for operands that are not supported. An array that is not compiled, or a huge int, is a reason of its own."""
    for cls in (operand.cls for operand in operands if isinstance(operand, Opaque)):
        if cls is int:
            return Break("big_int", detail)
        if cls is not None and issubclass(cls, np.ndarray):
            return Break("unsupported_dtype" if cls is np.ndarray else "array_subclass", detail)
    return Break(reason, detail)
