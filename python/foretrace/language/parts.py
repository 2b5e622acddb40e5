"""The expressions of one line of code tokens, as a tree (docs/trace-language.md, section 9).

The parser works on tokens of the language, so that lines of a program, questions about a state and lines that stand in no program are
all read alike. What it does not read (a line that goes on elsewhere, `:=`, `await`, `yield`) has no tree.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn, Optional, Sequence

from . import tokens as T

_C, _O, _W = T.CHARS, T.OPERATORS, T.WORDS
_WORDS = range(T.WORD_BASE, T.OPERATOR_BASE)
_LETTERS = range(_C["a"], _C["z"] + 1)
_QUOTES = (_C["'"], _C['"'])
_PAIRS = {_C["("]: _C[")"], _C["["]: _C["]"], _C["{"]: _C["}"]}
_DOT, _COMMA, _COLON, _EQUALS, _STAR = (_C[char] for char in ".,:=*")
_KEYWORDS = frozenset(_W[word] for word in (
    "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not "
    "or pass raise return try while with yield").split())
_CONSTANTS = frozenset(_W[word] for word in ("True", "False", "None"))
_COMPARISONS = frozenset([_C["<"], _C[">"], _W["in"], _W["is"], *(_O[name] for name in ("==", "!=", "<=", ">="))])
_BINARY = (
    (_C["|"],), (_C["^"],), (_C["&"],), (_O["<<"], _O[">>"]), (_C["+"], _C["-"]), (_STAR, _C["/"], _O["//"], _C["%"], _C["@"]))
"""Operators of two operands, loosest first; those of one row group to the left."""
_UNARY = (_C["+"], _C["-"], _C["~"])
AUGMENTED = frozenset(_O[name] for name in ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", ">>=", "<<="))


class Part(NamedTuple):
    """An expression: the tokens `code[first:end]`, without brackets around it, and the expressions in it. `code[begin:until]` are the same
    with the brackets that only group.

    kind: constant, name, text (an f-string), display, comprehension, generator, lambda, attribute, call, subscript, slice, star, keyword,
    unary, not, binary, compare, and, or, ternary. parts, in order of evaluation but for these: of a call the callee first; of a ternary the
    condition, what it is if that holds, what it is else; of a comprehension or generator expression the first iterable, then all else.
    bound: slots that one of these or a lambda binds.
    """

    kind: str
    first: int
    end: int
    parts: "tuple[Part, ...]" = ()
    bound: frozenset[int] = frozenset()
    begin: int = 0
    until: int = 0


NAMED = ("name", "attribute")
"""Kinds of parts whose values a state may tell."""


class Line(NamedTuple):
    """What a line computes. values: what its step shows by itself (what is assigned, but not by `+=` and its like, or returned, a
    condition, what a loop goes over); inner: what it needs besides (indices of what is assigned to, the right side of `+=` and its like)."""

    values: tuple[Part, ...]
    inner: tuple[Part, ...] = ()


MOST_NESTED = 24


class _Unread(Exception):
    """The tokens are none of what is read here."""


def expression(code: Sequence[int]) -> Optional[Part]:
    """The tree of one expression (`a, b` too); None if it is not read."""
    parser = _Parser(code)
    try:
        found = parser.several()
        parser.finish()
    except (_Unread, RecursionError):
        return None
    return found


def line(code: Sequence[int]) -> Optional[Line]:
    """The expressions of a line that is one simple statement, or the head of an `if`, `elif`, `while` or `for` with its colon at the end;
    None for other lines."""
    parser = _Parser(code)
    try:
        found = parser.line()
        parser.finish()
    except (_Unread, RecursionError):
        return None
    return found


class _Parser:
    def __init__(self, code: Sequence[int]):
        self.code = code
        self.at = 0
        self.nested = 0

    def part(self, kind: str, first: int, parts: "Sequence[Part]" = (), bound: frozenset[int] = frozenset()) -> Part:
        """The part from `first` to here."""
        return Part(kind, first, self.at, tuple(parts), bound, first, self.at)

    # Tokens.

    def peek(self, ahead: int = 0) -> int:
        at = self.at + ahead
        return self.code[at] if at < len(self.code) else T.END

    def takes(self, *tokens: int) -> bool:
        """Whether one of these comes next; it is passed over."""
        found = self.peek() in tokens
        self.at += found
        return found

    def expect(self, token: int) -> None:
        if not self.takes(token):
            self.fail()

    def fail(self) -> NoReturn:
        raise _Unread

    def finish(self) -> None:
        if self.at < len(self.code):
            self.fail()

    # Lines.

    def line(self) -> Line:
        token = self.peek()
        if token in (_W["if"], _W["elif"], _W["while"]):
            return self.head(self.at + 1)
        if token == _W["for"]:
            self.at += 1
            self.targets()
            self.expect(_W["in"])
            return self.head(self.at)
        if token == _W["return"]:
            self.at += 1
            return Line((self.several(),) if self.at < len(self.code) else ())
        if token == _W["assert"]:
            self.at += 1
            found = self.single()
            if self.takes(_COMMA):
                self.single()
            return Line((found,))
        return self.statement()

    def head(self, at: int) -> Line:
        self.at = at
        found = self.several()
        self.expect(_COLON)
        return Line((found,))

    def statement(self) -> Line:
        """An expression, or an assignment of any kind."""
        found = self.several()
        targets: list[Part] = []
        if self.takes(_COLON):
            self.single()
            if self.at == len(self.code):
                return Line(())
            targets, found = [found], self.assigned()
        elif self.takes(*AUGMENTED):
            return Line((), (*_indices(found), self.several()))
        while self.peek() == _EQUALS:
            targets.append(found)
            found = self.assigned()
        return Line((found,), tuple(index for target in targets for index in _indices(target)))

    def assigned(self) -> Part:
        self.expect(_EQUALS)
        return self.several()

    # Expressions.

    def several(self) -> Part:
        """Expressions with commas between them make a tuple."""
        first = self.at
        found = [self.item()]
        while self.takes(_COMMA):
            if self.starts():
                found.append(self.item())
        if len(found) == 1 and self.code[self.at - 1] != _COMMA:
            return found[0]
        return self.part("display", first, found)

    def starts(self) -> bool:
        """Whether an expression can begin here."""
        token = self.peek()
        ends = token in (T.END, _EQUALS, _COLON, *_PAIRS.values()) or token in AUGMENTED
        return not ends and (token not in _KEYWORDS or token in (_W["not"], _W["lambda"]))

    def item(self) -> Part:
        first = self.at
        if self.takes(_STAR):
            inner = self.binary(0)
            return self.part("star", first, (inner,))
        return self.single()

    def single(self) -> Part:
        """One expression without commas; in brackets within brackets up to MOST_NESTED of them."""
        if self.nested == MOST_NESTED:
            self.fail()
        self.nested += 1
        found = self.chosen()
        self.nested -= 1
        return found

    def chosen(self) -> Part:
        first = self.at
        if self.takes(_W["lambda"]):
            bound = self.parameters()
            body = self.single()
            return self.part("lambda", first, (body,), bound)
        found = self.either()
        if not self.takes(_W["if"]):
            return found
        condition = self.either()
        self.expect(_W["else"])
        other = self.single()
        return self.part("ternary", first, (condition, found, other))

    def parameters(self) -> frozenset[int]:
        """The names of a lambda without defaults, up to its colon."""
        bound = set()
        while not self.takes(_COLON):
            token = self.peek()
            if token in T.SLOTS:
                bound.add(token)
            elif token not in (_COMMA, _STAR, _O["**"], _C["/"]):
                self.fail()
            self.at += 1
        return frozenset(bound)

    def either(self) -> Part:
        return self.joined("or", self.both)

    def both(self) -> Part:
        return self.joined("and", self.negation)

    def joined(self, word: str, operand) -> Part:
        first = self.at
        found = [operand()]
        while self.takes(_W[word]):
            found.append(operand())
        return found[0] if len(found) == 1 else self.part(word, first, tuple(found))

    def negation(self) -> Part:
        first = self.at
        if self.takes(_W["not"]):
            inner = self.negation()
            return self.part("not", first, (inner,))
        found = [self.binary(0)]
        while self.comparison():
            found.append(self.binary(0))
        return found[0] if len(found) == 1 else self.part("compare", first, found)

    def comparison(self) -> bool:
        token = self.peek()
        if token == _W["not"] and self.peek(1) == _W["in"]:
            self.at += 2
        elif token == _W["is"] and self.peek(1) == _W["not"]:
            self.at += 2
        elif token in _COMPARISONS:
            self.at += 1
        else:
            return False
        return True

    def binary(self, level: int) -> Part:
        if level == len(_BINARY):
            return self.unary()
        first = self.at
        found = self.binary(level + 1)
        while self.takes(*_BINARY[level]):
            other = self.binary(level + 1)
            found = self.part("binary", first, (found, other))
        return found

    def unary(self) -> Part:
        first = self.at
        if self.takes(*_UNARY):
            inner = self.unary()
            kind = "constant" if inner.kind == "constant" else "unary"
            return self.part(kind, first, () if kind == "constant" else (inner,))
        found = self.primary()
        if not self.takes(_O["**"]):
            return found
        other = self.unary()
        return self.part("binary", first, (found, other))

    def primary(self) -> Part:
        first = self.at
        found = self.atom()
        while True:
            if self.peek() == _C["("]:
                arguments = self.arguments()
                found = self.part("call", first, (found, *arguments))
            elif self.takes(_C["["]):
                index = self.index()
                found = self.part("subscript", first, (found, index))
            elif self.peek() == _DOT and (self.peek(1) in T.SLOTS or self.peek(1) in _WORDS):
                self.at += 2
                found = self.part("attribute", first, (found,))
            else:
                return found

    def arguments(self) -> "list[Part]":
        self.expect(_C["("])
        found: list[Part] = []
        while not self.takes(_C[")"]):
            first = self.at
            if self.takes(_STAR, _O["**"]):
                inner = self.single()
                found.append(self.part("star", first, (inner,)))
            elif self.peek(1) == _EQUALS and (self.peek() in T.SLOTS or self.peek() in _WORDS):
                self.at += 2
                inner = self.single()
                found.append(self.part("keyword", first, (inner,)))
            else:
                inner = self.single()
                found.append(self.comprehension("generator", first, [inner]) if self.peek() == _W["for"] else inner)
            if self.peek() != _C[")"]:
                self.expect(_COMMA)
        return found

    def index(self) -> Part:
        first = self.at
        found = [self.slice()]
        while self.takes(_COMMA):
            if self.peek() != _C["]"]:
                found.append(self.slice())
        is_one = len(found) == 1 and self.code[self.at - 1] != _COMMA
        made = found[0] if is_one else self.part("display", first, found)
        self.expect(_C["]"])
        return made

    def slice(self) -> Part:
        first = self.at
        bounds: list[Part] = []
        colons = 0
        while True:
            if self.takes(_COLON):
                colons += 1
                if colons > 2:
                    self.fail()
            elif self.peek() in (_COMMA, _C["]"]):
                break
            else:
                bounds.append(self.single())
                if self.peek() not in (_COLON, _COMMA, _C["]"]):
                    self.fail()
        if colons == 0:
            if len(bounds) != 1:
                self.fail()
            return bounds[0]
        return self.part("slice", first, bounds)

    # Atoms.

    def atom(self) -> Part:
        first, token = self.at, self.peek()
        if token in _PAIRS:
            return self.bracketed()
        if token in _QUOTES or token == T.BYTES or token == T.FSTRING:
            return self.strings()
        if token in T.DIGITS or (token == _DOT and self.peek(1) in T.DIGITS):
            self.number()
            return self.part("constant", first)
        if token in _CONSTANTS or token == _O["..."]:
            self.at += 1
            return self.part("constant", first)
        if token in T.SLOTS or (token in _WORDS and token not in _KEYWORDS):
            self.at += 1
            return self.part("name", first)
        self.fail()

    def number(self) -> None:
        is_hexadecimal = self.peek() == _C["0"] and self.peek(1) == _C["x"]
        seen_dot = False
        while True:
            token = self.peek()
            signed = not is_hexadecimal and token in (_C["+"], _C["-"]) and self.code[self.at - 1] == _C["e"]
            is_dot = token == _DOT and not seen_dot and not is_hexadecimal
            if not (token in T.DIGITS or token in _LETTERS or is_dot or (signed and self.peek(1) in T.DIGITS)):
                return
            seen_dot = seen_dot or is_dot
            self.at += 1

    def strings(self) -> Part:
        """Strings that stand side by side are one."""
        first, kind = self.at, "constant"
        while True:
            token = self.peek()
            if token == T.FSTRING:
                kind, depth = "text", 0
                while True:
                    if self.at == len(self.code):
                        self.fail()
                    depth += (self.peek() == T.FSTRING) - (self.peek() == T.FEND)
                    self.at += 1
                    if depth == 0:
                        break
            elif token in _QUOTES or token == T.BYTES:
                self.at += token == T.BYTES
                self.quoted()
            else:
                return self.part(kind, first)

    def quoted(self) -> None:
        quote = self.peek()
        if quote not in _QUOTES:
            self.fail()
        self.at += 1
        while not self.takes(quote):
            if self.at >= len(self.code):
                self.fail()
            self.at += 2 if self.peek() == _C["\\"] else 1

    def bracketed(self) -> Part:
        first, opening = self.at, self.peek()
        closing = _PAIRS[opening]
        self.at += 1
        found: list[Part] = []
        while not self.takes(closing):
            items = self.entry(opening)
            if self.peek() == _W["for"]:
                if found:
                    self.fail()
                made = self.comprehension("generator" if opening == _C["("] else "comprehension", first, items)
                self.expect(closing)
                return made._replace(end=self.at, until=self.at)
            found += items
            if self.peek() != closing:
                self.expect(_COMMA)
        if opening == _C["("] and len(found) == 1 and self.code[self.at - 2] != _COMMA:
            return found[0]._replace(begin=first, until=self.at)
        return self.part("display", first, found)

    def entry(self, opening: int) -> "list[Part]":
        """One item of a display: of a dict its key and its value."""
        first = self.at
        if opening == _C["{"]:
            if self.takes(_O["**"]):
                inner = self.binary(0)
                return [self.part("star", first, (inner,))]
            key = self.item()
            return [key, self.single()] if self.takes(_COLON) else [key]
        return [self.item()]

    def comprehension(self, kind: str, first: int, items: "list[Part]") -> Part:
        """The clauses behind the items of a comprehension that begins at `first`."""
        bound: set[int] = set()
        iterables: list[Part] = []
        others: list[Part] = list(items)
        while self.peek() in (_W["for"], _W["if"]):
            if self.takes(_W["if"]):
                others.append(self.either())
                continue
            self.at += 1
            begin = self.at
            self.targets()
            bound |= {token for token in self.code[begin:self.at] if token in T.SLOTS}
            self.expect(_W["in"])
            iterables.append(self.either())
        return self.part(kind, first, (*iterables, *others), frozenset(bound))

    def targets(self) -> None:
        """What a loop assigns to, up to its `in`."""
        while True:
            self.takes(_STAR)
            self.primary()
            if not self.takes(_COMMA):
                return
            if self.peek() == _W["in"]:
                return


def _indices(target: Part) -> "list[Part]":
    """The indices in what is assigned to, in order of evaluation."""
    if target.kind in ("display", "star"):
        return [index for part in target.parts for index in _indices(part)]
    if target.kind == "subscript":
        return [*_indices(target.parts[0]), target.parts[1]]
    return _indices(target.parts[0]) if target.kind == "attribute" else []
