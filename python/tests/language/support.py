"""What the language tests share: the golden programs, traced once, and random stops of them."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Iterator

from foretrace.language.annotate import AnnotatedTrace
from foretrace.language.frames import Stack
from foretrace.language.golden import traced
from foretrace.language.program import Program
from foretrace.trace.event import Event
from foretrace.trace.events import Trace


@lru_cache(maxsize=1)
def runs() -> list[tuple[Program, Trace, AnnotatedTrace]]:
    """Every golden program that parses and runs."""
    found = traced()
    if len(found) < 30:
        raise AssertionError(f"expected at least 30 golden programs that run, got {len(found)}")
    return found


def pairs(count: int, seed: int) -> Iterator[tuple[AnnotatedTrace, int, int]]:
    """`count` random ordered pairs of different events of each run."""
    draw = random.Random(seed)
    for _, _, annotated in runs():
        for _ in range(count):
            i, j = draw.randrange(len(annotated)), draw.randrange(len(annotated))
            if i != j:
                yield annotated, i, j


def plain(stack: Stack) -> list[dict]:
    """A stack as comparable values."""
    return [frame.to_json() for frame in stack]


def trace_of(rows: list[tuple]) -> Trace:
    """A trace written by hand: (event, line, depth, frame, locals, value, function) each."""
    return Trace("", "", [Event(*row) for row in rows])
