"""Comparisons, sums and extremes of numbers of which some are infinite (docs/trace-language.md, section 9): which they are tells them."""

from __future__ import annotations

import operator
from typing import Callable, Optional, Sequence

from . import tokens as T
from .decimals import is_decimal
from .displays import is_sequence, items_in, with_commas
from .parts import Part
from .plan import Plan, Told

_PLUS, _MINUS, _OPENING, _CLOSING = (T.CHARS[char] for char in "+-()")
_MAX, _MIN, _INF = (T.WORDS[word] for word in ("max", "min", "inf"))
_COMPARISONS: "dict[int, Callable[[int, int], bool]]" = {
    T.CHARS["<"]: operator.lt, T.CHARS[">"]: operator.gt, T.OPERATORS["<="]: operator.le, T.OPERATORS[">="]: operator.ge,
    T.OPERATORS["=="]: operator.eq, T.OPERATORS["!="]: operator.ne}

Value = Sequence[int]


def _rank_of(value: Value) -> Optional[int]:
    """-1 and 1 for the infinite ones, 0 for other numbers; None for what is none."""
    if tuple(value) in ((_INF,), (_MINUS, _INF)):
        return 1 if value[0] == _INF else -1
    return 0 if is_decimal(value) else None


def infinite_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """How it comes about what numbers come to of which one at least is infinite; None for other parts."""
    if part.kind == "call" and part.parts[0].kind == "name":
        return _extreme_plan(code[part.first], part.parts[1:], told)
    if part.kind not in ("binary", "compare") or len(part.parts) != 2:
        return None
    left, right = (_rank_of(told(inner) or ()) for inner in part.parts)
    if left is None or right is None or left == right == 0:
        return None
    sign = code[part.parts[0].until]
    value = _compared(sign, left, right) if part.kind == "compare" else _added(sign, left, right)
    return None if value is None else Plan(0, lambda value_of: value)


def _compared(sign: int, left: int, right: int) -> Optional[Value]:
    compare = _COMPARISONS.get(sign)
    return None if compare is None else (T.WORDS[str(compare(left, right))],)


def _added(sign: int, left: int, right: int) -> Optional[Value]:
    """A sum or difference; two infinite ones may come to no number."""
    if (left != 0 and right != 0) or sign not in (_PLUS, _MINUS):
        return None
    return (_MINUS, _INF) if left + (-right if sign == _MINUS else right) < 0 else (_INF,)


def _extreme_plan(name: int, given: "Sequence[Part]", told: Told) -> Optional[Plan]:
    """`max` and `min`: an infinite one is the extreme, or what is left without those of them that cannot be."""
    if name not in (_MAX, _MIN) or any(inner.kind in ("keyword", "star") for inner in given):
        return None
    items = [tuple(told(inner) or ()) for inner in given]
    if len(items) == 1 and is_sequence(items[0]):
        items = items_in(items[0])
    ranks = [rank for rank in map(_rank_of, items) if rank is not None]
    if len(ranks) < len(items) or not any(ranks):
        return None
    best = max(ranks) if name == _MAX else min(ranks)
    left = [item for item, rank in zip(items, ranks) if rank == best]
    if best != 0 or len(left) == 1:
        return Plan(0, lambda value_of: left[0])
    return Plan(1, lambda value_of: value_of((name, _OPENING, *with_commas(left), _CLOSING)))
