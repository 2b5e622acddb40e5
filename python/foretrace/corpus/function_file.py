"""The functions file: one call a line, with its self-contained source, origin and side of the split."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from .near_copy import FEWEST_HITS, NEAR_COPY, runs

HELD_SHARE = 8
"""One file of so many is held out, by the hash of repository and path."""
SIDES = ("train", "held")


class FunctionFileError(ValueError):
    """A functions file that cannot be used. `code`: functions_unreadable, functions_empty, functions_changed."""

    def __init__(self, code: str, what: str, expected: str, actual: str) -> None:
        super().__init__(f"{code}: {what}: expected {expected}, got {actual}")
        self.code = code


@dataclass(frozen=True)
class RealFunction:
    """One function of the file with all its calls."""

    source: str
    calls: Tuple[str, ...]
    ids: Tuple[str, ...]
    repository: str
    path: str
    name: str
    split: str
    licence: str = ""


def side(repository: str, path: str) -> str:
    """`held` for a fixed eighth of all files, else `train`."""
    value = hashlib.blake2b(f"{repository}\n{path}".encode("utf-8", "replace"), digest_size=8).digest()
    return SIDES[int.from_bytes(value, "big") % HELD_SHARE == 0]


def digest(path: Path) -> str:
    """What stands for the content of a functions file in a stream's configuration. Raises FunctionFileError."""
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise FunctionFileError("functions_unreadable", str(path), "a file that can be read", str(error)) from None


def read_functions(path: Path) -> List[RealFunction]:
    """The functions of a file in the order of their first lines. Raises FunctionFileError."""
    grouped: Dict[Tuple[str, str, str, str], List[dict]] = {}
    try:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                entry = _entry(path, number, line)
                origin = entry["origin"]
                grouped.setdefault((origin["repository"], origin["path"], origin["name"], entry["source"]), []).append(entry)
    except (OSError, UnicodeDecodeError) as error:
        raise FunctionFileError("functions_unreadable", str(path), "a file that can be read", str(error)) from None
    return [RealFunction(source, tuple(entry["call"] for entry in entries), tuple(entry["id"] for entry in entries),
                         repository, where, name, entries[0]["split"], entries[0]["origin"]["licence"])
            for (repository, where, name, source), entries in grouped.items()]


def _entry(path: Path, number: int, line: str) -> dict:
    try:
        entry = json.loads(line)
        texts = [entry["id"], entry["source"], entry["call"], *(entry["origin"][key] for key in ("repository", "path", "name", "licence"))]
        good = all(isinstance(text, str) for text in texts) and entry["split"] in SIDES
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        raise FunctionFileError("functions_unreadable", f"{path}, line {number}", "id, source, call, origin and split", line[:80])
    return entry


def write_functions(path: Path, functions: Iterable[Tuple[dict, Sequence[str], str]]) -> Counter:
    """Writes ({"source", "origin"}, calls, split) as lines; the calls written, by (repository, side)."""
    counts: Counter = Counter()
    with open(path, "w", encoding="utf-8") as file:
        for about, calls, split in functions:
            origin = about["origin"]
            for index, call in enumerate(calls):
                name = f"{origin['repository']}/{origin['path']}:{origin['name']}#{index}"
                entry = {"id": name, "source": about["source"], "call": call, "origin": origin, "split": split}
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")
                counts[origin["repository"], split] += 1
    return counts


def copies_of(other: Iterable[str], sources: Sequence[str]) -> Set[int]:
    """Indices of the `sources` whose runs of tokens are for at least NEAR_COPY among those of the `other` programs."""
    known: Set[bytes] = set()
    for source in other:
        known.update(runs(source))
    found = set()
    for index, source in enumerate(sources):
        own = runs(source)
        hits = sum(value in known for value in own)
        if hits >= FEWEST_HITS and hits >= NEAR_COPY * len(own):
            found.add(index)
    return found


def repeating(held: Sequence[str], sources: Sequence[str]) -> Set[int]:
    """Indices of the `sources` that share, for at least NEAR_COPY of either's, the runs of tokens of one of the `held` programs."""
    owners: Dict[bytes, List[int]] = {}
    lengths = []
    for index, source in enumerate(held):
        own = runs(source)
        lengths.append(len(own))
        for value in set(own):
            owners.setdefault(value, []).append(index)
    found = set()
    for index, source in enumerate(sources):
        own = runs(source)
        hits = Counter(owner for value in own for owner in owners.get(value, ()))
        if any(count >= FEWEST_HITS and count >= NEAR_COPY * min(lengths[owner], len(own)) for owner, count in hits.items()):
            found.add(index)
    return found


def of_side(functions: Iterable[RealFunction], wanted: str) -> Iterator[RealFunction]:
    """The functions of one side."""
    return (function for function in functions if function.split == wanted)
