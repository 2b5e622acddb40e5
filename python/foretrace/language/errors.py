"""Coded errors of the trace language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


class ProgramError(Exception):
    """A program, or an expression to evaluate, that the language cannot hold.

    `code` is one of: invalid_python, invalid_entry, program_too_long, program_too_deep, too_many_names;
    of an expression to evaluate: invalid_expression.
    `line` (from 1) and `column` (from 0, in code points) are None where none applies.
    """

    def __init__(self, code: str, message: str, line: Optional[int] = None, column: Optional[int] = None):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.line = line
        self.column = column


class EncodeError(Exception):
    """A state or action that does not fit its program. `code`: unknown_name, unknown_line, unknown_action, bad_state."""

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class DecodeError:
    """Malformed tokens, as a value: where (token index), what would have been legal, and what stood there."""

    code: str
    position: int
    expected: str
    actual: str
