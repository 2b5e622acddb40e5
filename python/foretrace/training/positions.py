"""Practice of what is asked in positions: operations on strings and collections that are longer than those of most runs."""

from __future__ import annotations

from random import Random
from typing import Dict, Iterator, List, Mapping, Optional, Tuple

from ..language.annotate import AnnotatedTrace
from ..language.evaluate import Answer
from ..trace.values import canonical
from .branches import Branch
from .expressions import kind_of
from .operands import character, long_text, operand
from .questions import asked_branch
from .quiz import answered, literals

MOST_QUESTIONS = 9
ATTEMPTS = 2  # draws for each question that is wanted: what is made of others is not asked
LONGEST_ANSWER = 120  # characters
NAMED_SHARE = 0.25  # of operands are names of the state, if it has one of their kind
LONG_SHARE = 0.4  # of strings are long
KIND_WEIGHTS = {"str": 10, "list": 8, "dict": 1, "set": 1, "tuple": 1}

TEXT = (
    ("{a}.rfind({e})", 3), ("{a}.partition({e})", 1), ("{a}.removeprefix({p})", 1), ("{a}.removesuffix({q})", 1),
    ("max({a})", 1), ("min({a})", 1), ("{a} == {o}", 2), ("{a} != {o}", 1), ("{a} < {o}", 5), ("{a} < {e}", 2), ("{a} > {o}", 1), ("{a} <= {p}", 1),
    ("{x} < {y}", 9), ("{y} > {x}", 1),
)
SEQUENCE = (
    ("max({a})", 2), ("min({a})", 2), ("{a}.count({e})", 2), ("dict(zip({a}, {b}))", 1), ("any({a})", 1), ("all({a})", 1), ("{a} == {o}", 1),
    ("{a} != {o}", 1),
)
COLLECTION = (("max({a})", 1), ("min({a})", 1))
TEMPLATES: Mapping[str, Tuple[Tuple[str, int], ...]] = {"str": TEXT, "list": SEQUENCE, "tuple": SEQUENCE, "dict": COLLECTION, "set": COLLECTION}
"""Operations with their weights, but those that their operands tell. a, b: operands of the kind, b like a, o much like it. e: something that may be
in it. p, q: what it may begin and end with. x, y: any characters."""


def position_branch(rng: Random, annotated: AnnotatedTrace, i: int, room: int) -> Optional[Branch]:
    """The keyframe of event i and questions within `room` tokens; None if there is room for none."""
    return asked_branch(annotated, i, room, MOST_QUESTIONS, _questions(rng, literals(annotated.frames[i].locals)))


def _questions(rng: Random, values: Dict[str, object]) -> "Iterator[tuple[str, Answer]]":
    for _ in range(MOST_QUESTIONS * ATTEMPTS):
        text = drawn(rng, values)
        answer = answered(text, values, LONGEST_ANSWER)
        if answer is not None and answer.outcome == "value":
            yield text, answer


def drawn(rng: Random, values: Dict[str, object]) -> str:
    """An operation on a string or a collection; some are bound to names, with their values."""
    kind = rng.choices(*zip(*KIND_WEIGHTS.items()))[0]
    named = [name for name, value in values.items() if kind_of(canonical(value)) == kind]
    name = rng.choice(named) if named and rng.random() < NAMED_SHARE else None
    value = values[name] if name else long_text(rng) if kind == "str" and rng.random() < LONG_SHARE else operand(rng, kind)
    other = _like(rng, kind, value)
    items = list(value)  # type: ignore[call-overload]
    text = value if isinstance(value, str) else ""
    few = _few(rng)
    return rng.choices(*zip(*TEMPLATES[kind]))[0].format(
        a=name or canonical(value), b=canonical(other), o=canonical(_altered(rng, value)), e=canonical(_within(rng, items, text)),
        p=canonical(text[:rng.randint(1, 3)] if rng.random() < 0.7 else few), q=canonical(text[-rng.randint(1, 3):] if rng.random() < 0.7 else few),
        x=canonical(character(rng)), y=canonical(character(rng)))


def _few(rng: Random) -> str:
    return "".join(rng.choices("-, _abxyzO*.", k=rng.choice((0, 1, 1, 1, 2, 2, 3))))


def _within(rng: Random, items: List[object], text: str) -> object:
    """Something that may or may not be in the value: an item, a piece of a text, or what looks like them."""
    if text and rng.random() < 0.75:
        at = rng.randrange(len(text))
        return text[at:at + rng.choice((1, 1, 1, 2, 2, 3))]
    if items and not text and rng.random() < 0.7:
        return rng.choice(items)
    return _few(rng) or "a" if text or (items and isinstance(items[0], str)) else rng.randrange(100)


def _like(rng: Random, kind: str, value: object) -> object:
    """Another value of the kind, which has some of the same items."""
    other = operand(rng, kind)
    if isinstance(value, set) and value:
        return set(rng.sample(sorted(value, key=canonical), rng.randint(0, len(value)))) | set(list(other)[:4])  # type: ignore[call-overload]
    return other


def _altered(rng: Random, value: object) -> object:
    """The value, perhaps with one item more, less, or another one; or the other way round."""
    if not isinstance(value, (str, list, tuple)) or not value or rng.random() < 0.4:
        return value
    if rng.random() < 0.3:
        return value[::-1]
    at, spare = rng.randrange(len(value)), operand(rng, "str") or "x"
    items: List[object] = list(value)
    items[at:at + rng.randint(0, 1)] = rng.choice(([], [spare[0]] if isinstance(value, str) else [rng.choice(items)]))
    return "".join(map(str, items)) if isinstance(value, str) else type(value)(items)
