"""What operations on integers come to, by way of others that are asked in columns: products of long ones, powers, divisions, what has signs,
comparisons (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .blocks import Blocks
from .columns import Operation, in_columns
from .decimals import exactly, with_point, without_points
from .digits import DIGITS, is_zero, number_of, signed, with_sign
from .plan import Plan, Told, ValueOf
from .displays import is_sequence, items_of
from .items import listed
from .iterated import iterated
from .known_calls import is_lazy
from .most_questions import DIVISIONS, questions_of
from .parts import Part
from .quotients import Pair, fraction_of, long_division, moved, places_of

_MINUS, _PLUS, _STAR, _SLASH, _ZERO, _ONE = (T.CHARS[char] for char in "-+*/01")
_POWER = T.OPERATORS["**"]
_DIVIDE, _REST, _DIVMOD = T.OPERATORS["//"], T.CHARS["%"], T.WORDS["divmod"]
_LESS, _AT_MOST, _GREATER, _AT_LEAST = T.CHARS["<"], T.OPERATORS["<="], T.CHARS[">"], T.OPERATORS[">="]
COMPARED = frozenset([_LESS, _AT_MOST, _GREATER, _AT_LEAST])
_SUM, _EXTREMES = T.WORDS["sum"], (T.WORDS["max"], T.WORDS["min"])
_RECKONING = frozenset(T.WORDS[name] for name in "abs divmod max min sum".split())
_VALUES = T.WORDS["values"]
_OPENING, _COMMA, _CLOSING = (T.CHARS[char] for char in "(,)")
_COMPUTED = frozenset([_PLUS, _MINUS, _STAR, _POWER, _DIVIDE, _REST])
_RECKONED = _COMPUTED | {_SLASH}  # with a fraction a division is left to the step, unless it is made of others
POINTED = frozenset([_PLUS, _MINUS, _STAR, _SLASH])
MOST_DIGITS = 20  # of an operand
MOST_AT_ONCE = 12  # integers of one digit of which the greatest or least is found at once
MOST_FACTORS = 32  # of a power


def sum_plan(code: Sequence[int], part: Part, told: Told) -> Optional[Plan]:
    """How an operation on integers comes about that is not asked in columns itself; None for other parts."""
    operation = operation_of(code, part, told)
    if operation is None:
        return _pointed_plan(code, part, told)
    if in_columns(operation) is not None:
        return None
    return Plan(questions_of(operation), lambda value_of: calculated(operation, value_of))


def _pointed_plan(code: Sequence[int], part: Part, told: Told) -> Optional[Plan]:
    """How a sum, a difference, a product or a quotient of numbers with decimals comes about: as that of integers, with a point."""
    operator = operator_of(code, part)
    values = [told(inner) or () for inner in part.parts] if operator in POINTED else []
    moved_apart = exactly(values, operator == _STAR) if len(values) == 2 else None
    if operator is None or moved_apart is None or not all(map(is_integer, moved_apart.operands)):
        return None
    operands, places = moved_apart
    if operator == _SLASH and not _is_divisor(operands[1]):
        return None
    operation = Operation(operator, operands)

    def value(value_of: ValueOf) -> Optional[Sequence[int]]:
        found = calculated(operation, value_of)
        return found if found is None or operator == _SLASH else with_point(found, places)

    return Plan(questions_of(operation), value)


def calculated(operation: Operation, value_of: ValueOf) -> Optional[Sequence[int]]:
    """The value of an operation, by way of some that are asked in columns. None where one of their values is not known."""

    def integer(*code: int) -> Optional[Sequence[int]]:
        found = value_of(code)
        return found if found is not None and is_integer(found) else None

    blocks = Blocks(integer, lambda digits, divisor: pair_of(value_of((_DIVMOD, _OPENING, *digits, _COMMA, *divisor, _CLOSING))))

    def of_two(operator: int, left: Sequence[int], right: Sequence[int]) -> Optional[Sequence[int]]:
        if in_columns(Operation(operator, [left, right])):
            return integer(*left, operator, *right)
        if operator in COMPARED or operator in _EXTREMES:
            difference = of_two(_MINUS, left, right)
            return difference and _chosen(operator, difference, left, right)
        if operator in DIVISIONS:
            return _divided_by(operator, left, right, blocks)
        (is_negative, upper), (is_other_negative, lower) = signed(left), signed(right)
        if operator == _STAR:
            return with_sign(is_negative != is_other_negative, _product(upper, lower, blocks))
        if (operator == _PLUS) == (is_negative == is_other_negative):
            return with_sign(is_negative, blocks.sum(upper, lower))
        return blocks.difference(lower, upper) if is_negative else blocks.difference(upper, lower)

    value: Optional[Sequence[int]] = operation.operands[0]
    for operand in operation.operands[1:]:
        value = None if value is None else of_two(operation.operator, value, operand)
    return value


def _divided_by(operator: int, left: Sequence[int], divisor: Sequence[int], blocks: Blocks) -> Optional[Sequence[int]]:
    """The quotient of a division, its rest, both of them, or the quotient with its fraction."""
    is_negative, digits = signed(left)

    def divided(digits: Sequence[int]) -> Optional[Pair]:
        places = places_of(divisor)
        if places is not None:
            return moved(digits, places)
        return long_division(digits, divisor, blocks) if len(divisor) > 1 else blocks.divided(digits, divisor)

    if operator == _SLASH:
        return with_sign(is_negative, fraction_of(digits, divisor, divided))
    pair = divided(digits)
    if pair is None:
        return None
    quotient, rest = pair
    is_between = is_negative and not is_zero(rest)
    floored = with_sign(is_negative, blocks.sum(quotient, (_ONE,)) if is_between else quotient) if operator != _REST else ()
    left_over = (blocks.difference(divisor, rest) if is_between else rest) if operator != _DIVIDE else ()
    if operator != _DIVMOD:
        return left_over if operator == _REST else floored
    return None if floored is None or left_over is None else (_OPENING, *floored, _COMMA, *left_over, _CLOSING)


def _chosen(operator: int, difference: Sequence[int], left: Sequence[int], right: Sequence[int]) -> Sequence[int]:
    """The outcome of a comparison, or the greater or lesser of two integers, by their difference."""
    is_less, is_equal = difference[0] == _MINUS, is_zero(difference)
    if operator in _EXTREMES:
        return right if not is_equal and is_less == (operator == _EXTREMES[0]) else left
    return (T.WORDS[str(holds_for(operator, is_less, is_equal))],)


def holds_for(operator: int, is_less: bool, is_equal: bool) -> bool:
    """Whether a comparison holds whose first operand is less than the second, or equal."""
    outcomes = {_LESS: is_less, _AT_MOST: is_less or is_equal, _GREATER: not is_less and not is_equal, _AT_LEAST: not is_less}
    return outcomes[operator]


def _product(upper: Sequence[int], lower: Sequence[int], blocks: Blocks) -> Optional[Sequence[int]]:
    """`34 * 56` is `34 * 5`, moved by one place, and `34 * 6`."""
    if sum(digit != _ZERO for digit in upper) < sum(digit != _ZERO for digit in lower):
        upper, lower = lower, upper
    total: Optional[Sequence[int]] = None
    for place, digit in enumerate(reversed(lower)):
        if digit == _ZERO:
            continue
        piece = upper if digit == _ONE else blocks.times(upper, digit)
        shifted = None if piece is None else (*piece, *[_ZERO] * place)
        total = shifted if total is None or shifted is None else blocks.sum(total, shifted)
        if total is None:
            return None
    return (_ZERO,) if total is None else total


def pair_of(pair: Optional[Sequence[int]]) -> "Optional[tuple[Sequence[int], Sequence[int]]]":
    """The two integers of a tuple; None for other values."""
    if pair is None or pair[0] != _OPENING or pair.count(_COMMA) != 1:
        return None
    comma = pair.index(_COMMA)
    found = tuple(pair[1:comma]), tuple(pair[comma + 1:-1])
    return found if all(map(is_integer, found)) else None


def operation_of(code: Sequence[int], part: Part, told: Told) -> Optional[Operation]:
    """What a part comes to that is a sum, a difference or a product of two integers, a power of one, one divided by another, which of two numbers
    is greater, or the sum, the greatest or the least of several; None for other parts, and where no operand has several digits. told: the value of a
    part, if it is known."""
    if part.kind == "call":
        return _of_call(code, part, told)
    operator = operator_of(code, part)
    if operator is None or operator not in (COMPARED if part.kind == "compare" else _RECKONED):
        return None
    values = [told(inner) or () for inner in part.parts]
    if operator == _POWER:
        return _power_of(*values)
    operands = without_points(values) if operator in COMPARED else values
    is_long = _are_long(operands) if operands is values else all(map(is_integer, operands))
    is_made = is_long and (operator not in DIVISIONS or _is_divisor(values[1]))
    return Operation(operator, operands) if is_made else None


def _is_divisor(value: Sequence[int]) -> bool:
    return is_integer(value) and value[0] not in (_MINUS, _ZERO)


def _power_of(base: Sequence[int], exponent: Sequence[int]) -> Optional[Operation]:
    """A power as a product of several factors; None for squares of single digits, and where it has surely too many digits."""
    if not is_integer(base) or not is_integer(exponent) or exponent[0] == _MINUS:
        return None
    digits = signed(base)[1]
    times = number_of(exponent)
    is_trivial = len(digits) == 1 and (times < 3 or digits[0] in (_ZERO, _ONE))
    is_long = times > MOST_FACTORS or (len(digits) - 1) * times >= MOST_DIGITS
    return Operation(_STAR, [base] * times) if times > 1 and not is_trivial and not is_long else None


def _of_call(code: Sequence[int], part: Part, told: Told) -> Optional[Operation]:
    """What a call of `divmod`, `sum`, `max` or `min` comes to."""
    name, *given = code[part.first], *[_given(code, inner, told) for inner in part.parts[1:]]
    if name not in (_DIVMOD, _SUM, *_EXTREMES) or part.parts[0].kind != "name" or None in given:
        return None
    if len(given) == 1 and name != _DIVMOD and is_sequence(given[0]):
        items = items_of(given[0], 0, len(given[0])) or []
        values = [tuple(given[0][item.first:item.end]) for item in items]
    else:
        values = [tuple(value) for value in given] if name != _SUM else []
    is_many = name == _SUM or (name in _EXTREMES and len(values) > MOST_AT_ONCE)
    if len(values) < 2 or not (all(map(is_integer, values)) if is_many else _are_long(values)):
        return None
    if name == _DIVMOD:
        right = values[1] if len(values) == 2 else ()
        return Operation(name, values) if right and _is_divisor(right) else None
    return Operation(_PLUS if name == _SUM else name, values)


def _given(code: Sequence[int], part: Part, told: Told) -> Optional[Sequence[int]]:
    """The value of an argument; of the values of a dict the list."""
    if not is_lazy(code, part) or code[part.parts[0].end - 1] != _VALUES:
        return told(part)
    items = iterated(code, part, told)
    return None if items is None else listed(items)


def _are_long(values: "Sequence[Sequence[int]]") -> bool:
    """Whether all are integers, one or more of them of several digits or negative."""
    return all(map(is_integer, values)) and any(len(value) > 1 for value in values)


def operator_of(code: Sequence[int], part: Part) -> Optional[int]:
    """The operator of a part of the code that has two operands; None for other parts."""
    is_binary = part.kind in ("binary", "compare") and len(part.parts) == 2
    between = code[part.parts[0].until:part.parts[1].begin] if is_binary else ()
    return between[0] if between else None


def is_computed(code: Sequence[int], part: Part) -> bool:
    """Whether a part is a sum, a difference, a product, a power or a division without a fraction, a sign, a comparison or the call of one of a
    few functions: what a step is not left to come to by itself."""
    if part.kind == "call":
        return part.parts[0].kind == "name" and code[part.first] in _RECKONING
    return part.kind in ("compare", "unary") or operator_of(code, part) in _COMPUTED


def is_integer(value: Sequence[int]) -> bool:
    """Whether a value is an integer of not too many digits."""
    digits = value[1:] if value and value[0] == _MINUS else value
    return 1 <= len(digits) <= MOST_DIGITS and DIGITS.keys() >= set(digits)
