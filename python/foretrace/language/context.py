"""Contexts: program, keyframe, then pairs of action and delta (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from .annotate import AnnotatedTrace
from .encode import encode_delta, encode_keyframe, encode_question, shown_after
from .frames import STACK_LIMIT
from .outcomes import outcome


class Move(NamedTuple):
    """An action taken from one event and the event it leads to."""

    action: str
    lines: Optional[Sequence[int]]  # physical lines of a breakpoint
    target: int


class Context(NamedTuple):
    """The tokens after the program, and which of them a model is to predict.

    `tokens`: the keyframe and the pairs; put `program.tokens` before them. `spans`: start and end (exclusive), in
    `tokens`, of each delta. `moves`: the moves behind the deltas. `keyframe_length`: where the keyframe ends.
    """

    tokens: list[int]
    spans: list[tuple[int, int]]
    moves: list[Move]
    keyframe_length: int


def build_context(annotated: AnnotatedTrace, start: int, moves: Iterable[Move],
                  max_tokens: Optional[int] = None) -> Context:
    """The context that starts with the keyframe of event `start` and follows `moves`, each from where the last ended.

    With `max_tokens` it ends before the first pair that does not fit (it may have none at all).
    """
    program, before = annotated.program, annotated.stack(start)
    tokens = encode_keyframe(program, before)
    keyframe_length = len(tokens)
    spans: list[tuple[int, int]] = []
    taken: list[Move] = []
    at, shown = start, min(len(before), STACK_LIMIT)
    for move in moves:
        action = encode_question(program, before, move.action, move.lines)
        after, common = annotated.stack(move.target), annotated.common(at, move.target)
        delta = encode_delta(program, before, after, common, shown, decided(annotated, at, move.action))
        if max_tokens is not None and len(tokens) + len(action) + len(delta) > max_tokens:
            break
        tokens += action
        spans.append((len(tokens), len(tokens) + len(delta)))
        tokens += delta
        taken.append(move)
        shown = shown_after(shown, len(before) - common, len(after), common)
        at, before = move.target, after
    return Context(tokens, spans, taken, keyframe_length)


def decided(annotated: AnnotatedTrace, i: int, action: str) -> Optional[bool]:
    """What a delta for `action` from event i says of the condition that is about to run; None: nothing."""
    return outcome(annotated, i) if action in ("step_into", "step_over") and annotated.program.shows_values else None


def chosen_context(annotated: AnnotatedTrace, start: int, count: int, choose: Callable[[int], Optional[Move]],
                   max_tokens: Optional[int] = None) -> Context:
    """A context of up to `count` moves, each chosen by `choose(index of the event it starts from)`; None ends it."""

    def moves() -> Iterable[Move]:
        at = start
        for _ in range(count):
            move = choose(at)
            if move is None:
                return
            yield move
            at = move.target

    return build_context(annotated, start, moves(), max_tokens)
