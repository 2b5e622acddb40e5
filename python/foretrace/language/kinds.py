"""What a told value is: whether it is of a type, and the numbers of characters (docs/trace-language.md, section 9)."""

from __future__ import annotations

import re
from typing import FrozenSet, Optional, Sequence

from . import tokens as T
from .displays import QUOTES, is_mapping, is_sequence, is_set, is_text
from .literals import integer_of, truth_of_literal
from .parts import Part
from .plan import Plan, Told

_ROUND, _SQUARE, _BACKSLASH = (T.CHARS[char] for char in "([\\")
_ISINSTANCE, _INT, _ORD, _CHR = (T.WORDS[name] for name in ("isinstance", "int", "ord", "chr"))
_TRUE, _FALSE, _NONE = (T.WORDS[name] for name in ("True", "False", "None"))
_TYPES = {T.WORDS[name]: name for name in ("int", "float", "str", "bool", "list", "tuple", "dict", "set")}

Value = Sequence[int]


def kind_plan(code: Value, part: Part, told: Told) -> Optional[Plan]:
    """`isinstance(x, int)`, `ord('a')`, `chr(97)`, `int('12')`, `int('101', 2)`: the value that is told says it."""
    if part.kind != "call" or part.parts[0].kind != "name" or not 2 <= len(part.parts) <= 3:
        return None
    name, value = code[part.parts[0].first], told(part.parts[1])
    if value is None:
        return None
    asked = part.parts[2] if len(part.parts) == 3 else None
    if name == _ISINSTANCE and asked is not None:
        found = _is_of(code, value, asked)
    elif name == _INT and asked is not None:
        found = _in_base(value, told(asked))
    else:
        found = None if asked is not None else converted(name, value)
    return None if found is None else Plan(0, lambda value_of: found)


def _in_base(value: Value, base: Optional[Value]) -> Optional[Value]:
    """`int('101', 2)`: the digits of a text, in base two to 36."""
    text = "".join(_CHARACTERS.get(token, " ") for token in value[1:-1]) if is_text(value) else ""
    number = None if base is None else integer_of(base)
    if number is None or not 2 <= number <= 36 or not _DIGITS.fullmatch(text):
        return None
    is_read = all(int(digit, 36) < number for digit in text.lstrip("-"))
    return T.text_tokens(str(int(text, number))) if is_read else None


def _is_of(code: Value, value: Value, asked: Part) -> Optional[Value]:
    """Whether a value is of a type, or of one of a tuple of types; None for other types than those."""
    parts = asked.parts if asked.kind == "display" else (asked,)
    wanted = [_TYPES.get(code[inner.first]) if inner.kind == "name" else None for inner in parts]
    own = _types_of(value)
    if own is None or None in wanted:
        return None
    return (_TRUE if own.intersection(wanted) else _FALSE,)


def _types_of(value: Value) -> "Optional[FrozenSet[Optional[str]]]":
    """The types that a literal is of."""
    first = value[0]
    if len(value) == 1 and first in (_TRUE, _FALSE):
        return frozenset({"bool", "int"})
    if len(value) == 1 and first == _NONE:
        return frozenset()
    if first in QUOTES:
        return frozenset({"str"})
    if first in (_SQUARE, _ROUND):
        return frozenset({"list" if first == _SQUARE else "tuple"}) if is_sequence(value) else None
    if is_mapping(value) or is_set(value):
        return frozenset({"dict" if is_mapping(value) else "set"})
    text = "".join(_CHARACTERS.get(token, " ") for token in value)
    if _INTEGER.fullmatch(text):
        return frozenset({"int"})
    return frozenset({"float"}) if _REAL.fullmatch(text) else None


def is_number(value: Value) -> bool:
    """Whether a literal is an `int` or a `float`, and no truth value."""
    return _types_of(value) in (frozenset({"int"}), frozenset({"float"}))


_INTEGER, _REAL = re.compile(r"-?[0-9]+"), re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
_CHARACTERS = {token: char for char, token in T.CHARS.items()}
_DIGITS = re.compile(r"-?[0-9a-zA-Z]{1,64}")
_LONGEST_FLOAT = 16  # characters of a number with a point that is written as it is read
_NUMBER = re.compile(r"([+-]?)([0-9]{1,15})(\.[0-9]{1,15})?")


def converted(name: int, value: Value) -> Optional[Value]:
    """What a value is as an `int`, a `float`, a `str` or a `bool`, as the number of a character or the character of a number."""
    kind = _TYPES.get(name)
    if kind == "bool":
        return (_TRUE if truth_of_literal(value) else _FALSE,)
    if kind not in ("int", "float", "str"):
        return _character(name, value)
    types = _types_of(value) or frozenset()
    spelled = value[1:-1] if is_text(value) else value
    if not all(token in _CHARACTERS for token in spelled) or not types & {"int", "float", "str"}:
        return None
    text = "".join(_CHARACTERS[token] for token in spelled)
    if kind == "str":
        return (value if is_text(value) else None) if "str" in types else T.text_tokens(f"'{text}'")
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, digits, rest = found.groups()
    whole, minus = digits.lstrip("0") or "0", "-" if sign == "-" else ""
    if kind == "int":
        if rest is not None and "str" in types:
            return None
        return T.text_tokens(("" if whole == "0" else minus) + whole)
    fraction = ".0" if rest is None else "." + (rest[1:].rstrip("0") or "0")
    is_short = len(whole + fraction) <= _LONGEST_FLOAT and not (whole + fraction).startswith("0.0000")
    return T.text_tokens(minus + whole + fraction) if is_short else None


def _character(name: int, value: Value) -> Optional[Value]:
    """The number of a character, or the character of a number, of those that have tokens."""
    if name == _ORD:
        return T.text_tokens(str(ord(T.NAMES[value[1]]))) if is_text(value) and len(value) == 3 else None
    number = integer_of(value) if name == _CHR else None
    token = None if number is None or number < 0 else T.CHARS.get(chr(number) if number < 128 else "")
    if token is None or token == _BACKSLASH:
        return None
    quote = QUOTES[token == QUOTES[0]]
    return (quote, token, quote)
