"""The line about to run with the values of its names beside them (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .frames import Frame, Stack
from .program import Program
from .values import encode_value

REPEATED_TOKENS = 8  # a longer value stands behind the first occurrence of its name only
_DOT, _EQUALS, _COMMA, _ESCAPE = (T.CHARS[char] for char in ".=,\\")
_QUOTES = (T.CHARS["'"], T.CHARS['"'])
_OPENING, _CLOSING = tuple(T.CHARS[char] for char in "[({"), tuple(T.CHARS[char] for char in "])}")
_FOR, _IN = T.WORDS["for"], T.WORDS["in"]
_SLOTS = range(T.SLOT_BASE, T.SLOT_BASE + T.SLOT_COUNT)
_CONTINUATION = range(T.BYTE_BASE + 0x80, T.BYTE_BASE + 0xC0)  # bytes that go on with a character of UTF-8


def encode_here(program: Program, stack: Stack) -> list[int]:
    """`<|here|>` and the line with which the program goes on from the state, as far as the state tells: that of a `line` event, or
    that of the caller after a `return`. Empty for other states.

    Raises EncodeError (bad_state) for a value that cannot be written."""
    frame = _going_on(stack) if program.shows_values else None
    if frame is None:
        return []
    return [T.HERE, *with_values(program, program.line_tokens(frame.line), frame)]


def _going_on(stack: Stack) -> Optional[Frame]:
    if not stack:
        return None
    if stack[-1].event == "line":
        return stack[-1]
    return stack[-2] if stack[-1].event == "return" and len(stack) > 1 else None


def with_values(program: Program, code: Sequence[int], frame: Frame) -> list[int]:
    """Code tokens, each name that is bound in the frame followed by its value: every time if it is short, else the first time. The
    target of an assignment to one name has none. On the line of a `for` statement, `<|it|>` stands in the iterable
    before the item that comes next. Without `program.shows_values` it is the code tokens alone."""
    if not program.shows_values:
        return list(code)
    names, out = program.slot_names, []
    following: Optional[int] = None
    seen = set()
    for index, token in enumerate(code):
        out.append(token)
        if token == _IN and code[0] == _FOR and frame.its and following is None:
            following = frame.its[-1]
        if token not in _SLOTS or (index > 0 and code[index - 1] == _DOT):
            continue
        text = frame.locals.get(names.get(token, ""))
        if text is None or (index == 0 and len(code) > 1 and code[1] == _EQUALS):
            continue
        value = encode_value(program, text)
        if token in seen and len(value) > REPEATED_TOKENS:
            continue
        seen.add(token)
        out += value if following is None else _marked(value, following)
    return out


def _marked(value: Sequence[int], item: int) -> list[int]:
    """A list, tuple, dict, set or string with `<|it|>` before its item number `item`, or at the end if it has fewer."""
    if value[0] in _QUOTES:
        at = _character(value, item)
    elif value[0] in _OPENING:
        at = _item(value, item)
    else:
        return list(value)
    return [*value[:at], T.IT, *value[at:]]


def _character(value: Sequence[int], item: int) -> int:
    at, last = 1, len(value) - 1
    for _ in range(item):
        if at >= last:
            break
        at += 2 if value[at] == _ESCAPE else 1
        while at < last and value[at] in _CONTINUATION:
            at += 1
    return min(at, last)


def _item(value: Sequence[int], item: int) -> int:
    depth, quote, escaped = 0, None, False
    for at, token in enumerate(value):
        if quote is not None:
            quote, escaped = (None if token == quote and not escaped else quote), token == _ESCAPE and not escaped
            continue
        if depth == 1 and item == 0:
            return at
        if token in _QUOTES:
            quote = token
        elif token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
        elif token == _COMMA and depth == 1:
            item -= 1
    return len(value) - 1
