"""What is put together from what is told: items one behind the other (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .displays import QUOTES, is_sequence, is_text, items_of
from .items import joined, listed
from .iterated import iterated
from .literals import integer_of
from .parts import Part
from .plan import Plan, Told

_PLUS, _STAR, _SQUARE = (T.CHARS[char] for char in "+*[")
_LIST, _TUPLE, _JOIN = (T.WORDS[name] for name in ("list", "tuple", "join"))
_MOST_ITEMS = 96  # of what is put together, characters of a string too

Value = Sequence[int]


def arranging_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """`xs + ys`, `'ab' * 3`, `list(zip(xs, ys))`, `', '.join(names)`: what only puts items together that are told needs no question."""
    value = _of_call(code, part, told) if part.kind == "call" else _of_operation(code, part, told)
    return None if value is None else Plan(0, lambda value_of: value)


def _items(value: Value) -> "list[tuple[int, ...]]":
    return [tuple(value[item.first:item.end]) for item in items_of(value, 0, len(value)) or ()]


def _with_items(value: Value, items: "Sequence[Value]") -> Optional[Value]:
    """The same with other items; None for what is no list, tuple or string."""
    if len(items) > _MOST_ITEMS:
        return None
    if is_text(value):
        return _text(items)
    if not is_sequence(value):
        return None
    return listed(items) if value[0] == _SQUARE else joined(items)


def _text(pieces: "Sequence[Value]") -> Value:
    return (QUOTES[0], *(token for piece in pieces for token in piece), QUOTES[0])


def _of_operation(code: Value, part: Part, told: Told) -> Optional[Value]:
    if part.kind != "binary" or len(part.parts) != 2:
        return None
    left, right = (told(inner) for inner in part.parts)
    if left is None or right is None:
        return None
    operator = code[part.parts[0].until]
    if operator == _PLUS:
        are_alike = left[0] == right[0] and is_text(left) == is_text(right)
        return _with_items(left, _items(left) + _items(right)) if are_alike else None
    if operator != _STAR:
        return None
    numbers = [number for number in (integer_of(right), integer_of(left)) if number is not None]
    value = left if integer_of(left) is None else right
    items = _items(value)
    return _with_items(value, items * numbers[0]) if numbers and numbers[0] * len(items) <= _MOST_ITEMS else None


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
    return _text(pieces[1:])
