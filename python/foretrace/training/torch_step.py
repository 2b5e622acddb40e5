"""Loss and gradients with PyTorch's autograd: the GPU implementation, and the reference of `cpu_step` elsewhere."""

from __future__ import annotations

import torch
from torch.nn import functional

from .batch import Batch
from .model import Llama


class TorchStep:
    """Same interface as `cpu_step.CpuStep`; rows are padded to `row_length`, attention takes a dense mask."""

    def __init__(self, model: Llama, row_length: int, micro_tokens: int = 32768, compiled: bool = False):
        self.model, self.row_length, self.micro_tokens = model, row_length, micro_tokens
        self.device = model.model.embed_tokens.weight.device
        self.states = torch.compile(model.hidden) if compiled else model.hidden

    def refresh(self) -> None:
        """Nothing to do: autocast reads the master weights."""

    def _predicted(self, batch: Batch, index):
        tokens, positions, mask = (torch.from_numpy(a).to(self.device) for a in batch.padded(self.row_length))
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
            hidden = self.states(tokens, positions, mask).reshape(-1, self.model.config.hidden_size)
            return self.model.logits(hidden[torch.from_numpy(index).to(self.device)]).float()

    @torch.no_grad()
    def logits(self, batch: Batch, positions) -> torch.Tensor:
        """Logits [p, vocab_size] fp32 at some of the batch's `predict` positions (indices into `batch.tokens`)."""
        chosen = Batch(**{**batch.__dict__, "predict": positions})
        return self._predicted(batch, chosen.padded_index(self.row_length)).cpu()

    def gradients(self, batch: Batch, weight_sum: float):
        """Adds gradients of sum(weight * loss) / weight_sum; returns (loss, hit) for each predicted position."""
        logits = self._predicted(batch, batch.padded_index(self.row_length))
        targets = torch.from_numpy(batch.targets).to(self.device)
        loss = functional.cross_entropy(logits, targets, reduction="none")
        ((loss * torch.from_numpy(batch.weights).to(self.device)).sum() / weight_sum).backward()
        return loss.detach().cpu(), (logits.argmax(-1) == targets).to(torch.uint8).cpu()
