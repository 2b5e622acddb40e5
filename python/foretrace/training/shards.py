"""A training state as safetensors files of bounded size, for carrying a run from one machine to the next.

Numbers keep their upper bytes: four are fp32 as it was, two are bf16. The topmost byte of each number (sign and
exponent) is compressed, the others are as good as random. What is kept is the first of `LEVELS` that fits the budget.
"""

from __future__ import annotations

import json
import math
import os
import zlib
from pathlib import Path
from typing import Dict, List, Optional, Tuple
from uuid import uuid4

import numpy
import torch

from . import safetensors

SHARD_BYTES = 15 << 20
BUDGET_BYTES = 44 << 20
LEVELS = ((4, 4, 4), (4, 4, 2), (3, 3, 2), (3, 2, 0), (2, 2, 2), (2, 2, 0))
"""Bytes a number of weights, AdamW's moments and Muon's momentum. Without its momentum Muon needs some tens of updates
to find it again, for which the learning rate rises anew; two bytes of a weight are what an exported model has."""

PATTERN = "state-*.safetensors"


def _planes(tensor: torch.Tensor, kept: int) -> Tuple[bytes, bytes]:
    """(compressed topmost bytes, the other kept bytes) of fp32 numbers rounded to `kept` bytes."""
    bits = tensor.detach().cpu().float().contiguous().numpy().view(numpy.uint32).reshape(-1)
    if kept < 4:
        finite = (bits & 0x7F800000) != 0x7F800000
        bits = bits + finite.astype(numpy.uint32) * numpy.uint32(1 << (8 * (4 - kept) - 1))
    columns = numpy.ascontiguousarray(bits.astype("<u4")).view(numpy.uint8).reshape(-1, 4)
    return zlib.compress(columns[:, 3].tobytes(), 1), columns[:, 4 - kept : 3].tobytes()


def _joined(top: bytes, rest: bytes, kept: int, shape: List[int]) -> torch.Tensor:
    count = math.prod(shape)
    columns = numpy.zeros((count, 4), numpy.uint8)
    columns[:, 3] = numpy.frombuffer(zlib.decompress(top), numpy.uint8)
    columns[:, 4 - kept : 3] = numpy.frombuffer(rest, numpy.uint8).reshape(count, kept - 1)
    return torch.from_numpy(columns.view("<u4").view(numpy.float32).reshape(shape).copy())


def _kept(state: dict, level: Tuple[int, int, int]) -> Dict[str, Tuple[torch.Tensor, int]]:
    """{name: (tensor, bytes a number)} of the weights and moments that a level keeps."""
    weights, adam, muon = level
    parts = {f"model.{name}": (value, weights) for name, value in state["model"].items()}
    for name, value in state["optimizer"].items():
        # A parameter that has a .square is stepped by AdamW, the others by Muon.
        with_square = name.rsplit(".", 1)[0] + ".square" in state["optimizer"]
        parts[f"optimizer.{name}"] = (value, adam if with_square else muon)
    return {name: part for name, part in parts.items() if part[1]}


def _least_size(state: dict, level: Tuple[int, int, int]) -> int:
    """The bytes of a level without the compressed ones."""
    return sum((kept - 1) * value.numel() for value, kept in _kept(state, level).values())


def _tensors(state: dict, level: Tuple[int, int, int]) -> Tuple[Dict[str, bytes], Dict[str, list]]:
    """({name: bytes}, {name: [kept bytes, shape]}) of what a level keeps."""
    data, shapes = {}, {}
    for name, (value, kept) in _kept(state, level).items():
        data[name + "#top"], data[name + "#rest"] = _planes(value, kept)
        shapes[name] = [kept, list(value.shape)]
    return data, shapes


def _files(data: Dict[str, bytes], limit: int) -> List[Dict[str, bytes]]:
    files: List[Dict[str, bytes]] = [{}]
    room = limit
    for name, value in data.items():
        if len(value) > room and files[-1]:
            files.append({})
            room = limit
        files[-1][name] = value
        room -= len(value)
    return files


def write(directory: Path, state: dict, budget: int = BUDGET_BYTES, shard_bytes: int = SHARD_BYTES) -> dict:
    """Writes state-K-of-N.safetensors in place of older ones; returns {"level", "bytes", "files"}.

    state is what `train.Run.state` gives. Raises ValueError (shards_budget) when not even the smallest level fits."""
    for level in LEVELS:
        if _least_size(state, level) > budget:
            continue
        data, shapes = _tensors(state, level)
        size = sum(map(len, data.values()))
        if size <= budget:
            break
    else:
        raise ValueError(f"shards_budget: expected at most {budget} bytes, the smallest form has more than "
                         f"{_least_size(state, LEVELS[-1])}")
    rest = {key: value for key, value in state.items() if key not in ("model", "optimizer")}
    files, mark = _files(data, shard_bytes), uuid4().hex
    directory.mkdir(parents=True, exist_ok=True)
    names = [f"state-{i + 1:05d}-of-{len(files):05d}.safetensors" for i in range(len(files))]
    for name, part in zip(names, files):
        metadata = {"generation": mark, "files": str(len(files)), "level": json.dumps(level)}
        if name == names[0]:
            metadata.update(state=json.dumps(rest), shapes=json.dumps(shapes))
        content = {key: torch.from_numpy(numpy.frombuffer(value, numpy.uint8).copy()) for key, value in part.items()}
        safetensors.write(directory / (name + ".partial"), content, metadata)
    for old in directory.glob(PATTERN):
        if old.name not in names:
            old.unlink()
    for name in names:
        os.replace(directory / (name + ".partial"), directory / name)
    return {"level": list(level), "bytes": size, "files": names}


def present(directory: Path) -> bool:
    """Whether a directory holds shards."""
    return any(directory.glob(PATTERN))


def read(directory: Path) -> dict:
    """The state of the shards in `directory`; moments that were not kept are missing from state["optimizer"].

    Raises FileNotFoundError (shards_missing) and ValueError (shards_mixed, shards_unreadable)."""
    paths = sorted(directory.glob(PATTERN))
    if not paths:
        raise FileNotFoundError(f"shards_missing: no {PATTERN} in {directory}")
    try:
        metadata = [safetensors.read_metadata(path) for path in paths]
        if len({m["generation"] for m in metadata}) != 1 or len(paths) != int(metadata[0]["files"]):
            raise ValueError(f"shards_mixed: expected the {metadata[0]['files']} files of one state in {directory}, "
                             f"got {[path.name for path in paths]}")
        data = {name: value for path in paths for name, value in safetensors.read(path).items()}
        state = {**json.loads(metadata[0]["state"]), "model": {}, "optimizer": {}}
        for name, (kept, shape) in json.loads(metadata[0]["shapes"]).items():
            group, key = name.split(".", 1)
            top, rest = (data[name + part].numpy().tobytes() for part in ("#top", "#rest"))
            state[group][key] = _joined(top, rest, kept, shape)
    except (KeyError, zlib.error, OverflowError) as error:
        raise ValueError(f"shards_unreadable: {directory}: {type(error).__name__}: {error}") from None
    return state


def found(directories: List[Path]) -> Optional[Path]:
    """The first of the directories that holds shards, or None."""
    return next((directory for directory in directories if present(directory)), None)
