"""Classes of plain fields, made ten times as fast as `dataclasses` makes them: that took a third of the time to import pijit.

What is here is used as the functions of the same names in `dataclasses` are, of which it is a part, and is checked as those are. Differences: a
method is compiled when it is first called; that ``frozen`` ones are not assigned to is left to mypy, so that making one costs no more than
making another; all fields may be given by position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import asdict as asdict
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
else:
    from operator import attrgetter
    from reprlib import recursive_repr

    _NOTHING = object()  # no value given, or no default
    _TABLE = "__record_fields__"

    class _Field:
        __slots__ = ("compare", "default", "factory", "init", "metadata", "name", "type")

        def __init__(self, default=_NOTHING, factory=_NOTHING, init=True, compare=True, metadata=None):
            self.default, self.factory, self.init, self.compare, self.metadata = default, factory, init, compare, metadata

    def field(*, default=_NOTHING, default_factory=_NOTHING, init=True, compare=True, metadata=None):
        return _Field(default, default_factory, init, compare, metadata)

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, slots=False, weakref_slot=False):
        def made(cls):
            inherited = getattr(cls, _TABLE, {})
            own = {name: _own(cls, name) for name in vars(cls).get("__annotations__", ())}
            table = inherited | own
            if slots:
                places = [name for name in own if name not in inherited]
                weak = weakref_slot and not any(base.__weakrefoffset__ for base in cls.__bases__)
                cls = _with_slots(cls, own, places + ["__weakref__"] * weak)
            else:
                for name, row in own.items():
                    if row.default is not _NOTHING:
                        setattr(cls, name, row.default)
                    elif name in vars(cls):
                        delattr(cls, name)
            setattr(cls, _TABLE, table)
            cls.__match_args__ = tuple(name for name, row in table.items() if row.init)
            for name, wanted in (("__init__", True), ("__repr__", repr), ("__eq__", eq), ("__hash__", eq and frozen)):
                if wanted and name not in _written(cls):
                    setattr(cls, name, _later(cls, name))
            if eq and not frozen and "__hash__" not in _written(cls):
                cls.__hash__ = None
            return cls

        return made if cls is None else made(cls)

    def replace(record, /, **changes):
        for name in record.__match_args__:
            if name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)

    def fields(record):
        return tuple(getattr(record, _TABLE).values())

    def asdict(record):
        """What records hold stays what it is: records in them are not taken apart."""
        return {name: getattr(record, name) for name in getattr(record, _TABLE)}

    def _own(cls, name):
        given = vars(cls).get(name, _NOTHING)
        row = given if type(given) is _Field else _Field(given)
        row.name, row.type = name, vars(cls)["__annotations__"][name]
        return row

    def _written(cls):
        """The methods that a class has of its own. With ``__eq__`` Python gives it a ``__hash__`` of None, which nobody wrote."""
        return {name for name, value in vars(cls).items() if not (name == "__hash__" and value is None and "__eq__" in vars(cls))}

    def _with_slots(cls, own, places):
        space = {name: value for name, value in vars(cls).items() if name not in own and name not in ("__dict__", "__weakref__")}
        return type(cls)(cls.__name__, cls.__bases__, space | {"__slots__": tuple(places), "__qualname__": cls.__qualname__})

    def _later(cls, name):
        """A method that makes itself."""

        def first(*args, **kwargs):
            method = _METHODS[name](cls)
            method.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, method)
            return method(*args, **kwargs)

        return first

    def _init(cls):
        space, parameters, lines = {}, ["self"], []
        for name, row in getattr(cls, _TABLE).items():
            made = row.factory is not _NOTHING
            given = made or row.default is not _NOTHING
            if row.init:
                parameters.append(f"{name}=_{name}" if given else name)
            elif not given:
                continue
            space[f"_{name}"] = row.factory if made else row.default
            value = name if row.init else f"_{name}"
            lines.append(f" self.{name} = {f'_{name}() if {value} is _{name} else {value}' if made else value}")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines, " return None"]), space)
        return space["__init__"]

    def _values(cls):
        """What gives the tuple of the fields that are compared."""
        names = [name for name, row in getattr(cls, _TABLE).items() if row.compare]
        if len(names) == 1:
            only = attrgetter(names[0])
            return lambda record: (only(record),)
        return attrgetter(*names) if names else lambda record: ()

    def _eq(cls):
        values = _values(cls)

        def __eq__(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _hash(cls):
        values = _values(cls)

        def __hash__(self):
            return hash(values(self))

        return __hash__

    def _repr(cls):
        names = list(getattr(cls, _TABLE))

        @recursive_repr()
        def __repr__(self):
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

        return __repr__

    _METHODS = {"__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": _hash}
