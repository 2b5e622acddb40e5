"""Golden cases of patches: what is written for a change, and what patches make of values, whether they fit or not."""

from __future__ import annotations

from random import Random
from typing import Any

from foretrace.trace.values import canonical

from . import tokens as T
from .patches import ADD, Patch, encode_change, patched
from .program import Program
from .values import encode_value

SOURCE, ENTRY = "def f(a, key):\n    return a\n", "f(1, 'x')"
CHANGES, APPLIED = 160, 240
HAND = [
    ("deque([1, 2, 3])", "deque([2, 3])"), ("deque([1, 2], maxlen=4)", "deque([1, 2, 5], maxlen=4)"), ("Counter({'a': 2})", "Counter({'a': 3})"),
    ("defaultdict(<class 'list'>, {})", "defaultdict(<class 'list'>, {0: [1]})"), ("OrderedDict({'a': [1]})", "OrderedDict({'a': [1, 7]})"),
    ("(1, 2, 3)", "(1, 2, 4)"), ("set()", "{1}"), ("{1}", "set()"), ("{10, 2, 30}", "{10, 2, 20, 30}"), ("'ab'", "\"ab'\""), ("''", "'abc'"),
    ("[1, 2…", "[1, 3…"), ("[1, 1, 1, 1]", "[1, 1, 1]"), ("[1, 1, 2, 2]", "[1, 2, 2]"), ("{1: 2, 3: 4}", "{3: 4, 1: 2}"), ("7", "77"),
    ("[[[0, 0]], [[0, 1]]]", "[[[0, 0]], [[0, 5]]]"), ("[[[[0, 0, 0]]]]", "[[[[0, 5, 0]]]]"), ("[<A object>, 1]", "[<A object>, 2, 3]"),
    ("'\u00e9\u4e2d'", "'\u00e9\u4e2d\U0001f600'"), ("b'ab'", "b'abc'"), ("frozenset({1, 2})", "frozenset({1, 2, 3})"), ("{}", "{'a': {}}"),
    ("[x, 111, 222]", "[, 111, 222]"), ("[0, 7, 1] 'abc'", "[0, 7, 2] 'abc'"), ("[[1, 2, 3, 4], [5, 6, 7, 8]]", "[[1, 2, 30, 4], [5, 6, 7, 80]]"),
    ("[2, 1, 7, 1, 5]", "[2, 1, 7, 5]"), ("frozenset({11, 22})", "frozenset({11})"), ("Counter({'aa': 1})", "Counter()"),
    (canonical([1] * 85), canonical([1] * 86)), (str([10] * 90), str([10] * 89)), ("[1, 2, 3, 4]", "[4, 2, 3, 1]"), ("[5, 6, 7, 8, 9]", "[6, 5, 8, 7, 9]"),
]


def golden_patches_json() -> list[dict[str, Any]]:
    """One item: a program, changes with their tokens, and patches with what they make of a value."""
    program = Program.parse(SOURCE, ENTRY)
    rng = Random(11)
    pairs = HAND + [(canonical(value), canonical(changed(rng, value))) for value in (collection(rng, 3) for _ in range(CHANGES))]
    changes = [{"before": before, "after": after, "tokens": list(encode_change(program, before, after))} for before, after in pairs]
    applied = []
    for _ in range(APPLIED):
        before = rng.choice(pairs)[0]
        patches = [_patch(program, rng) for _ in range(rng.choice((1, 1, 2)))]
        applied.append({"before": before, "patches": [patch._asdict() for patch in patches], "after": patched(program, before, patches)})
    return [{"source": SOURCE, "call": ENTRY, "changes": changes, "applied": applied}]


def _patch(program: Program, rng: Random) -> Patch:
    def value(depth: int) -> tuple[int, ...]:
        return tuple(encode_value(program, canonical(collection(rng, depth))))

    path = tuple(rng.choice(((T.CHARS[str(rng.randrange(4))],), tuple(T.text_tokens("-1")), value(0))) for _ in range(rng.randint(0, 2)))
    operation = rng.choice((T.VALUE, ADD, T.DEL) if path else (ADD,))
    return Patch(path, operation, () if operation == T.DEL else value(1))


def collection(rng: Random, depth: int) -> Any:
    """A random number or string, or with `depth` a list, dict or set of at most six."""
    draw = rng.randrange(5 if depth else 2)
    size = rng.randint(0, 6)
    if draw == 0:
        return rng.randrange(120)
    if draw == 1:
        return "".join(rng.choice("ab,'[\\\u00e9 ") for _ in range(size))
    if draw == 2:
        return {rng.choice((rng.randrange(30), "k" + str(rng.randrange(9)))) for _ in range(size)}
    items = [collection(rng, depth - 1) for _ in range(size)]
    return items if draw == 3 else {rng.randrange(30): item for item in items}


def changed(rng: Random, value: Any) -> Any:
    """The value after one small change, perhaps inside it, perhaps none."""
    if isinstance(value, str):
        return value + rng.choice(("", "x", "'", "\\", "\u00e9,"))
    if isinstance(value, list):
        out = list(value)
        if out and rng.random() < 0.6:
            at = rng.randrange(len(out))
            out[at] = changed(rng, out[at]) if rng.random() < 0.5 else rng.randrange(50)
        elif out and rng.random() < 0.5:
            out.pop(rng.randrange(len(out)))
        else:
            out.append(rng.randrange(50))
        return out
    if isinstance(value, dict):
        out = dict(value)
        key = rng.choice([*out, rng.randrange(30)])
        if rng.random() < 0.3:
            out.pop(key, None)
        else:
            out[key] = changed(rng, out.get(key, 0))
        return out
    if isinstance(value, set):
        return value ^ {rng.choice([*sorted(value, key=str), rng.randrange(30)])}
    return value + rng.randrange(3)
