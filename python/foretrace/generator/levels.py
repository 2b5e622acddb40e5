"""One checked program of a level: drawn, run within limits, drawn again if it does not fit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from .checks import run
from .drills import drill
from .medium import long, medium
from .sample import Sample
from .short import short

RAISING_SHARE = 0.08
"""Share of programs for which a run that ends in an uncaught exception is looked for."""

_ATTEMPTS = 30
_SLIPS = frozenset({"NameError", "UnboundLocalError", "AttributeError", "RecursionError", "TypeError"})
"""Errors that come from a slip of composition: the program is drawn again, unless it says that it raises them."""


class GeneratorError(RuntimeError):
    """No program fits the limits after many draws: a defect of the generator."""


_BUILDERS: dict[str, Callable[[random.Random, bool], Sample]] = {
    "drill": drill, "short": short, "medium": medium, "long": long}
_EVENTS = {"drill": (2, 60), "short": (4, 80), "medium": (6, 150), "long": (20, 150)}
"""Fewest and most events of a run, by level."""


LEVELS: tuple[str, ...] = tuple(_BUILDERS)
"""The levels, simplest first."""


def _slip(error: str | None, sample: Sample) -> bool:
    return error in _SLIPS and "raises-type" not in sample.tags


def generate(rng: random.Random, level: str) -> Sample:
    """A program of the level that compiles, ends within the limits and keeps its values short.

    The same state of `rng` gives the same program. Raises GeneratorError when nothing fits.
    """
    build = _BUILDERS.get(level)
    if build is None:
        raise ValueError(f"level: expected one of {', '.join(_BUILDERS)}, got {level!r}")
    fewest, most = _EVENTS[level]
    raising = rng.random() < RAISING_SHARE
    fallback = None
    for _ in range(_ATTEMPTS):
        sample = build(rng, raising)
        outcome = run(sample.source, sample.call, most)
        if outcome.refused or outcome.events < fewest or _slip(outcome.error, sample):
            continue
        if (outcome.error is not None) == raising:
            return replace(sample, tags=sample.tags + ((f"raises:{outcome.error}",) if raising else ()))
        if outcome.error is None:
            fallback = sample
    if fallback is not None:
        return fallback
    raise GeneratorError(f"generate: expected a {level} program within limits, got none in {_ATTEMPTS} draws")
