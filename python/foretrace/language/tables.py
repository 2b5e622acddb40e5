"""Looking into constants of the module that are too long for a line to show, or hold what could be changed: the text tells what stands in them
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, Union

from . import tokens as T
from .displays import QUOTES, is_mapping, is_sequence, items_in, items_of
from .literals import integer_of
from .parts import Part
from .plan import Told

_C, _W = T.CHARS, T.WORDS
_BETWEEN = {(_W["in"],): "in", (_W["not"], _W["in"]): "not in"}

Value = Sequence[int]


@dataclass(frozen=True)
class Look:
    """A part that looks into a value."""

    kind: str
    table: Part
    given: Sequence[Part]
    """What is looked for, and what there is otherwise."""


@dataclass(frozen=True)
class Lookup:
    """A part that looks into such a constant, or into an item of it."""

    kind: str
    table: Union[int, Lookup]
    given: Sequence[Part]


def is_table(value: Value) -> bool:
    """Whether it can be told what stands where in a value: in a list or tuple, and by keys that are all integers or all strings."""
    return is_sequence(value) or (value[0] == _C["{"] and _are_alike(_entries(value)[0]))


def look_of(code: Sequence[int], part: Part) -> Optional[Look]:
    """What a part looks for, and in what, if it does."""
    if len(part.parts) < 2:
        return None
    first, second, *more = part.parts
    if part.kind == "subscript" and second.kind != "slice":
        return Look("item", first, [second])
    if part.kind == "compare" and not more:
        kind = _BETWEEN.get(tuple(code[first.until:second.begin]))
        return Look(kind, second, [first]) if kind else None
    if part.kind != "call":
        return None
    name = code[first.end - 1]
    if first.kind == "name":
        return Look("len", second, []) if name == _W["len"] and not more else None
    if first.kind != "attribute":
        return None
    if name == _W["get"] and len(more) < 2:
        return Look("get", first.parts[0], part.parts[1:])
    is_search = name in (_W["index"], _W["find"]) and not more
    return Look("index" if name == _W["index"] else "find", first.parts[0], [second]) if is_search else None


def lookup_of(code: Sequence[int], part: Part, tables: Mapping[int, Value]) -> Optional[Lookup]:
    """What a part looks for in a table, if it does."""
    look = look_of(code, part) if tables else None
    # Only texts have a `find`, and a text is no table.
    table = None if look is None or look.kind == "find" else _table_of(code, look.table, tables)
    return None if look is None or table is None else Lookup(look.kind, table, look.given)


def _table_of(code: Sequence[int], part: Part, tables: Mapping[int, Value]) -> Union[int, Lookup, None]:
    if part.kind == "name":
        return code[part.first] if code[part.first] in tables else None
    return lookup_of(code, part, tables) if part.kind == "subscript" else None


def slot_of(lookup: Lookup) -> int:
    """The slot of the table that is looked into."""
    return lookup.table if isinstance(lookup.table, int) else slot_of(lookup.table)


def looked_up(lookup: Lookup, tables: Mapping[int, Value], told: Told) -> Optional[Value]:
    """What a lookup comes to; None where it raises, and where it is not told."""
    table = tables.get(lookup.table) if isinstance(lookup.table, int) else looked_up(lookup.table, tables, told)
    return None if table is None else found(lookup.kind, table, lookup.given, told)


def found(kind: str, table: Value, given: Sequence[Part], told: Told) -> Optional[Value]:
    """What is found in a table; None where looking for it raises, and where it is not told."""
    if not is_table(table) or kind == "find":
        return None
    keys, held = _entries(table)
    if kind == "len":
        return T.text_tokens(str(len(keys)))
    key = told(given[0])
    if key is None:
        return None
    is_dict = is_mapping(table)
    if kind == "item" and not is_dict:
        return _item(held, key) if is_sequence(table) else None
    if not _are_alike([*keys, key]):
        return None
    place = keys.index(tuple(key)) if tuple(key) in keys else -1
    if kind in ("in", "not in"):
        return (_W["True" if (place >= 0) == (kind == "in") else "False"],)
    if kind == "index":
        return T.text_tokens(str(place)) if is_sequence(table) and place >= 0 else None
    if not is_dict:
        return None
    if place >= 0:
        return held[place]
    if kind == "item":
        return None
    return told(given[1]) if len(given) > 1 else (_W["None"],)


def _entries(table: Value) -> tuple[list[Value], list[Value]]:
    """The keys of a dict and what they lead to; of other displays the items, twice."""
    items = items_of(table, 0, len(table)) or []
    keys = [tuple(table[item.first:item.end if item.colon < 0 else item.colon]) for item in items]
    return keys, [tuple(table[item.first if item.colon < 0 else item.colon + 1:item.end]) for item in items]


def _item(items: Sequence[Value], index: Value) -> Optional[Value]:
    number = integer_of(index)
    return items[number] if number is not None and -len(items) <= number < len(items) else None


def _are_alike(keys: Sequence[Value]) -> bool:
    """Whether these are equal only if they are written alike: integers, strings, None, and tuples of such. (1, 1.0 and True are equal.)"""
    return all(map(_is_plain, keys))


def _is_plain(key: Value) -> bool:
    if key[0] == _C["("]:
        return all(map(_is_plain, items_in(key)))
    return key[0] in QUOTES or tuple(key) == (_W["None"],) or _is_integer(key)


def _is_integer(key: Value) -> bool:
    digits = key[1:] if key[0] == _C["-"] else key
    return bool(digits) and all(token in T.DIGITS for token in digits)
