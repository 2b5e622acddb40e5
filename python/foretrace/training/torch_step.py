"""Loss and gradients with PyTorch's autograd: the GPU implementation, and the reference of `cpu_step` elsewhere."""

from __future__ import annotations

from typing import Callable, Optional

import numpy
import torch

from . import attention
from .batch import CLASS_NAMES, Batch, Padded
from .fast_model import FastModel
from .model import Llama


def product_type(device: torch.device) -> torch.dtype:
    """bf16 on a GPU; fp32 elsewhere, where this step is the reference."""
    return torch.bfloat16 if device.type == "cuda" else torch.float32


class TorchStep:
    """Same interface as `cpu_step.CpuStep`, and `accumulate`, which leaves its sums on the device.

    Rows are padded to `row_length`, and micro-batches to `micro_rows` rows (0: as they come), because compiled code
    and the block masks want shapes that stay."""

    def __init__(self, model: Llama, row_length: int, micro_rows: int = 0, kernel: Optional[attention.Kernel] = None,
                 compile: Optional[Callable] = None):
        self.model, self.row_length, self.micro_rows = model, row_length, micro_rows
        self.device = model.model.embed_tokens.weight.device
        dtype = product_type(self.device)
        self.kernel = kernel or attention.kernel("dense", dtype)
        self.fast = FastModel(model, self.kernel, dtype, compile)
        self.sums = torch.zeros(3, len(CLASS_NAMES), device=self.device)
        self.class_range = torch.arange(len(CLASS_NAMES), device=self.device)

    def refresh(self) -> None:
        """Nothing to do: every pass reads the master weights."""

    def _moved(self, array: numpy.ndarray) -> torch.Tensor:
        tensor = torch.from_numpy(numpy.ascontiguousarray(array))
        if self.device.type == "cuda":
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor

    def _states(self, rows: Padded):
        numbers = self._moved(numpy.stack((rows.tokens, rows.positions, rows.start, rows.first, rows.end))).long()
        mask = self.kernel.mask(*numbers[2:])
        return self.fast.states(numbers[0], numbers[1], mask)

    def _losses(self, rows: Padded, weight_sum: float):
        """Runs forward and backward; returns (losses, hits, classes) [r * n] on the device."""
        x = self._states(rows)
        marks = self._moved(numpy.stack((rows.targets, rows.classes))).long().reshape(2, -1)
        weights = self._moved(rows.weights).reshape(-1) / weight_sum
        total, losses, hits = self.fast.loss(x, marks[0], weights)
        total.backward()
        return losses, hits, marks[1]

    def logits(self, batch: Batch, positions) -> torch.Tensor:
        """Logits [p, vocab_size] fp32 at some positions of a batch, on the CPU."""
        chosen = Batch(**{**batch.__dict__, "predict": numpy.asarray(positions)}).padded_index(self.row_length)
        # With gradients on, although none are wanted: compiled code for the other mode would be compiled anew.
        with torch.set_grad_enabled(self.device.type == "cuda"):
            x = self._states(batch.padded_rows(self.row_length, self.micro_rows))
            flat = x.detach().reshape(-1, x.shape[-1])
        with torch.no_grad():
            return self.fast.logits(flat[torch.from_numpy(chosen).to(self.device)]).cpu()

    def gradients(self, batch: Batch, weight_sum: float):
        """Adds gradients of sum(weight * loss) / weight_sum; returns (loss, hit) for each predicted position."""
        losses, hits, _ = self._losses(batch.padded_rows(self.row_length, self.micro_rows), weight_sum)
        at = torch.from_numpy(batch.padded_index(self.row_length)).to(self.device)
        return losses[at].cpu(), hits[at].to(torch.uint8).cpu()

    def accumulate(self, rows: Padded, weight_sum: float) -> None:
        """Adds gradients as `gradients` does, and the sums by class of losses, hits and positions to `sums`."""
        losses, hits, classes = self._losses(rows, weight_sum)
        with torch.no_grad():
            member = (classes[:, None] == self.class_range).float()
            self.sums += torch.stack((losses, hits, torch.ones_like(losses))) @ member

    def taken_sums(self) -> numpy.ndarray:
        """[3, classes] of (losses, hits, positions) since the last call. Waits for the device."""
        found = self.sums.cpu().numpy().astype(numpy.float64)
        self.sums.zero_()
        return found
