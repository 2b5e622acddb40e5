"""Values that code tells by itself: literals that are written as values are (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T
from .displays import BRACE
from .items import collected, joined, listed, mapped
from .literal_constants import constant_value
from .parts import Part

_OPENING, _COLON = T.CHARS["("], T.CHARS[":"]
UNKNOWN: Sequence[int] = ()
"""The value of a part that is not told, whatever its code says."""


def told_value(code: Sequence[int], part: Part, known: Callable[[Part], Optional[Sequence[int]]]) -> Optional[Sequence[int]]:
    """The value of a part as it is written canonically; None where the code does not tell it. known: the value of a name, and of any other
    part of which more is known than the code says, `UNKNOWN` where that is nothing."""
    own = known(part)
    if own is not None:
        return own or None
    tokens = tuple(code[part.first:part.end])
    if part.kind == "constant":
        return constant_value(tokens)
    values = [told_value(code, inner, known) for inner in part.parts] if part.kind == "display" else [None]
    if None in values:
        return None
    if part.parts and part.parts[0].begin == part.first or tokens[0] == _OPENING:
        return joined(values)
    if tokens[0] != BRACE:
        return listed(values)
    if values and code[part.parts[0].until] != _COLON:
        return collected(values)
    return mapped(values) if len(values) % 2 == 0 else None
