"""Looking into constants of the module that are too long for a line to show, or hold what could be changed: the text tells what stands in them
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence, Union

from . import tokens as T
from .displays import QUOTES, is_mapping, is_sequence, items_of
from .literals import integer_of
from .parts import Part

_C, _W = T.CHARS, T.WORDS
_BETWEEN = {(_W["in"],): "in", (_W["not"], _W["in"]): "not in"}

Value = Sequence[int]


@dataclass(frozen=True)
class Lookup:
    """A part that looks into such a constant, or into an item of it."""

    kind: str
    table: Union[int, Lookup]
    given: Sequence[Part]
    """What is looked for, and what there is otherwise."""


def is_table(value: Value) -> bool:
    """Whether it can be told what stands where in a value: in a list or tuple, and by keys that are all integers or all strings."""
    return is_sequence(value) or (value[0] == _C["{"] and _are_alike(_entries(value)[0]))


def lookup_of(code: Sequence[int], part: Part, tables: Mapping[int, Value]) -> Optional[Lookup]:
    """What a part looks for in a table, if it does."""
    if not tables or not part.parts:
        return None
    first, *others = part.parts

    def looking(kind: str, table: Part, given: Sequence[Part]) -> Optional[Lookup]:
        found = _table_of(code, table, tables)
        return None if found is None else Lookup(kind, found, given)

    if part.kind == "subscript" and others[0].kind != "slice":
        return looking("item", first, others)
    if part.kind == "compare" and len(others) == 1:
        kind = _BETWEEN.get(tuple(code[first.until:others[0].begin]))
        return looking(kind, others[0], [first]) if kind else None
    if part.kind != "call" or not 0 < len(others) < 3:
        return None
    name = code[first.end - 1]
    if first.kind == "name":
        return looking("len", others[0], []) if name == _W["len"] and len(others) == 1 else None
    if first.kind != "attribute":
        return None
    if name == _W["get"]:
        return looking("get", first.parts[0], others)
    return looking("index", first.parts[0], others) if name == _W["index"] and len(others) == 1 else None


def _table_of(code: Sequence[int], part: Part, tables: Mapping[int, Value]) -> Union[int, Lookup, None]:
    if part.kind == "name":
        return code[part.first] if code[part.first] in tables else None
    return lookup_of(code, part, tables) if part.kind == "subscript" else None


def looked_up(lookup: Lookup, tables: Mapping[int, Value], told: Callable[[Part], Optional[Value]]) -> Optional[Value]:
    """What a lookup comes to; None where it raises, and where it is not told."""
    table = tables.get(lookup.table) if isinstance(lookup.table, int) else looked_up(lookup.table, tables, told)
    if table is None or not is_table(table):
        return None
    keys, held = _entries(table)
    if lookup.kind == "len":
        return T.text_tokens(str(len(keys)))
    key = told(lookup.given[0])
    if key is None:
        return None
    is_dict = is_mapping(table)
    if lookup.kind == "item" and not is_dict:
        return _item(held, key) if is_sequence(table) else None
    if not _are_alike([*keys, key]):
        return None
    place = keys.index(tuple(key)) if tuple(key) in keys else -1
    if lookup.kind in ("in", "not in"):
        return (_W["True" if (place >= 0) == (lookup.kind == "in") else "False"],)
    if lookup.kind == "index":
        return T.text_tokens(str(place)) if is_sequence(table) and place >= 0 else None
    if not is_dict:
        return None
    if place >= 0:
        return held[place]
    if lookup.kind == "item":
        return None
    return told(lookup.given[1]) if len(lookup.given) > 1 else (_W["None"],)


def _entries(table: Value) -> tuple[list[Value], list[Value]]:
    """The keys of a dict and what they lead to; of other displays the items, twice."""
    items = items_of(table, 0, len(table)) or []
    keys = [tuple(table[item.first:item.end if item.colon < 0 else item.colon]) for item in items]
    return keys, [tuple(table[item.first if item.colon < 0 else item.colon + 1:item.end]) for item in items]


def _item(items: Sequence[Value], index: Value) -> Optional[Value]:
    number = integer_of(index)
    return items[number] if number is not None and -len(items) <= number < len(items) else None


def _are_alike(keys: Sequence[Value]) -> bool:
    """Whether these are equal only if they are written alike: all integers, or all strings."""
    return all(key[0] in QUOTES for key in keys) or all(map(_is_integer, keys))


def _is_integer(key: Value) -> bool:
    digits = key[1:] if key[0] == _C["-"] else key
    return bool(digits) and all(token in T.DIGITS for token in digits)
