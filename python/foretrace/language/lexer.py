"""The lexer of the trace language: Python source to tokens, by the rules in docs/trace-language.md, section 2.

The rules are few enough to be repeated one to one in another language. Source that CPython does not accept may be
accepted here; source that CPython accepts is read the way CPython reads it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple, Optional, Union

from .errors import ProgramError
from .strings import cook


class Field(NamedTuple):
    """A replacement field of an f-string: code tokens, conversion ('r', 's', 'a' or ''), format spec parts or None."""

    tokens: "list[Token]"
    conversion: str
    spec: "Optional[list[Part]]"


Part = Union[str, Field]  # literal text (its value, braces single) or a field


class Token(NamedTuple):
    """One lexical token. `line` counts from 1 and `column` from 0, in code points.

    `kind`: name, number, string, bytes, fstring or operator. `text` is the source text, a name in form NFKC.
    `level` is the indentation and `logical` the index of the logical line it belongs to. `parts`: of an f-string.
    """

    kind: str
    text: str
    line: int
    column: int
    level: int
    logical: int
    parts: "Optional[list[Part]]" = None


_QUOTED = r"""(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
_DIGITS = r"[0-9](?:_?[0-9])*"
_TOKEN = re.compile(
    r"(?P<space>[ \t\f]+)"
    r"|(?P<newline>\n)"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<join>\\\n)"
    r"|(?P<fstring>(?:[fF][rR]?|[rR][fF])(?:'''|\"\"\"|'|\"))"
    rf"|(?P<bytes>(?:[bB][rR]?|[rR][bB]){_QUOTED})"
    rf"|(?P<string>[rRuU]?{_QUOTED})"
    r"|(?P<name>[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_\x80-\U0010ffff]*)"
    r"|(?P<number>0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+"
    rf"|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?[jJ]?)"
    r"|(?P<operator>\*\*=|//=|>>=|<<=|\.\.\.|[!<>=]=|->|:=|[-+*/%@&|^]=|\*\*|//|<<|>>"
    r"|[-+*/%@&|^~<>=()\[\]{},:;.!])",
    re.DOTALL)
# White space and the token after it, for the tokens that make up most of a source; the rest is left to _TOKEN.
_COMMON = re.compile(
    r"[ \t\f]*(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_'\"\x80-\U0010ffff])"
    r"|(?P<number>[0-9]+)(?![0-9A-Za-z_.\x80-\U0010ffff])"
    r"|(?P<operator>\*\*=|//=|>>=|<<=|[!<>=]=|->|:=|[-+*/%@&|^]=|\*\*|//|<<|>>"
    r"|[-+*/%@&|^~<>=()\[\]{},:;]|\.(?![0-9.]))"
    r"|(?P<newline>\n))")
_COMMON_KINDS = (None, "name", "number", "operator", "newline")
_INDENT = re.compile(r"[ \t\f]*")
_TAB = 8


def normalise_source(source: str) -> str:
    """Line ends as `\\n`, no byte order mark."""
    if source.startswith("\ufeff"):
        source = source[1:]
    return source.replace("\r\n", "\n").replace("\r", "\n") if "\r" in source else source


def lex(source: str) -> list[Token]:
    """The tokens of `source` (see `normalise_source`). Raises ProgramError (invalid_python)."""
    try:
        return _Lexer(source).run()
    except RecursionError:
        raise ProgramError("invalid_python", "f-strings nested too deeply") from None


class _Lexer:
    def __init__(self, source: str):
        self.source = source
        self.line = 1
        self.line_start = 0
        self.level = 0
        self.logical = 0

    def error(self, pos: int, what: str) -> ProgramError:
        return ProgramError("invalid_python", what, self.line, max(pos - self.line_start, 0))

    def newline(self, end: int) -> None:
        self.line += 1
        self.line_start = end

    def run(self) -> list[Token]:
        source, out, pos, depth = self.source, [], 0, 0
        indents = [0]
        fresh = True  # at the start of a physical line that may start a logical line
        common, length = _COMMON.match, len(source)
        while pos < length:
            if fresh:
                pos = self.indent(pos, indents)
                fresh = False
                continue
            match = common(source, pos)
            if match is not None and match.lastindex < 4:
                index = match.lastindex
                text = match.group(index)
                if index == 3:
                    depth += (text in "([{") - (text in ")]}")
                out.append(Token(_COMMON_KINDS[index], text, self.line, match.start(index) - self.line_start, self.level,
                                 self.logical))
                pos = match.end()
                continue
            if match is None:
                match = _TOKEN.match(source, pos)
                if match is None:
                    raise self.error(pos, f"unexpected character {source[pos]!r}")
            kind, end = match.lastgroup, match.end()
            if kind == "newline":
                self.newline(end)
                if depth == 0:
                    fresh = True
                    if out and out[-1].logical == self.logical:
                        self.logical += 1
            elif kind == "join":
                self.newline(end)
            elif kind != "space" and kind != "comment":
                if kind == "operator":
                    text = match.group()
                    depth += (text in "([{") - (text in ")]}")
                end = self.token(match, out)
            pos = end
        return out

    def indent(self, pos: int, indents: list[int]) -> int:
        """Reads the white space at the start of a line; a line with code on it sets the level."""
        end = _INDENT.match(self.source, pos).end()
        if end < len(self.source) and self.source[end] not in "\n#":
            width = 0
            for char in self.source[pos:end]:
                width = width + 1 if char == " " else 0 if char == "\f" else (width // _TAB + 1) * _TAB
            while width < indents[-1]:
                indents.pop()
            if width > indents[-1]:
                indents.append(width)
            self.level = len(indents) - 1
        return end

    def token(self, match: "re.Match[str]", out: list[Token]) -> int:
        """Appends the token of `match`; returns where the text goes on."""
        kind, text, pos, end = match.lastgroup, match.group(), match.start(), match.end()
        line, column, parts = self.line, pos - self.line_start, None
        if kind == "fstring":
            quote = text.lstrip("fFrR")
            parts, end = self.fstring(end, quote, "r" in text.lower(), in_spec=False)
            text = self.source[pos:end]
        elif kind == "name":
            if not text.isascii():
                text = unicodedata.normalize("NFKC", text)
        elif (kind == "string" or kind == "bytes") and "\n" in text:
            self.line += text.count("\n")
            self.line_start = pos + text.rindex("\n") + 1
        out.append(Token(kind, text, line, column, self.level, self.logical, parts))
        return end

    def fstring(self, pos: int, quote: str, raw: bool, in_spec: bool) -> tuple[list[Part], int]:
        """Literal text and fields up to the closing quote (in a format spec: up to its `}`, which is not consumed)."""
        source, parts, text = self.source, [], []

        def flush() -> None:
            if text:
                joined = "".join(text)
                parts.append(joined if raw else cook(joined))
                text.clear()

        while pos < len(source):
            char = source[pos]
            if source.startswith(quote, pos) and not in_spec:
                flush()
                return parts, pos + len(quote)
            if char == "}" and in_spec:
                flush()
                return parts, pos
            if char in "{}" and not in_spec and source.startswith(char, pos + 1):
                flush()
                parts.append(char)
                pos += 2
            elif char == "{":
                flush()
                pos = self.field(pos + 1, quote, raw, parts)
            else:
                width = 2 if char == "\\" and source[pos + 1:pos + 2] not in ("{", "}") else 1
                if "\n" in source[pos:pos + width]:
                    self.newline(pos + width)
                text.append(source[pos:pos + width])
                pos += width
        raise self.error(pos, "f-string is not closed")

    def field(self, pos: int, quote: str, raw: bool, parts: list[Part]) -> int:
        """One replacement field, from after its `{` to after its `}`."""
        source, start, depth = self.source, pos, 0
        tokens: list[Token] = []
        shown = None  # the text that `=` shows
        while True:
            match = _TOKEN.match(source, pos)
            if match is None:
                raise self.error(pos, "replacement field is not closed")
            kind, text, end = match.lastgroup, match.group(), match.end()
            if kind == "operator" and depth == 0 and (text in ("}", "!", ":", ":=", "=")):
                if text != "=":
                    break
                while source[end:end + 1] in (" ", "\t", "\f", "\n"):
                    end += 1
                shown = source[start:end]
            elif kind == "newline" or kind == "join":
                self.newline(end)
            elif kind != "space" and kind != "comment":
                if kind == "operator":
                    depth += (text in "([{") - (text in ")]}")
                end = self.token(match, tokens)
            pos = end
        conversion, spec = "", None
        if source.startswith("!", pos):
            conversion = source[pos + 1:pos + 2]
            pos = _INDENT.match(source, pos + 2).end()
        if source.startswith(":", pos):
            spec, pos = self.fstring(pos + 1, quote, raw, in_spec=True)
        if not source.startswith("}", pos):
            raise self.error(pos, "replacement field is not closed")
        if shown is not None:
            parts.append(shown)
            conversion = conversion or ("r" if spec is None else "")
        parts.append(Field(tokens, conversion, spec))
        return pos + 1
