"""The operations that are made of others (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from .arranged import arranging_plan
from .bits import bits_plan
from .gathered import gathering_plan
from .infinite import infinite_plan
from .kinds import kind_plan
from .lookups import lookup_plan
from .ordered import ordering_plan
from .padded import padding_plan
from .parts import Part
from .plan import Plan, Told
from .sums import sum_plan
from .text_methods import text_plan


_PLANS = (lookup_plan, kind_plan, bits_plan, arranging_plan, text_plan, infinite_plan, sum_plan, ordering_plan,
          gathering_plan, padding_plan)


def plan_of(code: Sequence[int], part: Part, told: Told) -> Optional[Plan]:
    """How a part of the code comes about; None for those that are asked as they are."""
    plans = (plan(code, part, told) for plan in _PLANS)
    return next((found for found in plans if found is not None), None)
