"""`-x`, `+x` and `abs(x)` of numbers that are told: their digits stand there (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .digits import is_zero, signed
from .kinds import is_number
from .parts import Part
from .plan import Plan, Told

_PLUS, _MINUS, _ABS = T.CHARS["+"], T.CHARS["-"], T.WORDS["abs"]

Value = Sequence[int]


def sign_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    sign, is_call = code[part.first], False
    if part.kind == "call" and part.parts[0].kind == "name" and sign == _ABS and len(part.parts) == 2:
        is_call = True
    elif part.kind != "unary":
        return None
    value = told(part.parts[-1])
    if value is None or not is_number(value):
        return None
    found = signed(value)[1] if is_call else _signed(sign, value)
    return None if found is None else Plan(0, lambda value_of: found)


def _signed(sign: int, value: Value) -> Optional[Value]:
    if sign == _PLUS or is_zero(value):  # the integer zero has no sign
        return value if sign in (_PLUS, _MINUS) else None
    if sign != _MINUS:
        return None
    is_negative, digits = signed(value)
    return digits if is_negative else (_MINUS, *value)
