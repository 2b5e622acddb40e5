"""`python -m foretrace corpus operations`: single operations on values of growing size, for `eval operations`.

One JSON object a line: {"id", "operation", "size", "locals", "expression", "value"}. `size`: 0 to 3, how long the values are; `locals`: the
canonical reprs of the names in the expression; `value`: that of what CPython says it is worth. Values are drawn: no run came upon them.
"""

from __future__ import annotations

import argparse
import json
import string
import sys
from pathlib import Path
from random import Random
from typing import Callable, Dict, Iterator, List, Tuple

from ..trace.values import canonical

SIZES = ((2, 4), (5, 8), (9, 14), (15, 24))  # characters or items
DIGITS = (1, 2, 3, 4)  # of integers, by size
LONGEST_VALUE = 110  # characters
DONE, FAILED = 0, 1

_INTEGERS = ("a + b", "a - b", "a * b", "a * {d}", "a // {d}", "a % {d}", "a < b", "a == b", "max(a, b)", "-a", "abs(a)", "str(a)", "a ** 2")
_TEXT = (
    "len(s)", "s[::-1]", "s[{i}:]", "s[:{i}]", "s[-{n}:]", "s[{i}:{j}]", "s[::{d}]", "s[{i}]", "s[-{n}]", "s.upper()", "s.swapcase()", "s.title()",
    "s.replace({c!r}, {r!r})", "s.replace({p!r}, {r!r})", "s.count({c!r})", "s.find({c!r})", "s.rfind({c!r})", "s.index({p!r})", "s.strip({f!r})",
    "s.split({c!r})", "s.split()", "s.partition({c!r})", "list(s)", "sorted(s)", "set(s)", "'-'.join(s)", "s + {r!r} + s", "s * {d}", "{c!r} in s",
    "{r!r} in s", "s.startswith({p!r})", "s == s[::-1]", "s.isalpha()", "s.ljust({w}, '*')", "s.zfill({w})", "s.removeprefix({f!r})", "ord(s[{i}])",
)
_ITEMS = (
    "len(xs)", "xs[::-1]", "xs[{i}:]", "xs[:{i}]", "xs[-{n}:]", "xs[::{d}]", "xs[{i}]", "xs[-{n}]", "sorted(xs)", "sorted(xs, reverse=True)", "max(xs)",
    "min(xs)", "xs.count({c!r})", "xs.index({c!r})", "{c!r} in xs", "{r!r} not in xs", "xs + [{c!r}]", "xs * 2", "set(xs)", "tuple(xs)",
    "list(enumerate(xs))", "list(zip(xs, xs[1:]))",
)
_NUMBERS = (*_ITEMS, "sum(xs)", "any(xs)", "[x * 2 for x in xs]", "[x for x in xs if x > {n}]")
_WORDS = (*_ITEMS, "' '.join(xs)", "sorted(xs, key=len)", "max(xs, key=len)", "[x.upper() for x in xs]")
_MAPPING = (
    "len(d)", "d[{c!r}]", "d.get({c!r}, 0)", "d.get({r!r}, 0)", "{c!r} in d", "list(d)", "list(d.values())", "list(d.items())", "sorted(d)",
    "sorted(d.items())", "sum(d.values())", "max(d.values())",
)
_SETS = ("a | b", "a & b", "a - b", "a ^ b", "len(a)", "sorted(a)", "a <= b", "a.union(b)")
_LETTERS = string.ascii_lowercase


def _text(rng: Random, size: int) -> str:
    """Of words, of letters, or of few different characters."""
    look = rng.random()
    if look < 0.35:
        words = " ".join("".join(rng.choices(_LETTERS, k=rng.randint(2, 6))) for _ in range(size))
        return words[:size]
    pool = _LETTERS if look < 0.7 else rng.sample(_LETTERS + "ABC019 ,-", 4)
    text = "".join(rng.choices(pool, k=size))
    return "".join(char.upper() if rng.random() < 0.4 else char for char in text) if rng.random() < 0.25 else text


def _integer(rng: Random, digits: int) -> int:
    return rng.randrange(10 ** (digits - 1), 10 ** digits) * (-1 if rng.random() < 0.15 else 1)


def _numbers(rng: Random, size: int) -> List[int]:
    return [rng.randint(-999, 9999) if size % 5 == 0 else rng.randint(-20, 99) for _ in range(size)]


def _words(rng: Random, size: int) -> List[str]:
    return [_text(rng, rng.randint(1, 6)) for _ in range(size)]


def _mapping(rng: Random, size: int) -> Dict[str, int]:
    return {_text(rng, rng.randint(1, 5)): rng.randint(-9, 99) for _ in range(size)}


def _pair(rng: Random, size: int) -> "Dict[str, object]":
    first = set(_numbers(rng, size))
    return {"a": first, "b": set(rng.sample(sorted(first), len(first) // 2)) | set(_numbers(rng, size // 2))}


def _divided(rng: Random, digits: int) -> "Dict[str, object]":
    return {"a": _integer(rng, digits + 1), "b": rng.randrange(10, 10 ** rng.randint(2, 3))}


def _powers(rng: Random, digits: int) -> "Dict[str, object]":
    return {"k": rng.randint(2, 4 * digits), "n": rng.randint(3, 3 + 2 * digits)}


def _decimals(rng: Random, digits: int) -> "Dict[str, object]":
    """Two that have as many digits before the point, or an integer for one of them."""
    one, other = (round(rng.random() * 10 ** digits, rng.randint(1, 3)) for _ in range(2))
    return {"x": one, "y": round(other) if rng.random() < 0.5 else other}


_KINDS: "Dict[str, Tuple[Tuple[str, ...], int, Callable[[Random, int, int], Dict[str, object]]]]" = {
    "int": (_INTEGERS, 4, lambda rng, size, digits: {"a": _integer(rng, digits), "b": _integer(rng, digits)}),
    "str": (_TEXT, 4, lambda rng, size, digits: {"s": _text(rng, size)}),
    "list of int": (_NUMBERS, 3, lambda rng, size, digits: {"xs": _numbers(rng, size)}),
    "list of str": (_WORDS, 2, lambda rng, size, digits: {"xs": _words(rng, size)}),
    "dict": (_MAPPING, 2, lambda rng, size, digits: {"d": _mapping(rng, size)}),
    "set": (_SETS, 2, lambda rng, size, digits: _pair(rng, size)),
    "division": (("a // b", "a % b", "divmod(a, b)"), 4, lambda rng, size, digits: _divided(rng, digits)),
    "fraction": (("a / t",), 4, lambda rng, size, digits: {"a": _integer(rng, digits), "t": rng.choice((2, 4, 5, 8, 10, 20, 25, 100))}),
    "power": (("k ** n",), 4, lambda rng, size, digits: _powers(rng, digits)),
    "decimals": (("x < y", "x >= y"), 4, lambda rng, size, digits: _decimals(rng, digits)),
}
"""Of each kind its operations, how many of the sizes it has, and what draws the values."""


def operations(count: int, seed: int = 0) -> Iterator[dict]:
    """`count` cases of each operation and size; fewer where one raises or its value is long."""
    rng = Random(seed)
    for kind, (templates, sizes, draw) in _KINDS.items():
        for template in templates:
            for size, (least, most) in enumerate(SIZES[:sizes]):
                for number in range(count):
                    values = draw(rng, rng.randint(least, most), DIGITS[size])
                    expression = _written(rng, template, next(iter(values.values())))
                    try:
                        shown = canonical(eval(expression, {}, dict(values)))  # of the templates above, over what was drawn
                    except (ValueError, KeyError, IndexError):
                        continue
                    if len(shown) <= LONGEST_VALUE:
                        yield {"id": f"{kind}: {template} #{size}.{number}", "operation": f"{kind}: {template}", "size": size,
                               "locals": {name: canonical(value) for name, value in values.items()}, "expression": expression, "value": shown}


def _written(rng: Random, template: str, value: object) -> str:
    """The expression, with constants that fit the value: c: one of its items; p: a piece of a text, f: its beginning; r: something else."""
    items: List[object] = [value] if isinstance(value, (int, float)) else list(value)  # type: ignore[call-overload]
    at, size = rng.randrange(len(items)), len(items)
    text = value if isinstance(value, str) else ""
    other = "".join(rng.choices("xyz*-", k=rng.randint(0, 2))) if not items or isinstance(items[0], str) else rng.randint(-20, 99)
    return template.format(i=at, j=rng.randint(at, size), n=rng.randint(1, size), d=rng.choice((2, 3)), c=items[at], p=text[at:at + 2], f=text[:1], r=other,
                           w=size + rng.randint(1, 4))


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--count", type=int, default=20, help="cases of each operation and size, default 20")
    parser.add_argument("--seed", type=int, default=0, help="decides what is drawn")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")


def main(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Run the command. Returns 0 (done) or 1 (failed); exits with 2 on wrong usage."""
    if options.count < 1:
        parser.error(f"--count: a positive number is expected, not {options.count}")
    written = 0
    try:
        with open(options.out, "w", encoding="utf-8") as file:
            for case in operations(options.count, options.seed):
                file.write(json.dumps(case, ensure_ascii=False) + "\n")
                written += 1
    except OSError as error:
        print(f"foretrace corpus operations: {error}", file=sys.stderr)
        return FAILED
    print(f"{written} operations")
    return DONE
