"""What methods of strings come to, as it is written in positions (docs/trace-language.md, section 7)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T

_W = T.WORDS
_QUOTE, _COMMA, _OPENING, _CLOSING = (T.CHARS[char] for char in "',()")
_BREAK = (_QUOTE, _COMMA, _QUOTE)

Tokens = Sequence[int]
Chars = "list[tuple[int, int]]"
"""The characters of a string, each behind its position."""


def places_of(chars: Tokens, sought: Tokens) -> "list[int]":
    """The numbers of the characters at which a string is found, those of one occurrence not in another."""
    out: "list[int]" = []
    for at in range(len(chars) - len(sought) + 1):
        if tuple(chars[at:at + len(sought)]) == tuple(sought) and (not out or at >= out[-1] + len(sought)):
            out.append(at)
    return out


def _passed(chars: Chars, places: Tokens, length: int, written: Tokens) -> "list[int]":
    """The string with something else in place of `length` characters at each of the places: it is written behind the first of their positions."""
    out: "list[int]" = []
    left = 0  # characters that are gone
    for at, (position, char) in enumerate(chars):
        left = length if at in places else max(left - 1, 0)
        out += [position, *(written if at in places else () if left else (char,))]
    return out


def _every(chars: Chars, sought: Tokens, written: Tokens, most: Optional[int] = None) -> "list[int]":
    return _passed(chars, places_of([char for _, char in chars], sought)[:most], len(sought), written)


def _partitioned(name: int, chars: Chars, given: "list[Tokens]") -> "list[int]":
    sought = given[0][1:-1]
    is_there = bool(places_of([char for _, char in chars], sought))
    rest = () if is_there else (_COMMA, _QUOTE, _QUOTE, _COMMA, _QUOTE, _QUOTE)
    return [_OPENING, _QUOTE, *_every(chars, sought, (*_BREAK, *sought, *_BREAK), 1), _QUOTE, *rest, _CLOSING]


def _removed(name: int, chars: Chars, given: "list[Tokens]") -> "list[int]":
    """`removeprefix` and `removesuffix`."""
    sought, texts = tuple(given[0][1:-1]), tuple(char for _, char in chars)
    first = 0 if name == _W["removeprefix"] else len(chars) - len(sought)
    is_there = first >= 0 and texts[first:first + len(sought)] == sought
    return [_QUOTE, *_passed(chars, [first] if is_there else [], len(sought), ()), _QUOTE]


METHODS: "dict[int, Callable[[int, Chars, list[Tokens]], list[int]]]" = {
    _W["partition"]: _partitioned, **dict.fromkeys((_W["removeprefix"], _W["removesuffix"]), _removed)}
"""By the method's name: the answer, for the name, the characters and the arguments."""
