"""Which programs a training run has drawn: their hashes, so that an evaluation can leave them out."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import FrozenSet, Iterator, NamedTuple

from ..corpus.programs import drawn, program_hash
from . import checkpoint
from .stream import StreamConfig, shard_seed
from .train import TrainConfig

DRAWS_PER_DOCUMENT = 1.5
"""A shard draws more programs than it keeps; which are kept takes tracing them to know, so a few more are counted as seen."""


class Seen(NamedTuple):
    """What a run has read: hashes of its programs, shards begun, tokens."""

    hashes: FrozenSet[bytes]
    shards: int
    tokens: int


def shard_hashes(config: StreamConfig, shard: int) -> Iterator[bytes]:
    """The hashes of the programs that a shard drew, and of some that come after them."""
    rng = Random(shard_seed(config, shard, 0))
    for _ in range(int(config.shard_documents * DRAWS_PER_DOCUMENT)):
        yield program_hash(drawn(rng, config.progress(shard)).source)
        rng.getrandbits(64)  # the document's own draw


def seen_programs(run: Path) -> Seen:
    """What a run has drawn up to its checkpoint, by the generator as it is now. Raises OSError, KeyError, ValueError,
    and what unpickling raises, for a directory that holds no run."""
    state = checkpoint.load(run / "checkpoint.pt")
    config = TrainConfig.read(run / "config.json").stream()
    shards = state["position"][0] + 1
    hashes = frozenset(found for shard in range(shards) for found in shard_hashes(config, shard))
    return Seen(hashes, shards, state["tokens"])
