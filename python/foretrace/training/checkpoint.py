"""Training state on disk: written to a temporary file, then renamed, so that a reader never sees half of one."""

from __future__ import annotations

import os
from pathlib import Path

import torch


def save(path: Path, state: dict) -> None:
    """state: tensors, numbers, strings and plain containers of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with open(partial, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def load(path: Path) -> dict:
    """The state saved at `path`, tensors on the CPU. Raises FileNotFoundError."""
    return torch.load(str(path), map_location="cpu")
