"""Sets that are made of other collections, by way of asking of each item whether it is in one (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .displays import NO_SET, is_set, items_of
from .items import collected, items_in_order, listed
from .parts import Part
from .plan import Plan, Told, ValueOf

_SET, _IN, _TRUE = T.WORDS["set"], T.WORDS["in"], (T.WORDS["True"],)
_OPERATORS = {T.CHARS["|"]: T.WORDS["union"], T.CHARS["&"]: T.WORDS["intersection"], T.CHARS["-"]: T.WORDS["difference"],
              T.CHARS["^"]: T.WORDS["symmetric_difference"]}
"""Operators of two sets, and the methods that do the same."""
_STAYS = {T.WORDS["intersection"]: True, T.WORDS["difference"]: False, T.WORDS["symmetric_difference"]: False}
"""By the method: whether an item of the first set stays that is in the second too. A union has them all."""
_COMES_IN = (T.WORDS["union"], T.WORDS["symmetric_difference"])
"""The methods that take in what is in the second set alone."""

Tokens = Sequence[int]


def gathering_plan(code: Tokens, part: Part, told: Told) -> Optional[Plan]:
    """How a set of the items of a list, tuple or string comes about, or of those of two sets; None for other parts."""
    if part.kind == "call" and part.parts[0].kind == "name" and code[part.first] == _SET and len(part.parts) == 2:
        value = told(part.parts[1])
        items = None if value is None or is_set(value) else items_in_order(value)
        is_made = items is not None and len(items) > 1 and collected(list(dict.fromkeys(items))) is not None
        return Plan(len(items) - 1, lambda value_of: _distinct(items, value_of)) if items is not None and is_made else None
    found = _of_two(code, part)
    values = [told(inner) for inner in found[1:]] if found else []
    if found is None or None in values or not all(is_set(value) for value in values):
        return None
    first, second = (_items(value) for value in values)
    if not first or not second or collected(list(dict.fromkeys([*first, *second]))) is None:
        return None
    questions = (found[0] in _STAYS) * len(first) + (found[0] in _COMES_IN) * len(second)
    return Plan(questions, lambda value_of: _combined(found[0], first, second, value_of))


def _of_two(code: Tokens, part: Part) -> "Optional[tuple[int, Part, Part]]":
    """The name of the method, the set that it belongs to and its argument, of an operator of two sets too."""
    if part.kind == "binary":
        name = _OPERATORS.get(code[part.parts[0].until])
        return None if name is None else (name, *part.parts)
    is_method = part.kind == "call" and part.parts[0].kind == "attribute" and len(part.parts) == 2
    name = code[part.parts[0].end - 1] if is_method else T.END
    return (name, part.parts[0].parts[0], part.parts[1]) if name in _OPERATORS.values() else None


def _items(value: Tokens) -> "list[Tokens]":
    found = () if tuple(value) == NO_SET else items_of(value, 0, len(value)) or ()
    return [tuple(value[item.first:item.end]) for item in found]


def _distinct(items: "Sequence[Tokens]", value_of: ValueOf) -> Optional[Tokens]:
    """The set of items, each of which is looked for among those before it."""
    kept = [items[0]]
    for item in items[1:]:
        is_there = _is_in(item, listed(kept), value_of)
        if is_there is None:
            return None
        if not is_there:
            kept.append(item)
    return collected(kept)


def _combined(name: int, first: "Sequence[Tokens]", second: "Sequence[Tokens]", value_of: ValueOf) -> Optional[Tokens]:
    asked = [(item, _STAYS[name], second) for item in first] if name in _STAYS else []
    asked += [(item, False, first) for item in second] if name in _COMES_IN else []
    kept = [] if name in _STAYS else list(first)
    for item, stays, others in asked:
        is_there = _is_in(item, collected(others), value_of)
        if is_there is None:
            return None
        kept += [item] if is_there == stays else []
    return collected(kept) if kept else NO_SET


def _is_in(item: Tokens, collection: Optional[Tokens], value_of: ValueOf) -> Optional[bool]:
    found = None if collection is None else value_of((*item, _IN, *collection))
    return None if found is None else tuple(found) == _TRUE
