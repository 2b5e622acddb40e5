"""Short idioms over sequences, composed from random conditions and transformations.

An idiom writes a few lines and gives the variable that holds its result. It asks the builder for what it works on, which
is a variable in scope or a new parameter.
"""

from __future__ import annotations

from collections.abc import Callable

from .builder import Builder, Variable
from .idioms_numbers import NUMBER_IDIOMS
from .idioms_strings import STRING_IDIOMS
from .idioms_tables import TABLE_IDIOMS
from .loops import LOOP_IDIOMS

Idiom = Callable[[Builder, "Variable | None"], "Variable | None"]

IDIOMS: tuple[Idiom, ...] = LOOP_IDIOMS * 3 + STRING_IDIOMS + NUMBER_IDIOMS + TABLE_IDIOMS
