"""One document from one traced program: its tokens, and branches of the state tree as keyframe, actions and deltas."""

from __future__ import annotations

from random import Random
from typing import List, Optional, Sequence, Tuple

from ..language import tokens as table
from ..language.annotate import AnnotatedTrace, annotate
from ..language.context import Move, chosen_context
from ..language.encode import encode_action, encode_delta, keyframe_at
from ..language.errors import EncodeError, ProgramError
from ..language.program import Program
from ..trace.events import Trace
from ..trace.policy import choose_action
from ..trace.state_tree import step
from .batch import CONTEXT, EVENT, LINE, OTHER, UNSUPERVISED, VALUE, Document

PAIR_COUNTS = (1, 2, 3, 4, 5, 6, 7)
PAIR_WEIGHTS = (30, 20, 15, 12, 10, 8, 5)  # short branches too: a session may predict straight from a keyframe
FORWARD_SHARE = 0.65
CHANGED_SHARE = 0.5  # of branches look for a start whose next step changes a value
CHANGED_ATTEMPTS = 4
ENTRY_SHARE = 0.25  # of documents also show the entry's call, predicted from the empty keyframe
MAX_BRANCHES = 10
MIN_BRANCH_TOKENS = 12

_EVENT_TOKENS = frozenset(table.EVENTS.values())
_STRUCTURE = frozenset((table.POP, table.PUSH, table.END, table.VALUE, table.GOT, table.IT, table.DEL))


def classify(delta: Sequence[int]) -> List[int]:
    """The class of each token of a delta: event, line, value (the spelling of values), other (names, marks, counts)."""
    classes, inside, previous = [], False, -1
    for token in delta:
        if token in _EVENT_TOKENS:
            kind, inside = EVENT, False
        elif table.LINE_BASE <= token < table.LINE_BASE + table.LINE_COUNT:
            kind, inside = LINE, False
        elif token in _STRUCTURE:
            kind, inside = OTHER, token in (table.VALUE, table.GOT)
        elif table.SLOT_BASE <= token < table.SLOT_BASE + table.SLOT_COUNT and previous != table.REF:
            kind, inside = OTHER, True
        else:
            kind = VALUE if inside else OTHER
        classes.append(kind)
        previous = token
    return classes


def _changes(trace: Trace, i: int, direction: int) -> bool:
    """Whether the neighbouring event shows a value that event i does not."""
    here, there = trace.events[i], trace.events[i + direction]
    if there.frame != here.frame:
        return bool(there.locals) and direction > 0
    return there.locals != here.locals or there.value is not None


def _start(rng: Random, trace: Trace, forward: bool) -> int:
    first, last = (0, len(trace.events) - 2) if forward else (1, len(trace.events) - 1)
    at = rng.randint(first, last)
    if rng.random() < CHANGED_SHARE:
        for _ in range(CHANGED_ATTEMPTS):
            if _changes(trace, at, 1 if forward else -1):
                break
            at = rng.randint(first, last)
    return at


def _branch(rng: Random, trace: Trace, annotated: AnnotatedTrace,
            room: int) -> Optional[Tuple[List[int], List[int]]]:
    """(tokens, classes) of a keyframe and at least one action with its delta within `room` tokens, else None."""
    forward = rng.random() < FORWARD_SHARE
    count = rng.choices(PAIR_COUNTS, PAIR_WEIGHTS)[0]

    def move(at: int) -> Optional[Move]:
        chosen = choose_action(rng, trace, at, reverse=not forward)
        return Move(*chosen, step(trace, at, *chosen)) if chosen else None

    start = _start(rng, trace, forward)
    context = chosen_context(annotated, start, count, move, room)
    if not context.spans:
        return None
    classes = [UNSUPERVISED] + [CONTEXT] * (len(keyframe_at(annotated, start)) - 1)
    classes += [UNSUPERVISED] * (len(context.tokens) - len(classes))
    for first, end in context.spans:
        classes[first:end] = classify(context.tokens[first:end])
    return context.tokens, classes


def _entry_branch(annotated: AnnotatedTrace) -> Tuple[List[int], List[int]]:
    """(tokens, classes) of the empty keyframe and the step into the entry's call."""
    program = annotated.program
    question = [table.KEYFRAME, *encode_action(program, "step_into")]
    delta = encode_delta(program, [], annotated.stack(0), 0)
    return question + delta, [UNSUPERVISED] * len(question) + classify(delta)


def document(rng: Random, trace: Trace, length: int, branches: int = MAX_BRANCHES) -> Optional[Document]:
    """A document of at most `length` tokens, or None if the program or its states do not fit the language or the row.

    A short run gets fewer branches, so that few of its transitions occur twice."""
    if len(trace.events) < 2:
        return None
    try:
        program = Program.parse(trace.source, trace.call)
        if len(program.tokens) > length * 2 // 3:
            return None
        annotated = annotate(program, trace)
        tokens, lengths, seen = list(program.tokens), [len(program.tokens)], set()
        classes = [UNSUPERVISED] * len(tokens)
        for _ in range(min(branches, 2 + len(trace.events) // 2)):
            room = length - len(tokens)
            if room < MIN_BRANCH_TOKENS:
                break
            entry = len(lengths) == 1 and rng.random() < ENTRY_SHARE
            branch = _entry_branch(annotated) if entry else _branch(rng, trace, annotated, room)
            if entry and len(branch[0]) > room:
                branch = None
            if branch is not None and tuple(branch[0]) not in seen:
                seen.add(tuple(branch[0]))
                tokens += branch[0]
                classes += branch[1]
                lengths.append(len(branch[0]))
    except (ProgramError, EncodeError):
        return None
    return Document(tokens, classes, lengths) if len(lengths) > 1 else None
