"""How many questions an operation on integers may need that is made of others (docs/trace-language.md, section 9): a line has a limit."""

from __future__ import annotations

from typing import Sequence

from . import tokens as T
from .blocks import BLOCK_DIGITS, DIVIDED_DIGITS, MULTIPLIED_DIGITS
from .columns import MOST_COLUMNS, MOST_SCALED, Operation
from .digits import number_of, signed
from .quotients import decimals_of, places_of

_STAR, _SLASH, _REST, _ZERO, _DIVMOD = *(T.CHARS[char] for char in "*/%0"), T.WORDS["divmod"]
DIVISIONS = frozenset([T.OPERATORS["//"], _REST, _DIVMOD, _SLASH])
_THOUSANDTHS = (0, 0, 302, 478, 603, 699, 779, 846, 904, 955, 1000)  # of the decimal logarithms of 0 to 10, rounded up; 0 counts as 1


def questions_of(operation: Operation) -> int:
    """Most questions that an operation needs which is made of others."""
    operator, operands = operation
    first, *others = (signed(operand)[1] for operand in operands)
    if operator in DIVISIONS:
        return _questions_of_division(operator, first, others[0])
    if operator != _STAR:
        return len(others) * 2 * _questions_for(max(len(operand) for operand in (first, *others)))
    total, size = 0, _magnitude(first)
    for operand in others:
        size += _magnitude(operand)
        digits = size // 1000 + 1
        pieces = 0 if places_of(operand) else sum(digit != _ZERO for digit in operand)
        total += pieces * _multiplying_questions_for(digits) + max(0, pieces - 1) * _questions_for(digits)
    return total


def _questions_for(digits: int) -> int:
    """Most questions for a sum of integers of so many digits."""
    return 1 if digits <= MOST_COLUMNS else 2 * -(-(digits + 1) // BLOCK_DIGITS)


def _multiplying_questions_for(digits: int) -> int:
    """For a product of one with a single digit."""
    return 1 if digits <= MOST_SCALED else 2 * -(-digits // MULTIPLIED_DIGITS)


def _dividing_questions_for(digits: int) -> int:
    """For what is left when something is taken away."""
    return 1 if digits <= MOST_COLUMNS else 3 * -(-digits // BLOCK_DIGITS)


def _magnitude(digits: Sequence[int]) -> int:
    """At least a thousand times the decimal logarithm."""
    return 1000 * (len(digits) - 1) + _THOUSANDTHS[number_of(digits[:1]) + min(1, len(digits) - 1)]


def _questions_of_division(operator: int, digits: Sequence[int], divisor: Sequence[int]) -> int:
    """What a quotient needs, and what signs and its fraction do besides."""
    longest = max(len(digits), len(divisor) + 1)
    besides = (2 if operator == _DIVMOD else 1) * _dividing_questions_for(longest)
    if places_of(divisor):
        return besides
    return besides + questions_of_quotient(digits, divisor, decimals_of(divisor) if operator == _SLASH else 0)


def questions_of_quotient(digits: Sequence[int], divisor: Sequence[int], decimals: int = 0) -> int:
    """One for each digit of what is divided by a single digit, five for each of the quotient by a longer one, and one for the fivefold."""
    if len(divisor) == 1:
        return max(1, len(digits) // DIVIDED_DIGITS) + decimals
    count = max(0, len(digits) - len(divisor) + 1) + decimals
    return _multiplying_questions_for(len(divisor)) + 5 * count * _dividing_questions_for(len(divisor) + 1)
