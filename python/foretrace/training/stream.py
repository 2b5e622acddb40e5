"""Training rows made while training: generated, traced and encoded in worker processes, in an order that repeats.

The stream is a sequence of shards; shard k depends on the seed and k alone, so a position (shard, row) is all a
resumed run needs. Workers are processes of their own: one that dies or hangs is replaced and its shard drawn anew,
the one case in which the rows are not those of an undisturbed run.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Deque, Dict, FrozenSet, List, Optional, Tuple

from ..corpus.near_copy import is_near_copy
from ..corpus.programs import EVALUATION_PROGRAMS, drawn, evaluation_sample, held_out_hashes, program_hash, traced
from ..language.tokens import END
from .batch import Document, Row, pack
from .documents import document

MEMORY_BYTES = 4 << 30
MIN_FILL = 0.8
DOCUMENTS_PER_ROW = 2.0  # about; only the pace of the curriculum depends on it


@dataclass(frozen=True)
class StreamConfig:
    """What the rows depend on, and how they are made. planned_rows: where the generator's progress reaches 1."""

    seed: int
    row_length: int = 1024
    shard_documents: int = 96
    planned_rows: int = 120_000
    workers: int = 1
    timeout_seconds: float = 180.0
    held_out_programs: int = EVALUATION_PROGRAMS

    def progress(self, shard: int) -> float:
        return min(1.0, shard * self.shard_documents / DOCUMENTS_PER_ROW / self.planned_rows)


def shard_seed(config: StreamConfig, shard: int, attempt: int) -> str:
    """What the programs of a shard are drawn from."""
    return f"foretrace-training:{config.seed}:{shard}:{attempt}"


def shard_documents(config: StreamConfig, shard: int, attempt: int, held_out: FrozenSet[bytes]) -> List[Document]:
    """The documents of one shard. Programs that are held out or near copies of a public test are skipped."""
    rng = Random(shard_seed(config, shard, attempt))
    progress, found = config.progress(shard), []
    while len(found) < config.shard_documents:
        sample = drawn(rng, progress)
        branching = Random(rng.getrandbits(64))
        if program_hash(sample.source) in held_out or is_near_copy(sample.source):
            continue
        trace = traced(sample)
        made = document(branching, trace, config.row_length) if trace is not None else None
        if made is not None:
            found.append(made)
    return found


def shard_rows(config: StreamConfig, shard: int, attempt: int, held_out: FrozenSet[bytes]) -> List[Row]:
    """The packed rows of one shard; a last row that is mostly padding is left out."""
    rows = pack(shard_documents(config, shard, attempt, held_out), config.row_length)
    if len(rows) > 1 and len(rows[-1].tokens) < MIN_FILL * config.row_length:
        rows.pop()
    return rows


def probe_rows(config: StreamConfig, transitions: int) -> List[Row]:
    """Rows of evaluation programs with about `transitions` predictions, the same for every run and seed."""
    found, count, index = [], 0, 0
    while count < transitions and index < EVALUATION_PROGRAMS:
        trace = traced(evaluation_sample(index))
        made = document(Random(f"probe:{index}"), trace, config.row_length, 4) if trace is not None else None
        if made is not None:
            found.append(made)
            count += list(made.tokens).count(END)
        index += 1
    return pack(found, config.row_length)


def _serve(connection, config: StreamConfig) -> None:
    """The loop of a worker process: shard numbers in, rows out."""
    import resource

    os.nice(19 - os.nice(0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sys.stdin = open(os.devnull)
    held_out = held_out_hashes(config.held_out_programs)
    while True:
        try:
            shard, attempt = connection.recv()
        except EOFError:
            return
        connection.send((shard, attempt, shard_rows(config, shard, attempt, held_out)))


class _Worker:
    """One process and the shards it was asked for, oldest first."""

    def __init__(self, config: StreamConfig):
        self.config = config
        self.asked: Deque[Tuple[int, int]] = deque()
        self._start()

    def _start(self) -> None:
        # A fresh interpreter: the hash seed must be fixed before it starts, and nothing of the trainer is inherited.
        os.environ["PYTHONHASHSEED"] = "0"
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, self.config), daemon=True)
        self.process.start()
        other.close()

    def ask(self, shard: int, attempt: int = 0) -> None:
        """A worker that has died is noticed, and replaced, when the answer is awaited."""
        self.asked.append((shard, attempt))
        try:
            self.connection.send((shard, attempt))
        except OSError:
            pass

    def receive(self) -> Tuple[int, List[Row]]:
        """The oldest shard asked for. A worker that fails is replaced, its oldest shard asked with the next attempt."""
        while True:
            try:
                if self.connection.poll(self.config.timeout_seconds):
                    shard, _, rows = self.connection.recv()
                    self.asked.popleft()
                    return shard, rows
            except (EOFError, OSError):
                pass
            self.close()
            waiting = list(self.asked)
            self.asked.clear()
            if waiting[0][1] >= 5:
                raise RuntimeError(f"stream_worker: shard {waiting[0][0]} failed {waiting[0][1] + 1} times")
            self._start()
            self.ask(waiting[0][0], waiting[0][1] + 1)
            for shard, attempt in waiting[1:]:
                self.ask(shard, attempt)

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Stream:
    """Rows in their fixed order from a position (shard, row) on."""

    def __init__(self, config: StreamConfig, position: Tuple[int, int] = (0, 0), ahead: int = 3):
        self.config = config
        self._shard, self._row = position
        self._rows: Optional[List[Row]] = None
        self._workers = [_Worker(config) for _ in range(config.workers)]
        self._made: Dict[int, List[Row]] = {}
        for shard in range(self._shard, self._shard + ahead * config.workers):
            self._of(shard).ask(shard)
        self._next = self._shard + ahead * config.workers

    def _of(self, shard: int) -> _Worker:
        return self._workers[shard % len(self._workers)]

    @property
    def position(self) -> Tuple[int, int]:
        """Where the next row is."""
        return self._shard, self._row

    def take(self, count: int) -> List[Row]:
        """The next `count` rows; waits for the workers."""
        taken: List[Row] = []
        while len(taken) < count:
            if self._rows is None:
                _, self._rows = self._of(self._shard).receive()
                self._of(self._next).ask(self._next)
                self._next += 1
            more = self._rows[self._row : self._row + count - len(taken)]
            taken += more
            self._row += len(more)
            if self._row >= len(self._rows):
                self._shard, self._row, self._rows = self._shard + 1, 0, None
        return taken

    def close(self) -> None:
        """Ends the workers."""
        for worker in self._workers:
            worker.close()
