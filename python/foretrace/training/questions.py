"""Branches that ask for values of expressions: a keyframe, then questions about its state with their answers."""

from __future__ import annotations

from random import Random
from typing import Dict, Iterable, List, Optional, Set

from ..language.annotate import AnnotatedTrace
from ..language.encode import keyframe_at
from ..language.errors import ProgramError
from ..language.evaluate import Answer, encode_answer, encode_checked, known_in
from ..language.frames import Frame
from ..language.literals import is_literal
from ..language.program import Program
from ..trace.events import Trace
from ..trace.replay import evaluate
from ..trace.tracer import Limits
from .batch import EVENT, OTHER, UNSUPERVISED, VALUE
from .branches import Branch, branch_behind
from .expressions import SourceExpressions, drawn_expression, own_expressions

QUESTION_COUNTS = (2, 3, 4, 5, 6)
HOVER_SHARE, HERE_SHARE, SCOPE_SHARE = 0.08, 0.4, 0.17  # the rest is drawn
EXCEPTION_SHARE = 0.35  # of the expressions that raise are kept
SECONDS = 5.0
LONG_INTEGER, LONG_FACTOR = 4, 6  # digits from which on no power or shift, and no product, is asked for


def question_branches(rng: Random, trace: Trace, annotated: AnnotatedTrace, found: SourceExpressions,
                      count: int) -> List[Branch]:
    """Up to `count` branches about as many states of the run, from one replay of `trace`."""
    asked = {i: _drawn(rng, annotated, found, i) for i in _states(rng, trace, count)}
    limits = Limits(max_events=len(trace.events) + 1, seconds=SECONDS)
    out = []
    for i, answers in evaluate(trace, {i: list(texts) for i, texts in asked.items()}, limits).items():
        branch = _branch(rng, annotated, i, asked[i], answers)
        if branch is not None:
            out.append(branch)
    return out


def _states(rng: Random, trace: Trace, count: int) -> List[int]:
    """Events to ask about: those of lines more often than others, in the order of the run."""
    chosen: Dict[int, None] = {}
    for _ in range(count * 3):
        i = rng.randrange(len(trace.events))
        if trace.events[i].event == "line" or rng.random() < 0.4:
            chosen[i] = None
        if len(chosen) == count:
            break
    return sorted(chosen)


def _drawn(rng: Random, annotated: AnnotatedTrace, found: SourceExpressions, i: int) -> Dict[str, List[int]]:
    """Expressions to ask at event i, each with the tokens of its question."""
    program, frame, scope = annotated.program, annotated.frames[i], annotated.scopes[i]
    here = list(own_expressions(found, frame.line, frame.line))
    near = list(own_expressions(found, scope.first_line, scope.last_line)) if scope is not None else []
    values = dict(frame.locals)
    slots = [name for name in program.slots if name not in found.attributes]
    attributes = [name for name in found.attributes if name in program.slots]
    out: Dict[str, List[int]] = {}
    for _ in range(rng.choice(QUESTION_COUNTS)):
        draw = rng.random()
        if draw < HERE_SHARE and here:
            text = rng.choice(here)
        elif draw < HERE_SHARE + SCOPE_SHARE and near:
            text = rng.choice(near)
        elif not values:
            continue
        elif draw > 1 - HOVER_SHARE:
            text = rng.choice(list(values))
        else:
            text = drawn_expression(rng, values, slots, attributes)
        if text not in out and _is_cheap(text, values):
            try:
                out[text] = encode_checked(program, text)  # a part of the program, or drawn: it parses
            except ProgramError:  # too long, or a name that the language does not know
                continue
    return out


def _is_cheap(text: str, values: Dict[str, str]) -> bool:
    """Whether no operator can make a value explode: one C call could neither be interrupted nor bounded."""
    powers, products = "**" in text or "<<" in text or "pow" in text, "*" in text or "range" in text
    if not (powers or products):
        return True
    longest = max((len(value) for value in values.values() if value.lstrip("-").isdigit()), default=0)
    return longest < (LONG_INTEGER if powers else LONG_FACTOR)


def _branch(rng: Random, annotated: AnnotatedTrace, i: int, asked: Dict[str, List[int]],
            answers: List[Optional[Answer]]) -> Optional[Branch]:
    branch = keyframe_branch(annotated, i)
    alone = len(branch.tokens)
    for question, answer in zip(asked.values(), answers):
        if answer is None or (answer[0] == "exception" and rng.random() >= EXCEPTION_SHARE):
            continue
        known = known_in(annotated.program, annotated.frames[i], question)
        add_question(branch, known, encode_answer(annotated.program, Answer(*answer), known))
    return branch if len(branch.tokens) > alone else None


def keyframe_branch(annotated: AnnotatedTrace, i: int) -> Branch:
    """The keyframe of event i, to which `add_question` adds."""
    return branch_behind(keyframe_at(annotated, i))


def exchange(program: Program, frame: Frame, text: str, answer: Answer) -> "Optional[tuple[List[int], List[int]]]":
    """(question, answer) for an expression in a frame, as they are written; None where it cannot be asked, and where its workings tell it."""
    try:
        question = known_in(program, frame, encode_checked(program, text))
    except ProgramError:  # too long, or a name that the language cannot ask for
        return None
    return None if is_literal(question[1:]) else (question, encode_answer(program, answer, question))


def asked_branch(annotated: AnnotatedTrace, i: int, room: int, most: int, drawn: "Iterable[tuple[str, Answer]]") -> Optional[Branch]:
    """The keyframe of event i and at most `most` of the drawn expressions with their answers, within `room` tokens; None if there is room for none."""
    branch = keyframe_branch(annotated, i)
    asked: Set[str] = set()
    for text, answer in drawn:
        if len(asked) == most:
            break
        found = None if text in asked else exchange(annotated.program, annotated.frames[i], text, answer)
        if found is None:
            continue
        if len(branch.tokens) + sum(map(len, found)) > room:
            break
        asked.add(text)
        add_question(branch, *found)
    return branch if asked else None


def add_question(branch: Branch, question: List[int], written: List[int]) -> None:
    """Adds a question and its written answer to a branch."""
    branch.tokens.extend(question + written)
    branch.classes.extend([UNSUPERVISED] * len(question) + [EVENT] + [VALUE] * (len(written) - 2) + [OTHER])
