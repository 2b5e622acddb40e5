"""What the operators of an expression join, from `or` down to `**`."""

from __future__ import annotations

from typing import Callable

from . import tokens as T
from .code_cursor import CodeCursor
from .parts import Part

_C, _O, _W = T.CHARS, T.OPERATORS, T.WORDS
_COMPARISONS = frozenset([_C["<"], _C[">"], _W["in"], _W["is"], *(_O[name] for name in ("==", "!=", "<=", ">="))])
_BINARY = (
    (_C["|"],), (_C["^"],), (_C["&"],), (_O["<<"], _O[">>"]), (_C["+"], _C["-"]), (_C["*"], _C["/"], _O["//"], _C["%"], _C["@"]))
"""Operators of two operands, loosest first; those of one row group to the left."""
_UNARY = (_C["+"], _C["-"], _C["~"])
AUGMENTED = frozenset(_O[name] for name in ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", ">>=", "<<="))
"""The operators of augmented assignments."""


class OperatorParser:
    """`primary` reads what stands between operators."""

    def __init__(self, code: CodeCursor, primary: Callable[[], Part]):
        self.code = code
        self.primary = primary

    def either(self) -> Part:
        return self.joined("or", self.both)

    def both(self) -> Part:
        return self.joined("and", self.negation)

    def joined(self, word: str, operand) -> Part:
        first = self.code.at
        found = [operand()]
        while self.code.takes(_W[word]):
            found.append(operand())
        return found[0] if len(found) == 1 else self.code.part(word, first, tuple(found))

    def negation(self) -> Part:
        first = self.code.at
        if self.code.takes(_W["not"]):
            inner = self.negation()
            return self.code.part("not", first, (inner,))
        found = [self.binary(0)]
        while self.comparison():
            found.append(self.binary(0))
        return found[0] if len(found) == 1 else self.code.part("compare", first, found)

    def comparison(self) -> bool:
        token = self.code.peek()
        if token == _W["not"] and self.code.peek(1) == _W["in"]:
            self.code.at += 2
        elif token == _W["is"] and self.code.peek(1) == _W["not"]:
            self.code.at += 2
        elif token in _COMPARISONS:
            self.code.at += 1
        else:
            return False
        return True

    def binary(self, level: int) -> Part:
        if level == len(_BINARY):
            return self.unary()
        first = self.code.at
        found = self.binary(level + 1)
        while self.code.takes(*_BINARY[level]):
            other = self.binary(level + 1)
            found = self.code.part("binary", first, (found, other))
        return found

    def unary(self) -> Part:
        first = self.code.at
        if self.code.takes(*_UNARY):
            inner = self.unary()
            kind = "constant" if inner.kind == "constant" else "unary"
            return self.code.part(kind, first, () if kind == "constant" else (inner,))
        found = self.primary()
        if not self.code.takes(_O["**"]):
            return found
        other = self.unary()
        return self.code.part("binary", first, (found, other))
