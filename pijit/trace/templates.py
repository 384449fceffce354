"""text % values and text.format(...) of numbers and texts, and text.join(...) of texts, natively.

What is plain in them (`%s`, `%d` of an int, the fields of format()) is put together as f-strings are; the rest is one call of CPython's own
function, which runs nothing of the program's for such values.
"""

from __future__ import annotations

import operator
import re
from string import Formatter
from typing import TYPE_CHECKING, Any

from ..ir.types import INT
from . import formatting, objects, opaque
from .exceptions import Message
from .values import Abstract, Break, Container, Known, Opaque, Scalar, kind_of

if TYPE_CHECKING:
    from .tracer import Tracer

_CONVERSION = re.compile("%(.?)", re.DOTALL)
_NOT_TRIED = re.compile(r"%[-+ #0-9.]*(?:c|[*]|[0-9]{4})")  # not every number is a character; what is long costs memory
_MOST = 6  # arguments beside the function and its text (csrc/deeds.c)
_DIGITS = 9  # of the number of a field
_CONVERSIONS: dict[str | None, Any] = {None: None, "s": str, "r": repr, "a": ascii}


# ---- text % values ---------------------------------------------------------------------------------------------------------


def percent(t: Tracer, template: Abstract, values: Abstract) -> Abstract:
    """template % values."""
    is_tuple = kind_of(values) == "tuple" or (isinstance(values, Opaque) and values.cls is tuple)
    given = objects.items(t, values) if is_tuple else (values,)
    if given is None:
        raise Break("formatting", "% of a tuple that is long")
    samples = [formatting.samples_of(value, "%") for value in given]
    if isinstance(template, Known) and _is_right(template.value, samples):
        return formatting.made_of(t, lambda *given: _percent(t, template, given, is_tuple), *given)
    if any(isinstance(value, Message) for value in given):
        raise Break("formatting", "%")
    return _percent(t, template, given, is_tuple)


def _percent(t: Tracer, template: Abstract, given: tuple[Abstract, ...], is_tuple: bool) -> Abstract:
    pieces = _pieces(t, template, given)
    if pieces is not None:
        return together(t, pieces)
    of = Container("tuple", given) if is_tuple else given[0]
    if all(map(formatting.is_of_python, given)):
        return formatting.called(t, operator.mod, template, of)
    return opaque.call_pure(t, operator.mod, [template, of], {}, sample="")


def _is_right(template: str, samples: list[tuple[Any, ...]]) -> bool:
    """Whether a template is right for all that is like the samples."""
    if _NOT_TRIED.search(template):
        return False
    try:
        for number in range(max(map(len, samples), default=1)):
            template % tuple(sample[number % len(sample)] for sample in samples)
    except (ValueError, TypeError, ArithmeticError):
        return False
    return True


def _pieces(t: Tracer, template: Abstract, given: tuple[Abstract, ...]) -> list[Abstract] | None:
    """What there is in it, of plain conversions; None where there are others, or not as many as values."""
    if not isinstance(template, Known):
        return None
    parts = _CONVERSION.split(template.value)  # texts, and the letters between them
    letters = [letter for letter in parts[1::2] if letter != "%"]
    if len(letters) != len(given) or not all(map(_is_plain, letters, given)):
        return None
    found: list[Abstract] = []
    values = iter(given)
    for number, part in enumerate(parts):
        if number % 2 == 0 or part == "%":
            found.append(Known(part))
        else:
            found.append(formatting.text_of(t, next(values)))
    return found


def _is_plain(letter: str, value: Abstract) -> bool:
    if letter == "s":
        return formatting.is_of_python(value)
    return letter in ("d", "i") and isinstance(value, Scalar) and value.value.type == INT


# ---- text.format(...) ------------------------------------------------------------------------------------------------------


def formatted(t: Tracer, template: Abstract, args: list[Abstract], kwargs: dict[str, Abstract]) -> Abstract:
    """template.format(*args, **kwargs)"""
    given = (*args, *kwargs.values())
    for value in given:
        if isinstance(value, Message):
            raise Break("formatting", "format")
        formatting.samples_of(value, "format")
    if not isinstance(template, Known):
        if kwargs or len(args) > _MOST or not all(map(formatting.is_of_python, given)):
            raise Break("formatting", "format of a text that varies")
        return formatting.called(t, str.format, template, *args)
    fields = _fields(template.value)
    if not all(map(formatting.is_of_python, given)):
        return opaque.call_pure(t, str.format, [template, *args], kwargs, sample="")
    found: list[Abstract] = []
    for literal, key, conversion, spec in fields:
        found.append(Known(literal))
        if key is None:
            continue
        if key not in (kwargs if isinstance(key, str) else range(len(args))):
            raise Break("always_raises", "format with a field that is missing")
        value = kwargs[key] if isinstance(key, str) else args[key]
        if conversion is not None:
            value = formatting.converted(t, conversion, value)
        found.append(formatting.formatted(t, value, Known(spec) if spec else None))
    return together(t, found)


def _fields(template: str) -> list[tuple[str, str | int | None, Any, str]]:
    """Texts, each with the field behind it: what it shows (None: there is none behind the last), how that is converted, its format."""
    try:
        rows = list(Formatter().parse(template))
    except ValueError as error:
        raise Break("always_raises", f"format: {error}") from None
    found: list[tuple[str, str | int | None, Any, str]] = []
    numbered, named = 0, False
    for literal, name, spec, conversion in rows:
        if name is None:
            found.append((literal, None, None, ""))
            continue
        if conversion not in _CONVERSIONS:
            raise Break("always_raises", "format with such a conversion")
        if any(sign in name for sign in ".[") or (len(name) > _DIGITS and name.isdecimal()) or "{" in (spec or ""):
            raise Break("formatting", "format with a field that is more than a name")
        key: str | int = numbered if name == "" else int(name) if name.isdecimal() else name
        numbered += name == ""
        named |= name.isdecimal()
        found.append((literal, key, _CONVERSIONS[conversion], spec or ""))
    if numbered and named:
        raise Break("always_raises", "format with fields some of which are numbered")
    return found


# ---- several texts ---------------------------------------------------------------------------------------------------------


def join(t: Tracer, between: Abstract, items: Abstract) -> Abstract:
    """between.join(items) of a container; where one of them is no text the interpreter raises."""
    return formatting.called(t, str.join, between, items)


def together(t: Tracer, pieces: list[Abstract]) -> Abstract:
    """The text of all pieces, of which those that are known and lie behind each other are one."""
    found: list[Abstract] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(piece, Known) and isinstance(last, Known):
            found[-1] = Known(last.value + piece.value)
        elif not isinstance(piece, Known) or piece.value:
            found.append(piece)
    return Known("") if not found else found[0] if len(found) == 1 else formatting.joined(t, found)
