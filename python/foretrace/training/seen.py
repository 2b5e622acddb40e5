"""Which programs a training run has drawn: their hashes, so that an evaluation can leave them out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random
from typing import Iterator, List

from ..corpus.programs import drawn, program_hash, write_hashes
from .stream import StreamConfig, shard_seed

DRAWS_PER_DOCUMENT = 1.5
"""A shard draws more programs than it keeps; which are kept takes tracing them to know, so a few more are counted as seen."""


def shard_hashes(config: StreamConfig, shard: int) -> Iterator[bytes]:
    """The hashes of the programs that a shard drew, and of some that come after them."""
    rng = Random(shard_seed(config, shard, 0))
    for _ in range(int(config.shard_documents * DRAWS_PER_DOCUMENT)):
        yield program_hash(drawn(rng, config.progress(shard)).source)
        rng.getrandbits(64)  # the document's own draw


def main(arguments: List[str]) -> int:
    """`python -m foretrace seen RUN --out FILE`. Returns 0, or 1 if the run cannot be read."""
    parser = argparse.ArgumentParser(prog="foretrace seen", description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="directory of a training run")
    parser.add_argument("--out", type=Path, required=True, help="the file of hashes to write")
    options = parser.parse_args(arguments)
    try:
        from . import checkpoint
        from .train import TrainConfig

        state = checkpoint.load(options.run / "checkpoint.pt")
        config = TrainConfig.read(options.run / "config.json").stream()
    except (ImportError, OSError, ValueError) as error:
        print(f"foretrace seen: {error}", file=sys.stderr)
        return 1
    shards = state["position"][0] + 1
    hashes = {found for shard in range(shards) for found in shard_hashes(config, shard)}
    write_hashes(options.out, hashes)
    print(f"{len(hashes)} programs of {shards} shards, {state['tokens']} tokens")
    return 0
