"""A checkpoint as a Hugging Face directory, with golden logits for other engines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Dict, List, Optional, Sequence

import torch

from ..language import tokens as table
from . import checkpoint, safetensors
from .model import KINDS, TINY, Llama, ModelConfig

SHARD_BYTES = 15 << 20
GOLDEN_POSITIONS = 3
GOLDEN_DIGITS = 6
IMPLIED = ("attention_bias", "head_norms")
"""Fields of a shape that its kind implies: Hugging Face has none for them, or one that means more."""


def hugging_face_config(config: ModelConfig, about: dict) -> dict:
    """config.json of a causal LM of the shape's kind with tied embeddings; `about` is kept under "foretrace"."""
    shape = config.as_dict()
    for implied in IMPLIED:
        del shape[implied]
    return {
        "architectures": [f"{config.kind.capitalize()}ForCausalLM"],
        "model_type": config.kind,
        **shape,
        "hidden_act": "silu",
        "attention_bias": False,  # of all four projections: no kind has them
        "attention_dropout": 0.0,
        "mlp_bias": False,
        "rope_scaling": None,
        "initializer_range": 0.02,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "use_cache": True,
        "bos_token_id": table.PROGRAM,
        "eos_token_id": table.END,
        "pad_token_id": table.PAD,
        "foretrace": about,
    }


def write_model(directory: Path, config: ModelConfig, weights: Dict[str, torch.Tensor], about: dict) -> List[str]:
    """Writes config.json, tokenizer.json and bf16 safetensors; returns the names of the weight files."""
    directory.mkdir(parents=True, exist_ok=True)
    for old in list(directory.glob("model*.safetensors")) + list(directory.glob("model.safetensors.index.json")):
        old.unlink()
    text = json.dumps(hugging_face_config(config, about), indent=2)
    (directory / "config.json").write_text(text + "\n")
    (directory / "tokenizer.json").write_text(json.dumps(table.tokenizer_json(), ensure_ascii=False, indent=0) + "\n")
    ordered = {name: weights[name].to(torch.bfloat16) for name in sorted(weights)}
    return safetensors.write_sharded(directory, ordered, SHARD_BYTES)


def read_model(directory: Path) -> Llama:
    """The exported model with its bf16 weights widened to fp32."""
    stored = json.loads((directory / "config.json").read_text())
    implied = dict(zip(IMPLIED, KINDS[stored["model_type"]]))
    model = Llama(ModelConfig(**{name: stored[name] for name in ModelConfig().as_dict() if name not in implied}, **implied))
    weights: Dict[str, torch.Tensor] = {}
    for path in sorted(directory.glob("model*.safetensors")):
        weights.update(safetensors.read(path))
    model.load_state_dict({name: value.float() for name, value in weights.items()})
    return model.eval()


def golden_contexts(count: int) -> List[List[int]]:
    """Token sequences of real contexts (program, keyframe, actions, deltas) from held-out programs, short ones first."""
    from ..corpus.programs import evaluation_sample, traced
    from .documents import document

    found, index = [], 0
    while len(found) < count:
        trace = traced(evaluation_sample(index))
        made = document(Random(index), trace, 512, 1) if trace is not None else None
        if made is not None and 40 * (len(found) + 1) < len(made) < 300:
            found.append([int(token) for token in made.tokens])
        index += 1
    return found


@torch.no_grad()
def golden(model: Llama, contexts: Sequence[Sequence[int]]) -> dict:
    """fp32 logits of whole rows at a few positions of each context: the middle, three quarters, the last."""
    cases = []
    for tokens in contexts:
        logits = model(torch.tensor([list(tokens)]))[0]
        positions = sorted({len(tokens) // 2, 3 * len(tokens) // 4, len(tokens) - 1})[:GOLDEN_POSITIONS]
        cases.append({"tokens": list(tokens), "positions": positions,
                      "logits": [[round(float(x), GOLDEN_DIGITS) for x in logits[p]] for p in positions]})
    return {"arithmetic": "float32 over bfloat16 weights", "positions_from": 0, "cases": cases}


def write_golden(path: Path, directory: Path, contexts: Sequence[Sequence[int]]) -> None:
    """Golden logits of the model exported to `directory`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(golden(read_model(directory), contexts), separators=(",", ":")) + "\n")


def export_tiny(directory: Path, config: ModelConfig = TINY, lengths: Sequence[int] = (5, 37, 130)) -> None:
    """A random-weight model for tests, by default of hidden 64, 2 layers, 4 heads on 2 key/value heads, with golden.json.

    Weights are drawn ten times wider than for training, so that attention and logits are far from uniform."""
    model = Llama(config, seed=7)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() == 2:
                value.mul_(10.0 if "embed" not in name else 25.0)
            else:
                part = name.partition("self_attn.")[2]  # those of queries, keys and values differ
                seed = len(name) + (ord(part[0]) if part else 0)
                value.add_(0.25 * torch.randn(value.shape, generator=torch.Generator().manual_seed(seed)))
    about = {"language_version": table.VERSION, "tokens_trained": 0, "recipe": "random", "purpose": "test"}
    write_model(directory, config, dict(model.state_dict()), about)
    source = Random(11)
    contexts = [[table.PROGRAM] + [source.randrange(table.SIZE) for _ in range(n - 1)] for n in lengths]
    write_golden(directory / "golden.json", directory, contexts)


def export_tiny_kinds(folder: Path) -> None:
    """The test models: that of a Llama, and a smaller one, with fewer golden logits, of each other kind."""
    export_tiny(folder / "model-tiny")
    for kind, implied in KINDS.items():
        if kind != "llama":
            config = replace(TINY, hidden_size=32, head_dim=16, **dict(zip(IMPLIED, implied)))
            export_tiny(folder / f"model-tiny-{kind}", config, (70,))


class MeanError(ValueError):
    """Weights that cannot be averaged; the text begins with a code."""


def mean_with(weights: Dict[str, torch.Tensor], directory: Path) -> Dict[str, torch.Tensor]:
    """The mean of these weights and those of an exported model, from which a run that ended went on (Wortsman et al., Model soups, ICML 2022).

    Raises MeanError: mean_unreadable, mean_shape (the two are not of one shape)."""
    try:
        other = dict(read_model(directory).state_dict())
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise MeanError(f"mean_unreadable: {directory}: expected an exported model, got {error!r}") from None
    ours, theirs = ({name: tuple(value.shape) for name, value in of.items()} for of in (weights, other))
    if ours != theirs:
        odd = sorted(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))[0]
        raise MeanError(f"mean_shape: {odd} of {directory}: expected {ours.get(odd)}, got {theirs.get(odd)}")
    return {name: (value.float() + other[name]) / 2 for name, value in weights.items()}


def export_state(state: dict, directory: Path, cpu_dtype: Optional[str] = None, averaged: Optional[Path] = None) -> dict:
    """Exports a training state; returns what is recorded about it.

    cpu_dtype: what engines take on a CPU unless told otherwise. averaged: a model of which and of the state's the mean is exported."""
    tokens = state["tokens"] + state["config"].get("initial_tokens", 0)
    about = {"language_version": table.VERSION, "tokens_trained": tokens, "recipe": state["recipe"]}
    if state["config"].get("stream_options", {}).get("workings"):
        about["workings"] = True
    if cpu_dtype is not None:
        about["cpu_dtype"] = cpu_dtype
    weights = state["model"]
    if averaged is not None:
        weights = mean_with(weights, averaged)
        of = json.loads((averaged / "config.json").read_text()).get("foretrace", {})
        about["averaged_with"] = {name: of.get(name) for name in ("tokens_trained", "recipe")}
    write_model(directory, ModelConfig(**state["config"]["model"]), weights, about)
    return about


def export_checkpoint(path: Path, directory: Path, cpu_dtype: Optional[str] = None, averaged: Optional[Path] = None) -> dict:
    """Exports a training checkpoint, see export_state."""
    return export_state(checkpoint.load(path), directory, cpu_dtype, averaged)
