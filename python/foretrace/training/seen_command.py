"""`python -m foretrace seen`: which programs a training run has drawn, for `corpus eval --unseen`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from pickle import UnpicklingError

from ..corpus.programs import write_hashes
from .train_command import DONE, FAILED, TORCH_MISSING


def main(arguments: list) -> int:
    """Run the command. Returns 0 (done), 1 (failed); exits with 2 on wrong usage."""
    parser = argparse.ArgumentParser(prog="foretrace seen", description=__doc__)
    parser.add_argument("run", type=Path, help="directory of a training run")
    parser.add_argument("--out", type=Path, required=True, help="the file of hashes to write")
    options = parser.parse_args(arguments)
    try:
        from .seen import seen_programs
    except ModuleNotFoundError as error:
        print(f"foretrace seen: {TORCH_MISSING} {error.name}", file=sys.stderr)
        return FAILED
    try:
        seen = seen_programs(options.run)
        write_hashes(options.out, seen.hashes)
    except (OSError, KeyError, EOFError, RuntimeError, ValueError, UnpicklingError) as error:
        print(f"foretrace seen: run_unreadable: {options.run}: {error}", file=sys.stderr)
        return FAILED
    print(f"{len(seen.hashes)} programs of {seen.shards} shards, {seen.tokens} tokens")
    return DONE
