"""What a run decided on the lines that decide a branch (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Optional

from .annotate import AnnotatedTrace


def outcome(annotated: AnnotatedTrace, i: int) -> Optional[bool]:
    """What the condition on the line of event i came to (of a `for`: whether there is another item), if the next event tells: the frame goes
    on, in the body or not. None for other lines and events, and where a function is entered or something raised first."""
    here, scope = annotated.frames[i], annotated.scopes[i]
    body = annotated.program.conditions.get(here.line) if here.event == "line" else None
    if scope is None or scope.name.startswith("<"):  # a lambda or generator expression on that line
        return None
    if body is None or i + 1 >= len(annotated) or annotated.activations[i + 1] != annotated.activations[i]:
        return None
    after = annotated.frames[i + 1]
    if after.event not in ("line", "return") or (after.event == "line" and after.line == here.line):
        return None
    return after.event == "line" and body.first <= after.line <= body.last
