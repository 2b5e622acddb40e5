"""Written plans for whole trainings: model, data, schedule and what is kept, for a GPU lent by the minute and for a CPU.

h200: three runs of some minutes each on one H200. Runs 1 and 2 keep the rate, run 3 lets it fall to 0 by the clock, so
that it ends with a finished model however fast the machine was. What each number is for is said beside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Optional

from .model import TINY, ModelConfig
from .schedule import Clock
from .train_config import TrainConfig

# 24.1M parameters, 46 MiB in bf16: within what is shipped (64 MiB), a laptop's CPU reads it 40 times a second and more.
# The shape of SmolLM-like models at this size: width over depth 64, heads of 64 (what kernels are made for), half as
# many key and value heads, so that the key cache stays small; ffn 2.75 widths, a multiple of 128.
H200_MODEL = ModelConfig(hidden_size=512, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=4,
                         intermediate_size=1408)

RUNS = (1, 2, 3)
LAST_RUN = 3


@dataclass(frozen=True)
class Recipe:
    """A plan. margin: seconds at the end for the probe and the files; start: seconds until the decay may begin."""

    name: str
    config: TrainConfig
    margin: float
    start: float
    decay_share: float  # of the last run's time, the rate falls
    single: bool  # one run does it all

    def clock(self, run: int, minutes: float, started: float) -> Clock:
        """When this run's training ends, and from when its rate falls."""
        seconds = minutes * 60
        end = seconds - min(self.margin, 0.3 * seconds)
        if not self.single and run != LAST_RUN:
            return Clock(end, None, started)
        return Clock(end, max(end * (1 - self.decay_share), min(self.start, 0.3 * end)), started)


def h200(workers: Optional[int] = None) -> Recipe:
    """One H200 and the cores beside it: about 1 to 2 billion tokens in three runs of nine minutes."""
    config = TrainConfig(
        device="cuda",
        model=H200_MODEL.as_dict(),
        # Where the mixture of programs reaches its final form; the clock ends the runs.
        planned_tokens=600_000_000,
        # 131,072 tokens an update at first, when gradients agree, then 262,144: some 5,000 updates in all.
        batch_rows=128, late_batch_rows=256, late_from=60_000_000, micro_rows=128,
        warmup_tokens=10_000_000,
        optimizer="muon", muon_rate=0.02, adam_rate=2e-3, weight_decay=0.1,
        # All cores but one trace programs; when they cannot keep up, rows are seen up to four times.
        workers=workers or max(1, (os.cpu_count() or 2) - 1), threads=4, prefetch=True, reuse=4,
        probe_transitions=3000, probe_every=100_000_000, checkpoint_seconds=60.0, log_seconds=15.0)
    return Recipe("h200", config, margin=40.0, start=75.0, decay_share=1.0, single=False)


def cpu_overnight(workers: Optional[int] = None) -> Recipe:
    """Two cores and a night: the small model, with the decay in the last third."""
    config = TrainConfig(planned_tokens=120_000_000, workers=workers or 1, threads=os.cpu_count() or 2)
    return Recipe("cpu-overnight", config, margin=60.0, start=0.0, decay_share=0.35, single=True)


RECIPES = {"h200": h200, "cpu-overnight": cpu_overnight}


def tiny(recipe: Recipe) -> Recipe:
    """The same plan with a model and data for a rehearsal of seconds on any CPU, on the code path of the GPU."""
    config = replace(
        recipe.config, device="cpu:0", model=TINY.as_dict(), planned_tokens=2_000_000, batch_rows=4, late_batch_rows=8,
        late_from=6000, micro_rows=4, warmup_tokens=2000, row_length=512, workers=1, threads=1, reuse=3, prefetch=True,
        pool_rows=16, shard_documents=4, probe_transitions=12, probe_every=10_000, checkpoint_seconds=2.0,
        log_seconds=1.0, stream_options={"held_out_programs": 4})
    return replace(recipe, config=config, margin=10.0, start=0.0)


def planned(name: str, scale: str = "full", workers: Optional[int] = None, functions: str = "",
            function_share: Optional[float] = None) -> Recipe:
    """A recipe by its name and scale ("full" or "tiny"), with real functions from a file in its data and probes."""
    recipe = RECIPES[name](workers)
    if scale == "tiny":
        recipe = tiny(recipe)
    if functions:
        options = {**recipe.config.stream_options, "functions": functions}
        if function_share is not None:
            options["function_share"] = function_share
        recipe = replace(recipe, config=replace(recipe.config, stream_options=options, probe_functions=functions))
    return recipe
