"""The values of the expressions that a step or a question is made of, worked out before it and written in their place
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T
from .augmented import as_assignment
from .columns import Operation, in_columns
from .frames import Frame
from .here import with_values
from .items import hidden, listed, substituted, taken, target_of
from .iterated import iterated
from .known_calls import changes_nothing, consumes, gives_items, is_known_function, is_lazy, with_methods
from .literals import is_display, is_literal, is_mutable, truth_of_constant, truth_of_literal
from .parts import Line, Part, expression, line
from .positions import in_positions
from .program import Program
from .reordered import reordered
from .sums import calculated, is_computed, operation_of, questions_of
from .told import UNKNOWN, told_value
from .values import encode_value

MOST_WORKINGS = 12
LONGEST_WORKING = 64  # code tokens
LONGEST_RESULT = 96  # tokens
MOST_ITEM_WORKINGS = 64  # of comprehensions, item by item, and of operations that are made of others, in a line

_C, _W = T.CHARS, T.WORDS
_UNVISITED = frozenset("text and or ternary compare comprehension generator".split())
"""Kinds that have parts which are not always visited."""
_ASKED = frozenset("binary unary not compare and or ternary subscript call comprehension".split())

Answer = Sequence[int]
"""`<|value|>` or `<|exception|>`, and a value: an answer of section 7 without its end."""
Ask = Callable[[Sequence[int], Sequence[int]], Optional[Answer]]
"""Answers the question for an expression: its code tokens, and the tokens of the question. None: it has no answer that can be used."""


class _Ended(Exception):
    """Nothing more is worked out: an expression raises, or there were enough."""


def worked_line(program: Program, code: Sequence[int], frame: Frame, ask: Ask, enters: bool = True) -> list[int]:
    """The code tokens of a line before a single step from it: the expressions in it that were worked out are their values. enters:
    whether the step goes into what the line calls."""
    written = as_assignment(with_methods(program, code), lambda slot: literal_of(program, frame, slot))
    found = line(written)
    return _Workings(program, written, frame, ask, enters, True).of_line(found) if found else list(code)


def worked_expression(program: Program, code: Sequence[int], frame: Frame, ask: Ask) -> list[int]:
    """The code tokens of an expression that is asked for; its own value is what is asked."""
    written = with_methods(program, code)
    found = expression(written)
    return _Workings(program, written, frame, ask, False).of_line(Line((found,))) if found else list(code)


def question_for(program: Program, code: Sequence[int], frame: Frame) -> list[int]:
    """The question for an expression that is asked for, everything inside it worked out: in columns, in positions, or with the values of its
    names."""

    def known(part: Part) -> Optional[Sequence[int]]:
        return None if part.kind != "name" else literal_of(program, frame, code[part.first]) or UNKNOWN

    found = expression(code) if program.shows_workings else None
    aloud = _aloud(code, found, lambda part: told_value(code, part, known)) if found else None
    return [T.EVALUATE, *(aloud or with_values(program, code, frame))]


def _aloud(code: Sequence[int], part: Part, told: Callable[[Part], Optional[Sequence[int]]]) -> Optional[list[int]]:
    """The question for a part of the code, without its first token, that is answered in columns or in positions; None for others."""
    operation = operation_of(code, part, told)
    return (in_columns(operation) if operation else None) or in_positions(code, part, told)


class _Workings:
    """Walks the parts of one line in the order in which they are evaluated."""

    def __init__(self, program: Program, code: Sequence[int], frame: Frame, ask: Ask, enters: bool, is_line: bool = False,
                 whole: "Optional[_Workings]" = None):
        """is_line: whether the code is a line, not an expression that is asked for. whole: the workings of the comprehension that has this
        as an expression of one of its items."""
        self.program, self.code, self.frame, self.ask, self.enters = program, code, frame, ask, enters
        self.is_line, self.whole = is_line, whole
        self.root: _Workings = self if whole is None else whole.root
        self.is_loop = is_line and list(code[:1]) == [_W["for"]]
        self.worked: dict[int, tuple[int, Answer]] = {}
        """Where a part begins, brackets included: where it ends, and the answer; the longest part of those that begin there."""
        self.of_items: dict[tuple[int, ...], Optional[Answer]] = {} if whole is None else whole.of_items
        self.answers: dict[tuple[int, ...], Optional[Answer]] = {} if whole is None else self.of_items
        """By the code tokens of what they are for; `of_items`: of comprehensions, item by item."""
        self.gone: set[tuple[int, int]] = set()
        """Where the parts of the head of a loop are that have the items it goes over."""
        self.items_asked = 0
        """Most questions that the comprehensions up to here need, item by item, and the operations that are made of others."""
        self.may_differ = whole is not None and whole.may_differ
        """Whether something was called that may have changed what names are bound to."""

    def of_line(self, found: Line) -> list[int]:
        if self.is_loop:
            for part in found.values:
                self.goes_over(part)
        left = self.left_by(found) if self.is_line else ()
        try:
            for part in found.values:
                self.walk(part, True)
            for part in found.inner:
                self.walk(part, False)
        except _Ended:
            pass
        except RecursionError:  # an operator after the other, a thousand of them
            return list(self.code)
        return [*self.written(0, len(self.code)), *left]

    def left_by(self, found: Line) -> Sequence[int]:
        """The list that a statement leaves which puts it in another order, behind `<|value|>`."""
        code = reordered(self.code, found)
        part = expression(code) if code is not None else None
        is_list = part is not None and (self.known(self.code[0]) or ())[:1] == (_C["["],)
        if not is_list or in_positions(code, part, self.inside(code).told) is None:
            return ()
        value = self.value_of(code)
        return () if value is None else (T.VALUE, *value)

    def goes_over(self, part: Part) -> None:
        """Notes what a loop goes over, and what that takes its items from."""
        self.gone.add((part.first, part.end))
        if part.kind in ("subscript", "attribute"):
            self.goes_over(part.parts[0])
        if part.kind == "call" and gives_items(self.code, part.parts[0]):
            for inner in part.parts:
                self.goes_over(inner)

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

    def walk(self, part: Part, shown: bool) -> None:
        """What is in the part, then the part itself unless the step shows its value anyway."""
        kind, parts = part.kind, part.parts
        if kind in ("and", "or"):
            self.walk_joined(part)
        elif kind == "ternary":
            self.walk(parts[0], False)
            holds = self.truth(parts[0])
            if holds is not None:
                self.walk(parts[1] if holds else parts[2], shown)
        elif kind in ("comprehension", "generator"):
            self.walk(parts[0], False)
        elif kind == "subscript":
            self.walk_subscripts(part)
        elif kind == "call" and self.changes_item(parts[0]):
            self.walk_subscripts(parts[0].parts[0])
            for inner in parts[1:]:
                self.walk(inner, False)
        elif kind != "lambda":
            for inner in parts[:2] if kind == "compare" else parts:
                self.walk(inner, False)
            if kind == "call" and not self.enters and consumes(self.code, parts[0]):
                for inner in parts[1:]:
                    if inner.kind == "generator":
                        self.unroll(inner)
        if kind == "comprehension" and self.code[part.first] == _C["["] and not self.is_loop and self.unroll(part):
            return
        is_short = part.end - part.first <= LONGEST_WORKING
        if kind in _ASKED and is_short and self.is_known(part, frozenset()):
            if shown and not (self.is_line and self.is_asked_aloud(part)):
                self.calculate(part, operation_of(self.code, part, self.told))
            elif not is_lazy(self.code, part):
                self.work(part)
        elif kind in _UNVISITED or kind == "call":
            self.may_differ = self.may_differ or self.may_change(part)

    def is_asked_aloud(self, part: Part) -> bool:
        """Whether a step is not left to come to the part by itself, though it shows its value."""
        return is_computed(self.code, part) or (not self.is_loop and _aloud(self.code, part, self.told) is not None)

    def changes_item(self, callee: Part) -> bool:
        """Whether what is called may change an item of something: the step has to see of what."""
        return callee.kind == "attribute" and callee.parts[0].kind == "subscript" and not changes_nothing(self.code, callee)

    def may_change(self, part: Part) -> bool:
        """Whether evaluating the part, visited or not, may change what a name is bound to. (A lambda does nothing until it is called.)"""
        if part.kind == "text":
            return _C["("] in self.code[part.first:part.end]
        if part.kind == "lambda":
            return False
        changes = part.kind == "call" and not changes_nothing(self.code, part.parts[0])
        return changes or any(map(self.may_change, part.parts))

    def walk_joined(self, part: Part) -> None:
        """Operands up to the one that decides."""
        for inner in part.parts:
            self.walk(inner, False)
            holds = self.truth(inner)
            if holds is None or holds == (part.kind == "or"):
                return

    def walk_subscripts(self, part: Part) -> None:
        """The indices of subscripts one behind the other: marks show what they look up together."""
        base, index = part.parts
        if base.kind == "subscript":
            self.walk_subscripts(base)
        else:
            self.walk(base, False)
        self.walk(index, False)

    def unroll(self, part: Part) -> bool:
        """Works out a comprehension with one `for` item by item, if what it goes over is known; whether its list takes its place."""
        if part.end - part.first > LONGEST_WORKING:
            return False
        iterable, *inside = part.parts
        target, unseen = target_of(self.code, part), hidden(self.code, part)
        if target is None or unseen is None or not all(self.is_known(inner, part.bound) for inner in inside):
            return False
        items = iterated(self.code, iterable, self.told) if self.is_known(iterable, frozenset()) else None
        bound = [taken(target, item) for item in items or ()]
        if items is None or None in bound:
            return False
        shown = [{slot: value for slot, value in values.items() if slot not in unseen} for values in bound]
        codes = [tuple(tuple(substituted(self.code[inner.first:inner.end], values)) for inner in inside) for values in shown]
        self.root.items_asked += len(set(codes)) * sum(map(_operations, inside))
        if self.root.items_asked > MOST_ITEM_WORKINGS:
            return False
        made = {written: self.of_item(*written) for written in dict.fromkeys(codes)}
        if None in made.values():
            return False
        out = listed([made[written] for written in codes if made[written]])
        if len(out) > LONGEST_RESULT:
            return False
        self.worked[part.begin] = (part.until, (T.VALUE, *out))
        return True

    def of_item(self, item: Sequence[int], *conditions: Sequence[int]) -> Optional[Sequence[int]]:
        """What the comprehension makes of an item: a value, nothing where a condition does not hold; None if that is not known. item,
        conditions: the code of each, with the item's values."""
        for condition in conditions:
            found = self.value_of(condition)
            if found is None:
                return None
            if not truth_of_literal(found):
                return ()
        return self.value_of(item)

    def value_of(self, code: Sequence[int]) -> Optional[Sequence[int]]:
        """The value of an expression that stands for a part of a comprehension."""
        found = expression(code)
        if found is None:
            return None
        inner = self.inside(code)
        try:
            inner.walk(found, False)
        except _Ended:
            return None
        return inner.told(found)

    def inside(self, code: Sequence[int]) -> _Workings:
        """Those of an expression that stands for a part of the code."""
        return _Workings(self.program, code, self.frame, self.ask, self.enters, whole=self)

    def told(self, part: Part) -> Optional[Sequence[int]]:
        """The value of a part as it is written canonically: worked out, or told by the code alone."""
        return told_value(self.code, part, self.own)

    def own(self, part: Part) -> Optional[Sequence[int]]:
        """What was worked out of a part, or a name is bound to; None where the code alone tells."""
        if part.begin in self.worked and self.worked[part.begin][0] == part.until:
            answer = self.worked[part.begin][1]
            return answer[1:] if answer[0] == T.VALUE else UNKNOWN
        return self.known(self.code[part.first]) or UNKNOWN if part.kind == "name" else None

    def calculate(self, part: Part, operation: Optional[Operation]) -> bool:
        """Works out an operation on integers that is made of several in columns; False for other parts, and where that fails."""
        if operation is None or in_columns(operation) is not None:
            return False
        self.root.items_asked += questions_of(operation)
        if self.root.items_asked > MOST_ITEM_WORKINGS:
            return False
        value = calculated(operation, self.value_of)
        if value is not None:
            self.worked[part.begin] = (part.until, (T.VALUE, *value))
        return value is not None

    def work(self, part: Part) -> None:
        operation = operation_of(self.code, part, self.told)
        if self.calculate(part, operation):
            return
        tokens = tuple(self.code[part.first:part.end])
        if tokens not in self.answers:
            if len(self.answers) == MOST_WORKINGS and self.whole is None:
                raise _Ended
            shown = _aloud(self.code, part, self.told) or with_values(self.program, self.written(part.first, part.end), self.frame)
            answer = self.ask(tokens, [T.EVALUATE, *shown])
            self.answers[tokens] = answer if answer is not None and _is_usable(answer) else None
            if answer is not None and self.answers[tokens] is None and answer[0] != T.VALUE:
                raise _Ended
        answer = self.answers[tokens]
        if answer is not None and not (self.is_loop and self.is_of_another_pass(part, answer)):
            self.worked[part.begin] = (part.until, answer)
        if answer is not None and answer[0] != T.VALUE:
            raise _Ended

    def is_of_another_pass(self, part: Part, answer: Answer) -> bool:
        """Whether the head of a loop is better shown as it is written: the item that comes next has a mark in the display it is in, and after
        the first pass nothing raises that is not evaluated again."""
        if answer[0] == T.VALUE:
            return is_display(answer[1:]) and (part.first, part.end) in self.gone
        return bool(self.frame.its) and self.frame.its[-1] > 0

    def truth(self, part: Part) -> Optional[bool]:
        """Whether the value of the part counts as true; None: it is not known."""
        tokens = tuple(self.code[part.first:part.end])
        until, worked = self.worked.get(part.begin, (0, ()))
        if until == part.until:
            tokens = tuple(worked[1:])
        elif part.kind == "name":
            tokens = self.known(tokens[0]) or tokens
        elif part.kind == "constant":
            return truth_of_constant(tokens)
        else:
            answer = self.answers.get(tokens)
            if answer is None:
                return None
            tokens = tuple(answer[1:])
        return truth_of_literal(tokens) if is_literal(tokens) else None

    def known(self, slot: int) -> Optional[tuple[int, ...]]:
        """The value of a name, if it is bound, its value a literal and nothing has changed it."""
        value = literal_of(self.program, self.frame, slot)
        return None if value is not None and self.may_differ and is_mutable(value) else value

    def is_known(self, part: Part, bound: frozenset[int]) -> bool:
        """Whether the part can be worked out: all its names are known or bound in it, and it calls nothing but builtins that change
        nothing."""
        kind, parts = part.kind, part.parts
        if kind == "name":
            token = self.code[part.first]
            return token in bound or (self.known(token) is not None if token in T.SLOTS else is_known_function(token))
        if kind in ("text", "attribute") or (self.enters and kind in ("generator", "lambda")):
            return False  # what may be entered is shown
        if kind == "call":
            callee, *given = parts
            around = callee.parts if callee.kind == "attribute" else ()
            return changes_nothing(self.code, callee) and all(self.is_known(inner, bound) for inner in (*around, *given))
        if kind in ("comprehension", "generator"):
            return self.is_known(parts[0], bound) and all(self.is_known(inner, bound | part.bound) for inner in parts[1:])
        return all(self.is_known(inner, bound | part.bound) for inner in parts)


def literal_of(program: Program, frame: Frame, slot: int) -> Optional[tuple[int, ...]]:
    """The value of a slot, if it is a literal."""
    text = frame.locals.get(program.slot_names.get(slot, ""))
    value = None if text is None else encode_value(program, text)
    return value if value is not None and is_literal(value) else None


def _is_usable(answer: Answer) -> bool:
    """Whether an answer can stand in place of what it is for: it is short, and a literal or an exception that tells of no name."""
    is_whole = is_literal(answer[1:]) if answer[0] == T.VALUE else T.REF not in answer
    return is_whole and len(answer) - 1 <= LONGEST_RESULT


def _operations(part: Part) -> int:
    """How many questions a part can need."""
    return (part.kind in _ASKED) + sum(map(_operations, part.parts))
