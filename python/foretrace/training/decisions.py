"""Decisions: a state and many conditions on its values, each with what it comes to.

A run decides few branches, and half of all guesses are right; here a dozen decisions cost what one costs there. The conditions are
asked as a line about to run is, though most of them stand in no line of the program: the answer ends where the outcome is known, so that
nothing is said about a line that would follow.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from random import Random
from typing import Dict, List, Optional

from ..language import tokens as T
from ..language.annotate import AnnotatedTrace
from ..language.errors import ProgramError
from ..language.evaluate import encode_checked
from ..language.here import with_values
from ..language.program import Program
from ..language.truth import true_line
from .batch import OTHER, UNSUPERVISED
from .branches import Branch
from .questions import keyframe_branch
from .quiz import drawn, literals
from .quiz_templates import DECIDING

MOST_DECISIONS = 14
ATTEMPTS = 4  # draws for each decision that is wanted
OWN_SHARE = 0.4  # of draws are conditions of the program
LONGEST_CONDITION = 60  # characters
_WORDS = (T.WORDS["if"], T.WORDS["if"], T.WORDS["while"], T.WORDS["elif"])
_ACTIONS = (T.ACTIONS["step_into"], T.ACTIONS["step_over"])
_COLON = T.CHARS[":"]
_PURE = {name: getattr(__import__("builtins"), name) for name in
         "len any all isinstance int str float bool list tuple dict set abs sum min max sorted ord chr range reversed divmod round".split()}
_METHODS = frozenset("startswith endswith isdigit isalpha isalnum isupper islower isspace lower upper strip split get count index find keys values "
                     "items issubset".split())
_REFUSED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, ast.Pow, ast.LShift, ast.Mult)


def decision_branch(rng: Random, annotated: AnnotatedTrace, i: int, room: int) -> Optional[Branch]:
    """The keyframe of event i, which is a `line` event, and decisions on its values within `room` tokens; None if there is nothing to decide."""
    program, frame = annotated.program, annotated.frames[i]
    values = literals(frame.locals)
    if not values:
        return None
    own = own_conditions(program, values)
    branch = keyframe_branch(annotated, i)
    asked: set = set()
    for _ in range(MOST_DECISIONS * ATTEMPTS):
        if len(asked) == MOST_DECISIONS:
            break
        text = rng.choice(own) if own and rng.random() < OWN_SHARE else drawn(rng, frame.locals, values, DECIDING)
        outcome = None if text in asked else decided(text, values)
        if outcome is None or outcome != (rng.random() < 0.5):  # as many hold as do not
            continue
        try:
            code = encode_checked(program, text)[1:]
        except ProgramError:  # too long
            continue
        line = [rng.choice(_WORDS), *code, _COLON]
        action = rng.choice(_ACTIONS)
        shown = true_line(program, line, frame, action == T.ACTIONS["step_into"]) if program.shows_workings else line
        asked_so = [T.HERE, *with_values(program, shown, frame), action]
        if len(branch.tokens) + len(asked_so) + 1 > room:
            break
        asked.add(text)
        branch.tokens.extend([*asked_so, T.WORDS[str(outcome)]])
        branch.classes.extend([UNSUPERVISED] * len(asked_so) + [OTHER])
    return branch if asked else None


def own_conditions(program: Program, values: Dict[str, object]) -> List[str]:
    """The conditions of the program's `if` and `while` statements that need these values alone and change nothing."""
    found = []
    for node in ast.walk(program.tree):
        if isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, ast.Constant) and _is_pure(node.test, values):
            text = ast.get_source_segment(program.source, node.test)
            if text is not None and "\n" not in text and len(text) <= LONGEST_CONDITION:
                found.append(text)
    return found


def _is_pure(test: ast.expr, values: Dict[str, object]) -> bool:
    bound = {part.id for part in ast.walk(test) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    for part in ast.walk(test):
        if isinstance(part, _REFUSED) or (isinstance(part, ast.Attribute) and part.attr not in _METHODS):
            return False
        if isinstance(part, ast.Name) and part.id not in values and part.id not in _PURE and part.id not in bound:
            return False
    return True


def decided(text: str, values: Dict[str, object]) -> Optional[bool]:
    """What CPython decides; None where it raises."""
    try:
        return bool(eval(compile(text, "<decision>", "eval", dont_inherit=True), {"__builtins__": _PURE}, deepcopy(values)))
    except Exception:  # it would decide nothing
        return None
