"""`python -m foretrace recipe`: a whole training by a written plan, in one command for each run.

The command watches over the training: one that fails goes on from its last checkpoint, more carefully each time, and
when the time is up what there is gets written. Runs 1 and 2 leave state-*.safetensors for the next run in --out, run 3
a model directory. The run goes on from --work where that holds its exact state, else from the first --in that has one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import List

from .train_command import DONE, FAILED, TORCH_MISSING, USAGE

ATTEMPTS = ({}, {}, {"attention": "sdpa", "compiled": False}, {"attention": "dense", "compiled": False})
LEAST_SECONDS = 45.0  # with less left, a failed training is not begun again
LAST_SECONDS = 12.0  # before the end the training is stopped from outside
FINISHED = "finished.json"


def main(arguments: list) -> int:
    """Run the command. Returns 0 (done), 1 (failed) or 2 (usage)."""
    options = _parser().parse_args(arguments)
    try:
        import numpy  # noqa: F401
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        print(f"foretrace recipe: {TORCH_MISSING} {error.name}", file=sys.stderr)
        return FAILED
    if options.work is None:
        options.work = Path(__file__).resolve().parents[3] / "build" / f"recipe-{options.name}-{options.scale}"
    if options.role == "watch":
        return _watch(options, arguments)
    from . import recipe_run

    try:
        recipe_run.run(options)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"foretrace recipe: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return USAGE if isinstance(error, ValueError) else FAILED
    return DONE


def _watch(options, arguments: List[str]) -> int:
    """Starts the training as a process, again where it fails, and finishes its files when it cannot."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(FAILED))  # so that the training is ended, too
    started = options.started or time.time()
    options.work.mkdir(parents=True, exist_ok=True)
    (options.work / FINISHED).unlink(missing_ok=True)
    end = started + options.minutes * 60

    def start(role: str, limit: float, extra: dict) -> int:
        command = [sys.executable, "-m", "foretrace", "recipe", *arguments, "--role", role, "--started", str(started),
                   "--work", str(options.work), "--override", json.dumps({**options.override, **extra})]
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1",
                       "TORCHINDUCTOR_CACHE_DIR": str(options.work.resolve() / "compiled")}
        # A group of its own, so that nothing that it started outlives it: a process left over would hold our output open.
        process = subprocess.Popen(command, env=environment, preexec_fn=os.setpgrp)
        try:
            return process.wait(max(1.0, limit))
        except subprocess.TimeoutExpired:
            print("recipe: the time is up, stopping the training", flush=True)
            return FAILED
        finally:
            _end_group(process)

    for attempt, extra in enumerate(ATTEMPTS):
        left = end - time.time()
        if attempt and left < LEAST_SECONDS * min(1.0, options.minutes / 5):
            break
        status = start("train", left - min(LAST_SECONDS, 0.1 * options.minutes * 60), extra)
        if status == DONE and (options.work / FINISHED).exists():
            return DONE
        if status == USAGE:
            return USAGE
        print(f"recipe: training ended with status {status}, {end - time.time():.0f} s are left", flush=True)
    if (options.work / "checkpoint.pt").exists():
        start("finish", 60.0, {"device": "cpu"})
        return DONE if (options.work / FINISHED).exists() else FAILED
    return FAILED


def _end_group(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foretrace recipe", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=("h200", "cpu-overnight"))
    parser.add_argument("--run", type=int, choices=(1, 2, 3), default=3,
                        help="which of the three runs (default 3: it may also be the first, for a training of one run)")
    parser.add_argument("--in", type=Path, action="append", default=[], dest="sources", metavar="DIR",
                        help="where an earlier run's state may lie; may be given more than once")
    parser.add_argument("--out", type=Path, required=True, help="what is to be kept: states, or in run 3 the model")
    parser.add_argument("--minutes", type=float, required=True, help="how long the whole command may take")
    parser.add_argument("--tokens", type=int, help="end after so many tokens, if that comes first")
    parser.add_argument("--started", type=float, help="when the minutes began (seconds since 1970; default now)")
    parser.add_argument("--work", type=Path, help="the run's directory (default build/recipe-NAME-SCALE)")
    parser.add_argument("--functions", default="", metavar="FILE", help="real functions for the data and the probes")
    parser.add_argument("--function-share", type=float, help="share of programs drawn from them")
    parser.add_argument("--workers", type=int, help="tracing processes (default all cores but one)")
    parser.add_argument("--budget-mib", type=float, default=44.0, help="how large a state may be")
    parser.add_argument("--scale", choices=("full", "tiny"), default="full", help="tiny: a rehearsal on a CPU")
    parser.add_argument("--role", choices=("watch", "train", "finish"), default="watch", help=argparse.SUPPRESS)
    parser.add_argument("--override", type=json.loads, default={}, help="JSON of TrainConfig's fields that differ")
    return parser
