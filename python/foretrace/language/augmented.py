"""`x += y` as the assignment `x = x + y` that it stands for, where x has no list or the like that would be changed in place
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .expression_parts import expression
from .literals import is_mutable, mutable_depth

_C, _O = T.CHARS, T.OPERATORS
_EQUALS, _OPENING, _CLOSING = (_C[char] for char in "=[]")
_OPERATORS = {_O[f"{text}="]: _C[text] if text in _C else _O[text] for text in "+ - * ** / // % & | ^ << >>".split()}
_BARE = frozenset("constant name call subscript attribute".split())
"""Kinds of expressions that need no brackets beside an operator."""


def as_assignment(code: Sequence[int], value: Optional[Sequence[int]], end: int) -> list[int]:
    """The code tokens of a line that reckons with a name or an attribute, or a subscript of one, and keeps what comes of it there, as an
    assignment; other lines as they are. value: that of the name or attribute which `code[:end]` is, if it is a literal."""
    subscripts = 0
    while value is not None and end < len(code) and code[end] == _OPENING:
        end, subscripts = closing_of(code, end) + 1, subscripts + 1
    operator = _OPERATORS.get(code[end]) if value is not None and end < len(code) else None
    if operator is None or value is None:
        return list(code)
    added = expression(code[end + 1:])
    is_changed = mutable_depth(value) > subscripts if subscripts else is_mutable(value)
    if added is None or is_changed:
        return list(code)
    target, right = code[:end], code[end + 1:]
    is_bare = added.kind in _BARE
    return [*target, _EQUALS, *target, operator, *(right if is_bare else (_C["("], *right, _C[")"]))]


def closing_of(code: Sequence[int], at: int) -> int:
    """Where the square bracket closes that opens at `at`; the end of the code where it does not."""
    open_brackets = 0
    for index in range(at, len(code)):
        open_brackets += (code[index] == _OPENING) - (code[index] == _CLOSING)
        if open_brackets == 0:
            return index
    return len(code)
