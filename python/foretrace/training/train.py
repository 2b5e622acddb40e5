"""The training run behind `train_command`: updates, progress lines, probes, checkpoints, resuming."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Optional

import numpy
import torch

from .stream import Stream, StreamConfig, probe_rows
from . import checkpoint, cpu_step
from .batch import CLASS_NAMES, CONTEXT, Batch
from .model import Llama, ModelConfig
from .optimizer import Optimizer, learning_rate
from .probe import probe
from .torch_step import TorchStep


@dataclass
class TrainConfig:
    """Everything a run depends on. Token counts are tokens read, context included."""

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
    compiled: bool = False
    workers: int = 1
    row_length: int = 1024
    shard_documents: int = 96
    probe_transitions: int = 400
    probe_every: int = 2_000_000
    checkpoint_seconds: float = 300.0
    model: dict = field(default_factory=lambda: ModelConfig().as_dict())

    @staticmethod
    def read(path: Path) -> "TrainConfig":
        """From a JSON object; unknown fields are an error, missing ones take their defaults."""
        given = json.loads(path.read_text())
        unknown = set(given) - {f.name for f in fields(TrainConfig)}
        if unknown:
            raise ValueError(f"config_unknown_field: {path} may hold TrainConfig's fields, got {sorted(unknown)}")
        return TrainConfig(**given)

    def recipe_hash(self) -> str:
        """What the weights depend on besides the stream's code: a short hash for the exported config."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def stream(self) -> StreamConfig:
        rows = self.planned_tokens // self.row_length
        return StreamConfig(seed=self.seed, row_length=self.row_length, shard_documents=self.shard_documents,
                            planned_rows=rows, workers=self.workers)


class Run:
    """One training run in memory: model, optimizer, stream, counters."""

    def __init__(self, directory: Path, config: TrainConfig):
        self.directory, self.config = directory, config
        torch.set_num_threads(config.threads)
        self.model = Llama(ModelConfig(**config.model), config.seed).to(config.device)
        for value in self.model.parameters():
            value.grad = torch.zeros_like(value)
        fast = config.device == "cpu" and cpu_step.available(self.model)
        self.optimizer = Optimizer(self.model, config.optimizer, config.adam_rate, config.muon_rate,
                                   config.weight_decay, fast)
        self.tokens = 0
        self.seconds = 0.0
        self.position = (0, 0)
        path = directory / "checkpoint.pt"
        if path.exists():
            self._restore(checkpoint.load(path))
        self.step = (cpu_step.CpuStep(self.model) if fast
                     else TorchStep(self.model, config.row_length, compiled=config.compiled))
        self.stream: Optional[Stream] = None

    def _restore(self, state: dict) -> None:
        self.model.load_state_dict(state["model"])
        for name, value in state["optimizer"].items():
            self.optimizer.state[name].copy_(value)
        self.optimizer.steps = state["steps"]
        self.tokens, self.seconds, self.position = state["tokens"], state["seconds"], tuple(state["position"])

    def save(self) -> None:
        """Writes checkpoint.pt."""
        checkpoint.save(self.directory / "checkpoint.pt", {
            "model": self.model.state_dict(), "optimizer": self.optimizer.state, "steps": self.optimizer.steps,
            "tokens": self.tokens, "seconds": self.seconds, "position": list(self.position),
            "config": asdict(self.config), "recipe": self.config.recipe_hash(),
        })

    def update(self) -> dict:
        """One optimizer step; sums of loss and hits by token class."""
        config = self.config
        if self.stream is None:
            self.stream = Stream(config.stream(), self.position)
        count = config.late_batch_rows if self.tokens >= config.late_from else config.batch_rows
        rows = self.stream.take(count)
        batches = [Batch.of(rows[i : i + config.micro_rows], config.context_weight)
                   for i in range(0, count, config.micro_rows)]
        total = float(sum(b.weights.sum() for b in batches))
        for value in self.model.parameters():
            value.grad.zero_()
        loss, hits, seen = (numpy.zeros(len(CLASS_NAMES)) for _ in range(3))
        for batch in batches:
            losses, hit = self.step.gradients(batch, total)
            loss += numpy.bincount(batch.classes, weights=losses.numpy(), minlength=len(CLASS_NAMES))
            hits += numpy.bincount(batch.classes, weights=hit.numpy(), minlength=len(CLASS_NAMES))
            seen += numpy.bincount(batch.classes, minlength=len(CLASS_NAMES))
        rate = learning_rate(self.tokens, config.warmup_tokens, config.decay_from, config.decay_tokens)
        norm = self.optimizer.step(rate, config.clip)
        self.step.refresh()
        self.position = self.stream.position
        self.tokens += sum(len(b.tokens) for b in batches)
        return {"loss": loss, "hits": hits, "seen": seen, "norm": norm, "rate": rate}

    def finished(self) -> bool:
        end = self.config.decay_from + self.config.decay_tokens
        return self.tokens >= (end if self.config.decay_from >= 0 else self.config.planned_tokens)

    def close(self) -> None:
        if self.stream:
            self.stream.close()


class Progress:
    """Sums between two progress lines."""

    def __init__(self) -> None:
        self.loss, self.hits, self.seen = (numpy.zeros(len(CLASS_NAMES)) for _ in range(3))

    def add(self, result: dict) -> None:
        self.loss += result["loss"]
        self.hits += result["hits"]
        self.seen += result["seen"]

    def summary(self) -> dict:
        real = [c for c in range(len(CLASS_NAMES)) if c != CONTEXT]
        classes = {CLASS_NAMES[c]: {"loss": round(self.loss[c] / self.seen[c], 4),
                                    "accuracy": round(self.hits[c] / self.seen[c], 4)}
                   for c in range(len(CLASS_NAMES)) if self.seen[c]}
        return {"loss": round(float(self.loss[real].sum() / self.seen[real].sum()), 4),
                "accuracy": round(float(self.hits[real].sum() / self.seen[real].sum()), 4),
                "supervised": int(self.seen[real].sum()), "classes": classes}


def _record(directory: Path, entry: dict) -> None:
    with open(directory / "log.jsonl", "a") as file:
        file.write(json.dumps(entry) + "\n")


def _line(entry: dict) -> str:
    classes = " ".join(f"{n} {c['loss']:.3f}/{c['accuracy']:.2f}" for n, c in entry["classes"].items())
    return (f"{entry['tokens'] / 1e6:8.2f}M {entry['tokens_per_s']:6.0f} tok/s loss {entry['loss']:.4f} "
            f"acc {entry['accuracy']:.3f} | {classes} | rate {entry['rate']:.3f} norm {entry['norm']:.2f}")


def train(directory: Path, config: TrainConfig, stop_tokens: Optional[int] = None) -> Run:
    """Trains until the budget (or `stop_tokens`) is reached or a signal asks to stop; returns the closed run."""
    run, asked = Run(directory, config), []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.append(True))
    held_out = probe_rows(config.stream(), config.probe_transitions)
    last_line = last_save = time.monotonic()
    line_tokens, progress = run.tokens, Progress()
    next_probe = (run.tokens // config.probe_every + 1) * config.probe_every
    try:
        while not asked and not run.finished() and (stop_tokens is None or run.tokens < stop_tokens):
            began = time.monotonic()
            result = run.update()
            progress.add(result)
            now = time.monotonic()
            run.seconds += now - began
            if now - last_line >= 20:
                entry = {"kind": "train", "tokens": run.tokens, "seconds": round(run.seconds, 1),
                         "steps": run.optimizer.steps, "tokens_per_s": (run.tokens - line_tokens) / (now - last_line),
                         "rate": result["rate"], "norm": result["norm"], **progress.summary()}
                _record(directory, entry)
                print(_line(entry), flush=True)
                last_line, line_tokens, progress = now, run.tokens, Progress()
            if run.tokens >= next_probe:
                next_probe += config.probe_every
                entry = {"kind": "probe", "tokens": run.tokens, "seconds": round(run.seconds, 1),
                         **probe(run.step, held_out, config.micro_rows)}
                _record(directory, entry)
                print("probe " + json.dumps(entry), flush=True)
            if now - last_save >= config.checkpoint_seconds:
                run.save()
                last_save = time.monotonic()
        run.save()
    finally:
        run.close()
    print(f"stopped at {run.tokens} tokens, {'asked to' if asked else 'budget used'}", flush=True)
    return run
