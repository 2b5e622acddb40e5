"""Attributes: what objects of the program's classes hold, read off their values (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .constants import value_of_name
from .displays import BRACE, Item, display, fields_of, items_of
from .frames import Frame
from .program import Program
from .values import encode_value

_ANGLE, _DOT = T.CHARS["<"], T.CHARS["."]


def value_at(program: Program, code: Sequence[int], at: int, frame: Frame) -> "tuple[Optional[tuple[int, ...]], int]":
    """The value of the name at `code[at]` or, where attributes of it follow that its value tells, of the last of these; and where that
    ends. None for a name that is not known.

    Raises EncodeError (bad_state) for a value that cannot be written."""
    value, end = value_of_name(program, frame, code[at]), at + 1
    while value is not None and end + 1 < len(code) and code[end] == _DOT:
        held = attribute_of(program, value, code[end + 1])
        if held is None:
            break
        value, end = held, end + 2
    return value, end


def attribute_of(program: Program, value: Sequence[int], token: int) -> Optional[tuple[int, ...]]:
    """The value of an attribute, by the token of its name in code, of an object with attributes or of what is written with its fields, as
    `Point(x=1, y=2)` is; None where that does not tell it."""
    name = program.slot_names.get(token, T.WORD_TEXT.get(token, ""))
    key = encode_value(program, name)
    for item in _attributes(value):
        if tuple(value[item.first:item.colon]) == key:
            return tuple(value[item.colon + 1:item.end])
    return None


def _attributes(value: Sequence[int]) -> Sequence[Item]:
    """Of a value that is cut those that it shows whole."""
    if value[0] == _ANGLE and value[-1] == T.CUT:
        return (items_of(value, value.index(BRACE), len(value)) or ())[:-1] if BRACE in value else ()
    if value[0] == _ANGLE:
        first, end = display(value, 0, len(value))
        return items_of(value, first, end) or () if value[first] == BRACE else ()
    return fields_of(value)
