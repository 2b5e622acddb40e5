"""The values of the expressions that a step or a question is made of, worked out before it and written in their place
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T
from .attributes import value_at
from .augmented import as_assignment
from .columns import in_columns
from .expression_parts import expression
from .frames import Frame
from .here import with_values
from .items import hidden, listed, reads_any, substituted, taken, target_of
from .iterated import iterated
from .known_calls import changes_nothing, consumes, gives_items, is_lazy, with_methods
from .line_parts import Line, line
from .line_values import Answer, LineValues, LONGEST_RESULT, begins, is_usable, literal_of
from .literals import is_display, truth_of_literal
from .marks import Lookups, marked, marks
from .parts import NAMED, Part
from .plans import plan_of
from .positions import in_positions
from .program import Program
from .reordered import reordered
from .sums import is_computed, operation_of
from .tables import looked_up
from .told import UNKNOWN, told_value

MOST_WORKINGS = 12
LONGEST_WORKING = 64  # code tokens
MOST_ITEM_WORKINGS = 256  # of comprehensions, item by item, and of operations that are made of others, in a line

_C, _W = T.CHARS, T.WORDS
_UNVISITED = frozenset("text and or ternary compare comprehension generator".split())
"""Kinds that have parts which are not always visited."""
_ASKED = frozenset("binary unary not compare and or ternary subscript call comprehension".split())

Ask = Callable[[Sequence[int], Sequence[int]], Optional[Answer]]
"""Answers the question for an expression: its code tokens, and the tokens of the question. None: it has no answer that can be used."""


class _Ended(Exception):
    """Nothing more is worked out: an expression raises, or there were enough."""


def worked_line(program: Program, code: Sequence[int], frame: Frame, ask: Ask, enters: bool = True) -> list[int]:
    """The code tokens of a line before a single step from it: the expressions in it that were worked out are their values. enters:
    whether the step goes into what the line calls."""
    named = with_methods(program, code)
    written = as_assignment(named, *begins(program, named, frame))
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
        return literal_of(program, code, part, frame) or UNKNOWN if part.kind in NAMED else None

    found = expression(code) if program.shows_workings else None
    aloud = _aloud(code, found, lambda part: told_value(code, part, known)) if found else None
    return [T.EVALUATE, *(aloud or with_values(program, code, frame))]


def _aloud(code: Sequence[int], part: Part, told: Callable[[Part], Optional[Sequence[int]]]) -> Optional[list[int]]:
    """The question for a part of the code, without its first token, that is answered in columns or in positions; None for others."""
    operation = operation_of(code, part, told)
    return (in_columns(operation) if operation else None) or in_positions(code, part, told)


class _Workings(LineValues):
    """Walks the parts of one line in the order in which they are evaluated."""

    def __init__(self, program: Program, code: Sequence[int], frame: Frame, ask: Ask, enters: bool, is_line: bool = False,
                 whole: "Optional[_Workings]" = None):
        """is_line: whether the code is a line, not an expression that is asked for. whole: the workings of the comprehension that has this
        as an expression of one of its items."""
        super().__init__(program, code, frame, enters, whole is not None and whole.may_differ, whole)
        self.ask, self.is_line, self.whole = ask, is_line, whole
        self.root: _Workings = self if whole is None else whole.root
        self.is_loop = is_line and list(code[:1]) == [_W["for"]]
        self.of_items: dict[tuple[int, ...], Optional[Answer]] = {} if whole is None else whole.of_items
        """By the code tokens of what they are for, of comprehensions and of what is made of others."""
        if whole is not None:
            self.answers = self.of_items
        self.gone: set[tuple[int, int]] = set()
        """Where the parts of the head of a loop are that have the items it goes over."""
        self.in_order: set[tuple[int, int]] = set()
        """Where of these a call of `sorted` is whose items it goes over as they come."""
        self.is_certain = True
        """Whether what is visited is evaluated, whatever comes of what is around it."""
        self.items_asked = 0
        """Most questions that the comprehensions up to here need, item by item, and the operations that are made of others."""

    def of_line(self, found: Line) -> list[int]:
        if self.is_loop:
            for part in found.values:
                self.goes_over(part)
                self.goes_in_order(part)
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
        if code is None or part is None or (value_at(self.program, self.code, 0, self.frame)[0] or ())[:1] != (_C["["],):
            return ()
        told = self.inside(code).told
        if (plan_of(code, part, told) or in_positions(code, part, told)) is None:
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

    def goes_in_order(self, part: Part) -> None:
        """Notes a call of `sorted` that a loop goes over, by itself or counted."""
        if part.kind == "call" and self.code[part.first] == _W["enumerate"] and len(part.parts) == 2:
            part = part.parts[1]
        if part.kind == "call" and self.code[part.first] == _W["sorted"]:
            self.in_order.add((part.first, part.end))

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
                self.stands_for(part, parts[1] if holds else parts[2])
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
        if kind == "compare" and len(parts) > 2:
            self.walk_chain(part)
        if kind == "comprehension" and self.code[part.first] == _C["["] and not self.is_loop:
            if self.unroll(part):
                return
            for inner in parts[1:]:
                self.walk_fixed(inner, part.bound)
        if self.worked.get(part.begin, (0,))[0] == part.until or self.look_up(part):
            return
        is_short = part.end - part.first <= LONGEST_WORKING
        if kind in _ASKED and is_short and self.is_known(part, frozenset()):
            if shown and not (self.is_line and self.is_asked_aloud(part)):
                self.make(part)
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

    def walk_fixed(self, part: Part, bound: "frozenset[int]") -> None:
        """Of a comprehension that is not gone through what is the same for every item: sizes of rows, and their like."""
        kind, parts = part.kind, part.parts
        if kind in ("lambda", "constant", "name"):
            return
        if kind == "binary" and parts[0].kind == "display" and self.code[parts[0].until] == _C["*"]:
            self.walk_fixed(parts[1], bound)
        elif kind in ("display", "comprehension") or reads_any(self.code, part, bound):
            for inner in parts:
                self.walk_fixed(inner, bound | part.bound)
        else:
            was_certain, self.is_certain = self.is_certain, False  # there may be no item
            self.walk(part, False)
            self.is_certain = was_certain

    def walk_joined(self, part: Part) -> None:
        """Operands up to the one that decides: it is what they all come to."""
        for inner in part.parts:
            self.walk(inner, False)
            holds = self.truth(inner)
            if holds is None:
                return
            if holds == (part.kind == "or") or inner is part.parts[-1]:
                return self.stands_for(part, inner)

    def walk_chain(self, part: Part) -> None:
        """The comparisons of `a < b < c`, two by two up to the one that does not hold."""
        for left, right in zip(part.parts, part.parts[1:]):
            self.walk(right, False)
            values = self.told(left), self.told(right)
            if None in values or not self.has_room(1):
                return
            found = self.value_of([*values[0], *self.code[left.until:right.begin], *values[1]])
            if found is None:
                return
            if right is part.parts[-1] or not truth_of_literal(found):
                self.worked[part.begin] = (part.until, (T.VALUE, *found))
                return

    def has_room(self, questions: int) -> bool:
        """Whether the line may have so many questions more of items and of what is made of others."""
        self.root.items_asked += questions
        return self.root.items_asked <= MOST_ITEM_WORKINGS

    def walk_subscripts(self, part: Part) -> None:
        """The indices of subscripts one behind the other: marks show what they look up together."""
        base, index = part.parts
        if base.kind == "subscript":
            self.walk_subscripts(base)
        else:
            self.walk(base, False)
        self.walk(index, False)
        self.look_up(base)

    def look_up(self, part: Part) -> bool:
        """Looks into a constant of the module that no line shows: whether the part does that."""
        lookup = self.lookup(part)
        if lookup is None or not self.is_given(lookup, frozenset()):
            return False
        value = looked_up(lookup, self.tables, self.told)
        if value is None:
            return self.raises()
        if len(value) <= LONGEST_RESULT and not (self.is_loop and self.is_of_another_pass(part, (T.VALUE, *value))):
            self.worked[part.begin] = (part.until, (T.VALUE, *value))
        return True

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
        if not self.has_room(len(set(codes)) * sum(map(_operations, inside))):
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

    def make(self, part: Part) -> bool:
        """Works out an operation that is made of others; False for other parts, and where that fails."""
        is_gone_over, is_in_order = ((part.first, part.end) in places for places in (self.gone, self.in_order))
        plan = plan_of(self.code, part, self.told) if not is_gone_over or is_in_order else None
        value = plan.value(self.value_of) if plan is not None and self.has_room(plan.questions) else None
        if value is None or len(value) > LONGEST_RESULT:
            return False
        shown = marked(value, marks(value, Lookups([]), self.frame.its[-1])) if is_in_order and self.frame.its else value
        self.worked[part.begin] = (part.until, (T.VALUE, *shown))
        return True

    def work(self, part: Part) -> None:
        if self.make(part):
            return
        tokens = tuple(self.code[part.first:part.end])
        if tokens in self.of_items:  # asked for an item, for all of which it is the same
            self.answers.setdefault(tokens, self.of_items[tokens])
        if tokens not in self.answers:
            if len(self.answers) == MOST_WORKINGS and self.whole is None:
                raise _Ended
            shown = _aloud(self.code, part, self.told) or with_values(self.program, self.written(part.first, part.end), self.frame)
            answer = self.ask(tokens, [T.EVALUATE, *shown])
            self.answers[tokens] = answer if answer is not None and is_usable(answer) else None
            if answer is not None and self.answers[tokens] is None and answer[0] != T.VALUE:
                self.raises()
        answer = self.answers[tokens]
        if answer is not None and answer[0] != T.VALUE and not self.is_certain:
            return
        if answer is not None and not (self.is_loop and self.is_of_another_pass(part, answer)):
            self.worked[part.begin] = (part.until, answer)
        if answer is not None and answer[0] != T.VALUE:
            raise _Ended

    def raises(self) -> bool:
        """Ends the workings, if what raises is surely evaluated."""
        if self.is_certain:
            raise _Ended
        return True

    def is_of_another_pass(self, part: Part, answer: Answer) -> bool:
        """Whether the head of a loop is better shown as it is written: the item that comes next has a mark in the display it is in, and after
        the first pass nothing raises that is not evaluated again."""
        if answer[0] == T.VALUE:
            return is_display(answer[1:]) and (part.first, part.end) in self.gone
        return bool(self.frame.its) and self.frame.its[-1] > 0

def _operations(part: Part) -> int:
    """How many questions a part can need."""
    return (part.kind in _ASKED) + sum(map(_operations, part.parts))
