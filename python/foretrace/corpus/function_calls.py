"""Which calls of a function are kept: known ones, variations of them, drawn ones; those that show something new."""

from __future__ import annotations

import ast
from random import Random
from typing import Dict, List, Optional, Sequence, Set, Tuple

from .batch_runs import CallRun, run_calls
from .typed_inputs import draw_call, stated_types
from .variations import vary_call

KEPT = 8
"""Calls of a function at most."""
RAISING_KEPT = 2
LONG_RUN = 300
"""Events from which a run is taken only if it shows what no shorter one does: it costs much and teaches what they teach."""
KNOWN_TRIED = 10
VARIED_TRIED = 18
DRAWN_TRIED = 24
_LOSSES = ("NameError", "UnboundLocalError", "AttributeError", "TypeError", "RecursionError", "NotImplementedError", "MemoryError")
"""Errors that a wrong kind of argument gives: they say little of a function."""


def candidates(name: str, known: Sequence[str], drawable: Optional[Tuple[str, Dict[str, ast.expr]]]) -> List[str]:
    """The calls to try, without repetition: known ones first, then their variations or, if none is known, drawn ones.

    `drawable`: the text before the brackets and the types to draw for. The same arguments give the same calls."""
    rng = Random(f"foretrace-calls:{name}:{len(known)}")
    found = dict.fromkeys(known[:KNOWN_TRIED])
    if known:
        for _ in range(2 * VARIED_TRIED):
            varied = vary_call(rng, rng.choice(list(found)))
            if varied is not None:
                found.setdefault(varied)
            if len(found) >= len(known[:KNOWN_TRIED]) + VARIED_TRIED:
                break
    elif drawable is not None and drawable[1]:
        for _ in range(DRAWN_TRIED):
            found.setdefault(draw_call(rng, *drawable))
    return list(found)


def drawable(function: ast.FunctionDef, owner: Optional[ast.ClassDef]) -> Optional[Tuple[str, Dict[str, ast.expr]]]:
    """(text before the brackets, types) for a function or method whose arguments can be drawn, else None."""
    if function.decorator_list:
        return None
    types = stated_types(function, owner is not None)
    if types is None:
        return None
    if owner is None:
        return function.name, types
    start = next((item for item in owner.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
    if start is not None and len(start.args.args) - len(start.args.defaults) > 1 or owner.decorator_list:
        return None
    return f"{owner.name}().{function.name}", types


def chosen(runs: Sequence[CallRun], most: int = KEPT) -> List[CallRun]:
    """Greedily the runs that reach a new line, then those with a new outcome; few raising ones, long runs last.

    Order of `runs` decides ties, so known calls come before variations."""
    useful = sorted((found for found in runs if found.refused is None and not _is_loss(found)),
                    key=lambda found: found.events > LONG_RUN)
    kept: List[CallRun] = []
    lines: Set[int] = set()
    outcomes: Set[Tuple[Optional[str], bool, int]] = set()
    raising = 0
    for wanted in ("lines", "outcome", "any"):
        for found in useful:
            outcome = (found.value, found.raised, found.events)
            if len(kept) >= most or found in kept or found.raised and raising >= RAISING_KEPT:
                continue
            new_lines = not lines.issuperset(found.lines)
            if wanted == "lines" and not new_lines or wanted == "outcome" and outcome in outcomes:
                continue
            if wanted == "any" and len(kept) >= most // 2:
                continue
            kept.append(found)
            lines.update(found.lines)
            outcomes.add(outcome)
            raising += found.raised
    return kept if any(not found.raised for found in kept) else []


def _is_loss(found: CallRun) -> bool:
    return found.raised and (found.value or "").startswith(_LOSSES)


def usable_calls(source: str, name: str, tried: Sequence[str]) -> Tuple[List[CallRun], Optional[str]]:
    """(kept runs, why there are none)."""
    if not tried:
        return [], "no_inputs"
    runs = run_calls(source, tried)
    kept = chosen(runs)
    if kept:
        return kept, None
    reasons = [found.refused or "raises" for found in runs if found.refused != "given_up"]
    return [], max(sorted(set(reasons)), key=reasons.count)
