"""What the generator gives: one program with its entry."""

from __future__ import annotations

from dataclasses import dataclass

from .builder import Builder, Program
from .types import hint
from .values import literal


_NO_HINT = frozenset({"Any", "list", "dict", "view", "other"})
"""Result types that are no hints."""


@dataclass(frozen=True)
class Sample:
    """`source` is the program's text, `call` the entry expression, `tags` the features it was built from.

    `kinds`: the kind of each argument (values.py), by which other inputs can be drawn; empty where they are not known.
    `more_calls`: other calls that fit the program."""

    source: str
    call: str
    tags: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    more_calls: tuple[str, ...] = ()


class Style:
    """How one program is laid out: indentation, hints, quotes of docstrings."""

    def __init__(self, program: Program) -> None:
        rng = program.rng
        self.indent = "  " if rng.random() < 0.12 else "    "
        self.hints = rng.random() < 0.15
        self.typing = rng.random() < 0.35
        self.keywords = rng.random() < 0.05


def signature(name: str, builder: Builder, style: Style, result: str | None = None) -> str:
    """The `def` line of a function."""
    if style.hints:
        spelled = (lambda type_: _spelled(builder.program, type_)) if style.typing else str
        inside = ", ".join(f"{p.name}: {spelled(hint(p.kind))}" for p in builder.parameters)
        arrow = f" -> {spelled(result)}" if result and result not in _NO_HINT else ""
        return f"def {name}({inside}){arrow}:"
    return f"def {name}({', '.join(p.name for p in builder.parameters)}):"


def _spelled(program: Program, type_: str) -> str:
    """The hint as `typing` spells it, with its import."""
    for plain, name in (("list[", "List"), ("dict[", "Dict"), ("set[", "Set"), ("tuple[", "Tuple")):
        if plain in type_:
            type_ = type_.replace(plain, name + "[")
            program.need(f"from typing import {name}")
    if type_.endswith(" | None"):
        program.need("from typing import Optional")
        return f"Optional[{type_[: -len(' | None')]}]"
    return type_


def entry_call(name: str, builder: Builder, style: Style) -> str:
    """The call of the entry function with the arguments the builder drew."""
    arguments = [literal(p.value) for p in builder.parameters]
    if style.keywords and arguments:
        arguments[-1] = f"{builder.parameters[-1].name}={arguments[-1]}"
    return f"{name}({', '.join(arguments)})"


def assemble(program: Program, style: Style, definitions: list[list[str]], name: str, builder: Builder) -> Sample:
    """The whole program: imports, then each definition's lines; tabs become the style's indentation. Its entry calls `name`,
    which `builder` wrote."""
    call = entry_call(name, builder, style)
    rng = program.rng
    parts = ["\n".join(program.imports)] if program.imports else []
    gap = "\n\n\n" if rng.random() < 0.5 else "\n\n"
    parts += ["\n".join(lines) for lines in definitions]
    text = (gap if len(parts) > 1 else "").join(parts) + "\n"
    lines = []
    for line in text.split("\n"):
        bare = line.lstrip("\t")
        lines.append(style.indent * (len(line) - len(bare)) + bare)
    return Sample("\n".join(lines), call, tuple(program.tags), tuple(p.kind for p in builder.parameters))
