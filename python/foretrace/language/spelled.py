"""Answers as they are written behind questions in columns and in positions (docs/trace-language.md, section 7): with what is thought aloud on
the way to them. Only who writes training text needs them; who reads an answer takes what it comes to."""

from __future__ import annotations

from typing import Optional, Sequence

from . import columns
from . import tokens as T
from .displays import BRACE, QUOTES, is_mapping, is_text, items_of, with_commas
from .expression_parts import expression
from .items import joined
from .known_calls import is_lazy
from .literals import integer_of, truth_of_literal
from .parts import Part
from .positions import POSITIONS
from .spelled_text import METHODS, places_of

_C, _W = T.CHARS, T.WORDS
_QUOTE, _COMMA, _OPENING, _SQUARE, _PLUS = (_C[char] for char in "',([+")

Tokens = Sequence[int]
Source = "list[tuple[int, Tokens]]"
"""Items, each behind its position, in the order in which they are gone through."""


def as_answered(question: Tokens, answer: Tokens) -> list[int]:
    """An answer (`<|value|>` or `<|exception|>`, and a value) as it is written behind its question."""
    if answer[0] != T.VALUE:
        return list(answer)
    if question[1] == T.IT:
        return columns.as_answered(question, answer)
    if not any(token in POSITIONS for token in question):
        return list(answer)
    code = [token for token in question[1:] if token not in POSITIONS and token != T.IT]
    part = expression(code)
    written = None if part is None else _Spelling(code, tuple(answer[1:])).of(part)
    return [T.VALUE, *written] if written and _read(written) == tuple(answer[1:]) else list(answer)


def _read(written: Tokens) -> Tokens:
    """What an answer in positions comes to."""
    if T.VALUE in written:
        return tuple(written[written.index(T.VALUE) + 1:])
    out, is_counting = [], False
    for token in written:
        is_counting = token == T.IT or (is_counting and token in T.DIGITS)
        if not is_counting and token not in POSITIONS:
            out.append(token)
    return tuple(out)


class _Spelling:
    """Writes the answer to one question. code: the question without its first token, positions and marks; value: what it comes to."""

    def __init__(self, code: Tokens, value: Tokens):
        self.code, self.value = code, value
        self.items = [value[item.first:item.end] for item in _items(value)]

    def of(self, part: Part) -> Optional[list[int]]:
        """The answer; None where nothing is thought aloud."""
        kind, parts = part.kind, part.parts
        if kind == "call":
            callee, *given = parts
            return self.of_method(callee, given) if callee.kind == "attribute" else self.of_function(self.code[part.first], given[0])
        if kind == "subscript":
            return self.copied(self.source(parts[0])[slice(*self.bounds(parts[1]))])
        operator = self.code[parts[0].until]
        if kind == "compare" and operator in (_W["in"], _W["not"]):
            return self.scanned(self.source(parts[1]), self.found(parts[1], self.text(parts[0]))[:1])
        if kind == "compare":
            left, right = map(self.source, parts)
            return self.scanned(min(left, right, key=len), [at for at, pair in enumerate(zip(left, right)) if pair[0] != pair[1]])
        if operator == _PLUS:
            return self.copied(_numbered([item for inner in parts for _, item in self.source(inner)]))
        return self.repeated(self.source(parts[0]) or self.source(parts[1]))

    def text(self, part: Part) -> Tokens:
        return tuple(self.code[part.first:part.end])

    def bounds(self, part: Part) -> "list[Optional[int]]":
        """Of a slice: begin, end and step."""
        found: "list[Optional[int]]" = [None]
        at, inner = part.first, {bound.begin: bound for bound in part.parts}
        while at < part.end:
            if at in inner:
                found[-1] = integer_of(self.text(inner[at]))
            else:
                found.append(None)
            at = inner[at].until if at in inner else at + 1
        return found

    def source(self, part: Part) -> Source:
        """The items of a part; none if it has none."""
        value = self.text(part)
        if is_lazy(self.code, part):
            callee, *given = part.parts
            if callee.kind == "attribute":
                return _of_view(self.text(callee.parts[0]), self.code[callee.end - 1])
            return self.source(given[0])[::-1]
        if is_mapping(value):
            return _of_view(value, _W["keys"])
        written = [value[item.first:item.end] for item in _items(value)]
        return _numbered([(_QUOTE, *char, _QUOTE) for char in written] if is_text(value) else written)

    def copied(self, source: Source) -> Optional[list[int]]:
        """The value with the positions of its items, which are those of the source."""
        if len(self.items) != len(source):
            return None
        pieces = [[position, *self.comma(at), *item] for at, (item, (position, _)) in enumerate(zip(self.items, source))]
        behind = _items(self.value)[-1].end if pieces else 1
        return [self.value[0], *(token for piece in pieces for token in piece), *self.value[behind:]]

    def comma(self, at: int) -> Tokens:
        """What stands before item number `at`."""
        return (_COMMA,) if at and self.value[0] != _QUOTE else ()

    def scanned(self, source: Source, stops: Sequence[int], counts: Sequence[int] = ()) -> list[int]:
        """The positions up to the first of `stops`, else all of them, then the value. counts: numbers of items behind which it is counted."""
        out: list[int] = []
        for at, (position, _) in enumerate(source[:stops[0] + 1] if stops else source):
            out += [position, *([T.IT, *T.text_tokens(str(1 + list(counts).index(at)))] if at in counts else [])]
        return [*out, T.VALUE, *self.value] if out else []

    # Functions and operators.

    def of_function(self, name: int, argument: Part) -> Optional[list[int]]:
        if is_lazy(self.code, argument) and self.code[argument.first] in (_W["enumerate"], _W["zip"]):
            return self.of_pairs([self.source(inner) for inner in argument.parts[1:]])
        source = self.source(argument)
        if name == _W["len"]:
            return [source[-1][0], T.VALUE, *self.value]
        if name in (_W["any"], _W["all"]):
            return self.scanned(source, [at for at, (_, item) in enumerate(source) if truth_of_literal(item) == (name == _W["any"])])
        if name in (_W["max"], _W["min"]):
            return [*(position for position, item in source if item == self.value)][:1] + list(self.value)
        return self.copied(source)

    def of_pairs(self, sources: "list[Source]") -> list[int]:
        """What `enumerate` or `zip` give: in a pair each item has its position."""
        opening, *_, closing = self.value
        is_zip, made = len(sources) == 2, []
        for at, item in enumerate(_items(self.value)):
            pair = self.value[item.first:item.end]
            first, second = (0, item.colon + 1 - item.first) if item.colon >= 0 else (inner.first for inner in _items(pair))
            places = [(first, POSITIONS[at])] * is_zip + [(second, POSITIONS[at + is_zip * len(sources[0])])]
            for place, position in places[::-1]:
                pair = (*pair[:place], position, *pair[place:])
            made.append(pair)
        return [opening, *with_commas(made), closing]

    def repeated(self, source: Source) -> list[int]:
        """A string or list several times over, the number of the time before each; of one item each has a position."""
        if len(source) == 1:
            return self.copied(_numbered([source[0][1]] * len(self.items))) or []
        out: list[int] = [self.value[0]]
        for at, item in enumerate(self.items):
            time, number = divmod(at, len(source))
            out += [*([T.IT, *T.text_tokens(str(time + 1))] if number == 0 else []), source[number][0], *self.comma(at), *item]
        return [*out, self.value[-1]]

    # Methods.

    def of_method(self, callee: Part, given: "Sequence[Part]") -> Optional[list[int]]:
        name, base = self.code[callee.end - 1], callee.parts[0]
        arguments = [self.text(inner) for inner in given]
        if name == _W["join"]:
            between = self.text(base)[1:-1]
            pieces = [[position, *(between if at else ()), *item[1:-1]] for at, (position, item) in enumerate(self.source(given[0]))]
            return [_QUOTE, *(token for piece in pieces for token in piece), _QUOTE]
        source = self.source(base)
        if name in METHODS:
            return METHODS[name](name, [(position, item[1]) for position, item in source], arguments)
        found = self.found(base, arguments[0])
        if name == _W["count"]:
            return self.scanned(source, (), found)
        if name in (_W["rfind"], _W["rindex"]):
            return self.scanned(source[::-1], [len(source) - 1 - at for at in self.found(base, arguments[0], True)])
        return self.scanned(source, found)

    def found(self, part: Part, sought: Tokens, is_last: bool = False) -> list[int]:
        """The numbers of the items that are what is sought, or of the characters at which it is found, from the end on if `is_last`."""
        source = self.source(part)
        if not is_text(self.text(part)):
            return [at for at, (_, item) in enumerate(source) if item == sought]
        chars = [item[1] for _, item in source]
        if not is_last:
            return places_of(chars, sought[1:-1])
        wide = len(sought) - 2
        return [len(chars) - wide - at for at in places_of(chars[::-1], sought[1:-1][::-1])]


def _items(value: Tokens) -> list:
    """The items of a value; none if it has none."""
    return (items_of(value, 0, len(value)) or []) if value[0] in (*QUOTES, BRACE, _OPENING, _SQUARE) else []


def _of_view(value: Tokens, name: int) -> Source:
    """The items, the keys or the values of a dict."""
    pairs = [(value[item.first:item.colon], value[item.colon + 1:item.end]) for item in _items(value)]
    return _numbered([joined(pair) if name == _W["items"] else pair[name == _W["values"]] for pair in pairs])


def _numbered(items: "Sequence[Tokens]", before: int = 0) -> Source:
    return [(POSITIONS[before + at], tuple(item)) for at, item in enumerate(items)]
