"""Other spellings of the same documents: names in characters, integers turned round or in pairs of digits, frequent pairs
of letters in strings. Each has an inverse, here or in `variants_inverse`, that gives back the document exactly.
"""

from __future__ import annotations

from collections import Counter
from typing import Callable, Dict, Iterable, Iterator, List, Sequence, Tuple

from ..language import tokens as table
from .batch import Document
from .variants_tokens import (BACKSLASH, CODE, DIGITS, NAME, QUOTES, VALUE, Piece, branch_pieces, branches, code_text,
                              is_digit, is_slot, rewritten, value_text)

Masked = Callable[[Sequence[int], Sequence[bool]], List[int]]
"""Tokens and, for each, whether it is text -> other tokens."""

PAIR_BASE = table.SIZE
DIGIT_PAIRS = 100
_ZERO, _DOT = table.CHARS["0"], table.CHARS["."]
_LETTERS = frozenset(token for char, token in table.CHARS.items() if char.isalpha() or char == "_")
_EXPONENT = frozenset((table.CHARS["e"], table.CHARS["E"]))
_SIGNS = frozenset((table.CHARS["+"], table.CHARS["-"]))


def spelled(document: Document, names: Sequence[str]) -> Document:
    """Identifiers in characters instead of slots; `names[k]` is what slot k stands for.

    A local is its characters and `=`; in values the mark before a slot goes, because the characters speak for themselves."""
    letters = [table.text_tokens(name) for name in names]
    equals = table.CHARS["="]

    def code(tokens: Iterable[int]) -> List[int]:
        out: List[int] = []
        for token in tokens:
            if is_slot(token):
                out += letters[token - table.SLOT_BASE]
            elif token != table.REF:
                out.append(token)
        return out

    def piece(given: Piece) -> Piece:
        if given.kind == NAME:
            return given._replace(tokens=[*code(given.tokens), equals])
        return given._replace(tokens=code(given.tokens)) if given.kind in (VALUE, CODE) else given

    return rewritten(document, code, lambda pieces: map(piece, pieces))


def integers(tokens: Sequence[int], text: Sequence[bool]) -> Iterator[Tuple[int, int]]:
    """[first, end) of the digits of each decimal integer outside text; floats, `0x1f` and digits in names are none."""
    at = 0
    while at < len(tokens):
        if text[at] or not (tokens[at] in _LETTERS or is_digit(tokens[at]) or _begins_fraction(tokens, at)):
            at += 1
            continue
        first, whole = at, is_digit(tokens[at])
        at += 1
        while at < len(tokens) and not text[at]:
            token = tokens[at]
            signed = token in _SIGNS and is_digit(tokens[first]) and tokens[at - 1] in _EXPONENT
            if not (is_digit(token) or token in _LETTERS or signed or (token == _DOT and is_digit(tokens[first]))):
                break
            whole = whole and is_digit(token)
            at += 1
        if whole:
            yield first, at


def _begins_fraction(tokens: Sequence[int], at: int) -> bool:
    return tokens[at] == _DOT and at + 1 < len(tokens) and is_digit(tokens[at + 1])


def masked(document: Document, change: Masked) -> Document:
    """A document with `change` applied to its program, its expressions, its values and its counters."""
    def piece(given: Piece) -> Piece:
        if given.kind == DIGITS:
            return given._replace(tokens=change(given.tokens, [False] * len(given.tokens)))
        if given.kind == VALUE:
            return given._replace(tokens=change(given.tokens, value_text(given.tokens)))
        return given._replace(tokens=change(given.tokens, code_text(given.tokens))) if given.kind == CODE else given

    return rewritten(document, lambda tokens: change(tokens, code_text(tokens)), lambda pieces: map(piece, pieces))


def _reversed_integers(tokens: Sequence[int], text: Sequence[bool]) -> List[int]:
    out = list(tokens)
    for first, end in integers(tokens, text):
        out[first:end] = out[first:end][::-1]
    return out


def digits_reversed(document: Document) -> Document:
    """Integers with their least significant digit first. Applied twice it gives the document back."""
    return masked(document, _reversed_integers)


def _paired_integers(tokens: Sequence[int], text: Sequence[bool]) -> List[int]:
    out: List[int] = []
    done = 0
    for first, end in integers(tokens, text):
        out += tokens[done:first]
        if (end - first) % 2:
            out.append(tokens[first])
            first += 1
        out += [PAIR_BASE + 10 * (tokens[k] - _ZERO) + tokens[k + 1] - _ZERO for k in range(first, end, 2)]
        done = end
    return out + list(tokens[done:])


def digits_paired(document: Document) -> Document:
    """Integers two digits a token, aligned at their last digit; DIGIT_PAIRS more tokens behind the table."""
    return masked(document, _paired_integers)


def expanded(document: Document, pairs: Sequence[Tuple[int, int]]) -> Document:
    """Token PAIR_BASE + k replaced by the two tokens pairs[k]: the inverse of both kinds of pairs."""
    def each(tokens: Iterable[int]) -> List[int]:
        out: List[int] = []
        for token in tokens:
            out += pairs[token - PAIR_BASE] if token >= PAIR_BASE else (token,)
        return out

    return rewritten(document, each, lambda pieces: (p._replace(tokens=each(p.tokens)) for p in pieces))


def digit_pairs() -> List[Tuple[int, int]]:
    """What the tokens of `digits_paired` stand for."""
    return [(_ZERO + k // 10, _ZERO + k % 10) for k in range(DIGIT_PAIRS)]


def _joins(tokens: Sequence[int], text: Sequence[bool], at: int) -> bool:
    """Whether tokens at and at + 1 are neighbouring characters of text, none of them a quote or a backslash."""
    if not (at + 1 < len(tokens) and text[at] and text[at + 1]):
        return False
    pair = tokens[at:at + 2]
    return all(table.CHAR_BASE <= t < table.BYTE_BASE and t not in QUOTES and t != BACKSLASH for t in pair)


def frequent_pairs(documents: Iterable[Document], count: int) -> List[Tuple[int, int]]:
    """The `count` most frequent pairs of neighbouring characters inside strings of code and values."""
    found: Counter = Counter()

    def add(tokens: Sequence[int], text: Sequence[bool]) -> None:
        for at in range(len(tokens) - 1):
            if _joins(tokens, text, at):
                found[tuple(tokens[at:at + 2])] += 1

    for document in documents:
        program = list(document.tokens[:document.lengths[0]])
        add(program, code_text(program))
        for tokens, classes in branches(document):
            for piece in branch_pieces(tokens, classes):
                if piece.kind == VALUE:
                    add(piece.tokens, value_text(piece.tokens))
    return [pair for pair, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:count]]


def strings_paired(document: Document, pairs: Sequence[Tuple[int, int]]) -> Document:
    """Pairs of characters inside strings as tokens of their own, joined from the left."""
    numbers: Dict[Tuple[int, int], int] = {tuple(pair): PAIR_BASE + k for k, pair in enumerate(pairs)}

    def change(tokens: Sequence[int], text: Sequence[bool]) -> List[int]:
        out: List[int] = []
        at = 0
        while at < len(tokens):
            joined = numbers.get(tuple(tokens[at:at + 2])) if _joins(tokens, text, at) else None
            out.append(tokens[at] if joined is None else joined)
            at += 1 if joined is None else 2
        return out

    return masked(document, change)
