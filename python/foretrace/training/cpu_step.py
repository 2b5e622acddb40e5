"""Loss and gradients on the CPU: hand-written forward and backward passes of `model.Llama`.

Matrix products are bf16 in PyTorch with fp32 sums; everything between them is a fused kernel. Master weights, the
residual stream and all gradients of parameters are fp32. Documents attend without padding or a dense mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List

import torch

from . import native
from .batch import Batch
from .model import Llama

BF16 = torch.bfloat16
ROUND = 128
"""Batches are filled up to a multiple of this many tokens: a matrix product of a new shape costs a compilation.
The filling belongs to no document; its gradients are zero."""


def available(model: Llama) -> bool:
    """Whether the kernels can run this model here (processor, head size, widths; neither biases nor norms of heads)."""
    config = model.config
    return (config.kind == "llama" and config.head_dim == 64 and config.hidden_size % 16 == 0 and config.intermediate_size % 16 == 0
            and native.supported())


@dataclass
class _Layer:
    """bf16 weights of one layer, and what its forward pass leaves for the backward pass."""

    qkv: torch.Tensor
    out: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor
    saved: tuple = ()


class CpuStep:
    """Adds the gradients of a batch's mean weighted loss to the model's `.grad`s."""

    def __init__(self, model: Llama, micro_tokens: int = 4096):
        self.model = model
        self.config = model.config
        self.micro_tokens = micro_tokens
        self.columns = (self.config.vocab_size + 15) // 16 * 16
        self.cos, self.sin = model.cos.contiguous(), model.sin.contiguous()
        self.layers: List[_Layer] = []
        self.refresh()

    def refresh(self) -> None:
        """Rounds the master weights to bf16. To be called after every change of them."""
        self.layers = []
        for layer in self.model.model.layers:
            a, m = layer.self_attn, layer.mlp
            self.layers.append(_Layer(
                torch.cat((a.q_proj.weight, a.k_proj.weight, a.v_proj.weight)).detach().to(BF16),
                a.o_proj.weight.detach().to(BF16),
                torch.cat((m.gate_proj.weight, m.up_proj.weight)).detach().to(BF16),
                m.down_proj.weight.detach().to(BF16),
            ))
        table = self.model.model.embed_tokens.weight.detach()
        self.head = torch.zeros(self.columns, self.config.hidden_size, dtype=BF16)
        self.head[: self.config.vocab_size] = table.to(BF16)

    def _norm(self, x, added, weight):
        """(x + added, normalised bf16, 1 / rms); x [t, hidden_size] fp32."""
        total = torch.empty_like(x)
        out = torch.empty(x.shape, dtype=BF16)
        inverse = torch.empty(len(x))
        native.call("norm_forward", x, added, weight.detach(), float(self.config.rms_norm_eps), len(x), x.shape[1],
                    total, out, inverse)
        return total, out, inverse

    def _attention_shape(self):
        c = self.config
        return self.batch_segments, self.batch_documents, len(self.batch_documents) - 1, c.num_attention_heads, \
            c.num_key_value_heads, self.cos, self.sin

    def _begin(self, batch: Batch) -> None:
        self.batch_positions = torch.from_numpy(batch.positions)
        self.batch_segments = torch.from_numpy(batch.segments).contiguous()
        self.batch_documents = torch.from_numpy(batch.documents)
        self.real = len(batch.tokens)
        self.batch_tokens = torch.zeros(-(-self.real // ROUND) * ROUND, dtype=torch.int64)
        self.batch_tokens[: self.real] = torch.from_numpy(batch.tokens)

    def hidden(self, batch: Batch, wanted: torch.Tensor, keep: bool = False):
        """Final normalised states [w, hidden_size] bf16 of the tokens `wanted` [w], and (sum, inverse) of the last norm.

        Of the other tokens the last layer needs no more than keys and values: it leaves them after its attention."""
        c = self.config
        self._begin(batch)
        x = self.model.model.embed_tokens.weight.detach()[self.batch_tokens]
        added = None
        count = len(x)
        for module, layer in zip(self.model.model.layers, self.layers):
            x1, h1, r1 = self._norm(x, added, module.input_layernorm.weight)
            qkv = h1 @ layer.qkv.t()
            y = torch.empty(count, c.num_attention_heads * c.head_dim, dtype=BF16)
            y[self.real :] = 0
            lse = torch.empty(count, c.num_attention_heads)
            native.call("attention_forward", qkv, self.batch_positions, *self._attention_shape(), y, lse)
            is_last = layer is self.layers[-1]
            residual, mixed = (x1[wanted], y[wanted]) if is_last else (x1, y)
            x2, h2, r2 = self._norm(residual, mixed @ layer.out.t(), module.post_attention_layernorm.weight)
            gate_up = h2 @ layer.gate_up.t()
            active = torch.empty(len(x2), c.intermediate_size, dtype=BF16)
            native.call("gated_forward", gate_up, len(x2), c.intermediate_size, active)
            x, added = x2, active @ layer.down.t()
            if keep:
                layer.saved = (x1, h1, r1, qkv, y, lse, mixed, x2, h2, r2, gate_up, active)
        total, states, inverse = self._norm(x, added, self.model.model.norm.weight)
        return states, total, inverse

    def logits(self, batch: Batch, positions) -> torch.Tensor:
        """Logits [p, vocab_size] fp32 at some positions of a batch."""
        states, _, _ = self.hidden(batch, torch.as_tensor(positions))
        return (states @ self.head.t())[:, : self.config.vocab_size].float()

    def gradients(self, batch: Batch, weight_sum: float):
        """Adds gradients of sum(weight * loss) / weight_sum; returns (loss, hit) for each predicted position."""
        count = len(batch.predict)
        wanted, targets, scale = self._filled(batch, weight_sum)
        states, total, inverse = self.hidden(batch, wanted, keep=True)
        logits = states @ self.head.t()
        loss = torch.empty(len(wanted))
        hit = torch.empty(len(wanted), dtype=torch.uint8)
        native.call("cross_entropy", logits, targets, scale, len(wanted), self.config.vocab_size, self.columns, loss, hit)
        table = self.model.model.embed_tokens.weight
        table.grad += (logits.t() @ states)[: self.config.vocab_size].float()
        slope = torch.zeros_like(total)
        rounded = self._norm_back(logits @ self.head, total, self.model.model.norm.weight, inverse, slope)
        for module, layer in zip(reversed(self.model.model.layers), reversed(self.layers)):
            slope, rounded = self._layer_back(module, layer, slope, rounded, wanted[:count])
        native.call("embedding_backward", slope, self.batch_tokens, len(slope), slope.shape[1], table.grad)
        return loss[:count], hit[:count]

    @staticmethod
    def _filled(batch: Batch, weight_sum: float):
        """Positions, targets and weights of the predicted tokens, filled up to a multiple of ROUND with weight 0."""
        count = len(batch.predict)
        size = -(-count // ROUND) * ROUND
        wanted, targets = torch.zeros(size, dtype=torch.int64), torch.zeros(size, dtype=torch.int64)
        scale = torch.zeros(size)
        wanted[:count] = torch.from_numpy(batch.predict)
        targets[:count] = torch.from_numpy(batch.targets)
        scale[:count] = torch.from_numpy(batch.weights) / weight_sum
        return wanted, targets, scale

    def _norm_back(self, out_slope, total, weight, inverse, slope):
        rounded = torch.empty(slope.shape, dtype=BF16)
        native.call("norm_backward", out_slope, total, weight.detach(), inverse, len(slope), slope.shape[1], slope,
                    rounded, weight.grad)
        return rounded

    def _layer_back(self, module, layer: _Layer, slope, rounded, wanted):
        """(slope, rounded) of the layer's input from those of its output: slope [t, hidden_size] fp32, rounded its bf16 copy.

        Of the last layer's output only the rows `wanted` (and filling with slope 0 behind them) have been computed."""
        c = self.config
        x1, h1, r1, qkv, y, lse, mixed, x2, h2, r2, gate_up, active = layer.saved
        layer.saved = ()
        a, m = module.self_attn, module.mlp
        m.down_proj.weight.grad += (rounded.t() @ active).float()
        active_slope = rounded @ layer.down
        gate_up_slope = torch.empty_like(gate_up)
        native.call("gated_backward", gate_up, active_slope, len(slope), c.intermediate_size, gate_up_slope)
        both = (gate_up_slope.t() @ h2).float()
        m.gate_proj.weight.grad += both[: c.intermediate_size]
        m.up_proj.weight.grad += both[c.intermediate_size :]
        rounded = self._norm_back(gate_up_slope @ layer.gate_up, x2, module.post_attention_layernorm.weight, r2, slope)
        a.o_proj.weight.grad += (rounded.t() @ mixed).float()
        y_slope = rounded @ layer.out
        if layer is self.layers[-1]:
            slope, y_slope = _spread(slope, wanted, len(x1)), _spread(y_slope, wanted, len(x1))
        qkv_slope = torch.empty_like(qkv)
        qkv_slope[self.real :] = 0
        native.call("attention_backward", qkv, self.batch_positions, *self._attention_shape(), y, lse, y_slope,
                    qkv_slope)
        three = (qkv_slope.t() @ h1).float()
        q, k = len(a.q_proj.weight), len(a.k_proj.weight)
        a.q_proj.weight.grad += three[:q]
        a.k_proj.weight.grad += three[q : q + k]
        a.v_proj.weight.grad += three[q + k :]
        return slope, self._norm_back(qkv_slope @ layer.qkv, x1, module.input_layernorm.weight, r1, slope)


def _spread(rows: torch.Tensor, places: torch.Tensor, count: int) -> torch.Tensor:
    """[count, n] of zeros with the first rows at their places."""
    out = torch.zeros(count, rows.shape[1], dtype=rows.dtype)
    out[places] = rows[: len(places)]
    return out
