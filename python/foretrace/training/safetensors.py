"""Reads and writes the safetensors format: header length (u64), JSON header, tensor bytes."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Dict, List, Optional

import torch

_NAMES = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16", torch.uint8: "U8"}
_TYPES = {name: kind for kind, name in _NAMES.items()}
_WIDTH = {"F32": 4, "BF16": 2, "F16": 2, "U8": 1}


def _bytes(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().cpu().contiguous()
    return (flat.view(torch.int16) if flat.dtype == torch.bfloat16 else flat).numpy().tobytes()


def write(path: Path, tensors: Dict[str, torch.Tensor], metadata: Optional[Dict[str, str]] = None) -> None:
    """Writes fp32, fp16, bf16 or uint8 tensors in the order given; the data begins at a multiple of 8 bytes."""
    header, offset = {"__metadata__": {"format": "pt", **(metadata or {})}}, 0
    for name, tensor in tensors.items():
        size = tensor.numel() * _WIDTH[_NAMES[tensor.dtype]]
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(_bytes(tensor))


def read_metadata(path: Path) -> Dict[str, str]:
    """The strings stored beside the tensors."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length)).get("__metadata__", {})


def read(path: Path) -> Dict[str, torch.Tensor]:
    """All tensors of one file."""
    data = Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, end = (8 + length + offset for offset in entry["data_offsets"])
        kind = _TYPES.get(entry["dtype"])
        if kind is None:
            raise ValueError(f"safetensors_type: {path}: {name} is {entry['dtype']}, expected one of {sorted(_TYPES)}")
        raw = torch.frombuffer(bytearray(data[first:end]), dtype=torch.int16 if kind == torch.bfloat16 else kind)
        found[name] = (raw.view(kind) if kind == torch.bfloat16 else raw).reshape(entry["shape"])
    return found


def write_sharded(directory: Path, tensors: Dict[str, torch.Tensor], limit: int) -> List[str]:
    """model.safetensors, or shards of at most `limit` bytes with model.safetensors.index.json; returns the names."""
    shards: List[Dict[str, torch.Tensor]] = [{}]
    sizes = [0]
    for name, tensor in tensors.items():
        size = len(_bytes(tensor))
        if shards[-1] and sizes[-1] + size > limit:
            shards.append({})
            sizes.append(0)
        shards[-1][name] = tensor
        sizes[-1] += size
    if len(shards) == 1:
        write(directory / "model.safetensors", shards[0])
        return ["model.safetensors"]
    names = [f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors" for i in range(len(shards))]
    for name, shard in zip(names, shards):
        write(directory / name, shard)
    index = {"metadata": {"total_size": sum(sizes)},
             "weight_map": {key: name for name, shard in zip(names, shards) for key in shard}}
    (directory / "model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")
    return names
