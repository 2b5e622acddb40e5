"""Constants of the module: names outside functions whose values the program's text tells (docs/trace-language.md, section 6)."""

from __future__ import annotations

from typing import Optional, Sequence

from . import tokens as T
from .augmented import closing_of
from .frames import Frame
from .known_calls import is_known_function, is_known_method
from .literals import is_literal, is_mutable, mutable_depth
from .parts import AUGMENTED, line
from .program import Program
from .told import UNKNOWN, told_value
from .values import ValueDecoder, encode_value

LONGEST = 128  # tokens
_OPENING, _CLOSING, _SQUARE, _DOT, _COLON, _EQUALS = (T.CHARS[char] for char in "()[.:=")
_IN = T.WORDS["in"]


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
    """The constants of the module, with their values."""
    if program.constant_cache is None:
        found = {name: _value(program, *lines) for name, lines in program.assigned_once.items()}
        program.constant_cache = {name: value for name, value in found.items() if value is not None}
    return program.constant_cache


def _value(program: Program, first: int, last: int) -> Optional[str]:
    """The value of an assignment on these lines to one name, if the code tells it and nothing in the program can change it."""
    code = [token for at in program.code_lines if first <= at <= last for token in program.line_tokens(at)]
    found = line(code)
    if found is None or len(found.values) != 1 or found.inner:
        return None
    value = told_value(code, found.values[0], lambda part: UNKNOWN if part.kind == "name" else None)
    if value is None or len(value) > LONGEST or not is_literal(value):
        return None
    is_kept = not is_mutable(value) or (mutable_depth(value) == 1 and _is_only_read(program, code[0]))
    return _text(program, value) if is_kept else None


def _text(program: Program, value: Sequence[int]) -> str:
    decoder = ValueDecoder(program)
    for token in value:
        decoder.take(token)
    return decoder.text()


def _is_only_read(program: Program, slot: int) -> bool:
    """Whether all that is done with a name, once it has its value, is to look into it."""
    tokens = [*program.tokens, *[T.END] * 3]
    places = [at for at, token in enumerate(tokens) if token == slot and tokens[at - 1] != _DOT]
    return tokens[places[0] + 1] in (_EQUALS, _COLON) and all(_is_read(program, tokens, at) for at in places[1:])


def _is_read(program: Program, tokens: Sequence[int], at: int) -> bool:
    """Whether a name is looked into at `tokens[at]`: `in x`, `x[i]` (but as a target), `x.get(i)`, `len(x)`."""
    before, behind = tokens[at - 1], tokens[at + 1]
    if behind == _SQUARE:
        end = closing_of(tokens, at + 1)
        return end + 1 < len(tokens) and tokens[end + 1] not in (_EQUALS, *AUGMENTED)
    if behind == _DOT:
        word = T.WORDS.get(program.slot_names.get(tokens[at + 2], ""), tokens[at + 2])
        return is_known_method(word) and tokens[at + 3] == _OPENING
    if before == _OPENING and behind == _CLOSING:
        return is_known_function(tokens[at - 2])
    return before == _IN
