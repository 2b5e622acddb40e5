"""Practice sheets: one program run on many inputs, each branch a single step that computes something.

A program's tokens serve every branch behind it, and a short keyframe with one delta is a whole exercise: three to four times as many
computed values a token as documents of one run have, and the same statement is seen with different operands.
"""

from __future__ import annotations

import re
from random import Random
from typing import List, Optional, Sequence, Tuple

from ..language import tokens as T
from ..language.annotate import AnnotatedTrace, annotate
from ..language.context import Move
from ..language.errors import EncodeError, ProgramError
from ..language.program import Program
from ..trace.events import Trace
from ..trace.state_tree import available, step
from .batch import UNSUPERVISED, Document
from .branches import Branch, alters, branch_of, changes
from .decisions import decision_branch
from .drills import drill_branch
from .positions import position_branch
from .quiz import quiz_branch
from .sums import sum_branch
from .workings import working_branch

ACTIONS = ("step_into",) * 4 + ("step_over",) * 4 + ("inv_step_into", "inv_step_over")
EASY_SHARE = 0.15  # of branches start anywhere; the others where a value changes or the way divides
ALTERED_SHARE = 0.2  # of branches start where a collection changes, if there is such a place
PAIRS = (1, 1, 2, 2, 3)
QUIZ_SHARE = 0.25  # of branches ask for values (quiz.py) or outcomes (decisions.py) instead; they are the longer ones
DECISION_SHARE = 0.4  # of those ask for outcomes
WORKINGS_SHARE = 0.2  # of branches ask for workings, where the program shows them
DRILL_SHARE = 0.15  # of branches ask for what statements leave (drills.py)
SUM_SHARE = 0.06  # of branches ask for sums (sums.py)
POSITION_SHARE = 0.18  # of branches ask for what is answered in positions (positions.py)
ATTEMPTS = 2  # draws for each branch that is wanted
_DIVIDES = re.compile(r"\s*(if|elif|while|for|try|except|with|match|case)\b")


def sheet(rng: Random, traces: Sequence[Trace], length: int, branches: int, shows_workings: bool = False) -> Optional[Document]:
    """A document of at most `length` tokens with up to `branches` branches from `traces`, runs of one program; the first one's call is
    the entry. None if the program does not fit the language or the row. shows_workings: as of Program."""
    try:
        program = Program.parse(traces[0].source, traces[0].call, shows_workings=shows_workings)
        runs = [(trace, annotate(program, trace)) for trace in traces]
    except (ProgramError, EncodeError):
        return None
    if len(program.tokens) > length * 2 // 3:
        return None
    runs = runs[:1] + _sound(runs[1:])
    lines = traces[0].source.split("\n")
    tokens, classes, lengths = list(program.tokens), [UNSUPERVISED] * len(program.tokens), [len(program.tokens)]
    seen = set()
    for _ in range(branches * ATTEMPTS):
        if len(lengths) > branches:
            break
        run, room = runs[rng.randrange(len(runs))], length - len(tokens)
        branch = _quiz(rng, run[1], room) or _exercise(rng, *run, lines, room)
        if branch is None or tuple(branch.tokens) in seen:
            continue
        seen.add(tuple(branch.tokens))
        tokens += branch.tokens
        classes += branch.classes
        lengths.append(len(branch.tokens))
    return Document(tokens, classes, lengths) if len(lengths) > 1 else None


def _sound(runs: Sequence[Tuple[Trace, AnnotatedTrace]]) -> List[Tuple[Trace, AnnotatedTrace]]:
    """Runs that raise nothing, and one that does: inputs that do not fit a statement teach little more than that."""
    raising = [run for run in runs if any(event.event == "exception" for event in run[0].events)]
    return [run for run in runs if run not in raising[1:]]


def _quiz(rng: Random, annotated: AnnotatedTrace, room: int) -> Optional[Branch]:
    """A branch of questions, for its share of the branches; None for the others, and where there is nothing to ask."""
    shares = {"quiz": QUIZ_SHARE, "drill": DRILL_SHARE, "sums": SUM_SHARE, "positions": POSITION_SHARE,
              "workings" if annotated.program.shows_workings else "step": WORKINGS_SHARE}
    kind = rng.choices([*shares, "step"], [*shares.values(), 1 - sum(shares.values())])[0]
    if kind == "step":
        return None
    quizzes = decision_branch if rng.random() < DECISION_SHARE else quiz_branch
    ask = {"quiz": quizzes, "drill": drill_branch, "sums": sum_branch, "positions": position_branch, "workings": working_branch}[kind]
    events = {decision_branch: ("line",), drill_branch: ("line",), working_branch: ("line", "return")}.get(ask, tuple(T.EVENTS))
    asked = [i for i, frame in enumerate(annotated.frames) if frame.event in events]
    try:
        return ask(rng, annotated, rng.choice(asked), room) if asked else None
    except EncodeError:
        return None


def _exercise(rng: Random, trace: Trace, annotated: AnnotatedTrace, lines: List[str], room: int) -> Optional[Branch]:
    action = rng.choice(ACTIONS)
    forward = not action.startswith("inv_")
    first, last = (0, len(trace.events) - 2) if forward else (1, len(trace.events) - 1)
    starts: Sequence[int] = range(first, last + 1)
    if rng.random() >= EASY_SHARE:
        starts = [i for i in starts if changes(trace, i, 1 if forward else -1) or _divides(trace, i, lines)]
    if rng.random() < ALTERED_SHARE:
        starts = [i for i in starts if alters(trace, i, 1 if forward else -1)] or starts
    if not starts:
        return None

    def move(at: int) -> Optional[Move]:
        if action not in available(trace, at):
            return None
        return Move(action, (), step(trace, at, action))

    try:
        return branch_of(annotated, rng.choice(starts), rng.choice(PAIRS), move, room)
    except EncodeError:
        return None


def _divides(trace: Trace, i: int, lines: List[str]) -> bool:
    event = trace.events[i]
    return event.event == "line" and _DIVIDES.match(lines[event.line - 1]) is not None

