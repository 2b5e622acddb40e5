"""The functions and methods of builtins that workings know (docs/trace-language.md, section 9): they change nothing."""

from __future__ import annotations

from typing import Sequence

from . import tokens as T
from .parts import Part
from .program import Program

_DOT, _OPENING = T.CHARS["."], T.CHARS["("]
FUNCTIONS = frozenset(
    "abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float format frozenset hex int isinstance len list map max "
    "min oct ord range repr reversed round set sorted str sum tuple zip".split())
METHODS = frozenset(
    "capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii isdecimal isdigit isidentifier islower "
    "isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust "
    "rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill copy get items keys values difference "
    "intersection isdisjoint issubset issuperset symmetric_difference union bit_length is_integer decode".split())
_LAZY = "enumerate filter map range reversed zip items keys values".split()
_CONSUMERS = "all any dict frozenset list max min set sorted sum tuple".split()
_GIVERS = "enumerate filter list map reversed tuple zip copy items keys values".split()
_FUNCTION_WORDS, _METHOD_WORDS, _LAZY_WORDS, _CONSUMER_WORDS, _GIVER_WORDS = (
    frozenset(T.WORDS[word] for word in words) for words in (FUNCTIONS, METHODS, _LAZY, _CONSUMERS, _GIVERS))


def is_known_function(token: int) -> bool:
    """Whether a name is that of one of the functions."""
    return token in _FUNCTION_WORDS


def is_known_method(token: int) -> bool:
    """Whether a word is that of one of the methods."""
    return token in _METHOD_WORDS


def changes_nothing(code: Sequence[int], callee: Part) -> bool:
    """Whether a callee is a function or a method that leaves everything as it is."""
    name = code[callee.end - 1]
    return name in _METHOD_WORDS if callee.kind == "attribute" else callee.kind == "name" and name in _FUNCTION_WORDS


def with_methods(program: Program, code: Sequence[int]) -> list[int]:
    """The code with their words for the methods that are called in it: names of the program that spell one stand as slots."""
    out = list(code)
    for at in range(1, len(code) - 1):
        word = T.WORDS.get(program.slot_names.get(code[at], ""))
        if code[at - 1] == _DOT and code[at + 1] == _OPENING and word in _METHOD_WORDS:
            out[at] = word
    return out


def is_lazy(code: Sequence[int], part: Part) -> bool:
    """Whether a part is a call whose value is no literal: an iterator or a view."""
    return part.kind == "call" and code[part.parts[0].end - 1] in _LAZY_WORDS


def consumes(code: Sequence[int], callee: Part) -> bool:
    """Whether a callee takes a list for the generator expression that it is given."""
    name = code[callee.end - 1]
    return name == T.WORDS["join"] if callee.kind == "attribute" else callee.kind == "name" and name in _CONSUMER_WORDS


def gives_items(code: Sequence[int], callee: Part) -> bool:
    """Whether what a callee gives has the items of what it is given, in their order or the other way round."""
    return code[callee.end - 1] in _GIVER_WORDS
