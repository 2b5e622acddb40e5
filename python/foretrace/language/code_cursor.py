"""A place in code tokens that are read from left to right: what comes next there, and the part of their tree that ends there."""

from __future__ import annotations

from typing import Callable, NoReturn, Optional, Sequence, TypeVar

from . import tokens as T
from .parts import Part

Found = TypeVar("Found")


class _Unread(Exception):
    """The tokens are none of what is read here."""


class CodeCursor:
    """at: how many tokens were passed."""

    def __init__(self, code: Sequence[int]):
        self.code = code
        self.at = 0

    def is_at_end(self) -> bool:
        return self.at >= len(self.code)

    def peek(self, ahead: int = 0) -> int:
        """The token that many places ahead; the end token behind the last one."""
        at = self.at + ahead
        return self.code[at] if at < len(self.code) else T.END

    def since(self, first: int) -> Sequence[int]:
        """The tokens passed since that many were."""
        return self.code[first:self.at]

    def takes(self, *tokens: int) -> bool:
        """Whether one of these comes next; it is passed over."""
        found = self.peek() in tokens
        self.at += found
        return found

    def expect(self, token: int) -> None:
        if not self.takes(token):
            self.fail()

    def fail(self) -> NoReturn:
        raise _Unread

    def part(self, kind: str, first: int, parts: "Sequence[Part]" = (), bound: frozenset[int] = frozenset()) -> Part:
        """The part that begins at `first` and ends here."""
        return Part(kind, first, self.at, tuple(parts), bound, first, self.at)


def read(code: Sequence[int], parse: Callable[[CodeCursor], Found]) -> Optional[Found]:
    """What `parse` finds in all of the tokens; None if they are not read up to their end."""
    cursor = CodeCursor(code)
    try:
        found = parse(cursor)
        if not cursor.is_at_end():
            cursor.fail()
    except (_Unread, RecursionError):
        return None
    return found
