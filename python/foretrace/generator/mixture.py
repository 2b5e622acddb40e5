"""The curriculum: which level to draw from as training goes on."""

from __future__ import annotations

import random

from .levels import LEVELS, generate
from .mutate import mutate
from .sample import Sample

_FIRST = {"drill": 0.80, "short": 0.18, "medium": 0.02, "long": 0.0}
_MUTATED_SHARE = 0.08
"""Share of the larger programs that are given mutated: code whose parts do not quite fit, as real bugs are."""

_LAST = {"drill": 0.20, "short": 0.40, "medium": 0.28, "long": 0.12}


def shares(progress: float) -> dict[str, float]:
    """Share of each level at a point of training, 0 (mostly drills) to 1; clipped to that range."""
    at = min(max(progress, 0.0), 1.0)
    mixed = {level: _FIRST[level] * (1 - at) + _LAST[level] * at for level in LEVELS}
    total = sum(mixed.values())
    return {level: share / total for level, share in mixed.items()}


def mixture(rng: random.Random, progress: float) -> Sample:
    """One program for a point of training; drills never vanish."""
    part = rng.random()
    for level, share in shares(progress).items():
        part -= share
        if part < 0:
            sample = generate(rng, level)
            return mutate(rng, sample) if level != "drill" and rng.random() < _MUTATED_SHARE else sample
    return generate(rng, LEVELS[0])
