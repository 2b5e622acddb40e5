"""Marks in values: `<|it|>` before the items that a line looks up (docs/trace-language.md, section 6).

A subscript is looked up where its index can be read off the line and the names beside it; nothing of the program is run for it.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional, Sequence, Union

from . import tokens as T
from .attributes import value_at
from .displays import BRACE, QUOTES, Item, display, items_of
from .frames import Frame
from .literals import integer_of
from .program import Program

Key = Union[int, tuple[int, ...]]
"""Which item: its number, or the tokens of the index as the line has it."""
Bounds = tuple[Optional[int], Optional[int]]

_COLON, _ESCAPE, _OPEN, _CLOSE, _PLUS, _MINUS = (T.CHARS[char] for char in ":\\[]+-")


class Lookups(NamedTuple):
    """What the subscripts behind a name look up: one item in the other, then perhaps a slice with the bounds that it has. whole: none could
    not be read off."""

    keys: list[Key]
    bounds: Optional[Bounds] = None
    whole: bool = True


def subscripts(program: Program, code: Sequence[int], at: int, frame: Frame) -> Lookups:
    """The subscripts right behind the name (of a variable or an attribute) `code[at]`, up to the first that cannot be read off."""
    keys: list[Key] = []
    while at + 1 < len(code) and code[at + 1] == _OPEN:
        key, end = _index(program, code, at + 2, frame)
        if key is None or code[end:end + 1] != [_CLOSE]:
            bounds, end = _slice(program, code, at + 2, frame)
            return Lookups(keys, bounds, bounds is not None and code[end:end + 1] != [_OPEN])
        keys.append(key)
        at = end
    return Lookups(keys)


def _slice(program: Program, code: Sequence[int], at: int, frame: Frame) -> tuple[Optional[Bounds], int]:
    """The bounds of the slice that begins at `at`, None if it is none or one of them cannot be read off, and what comes behind it."""
    first, at = _index(program, code, at, frame)
    if code[at:at + 1] != [_COLON]:
        return None, at
    last, at = _index(program, code, at + 1, frame)
    if code[at:at + 1] != [_CLOSE]:
        return None, at
    begin, end = (None if key is None else integer_of(key) for key in (first, last))
    return (None if (first and begin is None) or (last and end is None) else (begin, end)), at + 1


def _index(program: Program, code: Sequence[int], at: int, frame: Frame) -> tuple[Optional[tuple[int, ...]], int]:
    """The index that begins at `at` (an integer, a string, a name or an attribute, or one of these and an integer more or less) and where it ends."""
    token = code[at] if at < len(code) else T.END
    if token == _MINUS or token in T.DIGITS:
        end = _digits(code, at + (token == _MINUS))
        return (tuple(code[at:end]) if code[end - 1] in T.DIGITS else None), end
    if token in QUOTES:
        end = at + 1
        while end < len(code) and code[end] != token:
            end += 2 if code[end] == _ESCAPE else 1
        return tuple(code[at:end + 1]), end + 1
    key, end = value_at(program, code, at, frame) if token in T.SLOTS else (None, at + 1)
    if key is None:
        return None, at
    if code[end:end + 1] in ([_PLUS], [_MINUS]) and code[end + 1:end + 2] and code[end + 1] in T.DIGITS:
        added, number, first = code[end], integer_of(key), end + 1
        end = _digits(code, first)
        more = integer_of(tuple(code[first:end]))
        if number is None or more is None:
            return None, end
        key = tuple(T.text_tokens(str(number + more if added == _PLUS else number - more)))
    return key, end


def _digits(code: Sequence[int], at: int) -> int:
    while at < len(code) and code[at] in T.DIGITS:
        at += 1
    return at


def marks(value: Sequence[int], lookups: Lookups, following: Optional[int] = None) -> list[int]:
    """Where in a value the marks stand, ascending: before each item of the lookups and where a slice begins and ends, before the last token
    for an item that is not there. `following`: a loop goes over what is looked up, and this is the number of the item that comes next (negative: from
    the end): it is one more lookup, of a slice the only one.

    Only displays have items: lists, tuples, dicts, sets and strings, and what is written with one of them, as `deque([1])` is."""
    return sorted(set(_marked(value, lookups, following)))


def _marked(value: Sequence[int], lookups: Lookups, following: Optional[int]) -> Iterator[int]:
    """The same in the order of the lookups: two may stand before one token, where a value is cut or a character looks like a bracket."""
    first, end = display(value, 0, len(value))
    for key in lookups.keys + ([] if following is None or lookups.bounds else [following]):
        items = items_of(value, first, end)
        at = None if items is None else _place(value, first, items, key)
        if items is None or at is None:
            return
        yield items[at].first if at < len(items) else end - 1
        if at == len(items):
            return
        first, end = display(value, items[at].colon + 1 if items[at].colon >= 0 else items[at].first, items[at].end)
    items = items_of(value, first, end) if lookups.bounds else None
    if items is not None and value[first] != BRACE:
        for at in _within(value, len(items), lookups.bounds, following):
            yield items[at].first if at < len(items) else end - 1


def _within(value: Sequence[int], count: int, bounds: Bounds, following: Optional[int]) -> list[int]:
    """Numbers of the items before which the marks of a slice of `count` items stand."""
    begin, end = bounds
    if T.CUT in value and any(bound is not None and bound < 0 for bound in bounds):
        return []
    first, last = (min(bound, count) if bound >= 0 else max(bound + count, 0) for bound in (begin or 0, count if end is None else end))
    if following is not None:
        return [min(first + following, max(first, last))]
    return [at for at, bound in ((first, begin), (last, end)) if bound is not None]


def _place(value: Sequence[int], first: int, items: Sequence[Item], key: Key) -> Optional[int]:
    """The number of the item that `key` names, `len(items)` if there is none; None where `key` is no index of the value."""
    if isinstance(key, int):
        if key < 0:
            return None if T.CUT in value else key + len(items) if key + len(items) >= 0 else len(items)
        return min(key, len(items))
    if value[first] == BRACE:
        if any(item.colon < 0 for item in items):
            return None  # a set
        return next((at for at, item in enumerate(items) if tuple(value[item.first:item.colon]) == key), len(items))
    number = integer_of(key)
    if number is None or (number < 0 and T.CUT in value):
        return None
    at = number + len(items) if number < 0 else number
    return at if 0 <= at < len(items) else len(items)


def marked(value: Sequence[int], places: Sequence[int]) -> list[int]:
    """The value with `<|it|>` before each of these tokens."""
    out, done = [], 0
    for place in places:
        out += [*value[done:place], T.IT]
        done = place
    return [*out, *value[done:]]
