"""`model.Llama` as functions of its weights, in the form that torch.compile and a GPU like: fixed shapes, joined matrices.

The residual stream, norms, rotations and the loss are fp32, products are in `dtype`, master weights and their gradients
stay fp32. One layer is compiled and serves for all of them, so that a start takes seconds.
"""

from __future__ import annotations

from typing import Callable

import torch
from torch.nn import functional

from .attention import Kernel
from .model import Llama, ModelConfig, rms_norm, rotate

ALIGN = 16  # columns of the output matrix: matrix units want rows that begin at multiples of 16 bytes


def layer_function(config: ModelConfig, kernel: Kernel, dtype: torch.dtype) -> Callable:
    """f(x, cos, sin, mask, *weights of `layer_weights`) -> x; x [b, n, hidden_size] fp32, cos, sin [b, 1, n, d / 2]."""
    heads, kv_heads, size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    epsilon, attend = config.rms_norm_eps, kernel.attend

    def layer(x, cos, sin, mask, before, wq, wk, wv, wo, after, w_gate, w_up, w_down, *more):
        batch, length, _ = x.shape
        h = rms_norm(x, before, epsilon).to(dtype)
        biases = torch.cat(more[:3]).to(dtype) if config.attention_bias else None
        joined = functional.linear(h, torch.cat((wq, wk, wv)).to(dtype), biases)
        q, k, v = joined.view(batch, length, -1, size).transpose(1, 2).split((heads, kv_heads, kv_heads), 1)
        if config.head_norms:
            q, k = rms_norm(q, more[-2], epsilon), rms_norm(k, more[-1], epsilon)
        q, k = rotate(q.float(), cos, sin).to(dtype), rotate(k.float(), cos, sin).to(dtype)
        y = attend(q, k, v.contiguous(), mask).transpose(1, 2).reshape(batch, length, -1)
        x = x + functional.linear(y, wo.to(dtype)).float()
        h = rms_norm(x, after, epsilon).to(dtype)
        gate, up = functional.linear(h, torch.cat((w_gate, w_up)).to(dtype)).chunk(2, -1)
        return x + functional.linear(functional.silu(gate.float()).to(dtype) * up, w_down.to(dtype)).float()

    return layer


def layer_weights(layer) -> tuple:
    """The weights of a `model.Layer` in the order that the layer function takes them."""
    a, m = layer.self_attn, layer.mlp
    weights = (layer.input_layernorm.weight, a.q_proj.weight, a.k_proj.weight, a.v_proj.weight, a.o_proj.weight,
               layer.post_attention_layernorm.weight, m.gate_proj.weight, m.up_proj.weight, m.down_proj.weight)
    biases = (a.q_proj.bias, a.k_proj.bias, a.v_proj.bias) if a.config.attention_bias else ()
    norms = (a.q_norm.weight, a.k_norm.weight) if a.config.head_norms else ()
    return weights + biases + norms


def logits_function(config: ModelConfig, dtype: torch.dtype) -> Callable:
    """f(x, norm weight, output matrix) -> logits [..., vocab_size] fp32 of the last layer's x [..., hidden_size]."""
    size = config.vocab_size
    extra = -size % ALIGN

    def logits(x, norm, matrix):
        wide = functional.pad(matrix, (0, 0, 0, extra)).to(dtype)
        return functional.linear(rms_norm(x, norm, config.rms_norm_eps).to(dtype), wide)[..., :size].float()

    return logits


def loss_function(config: ModelConfig, dtype: torch.dtype) -> Callable:
    """f(x, norm weight, output matrix, targets, weights) -> (weighted sum of losses, losses, hits).

    x [t, hidden_size]; targets [t] int64; weights [t]; losses and hits [t] fp32, without gradients."""
    logits_of = logits_function(config, dtype)

    def loss(x, norm, matrix, targets, weights):
        logits = logits_of(x, norm, matrix)
        losses = torch.logsumexp(logits, -1) - logits.gather(-1, targets[:, None])[:, 0]
        hits = (logits.detach().argmax(-1) == targets).float()
        return (losses * weights).sum(), losses.detach(), hits

    return loss


class FastModel:
    """The functions bound to a model. `compile` wraps each (torch.compile, or None for eager)."""

    def __init__(self, model: Llama, kernel: Kernel, dtype: torch.dtype, compile: Callable = None):
        wrap = compile or (lambda function: function)
        self.model, self.kernel = model, kernel
        self.layer = wrap(layer_function(model.config, kernel, dtype))
        self.loss_of = wrap(loss_function(model.config, dtype))
        self.logits_of = logits_function(model.config, dtype)

    def states(self, tokens, positions, mask):
        """tokens, positions [b, n] int64 -> [b, n, hidden_size] before the last norm."""
        x = self.model.model.embed_tokens(tokens)
        cos, sin = self.model.cos[positions][:, None], self.model.sin[positions][:, None]
        for layer in self.model.model.layers:
            x = self.layer(x, cos, sin, mask, *layer_weights(layer))
        return x

    def loss(self, x, targets, weights):
        """(weighted sum, losses, hits) of states x [b, n, hidden_size]; targets and weights [b * n]."""
        last = self.model.model
        return self.loss_of(x.reshape(-1, x.shape[-1]), last.norm.weight, self.model.output_matrix(), targets, weights)

    def logits(self, x):
        """Logits of states x [p, hidden_size]."""
        return self.logits_of(x, self.model.model.norm.weight, self.model.output_matrix())
