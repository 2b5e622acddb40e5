"""Reads documents with spelled names back: the proof that the `spelled` ablation says no less than the slots do."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple

from ..language import tokens as table
from . import batch
from .batch import CONTEXT, UNSUPERVISED, Document
from .variants_tokens import (ANSWERS, CODE, DIGITS, MARK, NAME, QUOTES, VALUE, Piece, assembled, branches, code_text,
                              is_digit, string_end, value_end, value_text)

EQUALS, _DOT = table.CHARS["="], table.CHARS["."]
_LETTERS = frozenset(token for char, token in table.CHARS.items() if char.isalpha() or char == "_")
_OPENING = frozenset(table.CHARS[c] for c in "([{<")
_CLOSING = frozenset(table.CHARS[c] for c in ")]}>")

Slots = Dict[Tuple[int, ...], int]
"""Characters of a name -> its slot."""


def _in_name(token: int) -> bool:
    return token in _LETTERS or is_digit(token) or token >= table.BYTE_BASE


def unspelled(document: Document, names: Sequence[str]) -> Document:
    """The inverse of `variants_spelling.spelled`."""
    slots = {tuple(table.text_tokens(name)): table.SLOT_BASE + k for k, name in enumerate(names)}
    program = list(document.tokens[:document.lengths[0]])
    made = (_branch(tokens, classes, slots) for tokens, classes in branches(document))
    return assembled(_names_in(program, code_text(program), slots, ()), document.classes[0], made)


def _names_in(tokens: Sequence[int], text: Sequence[bool], slots: Slots, mark: Tuple[int, ...]) -> List[int]:
    """Tokens with each name outside text replaced by `mark` and its slot."""
    out: List[int] = []
    at = 0
    while at < len(tokens):
        first = at
        token = tokens[at]
        fraction = token == _DOT and at + 1 < len(tokens) and is_digit(tokens[at + 1])
        number = is_digit(token) or fraction
        at += 1
        if not text[first] and (number or _in_name(token)):
            while at < len(tokens) and not text[at] and (_in_name(tokens[at]) or (number and tokens[at] == _DOT)):
                at += 1
        slot = None if text[first] or number else slots.get(tuple(tokens[first:at]))
        out += tokens[first:at] if slot is None else (*mark, slot)
    return out


def _value(tokens: Sequence[int], slots: Slots) -> List[int]:
    return _names_in(tokens, value_text(tokens), slots, (table.REF,))


def _branch(tokens: List[int], classes: List[int], slots: Slots) -> List[Piece]:
    """The pieces that `spelled` was given."""
    out: List[Piece] = []
    at, before = 0, -1

    def take(kind: int, end: int, made: Sequence[int]) -> None:
        nonlocal at
        out.append(Piece(kind, made, classes[at]))
        at = end

    while at < len(tokens):
        end = value_end(tokens, at)
        if end > at:  # between two marks: a counter, locals
            _frame(tokens[at:end], classes[at], before == table.IT, slots, out)
            at = end
            continue
        before = tokens[at]
        take(MARK, at + 1, [before])
        if before == table.EVALUATE:
            end = next(k for k in range(at, len(tokens)) if tokens[k] in ANSWERS)
            part = tokens[at:end]
            take(CODE, end, _names_in(part, code_text(part), slots, ()))
            before = table.VALUE
            take(MARK, at + 1, [tokens[at]])
        if before in (table.GOT, table.VALUE):
            end = value_end(tokens, at)
            take(VALUE, end, _value(tokens[at:end], slots))
    return out


def _frame(part: Sequence[int], target: int, counter: bool, slots: Slots, out: List[Piece]) -> None:
    """The counter's digits, if there is one, and `name=value` again and again; a deleted name has no value."""
    at = 0
    if counter:
        at = next((k for k in range(len(part)) if not is_digit(part[k])), len(part))
        out.append(Piece(DIGITS, part[:at], target))
    shown = target in (CONTEXT, UNSUPERVISED)
    ends = _equals(part, at)
    first = _name_start(part, at, ends[0], slots) if ends else None
    for k, equals in enumerate(ends):
        out.append(Piece(NAME, [slots[tuple(part[first:equals])]], target if shown else batch.NAME))
        following = _name_start(part, equals + 2, ends[k + 1], slots) if k + 1 < len(ends) else len(part)
        if following > equals + 1:
            out.append(Piece(VALUE, _value(part[equals + 1:following], slots), target if shown else batch.VALUE))
        first = following


def _equals(part: Sequence[int], start: int) -> List[int]:
    """Where the `=` after names are: outside strings and brackets. (A raw value that is not balanced can hide some.)"""
    found, depth, at = [], 0, start
    while at < len(part):
        token = part[at]
        if token in QUOTES:
            at = string_end(part, at)
            continue
        depth += (token in _OPENING) - (token in _CLOSING)
        if token == EQUALS and depth == 0:
            found.append(at)
        at += 1
    return found


def _name_start(part: Sequence[int], least: int, equals: int, slots: Slots) -> int:
    """Where the name before the `=` begins: the longest known one that leaves the value before it at least a token."""
    first: Optional[int] = next((k for k in range(least, equals) if tuple(part[k:equals]) in slots), None)
    if first is None:
        raise ValueError(f"spelled_name: expected a name of the program before the = at {equals}, "
                         f"got {table.to_names(part[least:equals])}")
    return first
