"""Operations on strings and collections in positions: how they are asked, and how their answers are read (docs/trace-language.md, sections 7
and 9).

The items of what an operation is on are numbered, and an answer names the position of every item that it takes or looks at: each follows from
the one before. Without numbers a small model loses its place wherever items repeat (index hints: Zhou et al., What Algorithms can
Transformers Learn?, 2023).
"""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence

from . import tokens as T
from .displays import QUOTES, has_items, is_mapping, is_sequence, is_set, is_text, items_of
from .known_calls import is_lazy
from .parts import Part
from .program import Program
from .values import ValueDecoder

MOST_ITEMS = 32
MOST_TOKENS = 144  # of a question
POSITION_BASE = T.BYTE_BASE + 0x20
POSITIONS = range(POSITION_BASE + 1, POSITION_BASE + 1 + MOST_ITEMS)
"""The tokens of positions, from 1 on: bytes that stand for nothing else, for the characters they would be have tokens of their own."""

_C, _W = T.CHARS, T.WORDS
_FEWEST = {_W["any"]: 4, _W["all"]: 4, **{_W[name]: 2 for name in "max min dict".split()}}
"""The functions, and from how many items on they are asked so."""
_FEWEST_IN, _FEWEST_COMPARED = 4, 4
_EQUALITIES = frozenset(T.OPERATORS[name] for name in ("==", "!="))
_ORDERINGS = frozenset([_C["<"], _C[">"], T.OPERATORS["<="], T.OPERATORS[">="]])
_ITERATORS = frozenset(_W[name] for name in ("reversed", "enumerate", "zip"))
_PAIRING = frozenset([_W["enumerate"], _W["zip"]])
_VIEWS = frozenset(_W[name] for name in ("items", "keys", "values"))
_OF_TEXT = frozenset(_W[name] for name in "rfind index rindex removeprefix removesuffix partition".split())
"""The methods of strings that have one argument, a string."""
_OF_SEQUENCE = frozenset(_W[name] for name in ("count", "index"))
_EMPTY = (QUOTES[0], QUOTES[0])

Told = Callable[[Part], Optional[Sequence[int]]]
"""The value of a part, if it is known."""


class _Operands(NamedTuple):
    """The parts of an operation that are written as their values: those that are numbered, in their order, and the others. fewest: items from
    which on it is asked so; is_aligned: whether each of two is numbered from 1 on."""

    numbered: "Sequence[Part]"
    others: "Sequence[Part]" = ()
    fewest: int = 2
    is_aligned: bool = False


def in_positions(code: Sequence[int], part: Part, told: Told) -> Optional[list[int]]:
    """The question for an operation on strings or collections, without its first token: its code with values in place of operands, with a
    position before each item of those that it goes through. None where it is not asked so."""
    operands = _operands(code, part, told)
    if operands is None:
        return None
    counts, written = [0], []
    for operand in operands.numbered:
        value = told(operand) or ()
        written.append((operand, _numbered(value, 0 if operands.is_aligned else sum(counts))))
        counts.append(len(items_of(value, 0, len(value)) or ()))
    written += [(operand, told(operand) or ()) for operand in operands.others]
    out, at = [], part.first
    for operand, tokens in sorted(written, key=lambda pair: pair[0].begin):
        out += [*code[at:operand.begin], *tokens]
        at = operand.until
    out += code[at:part.end]
    is_many = operands.fewest <= sum(counts) and (max if operands.is_aligned else sum)(counts) <= MOST_ITEMS
    return out if is_many and len(out) <= MOST_TOKENS else None


def _numbered(value: Sequence[int], before: int) -> list[int]:
    """The value with a position before each of its items, the first of which comes behind `before` others."""
    positions = {item.first: POSITIONS[before + at] for at, item in enumerate(items_of(value, 0, len(value)) or ()) if before + at < MOST_ITEMS}
    out: list[int] = []
    for at, token in enumerate(value):
        out += [*([positions[at]] if at in positions else []), token]
    return out


def _operands(code: Sequence[int], part: Part, told: Told) -> Optional[_Operands]:
    kind, parts = part.kind, part.parts
    if kind == "call" and parts[0].kind == "name":
        return _of_function(code, part, told)
    if kind == "call" and parts[0].kind == "attribute":
        return _of_method(code, part, told)
    if kind != "compare" or len(parts) != 2:
        return None
    values = [told(inner) for inner in parts]
    if None in values:
        return None
    left, right = (tuple(value or ()) for value in values)
    return _compared(code, parts, left, right)


def _compared(code: Sequence[int], parts: "Sequence[Part]", left: Sequence[int], right: Sequence[int]) -> Optional[_Operands]:
    """The operands of a comparison: of `in` and `not in`, `==` and `!=`, and of strings by their order."""
    operator = tuple(code[parts[0].until:parts[1].begin])
    if operator[0] in _EQUALITIES:
        are_alike = (is_text(left) and is_text(right)) or (is_sequence(left) and left[0] == right[0])
        return _Operands(parts, fewest=_FEWEST_COMPARED, is_aligned=True) if are_alike else None
    if operator[0] in _ORDERINGS:
        return _Operands(parts, fewest=_FEWEST_COMPARED, is_aligned=True) if is_text(left) and is_text(right) else None
    if operator not in ((_W["in"],), (_W["not"], _W["in"])):
        return None
    return _Operands(parts[1:], parts[:1], _FEWEST_IN) if is_sequence(right) or is_set(right) else None


def _of_function(code: Sequence[int], part: Part, told: Told) -> Optional[_Operands]:
    """The operands of a call of a function: one argument that has items."""
    name, given = code[part.first], part.parts[1:]
    if name not in _FEWEST or len(given) != 1:
        return None
    inside, of_what = _inside(code, given[0], told), code[given[0].first]
    if (of_what in _PAIRING) == (name == _W["dict"]):
        return _Operands(inside, fewest=_FEWEST[name]) if inside else None
    return None


def _inside(code: Sequence[int], part: Part, told: Told) -> "Sequence[Part]":
    """The parts whose items an argument has: itself, or what an iterator or a view goes over; none if they are not known."""
    value = told(part)
    if value is not None:
        return [part] if has_items(value) else []
    if not is_lazy(code, part):
        return []
    callee, *given = part.parts
    name = code[callee.end - 1]
    if callee.kind == "attribute":
        return callee.parts if name in _VIEWS and not given and is_mapping(told(callee.parts[0]) or ()) else []
    count = 2 if name == _W["zip"] else 1
    are_known = all(is_sequence(value) or is_text(value) for value in (told(inner) or () for inner in given))
    return given if callee.kind == "name" and name in _ITERATORS and len(given) == count and are_known else []


def _of_method(code: Sequence[int], part: Part, told: Told) -> Optional[_Operands]:
    """The operands of a call of a method: what it belongs to and the arguments; of `join` the argument is numbered."""
    callee, *given = part.parts
    name, base = code[callee.end - 1], callee.parts[0]
    value, values = tuple(told(base) or ()), [tuple(told(inner) or ()) for inner in given]
    if () in values:
        return None
    if is_text(value):
        are_texts = name in _OF_TEXT and len(given) == 1 and all(map(is_text, values)) and values[:1] != [_EMPTY]
        return _Operands([base], given) if are_texts else None
    is_known = name == _W["get"] and is_mapping(value) and len(given) in (1, 2)
    return _Operands([base], given) if is_known or (name in _OF_SEQUENCE and len(given) == 1 and is_sequence(value)) else None


class PositionsDecoder:
    """Reads an answer in positions, as `ValueDecoder` reads a value: positions, and counts behind `<|it|>`, are passed over; behind a
    `<|value|>` that only they come before stands the value."""

    def __init__(self, program: Program):
        self.inner = ValueDecoder(program)
        self.is_told = False  # whether the value stands alone, behind `<|value|>`
        self.is_named = False  # whether there was a position
        self.is_counting = False

    def accepts(self, token: int) -> bool:
        """Whether `token` may stand next."""
        if token in POSITIONS:
            return not self.is_told
        if token == T.VALUE:
            return self.is_named and not self.is_told and self.inner.count == 0
        if token == T.IT:
            return not self.is_told and not self.is_counting and (self.is_named or self.inner.count > 0)
        return token in T.DIGITS if self.is_counting else self.inner.accepts(token)

    def take(self, token: int) -> None:
        """Consumes a token that `accepts` allows."""
        if token in POSITIONS:
            self.is_named = True
        elif token == T.VALUE:
            self.is_told = True
        elif token != T.IT and not self.is_counting:
            self.inner.take(token)
        self.is_counting = token == T.IT or (self.is_counting and token in T.DIGITS)

    def missing(self) -> Optional[str]:
        """What must still come before the answer may end; None if nothing must."""
        return "a position" if self.is_counting else self.inner.missing()

    def text(self) -> str:
        """The value, once `missing` is None."""
        return self.inner.text()
