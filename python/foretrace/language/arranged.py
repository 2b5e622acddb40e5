"""What is put together from what is told: items one behind the other (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .displays import is_text, items_in
from .items import joined, listed, with_items
from .iterated import iterated
from .literals import integer_of
from .parts import Part
from .plan import Plan, Told

_PLUS, _STAR = T.CHARS["+"], T.CHARS["*"]
_LIST, _TUPLE, _JOIN = (T.WORDS[name] for name in ("list", "tuple", "join"))
_MOST_ITEMS = 96  # of what is put together, characters of a string too

Value = Sequence[int]


def arranging_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """`xs + ys`, `'ab' * 3`, `list(zip(xs, ys))`, `', '.join(names)`: what only puts items together that are told needs no question."""
    value = _of_call(code, part, told) if part.kind == "call" else _of_operation(code, part, told)
    return None if value is None else Plan(0, lambda value_of: value)


def _of_operation(code: Value, part: Part, told: Told) -> Optional[Value]:
    if part.kind != "binary" or len(part.parts) != 2:
        return None
    left, right = (told(inner) for inner in part.parts)
    if left is None or right is None:
        return None
    operator = code[part.parts[0].until]
    if operator == _PLUS:
        are_alike = left[0] == right[0] and is_text(left) == is_text(right)
        together = items_in(left) + items_in(right)
        return with_items(left, together) if are_alike and len(together) <= _MOST_ITEMS else None
    if operator != _STAR:
        return None
    numbers = [number for number in (integer_of(right), integer_of(left)) if number is not None]
    value = left if integer_of(left) is None else right
    items = items_in(value)
    return with_items(value, items * numbers[0]) if numbers and numbers[0] * len(items) <= _MOST_ITEMS else None


def _of_call(code: Value, part: Part, told: Told) -> Optional[Value]:
    if len(part.parts) != 2:
        return None
    callee, given = part.parts
    is_made = callee.kind == "name" and code[part.first] in (_LIST, _TUPLE)
    is_joined = callee.kind == "attribute" and code[callee.end - 1] == _JOIN
    items = iterated(code, given, told, _MOST_ITEMS) if is_made or is_joined else None
    if items is None:
        return None
    if is_made:
        return listed(items) if code[part.first] == _LIST else joined(items)
    between = told(callee.parts[0])
    if between is None or not all(map(is_text, (between, *items))):
        return None
    pieces = [piece for item in items for piece in (tuple(between[1:-1]), tuple(item[1:-1]))]
    return with_items(between, pieces[1:])
