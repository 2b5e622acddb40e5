"""Other inputs of a program: arguments drawn anew by their kinds, or the ones of its call changed a little."""

from __future__ import annotations

import ast
from random import Random
from typing import List, Optional, Sequence

from ..generator.sample import Sample
from ..generator.values import Pool, literal
from .edits import mutated

CHANGED_SHARE = 0.7  # of arguments that are changed rather than kept, where they are not drawn anew
DRAWN_SHARE = 0.5  # of calls whose arguments are drawn anew, where their kinds are known
MAX_CHARACTERS = 160  # of a call
ATTEMPTS = 3  # draws for each call that is wanted


def other_calls(rng: Random, sample: Sample, count: int) -> List[str]:
    """Up to `count` calls of the sample's entry with other arguments, all different; they may raise, or not even end."""
    entry = _entry(sample.call)
    if entry is None:
        return []
    found = {sample.call: None}
    known = list(sample.more_calls)
    rng.shuffle(known)
    for _ in range(count * ATTEMPTS):
        if len(found) > count:
            break
        if known and rng.random() < 0.5:
            call: Optional[str] = known.pop()
        elif sample.kinds and rng.random() < DRAWN_SHARE:
            call = _call(entry, _drawn(rng, sample.kinds))
        else:
            call = _call(entry, _changed(rng, entry))
        if call is not None and len(call) <= MAX_CHARACTERS:
            found[call] = None
    return list(found)[1:]


def _entry(call: str) -> Optional[ast.Call]:
    try:
        node = ast.parse(call.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.Call) and (node.args or node.keywords) else None


def _drawn(rng: Random, kinds: Sequence[str]) -> List[Optional[str]]:
    """Values of one pool, as the generator draws the arguments of a program."""
    pool = Pool(rng)
    return [literal(pool.value(kind)) if pool.knows(kind) else None for kind in kinds]


def _changed(rng: Random, entry: ast.Call) -> List[Optional[str]]:
    """Each argument that is a literal changed once or twice, or kept (None)."""
    out: List[Optional[str]] = []
    for node in [*entry.args, *(keyword.value for keyword in entry.keywords)]:
        made = None
        if rng.random() < CHANGED_SHARE:
            try:
                value = ast.literal_eval(node)
                for _ in range(rng.choice((1, 1, 2))):
                    value = mutated(rng, value)
                made = None if value is None else literal(value)
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                pass
        out.append(made)
    return out


def _call(entry: ast.Call, values: Sequence[Optional[str]]) -> Optional[str]:
    """The call with its arguments replaced in their order where there is a value; None if nothing changes or they do not match."""
    nodes = [*entry.args, *(keyword.value for keyword in entry.keywords)]
    if len(nodes) != len(values) or all(value is None for value in values):
        return None
    texts = [ast.unparse(node) if value is None else value for node, value in zip(nodes, values)]
    names = [None] * len(entry.args) + [keyword.arg for keyword in entry.keywords]
    if any(isinstance(node, ast.Starred) for node in entry.args) or None in names[len(entry.args):]:
        return None
    inside = ", ".join(text if name is None else f"{name}={text}" for name, text in zip(names, texts))
    return f"{ast.unparse(entry.func)}({inside})"
