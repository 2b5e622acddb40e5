"""AdamW for embeddings and norms, Muon or AdamW for the matrices between them.

Muon (Jordan et al., 2024) steps along the nearest orthogonal matrix to the momentum, found by five Newton-Schulz
iterations in bf16.
"""

from __future__ import annotations

import ctypes
import math
from typing import Dict, List

import torch

from . import native

_STEPS = ((3.4445, -4.7750, 2.0315),) * 5


def orthogonalized(matrices: torch.Tensor) -> torch.Tensor:
    """matrices [b, m, n] -> about U V^T of each, fp32 (quintic Newton-Schulz; singular values end in 0.7..1.2)."""
    wide = matrices.shape[1] <= matrices.shape[2]
    x = matrices if wide else matrices.transpose(1, 2)
    x = (x / (x.flatten(1).norm(dim=1)[:, None, None] + 1e-7)).to(torch.bfloat16).contiguous()
    for a, b, c in _STEPS:
        square = torch.bmm(x, x.transpose(1, 2))
        x = a * x + torch.bmm(b * square + c * torch.bmm(square, square), x)
    x = x.float()
    return x if wide else x.transpose(1, 2)


class Optimizer:
    """Steps a `Llama`'s parameters from their `.grad`. `rate` scales both learning rates (1 = peak)."""

    def __init__(self, model, kind: str, adam_rate: float, muon_rate: float, weight_decay: float, use_kernels: bool):
        if kind not in ("adamw", "muon"):
            raise ValueError(f"optimizer_unknown: optimizer must be adamw or muon, got {kind}")
        self.parameters: Dict[str, torch.nn.Parameter] = dict(model.named_parameters())
        self.adam_rate, self.muon_rate, self.weight_decay = adam_rate, muon_rate, weight_decay
        self.use_kernels = use_kernels
        self.steps = 0
        hidden = [n for n, p in self.parameters.items() if p.dim() == 2 and "embed" not in n]
        self.muon: List[str] = hidden if kind == "muon" else []
        self.adam = [n for n in self.parameters if n not in set(self.muon)]
        self.groups: Dict[tuple, List[str]] = {}
        for name in self.muon:
            self.groups.setdefault(tuple(self.parameters[name].shape), []).append(name)
        self.state: Dict[str, torch.Tensor] = {}
        for name, value in self.parameters.items():
            self.state[name + ".mean"] = torch.zeros_like(value)
            if name in self.adam:
                self.state[name + ".square"] = torch.zeros_like(value)

    @torch.no_grad()
    def step(self, rate: float, clip: float) -> float:
        """One update with gradients clipped to the global norm `clip`; returns the norm before clipping.

        Where the norm is not finite nothing is changed."""
        norm = torch.stack([p.grad.square().sum() for p in self.parameters.values()]).sum().sqrt().item()
        if not math.isfinite(norm):
            return norm
        scale = min(1.0, clip / (norm + 1e-6))
        self.steps += 1
        for name in self.adam:
            self._adam(name, rate, scale)
        for shape, names in self.groups.items():
            self._muon(shape, names, rate, scale)
        return norm

    def _adam(self, name: str, rate: float, scale: float) -> None:
        value = self.parameters[name]
        mean, square = self.state[name + ".mean"], self.state[name + ".square"]
        decay = self.weight_decay if value.dim() == 2 and "embed" not in name else 0.0
        first, second, lr = 1 - 0.9**self.steps, 1 - 0.95**self.steps, self.adam_rate * rate
        if self.use_kernels:
            native.call("adamw", value.detach(), value.grad, mean, square, ctypes.c_long(value.numel()), lr, 0.9, 0.95,
                        1e-8, decay, first, second, scale)
            return
        slope = value.grad * scale
        mean.mul_(0.9).add_(slope, alpha=0.1)
        square.mul_(0.95).addcmul_(slope, slope, value=0.05)
        value.mul_(1 - lr * decay).addcdiv_(mean / first, (square / second).sqrt_().add_(1e-8), value=-lr)

    def _muon(self, shape: tuple, names: List[str], rate: float, scale: float) -> None:
        directions = []
        for name in names:
            slope, mean = self.parameters[name].grad * scale, self.state[name + ".mean"]
            mean.lerp_(slope, 0.05)
            directions.append(slope.lerp(mean, 0.95))  # Nesterov
        lr = self.muon_rate * rate
        spread = max(1.0, shape[0] / shape[1]) ** 0.5
        for name, direction in zip(names, orthogonalized(torch.stack(directions))):
            self.parameters[name].mul_(1 - self.adam_rate * rate * self.weight_decay).add_(
                direction, alpha=-lr * spread)
