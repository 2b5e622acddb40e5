"""The tree of an expression of code tokens (docs/trace-language.md, section 9).

The parser works on tokens of the language, so that lines of a program, questions about a state and lines that stand in no program are
all read alike. What it does not read (a line that goes on elsewhere, `:=`, `await`, `yield`) has no tree.
"""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .code_cursor import CodeCursor, read
from .literal_parts import literal_part
from .operators import AUGMENTED, OperatorParser
from .parts import Part

_C, _O, _W = T.CHARS, T.OPERATORS, T.WORDS
_WORDS = range(T.WORD_BASE, T.OPERATOR_BASE)
_PAIRS = {_C["("]: _C[")"], _C["["]: _C["]"], _C["{"]: _C["}"]}
_DOT, _COMMA, _COLON, _EQUALS, _STAR = (_C[char] for char in ".,:=*")
_KEYWORDS = frozenset(_W[word] for word in (
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not "
    "or pass raise return try while with yield").split())
MOST_NESTED = 24


def expression(code: Sequence[int]) -> Optional[Part]:
    """The tree of one expression (`a, b` too); None if it is not read."""
    return read(code, lambda cursor: ExpressionParser(cursor).several())


class ExpressionParser:
    """Each method reads what begins here."""

    def __init__(self, code: CodeCursor):
        self.code = code
        self.operators = OperatorParser(code, self.primary)
        self.nested = 0

    def several(self) -> Part:
        """Expressions with commas between them make a tuple."""
        first = self.code.at
        found = [self.item()]
        while self.code.takes(_COMMA):
            if self.starts():
                found.append(self.item())
        if len(found) == 1 and self.code.peek(-1) != _COMMA:
            return found[0]
        return self.code.part("display", first, found)

    def starts(self) -> bool:
        """Whether an expression can begin here."""
        token = self.code.peek()
        ends = token in (T.END, _EQUALS, _COLON, *_PAIRS.values()) or token in AUGMENTED
        return not ends and (token not in _KEYWORDS or token in (_W["not"], _W["lambda"]))

    def item(self) -> Part:
        first = self.code.at
        if self.code.takes(_STAR):
            inner = self.operators.binary(0)
            return self.code.part("star", first, (inner,))
        return self.single()

    def single(self) -> Part:
        """One expression without commas; in brackets within brackets up to MOST_NESTED of them."""
        if self.nested == MOST_NESTED:
            self.code.fail()
        self.nested += 1
        found = self.chosen()
        self.nested -= 1
        return found

    def chosen(self) -> Part:
        first = self.code.at
        if self.code.takes(_W["lambda"]):
            bound = self.parameters()
            body = self.single()
            return self.code.part("lambda", first, (body,), bound)
        found = self.operators.either()
        if not self.code.takes(_W["if"]):
            return found
        condition = self.operators.either()
        self.code.expect(_W["else"])
        other = self.single()
        return self.code.part("ternary", first, (condition, found, other))

    def parameters(self) -> frozenset[int]:
        """The names of a lambda without defaults, up to its colon."""
        bound = set()
        while not self.code.takes(_COLON):
            token = self.code.peek()
            if token in T.SLOTS:
                bound.add(token)
            elif token not in (_COMMA, _STAR, _O["**"], _C["/"]):
                self.code.fail()
            self.code.at += 1
        return frozenset(bound)

    def primary(self) -> Part:
        first = self.code.at
        found = self.atom()
        while True:
            if self.code.peek() == _C["("]:
                arguments = self.arguments()
                found = self.code.part("call", first, (found, *arguments))
            elif self.code.takes(_C["["]):
                index = self.index()
                found = self.code.part("subscript", first, (found, index))
            elif self.code.peek() == _DOT and (self.code.peek(1) in T.SLOTS or self.code.peek(1) in _WORDS):
                self.code.at += 2
                found = self.code.part("attribute", first, (found,))
            else:
                return found

    def arguments(self) -> "list[Part]":
        self.code.expect(_C["("])
        found: list[Part] = []
        while not self.code.takes(_C[")"]):
            first = self.code.at
            if self.code.takes(_STAR, _O["**"]):
                inner = self.single()
                found.append(self.code.part("star", first, (inner,)))
            elif self.code.peek(1) == _EQUALS and (self.code.peek() in T.SLOTS or self.code.peek() in _WORDS):
                self.code.at += 2
                inner = self.single()
                found.append(self.code.part("keyword", first, (inner,)))
            else:
                inner = self.single()
                found.append(self.comprehension("generator", first, [inner]) if self.code.peek() == _W["for"] else inner)
            if self.code.peek() != _C[")"]:
                self.code.expect(_COMMA)
        return found

    def index(self) -> Part:
        first = self.code.at
        found = [self.slice()]
        while self.code.takes(_COMMA):
            if self.code.peek() != _C["]"]:
                found.append(self.slice())
        is_one = len(found) == 1 and self.code.peek(-1) != _COMMA
        made = found[0] if is_one else self.code.part("display", first, found)
        self.code.expect(_C["]"])
        return made

    def slice(self) -> Part:
        first = self.code.at
        bounds: list[Part] = []
        colons = 0
        while True:
            if self.code.takes(_COLON):
                colons += 1
                if colons > 2:
                    self.code.fail()
            elif self.code.peek() in (_COMMA, _C["]"]):
                break
            else:
                bounds.append(self.single())
                if self.code.peek() not in (_COLON, _COMMA, _C["]"]):
                    self.code.fail()
        if colons == 0:
            if len(bounds) != 1:
                self.code.fail()
            return bounds[0]
        return self.code.part("slice", first, bounds)

    def atom(self) -> Part:
        first, token = self.code.at, self.code.peek()
        if token in _PAIRS:
            return self.bracketed()
        literal = literal_part(self.code)
        if literal is not None:
            return literal
        if token in T.SLOTS or (token in _WORDS and token not in _KEYWORDS):
            self.code.at += 1
            return self.code.part("name", first)
        self.code.fail()

    def bracketed(self) -> Part:
        first, opening = self.code.at, self.code.peek()
        closing = _PAIRS[opening]
        self.code.at += 1
        found: list[Part] = []
        while not self.code.takes(closing):
            items = self.entry(opening)
            if self.code.peek() == _W["for"]:
                if found:
                    self.code.fail()
                made = self.comprehension("generator" if opening == _C["("] else "comprehension", first, items)
                self.code.expect(closing)
                return made._replace(end=self.code.at, until=self.code.at)
            found += items
            if self.code.peek() != closing:
                self.code.expect(_COMMA)
        if opening == _C["("] and len(found) == 1 and self.code.peek(-2) != _COMMA:
            return found[0]._replace(begin=first, until=self.code.at)
        return self.code.part("display", first, found)

    def entry(self, opening: int) -> "list[Part]":
        """One item of a display: of a dict its key and its value."""
        first = self.code.at
        if opening == _C["{"]:
            if self.code.takes(_O["**"]):
                inner = self.operators.binary(0)
                return [self.code.part("star", first, (inner,))]
            key = self.item()
            return [key, self.single()] if self.code.takes(_COLON) else [key]
        return [self.item()]

    def comprehension(self, kind: str, first: int, items: "list[Part]") -> Part:
        """The clauses behind the items of a comprehension that begins at `first`."""
        bound: set[int] = set()
        iterables: list[Part] = []
        others: list[Part] = list(items)
        while self.code.peek() in (_W["for"], _W["if"]):
            if self.code.takes(_W["if"]):
                others.append(self.operators.either())
                continue
            self.code.at += 1
            begin = self.code.at
            self.targets()
            bound |= {token for token in self.code.since(begin) if token in T.SLOTS}
            self.code.expect(_W["in"])
            iterables.append(self.operators.either())
        return self.code.part(kind, first, (*iterables, *others), frozenset(bound))

    def targets(self) -> None:
        """What a loop assigns to, up to its `in`."""
        while True:
            self.code.takes(_STAR)
            self.primary()
            if not self.code.takes(_COMMA):
                return
            if self.code.peek() == _W["in"]:
                return
