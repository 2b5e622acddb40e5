"""Statements spread over several lines, as formatters leave them: what a program does is the same, its `line` events are others."""

from __future__ import annotations

import io
import tokenize
from dataclasses import replace
from random import Random
from typing import List, NamedTuple, Tuple

from .sample import Sample

_OPEN, _CLOSE = "([{", ")]}"
_STRING_START, _STRING_END = (getattr(tokenize, name, -1) for name in ("FSTRING_START", "FSTRING_END"))
_OPERATORS = frozenset(("+", "-", "*", "/", "//", "%", "and", "or", "if", "else", "for", "==", "<", ">"))
SHORTEST = 6  # characters inside brackets that are worth a line
STATEMENTS = (1, 1, 2, 3)


class _Group(NamedTuple):
    """Brackets on one line: columns of what opens and closes them, and those where the line may be broken between."""

    line: int
    first: int
    last: int
    breaks: Tuple[int, ...]


def reflowed(rng: Random, sample: Sample) -> Sample:
    """The sample with one to three of its statements spread over lines; unchanged where none can be."""
    source = sample.source
    for _ in range(rng.choice(STATEMENTS)):
        groups = _groups(source)
        if not groups:
            break
        source = _broken(rng, source, rng.choice(groups))
    return replace(sample, source=source)


def _groups(source: str) -> List[_Group]:
    """The brackets that can be broken: those of statements on one line, without a comment, that define nothing."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return []
    found: List[_Group] = []
    statement: List[tokenize.TokenInfo] = []
    for token in tokens:
        statement.append(token)
        if token.type == tokenize.NEWLINE:
            first = _first_of(statement)
            if first.start[0] == token.start[0] and first.string not in ("def", "class", "async"):
                found += _groups_of(statement)
            statement = []
    return found


def _first_of(statement: List[tokenize.TokenInfo]) -> tokenize.TokenInfo:
    skipped = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
    return next(token for token in statement if token.type not in skipped)


def _groups_of(statement: List[tokenize.TokenInfo]) -> List[_Group]:
    found: List[_Group] = []
    opened: List[Tuple[int, List[int]]] = []
    strings = 0  # f-strings around the token; from CPython 3.12 on they are several
    for token in statement:
        if token.type == tokenize.COMMENT:
            return []
        strings += (token.type == _STRING_START) - (token.type == _STRING_END)
        if strings:
            continue
        if token.type == tokenize.OP and token.string in _OPEN:
            opened.append((token.start[1], []))
        elif token.type == tokenize.OP and token.string in _CLOSE and opened:
            first, breaks = opened.pop()
            if token.start[1] - first > SHORTEST:
                found.append(_Group(token.start[0], first, token.start[1], tuple(breaks)))
        elif opened and token.string == ",":
            opened[-1][1].append(token.end[1])
        elif opened and token.string in _OPERATORS and token.line[token.start[1] - 1:token.start[1]] == " ":
            opened[-1][1].append(token.start[1])
    return found


def _broken(rng: Random, source: str, group: _Group) -> str:
    lines = source.split("\n")
    line = lines[group.line - 1]
    margin = line[:len(line) - len(line.lstrip())]
    inner = margin + rng.choice(("    ", "    ", "        ", "  "))
    commas = [at for at in group.breaks if line[at - 1] == ","]
    look = rng.random()
    if look < 0.45:  # a line for each item, the brackets alone
        cuts: List[int] = [group.first + 1, *commas, group.last]
    elif look < 0.7:  # what is inside on a line of its own
        cuts = [group.first + 1, group.last]
    else:  # one break somewhere
        cuts = [rng.choice(group.breaks or (group.first + 1,))]
    out = [line[:cuts[0]].rstrip()]
    out += [inner + line[begin:end].strip() for begin, end in zip(cuts, cuts[1:]) if line[begin:end].strip()]
    out.append((margin if cuts[-1] == group.last else inner) + line[cuts[-1]:].strip())
    return "\n".join(lines[:group.line - 1] + out + lines[group.line:])
