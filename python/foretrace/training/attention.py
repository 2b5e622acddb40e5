"""Attention over rows of documents, by whichever kernel this PyTorch has: flex_attention, SDPA, or plain products.

Every kernel takes queries [b, heads, n, d], keys and values [b, kv_heads, n, d] and the mask that its own `mask` makes of
the bounds of `batch.Padded`: a query sees its own piece from `start` on, and its document's program in [first, end).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Dict, List

import torch
from torch.nn import functional

BLOCK = 128
_MASK_TENSORS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
                 "full_q_num_blocks", "full_q_indices")


@dataclass(frozen=True)
class Kernel:
    """mask(start, first, end), each [b, n] int -> what attend(q, k, v, mask) takes."""

    name: str
    mask: Callable
    attend: Callable


def visible(start, first, end):
    """[b, n, n] boolean of bounds [b, n]: whether the query (row) sees the key (column)."""
    keys = torch.arange(start.shape[1], device=start.device)
    program = (keys >= first[..., None]) & (keys < end[..., None])
    return (keys <= keys[:, None]) & ((keys >= start[..., None]) | program)


def _expanded(q, k, v):
    group = q.shape[1] // k.shape[1]
    return k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)


def dense_attend(q, k, v, mask):
    """Plain products; the softmax is fp32. mask [b, n, n] boolean."""
    k, v = _expanded(q, k, v)
    scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
    return scores.masked_fill(~mask[:, None], float("-inf")).softmax(-1).to(v.dtype) @ v


def _additive(dtype: torch.dtype):
    def mask(start, first, end):
        shown = visible(start, first, end)
        return torch.zeros(shown.shape, dtype=dtype, device=shown.device).masked_fill_(~shown, float("-inf"))[:, None]

    return mask


def _sdpa_attend(q, k, v, mask):
    k, v = _expanded(q, k, v)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


class _BlockMasks:
    """One block mask for each shape, filled anew for every batch: compiled code sees the same objects each time.

    A mask is valid until the next one of its shape is made, so the backward pass has to come first."""

    def __init__(self) -> None:
        self.made: Dict[tuple, tuple] = {}

    def __call__(self, start, first, end):
        from torch.nn.attention.flex_attention import create_block_mask

        key = (tuple(start.shape), start.device)
        if key not in self.made:
            bounds = [torch.empty(start.shape, dtype=torch.int32, device=start.device) for _ in range(3)]
            self.made[key] = bounds, _seen_within(*bounds), None
        bounds, seen, mask = self.made[key]
        for held, given in zip(bounds, (start, first, end)):
            held.copy_(given)
        count, length = start.shape
        made = create_block_mask(seen, count, None, length, length, device=start.device, BLOCK_SIZE=BLOCK)
        if mask is None:
            self.made[key] = bounds, seen, made
            return made
        for name in _MASK_TENSORS:
            getattr(mask, name).copy_(getattr(made, name))
        return mask


def _seen_within(start, first, end):
    def seen(b, h, q, k):
        return (k <= q) & ((k >= start[b, q]) | ((k >= first[b, q]) & (k < end[b, q])))

    return seen


def _flex_attend(grouped: bool):
    from torch.nn.attention.flex_attention import flex_attention

    def attend(q, k, v, mask):
        if grouped:
            return flex_attention(q, k, v, block_mask=mask, enable_gqa=True)
        k, v = _expanded(q, k, v)
        return flex_attention(q, k, v, block_mask=mask)

    return attend


def has_flex() -> bool:
    """Whether this PyTorch (2.5 and later) has flex_attention."""
    try:
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention  # noqa: F401
    except ImportError:
        return False
    return True


def kernel(name: str, dtype: torch.dtype) -> Kernel:
    """The kernel "flex" (compiled code only), "flex_expanded", "sdpa" or "dense" for products in `dtype`.

    Raises ValueError for another name, ImportError where this PyTorch lacks it."""
    if name in ("flex", "flex_expanded"):
        return Kernel(name, _BlockMasks(), _flex_attend(name == "flex"))
    if name == "sdpa":
        if not hasattr(functional, "scaled_dot_product_attention"):
            raise ImportError("attention_missing: sdpa needs PyTorch 2.0")
        return Kernel(name, _additive(dtype), _sdpa_attend)
    if name == "dense":
        return Kernel(name, visible, dense_attend)
    raise ValueError(f"attention_unknown: attention must be auto, flex, flex_expanded, sdpa or dense, got {name}")


def names() -> List[str]:
    """The kernels that this PyTorch has, the fastest first."""
    found = ["flex", "flex_expanded"] if has_flex() else []
    if hasattr(functional, "scaled_dot_product_attention"):
        found.append("sdpa")
    return found + ["dense"]
