"""The programs of the ablations, drawn once: every variant sees the same programs in the same order.

Documents are kept in shards on disk. Variants that draw other documents (branch lengths, curriculum) have shards of
their own kind, of the same programs where the curriculum is the same.
"""

from __future__ import annotations

import faulthandler
import json
import multiprocessing
import os
import pickle
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from ..corpus.programs import EVALUATION_PROGRAMS, evaluation_sample, traced
from ..generator.levels import GeneratorError, generate
from ..generator.sample import Sample
from ..language.program import Program
from ..language.tokens import END
from ..trace.events import Trace
from . import branches
from .batch import Document
from .documents import document
from .stream import MEMORY_BYTES, Sources, StreamConfig, shard_samples, shard_seed

ATTEMPTS = 5  # to draw a shard whose process died
PROBE_BRANCHES = 4
TOKENS_PER_DOCUMENT = 600  # about; only the pace of the curriculum depends on it
PAIR_WEIGHTS: Dict[str, Tuple[int, ...]] = {"k1": (1, 0, 0, 0, 0, 0, 0), "k7": (0, 0, 5, 10, 20, 25, 40)}
KINDS = ("base", "k1", "k7", "final", "drills")
PROBE = "probe"
SECONDS = 900.0  # that a shard may take


class Example(NamedTuple):
    """A document and what its slots stand for, in slot order."""

    document: Document
    names: Tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What the documents depend on."""

    seed: int = 1
    tokens: int = 6_000_000
    row_length: int = 1024
    branches: int = 20
    shard_documents: int = 96
    held_out_programs: int = EVALUATION_PROGRAMS

    def progress(self, kind: str, shard: int) -> float:
        """Of the curriculum, 0 to 1."""
        reached = min(1.0, shard * self.shard_documents * TOKENS_PER_DOCUMENT / self.tokens)
        return 1.0 if kind == "final" else reached


@dataclass(frozen=True)
class _Drawing(StreamConfig):
    """The stream's configuration with the progress of one kind of documents."""

    at: float = 0.0

    def progress(self, shard: int) -> float:
        return self.at


@contextmanager
def _pair_weights(kind: str) -> Iterator[None]:
    """Documents within have other numbers of pairs a branch: no option that training needs, so it is set from outside."""
    usual = branches.PAIR_WEIGHTS
    branches.PAIR_WEIGHTS = PAIR_WEIGHTS.get(kind, usual)
    try:
        yield
    finally:
        branches.PAIR_WEIGHTS = usual


def _samples(plan: Plan, kind: str, shard: int, attempt: int, sources: Sources) -> Iterator[Sample]:
    config = _Drawing(plan.seed, plan.row_length, plan.shard_documents, at=plan.progress(kind, shard))
    if kind != "drills" or config.at >= 0.5:
        yield from (sample for sample, _ in shard_samples(config, shard, attempt, sources))
    rng = Random("drills:" + shard_seed(config, shard, attempt))
    while True:
        try:
            yield generate(rng, "drill")
        except GeneratorError:
            continue


def _is_usable(trace: Optional[Trace]) -> bool:
    """Whether a run ended, and nowhere depended on the memory or the stack of this process."""
    return trace is not None and not any(
        event.event == "exception" and event.value.startswith(("MemoryError", "RecursionError")) for event in trace.events)


def _example(rng: Random, trace: Trace, length: int, most: int) -> Optional[Example]:
    # Other spellings of values in code and in patches could not be read back.
    made = document(rng, trace, length, most, shows_values=False, writes_patches=False)
    if made is None:
        return None
    packed = Document(numpy.asarray(made.tokens, numpy.int16), numpy.asarray(made.classes, numpy.uint8), made.lengths)
    return Example(packed, tuple(Program.parse(trace.source, trace.call).slots))


def shard_examples(plan: Plan, kind: str, shard: int, attempt: int, sources: Sources) -> List[Example]:
    """The examples of one shard, in the order of the programs. Held-out programs and near copies of tests are left out."""
    found: List[Example] = []
    with _pair_weights(kind):
        for number, sample in enumerate(_samples(plan, kind, shard, attempt, sources)):
            if sources.refuses(sample):
                continue
            trace = traced(sample)
            if not _is_usable(trace):
                continue
            rng = Random(f"ablation:{plan.seed}:{shard}:{number}")
            made = _example(rng, trace, plan.row_length, plan.branches)
            if made is not None:
                found.append(made)
            if len(found) == plan.shard_documents:
                return found
    return found


def probe_examples(plan: Plan, transitions: int) -> List[Example]:
    """Examples of held-out programs with at least `transitions` deltas and answers."""
    found, count, index = [], 0, 0
    while count < transitions and index < EVALUATION_PROGRAMS:
        trace = traced(evaluation_sample(index))
        made = _example(Random(f"probe:{index}"), trace, plan.row_length, PROBE_BRANCHES) if _is_usable(trace) else None
        if made is not None:
            found.append(made)
            count += int((made.document.tokens == END).sum())
        index += 1
    return found


_sources: Optional[Sources] = None


def _begin(held_out_programs: int) -> None:
    """Readies a worker process: traced programs must not harm what trains."""
    import resource

    global _sources
    os.nice(19 - os.nice(0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sys.stdin = open(os.devnull)
    _sources = Sources.of(StreamConfig(0, held_out_programs=held_out_programs))


def _within_time(make: Callable[..., List[Example]], *given) -> List[Example]:
    """Calls `make`. A program that never comes back ends the process, and its shard is drawn with the next attempt."""
    with open(os.devnull, "w") as silent:
        faulthandler.dump_traceback_later(SECONDS, exit=True, file=silent)
        try:
            return make(*given)
        finally:
            faulthandler.cancel_dump_traceback_later()


def _drawn(plan: Plan, kind: str, number: int, attempt: int) -> List[Example]:
    """A shard, or for the kind "probe" that many held-out transitions."""
    if kind == PROBE:
        return _within_time(probe_examples, plan, number)
    return _within_time(shard_examples, plan, kind, number, attempt, _sources)


def check_plan(directory: Path, plan: Plan) -> None:
    """Notes what the shards in a directory depend on. Raises ValueError (documents_other) if that is something else."""
    path = directory / "plan.json"
    if path.exists():
        stored = json.loads(path.read_text())
        if stored != asdict(plan):
            raise ValueError(f"documents_other: {path} must say {asdict(plan)}, says {stored}")
        return
    directory.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(plan), indent=1) + "\n")


class Shards:
    """Shards from disk, else drawn by a process of its own, `ahead` of their use."""

    def __init__(self, plan: Plan, directory: Path, ahead: int = 2):
        """Raises ValueError (documents_other)."""
        check_plan(directory, plan)
        self.plan, self.directory, self.ahead = plan, directory, ahead
        self._pool: Optional[ProcessPoolExecutor] = None
        self._asked: Dict[Tuple[str, int], Future] = {}

    def _path(self, kind: str, shard: int) -> Path:
        return self.directory / f"{kind}-{shard:05}.pkl"

    def _ask(self, kind: str, shard: int, attempt: int = 0) -> None:
        if (kind, shard) in self._asked or self._path(kind, shard).exists():
            return
        if self._pool is None:
            os.environ["PYTHONHASHSEED"] = "0"  # of the new interpreter: the order of sets is part of the documents
            self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin,
                                             (self.plan.held_out_programs,))
        self._asked[kind, shard] = self._pool.submit(_drawn, self.plan, kind, shard, attempt)

    def shard(self, kind: str, shard: int) -> List[Example]:
        """The examples of a shard. Raises RuntimeError (documents_worker) for one that cannot be drawn."""
        path = self._path(kind, shard)
        if not path.exists():
            self._write(path, self._made(kind, shard))
        with open(path, "rb") as file:
            return [Example(Document(*document), names) for document, names in pickle.load(file)]

    def _made(self, kind: str, shard: int) -> List[Example]:
        for attempt in range(ATTEMPTS):
            try:
                for k in range(shard, shard + 1 + (0 if kind == PROBE else self.ahead)):
                    self._ask(kind, k, attempt)
                return self._asked.pop((kind, shard)).result()
            except BrokenProcessPool:
                self.close()
        raise RuntimeError(f"documents_worker: shard {shard} of {kind} failed {ATTEMPTS} times")

    def probe(self, transitions: int) -> List[Example]:
        """Examples of held-out programs: see `probe_examples`."""
        return self.shard(PROBE, transitions)

    @staticmethod
    def _write(path: Path, examples: List[Example]) -> None:
        partial = path.with_suffix(".partial")
        with open(partial, "wb") as file:
            pickle.dump([((d.tokens, d.classes, d.lengths), names) for d, names in examples], file)
        os.replace(partial, path)

    def spread(self, kind: str, count: int) -> List[Example]:
        """At least `count` examples from shards that lie evenly over the whole curriculum."""
        wanted = -(-count // self.plan.shard_documents)
        last = self.plan.tokens // (self.plan.shard_documents * TOKENS_PER_DOCUMENT)
        numbers = dict.fromkeys(round(last * k / max(1, wanted - 1)) for k in range(wanted))
        return [example for number in numbers for example in self.shard(kind, number)]

    def close(self) -> None:
        """Ends the process; shards asked for and not made are forgotten."""
        self._asked.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
