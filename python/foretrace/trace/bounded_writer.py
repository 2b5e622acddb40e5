"""The text of one value as it grows: bounded in length and in work, items and pairs with commas between them."""

from __future__ import annotations

from collections.abc import Iterable

from foretrace.trace.introspection import name_of

CUT = '…'
# Values visited for one repr. Only sets need more visits than characters: all items, to sort them.
WORK_LIMIT = 20_000


class Full(Exception):
    """The text has reached its limit."""


class BoundedWriter:
    """Collects the text of one value and stops as soon as nothing more would be seen."""

    __slots__ = ('limit', 'parts', 'room', 'open', 'work')

    def __init__(self, limit: int, work: int = WORK_LIMIT) -> None:
        self.limit = limit
        self.parts: list[str] = []
        self.room = limit
        self.open: set[int] = set()
        self.work = work

    def text(self) -> str:
        text = ''.join(self.parts)
        if len(text) > self.limit:
            return text[:self.limit - 1] + CUT
        return text

    def emit(self, text: str) -> None:
        self.parts.append(text)
        self.room -= len(text)
        if self.room < 0:
            raise Full

    def overflow(self) -> None:
        """End the text here although there is room: the rest costs too much to find."""
        self.parts.append(CUT)
        self.parts[:] = [cut_to(''.join(self.parts), self.limit)]
        raise Full

    def write(self, value: object) -> None:
        """Add the text of one value, which is that of its kind."""
        raise NotImplementedError

    def sequence(self, start: str, items: Iterable, end: str) -> None:
        self.emit(start)
        first = True
        for item in items:
            if not first:
                self.emit(', ')
            first = False
            self.write(item)
        self.emit(end)

    def pairs(self, start: str, items: Iterable, end: str) -> None:
        self.emit(start)
        first = True
        for key, item in items:
            if not first:
                self.emit(', ')
            first = False
            self.write(key)
            self.emit(': ')
            self.write(item)
        self.emit(end)

    def sorted_texts(self, items: Iterable) -> list[str]:
        """The items' own texts in order. Every item is visited: the smallest may come last."""
        texts = []
        for item in items:
            inner = type(self)(self.limit, self.work)
            inner.open = self.open
            try:
                inner.write(item)
            except Full:
                pass
            self.work = inner.work
            if self.work < 0:
                self.overflow()
            texts.append(inner.text())
        texts.sort()
        return texts


def cut_to(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit - 1] + CUT


def unrepresentable(kind: type) -> str:
    return f'<unrepresentable {name_of(kind)}>'
