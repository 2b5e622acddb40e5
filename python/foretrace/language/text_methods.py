"""What methods of texts come to that only compare characters and put them together (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T
from .displays import QUOTES, is_text
from .items import listed
from .literals import integer_of
from .parts import Part
from .plan import Plan, Told

Value = Sequence[int]

_QUOTE = QUOTES[0]
_SPACE = chr(T.CHARS[" "])
_LONGEST = 96
"""Most tokens of what is made, quotes or brackets apart."""


def _spelled(text: Value) -> str:
    """The inside of a text, a character for each token."""
    return "".join(map(chr, text[1:-1]))


def _written(text: str) -> Value:
    return (_QUOTE, *map(ord, text), _QUOTE)


def _decided(holds: bool) -> Value:
    return (T.WORDS["True" if holds else "False"],)


def _split(text: str, given: Sequence[str], most: int) -> Value:
    if given:
        return listed([_written(piece) for piece in text.split(given[0], most)])
    # Among the characters that have tokens only the space is white.
    return listed([_written(piece) for piece in text.split(_SPACE) if piece])


_METHODS: dict[str, tuple[int, int, Callable[[str, Sequence[str], int], Value]]] = {
    "count": (1, 1, lambda text, given, most: T.text_tokens(str(text.count(given[0])))),
    "startswith": (1, 1, lambda text, given, most: _decided(text.startswith(given[0]))),
    "endswith": (1, 1, lambda text, given, most: _decided(text.endswith(given[0]))),
    "replace": (2, 2, lambda text, given, most: _written(text.replace(*given))),
    "strip": (0, 1, lambda text, given, most: _written(text.strip(*(given or [_SPACE])))),
    "lstrip": (0, 1, lambda text, given, most: _written(text.lstrip(*(given or [_SPACE])))),
    "rstrip": (0, 1, lambda text, given, most: _written(text.rstrip(*(given or [_SPACE])))),
    "split": (0, 1, _split),
}
"""By name: the least and the most texts that a method takes, and what it makes of them and of the most pieces."""
_BY_TOKEN = {T.WORDS[name]: (name, *method) for name, method in _METHODS.items()}
_SEEKING = ("count", "replace", "split")
"""Those that look for a text, which is not empty."""


def text_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """`text.split(',')`, `text.replace('a', 'b')`: where the texts are told, no question is needed."""
    callee = part.parts[0] if part.kind == "call" else None
    found = None if callee is None or callee.kind != "attribute" else _BY_TOKEN.get(code[callee.end - 1])
    text = None if found is None or callee is None else told(callee.parts[0])
    if found is None or text is None or not is_text(text):
        return None
    name, least, most_texts, make = found
    values = [told(inner) for inner in part.parts[1:]]
    if None in values:
        return None
    limit = integer_of(values[1]) if name == "split" and len(values) == 2 else None
    texts = values if limit is None else values[:1]
    if not all(map(is_text, texts)) or not least <= len(texts) <= most_texts or (limit is not None and limit < 0):
        return None
    given = [_spelled(each) for each in texts]
    if name in _SEEKING and given and given[0] == "":
        return None
    value = make(_spelled(text), given, -1 if limit is None else limit)
    return None if len(value) > _LONGEST + 2 else Plan(0, lambda value_of: value)
