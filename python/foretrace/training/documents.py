"""One document from one traced program: its tokens, and branches of several kinds behind them."""

from __future__ import annotations

import ast
from random import Random
from typing import Iterator, Optional

from ..language.annotate import AnnotatedTrace, annotate
from ..language.errors import EncodeError, ProgramError
from ..language.program import Program
from ..trace.events import Trace
from ..trace.policy import ANY_SHARE
from .batch import UNSUPERVISED, Document
from .branches import Branch, entry_branch, transition_branch
from .edits import edited_run
from .expressions import SourceExpressions
from .questions import question_branches

ENTRY_SHARE = 0.25  # of documents also show the entry's call, predicted from the empty keyframe
HIDDEN_SHARE = 0.15  # of documents have an entry that hides its arguments
# One replay serves several branches: fewer documents with more branches each cost less.
QUESTIONS_SHARE = 0.48  # of documents ask for values
QUESTION_BRANCHES = (1, 2, 3, 4)  # at most a third of all
EDITED_SHARE = 0.4  # of documents have an edited run
EDITED_BRANCHES = (1, 2, 3, 4)  # likewise
MAX_BRANCHES = 16
MIN_BRANCH_TOKENS = 12


def document(rng: Random, trace: Trace, length: int, branches: int = MAX_BRANCHES,
             replays: bool = True, any_share: float = ANY_SHARE, shows_values: bool = True,
             shows_workings: bool = False, writes_patches: bool = True) -> Optional[Document]:
    """A document of at most `length` tokens, or None if the program or its states do not fit the language or the row.

    A short run gets fewer branches, so that few of its transitions occur twice. With `replays` the program is run
    again in this process, for values of expressions and for edited variables; without, the document has neither.
    any_share: of actions are any that is available, the rest single steps (trace/policy.py). shows_values, shows_workings,
    writes_patches: as of Program."""
    if len(trace.events) < 2:
        return None
    try:
        hidden = rng.random() < HIDDEN_SHARE
        call = hidden_entry(trace.call) if hidden else trace.call
        program = Program.parse(trace.source, call, shows_values, shows_workings, writes_patches)
        if len(program.tokens) > length * 2 // 3:
            return None
        annotated = annotate(program, trace)
        tokens, lengths, seen = list(program.tokens), [len(program.tokens)], set()
        classes = [UNSUPERVISED] * len(tokens)
        wanted = min(branches, 2 + len(trace.events) * 2 // 3)
        for branch in _branches(rng, trace, annotated, wanted, lambda: length - len(tokens), replays, any_share):
            if len(branch.tokens) > length - len(tokens) or tuple(branch.tokens) in seen:
                continue
            seen.add(tuple(branch.tokens))
            tokens += branch.tokens
            classes += branch.classes
            lengths.append(len(branch.tokens))
    except (ProgramError, EncodeError):
        return None
    return Document(tokens, classes, lengths) if len(lengths) > 1 else None


def hidden_entry(call: str) -> str:
    """The entry with its arguments hidden: `f([1], k=2)` is `f(...)`. Raises ProgramError (invalid_entry)."""
    try:
        node = ast.parse(call.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        node = None
    if not isinstance(node, ast.Call):
        raise ProgramError("invalid_entry", f"expected one call expression, got {call[:80]!r}")
    return f"{ast.get_source_segment(call.strip(), node.func)}(...)"


def _branches(rng: Random, trace: Trace, annotated: AnnotatedTrace, count: int, room, replays: bool,
              any_share: float) -> Iterator[Branch]:
    """Up to `count` branches: the entry's call, edited runs and questions first, so that a full row has them too."""
    if not annotated.program.hidden_arguments and rng.random() < ENTRY_SHARE:
        count -= 1
        yield entry_branch(annotated)
    if replays:
        for branch in _replayed(rng, trace, annotated, count // 3, room, any_share):
            count -= 1
            yield branch
    for _ in range(count):
        if room() < MIN_BRANCH_TOKENS:
            return
        branch = transition_branch(rng, trace, annotated, room(), None, any_share)
        if branch is not None:
            yield branch


def _replayed(rng: Random, trace: Trace, annotated: AnnotatedTrace, most: int, room,
              any_share: float) -> Iterator[Branch]:
    """Branches that need the program to run again, at most `most` of a kind."""
    with_questions, with_edits = rng.random() < QUESTIONS_SHARE, rng.random() < EDITED_SHARE
    if not (with_questions or with_edits) or most < 1:
        return
    found = SourceExpressions(annotated.program)
    if with_questions:
        yield from question_branches(rng, trace, annotated, found, min(most, rng.choice(QUESTION_BRANCHES)))
    if with_edits:
        edited = edited_run(rng, trace, annotated, found)
        if edited is None:
            return
        made, at = edited
        states = annotate(annotated.program, made)
        starts = [at] + [rng.randint(at, len(made.events) - 2) for _ in range(min(most, rng.choice(EDITED_BRANCHES)) - 1)]
        for start in starts:
            branch = transition_branch(rng, made, states, room(), start, any_share)
            if branch is not None:
                yield branch
