"""Random values for arguments and literals, drawn from a small pool shared by one program.

A program's values come from one pool of integers, characters and words, so that comparisons, searches and keys
hit often instead of almost never.
"""

from __future__ import annotations

import random
import string

from . import types as T
from .vocabulary import WORDS

LETTERS = string.ascii_lowercase
PUNCTUATION = "!#$%&*+-./:;=?@_~,"
SEPARATORS = (",", " ", "-", "_", ":", ";", "/", "|", ", ", "+", ".", "=")


class Pool:
    """Source of random values of every type and kind for one program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.integers = [self.fresh_integer() for _ in range(4)]
        self.words = [self.fresh_string() for _ in range(4)]
        self.characters = [rng.choice(LETTERS) for _ in range(3)] + [rng.choice(LETTERS + string.digits + "AEST -")]
        self.separator = rng.choice(SEPARATORS)

    def fresh_integer(self) -> int:
        """An integer: mostly 0-99, sometimes negative or up to four digits."""
        rng = self.rng
        part = rng.random()
        if part < 0.38:
            return rng.randrange(10)
        if part < 0.78:
            return rng.randrange(10, 100)
        if part < 0.9:
            return -rng.randrange(1, 60)
        if part < 0.96:
            return rng.randrange(100, 1000)
        return rng.randrange(1000, 10000)

    def integer(self) -> int:
        return self.rng.choice(self.integers) if self.rng.random() < 0.35 else self.fresh_integer()

    def decimal(self) -> float:
        """A float of few digits."""
        rng = self.rng
        part = rng.random()
        if part < 0.4:
            return rng.randrange(-20, 200) / 2
        if part < 0.8:
            return rng.randrange(-100, 1000) / 10
        return rng.randrange(0, 2000) / 100

    def fresh_string(self) -> str:
        """A string of one to ten characters or so, of one of several looks."""
        rng = self.rng
        part = rng.random()
        size = rng.randrange(1, 9)
        if part < 0.3:
            word = rng.choice(WORDS)
            look = rng.random()
            if look < 0.7:
                return word
            return word.upper() if look < 0.8 else word.capitalize() if look < 0.9 else swap_some(rng, word)
        if part < 0.5:
            return "".join(rng.choices(LETTERS, k=size))
        if part < 0.6:
            return "".join(rng.choices(string.ascii_letters, k=size))
        if part < 0.7:
            few = rng.sample(LETTERS, 3)
            return "".join(rng.choices(few, k=size))
        if part < 0.77:
            return "".join(rng.choices(string.digits, k=rng.randrange(1, 6)))
        if part < 0.87:
            return "".join(rng.choices(LETTERS + string.digits, k=size))
        if part < 0.94:
            return "".join(rng.choices(string.ascii_letters + string.digits + PUNCTUATION + " ", k=size))
        return rng.choice(WORDS) + " " + rng.choice(WORDS)

    def text(self) -> str:
        """A string; rarely empty, often a word of the pool or made of the pool's characters."""
        rng = self.rng
        part = rng.random()
        if part < 0.03:
            return ""
        if part < 0.3:
            return rng.choice(self.words)
        if part < 0.45:
            return "".join(rng.choices(self.characters, k=rng.randrange(1, 8)))
        if part < 0.55:
            return (rng.choice(self.words) + rng.choice(self.characters) + rng.choice(self.words))[:14]
        return self.fresh_string()

    def character(self) -> str:
        rng = self.rng
        part = rng.random()
        if part < 0.45:
            return rng.choice(self.characters)
        if part < 0.8:
            word = rng.choice(self.words)
            return rng.choice(word)
        return rng.choice(string.ascii_letters + string.digits + PUNCTUATION)

    def part_of(self, text: str) -> str:
        """A short piece of a string; a character of the pool when it is empty."""
        if not text:
            return self.character()
        start = self.rng.randrange(len(text))
        return text[start : start + self.rng.choice((1, 1, 2, 2, 3))]

    def words_list(self, low: int = 0, high: int = 5) -> list[str]:
        size = self.rng.randint(max(low, 1), high) if self.rng.random() < 0.95 else low
        return [self.text() for _ in range(size)]

    def integers_list(self, low: int = 0, high: int = 6) -> list[int]:
        rng = self.rng
        size = rng.randint(max(low, 1), high) if rng.random() < 0.95 else low
        look = rng.random()
        if look < 0.3:
            return [rng.randrange(10) for _ in range(size)]
        if look < 0.45:
            few = [self.fresh_integer() for _ in range(3)]
            return [rng.choice(few) for _ in range(size)]
        if look < 0.55:
            return sorted(self.integer() for _ in range(size))
        return [self.integer() for _ in range(size)]

    def value(self, kind: str):
        """A random Python value of a type or kind."""
        maker = _MAKERS.get(kind)
        if maker is None:
            raise KeyError(f"no values for kind {kind!r}")
        return maker(self)

    def knows(self, kind: str) -> bool:
        """Whether there are values of the kind."""
        return kind in _MAKERS

    def literal(self, kind: str) -> str:
        return literal(self.value(kind))


def swap_some(rng: random.Random, word: str) -> str:
    return "".join(c.upper() if rng.random() < 0.4 else c for c in word)


def literal(value) -> str:
    """Source text of a value, the same for every hash seed."""
    if isinstance(value, (set, frozenset)):
        if not value:
            return "set()"
        return "{" + ", ".join(sorted((repr(item) for item in value), key=lambda text: (len(text), text))) + "}"
    return repr(value)


def _lines(pool: Pool) -> str:
    return "\n".join(pool.rng.choice(WORDS) for _ in range(pool.rng.randint(1, 3)))


def _sentence(pool: Pool) -> str:
    return " ".join(pool.rng.choice(WORDS) if pool.rng.random() < 0.7 else pool.rng.choice(pool.words)
                    for _ in range(pool.rng.randint(1, 4)))[:28].strip() or "so"


def _delimited(pool: Pool) -> str:
    rng = pool.rng
    if rng.random() < 0.4:
        parts = [str(rng.randrange(100)) for _ in range(rng.randint(1, 5))]
    else:
        parts = [pool.fresh_string()[:5] for _ in range(rng.randint(1, 4))]
    return pool.separator.join(parts)


def _padded(pool: Pool) -> str:
    rng = pool.rng
    fill = rng.choice((" ", " ", " ", "*", "-", "0", "x", ".", "\t", "\n"))
    return fill * rng.randrange(4) + pool.fresh_string() + fill * rng.randrange(4)


def _spaced(pool: Pool) -> str:
    rng = pool.rng
    return rng.choice((" ", "  ", "\t")).join(pool.fresh_string()[:4] for _ in range(rng.randint(1, 3)))


def _dictionary(pool: Pool, key: str, value: str) -> dict:
    return {pool.value(key): pool.value(value) for _ in range(pool.rng.choice((0, 1, 2, 2, 3, 3, 4)))}


def _key(pool: Pool) -> str:
    rng = pool.rng
    part = rng.random()
    if part < 0.4:
        return rng.choice(pool.words)[:6]
    return rng.choice(LETTERS) if part < 0.7 else rng.choice(WORDS)[:6]


_MAKERS = {
    T.INT: Pool.integer,
    T.FLOAT: Pool.decimal,
    T.BOOL: lambda p: p.rng.random() < 0.5,
    T.STR: Pool.text,
    T.LIST_INT: lambda p: p.integers_list(),
    T.LIST_STR: lambda p: p.words_list(),
    T.MATRIX: lambda p: [[p.rng.randrange(20) for _ in range(p.rng.randint(1, 3))] for _ in range(p.rng.randint(1, 3))],
    T.DICT_STR_INT: lambda p: _dictionary(p, "key", T.INT),
    T.DICT_INT_STR: lambda p: _dictionary(p, T.INT, "key"),
    T.DICT_STR_LIST: lambda p: {_key(p): p.integers_list(0, 3) for _ in range(p.rng.randint(1, 3))},
    T.SET_INT: lambda p: set(p.integers_list(0, 5)),
    T.SET_STR: lambda p: {_key(p) for _ in range(p.rng.randint(0, 4))},
    T.PAIR_INT: lambda p: (p.integer(), p.integer()),
    T.PAIR_STR_INT: lambda p: (_key(p), p.integer()),
    T.TUPLE_INT: lambda p: tuple(p.integers_list(0, 5)),
    T.PAIRS: lambda p: [(_key(p), p.integer()) for _ in range(p.rng.randint(0, 4))],
    T.OPTIONAL_INT: lambda p: None if p.rng.random() < 0.4 else p.integer(),
    T.BYTES: lambda p: p.rng.choice(WORDS)[:5].encode(),
    T.NONE: lambda p: None,
    "index": lambda p: p.rng.choice((0, 0, 1, 1, 2, 2, 3, -1, -1, -2)),
    "count": lambda p: p.rng.choice((0, 1, 2, 2, 3, 3, 4)),
    "width": lambda p: p.rng.randrange(3, 14),
    "nonzero": lambda p: p.rng.choice((1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 12, 16, 25, 3, 5, -3, 100)),
    "positive": lambda p: p.rng.randrange(1, 10) if p.rng.random() < 0.4 else p.rng.randrange(1, 200),
    "digit": lambda p: p.rng.randrange(10),
    "exponent": lambda p: p.rng.choice((0, 1, 2, 2, 2, 3, 3, 4)),
    "shift": lambda p: p.rng.randrange(5),
    "code": lambda p: p.rng.choice((p.rng.randrange(97, 123), p.rng.randrange(65, 91), p.rng.randrange(48, 58))),
    "base": lambda p: p.rng.choice((2, 2, 3, 4, 8, 16)),
    "places": lambda p: p.rng.choice((0, 1, 1, 2)),
    "element": Pool.integer,
    "positive_float": lambda p: p.rng.randrange(1, 400) / p.rng.choice((1, 2, 4, 10)),
    "char": Pool.character,
    "letter": lambda p: p.rng.choice(LETTERS) if p.rng.random() < 0.7 else p.rng.choice(LETTERS).upper(),
    "sub": lambda p: p.part_of(p.rng.choice(p.words)) if p.rng.random() < 0.6 else p.character(),
    "key": _key,
    "separator": lambda p: p.separator if p.rng.random() < 0.8 else p.rng.choice(SEPARATORS),
    "number_text": lambda p: str(p.fresh_integer()),
    "float_text": lambda p: str(p.decimal()),
    "binary_text": lambda p: "".join(p.rng.choices("01", k=p.rng.randint(1, 7))),
    "hex_text": lambda p: "".join(p.rng.choices("0123456789abcdef", k=p.rng.randint(1, 3))),
    "tiny_text": lambda p: "".join(p.rng.choices(LETTERS, k=p.rng.randint(1, 3))),
    "method_name": lambda p: p.rng.choice(("upper", "lower", "title", "strip", "swapcase")),
    "json_text": lambda p: repr(p.integers_list(0, 4)),
    "spaced": _spaced,
    "padded": _padded,
    "delimited": _delimited,
    "lines": _lines,
    "sentence": _sentence,
    "filled_ints": lambda p: p.integers_list(2, 6),
    "sorted_ints": lambda p: sorted(p.integers_list(1, 6)),
    "filled_words": lambda p: p.words_list(2, 5),
}
