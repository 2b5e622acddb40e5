"""What a loop goes over, where the text tells it (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T
from .items import MOST_ITEMS, Value, counted, entries, items_in_order, joined
from .kinds import converted
from .known_calls import is_lazy
from .literals import integer_of
from .parts import Part

_W = T.WORDS


def iterated(code: Sequence[int], part: Part, told: Callable[[Part], Optional[Sequence[int]]],
             most: int = MOST_ITEMS) -> Optional[list[Value]]:
    """The items of a literal, and what iterators and views of such give, `most` at most. told: the value of a part as it is written, where that is known."""
    if not is_lazy(code, part):
        value = told(part)
        return None if value is None else items_in_order(value, most)
    callee, *given = part.parts
    name = code[callee.end - 1]
    if callee.kind == "attribute":
        value = told(callee.parts[0])
        return None if value is None or given else entries(value, name, most)
    if name == _W["range"]:
        bounds = [told(bound) for bound in given]
        return None if None in bounds else counted(bounds, most)
    if name == _W["map"] and len(given) == 2 and given[0].kind == "name":
        items = iterated(code, given[1], told, most)
        mapped = [converted(code[given[0].first], item) for item in items or ()]
        return None if items is None or None in mapped else mapped
    if name == _W["enumerate"]:
        return _numbered(code, given, told, most)
    inside = [iterated(code, inner, told, most) for inner in given]
    if None in inside or (name != _W["zip"] and len(inside) != 1):
        return None
    if name == _W["zip"]:
        return [joined(items) for items in zip(*inside)]
    is_sequence = name == _W["reversed"] and (not is_lazy(code, given[0]) or code[given[0].first] == _W["range"])
    return inside[0][::-1] if is_sequence else None


def _numbered(code: Sequence[int], given: Sequence[Part], told: Callable[[Part], Optional[Sequence[int]]],
              most: int) -> Optional[list[Value]]:
    """`enumerate(xs)`, `enumerate(xs, 1)`, `enumerate(xs, start=1)`."""
    if not 1 <= len(given) <= 2:
        return None
    first: Optional[int] = 0
    if len(given) == 2:
        start = told(given[1].parts[0] if given[1].kind == "keyword" else given[1])
        first = None if start is None else integer_of(start)
    items = None if first is None else iterated(code, given[0], told, most)
    if items is None or first is None:
        return None
    return [joined((tuple(T.text_tokens(str(first + index))), item)) for index, item in enumerate(items)]
