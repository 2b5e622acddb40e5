"""Strings that are filled up to a width, by way of their length and what is missing (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .displays import is_text
from .literals import integer_of
from .parts import Part
from .plan import Plan, Told, ValueOf
from .positions import MOST_ITEMS

_W = T.WORDS
_ARGUMENTS = {_W["ljust"]: (1, 2), _W["rjust"]: (1, 2), _W["zfill"]: (1,)}
"""The methods, and how many arguments they may have."""
_LEN, _OPENING, _CLOSING, _MINUS, _PLUS, _STAR, _QUOTE, _ZERO, _SPACE = (_W["len"], *(T.CHARS[char] for char in "()-+*'0 "))

Tokens = Sequence[int]


def padding_plan(code: Tokens, part: Part, told: Told) -> Optional[Plan]:
    """How a call of `ljust`, `rjust` or `zfill` comes about, to a width that has a position; None for other parts."""
    if part.kind != "call" or part.parts[0].kind != "attribute":
        return None
    callee, *given = part.parts
    name, values = code[callee.end - 1], [told(inner) or () for inner in (callee.parts[0], *given)]
    if len(given) not in _ARGUMENTS.get(name, ()) or () in values:
        return None
    value, width, *pad = values
    number = integer_of(width)
    is_signed = name == _W["zfill"] and len(value) > 2 and value[1] in (_PLUS, _MINUS)
    are_texts = all(map(is_text, (value, *pad))) and all(len(one) == 3 for one in pad)
    if number is None or not 0 <= number <= MOST_ITEMS or is_signed or not are_texts:
        return None
    filler = tuple(pad[0]) if pad else (_QUOTE, _ZERO if name == _W["zfill"] else _SPACE, _QUOTE)
    return Plan(4, lambda value_of: _padded(value, width, filler, name == _W["ljust"], value_of))


def _padded(value: Tokens, width: Tokens, filler: Tokens, is_behind: bool, value_of: ValueOf) -> Optional[Tokens]:
    length = value_of((_LEN, _OPENING, *value, _CLOSING))
    missing = None if length is None else value_of((*width, _MINUS, *length))
    count = None if missing is None else integer_of(missing)
    if missing is None or count is None or count <= 0:
        return None if count is None else value
    added = filler if count == 1 else value_of((*filler, _STAR, *missing))
    if added is None:
        return None
    return value_of((*value, _PLUS, *added) if is_behind else (*added, _PLUS, *value))
