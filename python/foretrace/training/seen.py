"""Which programs a training run has drawn: their hashes, so that an evaluation can leave them out."""

from __future__ import annotations

from pathlib import Path
from itertools import islice
from typing import FrozenSet, Iterator, NamedTuple, Optional

from ..corpus.programs import program_hash
from . import checkpoint
from .stream import Sources, StreamConfig, real_functions, shard_samples
from .train import TrainConfig

DRAWS_PER_DOCUMENT = 1.5
"""A shard draws more programs than it keeps; which are kept takes tracing them to know, so a few more are counted as seen."""


class Seen(NamedTuple):
    """What a run has read: hashes of its programs, shards begun, tokens."""

    hashes: FrozenSet[bytes]
    shards: int
    tokens: int


def shard_hashes(config: StreamConfig, shard: int, sources: Optional[Sources] = None) -> Iterator[bytes]:
    """The hashes of the programs that a shard drew, and of some that come after them. `sources`: read once for many shards."""
    sources = Sources(frozenset(), real_functions(config)) if sources is None else sources
    for sample, _ in islice(shard_samples(config, shard, 0, sources), int(config.shard_documents * DRAWS_PER_DOCUMENT)):
        yield program_hash(sample.source)


def seen_programs(run: Path) -> Seen:
    """What a run has drawn up to its checkpoint, by the generator as it is now. Raises OSError, KeyError, ValueError,
    and what unpickling raises, for a directory that holds no run."""
    state = checkpoint.load(run / "checkpoint.pt")
    config = TrainConfig.read(run / "config.json").stream()
    shards = state["position"][0] + 1
    sources = Sources(frozenset(), real_functions(config))
    hashes = frozenset(found for shard in range(shards) for found in shard_hashes(config, shard, sources))
    return Seen(hashes, shards, state["tokens"])
