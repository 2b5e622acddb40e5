"""The types that generated programs compute with, and the narrower kinds an argument may ask for.

A type is its own spelling in Python's type-hint notation, so it serves as a hint as well. A *kind* is a
type with a meaning (an index, a separator, a dictionary key): an operation asks for a kind where most values of
the plain type would make it raise or do nothing.
"""

from __future__ import annotations

INT = "int"
FLOAT = "float"
BOOL = "bool"
STR = "str"
LIST_INT = "list[int]"
LIST_STR = "list[str]"
MATRIX = "list[list[int]]"
DICT_STR_INT = "dict[str, int]"
DICT_INT_STR = "dict[int, str]"
DICT_STR_LIST = "dict[str, list[int]]"
SET_INT = "set[int]"
SET_STR = "set[str]"
PAIR_INT = "tuple[int, int]"
PAIR_STR_INT = "tuple[str, int]"
TUPLE_INT = "tuple[int, ...]"
PAIRS = "list[tuple[str, int]]"
OPTIONAL_INT = "int | None"
BYTES = "bytes"
NONE = "None"

ELEMENT = {
    STR: STR,
    LIST_INT: INT,
    LIST_STR: STR,
    MATRIX: LIST_INT,
    SET_INT: INT,
    SET_STR: STR,
    TUPLE_INT: INT,
    PAIR_INT: INT,
    PAIRS: PAIR_STR_INT,
    DICT_STR_INT: STR,
    DICT_INT_STR: INT,
    DICT_STR_LIST: STR,
}
"""What iterating over a value of the type yields."""

KEY_VALUE = {DICT_STR_INT: (STR, INT), DICT_INT_STR: (INT, STR), DICT_STR_LIST: (STR, LIST_INT)}
"""Types of a dictionary's keys and values."""

MUTABLE = (LIST_INT, LIST_STR, MATRIX, DICT_STR_INT, DICT_INT_STR, DICT_STR_LIST, SET_INT, SET_STR)

ARGUMENT_TYPES = (
    STR, LIST_INT, LIST_STR, INT, DICT_STR_INT, MATRIX, DICT_INT_STR, DICT_STR_LIST, SET_INT, SET_STR, PAIRS,
    TUPLE_INT, FLOAT, BOOL,
)

KIND_TYPE = {
    "index": INT,
    "count": INT,
    "width": INT,
    "nonzero": INT,
    "positive": INT,
    "digit": INT,
    "exponent": INT,
    "shift": INT,
    "code": INT,
    "base": INT,
    "places": INT,
    "char": STR,
    "letter": STR,
    "sub": STR,
    "key": STR,
    "separator": STR,
    "number_text": STR,
    "float_text": STR,
    "binary_text": STR,
    "hex_text": STR,
    "tiny_text": STR,
    "method_name": STR,
    "json_text": STR,
    "spaced": STR,
    "padded": STR,
    "delimited": STR,
    "lines": STR,
    "sentence": STR,
    "filled_ints": LIST_INT,
    "filled_words": LIST_STR,
    "element": INT,
    "sorted_ints": LIST_INT,
    "positive_float": FLOAT,
}

STRICT = frozenset({"number_text", "float_text", "binary_text", "hex_text", "letter", "code", "nonzero", "shift",
                    "tiny_text", "method_name", "json_text", "digit", "exponent"})
"""Kinds whose operations raise on most other values of the type."""


def type_of(kind: str) -> str:
    """The type of a kind; a type is its own."""
    return KIND_TYPE.get(kind, kind)


def hint(kind: str) -> str:
    """The type hint for a kind, valid on Python 3.10."""
    return type_of(kind)
