"""The Llama architecture in plain PyTorch, with what Qwen2 and Qwen3 add to it; parameter names are those of Hugging Face.

This is the reference on any device, and what holds the weights. `fast_model` computes the same on a GPU, and `cpu_step`
on a CPU with AVX-512 BF16.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass
class ModelConfig:
    vocab_size: int = 1025
    hidden_size: int = 256
    num_hidden_layers: int = 6
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 64
    intermediate_size: int = 640
    rope_theta: float = 10000.0
    max_position_embeddings: int = 2048
    rms_norm_eps: float = 1e-5
    attention_bias: bool = False  # of queries, keys and values: Qwen2
    head_norms: bool = False  # RMS norms of each head of queries and keys, before they are rotated: Qwen3

    def as_dict(self) -> dict:
        return asdict(self)

    @property
    def kind(self) -> str:
        """The `model_type` of Hugging Face that computes this. Raises ValueError (model_kind) if none does."""
        found = [kind for kind, parts in KINDS.items() if parts == (self.attention_bias, self.head_norms)]
        if not found:
            raise ValueError(f"model_kind: expected biases or norms of heads, got attention_bias {self.attention_bias} and head_norms {self.head_norms}")
        return found[0]


KINDS = {"llama": (False, False), "qwen2": (True, False), "qwen3": (False, True)}
"""(attention_bias, head_norms) by `model_type`."""


TINY = ModelConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=16,
                   intermediate_size=128)


def rotary_table(config: ModelConfig):
    """(cos, sin) [max_position_embeddings, head_dim / 2] fp32 (Su et al., RoFormer, arXiv 2104.09864)."""
    half = config.head_dim // 2
    rates = config.rope_theta ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(config.max_position_embeddings, dtype=torch.float64)[:, None] * rates
    return angles.cos().float(), angles.sin().float()


def rotate(x, cos, sin):
    """x [b, heads, n, head_dim]; cos, sin [b, 1, n, head_dim / 2]. Half-rotation convention."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def rms_norm(x, weight, epsilon: float):
    """x / rms(x) * weight in fp32 (Zhang and Sennrich, arXiv 1910.07467)."""
    wide = x.float()
    return wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + epsilon) * weight


class RmsNorm(nn.Module):
    def __init__(self, width: int, epsilon: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        return rms_norm(x, self.weight, self.epsilon).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        width, head = config.hidden_size, config.head_dim
        self.q_proj = nn.Linear(width, config.num_attention_heads * head, bias=config.attention_bias)
        self.k_proj = nn.Linear(width, config.num_key_value_heads * head, bias=config.attention_bias)
        self.v_proj = nn.Linear(width, config.num_key_value_heads * head, bias=config.attention_bias)
        self.q_norm = RmsNorm(head, config.rms_norm_eps) if config.head_norms else nn.Identity()
        self.k_norm = RmsNorm(head, config.rms_norm_eps) if config.head_norms else nn.Identity()
        self.o_proj = nn.Linear(config.num_attention_heads * head, width, bias=False)

    def forward(self, x, cos, sin, mask):
        config = self.config
        batch, length, _ = x.shape

        def heads(y, count):
            return y.view(batch, length, count, config.head_dim).transpose(1, 2)

        q = rotate(self.q_norm(heads(self.q_proj(x), config.num_attention_heads)), cos, sin)
        k = rotate(self.k_norm(heads(self.k_proj(x), config.num_key_value_heads)), cos, sin)
        v = heads(self.v_proj(x), config.num_key_value_heads)
        group = config.num_attention_heads // config.num_key_value_heads
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        if hasattr(functional, "scaled_dot_product_attention"):
            y = functional.scaled_dot_product_attention(q.to(v.dtype), k.to(v.dtype), v, attn_mask=mask[:, None])
        else:
            scores = (q @ k.transpose(-1, -2)) * config.head_dim**-0.5
            y = scores.masked_fill(~mask[:, None], float("-inf")).softmax(-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, -1))


class Mlp(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = Mlp(config)
        self.input_layernorm = RmsNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = RmsNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.norm = RmsNorm(config.hidden_size, config.rms_norm_eps)


class Llama(nn.Module):
    """Tied embeddings: `model.embed_tokens.weight` is also the output matrix."""

    def __init__(self, config: ModelConfig, seed: int = 0):
        super().__init__()
        self.config = config
        self.model = Decoder(config)
        cos, sin = rotary_table(config)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.initialize(seed)

    def initialize(self, seed: int) -> None:
        """Normal(0, 0.02); matrices that write to the residual stream are scaled by 1 / sqrt(2 * layers). Biases are 0."""
        source = torch.Generator().manual_seed(seed)
        depth = (2 * self.config.num_hidden_layers) ** -0.5
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 2:
                    scale = 0.02 * (depth if name.endswith(("o_proj.weight", "down_proj.weight")) else 1.0)
                    weight.copy_(torch.randn(weight.shape, generator=source) * scale)
                elif name.endswith(".bias"):
                    weight.zero_()

    def hidden(self, tokens, positions, mask):
        """tokens, positions [b, n]; mask [b, n, n] boolean (row = query) -> normalised states [b, n, hidden_size]."""
        x = self.model.embed_tokens(tokens)
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        for layer in self.model.layers:
            x = layer(x, cos, sin, mask)
        return self.model.norm(x)

    def output_matrix(self):
        """[vocab_size, hidden_size]: the matrix of the logits."""
        return self.model.embed_tokens.weight

    def logits(self, states):
        """states [..., hidden_size] -> [..., vocab_size]."""
        return functional.linear(states, self.output_matrix())

    def forward(self, tokens, positions=None, mask=None):
        """Logits [b, n, vocab_size]; by default positions 0.. and a causal mask."""
        batch, length = tokens.shape
        if positions is None:
            positions = torch.arange(length, device=tokens.device).expand(batch, length)
        if mask is None:
            mask = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril().expand(batch, -1, -1)
        return self.logits(self.hidden(tokens, positions, mask))
