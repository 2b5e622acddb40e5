"""What an operation is, and the registry of all of them.

An operation is a template of source text with typed holes. `{0}` takes any expression (the hole stands inside
brackets or between commas), `{0:t}` a tight one (a name, call, index or bracketed expression), `{0:9}` one that binds
at least as tightly as level 9.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

TERNARY, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, ADD, MULTIPLY, UNARY, POWER, ATOM = range(14)

_BOUND = re.compile(r"\bfor (\w+(?:, \w+)*) in\b")
_HOLE = re.compile(r"\{(\d)(?::(t|\d+))?\}")


@dataclass(frozen=True)
class Operation:
    """One operation.

    `result` is the type of the value; for a statement it is "None" and `changes` tells which argument it mutates.
    `risky` operations raise on some values of their kinds. `module` is what the template needs imported.
    `bound` are the names that the template's comprehensions bind.
    """

    key: str
    result: str
    arguments: tuple[str, ...]
    pieces: tuple[object, ...]
    level: int
    risky: bool = False
    module: str | None = None
    weight: float = 1.0
    bound: tuple[str, ...] = ()

    def render(self, arguments: list[tuple[str, int]]) -> str:
        """Source text; each argument is (text, binding level)."""
        out = []
        clashes = self.clashes(arguments) if self.bound else ()
        for piece in self.pieces:
            if isinstance(piece, str):
                for name in clashes:
                    piece = re.sub(rf"\b{name}\b", f"{name}_", piece)
                out.append(piece)
            else:
                index, needed = piece
                text, level = arguments[index]
                out.append(f"({text})" if level < needed else text)
        return "".join(out)

    def clashes(self, arguments: list[tuple[str, int]]) -> list[str]:
        """Bound names that an argument mentions: the comprehension would capture them."""
        return [name for name in self.bound
                if any(name in text and re.search(rf"\b{name}\b", text) for text, _ in arguments)]


def pieces_of(template: str) -> tuple[object, ...]:
    """A template split into text and (argument index, needed level) holes."""
    pieces: list[object] = []
    end = 0
    for match in _HOLE.finditer(template):
        pieces.append(template[end : match.start()])
        needed = match.group(2)
        pieces.append((int(match.group(1)), 0 if needed is None else ATOM if needed == "t" else int(needed)))
        end = match.end()
    pieces.append(template[end:])
    return tuple(piece for piece in pieces if piece != "")


def _bound_by(template: str) -> tuple[str, ...]:
    names = [name for group in _BOUND.findall(template) for name in group.split(", ") if name != "_"]
    return tuple(dict.fromkeys(names))


class Table:
    """A list of operations being written down; the category is the prefix of their keys."""

    def __init__(self, category: str) -> None:
        self.category = category
        self.operations: list[Operation] = []

    def add(self, result: str, template: str, *arguments: str, level: int = ATOM, risky: bool = False,
            module: str | None = None, weight: float = 1.0) -> None:
        if template.startswith("'%"):
            level = MULTIPLY  # old-style formatting is the % operator
        key = f"{self.category}:{template}:{','.join(arguments)}"
        self.operations.append(
            Operation(key, result, arguments, pieces_of(template), level, risky, module, weight, _bound_by(template)))

    def many(self, result: str, templates: str, *arguments: str, **options) -> None:
        """Several operations of one signature, templates separated by ` ; `."""
        for template in templates.split(" ; "):
            self.add(result, template.strip(), *arguments, **options)

    def binary(self, result: str, symbol: str, left: str, right: str, level: int, **options) -> None:
        """A left-associative binary operator."""
        self.add(result, f"{{0:{level}}} {symbol} {{1:{level + 1}}}", left, right, level=level, **options)
