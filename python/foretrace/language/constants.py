"""Constants of the module: names outside functions whose values the program's text tells (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .augmented import closing_of
from .displays import is_mapping
from .frames import Frame
from .known_calls import is_known_function, is_known_method
from .line_parts import line
from .literals import is_literal, is_mutable, mutable_depth
from .operators import AUGMENTED
from .program import Program
from .tables import is_table
from .told import UNKNOWN, told_value
from .values import ValueDecoder, encode_value

LONGEST_SHOWN = 128  # tokens, of a constant that a line shows
LONGEST = 8192  # of one that is looked into
_OPENING, _CLOSING, _SQUARE, _DOT, _COLON, _EQUALS = (T.CHARS[char] for char in "()[.:=")
_IN, _LEN, _DEL = (T.WORDS[word] for word in ("in", "len", "del"))
_LINES = range(T.LINE_BASE, T.LINE_BASE + T.LINE_COUNT)


def text_of_name(program: Program, frame: Frame, name: str) -> Optional[str]:
    """The value of a name in a frame: what it is bound to there, or the constant of the module that it is. None: it is not known."""
    text = frame.locals.get(name)
    return constants(program).get(name) if text is None else text


def value_of_name(program: Program, frame: Frame, slot: int) -> Optional[tuple[int, ...]]:
    """The tokens of that value.

    Raises EncodeError (bad_state) for a value that cannot be written."""
    text = text_of_name(program, frame, program.slot_names.get(slot, ""))
    return None if text is None else encode_value(program, text)


def constants(program: Program) -> "dict[str, str]":
    """The constants of the module that a line shows, with their values."""
    return _read(program)[0]


def tables(program: Program) -> "dict[int, Sequence[int]]":
    """The constants of the module of which a line shows nothing, by slot, as tokens."""
    return _read(program)[1]


def _read(program: Program) -> "tuple[dict[str, str], dict[int, Sequence[int]]]":
    if program.constant_cache is None:
        shown: dict[str, str] = {}
        tables: dict[int, Sequence[int]] = {}
        for name, (first, last) in program.assigned_once.items():
            slot, value = program.slots.get(name), _value(program, first, last)
            if slot is None or value is None or not _is_kept(program, slot, value):
                continue
            if len(value) <= LONGEST_SHOWN and mutable_depth(value) <= 1:
                shown[name] = _text(program, value)
            elif is_table(value):
                tables[slot] = value
        program.constant_cache = shown, tables
    return program.constant_cache


def _value(program: Program, first: int, last: int) -> Optional[Sequence[int]]:
    """The value of an assignment on these lines to one name, if the code tells it."""
    code = [token for at in program.code_lines if first <= at <= last for token in program.line_tokens(at)]
    found = line(code)
    if found is None or len(found.values) != 1 or found.inner:
        return None
    value = told_value(code, found.values[0], lambda part: UNKNOWN if part.kind == "name" else None)
    return value if value is not None and len(value) <= LONGEST and is_literal(value) else None


def _text(program: Program, value: Sequence[int]) -> str:
    decoder = ValueDecoder(program)
    for token in value:
        decoder.take(token)
    return decoder.text()


def _is_kept(program: Program, slot: int, value: Sequence[int]) -> bool:
    """Whether nothing in the program can change a value that a name is bound to: all that is done with the name is to look into it."""
    if not is_mutable(value):
        return True
    tokens = [*program.tokens, *[T.END] * 3]
    first, *others = [at for at, token in enumerate(tokens) if token == slot and tokens[at - 1] != _DOT]
    depth, is_dict = mutable_depth(value), is_mapping(value)
    return tokens[first + 1] in (_EQUALS, _COLON) and depth <= 2 and all(
        _is_read(program, tokens, at) and (depth < 2 or _gives_no_item(tokens, at, is_dict)) for at in others)


def _gives_no_item(tokens: Sequence[int], at: int, is_dict: bool) -> bool:
    """Whether no item of what a name is bound to is given away where it is looked into: `x[i][j]`, `in x[i]`, `len(x)`; `in x` gives the
    keys of a dict."""
    before, behind = tokens[at - 1], tokens[at + 1]
    if behind == _SQUARE:
        end = closing_of(tokens, at + 1)
        return _is_no_target(tokens, at, end + 1) if tokens[end + 1] == _SQUARE else before == _IN
    return behind != _DOT and (is_dict or tokens[at - 2] == _LEN)


def _is_read(program: Program, tokens: Sequence[int], at: int) -> bool:
    """Whether a name is looked into at `tokens[at]`: `in x`, `x[i]` (but as a target), `x.get(i)`, `len(x)`."""
    before, behind = tokens[at - 1], tokens[at + 1]
    if behind == _SQUARE:
        return _is_no_target(tokens, at, at + 1)
    if behind == _DOT:
        word = T.WORDS.get(program.slot_names.get(tokens[at + 2], ""), tokens[at + 2])
        return is_known_method(word) and tokens[at + 3] == _OPENING
    if before == _OPENING and behind == _CLOSING:
        return is_known_function(tokens[at - 2])
    return before == _IN


def _is_no_target(tokens: Sequence[int], at: int, bracket: int) -> bool:
    """Whether the subscript whose bracket opens at `bracket`, of the name at `tokens[at]`, is neither assigned to nor on a line that deletes."""
    end = closing_of(tokens, bracket)
    line_begins = next((before for before in range(at - 1, 0, -1) if tokens[before] in _LINES), 0)
    is_assigned = end + 1 >= len(tokens) or tokens[end + 1] in (_EQUALS, *AUGMENTED)
    return not is_assigned and _DEL not in tokens[line_begins:at]
