"""Numbers with decimals, where they are compared as integers are (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from . import tokens as T
from .quotients import without_zeros

_MINUS, _ZERO, _POINT = (T.CHARS[char] for char in "-0.")
_DIGITS = frozenset(T.CHARS[digit] for digit in "0123456789")


class _Decimal(NamedTuple):
    is_negative: bool
    whole: Sequence[int]
    decimals: Sequence[int]


def without_points(values: "Sequence[Sequence[int]]") -> "Sequence[Sequence[int]]":
    """Numbers as integers, all moved by as many places as the one with most decimals needs; as they are, where none has any or one is no such
    number."""
    read = [_decimal_of(value) for value in values]
    places = 0 if None in read else max(len(decimal.decimals) for decimal in read if decimal)
    return [_moved(decimal, places) for decimal in read if decimal] if places > 0 else values


def _moved(decimal: _Decimal, places: int) -> Sequence[int]:
    digits = without_zeros((*decimal.whole, *decimal.decimals, *[_ZERO] * (places - len(decimal.decimals))))
    return (_MINUS, *digits) if decimal.is_negative and tuple(digits) != (_ZERO,) else digits


def _decimal_of(value: Sequence[int]) -> Optional[_Decimal]:
    """None for what is not written with digits, and a point between them if it has one."""
    is_negative = bool(value) and value[0] == _MINUS
    digits = tuple(value[is_negative:])
    at = digits.index(_POINT) if _POINT in digits else len(digits)
    whole, decimals = digits[:at], digits[at + 1:]
    is_whole = bool(whole) and (at == len(digits) or bool(decimals))
    return _Decimal(is_negative, whole, decimals) if is_whole and _DIGITS.issuperset(whole + decimals) else None
