"""Patches: a value told by what changed in it since the state before (docs/trace-language.md, section 6).

`xs[3] = 7` changes one item of a long list, `word += 'x'` adds to a string: the rest need not be spelled again.
"""

from __future__ import annotations

from typing import Iterable, NamedTuple, Optional, Sequence

from . import tokens as T
from .displays import BRACE, QUOTES, display, items_of, with_commas
from .program import Program
from .values import decode_value, encode_value

ADD = T.OPERATORS["+="]
OPERATIONS = (T.VALUE, ADD, T.DEL)
MOST_PATCHES = 8  # of one value
MOST_REPLACED = 2  # items of one value that a writer tells by patches
DEEPEST = 3  # items one in the other
LONGEST_TEXT = 1024  # characters of a value, as of trace/values.py
_COLON, _BRACKET = (T.CHARS[char] for char in ":[")
_CLOSING = {_BRACKET: T.CHARS["]"], BRACE: T.CHARS["}"]}
_LAST = tuple(T.text_tokens("-1"))


class Patch(NamedTuple):
    """path: the item in the item ... that changes, by the tokens of its indices or keys. operation: T.VALUE (the item's new value), ADD (an
    item of a list or set, or characters of a string, which come last) or T.DEL (the item is removed; it has no operand)."""

    path: tuple[tuple[int, ...], ...]
    operation: int
    operand: tuple[int, ...] = ()

    def tokens(self) -> list[int]:
        return [token for key in self.path for token in (T.IT, *key)] + [self.operation, *self.operand]


class _Items(NamedTuple):
    """A list, dict or set: the tokens before its first item and behind its last, and those of its items, a dict's with their keys."""

    head: list[int]
    items: list[tuple[int, ...]]
    colons: list[int]  # how long the key of each item is; -1: it has none
    tail: list[int]

    @property
    def is_list(self) -> bool:
        return self.head[-1] == _BRACKET

    @property
    def is_set(self) -> bool:
        return not self.is_list and any(colon < 0 for colon in self.colons)

    @property
    def keys(self) -> list[tuple[int, ...]]:
        """What names each item: its number, its key, or in a set itself."""
        if self.is_list:
            return [_digits(at) for at in range(len(self.items))]
        return [item if colon < 0 else item[:colon] for item, colon in zip(self.items, self.colons)]

    def worth(self, at: int) -> tuple[int, ...]:
        """The value of an item, without its key."""
        return self.items[at][self.colons[at] + 1:]

    def having(self, items: Iterable[Sequence[int]]) -> list[int]:
        """The tokens of the same with other items."""
        return [*self.head, *with_commas(items), *self.tail]


def encode_change(program: Program, before: Optional[str], after: str) -> Sequence[int]:
    """What stands behind the slot of a name that had the value `before` (None: none) and has `after`: patches where they are shorter than
    the value, else the value."""
    value = encode_value(program, after)
    found = None if before is None or not program.writes_patches else _difference(encode_value(program, before), value, DEEPEST, MOST_REPLACED)
    if found is not None:
        tokens = [token for patch in found for token in patch.tokens()]
        if len(tokens) < len(value) and all(_is_written(program, patch) for patch in found) and patched(program, before, found) == after:
            return tokens
    return value


def _is_written(program: Program, patch: Patch) -> bool:
    """Whether its keys and its operand are values, so that they are read back."""
    operand = () if patch.operation == T.DEL else (patch.operand,)
    return all(isinstance(decode_value(program, part), str) for part in (*patch.path, *operand))


def patched(program: Program, before: Optional[str], patches: Iterable[Patch]) -> Optional[str]:
    """The value after the patches, in their order. One that does not fit the value (no such item, nothing that can be added to) changes
    nothing, and of a name without a value there is nothing to patch: None."""
    if before is None:
        return None
    value, text = encode_value(program, before), before
    for patch in patches:
        changed = _applied(program, value, patch)
        made = None if changed is None else decode_value(program, changed)
        if isinstance(made, str):
            value, text = tuple(changed or ()), made
    return text if len(text) <= max(LONGEST_TEXT, len(before)) else text[:LONGEST_TEXT - 1] + "…"


def _digits(number: int) -> tuple[int, ...]:
    return tuple(T.text_tokens(str(number)))


def _is_whole(value: Sequence[int]) -> bool:
    return len(value) > 0 and value[0] != T.RAW and T.CUT not in value


def _opened(value: Sequence[int]) -> Optional[_Items]:
    """The list, dict or set that a value is, or is written with; None for others."""
    first, end = display(value, 0, len(value))
    items = items_of(value, first, end) if value[end - 1] == _CLOSING.get(value[first]) else None
    if items is None:
        return None
    return _Items(list(value[:first + 1]), [tuple(value[item.first:item.end]) for item in items],
                  [item.colon - item.first if item.colon >= 0 else -1 for item in items], list(value[end - 1:]))


# What changed between two values.

def _difference(before: Sequence[int], after: Sequence[int], depth: int, most: int) -> Optional[list[Patch]]:
    """At most `most` patches that lead from one value to the other, as far as their kinds allow; None if there are none."""
    if depth == 0 or not (_is_whole(before) and _is_whole(after)):
        return None
    if before[0] in QUOTES:
        added = after[len(before) - 1:-1]
        is_longer = len(before) > 2 and len(added) > 0 and after[:len(before) - 1] == before[:-1]
        return [Patch((), ADD, (before[0], *added, before[0]))] if is_longer else None
    old, new = _opened(before), _opened(after)
    if old is None or new is None or (old.head, old.tail) != (new.head, new.tail):
        return None
    if len(old.items) == len(new.items) and old.keys == new.keys and not old.is_set:
        return _replaced(old, new, depth, most)
    return _added(old, new) or _removed(old, new)


def _replaced(old: _Items, new: _Items, depth: int, most: int) -> Optional[list[Patch]]:
    places = [at for at in range(len(old.items)) if old.items[at] != new.items[at]]
    if not 0 < len(places) <= most:
        return None
    found = []
    for at in places:
        whole = Patch((new.keys[at],), T.VALUE, new.worth(at))
        inside = _difference(old.worth(at), new.worth(at), depth - 1, 1) or ()
        part = inside[0]._replace(path=(new.keys[at], *inside[0].path)) if len(inside) == 1 else whole
        found.append(part if len(part.tokens()) < len(whole.tokens()) else whole)
    return found


def _added(old: _Items, new: _Items) -> Optional[list[Patch]]:
    most = MOST_PATCHES if old.items else 1  # more behind nothing is another value rather than one that grew
    if not len(old.items) < len(new.items) <= len(old.items) + most:
        return None
    if new.is_set:
        known = set(old.items)
        added = [item for item in new.items if item not in known]
        return [Patch((), ADD, item) for item in added] if len(added) == len(new.items) - len(old.items) else None
    if new.items[:len(old.items)] != old.items:
        return None
    places = range(len(old.items), len(new.items))
    return [Patch((), ADD, new.items[at]) if new.is_list else Patch((new.keys[at],), T.VALUE, new.worth(at)) for at in places]


def _removed(old: _Items, new: _Items) -> Optional[list[Patch]]:
    if len(old.items) != len(new.items) + 1:
        return None
    if old.is_list and old.items[:-1] == new.items:
        return [Patch((_LAST,), T.DEL)]
    at = next((at for at, (one, other) in enumerate(zip(old.items, new.items)) if one != other), len(new.items))
    while at > 0 and old.items[at - 1] == old.items[at]:
        at -= 1  # of several that are equal, the first
    return [Patch((old.keys[at],), T.DEL)] if old.items[:at] + old.items[at + 1:] == new.items else None


# What a patch makes of a value.

def _applied(program: Program, value: tuple[int, ...], patch: Patch) -> Optional[list[int]]:
    """The tokens of the value with the patch; None where it does not fit."""
    if not _is_whole(value):
        return None
    if not patch.path:
        return _with_added(program, value, patch.operand) if patch.operation == ADD else None
    opened = _opened(value)
    if opened is None:
        return None
    at = len(opened.items) - 1 if opened.is_list and patch.path[0] == _LAST else -1
    if at < 0:
        at = opened.keys.index(patch.path[0]) if patch.path[0] in opened.keys else -1
    is_last = len(patch.path) == 1
    if is_last and patch.operation == T.VALUE and at < 0 and not opened.is_list and not opened.is_set:
        return opened.having([*opened.items, (*patch.path[0], _COLON, *patch.operand)])
    if at < 0:
        return None
    if is_last and patch.operation == T.DEL:
        if len(opened.items) == 1 and (opened.is_set or (len(opened.head) > 1 and not opened.is_list)):
            return None  # `set()` and `Counter()` are written without braces
        return opened.having(opened.items[:at] + opened.items[at + 1:])
    if opened.is_set:
        return None
    if is_last and patch.operation == T.VALUE:
        inside: Optional[Sequence[int]] = patch.operand
    else:
        inside = _applied(program, opened.worth(at), patch._replace(path=patch.path[1:]))
    if inside is None:
        return None
    key = opened.items[at][:opened.colons[at] + 1]
    return opened.having([*opened.items[:at], (*key, *inside), *opened.items[at + 1:]])


def _with_added(program: Program, value: tuple[int, ...], added: tuple[int, ...]) -> Optional[list[int]]:
    """A string with the characters of another, a list with one more item, a set with it in its place."""
    if value[0] in QUOTES:
        return [*value[:-1], *added[1:]] if len(added) > 1 and added[0] == added[-1] == value[0] else None
    opened = _opened(value)
    if opened is None:
        return None
    if opened.is_list:
        return opened.having([*opened.items, added])
    if not opened.is_set or added in opened.items:
        return None
    return opened.having(sorted([*opened.items, added], key=lambda item: _text(program, item)))


def _text(program: Program, item: Sequence[int]) -> str:
    text = decode_value(program, item)
    return text if isinstance(text, str) else ""
