"""Rows of documents, and the flat arrays a training step reads.

A document is one program followed by independent branches. A branch sees the program and itself; its positions start
again at the program's end, so it looks exactly as it would alone behind the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import List, Sequence, Tuple

import numpy

UNSUPERVISED, EVENT, LINE, VALUE, OTHER, CONTEXT, NAME = range(7)
CLASS_NAMES = ("unsupervised", "event", "line", "value", "other", "context", "name")


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
        pieces = [lengths for row in rows for lengths in row.lengths]
        sizes = numpy.fromiter(chain.from_iterable(pieces), dtype=numpy.int64)
        ends = numpy.cumsum(sizes)
        starts = ends - sizes
        documents = _sums([len(lengths) for lengths in pieces])
        program = numpy.repeat(documents[:-1], numpy.diff(documents))  # of each segment: its document's first
        offsets = numpy.where(numpy.arange(len(sizes)) == program, 0, sizes[program])
        tokens = numpy.concatenate([row.tokens for row in rows]).astype(numpy.int64)
        classes = numpy.concatenate([row.classes for row in rows])
        following = numpy.append(classes[1:], UNSUPERVISED)
        following[ends - 1] = UNSUPERVISED
        wanted = following != UNSUPERVISED
        if context_weight == 0:
            wanted &= following != CONTEXT
        predict = numpy.nonzero(wanted)[0]
        found = following[predict]
        return Batch(
            tokens,
            (numpy.arange(len(tokens)) + numpy.repeat(offsets - starts, sizes)).astype(numpy.int32),
            numpy.stack((starts, sizes), 1).astype(numpy.int32),
            documents.astype(numpy.int32),
            _sums([len(row.tokens) for row in rows]),
            predict,
            tokens[predict + 1],
            found,
            numpy.where(found == CONTEXT, context_weight, 1.0).astype(numpy.float32),
        )

    def padded_rows(self, length: int, rows: int = 0) -> "Padded":
        """The batch as rows of `length` tokens; rows of nothing but padding make them at least `rows`."""
        count = max(rows, len(self.rows) - 1)
        shifts = numpy.arange(len(self.rows) - 1) * length - self.rows[:-1]
        at = numpy.arange(len(self.tokens)) + numpy.repeat(shifts, numpy.diff(self.rows))
        starts, sizes = self.segments[:, 0].astype(numpy.int64), self.segments[:, 1]
        program = numpy.repeat(self.documents[:-1], numpy.diff(self.documents))
        branch = numpy.arange(len(sizes)) != program
        base = self.rows[numpy.searchsorted(self.rows, starts, side="right") - 1]
        first = numpy.where(branch, starts[program] - base, 0)
        own = numpy.broadcast_to(numpy.arange(length, dtype=numpy.int16), (count, length))
        return Padded(
            _placed(count, length, at, self.tokens),
            _placed(count, length, at, self.positions),
            _placed(count, length, at, numpy.repeat(starts - base, sizes), own),
            _placed(count, length, at, numpy.repeat(first, sizes)),
            _placed(count, length, at, numpy.repeat(first + numpy.where(branch, sizes[program], 0), sizes)),
            _placed(count, length, at[self.predict], self.targets),
            _placed(count, length, at[self.predict], self.classes),
            _placed(count, length, at[self.predict], self.weights, kind=numpy.float32),
        )

    def padded(self, length: int):
        """(tokens, positions, mask) as rows of `length`: [r, length], [r, length], [r, length, length] boolean."""
        rows = self.padded_rows(length)
        return rows.tokens.astype(numpy.int64), rows.positions.astype(numpy.int64), rows.mask()

    def visible_pairs(self) -> int:
        """How many pairs of a token and a token that it sees there are."""
        sizes = self.segments[:, 1].astype(numpy.int64)
        program = numpy.repeat(self.documents[:-1], numpy.diff(self.documents))
        branch = numpy.arange(len(sizes)) != program
        return int((sizes * (sizes + 1) // 2 + branch * sizes * sizes[program]).sum())

    def padded_index(self, length: int) -> numpy.ndarray:
        """Where each `predict` position lies in the flattened [r * length] padded rows."""
        row = numpy.searchsorted(self.rows, self.predict, side="right") - 1
        return row * length + (self.predict - self.rows[row])


@dataclass
class Padded:
    """Rows of one length for a device that wants fixed shapes; every array is [r, length], int16 except weights.

    The token at q sees the keys k <= q with k >= start[q], or with first[q] <= k < end[q] (its document's program).
    A padding token sees itself alone. Where nothing is predicted the class is UNSUPERVISED and the weight 0."""

    tokens: numpy.ndarray
    positions: numpy.ndarray
    start: numpy.ndarray
    first: numpy.ndarray
    end: numpy.ndarray
    targets: numpy.ndarray
    classes: numpy.ndarray
    weights: numpy.ndarray

    def mask(self) -> numpy.ndarray:
        """[r, length, length] boolean: whether the query (row) sees the key (column)."""
        keys = numpy.arange(self.tokens.shape[1])
        program = (keys >= self.first[..., None]) & (keys < self.end[..., None])
        return (keys <= keys[:, None]) & ((keys >= self.start[..., None]) | program)

    def part(self, first: int, end: int) -> "Padded":
        """Rows first to end."""
        return Padded(**{name: value[first:end] for name, value in self.__dict__.items()})


def _sums(sizes: Sequence[int]) -> numpy.ndarray:
    """[n + 1] running sums, beginning with 0."""
    return numpy.concatenate(([0], numpy.cumsum(numpy.asarray(sizes, dtype=numpy.int64))))


def _placed(rows: int, length: int, at, values, filling=None, kind=numpy.int16) -> numpy.ndarray:
    """[rows, length] with `values` at the flat indices `at`, elsewhere zeros or `filling`."""
    out = numpy.zeros((rows, length), kind) if filling is None else numpy.array(filling, dtype=kind, order="C")
    out.reshape(-1)[at] = values
    return out


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
