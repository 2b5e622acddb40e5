"""Looking into values that are told: what stands where, how many there are (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from . import tokens as T
from .displays import QUOTES, has_items, is_sequence, is_text, items_in
from .items import with_items
from .literals import integer_of
from .parts import Part
from .plan import Plan, Told
from .tables import Look, found, look_of

_COLON = T.CHARS[":"]
_QUOTE = QUOTES[0]

Value = Sequence[int]


def lookup_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """What looks into what is told needs no question."""
    value = _looked_at(code, part, told)
    return None if value is None else Plan(0, lambda value_of: value)


def _looked_at(code: Value, part: Part, told: Told) -> Optional[Value]:
    """What a part comes to that looks into what is told; None for other parts, and where that raises or is not told."""
    def value_at(inner: Part) -> Optional[Value]:  # of subscripts one behind the other only the outermost is visited
        value = told(inner)
        return _looked_at(code, inner, told) if value is None and inner.kind == "subscript" else value

    if part.kind == "subscript" and part.parts[1].kind == "slice":
        value, bounds = value_at(part.parts[0]), _bounds_of(code, part.parts[1], told)
        return None if value is None or bounds is None else _sliced(value, bounds)
    look = look_of(code, part)
    value = None if look is None else value_at(look.table)
    if look is None or value is None:
        return None
    if look.kind == "len":
        return T.text_tokens(str(len(items_in(value)))) if has_items(value) else None
    if is_text(value):
        return _in_text(look, value, told)
    return found(look.kind, value, look.given, told)


def _in_text(look: Look, text: Value, told: Told) -> Optional[Value]:
    """A character of a string, or where another string begins in it."""
    key = told(look.given[0])
    if key is None:
        return None
    if look.kind == "item":
        number, characters = integer_of(key), items_in(text)
        is_there = number is not None and -len(characters) <= number < len(characters)
        return (_QUOTE, *characters[number], _QUOTE) if is_there else None
    if not is_text(key):
        return None
    whole, wanted = _inside(text), _inside(key)
    place = whole.find(wanted)
    if look.kind in ("in", "not in"):
        return (T.WORDS["True" if (place >= 0) == (look.kind == "in") else "False"],)
    return T.text_tokens(str(place)) if look.kind == "find" or (look.kind == "index" and place >= 0) else None


def _inside(text: Value) -> str:
    return "".join(map(chr, text[1:-1]))


_Bounds = "list[Union[int, None]]"


def _bounds_of(code: Value, index: Part, told: Told) -> Optional[_Bounds]:
    """Begin, end and step of a slice, None those that are not written; None where one of them is not told, or no integer."""
    bounds: list[Optional[int]] = [None] * 3
    place, at = 0, index.first
    for inner in index.parts:
        place += sum(token == _COLON for token in code[at:inner.begin])
        bound = integer_of(told(inner) or ())
        if bound is None:
            return None
        bounds[place], at = bound, inner.until
    return bounds


def _sliced(value: Value, bounds: _Bounds) -> Optional[Value]:
    """The items of a list, tuple or string from one to the next."""
    if bounds[2] == 0 or not (is_sequence(value) or is_text(value)):
        return None
    return with_items(value, items_in(value)[slice(*bounds)])
