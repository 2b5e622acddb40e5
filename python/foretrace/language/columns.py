"""Operations on integers in columns, as on paper: how they are asked and answered (docs/trace-language.md, sections 7 and 9).

Sums, differences and products with a single digit stand and are answered from the last digit on, so that every digit follows from those above
it and one carry, which a small model learns; written from the first digit on, each needs all that come after it (Lee et al., Teaching
Arithmetic to Small Transformers, 2023). Divisions by a single digit are answered by what is left after every digit too.
"""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from . import tokens as T

_MINUS, _STAR, _ZERO = (T.CHARS[char] for char in "-*0")
_DIVIDE, _DIVMOD = T.OPERATORS["//"], T.WORDS["divmod"]
_ASKED = (T.CHARS["+"], _MINUS, _STAR, _DIVMOD)
MOST_COLUMNS, MOST_SCALED = 4, 2  # digits of an operand, of one that is multiplied or divided by a single one: of more, models miss some
_DIGITS = frozenset(T.CHARS[digit] for digit in "0123456789")


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
    if operator not in _ASKED or others or signs or len(left) + len(right) < 3 or (is_single and len(right) > 1):
        return None
    if max(len(left), len(right)) > (MOST_SCALED if is_single else MOST_COLUMNS):
        return None
    if operator == _DIVMOD:
        return [T.IT, *left, _DIVIDE, *right]
    width = max(len(left), len(right)) + 1
    return [T.IT, *_filled(left, width), operator, *(right if is_single else _filled(right, width))]


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


def _filled(digits: Sequence[int], width: int) -> Sequence[int]:
    """The digits from the last on, with zeros behind them."""
    return (*reversed(digits), *[_ZERO] * (width - len(digits)))


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
