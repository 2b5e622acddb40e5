"""Quizzes: a state and many short questions about its values, each one operation of the kind that most lines of programs are made of.

A condition is one right token in a whole branch otherwise, and half of all guesses at it are right; here ten of them cost what one costs
there. The values are literals, so that the answers are CPython's without running the program again.
"""

from __future__ import annotations

import ast
from random import Random
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..language.annotate import AnnotatedTrace
from ..language.evaluate import Answer
from ..trace.values import canonical
from .branches import Branch
from .expressions import kind_of
from .operands import KINDS, operand
from .questions import asked_branch
from .quiz_templates import TEMPLATES

MOST_QUESTIONS = 12
LONGEST_VALUE = 48  # characters
LONGEST_INTEGER = 5  # digits
EXCEPTION_SHARE = 0.15  # of the questions that raise are kept
WRITTEN_SHARE = 0.3  # of operands are written as values
LONGEST_WRITTEN = 24  # characters
FRESH_SHARE = 0.4  # of questions, where their kind has any, are about values that are not the state's (operands.py)
ATTEMPTS = 3  # draws for each question that is wanted


def quiz_branch(rng: Random, annotated: AnnotatedTrace, i: int, room: int) -> Optional[Branch]:
    """The keyframe of event i and questions about its values within `room` tokens; None if there is nothing to ask."""
    return asked_branch(annotated, i, room, MOST_QUESTIONS, _questions(rng, annotated, i))


def _questions(rng: Random, annotated: AnnotatedTrace, i: int) -> "Iterator[tuple[str, Answer]]":
    texts = annotated.frames[i].locals
    values, free = literals(texts), [name for name in annotated.program.slots if name not in texts]
    for _ in range(MOST_QUESTIONS * ATTEMPTS if values else 0):
        text = drawn(rng, texts, values, free=free)
        answer = answered(text, values)
        if answer is not None and (answer.outcome == "value" or rng.random() < EXCEPTION_SHARE):
            yield text, answer


def literals(texts: Dict[str, str]) -> Dict[str, object]:
    """The values whose canonical texts are literals, short and not cut."""
    found = {}
    for name, text in texts.items():
        if len(text) > LONGEST_VALUE or kind_of(text) == "other":
            continue
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError):
            continue
        if canonical(value) == text and not (type(value) is int and len(text) > LONGEST_INTEGER):
            found[name] = value
    return found


def drawn(rng: Random, texts: Dict[str, str], values: Dict[str, object],
          templates: Mapping[str, Tuple[str, ...]] = TEMPLATES, free: Sequence[str] = (), is_named: bool = False) -> str:
    """An expression over the values, with constants near them: whoever guesses is wrong as often as right. free: names that the
    program knows and the state does not, for comprehensions and to assign to. is_named: its first operand is one of the state's names."""
    names = list(values)
    name = rng.choice(names)
    kind, value = kind_of(texts[name]), values[name]
    same = [other for other in names if other != name and kind_of(texts[other]) == kind]
    lists = [other for other in names if kind_of(texts[other]) == "list"]
    integers = [other for other in names if kind_of(texts[other]) == "int"]
    asked = name if is_named else _written(rng, texts, name)
    second = _written(rng, texts, rng.choice(same) if same else name)
    if kind in KINDS and rng.random() < FRESH_SHARE:
        if not is_named:
            value = operand(rng, kind)
            asked = canonical(value)
        if rng.random() < FRESH_SHARE or not same:
            second = canonical(operand(rng, kind))
    size = value if kind == "int" else len(value) if kind in ("str", "list", "tuple", "dict", "set") else 3
    near, divisor = size + rng.choice((0, 0, 1, -1, 2, -3, 7, -10)), rng.randint(2, 9)

    targets = rng.sample([*names, *free], min(2, len(names) + len(free)))

    def index() -> str:
        if integers and rng.random() < 0.4:
            return rng.choice(integers)
        return str(rng.randint(-1, max(0, size - 1))) if kind != "int" else "0"

    return rng.choice(templates[kind]).format(
        a=asked, b=second, c=rng.choice((1, 2, 3, 5, 10, 12)), d=divisor, m=rng.choice((0, 0, 1)),
        n=near, o=near + rng.randint(1, 20), e=_item(rng, value), k=_item(rng, value), i=index(), j=index(),
        v=rng.choice(free) if free else name, w=max(1, near), t=targets[0], u=targets[-1], xs=rng.choice(lists) if lists else f"[{near}, {size}]")


def _written(rng: Random, texts: Dict[str, str], name: str) -> str:
    """The name, or its value as it stands in a line that was worked out."""
    return texts[name] if rng.random() < WRITTEN_SHARE and len(texts[name]) <= LONGEST_WRITTEN else name


def _item(rng: Random, value: object) -> str:
    """Something that may or may not be in the value."""
    if isinstance(value, str):
        return repr(rng.choice(value) if value and rng.random() < 0.6 else rng.choice("aeist0 -"))
    items: List[object] = list(value) if isinstance(value, (list, tuple, dict, set)) else []
    if items and rng.random() < 0.6:
        found = repr(rng.choice(items))
        if len(found) <= 16:
            return found
    strings = any(isinstance(item, str) for item in items)
    return repr(rng.choice(("a", "key", "x") if strings else (0, 1, 4, 9, 25)))


def answered(text: str, values: Dict[str, object], longest: int = LONGEST_VALUE) -> Optional[Answer]:
    """What CPython answers; None for an expression that is no Python or whose value has more than `longest` characters."""
    try:
        code = compile(text, "<quiz>", "eval", dont_inherit=True)
    except SyntaxError:
        return None
    try:
        shown = canonical(eval(code, {}, dict(values)))  # expressions of the templates above, over literals: nothing of the program runs
    except Exception as error:  # whatever the operation raises is the answer
        return Answer("exception", canonical(error))
    return Answer("value", shown) if len(shown) <= longest else None
