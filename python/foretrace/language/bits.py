"""Operations on the bits of told integers and truth values: digits of base two side by side, or moved (docs/trace-language.md, section 9)."""

from __future__ import annotations

import operator
from typing import Callable, Optional, Sequence

from . import tokens as T
from .parts import Part
from .plan import Plan, Told

_FARTHEST = 64  # places that bits are moved by
_MOST_DIGITS = 40  # of an integer
_NOT, _MINUS = T.CHARS["~"], T.CHARS["-"]
_TRUTHS = {T.WORDS["False"]: 0, T.WORDS["True"]: 1}
_OPERATIONS: "dict[int, Callable[[int, int], int]]" = {
    T.CHARS["&"]: operator.and_, T.CHARS["|"]: operator.or_, T.CHARS["^"]: operator.xor,
    T.OPERATORS["<<"]: operator.lshift, T.OPERATORS[">>"]: operator.rshift}
_MOVES = (T.OPERATORS["<<"], T.OPERATORS[">>"])

Value = Sequence[int]


def bits_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """`a & b`, `a << 3`, `~a` of integers or truth values that are told need no question."""
    is_turned = part.kind == "unary" and code[part.first] == _NOT
    value = _turned(part, told) if is_turned else _joined(code, part, told)
    return None if value is None else Plan(0, lambda value_of: value)


def _is_truth(value: Value) -> bool:
    return len(value) == 1 and value[0] in _TRUTHS


def _bits_of(value: Value) -> Optional[int]:
    if _is_truth(value):
        return _TRUTHS[value[0]]
    digits = value[1:] if value and value[0] == _MINUS else value
    if not 0 < len(digits) <= _MOST_DIGITS or not all(digit in T.DIGITS for digit in digits):
        return None
    return int("".join(T.NAMES[token] for token in value))


def _turned(part: Part, told: Told) -> Optional[Value]:
    value = _bits_of(told(part.parts[0]) or ())
    return None if value is None else T.text_tokens(str(~value))


def _joined(code: Value, part: Part, told: Told) -> Optional[Value]:
    if part.kind != "binary":
        return None
    operands = [told(inner) or () for inner in part.parts]
    left, right = map(_bits_of, operands)
    sign = code[part.parts[0].until]
    if left is None or right is None or sign not in _OPERATIONS or (sign in _MOVES and not 0 <= right <= _FARTHEST):
        return None
    found = _OPERATIONS[sign](left, right)
    if sign not in _MOVES and all(map(_is_truth, operands)):
        return (T.WORDS[str(bool(found))],)
    return T.text_tokens(str(found))
