"""Values for practice that no run came upon: longer, with more repetition and of more shapes than those of most programs."""

from __future__ import annotations

import string
from random import Random
from typing import Callable, Dict, List

from ..generator.values import Pool

VERY_LONG_TEXT = 32
LONGEST_TEXT, LONGEST_LIST, LONGEST_MAPPING = 22, 11, 6
_SHOWN = string.ascii_letters + string.digits + " .,-_:!?()[]"


def operand(rng: Random, kind: str) -> object:
    """A value of a kind (as of `expressions.kind_of`) whose values can be written down. Raises KeyError for another kind."""
    return _MAKERS[kind](rng)


def long_text(rng: Random) -> str:
    """A text that is longer than most."""
    return _text(rng, rng.randint(LONGEST_TEXT // 2, VERY_LONG_TEXT))


def character(rng: Random) -> str:
    """A character that can be typed."""
    return rng.choice(_SHOWN)


KINDS = frozenset(("int", "float", "str", "list", "tuple", "dict", "set"))
"""The kinds that `operand` knows."""


def _integer(rng: Random) -> int:
    size = rng.choice((10, 100, 100, 100, 1000, 10_000))
    return rng.randrange(size) * (-1 if rng.random() < 0.15 else 1)


def _text(rng: Random, size: int) -> str:
    """Of letters that are all alike, of few letters, of words, or of anything that can be typed."""
    look = rng.random()
    if look < 0.25:
        few = rng.sample(_SHOWN, rng.choice((1, 2, 2, 3)))
        return "".join(rng.choices(few, k=size))
    if look < 0.6:
        return "".join(rng.choices(_SHOWN, k=size))
    pool = Pool(rng)
    return "".join(pool.text() for _ in range(rng.randint(1, 3) if size <= LONGEST_TEXT else 6))[:max(size, LONGEST_TEXT)]


def _items(rng: Random) -> List[object]:
    """Integers, texts or rows; sometimes few different ones, many times."""
    size, look = rng.randint(0, LONGEST_LIST), rng.random()
    if look < 0.3:
        return [_integer(rng) for _ in range(size)]
    if look < 0.45:
        few = [rng.randrange(10) for _ in range(rng.choice((1, 2, 2, 3)))]
        return [rng.choice(few) for _ in range(size)]
    if look < 0.6:
        return [rng.randrange(10) for _ in range(size)]
    if look < 0.75:
        return [rng.choice(string.ascii_letters) for _ in range(size)]
    if look < 0.88:
        pool = Pool(rng)
        return [pool.text()[:6] for _ in range(min(size, 6))]
    width = rng.randint(1, 3)
    return [[rng.randrange(10) for _ in range(width)] for _ in range(min(size, 6))]


def _mapping(rng: Random) -> Dict[object, object]:
    size, by_text, counts = rng.randint(0, LONGEST_MAPPING), rng.random() < 0.7, rng.random() < 0.6
    pool = Pool(rng)
    keys = [pool.text()[:5] if by_text else rng.randrange(20) for _ in range(size)]
    return {key: rng.randrange(12) if counts else _integer(rng) for key in keys}


_MAKERS: Dict[str, Callable[[Random], object]] = {
    "int": _integer,
    "float": lambda rng: rng.randrange(-50, 400) / rng.choice((1, 2, 4, 10)),
    "str": lambda rng: _text(rng, rng.randint(0, LONGEST_TEXT)),
    "list": _items,
    "tuple": lambda rng: tuple(rng.randrange(100) for _ in range(rng.randint(1, 6))),
    "dict": _mapping,
    "set": lambda rng: {rng.randrange(30) for _ in range(rng.randint(1, 7))},
}
