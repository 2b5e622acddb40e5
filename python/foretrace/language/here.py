"""The line about to run with the values of its names beside them (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from . import tokens as T
from .attributes import value_at
from .frames import Frame, Stack
from .literals import integer_of
from .marks import Lookups, marked, marks, subscripts
from .program import Program

REPEATED_TOKENS = 8  # a longer value stands behind the first occurrence of its name only
_DOT, _EQUALS = T.CHARS["."], T.CHARS["="]
_FOR, _IN = T.WORDS["for"], T.WORDS["in"]
_CLOSING, _SUBSCRIPT, _BACKWARDS = T.CHARS[")"], T.CHARS["["], tuple(T.text_tokens("[::-1]"))
_REVERSED, _RANGE = ((T.WORDS[name], T.CHARS["("]) for name in ("reversed", "range"))
_COMMA, _COLON = T.CHARS[","], T.CHARS[":"]
_REORDER = tuple(T.WORDS[name] for name in ("reversed", "sorted", "set", "frozenset"))


def encode_here(program: Program, stack: Stack,
                worked: "Optional[Callable[[Program, Sequence[int], Frame], Sequence[int]]]" = None) -> list[int]:
    """`<|here|>` and the line with which the program goes on from the state, as far as the state tells: that of a `line` event, or
    that of the caller after a `return`. Empty for other states. worked: what makes the line's tokens what they are before a step.

    Raises EncodeError (bad_state) for a value that cannot be written."""
    frame = going_on(stack) if program.shows_values else None
    if frame is None:
        return []
    code: Sequence[int] = program.line_tokens(frame.line)
    if worked is not None:
        code = worked(program, code, frame)
    return [T.HERE, *with_values(program, code, frame)]


def going_on(stack: Stack) -> Optional[Frame]:
    """The frame that goes on from the state, on the line where it is; None where the state does not tell."""
    if not stack:
        return None
    if stack[-1].event == "line":
        return stack[-1]
    return stack[-2] if stack[-1].event == "return" and len(stack) > 1 else None


def with_values(program: Program, code: Sequence[int], frame: Frame) -> list[int]:
    """Code tokens, each name that is bound in the frame followed by its value, or if attributes follow that its value tells, the last of these
    by that of the attribute: every time if it is short, else the first time, and the first time with other marks. The target of an assignment
    to one name or attribute has none. Marks (`<|it|>`) stand before the items that subscripts
    look up and, on the line of a `for` statement, in the iterable before the item that comes next; behind a range stands a mark and the
    integer that comes next. Without `program.shows_values` it is the code tokens alone."""
    if not program.shows_values:
        return list(code)
    out: list[int] = []
    following: Optional[int] = None
    reordered = 0  # functions that change the order, behind the `in` of a `for`
    seen = set()
    end = 0
    for index, token in enumerate(code):
        if index < end:
            continue
        out.append(token)
        if token == _IN and code[0] == _FOR and frame.its and following is None:
            following = frame.its[-1]
        reordered += following is not None and token in _REORDER
        if token not in T.SLOTS or (index > 0 and code[index - 1] == _DOT):
            continue
        value, end = value_at(program, code, index, frame)
        out += code[index + 1:end]
        if value is None or (index == 0 and len(code) > end and code[end] == _EQUALS):
            continue
        lookups = subscripts(program, code, end - 1, frame)
        places = tuple(marks(value, lookups, None if following is None else _in_order(code, index, end, lookups, following, reordered)))
        name = tuple(code[index:end])
        if len(value) > REPEATED_TOKENS and ((name, places) in seen or (not places and name in seen)):
            continue
        seen |= {name, (name, places)}
        out += marked(value, places)
    after = next_of_range(program, code, frame) if following is not None else None
    return out if after is None else [*out[:-1], T.IT, *after, out[-1]]


def next_of_range(program: Program, code: Sequence[int], frame: Frame) -> Optional[Sequence[int]]:
    """The integer that comes next in a loop over a range, or one that goes backwards, if its bounds are constants or names bound to integers;
    nothing if the range is at its end; None for other loops."""
    tokens = tuple(code[code.index(_IN) + 1:])
    is_reversed = tokens[:2] == _REVERSED
    inside = tokens[2:-2] if is_reversed else tokens[:-1]
    if inside[:2] != _RANGE or tokens[-2:] != (_CLOSING, _COLON) or inside[-1] != _CLOSING:
        return None
    bounds = [_integer(program, bound, frame) for bound in _split(inside[2:-1])]
    if not 1 <= len(bounds) <= 3 or None in bounds or bounds[2:] == [0]:
        return None
    numbers = range(*bounds)[::-1 if is_reversed else 1]
    return T.text_tokens(str(numbers[frame.its[-1]])) if frame.its[-1] < len(numbers) else ()


def _split(tokens: Sequence[int]) -> "list[Sequence[int]]":
    """What stands between commas."""
    ends = [at for at, token in enumerate(tokens) if token == _COMMA]
    return [tokens[first:end] for first, end in zip([0, *(at + 1 for at in ends)], [*ends, len(tokens)])]


def _integer(program: Program, bound: Sequence[int], frame: Frame) -> Optional[int]:
    """The integer that a bound of a range is."""
    value, end = value_at(program, bound, 0, frame) if bound else (None, 0)
    return integer_of(value if value is not None and end == len(bound) else bound)


def _in_order(code: Sequence[int], first: int, end: int, lookups: Lookups, following: int, reordered: int) -> Optional[int]:
    """The number of the item that comes next, of what a loop goes over at `code[first:end]`: from the end where it goes backwards (-1 is the
    last), None where its order is not told."""
    behind = tuple(code[end:end + 7])
    if reordered:
        alone = tuple(code[first - 2:first]) == _REVERSED and behind[:1] == (_CLOSING,)
        return -1 - following if alone and reordered == 1 else None
    if behind[:6] == _BACKWARDS:
        return None if behind[6:] == (_SUBSCRIPT,) else -1 - following
    return following if lookups.whole else None
