"""The training run behind `train_command` and `recipe`: updates, progress lines, probes, checkpoints, resuming."""

from __future__ import annotations

import math
import signal
import time
from dataclasses import asdict
from pathlib import Path
from typing import Callable, List, NamedTuple, Optional

import numpy
import torch

from . import checkpoint, cpu_step, startup
from .batch import CLASS_NAMES, Batch, Padded, Row
from .loader import DirectLoader, ThreadedLoader
from .model import Llama, ModelConfig
from .optimizer import Optimizer
from .probe import ProbeSets
from .progress import Progress, line, peak_flops, probe_line, record, step_flops
from .schedule import Clock, learning_rate
from .stream import Stream
from .torch_step import TorchStep
from .train_config import TrainConfig

REWARM_UPDATES = 30  # after a start without the optimizer's moments the rate rises over so many updates
MOST_SKIPPED = 20  # updates in a row whose gradients are not finite
ENOUGH_TOKENS = 250_000.0  # a second on a GPU: a way of computing that reaches this is taken at once


class _DeviceBatch(NamedTuple):
    """All rows of an update, as they are and as rows of one length."""

    batch: Batch
    padded: Padded


class Run:
    """One training run in memory: model, optimizer, rows, counters."""

    def __init__(self, directory: Path, config: TrainConfig, state: Optional[dict] = None):
        """state: what to go on from if the directory holds no checkpoint (see `restore`)."""
        config.check()
        self.directory, self.config = directory, config
        torch.set_num_threads(config.threads)
        self.model = Llama(ModelConfig(**config.model), config.seed).to(config.device)
        for value in self.model.parameters():
            value.grad = torch.zeros_like(value)
        self.fast = config.device == "cpu" and cpu_step.available(self.model)
        self.optimizer = Optimizer(self.model, config.optimizer, config.adam_rate, config.muon_rate,
                                   config.weight_decay, self.fast)
        self.tokens, self.seconds, self.position = 0, 0.0, (0, 0)
        self.skipped = 0
        self.rewarm_from: Optional[int] = None
        path = directory / "checkpoint.pt"
        if path.exists():
            self.restore(checkpoint.load(path))
        elif state is not None:
            self.restore(state)
        self.step = self._made_step()
        self.loader = None

    def _made_step(self):
        config = self.config
        if self.fast:
            return cpu_step.CpuStep(self.model)
        if config.device == "cpu":
            return TorchStep(self.model, config.row_length)
        return None  # chosen by `prepare`

    def restore(self, state: dict) -> None:
        """Goes on from a state. Moments that it lacks begin at zero, and the rate rises again over some updates."""
        self.model.load_state_dict(state["model"])
        for name, value in self.optimizer.state.items():
            if name in state["optimizer"]:
                value.copy_(state["optimizer"][name])
            else:
                self.rewarm_from = state["steps"]
        self.optimizer.steps = state["steps"]
        self.tokens, self.seconds, self.position = state["tokens"], state["seconds"], tuple(state["position"])

    def state(self) -> dict:
        """Everything that `restore` takes, and the configuration."""
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state, "steps": self.optimizer.steps,
                "tokens": self.tokens, "seconds": self.seconds, "position": list(self.position),
                "config": asdict(self.config), "recipe": self.config.recipe_hash()}

    def save(self) -> None:
        """Writes checkpoint.pt."""
        checkpoint.save(self.directory / "checkpoint.pt", self.state())

    def prepare(self) -> None:
        """Starts the workers and chooses how to compute: on a GPU this compiles and takes up to some minutes."""
        if self.loader is None:
            config = self.config
            stream = Stream(config.stream(), self.position)
            self.loader = (ThreadedLoader(stream, self._collated, self.batch_rows(), config.reuse, config.pool_rows,
                                          config.seed)
                           if config.prefetch else DirectLoader(stream, self._collated))
        if self.step is None:
            config = self.config
            torch.backends.cuda.matmul.allow_tf32 = True
            self.step = startup.chosen_step(self.model, config.row_length, config.micro_rows, config.attention,
                                            None if config.compiled else False, enough=ENOUGH_TOKENS)

    def batch_rows(self) -> int:
        return self.config.late_batch_rows if self.tokens >= self.config.late_from else self.config.batch_rows

    def _collated(self, rows: List[Row]) -> list:
        """What `_gradients` takes. May run in a thread, before the step is chosen."""
        config = self.config
        if config.device != "cpu":
            batch = Batch.of(rows, config.context_weight)
            return [_DeviceBatch(batch, batch.padded_rows(config.row_length))]
        return [Batch.of(rows[i : i + config.micro_rows], config.context_weight)
                for i in range(0, len(rows), config.micro_rows)]

    def _gradients(self, batches: List[Batch], total: float) -> numpy.ndarray:
        """[3, classes]: losses, hits and positions by class."""
        sums = numpy.zeros((3, len(CLASS_NAMES)))
        for batch in batches:
            losses, hit = self.step.gradients(batch, total)
            for row, weights in enumerate((losses.numpy(), hit.numpy(), None)):
                sums[row] += numpy.bincount(batch.classes, weights=weights, minlength=len(CLASS_NAMES))
        return sums

    def _device_gradients(self, made: _DeviceBatch, total: float) -> numpy.ndarray:
        size, count = self.step.micro_rows, len(made.padded.tokens)
        padded = made.padded
        if count % size:
            padded = made.batch.padded_rows(self.config.row_length, count + -count % size)
        for first in range(0, count, size):
            self.step.accumulate(padded.part(first, first + size), total)
        return self.step.taken_sums()

    def update(self, factor: float = 1.0) -> dict:
        """One optimizer step at `factor` of the scheduled rate; sums of loss and hits by token class."""
        config = self.config
        self.prepare()
        made = self.loader.next(self.batch_rows())
        device = config.device != "cpu"
        batches = [made.batches[0].batch] if device else made.batches
        total = float(sum(b.weights.sum() for b in batches))
        for value in self.model.parameters():
            value.grad.zero_()
        loss, hits, seen = (self._device_gradients(made.batches[0], total) if device
                            else self._gradients(batches, total))
        rate = factor * learning_rate(self.tokens, config.warmup_tokens, config.decay_from, config.decay_tokens)
        if self.rewarm_from is not None:
            rate *= min(1.0, (self.optimizer.steps - self.rewarm_from + 1) / REWARM_UPDATES)
        norm = self.optimizer.step(rate, config.clip)
        self.skipped = 0 if math.isfinite(norm) else self.skipped + 1
        if self.skipped > MOST_SKIPPED:
            raise RuntimeError(f"diverged: gradients of {self.skipped} updates in a row are not finite")
        self.step.refresh()
        self.position = made.position
        tokens = sum(len(b.tokens) for b in batches)
        self.tokens += tokens
        return {"loss": loss, "hits": hits, "seen": seen, "norm": norm, "rate": rate, "fresh": made.fresh,
                "reused": made.reused, "flops": self._flops(batches, tokens)}

    def _flops(self, batches: list, tokens: int) -> float:
        shape = self.model.config
        pairs = sum(b.visible_pairs() for b in batches) if self.config.device != "cpu" else 0
        parameters = sum(p.numel() for p in self.model.parameters())
        return step_flops(parameters, shape.num_hidden_layers, shape.num_attention_heads * shape.head_dim, tokens, pairs)

    def finished(self) -> bool:
        end = self.config.decay_from + self.config.decay_tokens
        return self.tokens >= (end if self.config.decay_from >= 0 else self.config.planned_tokens)

    def close(self) -> None:
        """Ends the workers."""
        if self.loader:
            self.loader.close()


class _Reports:
    """Progress lines and probes of a run, at their times."""

    def __init__(self, run: Run, probes: ProbeSets):
        self.run, self.probes = run, probes
        self.peak = peak_flops(torch.cuda.get_device_name()) if run.config.device.startswith("cuda") else None
        self.next_probe = (run.tokens // run.config.probe_every + 1) * run.config.probe_every
        self._begin()

    def _begin(self) -> None:
        self.since, self.tokens, self.progress = time.monotonic(), self.run.tokens, Progress()
        self.waited = self.run.loader.waited if self.run.loader else 0.0

    def _entry(self, kind: str) -> dict:
        return {"kind": kind, "tokens": self.run.tokens, "seconds": round(self.run.seconds, 1)}

    def after_update(self, result: dict) -> None:
        run = self.run
        self.progress.add(result)
        passed = time.monotonic() - self.since
        if passed >= run.config.log_seconds:
            entry = {**self._entry("train"), "steps": run.optimizer.steps,
                     "tokens_per_s": (run.tokens - self.tokens) / passed, "rate": result["rate"], "norm": result["norm"],
                     **self.progress.summary(passed, run.loader.waited - self.waited, self.peak)}
            record(run.directory, entry)
            print(line(entry), flush=True)
            self._begin()
        if run.tokens >= self.next_probe:
            self.next_probe = (run.tokens // run.config.probe_every + 1) * run.config.probe_every
            self.probe()

    def probe(self) -> None:
        """Accuracy on the fixed rows; left out while those are still being made."""
        found = self.probes.results(self.run.step)
        if found is not None:
            entry = {**self._entry("probe"), **found}
            record(self.run.directory, entry)
            print(probe_line(entry), flush=True)


def train(directory: Path, config: TrainConfig, stop_tokens: Optional[int] = None, clock: Optional[Clock] = None,
          state: Optional[dict] = None, each_save: Optional[Callable[[Run], None]] = None) -> Run:
    """Trains until the budget (tokens, `stop_tokens`, the clock) is used or a signal asks to stop; returns the closed run.

    With a clock the planned tokens are no limit, and the run ends with a probe. each_save is called after every
    checkpoint on the way."""
    run, asked = Run(directory, config, state), []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: asked.append(True))
    probes = ProbeSets(config, background=config.device != "cpu")
    try:
        run.prepare()
        reports, last_save = _Reports(run, probes), time.monotonic()
        while not (asked or (clock.over() if clock else run.finished())
                   or (stop_tokens is not None and run.tokens >= stop_tokens)):
            began = time.monotonic()
            result = run.update(clock.factor() if clock else 1.0)
            run.seconds += time.monotonic() - began
            reports.after_update(result)
            if time.monotonic() - last_save >= config.checkpoint_seconds:
                run.save()
                if each_save:
                    each_save(run)
                last_save = time.monotonic()
        run.save()
        if clock:
            reports.probe()
    finally:
        run.close()
        probes.close()
    reason = "asked to" if asked else "time used" if clock and clock.over() else "budget used"
    print(f"stopped at {run.tokens} tokens, {reason}", flush=True)
    return run
