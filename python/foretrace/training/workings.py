"""Workings as exercises: a state and the questions that a step from there begins with, each with CPython's answer.

A step's here line has the values of its expressions in training as in serving; served, they are the model's own answers to these questions
(docs/trace-language.md, section 9).
"""

from __future__ import annotations

from random import Random
from typing import Optional

from ..language import tokens as T
from ..language.annotate import AnnotatedTrace
from ..language.truth import asked_workings
from .branches import Branch
from .questions import add_question, keyframe_branch

MOST_QUESTIONS = 12
OTHER_LINES = 8  # of the same function, besides the line about to run


def working_branch(rng: Random, annotated: AnnotatedTrace, i: int, room: int) -> Optional[Branch]:
    """The keyframe of event i, which is a `line` event, and what steps from its line and from others of its function, were they to run
    there, need worked out, within `room` tokens; None if that is nothing."""
    program, frame, scope = annotated.program, annotated.frames[i], annotated.scopes[i]
    others = [line for line in scope.lines if line != frame.line] if scope is not None else []
    branch = keyframe_branch(annotated, i)
    asked: set = set()
    enters = rng.random() < 0.5
    for line in [frame.line, *rng.sample(others, min(OTHER_LINES, len(others)))]:
        for question, answer in asked_workings(program, program.line_tokens(line), frame, enters):
            if len(asked) == MOST_QUESTIONS or len(branch.tokens) + len(question) + len(answer) + 1 > room:
                return branch if asked else None
            if (line == frame.line or answer[0] == T.VALUE) and tuple(question) not in asked:
                asked.add(tuple(question))
                add_question(branch, list(question), [*answer, T.END])
    return branch if asked else None
