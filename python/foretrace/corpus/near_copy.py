#!/usr/bin/env python3
"""Tell whether a Python program is a near copy of a held-out test program, without showing the test.

`fingerprints.bin` holds, for every held-out program, the 8-byte BLAKE2b hashes of its runs of 8 Python tokens (names
replaced by their order of first use, so that renaming does not hide a copy; literals kept). A program is a near copy
when at least half of its runs, and at least 6 of them, are held out.

    python3 -m foretrace.corpus.near_copy FILE.jsonl [--field code]

lists the lines whose program shares too much, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import keyword
import sys
import tokenize
from functools import lru_cache
from pathlib import Path

RUN = 8
"""Tokens in a run."""
HASH_BYTES = 8
FEWEST_HITS = 6
NEAR_COPY = 0.5
"""Share of held-out runs from which a program is a near copy."""
FINGERPRINTS = Path(__file__).with_name("fingerprints.bin")

_SKIPPED = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER, tokenize.INDENT,
                      tokenize.DEDENT})


def runs(source: str) -> list[bytes]:
    """Hashes of every run of RUN tokens; an unparsable program gives none."""
    order: dict[str, str] = {}
    words = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in _SKIPPED:
                continue
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                words.append(order.setdefault(token.string, f"${len(order)}"))
            else:
                words.append(token.string)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return []
    return [hashlib.blake2b(" ".join(words[i : i + RUN]).encode(), digest_size=HASH_BYTES).digest()
            for i in range(len(words) - RUN + 1)]


def load(path: Path = FINGERPRINTS) -> frozenset[bytes]:
    """The held-out hashes of a fingerprint file: HASH_BYTES each, one after the other."""
    data = path.read_bytes()
    if len(data) % HASH_BYTES:
        raise ValueError(f"fingerprints: {path.name} expected a multiple of {HASH_BYTES} bytes, got {len(data)}")
    return frozenset(data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES))


@lru_cache(maxsize=1)
def _held_out() -> frozenset[bytes]:
    return load()


def overlap(source: str, held_out: frozenset[bytes] | None = None) -> float:
    """Share of the program's runs that are held out, 0 to 1; 0 when fewer than FEWEST_HITS are."""
    known = _held_out() if held_out is None else held_out
    hashes = runs(source)
    hits = sum(value in known for value in hashes)
    return hits / len(hashes) if hits >= FEWEST_HITS else 0.0


def is_near_copy(source: str, held_out: frozenset[bytes] | None = None) -> bool:
    """Whether the program must stay out of training data."""
    return overlap(source, held_out) >= NEAR_COPY


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--field", default="code")
    options = parser.parse_args(arguments)
    count = near = 0
    with open(options.file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            share = overlap(json.loads(line)[options.field])
            count += 1
            if share >= NEAR_COPY:
                near += 1
                print(f"{options.file}:{number}: {share:.2f}")
    print(f"{count} programs, {near} near copies")
    return 1 if near else 0


if __name__ == "__main__":
    sys.exit(main())
