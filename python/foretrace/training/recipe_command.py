"""`python -m foretrace recipe`: a whole training by a written plan, in one command for each run.

The command watches over the training: one that fails goes on from its last checkpoint, more carefully each time, and
when the time is up what there is gets written. Runs 1 and 2 leave state-*.safetensors for the next run in --out, run 3
a model directory. The run goes on from --work where that holds its exact state, else from the first --in that has one.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from .recipe_watch import watch
from .train_command import DONE, FAILED, TORCH_MISSING, USAGE


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
        return watch(options, arguments)
    from . import recipe_run

    try:
        recipe_run.run(options)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"foretrace recipe: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return USAGE if isinstance(error, ValueError) else FAILED
    return DONE


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
