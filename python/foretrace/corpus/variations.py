"""More inputs: known arguments changed a little."""

from __future__ import annotations

import ast
from random import Random
from typing import Any, Dict, List, Optional, Sequence, Tuple

LONGEST = 300
"""Characters of a call."""
_ATTEMPTS = 6
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ("apple", "banana", "level", "hello", "Python", "a man a plan", "racecar", "The quick brown fox", "aab", "mississippi", "xyz",
          "data", "A-B-C", "one two three", "Noon", "zebra")
_CLASSES = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789", " ", "()[]{}", "+-*/", ".,:;!?'\"")


def vary_call(rng: Random, call: str) -> Optional[str]:
    """The call with one or two of its written-out arguments changed; None if it has none that can be."""
    tree = ast.parse(call, mode="eval").body
    if not isinstance(tree, ast.Call):
        return None
    places = _places(tree)
    if not places:
        return None
    for owner, key, value in rng.sample(places, min(len(places), rng.choice((1, 1, 2)))):
        for _ in range(_ATTEMPTS):
            changed = vary(rng, value)
            if repr(changed) != repr(value):
                owner[key] = ast.parse(repr(changed), mode="eval").body
                break
    text = ast.unparse(tree)
    return text if text != call and len(text) <= LONGEST else None


def _places(call: ast.Call) -> List[Tuple[List, int, Any]]:
    """(list, index, value) of every argument that is a literal, also of the constructor before a method."""
    found = []
    nested = [call]
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        nested.append(call.func.value)
    for node in nested:
        for owner in (node.args, *([keyword] for keyword in node.keywords)):
            for index, item in enumerate(owner):
                expression = item.value if isinstance(item, ast.keyword) else item
                try:
                    value = ast.literal_eval(expression)
                except (ValueError, TypeError, SyntaxError, RecursionError):
                    continue
                found.append((_Keyword(item) if isinstance(item, ast.keyword) else owner, index, value))
    return found


class _Keyword:
    """Lets the value of a keyword be set as an item of a list is."""

    def __init__(self, node: ast.keyword) -> None:
        self.node = node

    def __setitem__(self, index: int, value: ast.expr) -> None:
        self.node.value = value


def vary(rng: Random, value: Any) -> Any:
    """A value of the same type near the given one: boundaries, other sizes, other items."""
    kind = type(value)
    if kind is bool:
        return not value
    if kind is int:
        return _vary_int(rng, value)
    if kind is float:
        return rng.choice((-value, value / 2, value + 1, round(value * rng.uniform(0.2, 3), 2), 0.0, float(int(value)), 0.5))
    if kind is str:
        return _vary_text(rng, value)
    if kind is bytes:
        return _vary_text(rng, value.decode("latin-1")).encode("latin-1", "replace")
    if kind in (list, tuple):
        return kind(_vary_items(rng, list(value)))
    if kind is set:
        items = _vary_items(rng, sorted(value, key=repr))
        return as_set(items) or value
    if kind is dict:
        return _vary_mapping(rng, value)
    return value


def _vary_int(rng: Random, value: int) -> int:
    near = (value + 1, value - 1, value + rng.randint(2, 9), -value, 0, 1, 2, value * 2, value // 2, rng.randint(0, 20), rng.randint(3, 99))
    return rng.choice(near)


def _vary_text(rng: Random, text: str) -> str:
    way = rng.random()
    if not text or way < 0.08:
        return rng.choice(("", *WORDS)) if not text else rng.choice(("", text[0], text[:1] * 3))
    at = rng.randrange(len(text))
    if way < 0.25:
        return text[:at] + text[at + 1:]
    if way < 0.45:
        return text[:at] + _similar(rng, text[at]) + text[at + 1:]
    if way < 0.60:
        return text[:at] + _similar(rng, rng.choice(text)) + text[at:]
    if way < 0.70:
        return text[::-1]
    if way < 0.80:
        return text[at:] + text[:at]
    if way < 0.88 and len(text) <= 12:
        return text + text[: rng.randint(1, len(text))]
    if way < 0.95:
        items = list(text)
        rng.shuffle(items)
        return "".join(items)
    return text.swapcase()


def _similar(rng: Random, char: str) -> str:
    for group in _CLASSES:
        if char in group:
            return rng.choice(group)
    return rng.choice(LETTERS)


def _vary_items(rng: Random, items: List[Any]) -> List[Any]:
    way = rng.random()
    if not items:
        return [rng.randint(0, 9)] if way < 0.5 else items
    at = rng.randrange(len(items))
    if way < 0.08:
        return []
    if way < 0.16:
        return items[at:at + 1]
    if way < 0.50:
        return items[:at] + [vary(rng, items[at])] + items[at + 1:]
    if way < 0.62:
        return items[:at] + items[at + 1:]
    if way < 0.76 and len(items) < 12:
        return items[:at] + [vary(rng, rng.choice(items))] + items[at:]
    if way < 0.84:
        return items[::-1]
    changed = list(items)
    rng.shuffle(changed)
    return [vary(rng, item) for item in changed] if way < 0.92 else changed


def as_set(items: Sequence[Any]) -> Optional[set]:
    try:
        return set(items)
    except TypeError:
        return None


def _vary_mapping(rng: Random, value: Dict[Any, Any]) -> Dict[Any, Any]:
    if not value:
        return value
    changed = dict(value)
    key = rng.choice(list(changed))
    way = rng.random()
    if way < 0.1:
        return {}
    if way < 0.3:
        del changed[key]
    elif way < 0.8:
        changed[key] = vary(rng, changed[key])
    elif isinstance(key, (str, int)) and not isinstance(key, bool):
        changed[vary(rng, key)] = vary(rng, changed[key])
    return changed
