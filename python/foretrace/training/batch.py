"""Rows of documents, and the flat arrays a training step reads.

A document is one program followed by independent branches. A branch sees the program and itself; its positions start
again at the program's end, so it looks exactly as it would alone behind the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import List, Sequence, Tuple

import numpy

UNSUPERVISED, EVENT, LINE, VALUE, OTHER, CONTEXT = range(6)
CLASS_NAMES = ("unsupervised", "event", "line", "value", "other", "context")


@dataclass
class Document:
    """tokens and classes [n]; lengths of the program and then of each branch (their sum is n)."""

    tokens: Sequence[int]
    classes: Sequence[int]
    lengths: Sequence[int]

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass
class Row:
    """Documents laid end to end, at most one row length of tokens. lengths: one tuple of piece lengths a document."""

    tokens: numpy.ndarray  # [n] int16
    classes: numpy.ndarray  # [n] uint8, the class of a token as a prediction target
    lengths: List[Tuple[int, ...]]

    @staticmethod
    def of(documents: Sequence[Document]) -> "Row":
        return Row(
            numpy.concatenate([numpy.asarray(d.tokens, dtype=numpy.int16) for d in documents]),
            numpy.concatenate([numpy.asarray(d.classes, dtype=numpy.uint8) for d in documents]),
            [tuple(d.lengths) for d in documents],
        )


@dataclass
class Batch:
    """Flat arrays over all tokens of some rows, without padding.

    segments [s, 2] (start, length); documents [d + 1] first segment of each document; rows [r + 1] first token of
    each row; predict [p] positions whose next token is supervised, with its target, class and loss weight.
    """

    tokens: numpy.ndarray
    positions: numpy.ndarray
    segments: numpy.ndarray
    documents: numpy.ndarray
    rows: numpy.ndarray
    predict: numpy.ndarray = field(repr=False)
    targets: numpy.ndarray = field(repr=False)
    classes: numpy.ndarray = field(repr=False)
    weights: numpy.ndarray = field(repr=False)

    @staticmethod
    def of(rows: Sequence[Row], context_weight: float = 0.0) -> "Batch":
        """Joins rows. With a context weight of 0 the tokens of keyframes are not predicted at all."""
        segments, documents, bounds, positions, last = [], [0], [0], [], []
        start = 0
        for row in rows:
            for lengths in row.lengths:
                for index, length in enumerate(lengths):
                    segments.append((start, length))
                    first = 0 if index == 0 else lengths[0]
                    positions.append(numpy.arange(first, first + length, dtype=numpy.int32))
                    start += length
                    last.append(start - 1)
                documents.append(len(segments))
            bounds.append(start)
        tokens = numpy.concatenate([row.tokens for row in rows]).astype(numpy.int64)
        classes = numpy.concatenate([row.classes for row in rows])
        following = numpy.append(classes[1:], UNSUPERVISED)
        following[last] = UNSUPERVISED
        wanted = following != UNSUPERVISED
        if context_weight == 0:
            wanted &= following != CONTEXT
        predict = numpy.nonzero(wanted)[0]
        found = following[predict]
        weights = numpy.where(found == CONTEXT, context_weight, 1.0).astype(numpy.float32)
        return Batch(
            tokens,
            numpy.concatenate(positions),
            numpy.asarray(segments, dtype=numpy.int32),
            numpy.asarray(documents, dtype=numpy.int32),
            numpy.asarray(bounds, dtype=numpy.int64),
            predict,
            tokens[predict + 1],
            found,
            weights,
        )

    def padded(self, length: int):
        """(tokens, positions, mask) as rows of `length`: [r, length], [r, length], [r, length, length] boolean.

        A padding token sees itself alone, so that no row of the mask is empty."""
        count = len(self.rows) - 1
        tokens = numpy.zeros((count, length), dtype=numpy.int64)
        positions = numpy.zeros((count, length), dtype=numpy.int64)
        mask = numpy.zeros((count, length, length), dtype=bool)
        mask[:, numpy.arange(length), numpy.arange(length)] = True
        for row in range(count):
            first, end = self.rows[row], self.rows[row + 1]
            tokens[row, : end - first] = self.tokens[first:end]
            positions[row, : end - first] = self.positions[first:end]
        for document in range(len(self.documents) - 1):
            pieces = self.segments[self.documents[document] : self.documents[document + 1]]
            row = int(numpy.searchsorted(self.rows, pieces[0][0], side="right")) - 1
            base = self.rows[row]
            program, program_length = pieces[0][0] - base, pieces[0][1]
            for index, (start, size) in enumerate(pieces):
                start = start - base
                own = slice(start, start + size)
                mask[row, own, own] = numpy.tril(numpy.ones((size, size), dtype=bool))
                if index:
                    mask[row, own, program : program + program_length] = True
        return tokens, positions, mask

    def padded_index(self, length: int) -> numpy.ndarray:
        """Where each `predict` position lies in the flattened [r * length] padded rows."""
        row = numpy.searchsorted(self.rows, self.predict, side="right") - 1
        return row * length + (self.predict - self.rows[row])


def pack(documents: Sequence[Document], length: int, window: int = 16) -> List[Row]:
    """First-fit rows: among the next `window` waiting documents the first that fits fills the row.

    Documents longer than a row raise ValueError: the caller cuts them, because only it knows what may be left out."""
    waiting, rows = list(documents), []
    current: List[Document] = []
    room = length
    while waiting:
        fitting = next((i for i, d in enumerate(waiting[:window]) if len(d) <= room), None)
        if fitting is not None:
            document = waiting.pop(fitting)
            current.append(document)
            room -= len(document)
        elif current:
            rows.append(Row.of(current))
            current, room = [], length
        else:
            raise ValueError(f"document_too_long: a row holds {length} tokens, a document has {len(waiting[0])}")
    if current:
        rows.append(Row.of(current))
    return rows
