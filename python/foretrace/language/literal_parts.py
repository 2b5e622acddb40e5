"""The constants of an expression as parts: numbers, strings with the f-strings among them, `True` and its like."""

from __future__ import annotations

from typing import Optional

from . import tokens as T
from .code_cursor import CodeCursor
from .parts import Part

_C = T.CHARS
_DOT = _C["."]
_LETTERS = range(_C["a"], _C["z"] + 1)
_QUOTES = (_C["'"], _C['"'])
_CONSTANTS = frozenset([*(T.WORDS[word] for word in ("True", "False", "None")), T.OPERATORS["..."]])


def literal_part(code: CodeCursor) -> Optional[Part]:
    """The constant that stands here; None where none does."""
    first, token = code.at, code.peek()
    if token in _QUOTES or token == T.BYTES or token == T.FSTRING:
        return _strings(code)
    if token in T.DIGITS or (token == _DOT and code.peek(1) in T.DIGITS):
        _pass_number(code)
        return code.part("constant", first)
    if token in _CONSTANTS:
        code.at += 1
        return code.part("constant", first)
    return None


def _pass_number(code: CodeCursor) -> None:
    is_hexadecimal = code.peek() == _C["0"] and code.peek(1) == _C["x"]
    seen_dot = False
    while True:
        token = code.peek()
        signed = not is_hexadecimal and token in (_C["+"], _C["-"]) and code.peek(-1) == _C["e"]
        is_dot = token == _DOT and not seen_dot and not is_hexadecimal
        if not (token in T.DIGITS or token in _LETTERS or is_dot or (signed and code.peek(1) in T.DIGITS)):
            return
        seen_dot = seen_dot or is_dot
        code.at += 1


def _strings(code: CodeCursor) -> Part:
    """Strings that stand side by side are one."""
    first, kind = code.at, "constant"
    while True:
        token = code.peek()
        if token == T.FSTRING:
            kind = "text"
            _pass_fstring(code)
        elif token in _QUOTES or token == T.BYTES:
            code.at += token == T.BYTES
            _pass_quoted(code)
        else:
            return code.part(kind, first)


def _pass_fstring(code: CodeCursor) -> None:
    depth = 0
    while True:
        if code.is_at_end():
            code.fail()
        depth += (code.peek() == T.FSTRING) - (code.peek() == T.FEND)
        code.at += 1
        if depth == 0:
            return


def _pass_quoted(code: CodeCursor) -> None:
    quote = code.peek()
    if quote not in _QUOTES:
        code.fail()
    code.at += 1
    while not code.takes(quote):
        if code.is_at_end():
            code.fail()
        code.at += 2 if code.peek() == _C["\\"] else 1
