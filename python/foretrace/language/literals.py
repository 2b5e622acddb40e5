"""Values that are literals, as tokens: what can be worked with, and whether it counts as true (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T

_C, _W = T.CHARS, T.WORDS
_QUOTES = (_C["'"], _C['"'])
_PAIRS = {_C["("]: _C[")"], _C["["]: _C["]"], _C["{"]: _C["}"]}
_FIRST_DIGITS = range(_C["1"], _C["9"] + 1)
_LITERAL = frozenset([*(_C[char] for char in "[](){},:.-+0123456789ej "), T.BYTES,
                      *(_W[word] for word in ("True", "False", "None", "inf", "nan", "set", "deque", "Counter"))])
_LONGEST_INTEGER = 9  # digits
_OPENINGS, _CLOSINGS = (_C["["], _C["{"]), (_C["]"], _C["}"])
_MUTABLE = frozenset([_C["["], _C["{"], *(_W[word] for word in ("set", "deque", "Counter"))])
_FALSE = frozenset([
    (_W["False"],), (_W["None"],), *(tuple(T.text_tokens(text)) for text in ("0", "0.0", "-0.0", "0j", "''", '""', "[]", "()", "{}")),
    (T.BYTES, *T.text_tokens("''")), *((_W[word], _C["("], _C[")"]) for word in ("set", "Counter")), (_W["deque"], *T.text_tokens("([])"))])


def is_literal(value: Sequence[int]) -> bool:
    """Whether a value is written with constants, displays and collections alone, and whole."""
    quote, at = None, 0
    open_brackets: list[int] = []
    while at < len(value):
        token = value[at]
        if token in (T.CUT, T.RAW):
            return False
        if quote is not None:
            at += token == _C["\\"]
            quote = None if token == quote else quote
        elif token in _QUOTES:
            quote = token
        elif token not in _LITERAL:
            return False
        elif token in _PAIRS:
            open_brackets.append(_PAIRS[token])
        elif token in _PAIRS.values() and (not open_brackets or open_brackets.pop() != token):
            return False
        at += 1
    return at > 0 and quote is None and not open_brackets


def integer_of(value: Sequence[int]) -> Optional[int]:
    """The integer that a value spells, if it is one of at most nine digits."""
    sign = -1 if value and value[0] == _C["-"] else 1
    digits = value[1:] if sign < 0 else value
    if not 0 < len(digits) <= _LONGEST_INTEGER or any(token not in T.DIGITS for token in digits):
        return None
    return sign * int("".join(T.NAMES[token] for token in digits))


def is_mutable(value: Sequence[int]) -> bool:
    """Whether what a literal is bound to can be changed, in it or in a part of it."""
    return any(token in _MUTABLE for token in value)


def mutable_depth(value: Sequence[int]) -> int:
    """How many lists, dicts and sets of a literal stand one within the other at most."""
    quote, depth, deepest, at = None, 0, 0, 0
    while at < len(value):
        token = value[at]
        if quote is not None:
            at += token == _C["\\"]
            quote = None if token == quote else quote
        elif token in _QUOTES:
            quote = token
        depth += quote is None and token in _OPENINGS
        depth -= quote is None and token in _CLOSINGS
        deepest = max(deepest, depth)
        at += 1
    return deepest


def is_display(value: Sequence[int]) -> bool:
    """Whether a value begins with a bracket or a quote."""
    return value[0] in _PAIRS or value[0] in _QUOTES


def truth_of_literal(value: Sequence[int]) -> bool:
    """Whether a literal counts as true."""
    return tuple(value) not in _FALSE


def truth_of_constant(tokens: tuple[int, ...]) -> Optional[bool]:
    """Whether a constant counts as true; None for those that are written in an unusual way."""
    if tokens in _FALSE:
        return False
    is_one_string = tokens[0] in _QUOTES and tokens.count(tokens[0]) == 2 and tokens[-1] == tokens[0]
    return True if tokens == (_W["True"],) or tokens[0] in _FIRST_DIGITS or is_one_string else None
