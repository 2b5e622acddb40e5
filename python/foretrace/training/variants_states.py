"""Other ways to say what changed: edits of the old value, or the whole state.

Both follow the frames of a branch through its keyframe and deltas, as a session does, and both can be undone.
"""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..language import tokens as table
from . import batch
from .batch import Document
from .variants_tokens import (EDIT_BACK, EDIT_FRONT, EDIT_INSERT, MARK, NAME, QUOTES, VALUE, Piece, rewritten)

Locals = Dict[int, Tuple[int, ...]]
"""Slot -> tokens of its value."""

_FRAMES = frozenset((table.FRAME, table.PUSH, *table.EVENTS.values()))
_ACTIONS = frozenset(table.ACTION_NAMES)
_EDITABLE = frozenset((*QUOTES, *(table.CHARS[c] for c in "[({"), table.BYTES))


class Written(NamedTuple):
    """How changes are written, and the locals after them."""

    pieces: List[Piece]
    values: Locals


Rewrite = Callable[[Locals, List[Tuple[Piece, Piece]]], Written]
"""(locals before, (name, value or `<|del|>`) pieces) of the frame whose changes a delta gives -> Written."""


def _applied(before: Locals, changes: Sequence[Tuple[Piece, Piece]]) -> Locals:
    after = dict(before)
    for name, value in changes:
        if value.kind == MARK:
            after.pop(name.tokens[0], None)
        else:
            after[name.tokens[0]] = tuple(value.tokens)
    return after


def followed(pieces: List[Piece], rewrite: Rewrite) -> List[Piece]:
    """A branch with the changes of each frame that stays rewritten. Frames that a delta enters are written in full
    anyhow, and so is one that the context does not show: neither is given to `rewrite`."""
    out: List[Piece] = []
    stack: List[Locals] = []
    at, in_delta, asked = 0, False, False
    while at < len(pieces):
        piece = pieces[at]
        token = piece.tokens[0] if piece.kind == MARK else -1
        if token in _ACTIONS:
            in_delta, asked = True, False
        elif token == table.EVALUATE:
            asked = True
        elif token == table.POP and stack:
            stack.pop()
        elif token in _FRAMES and not asked:
            end, changes = _frame(pieces, at)
            out += pieces[at:end - 2 * len(changes)]
            if in_delta and stack:
                made = rewrite(stack.pop(), changes)
            else:
                made = Written([piece for pair in changes for piece in pair], _applied({}, changes))
            out += made.pieces
            stack.append(made.values)
            in_delta = False  # only the first frame of a delta was there before
            at = end
            continue
        out.append(piece)
        at += 1
    return out


def _frame(pieces: List[Piece], at: int) -> Tuple[int, List[Tuple[Piece, Piece]]]:
    """Where the locals of the frame whose mark is at `at` end, and (name, value or `<|del|>`) of each."""
    at += 2  # the mark and the line
    while at < len(pieces) and pieces[at].kind == MARK and pieces[at].tokens[0] == table.IT:
        at += 2
    changes = []
    while at < len(pieces) and pieces[at].kind == NAME:
        changes.append((pieces[at], pieces[at + 1]))
        at += 2
    return at, changes


def edit_of(old: Sequence[int], new: Sequence[int]) -> Optional[List[int]]:
    """`new` as an edit of `old`: mark, number of tokens kept in front, mark, what is put in, mark, number kept at the end.

    None where that is not shorter, or one of the two is no string, bytes, list, tuple, dict or set."""
    if old[0] not in _EDITABLE or new[0] not in _EDITABLE:
        return None
    shorter = min(len(old), len(new))
    front = next((k for k in range(shorter) if old[k] != new[k]), shorter)
    if front and new[front - 1] == table.REF:  # a slot stays with its mark
        front -= 1
    back = 0
    while back < shorter - front and old[-1 - back] == new[-1 - back]:
        back += 1
    if back and table.REF in (old[len(old) - back - 1], new[len(new) - back - 1]):
        back -= 1
    out = [EDIT_FRONT, *table.text_tokens(str(front)), EDIT_INSERT, *new[front:len(new) - back], EDIT_BACK,
           *table.text_tokens(str(back))]
    return out if len(out) < len(new) else None


def applied_edit(old: Sequence[int], edit: Sequence[int]) -> List[int]:
    """The value that an edit makes of `old`."""
    insert, last = edit.index(EDIT_INSERT), edit.index(EDIT_BACK)
    front, back = _number(edit[1:insert]), _number(edit[last + 1:])
    return [*old[:front], *edit[insert + 1:last], *old[len(old) - back:]]


def _number(digits: Sequence[int]) -> int:
    return int("".join(table.NAMES[token] for token in digits))


def _with_edits(before: Locals, changes: List[Tuple[Piece, Piece]]) -> Written:
    out = []
    for name, value in changes:
        old = before.get(name.tokens[0])
        made = edit_of(old, value.tokens) if old and value.kind == VALUE else None
        out += [name, value if made is None else value._replace(tokens=made)]
    return Written(out, _applied(before, changes))


def _without_edits(before: Locals, changes: List[Tuple[Piece, Piece]]) -> Written:
    whole = [(name, value._replace(tokens=applied_edit(before[name.tokens[0]], list(value.tokens)))
              if value.tokens[0] == EDIT_FRONT else value) for name, value in changes]
    return Written([piece for pair in whole for piece in pair], _applied(before, whole))


def _pair(slot: int, value: Optional[Tuple[int, ...]]) -> List[Piece]:
    """A local as a delta writes it; None: deleted."""
    name = Piece(NAME, (slot,), batch.NAME)
    return [name, Piece(MARK, (table.DEL,), batch.OTHER) if value is None else Piece(VALUE, value, batch.VALUE)]


def _in_full(before: Locals, changes: List[Tuple[Piece, Piece]]) -> Written:
    after = _applied(before, changes)
    return Written([piece for slot in sorted(after) for piece in _pair(slot, after[slot])], after)


def _changes_only(before: Locals, listed: List[Tuple[Piece, Piece]]) -> Written:
    after = _applied({}, listed)
    slots = sorted(slot for slot in before.keys() | after.keys() if before.get(slot) != after.get(slot))
    return Written([piece for slot in slots for piece in _pair(slot, after.get(slot))], after)


def _with(document: Document, rewrite: Rewrite) -> Document:
    return rewritten(document, lambda tokens: tokens, lambda pieces: followed(pieces, rewrite))


def edited(document: Document) -> Document:
    """Changed strings and containers as edits of what they were, where that is shorter."""
    return _with(document, _with_edits)


def unedited(document: Document) -> Document:
    """The inverse of `edited`."""
    return _with(document, _without_edits)


def full_states(document: Document) -> Document:
    """Deltas that list all locals of the frame, not only what changed."""
    return _with(document, _in_full)


def changes_only(document: Document) -> Document:
    """The inverse of `full_states`."""
    return _with(document, _changes_only)
