"""The operations that are made of others (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from .gathered import gathering_plan
from .ordered import ordering_plan
from .padded import padding_plan
from .parts import Part
from .plan import Plan, Told
from .sums import sum_plan


def plan_of(code: Sequence[int], part: Part, told: Told) -> Optional[Plan]:
    """How a part of the code comes about; None for those that are asked as they are."""
    return sum_plan(code, part, told) or ordering_plan(code, part, told) or gathering_plan(code, part, told) or padding_plan(code, part, told)
