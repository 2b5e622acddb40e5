"""What methods of strings come to, as it is written in positions (docs/trace-language.md, section 7)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T

_W = T.WORDS
_QUOTE, _COMMA, _OPENING, _CLOSING, _SQUARE, _SQUARE_END, _SPACE = (T.CHARS[char] for char in "',()[] ")
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


def _replaced(name: int, chars: Chars, given: "list[Tokens]") -> "list[int]":
    return [_QUOTE, *_every(chars, given[0][1:-1], given[1][1:-1]), _QUOTE]


def _split(name: int, chars: Chars, given: "list[Tokens]") -> "list[int]":
    if not given:
        return _words(chars)
    return [_SQUARE, _QUOTE, *_every(chars, given[0][1:-1], _BREAK), _QUOTE, _SQUARE_END]


def _words(chars: Chars) -> "list[int]":
    """What spaces are between: of those side by side the first ends a word; those before the first word and behind the last end none."""
    inside = [at for at, (_, char) in enumerate(chars) if char != _SPACE]
    out = [_SQUARE]
    for at, (position, char) in enumerate(chars):
        is_break = char == _SPACE and bool(inside) and inside[0] < at < inside[-1] and chars[at - 1][1] != _SPACE
        written = [*_BREAK] if is_break else [] if char == _SPACE else [char]
        out += [*([_QUOTE] if inside[:1] == [at] else []), position, *written, *([_QUOTE] if inside[-1:] == [at] else [])]
    return [*out, _SQUARE_END]


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


def _stripped(name: int, chars: Chars, given: "list[Tokens]") -> "list[int]":
    """From the end first: the positions up to the last character that stays; then from the beginning."""
    gone = given[0][1:-1] if given else (_SPACE,)
    stays = [at for at, (_, char) in enumerate(chars) if char not in gone]
    first = 0 if name == _W["rstrip"] else stays[0] if stays else len(chars)
    last = len(chars) - 1 if name == _W["lstrip"] else stays[-1] if stays else -1
    back = [] if name == _W["lstrip"] else [position for position, _ in chars[max(last, 0):]][::-1]
    forth = [token for at, (position, char) in enumerate(chars[:last + 1]) for token in (position, *([char] if at >= first else []))]
    return [_QUOTE, *back, *forth, _QUOTE]


METHODS: "dict[int, Callable[[int, Chars, list[Tokens]], list[int]]]" = {
    _W["replace"]: _replaced, _W["split"]: _split, _W["partition"]: _partitioned,
    **dict.fromkeys((_W["removeprefix"], _W["removesuffix"]), _removed), **dict.fromkeys((_W["strip"], _W["lstrip"], _W["rstrip"]), _stripped)}
"""By the method's name: the answer, for the name, the characters and the arguments."""
