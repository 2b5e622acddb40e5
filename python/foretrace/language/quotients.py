"""Divisions of integers as on paper, digit by digit (docs/trace-language.md, section 9). How often a divisor of several digits goes is found by
taking it away: five times at once, where that is not too much, then once more each time."""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Optional, Protocol

from . import tokens as T
from .digits import Value, is_tiny, is_zero, number_of, without_zeros

_MINUS, _ZERO, _ONE, _FIVE, _POINT = (T.CHARS[char] for char in "-015.")
_DIGITS = [T.CHARS[digit] for digit in "0123456789"]
SHOWN_DIGITS = 15  # most of a quotient with a fraction: so many are those that Python shows

Reckoned = Callable[..., Optional[Value]]
"""What integers come to that stand in code tokens."""
Pair = "tuple[Value, Value]"
"""A quotient and its rest."""


class Arithmetic(Protocol):
    """What integers of any number of digits come to."""

    def times(self, digits: Value, digit: int) -> Optional[Value]: ...

    def difference(self, left: Value, right: Value) -> Optional[Value]:
        """Negative where the second is greater."""


def places_of(divisor: Value) -> Optional[int]:
    """The places by which dividing by a power of ten moves the digits; None for other divisors."""
    first, *others = divisor
    return len(others) if first == _ONE and set(others) <= {_ZERO} else None


def moved(digits: Value, places: int) -> Pair:
    """The quotient of a division by 1 with so many zeros, and its rest: what stands before the last digits, and these."""
    at = max(0, len(digits) - places)
    return without_zeros(digits[:at]), without_zeros(digits[at:])


def long_division(digits: Value, divisor: Value, by: Arithmetic) -> Optional[Pair]:
    """The quotient of a division by a divisor of several digits, and its rest."""
    quotient: list[int] = []
    rest: Value = ()

    @lru_cache(maxsize=None)
    def fivefold() -> Optional[Value]:
        return by.times(divisor, _FIVE)

    for digit in digits:
        found = _digit_of(without_zeros((*rest, digit)), divisor, fivefold, by)
        if found is None:
            return None
        times, rest = found
        quotient.append(_DIGITS[times])
    return without_zeros(quotient), rest


def _digit_of(rest: Value, divisor: Value, fivefold: "Callable[[], Optional[Value]]",
              by: Arithmetic) -> "Optional[tuple[int, Value]]":
    """How often the divisor goes, nine times at most, and what is left then."""
    times = 0
    if len(rest) > len(divisor) or (len(rest) == len(divisor) and divisor[0] == _ONE):
        much = fivefold()
        left = None if much is None else _taken_from(rest, much, by)
        if left is None:
            return None
        if left:
            times, rest = 5, left
    for _ in range(4):
        left = _taken_from(rest, divisor, by)
        if left is None:
            return None
        if not left:
            break
        times, rest = times + 1, left
    return times, rest


def _taken_from(value: Value, what: Value, by: Arithmetic) -> Optional[Value]:
    """What is left of an integer; nothing (not None) where it is less than what is to be taken from it."""
    if len(value) < len(what):
        return ()
    left = by.difference(value, what)
    return () if left is not None and left[0] == _MINUS else left


def fraction_of(digits: Value, divisor: Value, divided: Callable[[Value], Optional[Pair]]) -> Optional[Value]:
    """What `/` comes to where that is a fraction of few digits: where the division has no rest, or the divisor is a product of twos and fives."""
    pair = divided(digits)
    if pair is None:
        return None
    whole, rest = pair
    decimals: list[int] = []
    while not is_zero(rest):
        pair = divided((*rest, _ZERO)) if len(decimals) < decimals_of(divisor) else None
        if pair is None or len(pair[0]) > 1:
            return None
        decimals.extend(pair[0])
        rest = pair[1]
    if is_tiny(whole, decimals) or len(whole) + len(decimals) > SHOWN_DIGITS:
        return None
    return (*whole, _POINT, *(decimals or (_ZERO,)))


def decimals_of(divisor: Value) -> int:
    """Most digits behind the point of a quotient by this divisor: none where they may never end."""
    if len(divisor) > SHOWN_DIGITS:
        return 0
    left = number_of(divisor)
    powers = []
    for factor in (2, 5):
        power = 0
        while left > 0 and left % factor == 0:
            left, power = left // factor, power + 1
        powers.append(power)
    return max(powers) if left == 1 else 0
