"""Integer arithmetic the way it is done on paper: in columns, the last digit first (docs/trace-language.md, section 9).

Sums, differences and products with a single digit are asked in columns and answered from the last digit on, so that every digit follows from
those above it and one carry, which a small model learns; written from the first digit on, each needs all that come after it (Lee et al.,
Teaching Arithmetic to Small Transformers, 2023). Divisions by a single digit are answered by what is left after every digit too. Other
products, and what has signs, are made of these.
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence

from . import tokens as T
from .displays import items_of
from .parts import Part

_MINUS, _PLUS, _STAR, _ZERO, _ONE = (T.CHARS[char] for char in "-+*01")
_POWER = T.OPERATORS["**"]
_DIGITS = frozenset(T.CHARS[digit] for digit in "0123456789")
_DIVIDE, _REST, _DIVMOD = T.OPERATORS["//"], T.CHARS["%"], T.WORDS["divmod"]
_LESS, _OR_EQUAL = (T.CHARS["<"], T.OPERATORS["<="]), (T.OPERATORS["<="], T.OPERATORS[">="])
_COMPARED = frozenset([*_LESS, *_OR_EQUAL, T.CHARS[">"]])
_SUM, _EXTREMES = T.WORDS["sum"], (T.WORDS["max"], T.WORDS["min"])
_SEQUENCES = (T.CHARS["("], T.CHARS["["])
FEW = 3  # single digits that are added at once
_OPENING, _COMMA, _CLOSING = (T.CHARS[char] for char in "(,)")
_IN_COLUMNS = (_PLUS, _MINUS, _STAR, _DIVMOD)
_COMPUTED = frozenset([_PLUS, _MINUS, _STAR, _POWER, _DIVIDE, _REST])
_EXPONENTS = {(T.CHARS[digit],): int(digit) for digit in "23"}
MOST_DIGITS = 12  # of an operand

ValueOf = Callable[[Sequence[int]], Optional[Sequence[int]]]
"""The value of an expression that is made of integers; None where it is not known."""


class Operation(NamedTuple):
    """An operation on integers: on two, or on the result and the next. operator: of a call of `divmod`, `max` or `min` its name."""

    operator: int
    operands: "list[Sequence[int]]"


def in_columns(operation: Operation) -> Optional[list[int]]:
    """The question for an operation on two integers, without its first token: the operands last digit first, filled up with zeros to one
    digit more than the longer one has; of a product the second, which is a single digit, as it is; of `divmod` both as they are. None where
    it is not asked so."""
    operator, (left, right, *others) = operation
    is_single, signs = operator in (_STAR, _DIVMOD), _MINUS in (left[0], right[0])
    if operator not in _IN_COLUMNS or others or signs or len(left) + len(right) < 3 or (is_single and len(right) > 1):
        return None
    if operator == _DIVMOD:
        return [T.IT, *left, _DIVIDE, *right]
    width = max(len(left), len(right)) + 1
    return [T.IT, *_filled(left, width), operator, *(right if is_single else _filled(right, width))]


def calculated(operation: Operation, value_of: ValueOf) -> Optional[Sequence[int]]:
    """The value of an operation that is not asked in columns itself, by way of some that are. None where one of their values is not known."""

    def integer(*code: int) -> Optional[Sequence[int]]:
        found = value_of(code)
        return found if found is not None and is_integer(found) else None

    def of_two(operator: int, left: Sequence[int], right: Sequence[int]) -> Optional[Sequence[int]]:
        if in_columns(Operation(operator, [left, right])):
            return integer(*left, operator, *right)
        if operator in _COMPARED or operator in _EXTREMES:
            difference = of_two(_MINUS, left, right)
            return difference and _chosen(operator, difference, left, right)
        if operator in (_DIVIDE, _REST):
            return _divided_by(operator, left, right, value_of, integer)
        (is_negative, upper), (is_other_negative, lower) = _signed(left), _signed(right)
        if operator == _STAR:
            return _with_sign(is_negative != is_other_negative, _product(upper, lower, integer))
        if (operator == _PLUS) == (is_negative == is_other_negative):
            return _with_sign(is_negative, integer(*upper, _PLUS, *lower))
        return integer(*lower, _MINUS, *upper) if is_negative else integer(*upper, _MINUS, *lower)

    value: Optional[Sequence[int]] = operation.operands[0]
    for operand in operation.operands[1:]:
        value = None if value is None else of_two(operation.operator, value, operand)
    return value


def _divided_by(operator: int, left: Sequence[int], divisor: Sequence[int], value_of: ValueOf,
                integer: Callable[..., Optional[Sequence[int]]]) -> Optional[Sequence[int]]:
    """The quotient of a division by a single digit, or its rest."""
    is_negative, digits = _signed(left)
    pair = _parts(value_of((_DIVMOD, _OPENING, *digits, _COMMA, *divisor, _CLOSING)))
    if pair is None:
        return None
    quotient, rest = pair
    is_between = is_negative and rest != (_ZERO,)
    if operator == _REST:
        return integer(*divisor, _MINUS, *rest) if is_between else rest
    return _with_sign(is_negative, integer(*quotient, _PLUS, _ONE) if is_between else quotient)


def _chosen(operator: int, difference: Sequence[int], left: Sequence[int], right: Sequence[int]) -> Sequence[int]:
    """The outcome of a comparison, or the greater or lesser of two integers, by their difference."""
    is_less, is_equal = difference[0] == _MINUS, tuple(difference) == (_ZERO,)
    if operator in _EXTREMES:
        return right if not is_equal and is_less == (operator == _EXTREMES[0]) else left
    holds = is_equal if is_equal and operator in _OR_EQUAL else not is_equal and is_less == (operator in _LESS)
    return (T.WORDS[str(holds)],)


def questions_of(operation: Operation) -> int:
    """Most questions that an operation needs which is made of others."""
    operator, operands = operation
    return sum(2 * sum(digit != _ZERO for digit in operand) if operator == _STAR else 2 for operand in operands[1:])


def _product(upper: Sequence[int], lower: Sequence[int], integer: Callable[..., Optional[Sequence[int]]]) -> Optional[Sequence[int]]:
    """`34 * 56` is `34 * 5`, moved by one place, and `34 * 6`."""
    if sum(digit != _ZERO for digit in upper) < sum(digit != _ZERO for digit in lower):
        upper, lower = lower, upper
    total: Optional[Sequence[int]] = None
    for place, digit in enumerate(reversed(lower)):
        if digit == _ZERO:
            continue
        piece = integer(*upper, _STAR, digit)
        moved = None if piece is None else (*piece, *[_ZERO] * place)
        total = moved if total is None or moved is None else integer(*total, _PLUS, *moved)
        if total is None:
            return None
    return (_ZERO,) if total is None else total


def _parts(pair: Optional[Sequence[int]]) -> "Optional[tuple[Sequence[int], Sequence[int]]]":
    """The two integers of a tuple; None for other values."""
    if pair is None or pair[0] != _OPENING or pair.count(_COMMA) != 1:
        return None
    comma = pair.index(_COMMA)
    found = tuple(pair[1:comma]), tuple(pair[comma + 1:-1])
    return found if all(map(is_integer, found)) else None


def operation_of(code: Sequence[int], part: Part, told: Callable[[Part], Optional[Sequence[int]]]) -> Optional[Operation]:
    """What a part comes to that is a sum, a difference or a product of two integers, the square or cube of one, one divided by a single
    digit, which of two is greater, or the sum, the greatest or the least of several; None for other parts, and where no operand has several
    digits. told: the value of a part, if it is known."""
    if part.kind == "call":
        return _of_call(code, part, told)
    operator = operator_of(code, part)
    if operator is None or operator not in (_COMPARED if part.kind == "compare" else _COMPUTED):
        return None
    values = [told(inner) or () for inner in part.parts]
    if not _are_long(values):
        return None
    left, right = values
    if operator in (_DIVIDE, _REST):
        return Operation(operator, values) if len(right) == 1 and right[0] != _ZERO else None
    if operator != _POWER:
        return Operation(operator, values)
    times = _EXPONENTS.get(tuple(right), 0) if len(_signed(left)[1]) > 1 else 0
    return Operation(_STAR, [left] * times) if times else None


def _of_call(code: Sequence[int], part: Part, told: Callable[[Part], Optional[Sequence[int]]]) -> Optional[Operation]:
    """What a call of `divmod`, `sum`, `max` or `min` comes to."""
    name, *given = code[part.first], *[told(inner) for inner in part.parts[1:]]
    if name not in (_DIVMOD, _SUM, *_EXTREMES) or part.parts[0].kind != "name" or None in given:
        return None
    if len(given) == 1 and name != _DIVMOD and given[0][0] in _SEQUENCES:
        items = items_of(given[0], 0, len(given[0])) or []
        values = [tuple(given[0][item.first:item.end]) for item in items]
    else:
        values = [tuple(value) for value in given] if name != _SUM else []
    is_much = name == _SUM and len(values) > FEW and all(map(is_integer, values))
    if len(values) < 2 or not (is_much or _are_long(values)):
        return None
    if name == _DIVMOD:
        left, right = values if len(values) == 2 else ((), ())
        return Operation(name, values) if len(right) == 1 and right[0] != _ZERO and left[0] != _MINUS else None
    return Operation(_PLUS if name == _SUM else name, values)


def _are_long(values: "Sequence[Sequence[int]]") -> bool:
    """Whether all are integers, one or more of them of several digits."""
    return all(map(is_integer, values)) and any(len(_signed(value)[1]) > 1 for value in values)


def operator_of(code: Sequence[int], part: Part) -> Optional[int]:
    """The operator of a part of the code that has two operands; None for other parts."""
    is_binary = part.kind in ("binary", "compare") and len(part.parts) == 2
    between = code[part.parts[0].until:part.parts[1].begin] if is_binary else ()
    return between[0] if between else None


def is_computed(code: Sequence[int], part: Part) -> bool:
    """Whether a part is a sum, a difference, a product, a power or a division without a fraction: what a step is not left to come to by itself."""
    return operator_of(code, part) in _COMPUTED


def as_answered(question: Sequence[int], answer: Sequence[int]) -> list[int]:
    """An answer as it is written behind its question: in columns an integer stands last digit first behind `<|it|>`, of a difference behind a
    `-`, in as many digits as its operands have there, a negative one as its ten's complement; and what a division comes to behind `<|o://|>`,
    a digit of the quotient and what is left after it in turn."""
    if question[1] != T.IT or answer[0] != T.VALUE:
        return list(answer)
    if _DIVIDE in question:
        return [T.VALUE, _DIVIDE, *_divided(question)]
    if _MINUS in question:
        width = question.index(_MINUS) - 2
        shown = int("".join(T.NAMES[token] for token in answer[1:])) % 10 ** width
        return [T.VALUE, T.IT, _MINUS, *_filled(T.text_tokens(str(shown)), width)]
    return [T.VALUE, T.IT, *reversed(answer[1:])]


def _divided(question: Sequence[int]) -> list[int]:
    """The digits of the quotient, each followed by what is left after it, for a division in columns."""
    divisor, left, out = int(T.NAMES[question[-1]]), 0, []
    for token in question[2:-2]:
        digit, left = divmod(left * 10 + int(T.NAMES[token]), divisor)
        out += [T.CHARS[str(digit)], T.CHARS[str(left)]]
    return out


def _signed(value: Sequence[int]) -> "tuple[bool, Sequence[int]]":
    """Whether an integer is negative, and its digits."""
    is_negative = value[0] == _MINUS
    return is_negative, value[is_negative:]


def _with_sign(is_negative: bool, value: Optional[Sequence[int]]) -> Optional[Sequence[int]]:
    """The value, or what it is with the other sign."""
    if value is None or not is_negative or tuple(value) == (_ZERO,):
        return value
    return value[1:] if value[0] == _MINUS else (_MINUS, *value)


def _filled(digits: Sequence[int], width: int) -> Sequence[int]:
    """The digits from the last on, with zeros behind them."""
    return (*reversed(digits), *[_ZERO] * (width - len(digits)))


def is_integer(value: Sequence[int]) -> bool:
    """Whether a value is an integer of not too many digits."""
    digits = value[1:] if value and value[0] == _MINUS else value
    return 1 <= len(digits) <= MOST_DIGITS and _DIGITS.issuperset(digits)


class SumDecoder:
    """Reads the tokens of an integer behind its `<|it|>`, as `ValueDecoder` reads those of a value."""

    def __init__(self) -> None:
        self.is_difference = False
        self.digits: list[str] = []

    def accepts(self, token: int) -> bool:
        """Whether `token` may stand next."""
        return token in _DIGITS or (token == _MINUS and not self.is_difference and not self.digits)

    def take(self, token: int) -> None:
        """Consumes a token that `accepts` allows."""
        if token == _MINUS:
            self.is_difference = True
        else:
            self.digits.append(T.NAMES[token])

    def missing(self) -> Optional[str]:
        """What must still come before the integer may end; None if nothing must. Its first digit, which comes last, is not 0, unless
        it is the only one; that of a difference is 0 or 9."""
        last = self.digits[-1:]
        if self.is_difference:
            return None if len(self.digits) > 1 and last in (["0"], ["9"]) else "another digit"
        return None if self.digits == ["0"] or (last and last != ["0"]) else "another digit"

    def text(self) -> str:
        """The integer, once `missing` is None."""
        found = int("".join(reversed(self.digits)))
        return str(found - 10 ** len(self.digits) if self.is_difference and self.digits[-1] == "9" else found)


class DivisionDecoder:
    """Reads the digits of a division behind its `<|o://|>`, as `ValueDecoder` reads those of a value: it is a tuple, as of `divmod`."""

    def __init__(self) -> None:
        self.digits: list[str] = []

    def accepts(self, token: int) -> bool:
        """Whether `token` may stand next."""
        return token in _DIGITS

    def take(self, token: int) -> None:
        """Consumes a token that `accepts` allows."""
        self.digits.append(T.NAMES[token])

    def missing(self) -> Optional[str]:
        """What must still come before the division may end; None if nothing must."""
        return "another digit" if not self.digits or len(self.digits) % 2 else None

    def text(self) -> str:
        """Quotient and rest, once `missing` is None."""
        return f"({int(''.join(self.digits[::2]))}, {self.digits[-1]})"


DECODERS = {T.IT: SumDecoder, _DIVIDE: DivisionDecoder}
"""What reads an answer in columns, by the token it begins with."""
