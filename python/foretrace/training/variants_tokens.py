"""Documents taken apart into pieces (marks, names, values, counters, code) and put together again.

The ablations rewrite pieces; nothing here is used by training or serving. Grammar: docs/trace-language.md, sections 2 to 7.
"""

from __future__ import annotations

from typing import Callable, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

from ..language import tokens as table
from .batch import Document

MARK, NAME, VALUE, DIGITS, CODE = range(5)
EDIT_FRONT, EDIT_INSERT, EDIT_BACK = (table.IDS[f"<|spare{k}|>"] for k in (2, 3, 4))
"""Marks of the edit form (see `variants_states`): tokens that the table keeps free."""

QUOTES = frozenset((table.CHARS["'"], table.CHARS['"']))
BACKSLASH, OPEN, CLOSE = table.CHARS["\\"], table.CHARS["{"], table.CHARS["}"]
_OPENING = frozenset(table.CHARS[c] for c in "([{")
_CLOSING = frozenset(table.CHARS[c] for c in ")]}")
_IN_VALUES = frozenset((*range(table.CHAR_BASE, table.SIZE), *table.WORD_TEXT, table.REF, table.RAW, table.CUT, table.BYTES,
                        EDIT_FRONT, EDIT_INSERT, EDIT_BACK))
ANSWERS = frozenset((table.VALUE, table.EVENTS["exception"]))


class Piece(NamedTuple):
    """Neighbouring tokens of one kind; `target` is their class as prediction targets."""

    kind: int
    tokens: Sequence[int]
    target: int


def is_slot(token: int) -> bool:
    """Whether a token is an identifier's slot."""
    return token in table.SLOTS


def is_digit(token: int) -> bool:
    """Whether a token is a decimal digit."""
    return token in table.DIGITS


def value_end(tokens: Sequence[int], start: int) -> int:
    """Where the value that begins at `start` ends (exclusive)."""
    at = start
    while at < len(tokens):
        token = tokens[at]
        if not (token in _IN_VALUES or token >= table.SIZE or (is_slot(token) and tokens[at - 1] == table.REF)):
            break
        at += 1
    return at


def branch_pieces(tokens: Sequence[int], classes: Sequence[int]) -> List[Piece]:
    """The pieces of a branch (a keyframe and what follows it), in order; joined they are the branch again."""
    out: List[Piece] = []
    at, asked = 0, False

    def take(kind: int, end: int) -> None:
        nonlocal at
        if end > at:
            out.append(Piece(kind, tokens[at:end], classes[at]))
            at = end

    while at < len(tokens):
        token = tokens[at]
        if is_slot(token):
            take(NAME, at + 1)
            take(VALUE, value_end(tokens, at))
        elif token == table.IT:
            take(MARK, at + 1)
            take(DIGITS, next((k for k in range(at, len(tokens)) if not (is_digit(tokens[k]) or tokens[k] >= table.SIZE)),
                              len(tokens)))
        elif token == table.EVALUATE:
            take(MARK, at + 1)
            take(CODE, next(k for k in range(at, len(tokens)) if tokens[k] in ANSWERS))
            asked = True
        else:
            take(MARK, at + 1)
            if token in (table.GOT, table.VALUE) or asked:
                take(VALUE, value_end(tokens, at))
            asked = False
    return out


def branches(document: Document) -> Iterator[Tuple[List[int], List[int]]]:
    """(tokens, classes) of each branch of a document."""
    at = document.lengths[0]
    for length in document.lengths[1:]:
        yield list(document.tokens[at:at + length]), list(document.classes[at:at + length])
        at += length


def assembled(program: Sequence[int], target: int, made: Iterable[Iterable[Piece]]) -> Document:
    """A document of a program (its tokens of class `target`) and the pieces of its branches."""
    tokens, classes, lengths = list(program), [target] * len(program), [len(program)]
    for pieces in made:
        before = len(tokens)
        for piece in pieces:
            tokens += piece.tokens
            classes += [piece.target] * len(piece.tokens)
        lengths.append(len(tokens) - before)
    return Document(tokens, classes, lengths)


def rewritten(document: Document, code: Callable[[List[int]], Sequence[int]],
              branch: Callable[[List[Piece]], Iterable[Piece]]) -> Document:
    """A document with `code` applied to its program's tokens and `branch` to the pieces of each branch."""
    program = code(list(document.tokens[:document.lengths[0]]))
    made = (branch(branch_pieces(tokens, classes)) for tokens, classes in branches(document))
    return assembled(program, document.classes[0], made)


def string_end(tokens: Sequence[int], start: int) -> int:
    """The end (exclusive) of the string that the quote at `start` opens; the end of the tokens if it stays open."""
    at = start + 1
    while at < len(tokens) and tokens[at] != tokens[start]:
        at += 2 if tokens[at] == BACKSLASH else 1
    return min(at + 1, len(tokens))


def value_text(tokens: Sequence[int]) -> List[bool]:
    """For each token of a value whether it stands in a string (quotes included) or in a raw value."""
    if tokens and tokens[0] == table.RAW:
        return [True] * len(tokens)
    mask, at = [False] * len(tokens), 0
    while at < len(tokens):
        end = at + 1
        if tokens[at] in QUOTES:
            end = string_end(tokens, at)
            mask[at:end] = [True] * (end - at)
        at = end
    return mask


def code_text(tokens: Sequence[int]) -> List[bool]:
    """For each token of code whether it is text: in a string (quotes included), a literal part of an f-string, a
    conversion or a format spec. A field that begins with a brace of its own reads as a literal brace."""
    mask = [False] * len(tokens)
    nesting: List[List[object]] = []  # innermost last: ["literal" | "field" | "spec", open brackets]
    at = 0
    while at < len(tokens):
        token, kind = tokens[at], nesting[-1][0] if nesting else "code"
        end = at + 1
        if kind == "literal" or kind == "spec":
            end = _text_token(tokens, at, nesting, mask)
        elif token in QUOTES:
            end = string_end(tokens, at)
            mask[at:end] = [True] * (end - at)
        elif token == table.FSTRING:
            nesting.append(["literal", 0])
        elif kind == "field":
            end = _field_token(tokens, at, nesting, mask)
        at = end
    return mask


def _text_token(tokens: Sequence[int], at: int, nesting: list, mask: List[bool]) -> int:
    """One token of a literal part or a format spec; returns where to go on."""
    token, is_literal = tokens[at], nesting[-1][0] == "literal"
    if is_literal and token == table.FEND:
        nesting.pop()
    elif token == OPEN and is_literal and tokens[at + 1:at + 2] == [OPEN]:
        mask[at] = mask[at + 1] = True
        return at + 2
    elif token == OPEN:
        nesting.append(["field", 0])
    elif token == CLOSE and not is_literal:
        del nesting[-2:]  # the spec and its field
    else:
        mask[at] = True
    return at + 1


def _field_token(tokens: Sequence[int], at: int, nesting: list, mask: List[bool]) -> int:
    """One token of a replacement field; returns where to go on."""
    token, field = tokens[at], nesting[-1]
    if token in _OPENING:
        field[1] += 1
    elif token in _CLOSING and field[1]:
        field[1] -= 1
    elif token == CLOSE:
        nesting.pop()
    elif not field[1] and token == table.CHARS["!"] and at + 1 < len(tokens):
        mask[at + 1] = True
        return at + 2
    elif not field[1] and token == table.CHARS[":"]:
        nesting.append(["spec", 0])
    return at + 1
