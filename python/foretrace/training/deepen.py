"""More layers for a trained model: each new one copies the layer before it and at first adds nothing to the residual stream.

Its output matrices are zero, so that the deeper model computes what the shallow one did, and training goes on from there (block
expansion, as in LLaMA Pro, Wu et al., 2024).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Dict, Tuple

import torch

from .model import ModelConfig

_LAYER = re.compile(r"model\.layers\.(\d+)\.(.+)")
_OUTPUTS = ("self_attn.o_proj.weight", "mlp.down_proj.weight")


def deepened(weights: Dict[str, torch.Tensor], config: ModelConfig, layers: int) -> Tuple[Dict[str, torch.Tensor], ModelConfig]:
    """(weights, shape) with `layers` layers, the new ones spread evenly among the old.

    Raises ValueError (layers_count) unless there are at least as many as before, and at most twice as many."""
    old = config.num_hidden_layers
    if not old <= layers <= 2 * old:
        raise ValueError(f"layers_count: expected {old} to {2 * old} layers, got {layers}")
    made = {name: value for name, value in weights.items() if not _LAYER.match(name)}
    place = 0
    for layer in range(old):
        parts = {match[2]: value for name, value in weights.items() if (match := _LAYER.match(name)) and int(match[1]) == layer}
        copies = (layer + 1) * (layers - old) // old - layer * (layers - old) // old
        for copy in range(1 + copies):
            for part, value in parts.items():
                silent = copy > 0 and part in _OUTPUTS
                made[f"model.layers.{place}.{part}"] = torch.zeros_like(value) if silent else value.clone()
            place += 1
    return made, replace(config, num_hidden_layers=layers)
