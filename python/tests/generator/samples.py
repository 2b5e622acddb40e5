"""Samples that several tests look at, generated once."""

from __future__ import annotations

import random
from functools import lru_cache

from foretrace.generator import Sample, generate

COUNTS = {"drill": 2000, "short": 2000, "medium": 1000, "long": 500}


@lru_cache(maxsize=None)
def of_level(level: str) -> tuple[Sample, ...]:
    rng = random.Random(f"tests:{level}")
    return tuple(generate(rng, level) for _ in range(COUNTS[level]))
