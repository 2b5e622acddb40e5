"""Integers as code tokens: their digits, behind a `-` if they are negative."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T

_MINUS, _ZERO = T.CHARS["-"], T.CHARS["0"]
DIGITS = {T.CHARS[digit]: digit for digit in "0123456789"}

_SHOWN_ZEROS = 3  # a number that begins with more of them behind its point is shown with an exponent

Value = Sequence[int]


def is_zero(value: Value) -> bool:
    return tuple(value) == (_ZERO,)


def is_tiny(whole: Value, decimals: Value) -> bool:
    """Whether Python shows the number with these digits before and behind its point with an exponent, for it is so small."""
    zeros = next((at for at, digit in enumerate(decimals) if digit != _ZERO), 0)
    return is_zero(whole) and zeros > _SHOWN_ZEROS


def signed(value: Value) -> "tuple[bool, Value]":
    """Whether an integer is negative, and its digits."""
    is_negative = value[0] == _MINUS
    return is_negative, value[is_negative:]


def number_of(digits: Value) -> int:
    return int("".join(DIGITS[digit] for digit in digits))


def with_sign(is_other: bool, value: Optional[Value]) -> Optional[Value]:
    """The value, or what it is with the other sign."""
    if value is None or not is_other or is_zero(value):
        return value
    return value[1:] if value[0] == _MINUS else (_MINUS, *value)


def without_zeros(digits: Value) -> Value:
    """Digits without zeros before the first other one."""
    first = next((at for at, digit in enumerate(digits) if digit != _ZERO), None)
    return (_ZERO,) if first is None else tuple(digits[first:])
