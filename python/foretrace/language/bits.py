"""Operations on the bits of told integers: digits of base two side by side, or moved (docs/trace-language.md, section 9)."""

from __future__ import annotations

import operator
from typing import Callable, Optional, Sequence

from . import tokens as T
from .literals import integer_of
from .parts import Part
from .plan import Plan, Told

_FARTHEST = 64  # places that bits are moved by
_NOT = T.CHARS["~"]
_OPERATIONS: "dict[int, Callable[[int, int], int]]" = {
    T.CHARS["&"]: operator.and_, T.CHARS["|"]: operator.or_, T.CHARS["^"]: operator.xor,
    T.OPERATORS["<<"]: operator.lshift, T.OPERATORS[">>"]: operator.rshift}
_MOVES = (T.OPERATORS["<<"], T.OPERATORS[">>"])

Value = Sequence[int]


def bits_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """`a & b`, `a << 3`, `~a` of integers that are told need no question."""
    is_turned = part.kind == "unary" and code[part.first] == _NOT
    found = _turned(part, told) if is_turned else _joined(code, part, told)
    value = None if found is None else T.text_tokens(str(found))
    return None if value is None else Plan(0, lambda value_of: value)


def _turned(part: Part, told: Told) -> Optional[int]:
    value = integer_of(told(part.parts[0]) or ())
    return None if value is None else ~value


def _joined(code: Value, part: Part, told: Told) -> Optional[int]:
    if part.kind != "binary":
        return None
    left, right = (integer_of(told(inner) or ()) for inner in part.parts)
    sign = code[part.parts[0].until]
    if left is None or right is None or sign not in _OPERATIONS:
        return None
    return None if sign in _MOVES and not 0 <= right <= _FARTHEST else _OPERATIONS[sign](left, right)
