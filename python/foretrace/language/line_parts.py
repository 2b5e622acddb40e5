"""The expressions of a line of code that is one simple statement, or the head of an `if`, `elif`, `while` or `for`."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

from . import tokens as T
from .code_cursor import CodeCursor, read
from .expression_parts import ExpressionParser
from .operators import AUGMENTED
from .parts import Part

_W = T.WORDS
_COMMA, _COLON, _EQUALS = (T.CHARS[char] for char in ",:=")


class Line(NamedTuple):
    """What a line computes. values: what its step shows by itself (what is assigned, but not by `+=` and its like, returned or yielded, a
    condition, what a loop goes over); inner: what it needs besides (indices of what is assigned to, the right side of `+=` and its like, the
    condition of an `assert`)."""

    values: tuple[Part, ...]
    inner: tuple[Part, ...] = ()


def line(code: Sequence[int]) -> Optional[Line]:
    """The expressions of a line that is one simple statement, or the head of an `if`, `elif`, `while` or `for` with its colon at the end;
    None for other lines."""
    return read(code, lambda cursor: _LineParser(cursor).line())


class _LineParser:
    def __init__(self, code: CodeCursor):
        self.code = code
        self.expressions = ExpressionParser(code)

    def line(self) -> Line:
        token = self.code.peek()
        if token in (_W["if"], _W["elif"], _W["while"]):
            return self.head(self.code.at + 1)
        if token == _W["for"]:
            self.code.at += 1
            self.expressions.targets()
            self.code.expect(_W["in"])
            return self.head(self.code.at)
        if token in (_W["return"], _W["yield"]):
            self.code.at += 1
            return Line(() if self.code.is_at_end() else (self.expressions.several(),))
        if token == _W["assert"]:
            self.code.at += 1
            found = self.expressions.single()
            if self.code.takes(_COMMA):
                self.expressions.single()
            return Line((), (found,))
        return self.statement()

    def head(self, at: int) -> Line:
        self.code.at = at
        found = self.expressions.several()
        self.code.expect(_COLON)
        return Line((found,))

    def statement(self) -> Line:
        """An expression, or an assignment of any kind."""
        found = self.expressions.several()
        targets: list[Part] = []
        if self.code.takes(_COLON):
            self.expressions.single()
            if self.code.is_at_end():
                return Line(())
            targets, found = [found], self.assigned()
        elif self.code.takes(*AUGMENTED):
            return Line((), (*_indices(found), self.expressions.several()))
        while self.code.peek() == _EQUALS:
            targets.append(found)
            found = self.assigned()
        return Line((found,), tuple(index for target in targets for index in _indices(target)))

    def assigned(self) -> Part:
        self.code.expect(_EQUALS)
        return self.expressions.several()


def _indices(target: Part) -> "list[Part]":
    """The indices in what is assigned to, in order of evaluation."""
    if target.kind in ("display", "star"):
        return [index for part in target.parts for index in _indices(part)]
    if target.kind == "subscript":
        return [*_indices(target.parts[0]), target.parts[1]]
    return _indices(target.parts[0]) if target.kind == "attribute" else []
