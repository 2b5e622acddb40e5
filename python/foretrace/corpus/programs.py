"""Which generated programs are for evaluation only, and how any generated program is traced for the corpus."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from random import Random
from typing import FrozenSet, Iterable, Optional

from ..generator.levels import GeneratorError
from ..generator.mixture import mixture
from ..generator.sample import Sample
from ..language.errors import ProgramError
from ..language.program import Program
from ..language.tokens import ENTRY
from ..trace import Limits, Trace, TraceError, run

EVALUATION_PROGRAMS = 4096
"""Programs 0..4095 of the evaluation generator are held out: drawn from seeds of their own, and a training draw that the
model would read as the same program (whatever its names, layout and call) is left out."""

HASH_BYTES = 8
DRAWS = 20


def program_hash(source: str) -> bytes:
    """Eight bytes that stand for a program as the model reads it: its tokens without the entry. Names do not matter."""
    try:
        tokens = Program.parse(source, "f()").tokens
        text = " ".join(map(str, tokens[:tokens.index(ENTRY)]))
    except ProgramError:
        text = source
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=HASH_BYTES).digest()


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
    """The hashes of the first `count` evaluation programs."""
    return frozenset(program_hash(evaluation_sample(index).source) for index in range(count))


def write_hashes(path: Path, hashes: Iterable[bytes]) -> None:
    """Writes program hashes, sorted, one after the other."""
    path.write_bytes(b"".join(sorted(hashes)))


def read_hashes(path: Path) -> FrozenSet[bytes]:
    """What `write_hashes` wrote. Raises ValueError for a file of another form."""
    data = path.read_bytes()
    if len(data) % HASH_BYTES:
        raise ValueError(f"hashes_unreadable: {path} is to hold {HASH_BYTES} bytes a program, found {len(data)} bytes")
    return frozenset(data[i:i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES))


# Generous: it is there for one endless C call. A limit that a busy machine could reach would make the corpus depend on it.
SECONDS = 20.0


def traced(sample: Sample) -> Optional[Trace]:
    """The trace of a sample within the corpus limits, or None if it is of no use (failed, cut short, too long)."""
    try:
        trace = run(sample.source, sample.call, Limits(max_events=2000, seconds=SECONDS))
    except TraceError:
        return None
    return trace if trace.stopped is None and len(trace.events) > 1 else None
