"""`python -m foretrace train`: trains the model on freshly traced programs until its token budget is used.

A run lives in one directory: config.json, checkpoint.pt (the newest state), log.jsonl. Starting the same command
again resumes it exactly; SIGTERM or SIGINT writes a checkpoint and stops. With --from a new run starts from the weights
of a Llama in Hugging Face's format, at a quarter of the learning rates unless --config gives others.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .train import TrainConfig

DONE, FAILED, USAGE = 0, 1, 2
FINE_TUNING_RATE = 0.25
TORCH_MISSING = "torch_missing: expected PyTorch and NumPy (Debian packages python3-torch, python3-numpy), no module"


def main(arguments: list) -> int:
    """Run the command. Returns 0 (done, also when a signal stopped it), 1 (failed) or 2 (usage)."""
    options = _parser().parse_args(arguments)
    try:
        from .train import train
    except ModuleNotFoundError as error:
        print(f"foretrace train: {TORCH_MISSING} {error.name}", file=sys.stderr)
        return FAILED
    try:
        if options.layers is not None and options.initial is None:
            raise ValueError(f"layers_without_from: expected --from with --layers, got --layers {options.layers} alone")
        config = _load_config(options.out, options.config)
        initial = _plan_fine_tuning(config, options) if options.initial is not None else None
        for name in ("threads", "workers", "probe_functions", "reuse"):
            if getattr(options, name) is not None:
                setattr(config, name, getattr(options, name))
        config.prefetch = config.prefetch or config.reuse > 1
        config.check()
        if options.decay_tokens is not None:
            _plan_decay(config, options.out / "checkpoint.pt", options.decay_tokens)
    except (OSError, ValueError, TypeError) as error:
        print(f"foretrace train: {error}", file=sys.stderr)
        return USAGE
    try:
        config.write(options.out)
        train(options.out, config, options.stop_tokens, state=initial)
    except (OSError, RuntimeError) as error:
        print(f"foretrace train: {error}", file=sys.stderr)
        return FAILED
    return DONE


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"a positive number is expected, not {text}")
    return number


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foretrace train", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="directory of the run")
    parser.add_argument("--config", type=Path, help="JSON with TrainConfig's fields (a new run only)")
    parser.add_argument("--stop-tokens", type=_count, help="stop, with a checkpoint, at this many tokens")
    parser.add_argument("--decay-tokens", type=_count,
                        help="decay the learning rate to 0 over the next N tokens, then end; given again, the decay goes on")
    parser.add_argument("--from", type=Path, dest="initial", metavar="DIR",
                        help="fine-tune the Llama in this directory (a new run only)")
    parser.add_argument("--layers", type=_count, help="with --from: make it so deep; the new layers change nothing at first")
    parser.add_argument("--probe-functions", metavar="FILE", help="also probe the held-out functions of this file")
    parser.add_argument("--reuse", type=_count, help="when rows are short, train on each up to so many times")
    parser.add_argument("--threads", type=_count)
    parser.add_argument("--workers", type=_count)
    return parser


def _load_config(directory: Path, given: Optional[Path]) -> TrainConfig:
    from .train import TrainConfig

    stored = directory / "config.json"
    if stored.exists():
        if given is not None:
            raise ValueError(f"config_fixed: {stored} exists; a run keeps its configuration")
        return TrainConfig.read(stored)
    return TrainConfig.read(given) if given else TrainConfig()


def _plan_fine_tuning(config: TrainConfig, options) -> Optional[dict]:
    """The state that a run begins with, its shape put into the configuration; None for a run that has begun."""
    from .finetune import initial_state, tokens_seen

    if (options.out / "checkpoint.pt").exists():
        return None
    state, config.model = initial_state(options.initial, config.seed, options.layers)
    begun, config.initial = bool(config.initial), str(options.initial)
    config.initial_tokens = tokens_seen(options.initial)
    if options.config is None and not begun:
        config.adam_rate *= FINE_TUNING_RATE
        config.muon_rate *= FINE_TUNING_RATE
    return state


def _plan_decay(config: TrainConfig, state: Path, tokens: int) -> None:
    """Let the decay begin at the checkpoint; one that has begun goes on as planned, so that a resumed run is exact."""
    from . import checkpoint

    if config.decay_from >= 0:
        if config.decay_tokens != tokens:
            raise ValueError(f"decay_fixed: the run decays over {config.decay_tokens} tokens, got {tokens}")
        return
    config.decay_from = checkpoint.load(state)["tokens"] if state.exists() else 0
    config.decay_tokens = tokens
