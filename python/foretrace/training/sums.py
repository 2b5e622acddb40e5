"""Sums: arithmetic on integers of several digits, most of which no run came upon.

Values of programs are small, so that runs hold little arithmetic with carries; here a dozen operations cost what one costs there.
"""

from __future__ import annotations

from random import Random
from typing import Dict, Iterator, List, Optional

from ..language.annotate import AnnotatedTrace
from ..language.evaluate import Answer
from .branches import Branch
from .questions import asked_branch
from .quiz import answered, literals

MOST_QUESTIONS = 14
NAMED_SHARE = 0.3  # of operands are names of the state, if it has integers
NEGATIVE_SHARE = 0.12  # of operands of what is not asked in columns
DIGITS, DIGIT_WEIGHTS = (1, 2, 3, 4), (18, 34, 30, 18)  # longer integers are reckoned in blocks
IN_COLUMNS = (("{a} + {b}", 6), ("{a} - {b}", 7), ("{s} * {d}", 11), ("{a} + {n}", 1), ("{a} - {n}", 1), ("divmod({s}, {d})", 12))
OTHERS = (("{a} // {r}", 2), ("{a} % {r}", 3), ("{a} // {t}", 2), ("{a} % {t}", 3), ("{a} < {b}", 2), ("{a} >= {b}", 2), ("{a} == {n}", 1),
          ("{a} > {n}", 2), ("max({a}, {b})", 3), ("min({a}, {b})", 3))
"""Operations with their weights. a, b: any integers. s: 1 to 99. d: 2 to 9. t: 10 to 99. r: 10, 100 or 1000. n: near the first operand."""
COLUMNS_SHARE = 0.72  # of questions


def sum_branch(rng: Random, annotated: AnnotatedTrace, i: int, room: int) -> Optional[Branch]:
    """The keyframe of event i and questions within `room` tokens; None if there is room for none."""
    return asked_branch(annotated, i, room, MOST_QUESTIONS, _questions(rng, literals(annotated.frames[i].locals)))


def _questions(rng: Random, values: Dict[str, object]) -> "Iterator[tuple[str, Answer]]":
    names = [name for name, value in values.items() if type(value) is int]
    for _ in range(MOST_QUESTIONS):
        text = drawn(rng, names)
        answer = answered(text, values)
        if answer is not None:
            yield text, answer


def drawn(rng: Random, names: List[str]) -> str:
    """An operation on integers, `names` among them."""
    is_sum = rng.random() < COLUMNS_SHARE
    templates, weights = zip(*(IN_COLUMNS if is_sum else OTHERS))

    def operand() -> str:
        return rng.choice(names) if names and rng.random() < NAMED_SHARE else str(_integer(rng, not is_sum))

    first = operand()
    near = int(first) + rng.choice((0, 1, -1, 2, -3, 10, -10)) if first.lstrip("-").isdigit() else rng.randint(0, 20)
    return rng.choices(templates, weights)[0].format(a=first, b=operand(), s=rng.randint(1, 99), d=rng.randint(2, 9), t=rng.randint(10, 99), r=rng.choice((10, 10, 100, 1000)), n=abs(near))


def _integer(rng: Random, may_be_negative: bool) -> int:
    digits = rng.choices(DIGITS, DIGIT_WEIGHTS)[0]
    found = rng.randrange(10 ** (digits - 1) if digits > 1 else 0, 10 ** digits)
    return -found if may_be_negative and rng.random() < NEGATIVE_SHARE else found
