"""Displays: values that are written with their items, as tokens (docs/trace-language.md, section 6).

Lists, tuples, dicts, sets and strings are displays, and what is written with one of them, as `deque([1])` is, has one. So has an object with
attributes: `<Point object {x: 1}>`.
"""

from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from . import tokens as T

QUOTES = (T.CHARS["'"], T.CHARS['"'])
BRACE = T.CHARS["{"]
NO_SET = (T.WORDS["set"], T.CHARS["("], T.CHARS[")"])
_SEQUENCES = (T.CHARS["["], T.CHARS["("])
_IMAGINARY = T.CHARS["j"]
_COMMA, _COLON, _EQUALS, _ESCAPE = (T.CHARS[char] for char in ",:=\\")
_ANGLES, _BRACES = tuple(T.CHARS[char] for char in "<>"), tuple(T.CHARS[char] for char in "{}")
_OPENING, _CLOSING = tuple(T.CHARS[char] for char in "([{"), tuple(T.CHARS[char] for char in ")]}")
_CONTINUATION = range(T.BYTE_BASE + 0x80, T.BYTE_BASE + 0xC0)  # bytes that go on with a character of UTF-8


class Item(NamedTuple):
    """Indices into the tokens of a value: the item's first token, the end of a dict's key (-1: none), the item's end."""

    first: int
    colon: int
    end: int


def _outside_quotes(value: Sequence[int], first: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each token of `value[first:end]` outside quotes, where it is, and the number of brackets open before it."""
    depth, quote, at = 0, None, first
    while at < end:
        token = value[at]
        if quote is None:
            yield token, at, depth
            if token in QUOTES:
                quote = token
            depth += (token in _OPENING) - (token in _CLOSING)
        elif token == _ESCAPE:
            at += 1
        elif token == quote:
            quote = None
        at += 1


def display(value: Sequence[int], first: int, end: int) -> tuple[int, int]:
    """Where the items of the value in `value[first:end]` are written: for `deque([1])` and its like in the first argument that is a display,
    for an object its attributes."""
    if value[first] == _ANGLES[0] and value[end - 1] == _ANGLES[1]:
        return _attributes(value, first, end)
    if value[first] in QUOTES + _OPENING or value[end - 1] not in _CLOSING:
        return first, end
    begin = -1
    for token, at, depth in _outside_quotes(value, first, end):
        if token in _OPENING and depth == 1 and value[at - 1] in (_COMMA, *_OPENING):
            begin = at
        elif token in _CLOSING and depth == 2 and begin >= 0:
            return begin, at + 1
    return first, end


def _attributes(value: Sequence[int], first: int, end: int) -> tuple[int, int]:
    """Where the attributes of an object are written; the value itself where there are none."""
    if value[end - 2] != _BRACES[1]:
        return first, end
    begin = next((at for token, at, depth in _outside_quotes(value, first, end) if token == BRACE and depth == 0), first)
    return (begin, end - 1) if begin > first else (first, end)


def items_of(value: Sequence[int], first: int, end: int) -> Optional[list[Item]]:
    """The items of the value in `value[first:end]`; None if it is nothing that has items."""
    if value[first] in QUOTES:
        return _characters(value, first, end)
    if value[first] not in _OPENING:
        return None
    items: list[Item] = []
    begin, colon = first + 1, -1
    for token, at, depth in _outside_quotes(value, first, end):
        if depth == 1 and token == _COLON and colon < 0 and value[first] == BRACE:
            colon = at
        elif depth == 1 and token == _COMMA:
            items.append(Item(begin, colon, at))
            begin, colon = at + 1, -1
    if begin < end - 1:
        items.append(Item(begin, colon, end - 1))
    return items


def fields_of(value: Sequence[int]) -> list[Item]:
    """The fields of what is written as `Point(x=1, y=2)`, an item's `colon` being its `=`, of a value that is cut those that it shows whole;
    none of other values."""
    is_cut = bool(value) and value[-1] == T.CUT
    if len(value) < 4 or not (is_cut or value[-1] == _CLOSING[0]) or value[0] in QUOTES + _OPENING:
        return []
    items: list[Item] = []
    begin = equals = -1
    for token, at, depth in _outside_quotes(value, 0, len(value)):
        if depth == 0 and token == _OPENING[0] and begin < 0:
            begin = at + 1
        elif depth == 1 and token == _EQUALS and equals < 0:
            equals = at
        elif depth == 1 and (token == _COMMA or (at == len(value) - 1 and not is_cut)):
            if begin < 0 or equals < 0:
                return []
            items.append(Item(begin, equals, at))
            begin, equals = at + 1, -1
    return items


def _characters(value: Sequence[int], first: int, end: int) -> list[Item]:
    items: list[Item] = []
    at = first + 1
    while at < end - 1:
        begin = at
        at += 2 if value[at] == _ESCAPE else 1
        while at < end - 1 and value[at] in _CONTINUATION:
            at += 1
        items.append(Item(begin, -1, min(at, end - 1)))
    return items


def items_in(value: Sequence[int]) -> list[tuple[int, ...]]:
    """The items of a value, each by itself (of a dict with its key); none if it is nothing that has items."""
    return [tuple(value[item.first:item.end]) for item in items_of(value, 0, len(value)) or ()]


def with_commas(items: Iterable[Sequence[int]]) -> list[int]:
    """The tokens of items with commas between them."""
    return [token for item in items for token in (*item, _COMMA)][:-1]


def is_text(value: Sequence[int]) -> bool:
    """Whether a value is a string of characters that have tokens, none of them escaped."""
    return len(value) > 1 and value[0] == QUOTES[0] and all(T.CHAR_BASE <= token < T.BYTE_BASE and token != _ESCAPE for token in value)


def is_sequence(value: Sequence[int]) -> bool:
    """Whether a value is a list or a tuple; a complex number is written in brackets, too."""
    is_complex = bool(value) and value[0] == _SEQUENCES[1] and value[-2] == _IMAGINARY and _COMMA not in value
    return bool(value) and value[0] in _SEQUENCES and not is_complex


def is_enclosed(code: Sequence[int]) -> bool:
    """Whether the bracket that code begins with closes at its end."""
    depth = 0
    for at, token in enumerate(code):
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0:
            return 0 < at == len(code) - 1
    return False


def is_mapping(value: Sequence[int]) -> bool:
    """Whether a value is a dict."""
    return bool(value) and value[0] == BRACE and all(item.colon >= 0 for item in items_of(value, 0, len(value)) or ())


def is_set(value: Sequence[int]) -> bool:
    """Whether a value is a set."""
    return tuple(value) == NO_SET or (bool(value) and value[0] == BRACE and not is_mapping(value))


def has_items(value: Sequence[int]) -> bool:
    """Whether a value is one of these."""
    return is_text(value) or is_sequence(value) or is_mapping(value) or is_set(value)
