"""The tree of the expressions of code tokens (docs/trace-language.md, section 9): what an expression is and what is in it."""

from __future__ import annotations

from typing import NamedTuple


class Part(NamedTuple):
    """An expression: the tokens `code[first:end]`, without brackets around it, and the expressions in it. `code[begin:until]` are the same
    with the brackets that only group.

    kind: constant, name, text (an f-string), display, comprehension, generator, lambda, attribute, call, subscript, slice, star, keyword,
    unary, not, binary, compare, and, or, ternary. parts, in order of evaluation but for these: of a call the callee first; of a ternary the
    condition, what it is if that holds, what it is else; of a comprehension or generator expression the first iterable, then all else.
    bound: slots that one of these or a lambda binds.
    """

    kind: str
    first: int
    end: int
    parts: "tuple[Part, ...]" = ()
    bound: frozenset[int] = frozenset()
    begin: int = 0
    until: int = 0


NAMED = ("name", "attribute")
"""Kinds of parts whose values a state may tell."""
