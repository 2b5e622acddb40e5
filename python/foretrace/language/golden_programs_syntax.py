"""Programs of the golden files, part five: syntax that the two parsers see differently."""

from __future__ import annotations

PROGRAMS: list[tuple[str, str]] = [
    # Class patterns with keywords, which capture.
    ('''class P:
    __match_args__ = ('x',)

    def __init__(self, x, y):
        self.x = x
        self.y = y


def f(p):
    match p:
        case P(x=1, y=count):
            return count
        case P(2, y=[item, *rest]):
            return item, rest
        case P(y=None as key, x=(
                low, high)):
            return key, low, high
''', "f(P((3, 4), None))"),
]
