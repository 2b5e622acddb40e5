"""One run of a recipe in its own process: check, restore, train by the clock, write what is kept, say what came out."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import time
from dataclasses import replace
from typing import Optional

import torch

from . import checkpoint, export, shards
from .progress import probe_line, record
from .recipe import LAST_RUN, Recipe, planned
from .recipe_watch import FINISHED
from .train import Run, train
from .train_config import TrainConfig

STATE_EVERY = 150.0  # seconds between states written to --out on the way


def environment(device: str) -> dict:
    """What the run computes on. Raises RuntimeError (no_cuda) where a GPU is asked for and none works."""
    found = {"python": platform.python_version(), "torch": torch.__version__, "cores": os.cpu_count(),
             "compiler": shutil.which("gcc") or shutil.which("cc"),
             "disk_free_gib": shutil.disk_usage(".").free >> 30}
    if not device.startswith("cuda"):
        return found
    if not torch.cuda.is_available():
        raise RuntimeError(f"no_cuda: the recipe needs a GPU that PyTorch can use, found {found}")
    properties = torch.cuda.get_device_properties(0)
    product = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
    if not torch.isfinite((product @ product).float().sum()):
        raise RuntimeError("no_cuda: a bf16 product of random numbers is not finite")
    return {**found, "gpu": properties.name, "memory_gib": properties.total_memory >> 30, "cuda": torch.version.cuda}


def starting_state(options, config: TrainConfig) -> Optional[dict]:
    """The state of the first --in that has one, or None. Raises ValueError (recipe_shape) for one of another model."""
    source = shards.found(options.sources)
    if source is None:
        return None
    state = shards.read(source)
    if state["config"]["model"] != config.model:
        raise ValueError(f"recipe_shape: {source} holds {state['config']['model']}, expected {config.model}")
    log = source / "log.jsonl"
    if log.exists() and not (options.work / "log.jsonl").exists():
        shutil.copyfile(log, options.work / "log.jsonl")
    lost = "" if state["optimizer"] else ", without the optimizer's moments"
    print(f"recipe: goes on from {source}: {state['tokens'] / 1e6:.1f}M tokens{lost}", flush=True)
    return state


class _States:
    """States written to --out on the way, so that a run that is cut off leaves one."""

    def __init__(self, options):
        self.options, self.last = options, time.monotonic()

    def __call__(self, run: Run) -> None:
        if time.monotonic() - self.last >= min(STATE_EVERY, 20 * self.options.minutes):
            self.last = time.monotonic()
            kept(self.options, run.state())


def kept(options, state: dict) -> dict:
    """Writes a state and the log to --out, the exact form if it fits the budget."""
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    found = shards.write(options.out, state, int(options.budget_mib * (1 << 20)))
    copy_log(options)
    print(f"recipe: state of {state['tokens'] / 1e6:.1f}M tokens in {options.out}: {found['bytes'] / 2**20:.1f} MiB, "
          f"{len(found['files'])} files, bytes a number {found['level']}, {time.monotonic() - began:.1f} s", flush=True)
    return found


def copy_log(options) -> None:
    """log.jsonl beside what is kept: it holds every progress line and probe of all runs."""
    if (options.work / "log.jsonl").exists():
        shutil.copyfile(options.work / "log.jsonl", options.out / "log.jsonl")


def finish(options, recipe: Recipe, state: dict) -> None:
    """Writes what this run leaves, and the file that says it did."""
    options.out.mkdir(parents=True, exist_ok=True)
    if recipe.single or options.run == LAST_RUN:
        for old in options.out.glob(shards.PATTERN):
            old.unlink()
        about = export.export_state(state, options.out)
        copy_log(options)
        size = sum(path.stat().st_size for path in options.out.glob("*"))
        print(f"recipe: model in {options.out}: {size / 2**20:.1f} MiB, {about}", flush=True)
    else:
        kept(options, state)
    (options.work / FINISHED).write_text(json.dumps({"run": options.run, "tokens": state["tokens"]}) + "\n")


def _last_probe(options) -> str:
    lines = (options.work / "log.jsonl").read_text().splitlines() if (options.work / "log.jsonl").exists() else []
    probes = [entry for entry in map(json.loads, lines) if entry["kind"] == "probe"]
    return probe_line(probes[-1]) if probes else "no probe was made"


def run(options) -> None:
    """The whole run. Raises RuntimeError, OSError, ValueError with coded texts."""
    started = options.started or time.time()
    recipe = planned(options.name, options.scale, options.workers, options.functions, options.function_share)
    config = replace(recipe.config, **options.override)
    clock = recipe.clock(options.run, options.minutes, started)
    options.work.mkdir(parents=True, exist_ok=True)
    exact = options.work / "checkpoint.pt"
    if options.role == "finish":
        finish(options, recipe, checkpoint.load(exact))
        return
    print(f"recipe {recipe.name} run {options.run}: {json.dumps(environment(config.device))}", flush=True)
    if exact.exists():
        print(f"recipe: goes on exactly from {exact}", flush=True)
    state = None if exact.exists() else starting_state(options, config)
    config.write(options.work)
    record(options.work, {"kind": "run", "run": options.run, "minutes": options.minutes, "override": options.override})
    each = None if recipe.single or options.run == LAST_RUN else _States(options)
    begun = checkpoint.load(exact)["tokens"] if exact.exists() else state["tokens"] if state else 0
    stop = begun + options.tokens if options.tokens else None
    trained = train(options.work, config, stop, clock, state, each)
    finish(options, recipe, trained.state())
    print(f"recipe {recipe.name} run {options.run}: {trained.tokens / 1e6:.1f}M tokens, {trained.optimizer.steps} updates, "
          f"{time.time() - started:.0f} s of {options.minutes * 60:.0f}\n{_last_probe(options)}", flush=True)
    sys.stdout.flush()
