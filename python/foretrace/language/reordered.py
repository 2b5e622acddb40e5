"""Statements that put a list in another order, as expressions for the list they leave (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .line_parts import Line
from .parts import NAMED

_SORT, _REVERSE, _SORTED = (T.WORDS[word] for word in ("sort", "reverse", "sorted"))
_OPENING, _CLOSING, _COMMA = (T.CHARS[char] for char in "(),")
_BACKWARDS = T.text_tokens("[::-1]")


def reordered(code: Sequence[int], found: Line) -> Optional[list[int]]:
    """`sorted(x)` for the line `x.sort()`, `x[::-1]` for `x.reverse()`; None for other lines."""
    part = found.values[0] if len(found.values) == 1 else None
    if part is None or part.kind != "call" or (part.first, part.end) != (0, len(code)) or part.parts[0].kind != "attribute":
        return None
    callee, *given = part.parts
    name, base = code[callee.end - 1], callee.parts[0]
    if base.kind not in NAMED or any(inner.kind != "keyword" for inner in given):
        return None
    if name == _REVERSE and not given:
        return [*code[base.first:base.end], *_BACKWARDS]
    ordered = [token for inner in given for token in (_COMMA, *code[inner.first:inner.end])]
    return [_SORTED, _OPENING, *code[base.first:base.end], *ordered, _CLOSING] if name == _SORT else None
