"""Sums, differences, products and quotients of floats, as what they are: integers times powers of two (IEEE 754, binary64). Which integer a
float is, and which float is next to a result, is read off, as other digits of base two are; what the integers come to is worked out
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Optional, Sequence

from . import tokens as T
from .columns import Operation
from .decimals import is_decimal
from .parts import Part
from .plan import Plan, Told, ValueOf
from .most_questions import questions_of, questions_of_quotient
from .sums import POINTED, calculated, operator_of, pair_of

_MINUS, _STAR, _SLASH, _ZERO, _POINT = (T.CHARS[char] for char in "-*/0.")
_DIVMOD = T.WORDS["divmod"]
_QUOTIENT_BITS = 55  # that say which float a quotient is next to, together with whether there is a rest
_MOST_BITS = 120  # of numbers that are added
_MOST_DIGITS = 15  # of an integer that is read as a float

Value = Sequence[int]


class _Float(NamedTuple):
    """`mantissa` times two to the power of `exponent`; the mantissa is odd, or zero."""

    mantissa: int
    exponent: int


def float_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """How such an operation comes about; None for other parts."""
    operator = operator_of(code, part) if part.kind == "binary" else None
    if operator is None or operator not in POINTED:
        return None
    values = [told(inner) or () for inner in part.parts]
    if operator != _SLASH and not any(_POINT in value for value in values):
        return None
    zero = _zero_of(operator, values)
    if zero is not None:
        return Plan(0, lambda value_of: zero)
    left, right = map(_float_of, values)
    if left is None or right is None:
        return None
    if operator == _STAR:
        return _product_of(left, right, values)
    return _quotient_of(left, right) if operator == _SLASH else _sum_of(operator, left, right)


def _zero_of(operator: int, values: "Sequence[Value]") -> Optional[Value]:
    """What zero comes to times or by a number: that has the signs of both."""
    left, right = (is_decimal(value) and float(_text_of(value)) == 0 for value in values)
    if not (left or right if operator == _STAR else operator == _SLASH and left and not right) or not all(map(is_decimal, values)):
        return None
    return T.text_tokens("0.0" if (values[0][0] == _MINUS) == (values[1][0] == _MINUS) else "-0.0")


def _float_of(value: Value) -> Optional[_Float]:
    """None for what is no number without an exponent, for long integers, and for the zero with a sign."""
    if not is_decimal(value) or (_POINT not in value and len(value) > _MOST_DIGITS):
        return None
    number = float(_text_of(value))
    if number == 0:
        return None if value[0] == _MINUS else _Float(0, 0)
    mantissa, unit = number.as_integer_ratio()
    exponent = 1 - unit.bit_length()
    while mantissa % 2 == 0:
        mantissa, exponent = mantissa // 2, exponent + 1
    return _Float(mantissa, exponent)


def _sum_of(operator: int, left: _Float, right: _Float) -> Optional[Plan]:
    """Both as multiples of one power of two."""
    exponent = min(left.exponent, right.exponent)
    moved = [number.mantissa << number.exponent - exponent for number in (left, right)]
    if any(integer.bit_length() > _MOST_BITS for integer in moved):
        return None
    return _plan_of(Operation(operator, [_digits(integer) for integer in moved]), exponent)


def _product_of(left: _Float, right: _Float, values: "Sequence[Value]") -> Plan:
    factors = sorted((_shortest(number, value) for number, value in zip((left, right), values)), key=lambda factor: -_not_zero(factor[0]))
    return _plan_of(Operation(_STAR, [integer for integer, _ in factors]), sum(exponent for _, exponent in factors))


def _shortest(number: _Float, value: Value) -> "tuple[Value, int]":
    """A factor with as few digits other than zero as may be: of an integer its own may be fewer."""
    odd = _digits(number.mantissa)
    is_own = _POINT not in value and _not_zero(value) < _not_zero(odd)
    return (value, 0) if is_own else (odd, number.exponent)


def _not_zero(integer: Value) -> int:
    return sum(digit not in (_ZERO, _MINUS) for digit in integer)


def _plan_of(operation: Operation, exponent: int) -> Plan:
    def value(value_of: ValueOf) -> Optional[Value]:
        found = calculated(operation, value_of)
        return None if found is None else _shown(int(_text_of(found)), exponent)

    return Plan(questions_of(operation), value)


def _quotient_of(left: _Float, right: _Float) -> Optional[Plan]:
    """So many digits of base two that those left out say nothing but whether there are any."""
    dividend, divisor = abs(left.mantissa), abs(right.mantissa)
    if divisor == 0:
        return None
    sign = -1 if (left.mantissa < 0) != (right.mantissa < 0) else 1
    places = max(0, _QUOTIENT_BITS + divisor.bit_length() - dividend.bit_length())
    exponent = left.exponent - right.exponent
    if divisor == 1:
        return Plan(0, lambda value_of: _shown(sign * dividend, exponent))
    operands = _digits(dividend << places), _digits(divisor)

    def value(value_of: ValueOf) -> Optional[Value]:
        pair = pair_of(calculated(Operation(_DIVMOD, operands), value_of))
        if pair is None:
            return None
        quotient, rest = (int(_text_of(integer)) for integer in pair)
        return _shown(sign * (2 * quotient + (rest > 0)), exponent - places - 1)

    return Plan(questions_of_quotient(*operands), value)


def _shown(integer: int, exponent: int) -> Optional[Value]:
    """What Python writes for the float that is next to an integer times a power of two; None where it writes an exponent."""
    number = float(Fraction(integer) * Fraction(2) ** exponent)
    text = repr(number)
    return None if "e" in text else T.text_tokens(text)


def _digits(integer: int) -> Value:
    return T.text_tokens(str(integer))


def _text_of(value: Value) -> str:
    return "".join(T.NAMES[token] for token in value)
