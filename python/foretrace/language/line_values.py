"""What is known of the parts of a line: what was worked out, what names are bound to, what the code tells (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .attributes import value_at
from .constants import tables
from .default_dicts import default_dicts
from .frames import Frame
from .known_calls import changes_nothing, is_known_function
from .literals import is_literal, is_mutable, truth_of_constant, truth_of_literal
from .parts import NAMED, Part
from .program import Program
from .tables import Lookup, looked_up, lookup_of, slot_of
from .told import UNKNOWN, told_value

LONGEST_RESULT = 96  # tokens
_C = T.CHARS

Answer = Sequence[int]
"""`<|value|>` or `<|exception|>`, and a value: an answer of section 7 without its end."""


class LineValues:
    """The code of a line, or of an expression, and what is known of its parts."""

    def __init__(self, program: Program, code: Sequence[int], frame: Frame, enters: bool, may_differ: bool,
                 whole: "Optional[LineValues]" = None):
        """whole: those of a line of the same frame that this is a part of."""
        self.program, self.code, self.frame, self.enters = program, code, frame, enters
        self.worked: dict[int, tuple[int, Answer]] = {}
        """Where a part begins, brackets included: where it ends, and the answer; the longest part of those that begin there."""
        self.answers: dict[tuple[int, ...], Optional[Answer]] = {}
        """By the code tokens of what they are for."""
        self.defaults = default_dicts(program, frame) if whole is None else whole.defaults
        self.tables = {**tables(program), **self.defaults} if whole is None else whole.tables
        """Constants of the module that no line shows, and what is in the frame's `defaultdict`s."""
        self.may_differ = may_differ
        """Whether something was called that may have changed what names are bound to."""

    def written(self, first: int, end: int) -> list[int]:
        """The code tokens with values in place of what was worked out."""
        out: list[int] = []
        while first < end:
            until, answer = self.worked.get(first, (first, ()))
            if not first < until <= end:
                out.append(self.code[first])
                first += 1
                continue
            value = answer[1:] if answer[0] == T.VALUE else answer
            grouped = value[0] == _C["-"] and self.code[until:until + 1] == [T.OPERATORS["**"]]
            out += [_C["("], *value, _C[")"]] if grouped else value
            first = until
        return out

    def told(self, part: Part) -> Optional[Sequence[int]]:
        """The value of a part as it is written canonically: worked out, or told by the code alone."""
        return told_value(self.code, part, self.own)

    def own(self, part: Part) -> Optional[Sequence[int]]:
        """What was worked out of a part, or a name is bound to; None where the code alone tells."""
        if part.begin in self.worked and self.worked[part.begin][0] == part.until:
            answer = self.worked[part.begin][1]
            return answer[1:] if answer[0] == T.VALUE else UNKNOWN
        return self.known(part) or UNKNOWN if part.kind in NAMED else None

    def truth(self, part: Part) -> Optional[bool]:
        """Whether the value of the part counts as true; None: it is not known."""
        tokens = tuple(self.code[part.first:part.end])
        until, worked = self.worked.get(part.begin, (0, ()))
        if until == part.until:
            tokens = tuple(worked[1:])
        elif part.kind in NAMED:
            tokens = self.known(part) or tokens
        elif part.kind == "constant":
            return truth_of_constant(tokens)
        else:
            answer = self.answers.get(tokens)
            if answer is None:
                return None
            tokens = tuple(answer[1:])
        return truth_of_literal(tokens) if is_literal(tokens) else None

    def known(self, part: Part) -> Optional[tuple[int, ...]]:
        """The value of a name or an attribute of one, if it is bound, its value a literal and nothing has changed it."""
        value = literal_of(self.program, self.code, part, self.frame)
        may_differ = self.may_differ and value is not None and (part.kind == "attribute" or is_mutable(value))
        return None if may_differ else value

    def is_known(self, part: Part, bound: frozenset[int]) -> bool:
        """Whether the part can be worked out: all its names are known or bound in it, and it calls nothing but builtins that change
        nothing."""
        kind, parts = part.kind, part.parts
        lookup = self.lookup(part)
        if lookup is not None:
            return self.is_given(lookup, bound)
        if kind == "name":
            token = self.code[part.first]
            return token in bound or (self.known(part) is not None if token in T.SLOTS else is_known_function(token))
        if kind == "attribute":
            return self.code[part.first] not in bound and self.known(part) is not None
        if kind == "text" or (self.enters and kind in ("generator", "lambda")):
            return False  # what may be entered is shown
        if kind == "call":
            callee, *given = parts
            around = callee.parts if callee.kind == "attribute" else ()
            return changes_nothing(self.code, callee) and all(self.is_known(inner, bound) for inner in (*around, *given))
        if kind in ("comprehension", "generator"):
            return self.is_known(parts[0], bound) and all(self.is_known(inner, bound | part.bound) for inner in parts[1:])
        return all(self.is_known(inner, bound | part.bound) for inner in parts)

    def lookup(self, part: Part) -> Optional[Lookup]:
        """What a part looks for in a constant of the module that no line shows, or finds in a `defaultdict` of the frame."""
        found = lookup_of(self.code, part, self.tables)
        if found is None or slot_of(found) not in self.defaults:
            return found
        return None if self.may_differ or looked_up(found, self.tables, self.told) is None else found

    def is_given(self, lookup: Lookup, bound: frozenset[int]) -> bool:
        """Whether all is known that is looked for."""
        inside = isinstance(lookup.table, int) or self.is_given(lookup.table, bound)
        return inside and all(self.is_known(inner, bound) for inner in lookup.given)

    def may_change(self, part: Part) -> bool:
        """Whether evaluating the part, visited or not, may change what a name is bound to. (A lambda does nothing until it is called.)"""
        if part.kind == "text":
            return _C["("] in self.code[part.first:part.end]
        if part.kind == "lambda":
            return False
        changes = part.kind == "call" and not changes_nothing(self.code, part.parts[0])
        return changes or any(map(self.may_change, part.parts))

    def stands_for(self, part: Part, chosen: Part) -> None:
        """Writes what a part of it comes to in place of a part, if that is known."""
        value = self.told(chosen)
        if value is not None:
            self.worked[part.begin] = (part.until, (T.VALUE, *value))


def literal_of(program: Program, code: Sequence[int], part: Part, frame: Frame) -> Optional[tuple[int, ...]]:
    """The value of a name, or of an attribute of one that its value tells, if it is a literal."""
    value, end = value_at(program, code, part.first, frame)
    return value if value is not None and end == part.end and is_literal(value) else None


def begins(program: Program, code: Sequence[int], frame: Frame) -> tuple[Optional[tuple[int, ...]], int]:
    """The value of the name or attribute that code begins with, if it is a literal, and where that ends."""
    value, end = value_at(program, code, 0, frame)
    return value if value is not None and is_literal(value) else None, end


def is_usable(answer: Answer) -> bool:
    """Whether an answer can stand in place of what it is for: it is short, and a literal or an exception that tells of no name."""
    is_whole = is_literal(answer[1:]) if answer[0] == T.VALUE else T.REF not in answer
    return is_whole and len(answer) - 1 <= LONGEST_RESULT
