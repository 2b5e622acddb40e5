"""How an operation comes about that is made of others, each of which is asked by itself (docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence

from .parts import Part

Told = Callable[[Part], Optional[Sequence[int]]]
"""The value of a part of the code, if it is known."""
ValueOf = Callable[[Sequence[int]], Optional[Sequence[int]]]
"""The value of an expression; None where it is not known."""


class Plan(NamedTuple):
    """questions: the most that are needed; value: what they come to, None where one of them has no answer that can be used."""

    questions: int
    value: Callable[[ValueOf], Optional[Sequence[int]]]
