"""The values of constants in code as values are written: `0xff` is 255, `1e3` is 1000.0, two strings side by side are one
(docs/trace-language.md, section 9)."""

from __future__ import annotations

import re
from typing import Optional, Sequence

from . import tokens as T
from .digits import is_zero
from .displays import QUOTES, is_text
from .items import is_plain

_DOT, _BACKSLASH, _PLUS, _MINUS = (T.CHARS[char] for char in ".\\+-")
_LONGEST_NUMBER = 40  # tokens
_INTEGER = re.compile(r"0[xob][0-9a-f]+|[1-9]\d*|0+")

Value = Sequence[int]


def constant_value(constant: Value) -> Optional[Value]:
    """The value of a constant; None where it is not told: of bytes, imaginary numbers, and strings side by side with escapes in them."""
    if is_plain(constant):
        return constant
    if constant[0] == _PLUS:
        return constant_value(constant[1:]) if constant[1] in T.DIGITS or constant[1] == _DOT else None
    if constant[0] == _MINUS:
        return _negative(constant[1:])
    if constant[0] in T.DIGITS or constant[0] == _DOT:
        return _number_value(constant)
    return _text_value(constant) if constant[0] in QUOTES else None


def _negative(constant: Value) -> Optional[Value]:
    value = _number_value(constant) if constant[0] in T.DIGITS or constant[0] == _DOT else None
    return value if value is None or is_zero(value) else (_MINUS, *value)


def _number_value(constant: Value) -> Optional[Value]:
    if len(constant) > _LONGEST_NUMBER or not all(T.CHAR_BASE <= token < T.BYTE_BASE for token in constant):
        return None
    text = "".join(T.NAMES[token] for token in constant).replace("_", "").lower()
    if _INTEGER.fullmatch(text):
        return T.text_tokens(str(int(text, 0)))
    if text.endswith("j") or not ("." in text or "e" in text):
        return None
    return T.text_tokens(repr(float(text)))


def _text_value(constant: Value) -> Optional[Value]:
    """Strings in code are written as values are, each by itself."""
    texts: list[Value] = []
    at = 0
    while at < len(constant):
        quote, end = constant[at], at + 1
        while end < len(constant) and constant[end] != quote:
            end += 2 if constant[end] == _BACKSLASH else 1
        if quote not in QUOTES or end >= len(constant):
            return None
        texts.append(constant[at:end + 1])
        at = end + 1
    if len(texts) < 2:
        return texts[0]
    if not all(map(is_text, texts)):
        return None
    return (QUOTES[0], *(token for text in texts for token in text[1:-1]), QUOTES[0])
