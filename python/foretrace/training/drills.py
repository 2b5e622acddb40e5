"""Drills: a state and many statements on its values, each with what it leaves.

What a statement does to a list shows in no expression that a quiz could ask for, and a run comes upon few statements for its tokens. The
statements are asked as a line about to run is, though they stand in no line of the program: the line that would follow is that of the run, and
is not learnt.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Dict, List, Optional

from ..language import tokens as T
from ..language.annotate import AnnotatedTrace
from ..language.encode import encode_delta, encode_keyframe
from ..language.errors import EncodeError, ProgramError
from ..language.evaluate import encode_checked
from ..language.frames import Frame, Stack
from ..language.here import with_values
from ..language.truth import true_line
from ..trace.values import canonical
from .batch import LINE, OTHER, UNSUPERVISED
from .branches import Branch, branch_behind, classify
from .expressions import kind_of
from .operands import KINDS, operand
from .quiz import LONGEST_VALUE, drawn, literals
from .statement_templates import STATEMENTS

MOST_DRILLS = 10
ATTEMPTS = 3  # draws for each drill that is wanted
FRESH_SHARE = 0.6  # of the values of a state are replaced by others of their kind
EXCEPTION_SHARE = 0.3  # of the statements that raise are kept
LONGEST_LEFT = 96  # characters of a value that a statement leaves
_ACTIONS = ("step_into", "step_over")


def drill_branch(rng: Random, annotated: AnnotatedTrace, i: int, room: int) -> Optional[Branch]:
    """The keyframe of event i, which is a `line` event, with other values, and statements on these within `room` tokens; None where there is
    nothing to do, or the run goes on elsewhere."""
    program, following = annotated.program, i + 1
    if following == len(annotated) or annotated.frames[following].event != "line" or annotated.common(i, following) != annotated.depths[i] \
            or annotated.depths[i] != annotated.depths[following]:
        return None
    before = _with_fresh_values(rng, annotated.stack(i))
    frame, next_frame = before[-1], annotated.frames[following]
    values = literals(frame.locals)
    branch = branch_behind(encode_keyframe(program, before))
    scope = annotated.scopes[i]
    free = [name for name in scope.names if name not in frame.locals] if scope is not None else []
    asked: set = set()
    for _ in range(MOST_DRILLS * ATTEMPTS if values else 0):
        if len(asked) == MOST_DRILLS:
            break
        text = drawn(rng, frame.locals, values, STATEMENTS, free, is_named=True)
        after = None if text in asked else _after(text, frame, values, next_frame)
        if after is None or (after.event == "exception" and rng.random() >= EXCEPTION_SHARE):
            continue
        action = rng.choice(_ACTIONS)
        try:
            code = encode_checked(program, text)[1:]
            line = true_line(program, code, frame, action == "step_into") if program.shows_workings else code
            delta = encode_delta(program, before, [*before[:-1], after], len(before))
        except (ProgramError, EncodeError):  # too long, or a name that the language does not know
            continue
        question = [T.HERE, *with_values(program, line, frame), T.ACTIONS[action]]
        if len(branch.tokens) + len(question) + len(delta) > room:
            break
        asked.add(text)
        branch.tokens.extend([*question, *delta])
        branch.classes.extend([UNSUPERVISED] * len(question) + _learnt(delta))
    return branch if asked else None


def _with_fresh_values(rng: Random, stack: Stack) -> Stack:
    """The stack with other literals in its current frame."""
    frame = stack[-1]
    fresh: Dict[str, str] = {}
    for name in literals(frame.locals):
        kind = kind_of(frame.locals[name])
        if kind in KINDS and rng.random() < FRESH_SHARE:
            found = canonical(operand(rng, kind))
            if len(found) <= LONGEST_VALUE:
                fresh[name] = found
    return [*stack[:-1], replace(frame, locals={**frame.locals, **fresh})]


def _after(text: str, frame: Frame, values: Dict[str, object], next_frame: Frame) -> Optional[Frame]:
    """The frame when a statement has run, or has raised; None for one that is no Python, does nothing or leaves more than can be learnt."""
    left = deepcopy(values)
    try:
        code = compile(text, "<drill>", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    try:
        exec(code, {}, left)  # operations of the templates, over literals: nothing of the program runs
    except NameError:  # which a function says in other words
        return None
    except Exception as error:  # whatever the statement raises is what it leaves
        return replace(frame, event="exception", value=canonical(error))
    changed = {name: canonical(value) for name, value in left.items() if name not in values or canonical(value) != frame.locals[name]}
    if not changed or any(len(shown) > LONGEST_LEFT for shown in changed.values()):
        return None
    return replace(next_frame, locals={**frame.locals, **changed}, gots=())


def _learnt(delta: List[int]) -> List[int]:
    """The classes of a delta whose line, with its counters, is not learnt."""
    classes = classify(delta)
    at = classes.index(LINE)
    classes[at] = UNSUPERVISED
    while classes[at + 1] == OTHER and delta[at + 1] not in (T.VALUE, T.END):
        at += 1
        classes[at] = UNSUPERVISED
    return classes
