"""Code as tokens: lines, names, literals (docs/trace-language.md, section 2)."""

from __future__ import annotations

from . import tokens as T
from .errors import ProgramError
from .lexer import Part, Token
from .strings import escape_text, literal_repr


class CodeWriter:
    """Writes lexical tokens as tokens of the language. A name gets a slot at first sight, unless it is a word that the
    program does not bind."""

    def __init__(self, bound: set[str]):
        self.bound = bound
        self.slots: dict[str, int] = {}
        self.code_lines: list[int] = []
        self.out: list[int] = []

    def copy(self) -> "CodeWriter":
        """A writer that goes on where this one is."""
        found = CodeWriter(self.bound)
        found.slots, found.code_lines, found.out = dict(self.slots), list(self.code_lines), list(self.out)
        return found

    def program(self, tokens: list[Token]) -> None:
        out = self.out
        out.append(T.PROGRAM)
        dropped = _docstrings(tokens)
        tokens = [token for token in tokens if token.logical not in dropped]
        _check_lines(tokens)
        line = 0
        for token in tokens:
            if token.line != line:
                line = token.line
                out.append(T.LINE_BASE + len(self.code_lines))
                out.append(T.INDENT_BASE + token.level)
                self.code_lines.append(line)
            self.token(token)

    def code(self, tokens: list[Token]) -> None:
        for token in tokens:
            self.token(token)

    def token(self, token: Token) -> None:
        kind, text, out = token.kind, token.text, self.out
        if kind == "name":
            out.append(self.name(token))
        elif kind == "operator":
            out.append(T.CHARS[text] if len(text) == 1 else T.OPERATORS[text])
        elif kind == "number":
            out += T.text_tokens(text.replace("_", "").lower())
        elif kind == "fstring":
            out.append(T.FSTRING)
            self.parts(token.parts or [])
            out.append(T.FEND)
        else:
            if kind == "bytes":
                out.append(T.BYTES)
            out += T.text_tokens(literal_repr(text))

    def name(self, token: Token) -> int:
        """The slot of a name, or its word."""
        text = token.text
        found = self.slots.get(text)
        if found is None and text not in self.bound:
            found = T.WORDS.get(text)
        if found is None:
            if len(self.slots) == T.SLOT_COUNT:
                raise ProgramError("too_many_names", f"expected at most {T.SLOT_COUNT} different names, got one more: "
                                   f"{text}", token.line, token.column)
            found = self.slots[text] = T.SLOT_BASE + len(self.slots)
        return found

    def parts(self, parts: list[Part]) -> None:
        """The inside of an f-string or of a format spec."""
        out = self.out
        for part in parts:
            if isinstance(part, str):
                out += T.text_tokens(escape_text(part).replace("{", "{{").replace("}", "}}"))
                continue
            out.append(T.CHARS["{"])
            self.code(part.tokens)
            if part.conversion:
                out += (T.CHARS["!"], T.CHARS[part.conversion])
            if part.spec is not None:
                out.append(T.CHARS[":"])
                self.parts(part.spec)
            out.append(T.CHARS["}"])


def _check_lines(tokens: list[Token]) -> None:
    """Raises ProgramError for a program whose lines the language has no tokens for: before any of its names counts."""
    count = line = 0
    for token in tokens:
        if token.line == line:
            continue
        line = token.line
        if count == T.LINE_COUNT:
            raise ProgramError("program_too_long", f"expected at most {T.LINE_COUNT} code lines", line, 0)
        if token.level >= T.INDENT_COUNT:
            raise ProgramError("program_too_deep", f"expected at most {T.INDENT_COUNT} levels", line, 0)
        count += 1


def _docstrings(tokens: list[Token]) -> set[int]:
    """The logical lines that are docstrings."""
    first: dict[int, Token] = {}
    last: dict[int, Token] = {}
    plain: dict[int, bool] = {}
    for token in tokens:
        index = token.logical
        first.setdefault(index, token)
        last[index] = token
        plain[index] = plain.get(index, True) and token.kind == "string"
    found = set()
    for index, only_strings in plain.items():
        if only_strings and (index == 0 or (first[index - 1].text in ("def", "class", "async")
                                            and last[index - 1].text == ":")):
            found.add(index)
    return found
