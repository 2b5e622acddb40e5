"""What a comprehension goes over, item by item: the values its names take, and its code with those in place of the names
(docs/trace-language.md, section 9)."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

from . import tokens as T
from .digits import is_tiny
from .displays import BRACE, QUOTES, is_enclosed, is_sequence, is_text, items_of, with_commas
from .literals import integer_of
from .parts import Part

MOST_ITEMS = 24
MOST_DIGITS = 12  # of a number with a point, which is written as it is read up to here

_C, _W = T.CHARS, T.WORDS
_BACKSLASH, _COMMA, _DOT, _EQUALS, _MINUS = (_C[char] for char in "\\,.=-")
_CONSTANTS = tuple((_W[word],) for word in ("True", "False", "None"))

Value = tuple[int, ...]


def items_in_order(value: Sequence[int], most: int = MOST_ITEMS) -> Optional[list[Value]]:
    """The items that a loop over a literal gets: those of a list or tuple, the characters of a string, the keys of a dict. None for
    others, for more than `most`, and for strings with backslashes."""
    if value[0] == BRACE:
        return entries(value, _W["keys"], most)
    is_string = value[0] in QUOTES
    if not (is_sequence(value) or (is_string and _BACKSLASH not in value)):
        return None
    found = items_of(value, 0, len(value))
    if found is None or len(found) > most:
        return None
    items = [tuple(value[item.first:item.end]) for item in found]
    return [_string(item) for item in items] if is_string else items


def _string(character: Sequence[int]) -> Value:
    quote = QUOTES[1] if tuple(character) == QUOTES[:1] else QUOTES[0]
    return (quote, *character, quote)


def entries(value: Sequence[int], view: int, most: int = MOST_ITEMS) -> Optional[list[Value]]:
    """What the view `items`, `keys` or `values` of a dict gives; None for other values."""
    found = items_of(value, 0, len(value)) if value[0] == BRACE else None
    if found is None or len(found) > most or any(item.colon < 0 for item in found):
        return None
    pairs = [(tuple(value[item.first:item.colon]), tuple(value[item.colon + 1:item.end])) for item in found]
    return [joined(pair) for pair in pairs] if view == _W["items"] else [pair[view == _W["values"]] for pair in pairs]


def counted(bounds: "Sequence[Value]", most: int = MOST_ITEMS) -> Optional[list[Value]]:
    """The integers of a range with these bounds, if they are integers and not too long; None for others and for more than `most`."""
    numbers = [integer_of(bound) for bound in bounds]
    if not 1 <= len(numbers) <= 3 or None in numbers or numbers[2:] == [0]:
        return None
    found = range(*numbers)
    return None if len(found) > most else [tuple(T.text_tokens(str(number))) for number in found]


def joined(values: "Sequence[Value]") -> Value:
    """The tuple of these values."""
    return (_C["("], *with_commas(values), *([_COMMA] if len(values) == 1 else []), _C[")"])


def listed(values: "Sequence[Value]") -> Value:
    """The list of these values."""
    return (_C["["], *with_commas(values), _C["]"])


def mapped(keys_and_values: "Sequence[Value]") -> Optional[Value]:
    """The dict of these, a key and its value in turn; None where keys may be equal that are written in different ways, or are equal."""
    keys, values = keys_and_values[::2], keys_and_values[1::2]
    return (BRACE, *with_commas((*key, _C[":"], *value) for key, value in zip(keys, values)), _C["}"]) if _are_different(keys) else None


def collected(values: "Sequence[Value]") -> Optional[Value]:
    """The set of these, in the order of their texts; None as of `mapped`, and where a string has a character without a token of its own."""
    is_ordered = all(value[0] not in QUOTES or is_text(value) for value in values)
    return (BRACE, *with_commas(sorted(map(tuple, values))), _C["}"]) if values and is_ordered and _are_different(values) else None


def _are_different(keys: "Sequence[Value]") -> bool:
    """Whether no two strings or integers are equal."""
    are_alike = all(key[0] in QUOTES for key in keys) or all(key[-1] in T.DIGITS and _DOT not in key for key in keys)
    return are_alike and len(set(keys)) == len(keys)


def taken(target: Sequence[int], item: Value) -> Optional[dict[int, Value]]:
    """The values of the slots of a loop's target (`x`, `i, x`, `i, (a, b)`) for an item; None where they are not told."""
    if len(target) == 1 and target[0] in T.SLOTS:
        return {target[0]: item}
    inside = tuple(target) if is_enclosed(target) else (_C["("], *target, _C[")"])
    names = items_of(inside, 0, len(inside))
    values = items_of(item, 0, len(item)) if is_sequence(item) else None
    if names is None or values is None or len(names) != len(values):
        return None
    found: dict[int, Value] = {}
    for name, value in zip(names, values):
        inner = taken(inside[name.first:name.end], item[value.first:value.end])
        if inner is None:
            return None
        found.update(inner)
    return found


def with_items(value: Sequence[int], items: "Sequence[Sequence[int]]") -> Optional[Sequence[int]]:
    """A list, a tuple or a text with these items in place of its own; None for other values."""
    if is_text(value):
        return (QUOTES[0], *(token for item in items for token in item), QUOTES[0])
    if not is_sequence(value):
        return None
    return listed(items) if value[0] == _C["["] else joined(items)


def substituted(code: Sequence[int], values: Mapping[int, Value]) -> list[int]:
    """The code with values in place of names, in brackets where what follows would read them otherwise."""
    out: list[int] = []
    for index, token in enumerate(code):
        behind = code[index + 1] if index + 1 < len(code) else T.END
        value = values.get(token)
        if value is None or behind == _EQUALS or (index > 0 and code[index - 1] == _DOT):
            out.append(token)
            continue
        grouped = (behind == _DOT and value[-1] in T.DIGITS) or (behind == T.OPERATORS["**"] and value[0] == _MINUS)
        out += [_C["("], *value, _C[")"]] if grouped else value
    return out


def target_of(code: Sequence[int], part: Part) -> Optional[Sequence[int]]:
    """The target of a comprehension with one `for`; None for others."""
    iterable, item, *others = part.parts
    if item.first > iterable.first:
        return None
    last = max(inner.until for inner in part.parts if inner.first < iterable.first)
    return code[last + 1:iterable.begin - 1]


def hidden(code: Sequence[int], part: Part) -> Optional[frozenset[int]]:
    """The names that a comprehension binds and something in it binds again; None if one of them is read besides."""
    inside = part.parts[1:]
    again = frozenset(slot for slot in part.bound if any(_binds(inner, slot) for inner in inside))
    return None if any(_reads(code, inner, slot) for slot in again for inner in inside) else again


def _binds(part: Part, slot: int) -> bool:
    return slot in part.bound or any(_binds(inner, slot) for inner in part.parts)


def reads_any(code: Sequence[int], part: Part, slots: "frozenset[int]") -> bool:
    """Whether one of these names is read in a part."""
    return any(_reads(code, part, slot) for slot in slots)


def _reads(code: Sequence[int], part: Part, slot: int) -> bool:
    """Whether a name is read in a part, other than where it is bound again: the first iterable of a comprehension is none of it."""
    if part.kind == "name":
        return code[part.first] == slot
    visible = part.parts if slot not in part.bound else part.parts[:1] if part.kind != "lambda" else ()
    return any(_reads(code, inner, slot) for inner in visible)


def is_plain(constant: Value) -> bool:
    """Whether a constant is written as its value is: `-7`, `1.5`, `'a'`, but not `0x7`, `1.50`, `"a"`."""
    if constant in _CONSTANTS:
        return True
    if constant[0] in QUOTES:
        inside = constant[1:-1]
        single = constant[0] == QUOTES[0]
        return constant[-1] == constant[0] and constant[0] not in inside and _BACKSLASH not in inside and (single or QUOTES[0] in inside)
    is_negative = constant[0] == _MINUS
    whole, dot, rest = _split(constant[is_negative:])
    if is_negative and whole == (_C["0"],) and not dot:
        return False
    if not whole or any(token not in T.DIGITS for token in (*whole, *rest)) or (whole[0] == _C["0"] and len(whole) > 1):
        return False
    if is_tiny(whole, rest):
        return False
    return not dot or (len(whole) + len(rest) <= MOST_DIGITS and bool(rest) and (rest[-1] != _C["0"] or len(rest) == 1))


def _split(constant: Value) -> tuple[Value, bool, Value]:
    if _DOT not in constant:
        return constant, False, ()
    at = constant.index(_DOT)
    return constant[:at], True, constant[at + 1:]
