"""Runs with edited variables: another value for a local, and what the program really does from there."""

from __future__ import annotations

import ast
from random import Random
from typing import Dict, List, Optional, Tuple

from ..language.annotate import AnnotatedTrace
from ..trace.errors import TraceError
from ..trace.events import Trace
from ..trace.replay import edit
from ..trace.tracer import Limits
from .expressions import SourceExpressions

MORE_EVENTS = 40
SECONDS = 5.0
MAX_CHARACTERS = 60  # of a value that is edited
SECOND_SHARE = 0.25  # of edits change two names
ATTEMPTS = 4


def edited_run(rng: Random, trace: Trace, annotated: AnnotatedTrace,
               found: SourceExpressions) -> Optional[Tuple[Trace, int]]:
    """A run of the same program with one or two locals edited, and the event where they were; None if none was found."""
    for _ in range(ATTEMPTS):
        i = rng.randrange(len(trace.events) - 1)
        if trace.events[i].event not in ("line", "call"):
            continue
        edits = _edits(rng, trace, annotated, found, i)
        if edits:
            try:
                limits = Limits(max_events=len(trace.events) + MORE_EVENTS, seconds=SECONDS)
                made = edit(trace, i, edits, limits, MORE_EVENTS)
            except TraceError:
                return None
            return (made, i) if len(made.events) > i + 1 else None
    return None


def _edits(rng: Random, trace: Trace, annotated: AnnotatedTrace, found: SourceExpressions, i: int) -> Dict[str, str]:
    """Name -> literal. What a running `for` loop iterates over is left alone: its iterator would not follow."""
    frame, scope = annotated.frames[i], annotated.scopes[i]
    iterated = set().union(*(found.iterated.get(line, ()) for line in scope.loops_of(frame.line))) if scope else set()
    names = [name for name, text in frame.locals.items()
             if name not in iterated and 0 < len(text) <= MAX_CHARACTERS and text[0] != "<" and text[-1] != "…"]
    edits: Dict[str, str] = {}
    for _ in range(2 if rng.random() < SECOND_SHARE else 1):
        if not names:
            break
        name = names.pop(rng.randrange(len(names)))
        value = _other(rng, trace, name, frame.locals[name])
        if value is not None:
            edits[name] = value
    return edits


def _other(rng: Random, trace: Trace, name: str, text: str) -> Optional[str]:
    """Another value of the same type as a literal: one that the run has seen, or this one mutated; None if there is none."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if rng.random() < 0.3:
        event = trace.events[rng.randrange(len(trace.events))]
        for other in rng.sample(sorted(event.locals), len(event.locals)):
            seen = event.locals[other]
            if seen != text and len(seen) <= MAX_CHARACTERS and seen[:1] == text[:1] and _is_like(value, seen):
                return seen
    made = mutated(rng, value)
    return repr(made) if made is not None and repr(made) != text else None


def _is_like(value: object, text: str) -> bool:
    try:
        return type(ast.literal_eval(text)) is type(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False


def mutated(rng: Random, value: object) -> object:
    """A value like `value` that differs a little; None where there is no such thing. The value given is not changed."""
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return rng.choice((value + 1, value - 1, -value, 0, value * 2, rng.randint(-9, 20), value + rng.randint(2, 30)))
    if kind is float:
        return rng.choice((value + 1.0, -value, round(value / 2, 3), 0.5, float(rng.randint(-5, 9))))
    if kind is str:
        return _mutated_text(rng, value)
    if kind in (list, tuple):
        return kind(_mutated_items(rng, list(value)))
    if kind is dict:
        keys = list(value)
        if not keys:
            return None
        out = dict(value)
        key = rng.choice(keys)
        if rng.random() < 0.5:
            del out[key]
        else:
            out[key] = mutated(rng, value[key])
        return out
    if kind is set and value:
        return value - {rng.choice(sorted(value, key=repr))} or None  # an empty set has no literal
    return None


def _mutated_text(rng: Random, value: str) -> str:
    at = rng.randint(0, len(value))
    letter = rng.choice("abcxyzAE019 ,")
    return rng.choice((value[:at] + letter + value[at:], value[:at] + value[at + 1:], value[::-1], value.upper(), value[at:],
                       value + value[:2], value[:at] + letter + value[at + 1:]))


def _mutated_items(rng: Random, items: List[object]) -> List[object]:
    if not items:
        return [rng.choice((0, 1, "a"))]
    at = rng.randrange(len(items))
    choice = rng.randrange(5)
    if choice == 0:
        return items[:at] + items[at + 1:]
    if choice == 1:
        return items + [items[at]]
    if choice == 2:
        return items[::-1]
    changed = mutated(rng, items[at])
    if choice == 3 or changed is None:
        return items[:at] + items[at:][:2]
    return items[:at] + [changed] + items[at + 1:]
