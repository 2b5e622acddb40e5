"""Numbers with decimals, where they are reckoned with as integers are (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from . import tokens as T
from .digits import DIGITS, is_tiny, is_zero, number_of, with_sign, without_zeros

_MINUS, _ZERO, _POINT = (T.CHARS[char] for char in "-0.")
_SHOWN_DIGITS = 15  # so many of a float are always those that Python shows
_SAFE = 2 ** 53  # integers below it are floats, too


class _Decimal(NamedTuple):
    is_negative: bool
    whole: Sequence[int]
    decimals: Sequence[int]  # without zeros at their end


class Moved(NamedTuple):
    """Integers in place of numbers, and how many digits stand behind the point in what they come to."""

    operands: "list[Sequence[int]]"
    places: int


def without_points(values: "Sequence[Sequence[int]]") -> "Sequence[Sequence[int]]":
    """Numbers as integers, all moved by as many places as the one with most decimals needs; as they are, where none has any or one is no such
    number."""
    read = [_decimal_of(value) for value in values]
    if None in read or not any(_POINT in value for value in values):
        return values
    numbers = [decimal for decimal in read if decimal is not None]
    return [_moved(decimal, _places_of(numbers)) for decimal in numbers]


def exactly(values: "Sequence[Sequence[int]]", is_product: bool) -> Optional[Moved]:
    """Two numbers, one or both with decimals, as integers, where both are sums of halves, quarters and so on: floats hold these as they are
    written, so that a sum, a difference or a product of them is no other. is_product: each is moved by the places that it needs itself."""
    numbers = [decimal for decimal in map(_decimal_of, values) if decimal is not None and _is_exact(decimal)]
    if len(numbers) < len(values) or not any(_POINT in value for value in values):
        return None
    if not is_product:
        places = _places_of(numbers)
        return Moved([_moved(decimal, places) for decimal in numbers], places)
    operands = [_moved(decimal, len(decimal.decimals)) for decimal in numbers]
    if any(map(is_zero, operands)):  # what zero comes to has the sign of the other factor
        return None
    return Moved(operands, sum(len(decimal.decimals) for decimal in numbers))


def with_point(value: Sequence[int], places: int) -> Optional[Sequence[int]]:
    """An integer with a point before its last digits, as Python writes the float next to it; None where it writes an exponent."""
    is_negative = value[0] == _MINUS
    digits = tuple(value[is_negative:])
    filled = (_ZERO,) * (places + 1 - len(digits)) + digits
    at = len(filled) - places
    whole, decimals = filled[:at], _trimmed(filled[at:])
    if is_tiny(whole, decimals):
        return None
    found = (*whole, _POINT, *(decimals or (_ZERO,)))
    if len(found) > _SHOWN_DIGITS + 1:
        text = repr(float("".join(T.NAMES[token] for token in found)))
        found = () if "e" in text else tuple(T.text_tokens(text))
    return (*value[:is_negative], *found) if found else None


def is_decimal(value: Sequence[int]) -> bool:
    """Whether a value is a number without an exponent."""
    return _decimal_of(value) is not None


def _places_of(numbers: "Sequence[_Decimal]") -> int:
    return max(len(decimal.decimals) for decimal in numbers)


def _moved(decimal: _Decimal, places: int) -> Optional[Sequence[int]]:
    digits = without_zeros((*decimal.whole, *decimal.decimals, *[_ZERO] * (places - len(decimal.decimals))))
    return with_sign(decimal.is_negative, digits)


def _is_exact(decimal: _Decimal) -> bool:
    """Whether a number is a multiple of a power of one half, and no negative zero."""
    digits = number_of((*decimal.whole, *decimal.decimals))
    return digits < _SAFE and digits % 5 ** len(decimal.decimals) == 0 and not (decimal.is_negative and digits == 0)


def _decimal_of(value: Sequence[int]) -> Optional[_Decimal]:
    """None for what is not written with digits, and a point between them if it has one."""
    is_negative = bool(value) and value[0] == _MINUS
    digits = tuple(value[is_negative:])
    at = digits.index(_POINT) if _POINT in digits else len(digits)
    whole, behind = digits[:at], digits[at + 1:]
    is_whole = bool(whole) and (at == len(digits) or bool(behind))
    return _Decimal(is_negative, whole, _trimmed(behind)) if is_whole and DIGITS.keys() >= {*whole, *behind} else None


def _trimmed(decimals: Sequence[int]) -> Sequence[int]:
    end = len(decimals)
    while end > 0 and decimals[end - 1] == _ZERO:
        end -= 1
    return tuple(decimals[:end])
