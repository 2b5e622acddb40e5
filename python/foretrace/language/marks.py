"""Marks in values: `<|it|>` before the items that a line looks up (docs/trace-language.md, section 6).

A subscript is looked up where its index can be read off the line and the names beside it; nothing of the program is run for it.
"""

from __future__ import annotations

from typing import Iterator, NamedTuple, Optional, Sequence, Union

from . import tokens as T
from .frames import Frame
from .program import Program
from .values import encode_value

Key = Union[int, tuple[int, ...]]
"""Which item: its number, or the tokens of the index as the line has it."""
Bounds = tuple[Optional[int], Optional[int]]

_COMMA, _COLON, _ESCAPE, _OPEN, _CLOSE, _PLUS, _MINUS = (T.CHARS[char] for char in ",:\\[]+-")
_QUOTES = (T.CHARS["'"], T.CHARS['"'])
_OPENING, _CLOSING = tuple(T.CHARS[char] for char in "[({"), tuple(T.CHARS[char] for char in "])}")
_BRACE = T.CHARS["{"]
_DIGITS = range(T.CHARS["0"], T.CHARS["9"] + 1)
_CONTINUATION = range(T.BYTE_BASE + 0x80, T.BYTE_BASE + 0xC0)  # bytes that go on with a character of UTF-8
_LONGEST = 9  # digits of an index


class Lookups(NamedTuple):
    """What the subscripts behind a name look up: one item in the other, then perhaps a slice with the bounds that it has."""

    keys: list[Key]
    bounds: Optional[Bounds] = None


class _Item(NamedTuple):
    """Indices into the tokens of a value: the item's first token, the end of a dict's key (-1: none), the item's end."""

    first: int
    colon: int
    end: int


def subscripts(program: Program, code: Sequence[int], at: int, frame: Frame) -> Lookups:
    """The subscripts right behind the name `code[at]`, up to the first that cannot be read off."""
    keys: list[Key] = []
    while at + 1 < len(code) and code[at + 1] == _OPEN:
        key, end = _index(program, code, at + 2, frame)
        if key is None or code[end:end + 1] != [_CLOSE]:
            return Lookups(keys, _slice(program, code, at + 2, frame))
        keys.append(key)
        at = end
    return Lookups(keys)


def _slice(program: Program, code: Sequence[int], at: int, frame: Frame) -> Optional[Bounds]:
    """The bounds of the slice that begins at `at`; None if it is none, or one of them cannot be read off."""
    first, at = _index(program, code, at, frame)
    if code[at:at + 1] != [_COLON]:
        return None
    last, at = _index(program, code, at + 1, frame)
    if code[at:at + 1] != [_CLOSE]:
        return None
    begin, end = (None if key is None else _number(key) for key in (first, last))
    return None if (first and begin is None) or (last and end is None) else (begin, end)


def _index(program: Program, code: Sequence[int], at: int, frame: Frame) -> tuple[Optional[tuple[int, ...]], int]:
    """The index that begins at `at` (an integer, a string, a name, or a name and an integer more or less) and where it ends."""
    token = code[at] if at < len(code) else T.END
    if token == _MINUS or token in _DIGITS:
        end = _digits(code, at + (token == _MINUS))
        return (tuple(code[at:end]) if code[end - 1] in _DIGITS else None), end
    if token in _QUOTES:
        end = at + 1
        while end < len(code) and code[end] != token:
            end += 2 if code[end] == _ESCAPE else 1
        return tuple(code[at:end + 1]), end + 1
    text = frame.locals.get(program.slot_names.get(token, ""))
    if text is None:
        return None, at
    key, end = encode_value(program, text), at + 1
    if code[end:end + 1] in ([_PLUS], [_MINUS]) and code[end + 1:end + 2] and code[end + 1] in _DIGITS:
        added, number, end = code[end], _number(key), _digits(code, end + 1)
        more = _number(tuple(code[at + 2:end]))
        if number is None or more is None:
            return None, end
        key = tuple(T.text_tokens(str(number + more if added == _PLUS else number - more)))
    return key, end


def _digits(code: Sequence[int], at: int) -> int:
    while at < len(code) and code[at] in _DIGITS:
        at += 1
    return at


def _number(key: Sequence[int]) -> Optional[int]:
    """The integer that an index spells, if it is one and not too long."""
    sign = -1 if key[:1] == (_MINUS,) else 1
    digits = key[1:] if sign < 0 else key
    if not 0 < len(digits) <= _LONGEST or any(token not in _DIGITS for token in digits):
        return None
    return sign * int("".join(T.NAMES[token] for token in digits))


def marks(value: Sequence[int], lookups: Lookups, following: Optional[int] = None) -> list[int]:
    """Where in a value the marks stand, ascending: before each item of the lookups and where a slice begins and ends, before the last token
    for an item that is not there. `following`: a loop goes over what is looked up, and this is the number of the item that comes next: it
    is one more lookup, of a slice the only one.

    Only displays have items: lists, tuples, dicts, sets and strings, and what is written with one of them, as `deque([1])` is."""
    return sorted(set(_marked(value, lookups, following)))


def _marked(value: Sequence[int], lookups: Lookups, following: Optional[int]) -> Iterator[int]:
    """The same in the order of the lookups: two may stand before one token, where a value is cut or a character looks like a bracket."""
    first, end = _display(value, 0, len(value))
    for key in lookups.keys + ([] if following is None or lookups.bounds else [following]):
        items = _items(value, first, end)
        at = None if items is None else _place(value, first, items, key)
        if items is None or at is None:
            return
        yield items[at].first if at < len(items) else end - 1
        if at == len(items):
            return
        first, end = _display(value, items[at].colon + 1 if items[at].colon >= 0 else items[at].first, items[at].end)
    items = _items(value, first, end) if lookups.bounds else None
    if items is not None and value[first] != _BRACE:
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


def _place(value: Sequence[int], first: int, items: Sequence[_Item], key: Key) -> Optional[int]:
    """The number of the item that `key` names, `len(items)` if there is none; None where `key` is no index of the value."""
    if isinstance(key, int):
        return min(key, len(items))
    if value[first] == _BRACE:
        if any(item.colon < 0 for item in items):
            return None  # a set
        return next((at for at, item in enumerate(items) if tuple(value[item.first:item.colon]) == key), len(items))
    number = _number(key)
    if number is None or (number < 0 and T.CUT in value):
        return None
    at = number + len(items) if number < 0 else number
    return at if 0 <= at < len(items) else len(items)


def _outside_quotes(value: Sequence[int], first: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each token of `value[first:end]` outside quotes, where it is, and the number of brackets open before it."""
    depth, quote, at = 0, None, first
    while at < end:
        token = value[at]
        if quote is None:
            yield token, at, depth
            if token in _QUOTES:
                quote = token
            depth += (token in _OPENING) - (token in _CLOSING)
        elif token == _ESCAPE:
            at += 1
        elif token == quote:
            quote = None
        at += 1


def _display(value: Sequence[int], first: int, end: int) -> tuple[int, int]:
    """Where the items of the value in `value[first:end]` are written: for `deque([1])` and its like in the first argument that is a display."""
    if value[first] in _QUOTES + _OPENING or value[end - 1] not in _CLOSING:
        return first, end
    begin = -1
    for token, at, depth in _outside_quotes(value, first, end):
        if token in _OPENING and depth == 1 and value[at - 1] in (_COMMA, *_OPENING):
            begin = at
        elif token in _CLOSING and depth == 2 and begin >= 0:
            return begin, at + 1
    return first, end


def _items(value: Sequence[int], first: int, end: int) -> Optional[list[_Item]]:
    """The items of the value in `value[first:end]`; None if it is nothing that has items."""
    if value[first] in _QUOTES:
        return _characters(value, first, end)
    if value[first] not in _OPENING:
        return None
    items: list[_Item] = []
    begin, colon = first + 1, -1
    for token, at, depth in _outside_quotes(value, first, end):
        if depth == 1 and token == _COLON and colon < 0 and value[first] == _BRACE:
            colon = at
        elif depth == 1 and token == _COMMA:
            items.append(_Item(begin, colon, at))
            begin, colon = at + 1, -1
    if begin < end - 1:
        items.append(_Item(begin, colon, end - 1))
    return items


def _characters(value: Sequence[int], first: int, end: int) -> list[_Item]:
    items: list[_Item] = []
    at = first + 1
    while at < end - 1:
        begin = at
        at += 2 if value[at] == _ESCAPE else 1
        while at < end - 1 and value[at] in _CONTINUATION:
            at += 1
        items.append(_Item(begin, -1, min(at, end - 1)))
    return items
