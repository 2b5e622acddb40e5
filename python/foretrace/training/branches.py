"""Branches of a document: a keyframe with actions and deltas, and the class of each of their tokens."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import List, NamedTuple, Optional, Sequence

from ..language import tokens as table
from ..language.annotate import AnnotatedTrace
from ..language.context import Move, chosen_context
from ..language.encode import encode_action, encode_delta, encode_keyframe
from ..language.patches import ADD
from ..trace.events import Trace
from ..trace.policy import ANY_SHARE, choose_action
from ..trace.state_tree import step
from .batch import CONTEXT, EVENT, LINE, NAME, OTHER, UNSUPERVISED, VALUE

PAIR_COUNTS = (1, 2, 3, 4, 5, 6, 7)
PAIR_WEIGHTS = (30, 20, 15, 12, 10, 8, 5)  # short branches too: a session may predict straight from a keyframe
FORWARD_SHARE = 0.65
HIDDEN_FORWARD_SHARE = 0.45
TO_CALL_SHARE = 0.5  # of the backward branches of a program with hidden arguments: one movement to the entry's call
FORGOTTEN_SHARE = 0.5  # of those: from a return of which little more than the value is known
CHANGED_SHARE = 0.5  # of branches look for a start whose next step changes a value
CHANGED_ATTEMPTS = 4


class Branch(NamedTuple):
    """Tokens after the program, and their classes."""

    tokens: List[int]
    classes: List[int]


def branch_behind(keyframe: List[int]) -> Branch:
    """A branch that has its keyframe alone."""
    return Branch(keyframe, [UNSUPERVISED] + [CONTEXT] * (len(keyframe) - 1))


def _classes_by_token() -> List[int]:
    """The class of each token outside values; -1 for those whose class depends on where they stand."""
    out = [-1] * table.SIZE
    for token in table.EVENTS.values():
        out[token] = EVENT
    for token in range(table.LINE_BASE, table.LINE_BASE + table.LINE_COUNT):
        out[token] = LINE
    for token in (table.POP, table.PUSH, table.END, table.VALUE, table.GOT, table.IT, table.DEL, ADD):
        out[token] = OTHER
    for token in range(table.SLOT_BASE, table.SLOT_BASE + table.SLOT_COUNT):
        out[token] = NAME
    return out


_CLASSES = _classes_by_token()


def classify(delta: Sequence[int]) -> List[int]:
    """The class of each token of a delta: event, line, name (slots of changed locals), value (the spelling of values),
    other (marks, counts)."""
    classes, inside, previous = [], False, -1
    for token in delta:
        kind = _CLASSES[token]
        if kind < 0 or previous == table.REF:
            kind = VALUE if inside else OTHER
        elif kind == NAME:
            inside = True
        elif kind == OTHER:
            inside = token in (table.VALUE, table.GOT, ADD)
        else:
            inside = False
        classes.append(kind)
        previous = token
    return classes


def changes(trace: Trace, i: int, direction: int) -> bool:
    """Whether the neighbouring event shows a value that event i does not."""
    here, there = trace.events[i], trace.events[i + direction]
    if there.frame != here.frame:
        return bool(there.locals) and direction > 0
    return there.locals != here.locals or there.value is not None


def alters(trace: Trace, i: int, direction: int) -> bool:
    """Whether a collection of the frame's is another at the neighbouring event."""
    here, there = trace.events[i], trace.events[i + direction]
    return there.frame == here.frame and any(
        text[-1:] in ("]", "}", ")") and there.locals.get(name, text) != text for name, text in here.locals.items())


def _start(rng: Random, trace: Trace, forward: bool) -> int:
    first, last = (0, len(trace.events) - 2) if forward else (1, len(trace.events) - 1)
    at = rng.randint(first, last)
    if rng.random() < CHANGED_SHARE:
        for _ in range(CHANGED_ATTEMPTS):
            if changes(trace, at, 1 if forward else -1):
                break
            at = rng.randint(first, last)
    return at


def transition_branch(rng: Random, trace: Trace, annotated: AnnotatedTrace, room: int,
                      start: Optional[int] = None, any_share: float = ANY_SHARE) -> Optional[Branch]:
    """A keyframe and at least one action with its delta within `room` tokens, else None.

    Without `start` the event it starts from and its direction are drawn; with it the branch goes forward from there."""
    hidden = annotated.program.hidden_arguments
    forward = start is not None or rng.random() < (HIDDEN_FORWARD_SHARE if hidden else FORWARD_SHARE)
    if hidden and not forward and rng.random() < TO_CALL_SHARE:
        return _branch_to_call(rng, trace, annotated, room)
    count = rng.choices(PAIR_COUNTS, PAIR_WEIGHTS)[0]

    def move(at: int) -> Optional[Move]:
        chosen = choose_action(rng, trace, at, not forward, any_share)
        return Move(*chosen, step(trace, at, *chosen)) if chosen else None

    return branch_of(annotated, _start(rng, trace, forward) if start is None else start, count, move, room)


def _branch_to_call(rng: Random, trace: Trace, annotated: AnnotatedTrace, room: int) -> Optional[Branch]:
    """From anywhere back to a frame's call or, more often, to the entry's: what the arguments were."""
    action = rng.choice(("inv_step_call", "inv_continue", "inv_step_call"))
    if rng.random() < FORGOTTEN_SHARE and trace.events[-1].depth == 1 and trace.events[-1].event == "return":
        return _branch_from_value(rng, annotated, action, room)
    start = rng.randint(1, len(trace.events) - 1)
    target = step(trace, start, action)
    return branch_of(annotated, start, 1, lambda at: Move(action, (), target), room)


def _branch_from_value(rng: Random, annotated: AnnotatedTrace, action: str, room: int) -> Optional[Branch]:
    """From the entry's return to its call, knowing the value and at most the locals that spell the same: the inputs must be
    inferred, as when only a program's output is known."""
    program, end = annotated.program, annotated.stack(len(annotated.frames) - 1)[-1]
    kept = {name: value for name, value in end.locals.items() if value == end.value and rng.random() < 0.5}
    known = [replace(end, its=[0] * len(end.its), locals=kept, gots=())]
    keyframe = encode_keyframe(program, known)
    question = encode_action(program, action)
    delta = encode_delta(program, known, annotated.stack(0), 1)
    if len(keyframe) + len(question) + len(delta) > room:
        return None
    classes = [UNSUPERVISED] * (len(keyframe) + len(question)) + classify(delta)
    return Branch(keyframe + question + delta, classes)


def branch_of(annotated: AnnotatedTrace, start: int, count: int, move, room: int) -> Optional[Branch]:
    context = chosen_context(annotated, start, count, move, room)
    if not context.spans:
        return None
    tokens = context.tokens
    classes = [UNSUPERVISED] + [CONTEXT] * (context.keyframe_length - 1)
    for first, end in context.spans:
        classes += [UNSUPERVISED] * (first - len(classes))
        classes += classify(tokens[first:end])
    return Branch(tokens, classes)


def entry_branch(annotated: AnnotatedTrace) -> Branch:
    """The empty keyframe and the step into the entry's call."""
    program = annotated.program
    question = [table.KEYFRAME, *encode_action(program, "step_into")]
    delta = encode_delta(program, [], annotated.stack(0), 0)
    return Branch(question + delta, [UNSUPERVISED] * len(question) + classify(delta))
