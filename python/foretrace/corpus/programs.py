"""Which generated programs are for evaluation only, and how any generated program is traced for the corpus."""

from __future__ import annotations

import functools
import hashlib
from random import Random
from typing import FrozenSet, Optional

from ..generator.levels import GeneratorError
from ..generator.mixture import mixture
from ..generator.sample import Sample
from ..trace import Limits, Trace, TraceError, run

EVALUATION_PROGRAMS = 4096
"""Programs 0..4095 of the evaluation generator are held out: never trained on, by their generator seeds and sources."""

DRAWS = 20


def source_hash(source: str) -> bytes:
    """Eight bytes that stand for a program's text."""
    return hashlib.blake2b(source.encode("utf-8", "replace"), digest_size=8).digest()


def drawn(rng: Random, progress: float) -> Sample:
    """A program of the generator's mixture; drawn again, from the same `rng`, where the generator gives up."""
    for _ in range(DRAWS):
        try:
            return mixture(rng, progress)
        except GeneratorError:
            continue
    raise GeneratorError(f"drawn: expected a program in {DRAWS} draws, got none")


def evaluation_sample(index: int) -> Sample:
    """Held-out program `index` (0 to EVALUATION_PROGRAMS - 1) of all levels of the generator."""
    if not 0 <= index < EVALUATION_PROGRAMS:
        raise ValueError(f"evaluation_range: an evaluation program is 0 to {EVALUATION_PROGRAMS - 1}, got {index}")
    rng = Random(f"foretrace-evaluation:{index}")
    return drawn(rng, rng.random())


@functools.lru_cache(maxsize=1)
def held_out_hashes(count: int = EVALUATION_PROGRAMS) -> FrozenSet[bytes]:
    """The hashes of the sources of the first `count` evaluation programs."""
    return frozenset(source_hash(evaluation_sample(index).source) for index in range(count))


# Generous: it is there for one endless C call. A limit that a busy machine could reach would make the corpus depend on it.
SECONDS = 20.0


def traced(sample: Sample) -> Optional[Trace]:
    """The trace of a sample within the corpus limits, or None if it is of no use (failed, cut short, too long)."""
    try:
        trace = run(sample.source, sample.call, Limits(max_events=2000, max_length=160, seconds=SECONDS))
    except TraceError:
        return None
    return trace if trace.stopped is None and len(trace.events) > 1 else None
