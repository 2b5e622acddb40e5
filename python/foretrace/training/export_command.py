"""`python -m foretrace export`: a checkpoint as a Hugging Face directory, with golden logits for other engines."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from pickle import UnpicklingError

from .train_command import DONE, FAILED, TORCH_MISSING


def main(arguments: list) -> int:
    """Run the command. Returns 0 (done), 1 (failed); exits with 2 on wrong usage."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not options.tiny and (options.checkpoint is None or options.out is None):
        parser.error("expected a checkpoint and --out, or --tiny")
    try:
        from . import export
    except ModuleNotFoundError as error:
        print(f"foretrace export: {TORCH_MISSING} {error.name}", file=sys.stderr)
        return FAILED
    if options.tiny:
        root = Path(__file__).resolve().parents[3]
        export.export_tiny_kinds(options.out or root / "test" / "golden")
        return DONE
    try:
        about = export.export_checkpoint(options.checkpoint, options.out, options.cpu_dtype, options.mean_with)
    except export.MeanError as error:
        print(f"foretrace export: {error}", file=sys.stderr)
        return FAILED
    except (OSError, KeyError, EOFError, RuntimeError, UnpicklingError) as error:
        print(f"foretrace export: checkpoint_unreadable: {options.checkpoint}: {error}", file=sys.stderr)
        return FAILED
    if options.golden:
        export.write_golden(options.golden, options.out, export.golden_contexts(3))
    print(json.dumps({"out": str(options.out), **about}))
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foretrace export", description=__doc__)
    parser.add_argument("checkpoint", type=Path, nargs="?", help="checkpoint.pt of a run")
    parser.add_argument("--out", type=Path, help="directory of the model")
    parser.add_argument("--golden", type=Path, help="also write golden logits to this file")
    parser.add_argument("--cpu-dtype", choices=("fp32", "bf16", "int8"),
                        help="number format that the engine takes on a CPU unless told otherwise (default: the engine's choice)")
    parser.add_argument("--mean-with", type=Path, metavar="DIR",
                        help="export the mean of the checkpoint's weights and those of this model of the same shape")
    parser.add_argument("--tiny", action="store_true",
                        help="write the random test models (default to test/golden)")
    return parser
