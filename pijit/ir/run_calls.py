"""The reference evaluator's operations that call, and those on objects of the program."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _native
from ..ground.names import is_a
from . import packed, run_deeds
from .draws import DRAWS, bit_generator_of
from .evaluate import LOADS, Env, Taken, careful, demand, fits, rebuild, type_of
from .graph import Op, Unset, Value
from .types import INT


def _draw(op: Op, generator: Any, *args: Any) -> Any:
    draw = DRAWS[op.attrs["draw"]]
    demand(draw.fits(*args))
    source = bit_generator_of(generator)
    if source is not None:
        demand(source.lock.acquire(blocking=False))
        source.lock.release()
    result = draw.of(generator, *args)
    return int(result) if op.result.type == INT else result


def _list_get(op: Op, items: list[Any], index: int) -> Any:
    value = items[index]
    demand(fits(value, op.result.type))
    return value


def _list_ints(op: Op, items: list[Any], length: int) -> Any:
    demand(len(items) == length and all(fits(item, INT) for item in items))
    return np.array(items, dtype=np.int64)


def _packed_get(op: Op, items: Any, index: int) -> Any:
    assert packed.code_of(items) == op.attrs["code"]
    return items[index]


def _packed_put(op: Op, items: Any, index: int, value: Any) -> None:
    if packed.element(op.attrs["code"]) == INT:
        least, greatest = packed.bounds(op.attrs["code"])
        demand(least <= value <= greatest)
    items[index] = value


def _call(op: Op, env: Env) -> tuple[Any, ...]:
    attrs = op.attrs
    arguments = [rebuild(recipe, env) for recipe in attrs["arguments"]]
    names = attrs["keywords"]
    split = len(arguments) - len(names)
    function = rebuild(attrs["callable"], env)
    code = op.exits["raise"].frames[-1].code
    caught: list[warnings.WarningMessage] = []
    try:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = function(*arguments[:split], **dict(zip(names, arguments[split:], strict=True)))
        finally:
            for warning in caught:  # as if the frame had called
                file, line = (code.co_filename, op.line) if warning.filename == __file__ else (warning.filename, warning.lineno)
                warnings.warn_explicit(warning.message, warning.category, file, line)
    except BaseException as error:
        assert error.__traceback__ is not None
        env.error = error.with_traceback(error.__traceback__.tb_next)
        raise Taken("raise") from None
    results = _expected(op, result)
    if results is None or (attrs["result_guard"] and op.exits["type"].index == env.force_exit):
        if attrs["boxed"] is not None:
            env[attrs["boxed"]] = result
        raise Taken("type")
    return results


def _expected(op: Op, result: Any) -> tuple[Any, ...] | None:
    """The results in an object that passes the rows of the result guard, else None. Register 0 is the object, "item" rows load more."""
    registers = [result]
    found: dict[Value, Any] = {}
    for row in op.attrs["result_guard"] or ():
        value = registers[row[1]]
        if row[0] in LOADS:
            try:
                registers.append(LOADS[row[0]](value, row[2]))
            except (LookupError, AttributeError):
                return None
        elif not _GUARDS.get(row[0], _any)(value, row):
            return None
        elif len(row) > 2 and is_a(row[2], Value):
            found[row[2]] = value
    results = tuple(found.get(value, result) for value in op.results)
    return results if all(fits(x, value.type) for x, value in zip(results, op.results, strict=True)) else None


def _any(value: Any, row: tuple[Any, ...]) -> bool:
    return True


def _look(op: Op, env: Env) -> tuple[Any, ...]:
    results = _expected(op, rebuild(op.attrs["arguments"][0], env))
    if results is None:
        raise Taken
    return results


def _make(op: Op, env: Env) -> tuple[Any, ...]:
    return (rebuild(op.attrs["arguments"][0], env),)


def _keep(op: Op, env: Env) -> tuple[Any, ...]:
    value, place = map(env.of, op.args)
    env.kept[op.attrs["slot"], place] = value
    return ()


def _keep_run(op: Op, env: Env) -> tuple[Any, ...]:
    array, *indices, place = map(env.of, op.args)
    for number in range(op.attrs["count"]):
        at = tuple(index + number * move for index, move in zip(indices, op.attrs["moves"], strict=True))
        env.kept[op.attrs["slot"], place + number] = array[at]
    return ()


def _kept(op: Op, env: Env) -> tuple[Any, ...]:
    return (env.kept[op.attrs["slot"], env.of(op.args[0])],)


def _put(op: Op, env: Env) -> tuple[Any, ...]:
    if isinstance(op.attrs["arguments"][1], Unset):
        return _remove(rebuild(op.attrs["arguments"][0], env), *op.attrs["place"])
    owner, value, *index = (rebuild(recipe, env) for recipe in op.attrs["arguments"])
    match op.attrs["place"]:
        case ("field", name):
            demand(type.__getattribute__(type_of(owner), "__setattr__") is object.__setattr__)
            object.__setattr__(owner, name, value)
        case ("dict_item", name):
            owner[name] = value
        case ("append",):
            owner.append(value)
        case _:
            owner[index[0]] = value
    return ()


def _remove(owner: Any, kind: str, name: str) -> tuple[Any, ...]:
    if kind == "field":
        demand(type.__getattribute__(type_of(owner), "__delattr__") is object.__delattr__)
        try:
            object.__delattr__(owner, name)
        except AttributeError:  # not there, whatever its class has
            demand(False)
    else:
        demand(_native.only_names(owner) and name in owner)
        del owner[name]
    return ()


# Rows that say more than the type of the result does.
_GUARDS: dict[str, Callable[[Any, tuple[Any, ...]], bool]] = {
    "is": lambda value, row: value is row[2],
    "length": lambda value, row: len(value) == row[2],
    "keys": lambda value, row: type(value) is dict and _native.only_names(value) and tuple(value) == row[2],
    "type": lambda value, row: type(value) is row[2],
    "int_value": lambda value, row: type(value) is int and value == row[2],
    "object": lambda value, row: type(value) is row[3],
    "no_field": lambda value, row: row[2] not in getattr(value, "__dict__", ()),
    "no_item": lambda value, row: row[2] not in value,
    "array": lambda value, row: (
        issubclass(type(value), np.ndarray) and all((value.shape[d] == 1) == bool(row[6] >> d & 1) for d in range(value.ndim))
    ),
}


def _nothing(op: Op, *args: Any) -> None:
    return None


def _own_call(op: Op, *args: Any) -> Any:
    """Whether it needs a frame is known only when it is over."""
    demand(False)


CALLS: dict[str, Callable[..., Any]] = {
    "draw": _draw,
    **dict.fromkeys(("obj_len", "set_len"), lambda op, items: len(items)),
    "list_get": _list_get,
    "tuple_get": lambda op, items, index: items[index],
    "list_ints": careful(_list_ints),
    "packed_code": lambda op, items: ord(items.typecode),
    "packed_get": _packed_get,
    "packed_put": careful(_packed_put),
    "call": _call,
    "look": _look,
    "make": _make,
    "box": _make,
    "put": _put,
    "keep": _keep,
    "keep_run": _keep_run,
    "kept": _kept,
    "find": run_deeds.find,
    "do": run_deeds.do,
    "next": run_deeds.following,
    "own_call": careful(_own_call),
    "text": run_deeds.text,
    "char": run_deeds.char,
    "same": lambda op, one, other: one is other,
    "is_of": lambda op, one, cls: type(one) is cls,
    "recheck": _nothing,
    "poll": _nothing,
}
