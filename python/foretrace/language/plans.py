"""The operations that are made of others (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .arranged import arranging_plan
from .bits import bits_plan
from .floats import float_plan
from .gathered import gathering_plan
from .infinite import infinite_plan
from .kinds import kind_plan
from .lookups import lookup_plan
from .ordered import ordering_plan, sequence_plan
from .padded import padding_plan
from .parts import Part
from .plan import Plan, Told, ValueOf
from .signs import sign_plan
from .sums import operator_of, sum_plan
from .text_methods import text_plan


_SLASH = T.CHARS["/"]


def _number_plan(code: Sequence[int], part: Part, told: Told) -> Optional[Plan]:
    """By decimals; where a division so leads to no end, as floats are."""
    first = sum_plan(code, part, told)
    if first is not None and operator_of(code, part) != _SLASH:
        return first
    second = float_plan(code, part, told)
    if first is None or second is None:
        return second if first is None else first

    def value(value_of: ValueOf) -> Optional[Sequence[int]]:
        found = first.value(value_of)
        return second.value(value_of) if found is None else found

    return Plan(first.questions + second.questions, value)


_PLANS = (lookup_plan, kind_plan, sign_plan, bits_plan, arranging_plan, text_plan, infinite_plan, _number_plan, ordering_plan, sequence_plan,
          gathering_plan, padding_plan)


def plan_of(code: Sequence[int], part: Part, told: Told) -> Optional[Plan]:
    """How a part of the code comes about; None for those that are asked as they are."""
    plans = (plan(code, part, told) for plan in _PLANS)
    return next((found for found in plans if found is not None), None)
