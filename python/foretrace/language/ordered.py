"""What is put in order, by way of comparisons of two items (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence, Union

from . import tokens as T
from .displays import NO_SET, is_sequence, is_set, is_text, items_of
from .items import listed
from .iterated import iterated
from .parts import Part
from .plan import Plan, Told, ValueOf
from .sums import COMPARED, holds_for, is_integer, operator_of

_SORTED, _MAX, _MIN, _LEN = (T.WORDS[name] for name in ("sorted", "max", "min", "len"))
_REVERSE, _KEY = T.WORDS["reverse"], T.WORDS["key"]
_TRUE, _FALSE = (T.WORDS["True"],), (T.WORDS["False"],)
_LESS, _OPENING, _CLOSING = (T.CHARS[char] for char in "<()")

Tokens = Sequence[int]


class _Item(NamedTuple):
    """An item and what it is compared by."""

    value: Tokens
    key: Tokens


class _Unknown(Exception):
    """A comparison whose outcome is not known."""


def ordering_plan(code: Tokens, part: Part, told: Told) -> Optional[Plan]:
    """How `sorted` of several items comes about, and `max` and `min` of those that are not integers; None for other parts."""
    name, given = code[part.first], part.parts[1:]
    if part.kind != "call" or part.parts[0].kind != "name" or name not in (_SORTED, _MAX, _MIN) or not given:
        return None
    items, order = _items(code, given[0], told), _order(code, given[1:])
    if items is None or order is None or len(items) < 2 or not _are_comparable(items, order.is_by_length):
        return None
    if name != _SORTED and (order.is_backwards or all(map(is_integer, items))):
        return None
    lengths = len(items) if order.is_by_length else 0
    if name == _SORTED:
        return Plan(lengths + _comparisons(len(items)), lambda value_of: _sorted(items, order, value_of))
    return Plan(lengths + len(items) - 1, lambda value_of: _extreme(name, items, order, value_of))


def sequence_plan(code: Tokens, part: Part, told: Told) -> Optional[Plan]:
    """How a comparison of two lists, two tuples or two texts comes about: as that of the first items that differ, if these are integers or texts,
    or of the numbers of the first characters; None for other parts."""
    operator = operator_of(code, part)
    if operator is None or operator not in COMPARED:
        return None
    left, right = map(told, part.parts)
    if left is None or right is None:
        return None
    are_texts = is_text(left) and is_text(right)
    if not are_texts and not (is_sequence(left) and is_sequence(right) and left[0] == right[0]):
        return None
    deciding = (_deciding_numbers if are_texts else _deciding_items)(tuple(left), tuple(right))
    if isinstance(deciding, bool):
        holds = holds_for(operator, deciding, tuple(left) == tuple(right))
        return Plan(0, lambda value_of: _TRUE if holds else _FALSE)
    if not all(map(is_integer, deciding)) and not all(map(is_text, deciding)):
        return None
    return Plan(1, lambda value_of: value_of((*deciding[0], operator, *deciding[1])))


class _Order(NamedTuple):
    is_backwards: bool
    is_by_length: bool


def _order(code: Tokens, given: "Sequence[Part]") -> Optional[_Order]:
    """What the keyword arguments say: `reverse=True` or `reverse=False`, `key=len`; None for others."""
    found = {code[inner.first]: tuple(code[inner.parts[0].first:inner.parts[0].end]) for inner in given if inner.kind == "keyword"}
    is_read = len(found) == len(given) and found.get(_REVERSE, _TRUE) in (_TRUE, _FALSE) and found.get(_KEY, (_LEN,)) == (_LEN,)
    return _Order(found.get(_REVERSE) == _TRUE, _KEY in found) if is_read and found.keys() <= {_REVERSE, _KEY} else None


def _items(code: Tokens, part: Part, told: Told) -> "Optional[list[Tokens]]":
    """The items of an argument, in the order in which they come; of a set in the order of their texts."""
    value = told(part)
    if value is None or not is_set(value):
        return iterated(code, part, told)
    return [] if tuple(value) == NO_SET else [value[item.first:item.end] for item in items_of(value, 0, len(value)) or ()]


def _are_comparable(items: "Sequence[Tokens]", is_by_length: bool) -> bool:
    """Whether all are integers or all are strings, or tuples of such; by length, whether all are strings, lists or tuples."""
    if is_by_length:
        return all(is_text(item) or is_sequence(item) for item in items)
    if all(map(is_integer, items)) or all(map(is_text, items)):
        return True
    if not all(map(is_sequence, items)) or len({item[0] for item in items}) > 1:
        return False
    inside = [[item[inner.first:inner.end] for inner in items_of(item, 0, len(item)) or ()] for item in items]
    return len({len(inner) for inner in inside}) == 1 and all(_are_comparable(column, False) for column in zip(*inside))


def _comparisons(count: int) -> int:
    """Most comparisons that merging needs for so many items."""
    levels = (count - 1).bit_length()
    return count * levels - (1 << levels) + 1


def _sorted(items: "Sequence[Tokens]", order: _Order, value_of: ValueOf) -> Optional[Tokens]:
    try:
        found = _merged(_with_keys(items, order, value_of), lambda left, right: _is_less(
            *((left.key, right.key) if order.is_backwards else (right.key, left.key)), value_of))
    except _Unknown:
        return None
    return listed([tuple(item.value) for item in found])


def _extreme(name: int, items: "Sequence[Tokens]", order: _Order, value_of: ValueOf) -> Optional[Tokens]:
    """The greatest or least item, each compared with the best so far, which stays where both are equal."""
    try:
        best, *others = _with_keys(items, order, value_of)
        for item in others:
            best = item if _is_less(*((best.key, item.key) if name == _MAX else (item.key, best.key)), value_of) else best
    except _Unknown:
        return None
    return best.value


def _with_keys(items: "Sequence[Tokens]", order: _Order, value_of: ValueOf) -> "list[_Item]":
    return [_Item(item, _known(value_of((_LEN, _OPENING, *item, _CLOSING))) if order.is_by_length else item) for item in items]


def _merged(items: "list[_Item]", goes_first: "Callable[[_Item, _Item], bool]") -> "list[_Item]":
    """The items in order, halves put in order first. goes_first: whether an item must stand before one that is left of it now."""
    if len(items) < 2:
        return items
    middle = (len(items) + 1) // 2
    left, right = _merged(items[:middle], goes_first), _merged(items[middle:], goes_first)
    out: "list[_Item]" = []
    while left and right:
        out.append((right if goes_first(left[0], right[0]) else left).pop(0))
    return [*out, *left, *right]


def _deciding_items(left: Tokens, right: Tokens) -> "Union[bool, tuple[Tokens, Tokens]]":
    """Whether `left` is less than `right`, or the two items whose comparison tells it: of tuples and lists, the first that differ. What is written
    alike is equal."""
    if left == right:
        return False
    if not is_sequence(left) or left[0] != right[0]:
        return left, right
    inside = [[tuple(value[item.first:item.end]) for item in items_of(value, 0, len(value)) or ()] for value in (left, right)]
    found = next((pair for pair in zip(*inside) if pair[0] != pair[1]), None)
    return _deciding_items(*found) if found else len(inside[0]) < len(inside[1])


def _deciding_numbers(left: Tokens, right: Tokens) -> "Union[bool, tuple[Tokens, Tokens]]":
    """The same of two texts: the numbers of the first characters that differ."""
    found = next((pair for pair in zip(left[1:-1], right[1:-1]) if pair[0] != pair[1]), None)
    if found is None:
        return len(left) < len(right)
    first, second = (T.text_tokens(str(ord(T.NAMES[character]))) for character in found)
    return first, second


def _is_less(left: Tokens, right: Tokens, value_of: ValueOf) -> bool:
    """Whether one is less than the other."""
    deciding = _deciding_items(tuple(left), tuple(right))
    if isinstance(deciding, bool):
        return deciding
    return _known(value_of((*deciding[0], _LESS, *deciding[1]))) == _TRUE


def _known(value: Optional[Tokens]) -> Tokens:
    if value is None:
        raise _Unknown
    return tuple(value)
