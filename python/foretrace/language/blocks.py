"""Integers of more digits than are asked in columns at once, in blocks from the last digits on, with what is carried from one to the next
(docs/trace-language.md, section 9). All are written without signs and without zeros before them."""

from __future__ import annotations

from typing import Callable, Optional

from . import tokens as T
from .columns import MOST_COLUMNS, MOST_SCALED
from .digits import Value, is_zero, with_sign, without_zeros
from .quotients import Pair, Reckoned

_MINUS, _PLUS, _STAR, _ZERO, _ONE = (T.CHARS[char] for char in "-+*01")
BLOCK_DIGITS = MOST_COLUMNS - 1  # what two blocks come to is asked at once, whatever is carried
MULTIPLIED_DIGITS, DIVIDED_DIGITS = MOST_SCALED, MOST_SCALED - 1  # of a block that is multiplied, of one that is divided behind what is left


class Blocks:
    """integer: what short operands come to; short: the quotient and the rest of a division of few digits by a single one."""

    def __init__(self, integer: Reckoned, short: Callable[[Value, Value], Optional[Pair]]):
        self._integer = integer
        self._short = short

    def sum(self, left: Value, right: Value) -> Optional[Value]:
        if _are_short(left, right):
            return self._integer(*left, _PLUS, *right)
        (left_upper, left_lower), (right_upper, right_lower) = _cut(left), _cut(right)
        lower, upper = self._added(left_lower, right_lower), self._added(left_upper, right_upper)
        return None if lower is None or upper is None else self._carried(upper, lower)

    def difference(self, left: Value, right: Value, is_swapped: bool = False) -> Optional[Value]:
        """Negative where the second is greater."""
        if _are_short(left, right):
            return self._integer(*left, _MINUS, *right)
        (left_upper, left_lower), (right_upper, right_lower) = _cut(left), _cut(right)
        upper = self._taken(left_upper, right_upper)
        if upper is None:
            return None
        if upper[0] == _MINUS:
            return None if is_swapped else with_sign(True, self.difference(right, left, True))
        lower = self._taken(left_lower, right_lower)
        if lower is None or is_zero(upper):
            return lower
        if lower[0] != _MINUS:
            return _joined(upper, lower)
        borrowed = self._taken(upper, (_ONE,))
        filled = self._integer(_ONE, *[_ZERO] * BLOCK_DIGITS, *lower)  # `1000-7`: the lower block is negative
        return None if borrowed is None or filled is None or len(filled) > BLOCK_DIGITS else _joined(borrowed, filled)

    def times(self, digits: Value, digit: int) -> Optional[Value]:
        if tuple(digits) == (_ONE,):
            return (digit,)
        if len(digits) <= MOST_SCALED:
            return self._integer(*digits, _STAR, digit)
        upper, lower = (part if is_zero(part) else self.times(part, digit) for part in _cut(digits, MULTIPLIED_DIGITS))
        return None if lower is None or upper is None else self._carried(upper, lower, MULTIPLIED_DIGITS)

    def divided(self, digits: Value, divisor: Value) -> Optional[Pair]:
        if is_zero(digits):
            return digits, digits
        if len(digits) <= MOST_SCALED:
            return self._short(digits, divisor)
        first = self.divided(without_zeros(digits[:-DIVIDED_DIGITS]), divisor)
        second = first and self.divided(without_zeros((*first[1], *digits[-DIVIDED_DIGITS:])), divisor)
        if first is None or second is None or len(second[0]) > DIVIDED_DIGITS:
            return None
        return _joined(first[0], second[0], DIVIDED_DIGITS), second[1]

    def _carried(self, upper: Value, lower: Value, size: int = BLOCK_DIGITS) -> Optional[Value]:
        """Both blocks as one number; what the lower one has too many is carried."""
        if len(lower) <= size:
            return _joined(upper, lower, size)
        total = self._added(upper, lower[:-size])
        return None if total is None else _joined(total, without_zeros(lower[-size:]), size)

    def _added(self, left: Value, right: Value) -> Optional[Value]:
        """A sum that is not asked where one is zero."""
        return right if is_zero(left) else left if is_zero(right) else self.sum(left, right)

    def _taken(self, left: Value, right: Value) -> Optional[Value]:
        return left if is_zero(right) else with_sign(True, right) if is_zero(left) else self.difference(left, right)


def _are_short(*values: Value) -> bool:
    return all(len(value) <= MOST_COLUMNS for value in values)


def _cut(digits: Value, size: int = BLOCK_DIGITS) -> "tuple[Value, Value]":
    """What stands before the last block, and that."""
    return without_zeros(digits[:-size]), without_zeros(digits[-size:])


def _joined(upper: Value, lower: Value, size: int = BLOCK_DIGITS) -> Value:
    return lower if is_zero(upper) else (*upper, *[_ZERO] * (size - len(lower)), *lower)
