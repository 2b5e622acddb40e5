"""What the `defaultdict`s of a frame hold: what stands in them is told as of a table of the module, what is missing is not (docs/trace-language.md, section 9)."""

from __future__ import annotations

import re
from typing import Sequence

from .frames import Frame
from .literals import is_literal
from .program import Program
from .tables import is_table
from .values import encode_value

_WRITTEN = re.compile(r"defaultdict\(<class '\w+'>, (\{.*\})\)", re.DOTALL)


def default_dicts(program: Program, frame: Frame) -> "dict[int, Sequence[int]]":
    """Their dicts, of those that are literals, by the slots of the names that they are bound to."""
    found: "dict[int, Sequence[int]]" = {}
    for name, text in frame.locals.items():
        written = _WRITTEN.fullmatch(text) if text.startswith("defaultdict(") else None
        value = encode_value(program, written[1]) if written and name in program.slots else None
        if value is not None and is_literal(value) and is_table(value):
            found[program.slots[name]] = value
    return found
