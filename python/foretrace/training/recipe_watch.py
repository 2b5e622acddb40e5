"""Watches over the training of a recipe: starts it as a process, again where it fails, and finishes its files when it cannot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import List

from .train_command import DONE, FAILED, USAGE

ATTEMPTS = ({}, {}, {"attention": "sdpa", "compiled": False}, {"attention": "dense", "compiled": False})
LEAST_SECONDS = 45.0  # with less left, a failed training is not begun again
LAST_SECONDS = 12.0  # before the end the training is stopped from outside
FINISHED = "finished.json"  # a training that has written its files leaves it in its directory


def watch(options, arguments: List[str]) -> int:
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
