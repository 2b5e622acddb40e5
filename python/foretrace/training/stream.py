"""Training rows made while training: generated, traced and encoded in worker processes, in an order that repeats.

The stream is a sequence of shards; shard k depends on the configuration and k alone, so a position (shard, row) is all
a resumed run needs. A file of real functions is part of the configuration by its digest: a changed one is refused.
Workers are processes of their own: one that dies or hangs is replaced and its shard drawn anew, the one case in which
the rows are not those of an undisturbed run.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Deque, Dict, FrozenSet, Iterator, List, Optional, Tuple

from ..corpus.function_draws import FunctionDraws, check
from ..corpus.function_file import FunctionFileError
from ..corpus.near_copy import is_near_copy
from ..corpus.programs import EVALUATION_PROGRAMS, drawn, evaluation_sample, held_out_hashes, program_hash, traced
from ..generator.mutate import mutant
from ..generator.reflow import reflowed
from ..generator.sample import Sample
from ..language.tokens import END
from ..trace.events import Trace
from .batch import Document, Row, pack
from .documents import document
from .inputs import other_calls
from .sheets import sheet

MEMORY_BYTES = 4 << 30
MIN_FILL = 0.8
DOCUMENTS_PER_ROW = 2.0  # about; only the pace of the curriculum depends on it


class StreamError(RuntimeError):
    """A stream that cannot be made; the text begins with a code (functions_unreadable, functions_changed, functions_empty, stream_stopped)."""


@dataclass(frozen=True)
class StreamConfig:
    """What the rows depend on, and how they are made. planned_rows: where the generator's progress reaches 1.

    functions: a file of `corpus functions`, or ""; function_share of the programs are then drawn from its training side.
    functions_digest: what the file's digest must be; "" is filled in by `pinned`. mutated_share: of all programs, real and
    generated, that are given with one or two changes (on top of the mutations the generator's own mixture holds)."""

    seed: int
    row_length: int = 1024
    shard_documents: int = 96
    planned_rows: int = 120_000
    workers: int = 1
    timeout_seconds: float = 180.0
    held_out_programs: int = EVALUATION_PROGRAMS
    functions: str = ""
    function_share: float = 0.25
    functions_digest: str = ""
    mutated_share: float = 0.1
    reflowed_share: float = 0.12
    """Of all programs have some statements spread over several lines (generator/reflow.py)."""
    branches: int = 20
    """Of one document at most. A branch costs far less to make than the program that it stands behind."""
    sheet_share: float = 0.5
    """Of the programs that become practice sheets (sheets.py): run on up to `sheet_calls` inputs, with up to `sheet_branches` branches."""
    any_share: float = 0.3
    """Of the actions outside sheets are any that is available, the rest single steps."""
    sheet_calls: int = 8
    sheet_branches: int = 24
    workings: bool = True
    """Whether single steps and questions show the values of the expressions in them (language/workings.py)."""

    def pinned(self) -> "StreamConfig":
        """The same configuration with the digest of its functions file. Raises StreamError for a file that cannot be read
        or has another digest than the configuration's."""
        if not self.functions:
            return self
        try:
            return replace(self, functions_digest=check(Path(self.functions), self.functions_digest))
        except FunctionFileError as error:
            raise StreamError(str(error)) from None

    def progress(self, shard: int) -> float:
        return min(1.0, shard * self.shard_documents / DOCUMENTS_PER_ROW / self.planned_rows)


def shard_seed(config: StreamConfig, shard: int, attempt: int) -> str:
    """What the programs of a shard are drawn from."""
    return f"foretrace-training:{config.seed}:{shard}:{attempt}"


@dataclass(frozen=True)
class Sources:
    """What a worker reads once: hashes of held-out programs (generated and real), and the real functions to draw from."""

    held_out: FrozenSet[bytes]
    functions: Optional[FunctionDraws] = None
    _refused: Dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def refuses(self, sample: Sample) -> bool:
        """Whether a program is held out or a near copy of a public test. Answers for real functions are kept: they come again."""
        if sample.source in self._refused:
            return self._refused[sample.source]
        found = program_hash(sample.source) in self.held_out or is_near_copy(sample.source)
        if sample.tags[:1] == ("real",) and len(sample.tags) == 2:  # as it is in the file, not mutated
            self._refused[sample.source] = found
        return found

    @staticmethod
    def of(config: StreamConfig) -> "Sources":
        """Raises StreamError for a functions file that is not as configured."""
        functions = real_functions(config)
        held = functions.held if functions is not None else frozenset()
        return Sources(held_out_hashes(config.held_out_programs) | held, functions)


def real_functions(config: StreamConfig) -> Optional[FunctionDraws]:
    """The functions to draw from, if the configuration names a file. Raises StreamError for a file that is not as configured."""
    if not config.functions:
        return None
    try:
        return FunctionDraws(Path(config.functions), config.functions_digest)
    except FunctionFileError as error:
        raise StreamError(str(error)) from None


def shard_samples(config: StreamConfig, shard: int, attempt: int, sources: Sources) -> Iterator[Tuple[Sample, Random]]:
    """The programs that a shard draws, without end, each with the randomness of its document."""
    rng = Random(shard_seed(config, shard, attempt))
    progress = config.progress(shard)
    while True:
        real = sources.functions is not None and rng.random() < config.function_share
        sample = sources.functions.draw(rng) if real else drawn(rng, progress)
        if config.mutated_share and rng.random() < config.mutated_share:
            sample = mutant(Random(rng.getrandbits(64)), sample)
        yield sample, Random(rng.getrandbits(64))


def shard_documents(config: StreamConfig, shard: int, attempt: int, sources: Sources) -> List[Document]:
    """The documents of one shard. Programs that are held out or near copies of a public test are skipped, and so are those
    that do not end within the limits."""
    found: List[Document] = []
    for sample, branching in shard_samples(config, shard, attempt, sources):
        if sources.refuses(sample):
            continue
        if branching.random() < config.reflowed_share:
            sample = reflowed(branching, sample)
        made = _document(config, sample, branching)
        if made is not None:
            found.append(made)
            if len(found) == config.shard_documents:
                break
    return found


def _document(config: StreamConfig, sample: Sample, rng: Random) -> Optional[Document]:
    """A document of the sample's run, or a practice sheet of runs on other inputs too; None if it does not end, or does not fit."""
    is_sheet = rng.random() < config.sheet_share
    trace = _run(sample)
    if trace is None:
        return None
    if not is_sheet:
        return document(rng, trace, config.row_length, config.branches, any_share=config.any_share,
                        shows_workings=config.workings)
    calls = other_calls(rng, sample, config.sheet_calls - 1)
    others = [run for run in (_run(replace(sample, call=call)) for call in calls) if run is not None]
    return sheet(rng, [trace, *others], config.row_length, config.sheet_branches, config.workings)


def _run(sample: Sample) -> Optional[Trace]:
    trace = traced(sample)
    return None if trace is None or _exhausted(trace) else trace


def _exhausted(trace: Trace) -> bool:
    """Whether memory or the stack ran out: where that happens depends on the process, not on the program."""
    return any(event.event == "exception" and event.value.startswith(("MemoryError", "RecursionError")) for event in trace.events)


def shard_rows(config: StreamConfig, shard: int, attempt: int, sources: Sources) -> List[Row]:
    """The packed rows of one shard; a last row that is mostly padding is left out."""
    rows = pack(shard_documents(config, shard, attempt, sources), config.row_length)
    if len(rows) > 1 and len(rows[-1].tokens) < MIN_FILL * config.row_length:
        rows.pop()
    return rows


def probe_rows(config: StreamConfig, transitions: int) -> List[Row]:
    """Rows of evaluation programs with about `transitions` predictions, the same for every run and seed."""
    found, count, index = [], 0, 0
    while count < transitions and index < EVALUATION_PROGRAMS:
        trace = traced(evaluation_sample(index))
        made = None
        if trace is not None:
            made = document(Random(f"probe:{index}"), trace, config.row_length, 4, shows_workings=config.workings)
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
    sources = Sources.of(config)
    while True:
        try:
            shard, attempt = connection.recv()
        except EOFError:
            return
        connection.send((shard, attempt, shard_rows(config, shard, attempt, sources)))


class _Worker:
    """One process and the shards it was asked for, oldest first."""

    def __init__(self, config: StreamConfig):
        self.config = config
        self.asked: Deque[Tuple[int, int]] = deque()
        self.stopped = False
        self._start()

    def _start(self) -> None:
        # A fresh interpreter: the hash seed must be fixed before it starts, and nothing of the trainer is inherited.
        os.environ["PYTHONHASHSEED"] = "0"
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, self.config), daemon=True)
        self.process.start()
        other.close()
        if self.stopped:  # meanwhile
            self.process.kill()

    def ask(self, shard: int, attempt: int = 0) -> None:
        """A worker that has died is noticed, and replaced, when the answer is awaited."""
        self.asked.append((shard, attempt))
        try:
            self.connection.send((shard, attempt))
        except OSError:
            pass

    def receive(self) -> Tuple[int, List[Row]]:
        """The oldest shard asked for. A worker that fails is replaced, its oldest shard asked with the next attempt. Raises
        StreamError once it is stopped."""
        while True:
            try:
                if self.connection.poll(self.config.timeout_seconds):
                    shard, _, rows = self.connection.recv()
                    self.asked.popleft()
                    return shard, rows
            except (EOFError, OSError):
                pass
            if self.stopped:
                raise StreamError("stream_stopped: no more rows come")
            self._end()
            waiting = list(self.asked)
            self.asked.clear()
            if waiting[0][1] >= 5:
                raise RuntimeError(f"stream_worker: shard {waiting[0][0]} failed {waiting[0][1] + 1} times")
            self._start()
            self.ask(waiting[0][0], waiting[0][1] + 1)
            for shard, attempt in waiting[1:]:
                self.ask(shard, attempt)

    def stop(self) -> None:
        """Ends the process; a thread that waits in `receive` is told."""
        self.stopped = True
        self.process.kill()

    def close(self) -> None:
        """Call it when no other thread is in `receive`."""
        self.stop()
        self._end()

    def _end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Stream:
    """Rows in their fixed order from a position (shard, row) on."""

    def __init__(self, config: StreamConfig, position: Tuple[int, int] = (0, 0), ahead: int = 3):
        """Raises StreamError for a functions file that is not as configured."""
        self.config = config = config.pinned()
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

    def stop(self) -> None:
        """Ends the workers; another thread that waits in `take` gets a StreamError."""
        for worker in self._workers:
            worker.stop()

    def close(self) -> None:
        """Ends the workers and their pipes. Call it when no other thread is in `take`."""
        for worker in self._workers:
            worker.close()
