"""What a training run depends on, as it is kept in the run's config.json."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from .model import ModelConfig
from .stream import StreamConfig


@dataclass
class TrainConfig:
    """Everything a run depends on. Token counts are tokens read, context included.

    batch_rows until `late_from` tokens, then late_batch_rows; micro_rows of them at a time. attention and compiled are
    for devices other than the CPU ("auto": the first that works; see startup). With prefetch, threads make rows ready;
    only then may rows be seen up to `reuse` times. stream_options: further fields of StreamConfig. initial: the
    directory whose weights a fine-tuned run began with; initial_tokens: how many those had seen. probe_functions: a
    file of functions; its held ones are probed.
    """

    seed: int = 1
    planned_tokens: int = 120_000_000
    batch_rows: int = 8
    late_batch_rows: int = 16
    late_from: int = 3_000_000
    warmup_tokens: int = 1_000_000
    decay_from: int = -1
    decay_tokens: int = 0
    optimizer: str = "muon"
    adam_rate: float = 2e-3
    muon_rate: float = 0.02
    weight_decay: float = 0.1
    clip: float = 1.0
    context_weight: float = 0.0
    micro_rows: int = 4
    threads: int = 2
    device: str = "cpu"
    compiled: bool = True
    attention: str = "auto"
    prefetch: bool = False
    reuse: int = 1
    pool_rows: int = 8192
    workers: int = 1
    row_length: int = 1024
    shard_documents: int = 96
    stream_options: dict = field(default_factory=dict)
    probe_transitions: int = 400
    probe_every: int = 2_000_000
    probe_functions: str = ""
    checkpoint_seconds: float = 300.0
    log_seconds: float = 20.0
    initial: str = ""
    initial_tokens: int = 0
    model: dict = field(default_factory=lambda: ModelConfig().as_dict())

    @staticmethod
    def read(path: Path) -> "TrainConfig":
        """From a JSON object; unknown fields are an error, missing ones take their defaults."""
        given = json.loads(path.read_text())
        unknown = set(given) - {f.name for f in fields(TrainConfig)}
        if unknown:
            raise ValueError(f"config_unknown_field: {path} may hold TrainConfig's fields, got {sorted(unknown)}")
        return TrainConfig(**given)

    def write(self, directory: Path) -> None:
        """config.json of a run's directory. Whether it has workings is kept, for its model says so, and the digest of a functions
        file, so that a changed file is refused when the run goes on. Raises StreamError for a file that cannot be read or has changed."""
        self.stream_options = {"workings": self.stream().workings, **self.stream_options}
        if self.stream_options.get("functions"):
            digest = self.stream().pinned().functions_digest
            self.stream_options = {**self.stream_options, "functions_digest": digest}
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "config.json").write_text(json.dumps(asdict(self), indent=1) + "\n")

    def recipe_hash(self) -> str:
        """What the weights depend on besides the stream's code: a short hash for the exported config."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def stream(self) -> StreamConfig:
        """The configuration of the rows. Raises TypeError for stream_options that StreamConfig does not have."""
        rows = self.planned_tokens // self.row_length
        return StreamConfig(seed=self.seed, row_length=self.row_length, shard_documents=self.shard_documents,
                            planned_rows=rows, workers=self.workers, **self.stream_options)

    def check(self) -> None:
        """Raises ValueError for settings that do not go together."""
        if self.reuse < 1 or (self.reuse > 1 and not self.prefetch):
            raise ValueError(f"config_reuse: rows are seen once, or more often with prefetch; got reuse {self.reuse}, "
                             f"prefetch {self.prefetch}")
        longest = ModelConfig(**self.model).max_position_embeddings
        if self.row_length > longest:
            raise ValueError(f"config_row_length: expected at most the model's {longest} positions, got {self.row_length}")
