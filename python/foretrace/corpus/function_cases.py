"""Held-out real functions as evaluation samples."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Iterator, List, Tuple

from ..generator.sample import Sample
from .function_file import FunctionFileError, RealFunction, of_side, read_functions

LINE_BUCKETS = (10, 20, 40)
"""Upper bounds of the buckets that the tag `lines:` names; the last is open."""


def held_functions(path: Path, seed: int) -> List[RealFunction]:
    """The held-out functions of a file in an order that the seed decides. Raises FunctionFileError if there is none."""
    found = list(of_side(read_functions(path), "held"))
    if not found:
        raise FunctionFileError("functions_empty", str(path), "held-out functions", "none")
    Random(f"foretrace-held-functions:{seed}").shuffle(found)
    return found


def line_bucket(source: str) -> str:
    """`1-10`, `11-20`, ... by the lines of text that are not blank."""
    count = sum(bool(line.strip()) for line in source.splitlines())
    first = 1
    for last in LINE_BUCKETS:
        if count <= last:
            return f"{first}-{last}"
        first = last + 1
    return f"{first}-"


def real_samples(path: Path, seed: int) -> Iterator[Tuple[str, Sample]]:
    """(id, sample) for one call, chosen by the seed, of each held-out function."""
    for function in held_functions(path, seed):
        at = Random(f"foretrace-held-call:{seed}:{function.ids[0]}").randrange(len(function.calls))
        tags = ("real", function.repository, f"lines:{line_bucket(function.source)}")
        yield function.ids[at], Sample(function.source, function.calls[at], tags)
