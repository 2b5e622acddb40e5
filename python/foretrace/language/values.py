"""Values (canonical `repr` strings) as tokens and back (docs/trace-language.md, section 4)."""

from __future__ import annotations

import re
from typing import Optional, Sequence, Union

from . import tokens as T
from .errors import DecodeError
from .program import Program

CUT_MARK = "\u2026"

_PIECE = re.compile(
    r"(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<bytes>b(?=['\"]))"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<number>[0-9][A-Za-z0-9_]*)"
    r"|(?P<space>[,:]\x20(?![) ]))"
    r"|(?P<tight>[,:](?=\)))"
    r"|(?P<lossy>[,:])"
    r"|(?P<open>['\"])"
    r"|(?P<other>.)",
    re.DOTALL)
_BYTE_END = T.BYTE_BASE + 256


def encode_value(program: Program, text: str) -> tuple[int, ...]:
    """The tokens of a value; compact where that is exact, else raw. Lone surrogates become U+FFFD."""
    found = program.value_cache.get(text)
    if found is None:
        compact = _compact(program, text)
        found = program.value_cache[text] = tuple(_raw(text) if compact is None else compact)
    return found


def _split_cut(text: str) -> tuple[str, bool]:
    return (text[:-1], True) if text.endswith(CUT_MARK) else (text, False)


def _raw(text: str) -> list[int]:
    body, is_cut = _split_cut(text)
    return [T.RAW, *T.text_tokens(body), *([T.CUT] if is_cut else [])]


def _compact(program: Program, text: str) -> Optional[list[int]]:
    """The compact form; None where it would not decode to `text`."""
    body, is_cut = _split_cut(text)
    out: list[int] = []
    slots = program.slots
    for match in _PIECE.finditer(body):
        kind, piece = match.lastgroup, match.group()
        if kind == "name":
            word = T.WORDS.get(piece)
            if word is not None:
                out.append(word)
            elif piece in slots:
                out += (T.REF, slots[piece])
            else:
                out += T.text_tokens(piece)
        elif kind == "space" or kind == "tight":
            out.append(T.CHARS[piece[0]])
            if is_cut and kind == "space" and match.end() == len(body):
                out.append(T.CHARS[" "])
        elif kind == "bytes":
            out.append(T.BYTES)
        elif kind == "lossy":
            if not (is_cut and match.end() == len(body)):
                return None
            out.append(T.CHARS[piece])
        elif kind == "open":
            if not is_cut:
                return None
            out += T.text_tokens(body[match.start():])
            break
        else:
            out += T.text_tokens(piece)
    if is_cut:
        out.append(T.CUT)
    return out if out else None


class ValueDecoder:
    """Reads the tokens of one value, one at a time. `take` answers whether the token belongs to the value."""

    def __init__(self, program: Program):
        self.program = program
        self.pieces: list[str] = []
        self.quote = ""  # the quote of the open string
        self.escaped = False
        self.raw = False
        self.cut = False
        self.ref = False  # a slot must follow
        self.bytes = False  # a quote must follow
        self.pending = bytearray()  # UTF-8 of a character not complete
        self.space = ""  # `,` or `:` waiting for what follows
        self.count = 0

    def accepts(self, token: int) -> bool:
        """Whether `token` may stand next in the value."""
        if self.cut:
            return False
        if self.ref:
            return token in self.program.slot_names
        if self.bytes:
            return token in (T.CHARS["'"], T.CHARS['"'])
        if token in (T.REF, T.BYTES) or token in T.WORD_TEXT:
            return not self.raw and not self.quote and not self.pending
        if token == T.RAW:
            return self.count == 0
        if token == T.CUT:
            return not self.pending
        if T.CHAR_BASE <= token < T.BYTE_BASE:
            return not self.pending
        return T.BYTE_BASE <= token < _BYTE_END and self._byte(token - T.BYTE_BASE)

    def _byte(self, byte: int) -> bool:
        """Whether `byte` can follow the bytes pending."""
        if self.pending:
            try:
                (bytes(self.pending) + bytes([byte])).decode("utf-8")
            except UnicodeDecodeError as error:
                return error.reason == "unexpected end of data"
            return True
        return byte < 0x20 or byte == 0x7F or 0xC2 <= byte <= 0xF4

    def take(self, token: int) -> None:
        """Consumes a token that `accepts` allows."""
        self.count += 1
        if T.BYTE_BASE <= token < _BYTE_END:
            self.pending.append(token - T.BYTE_BASE)
            try:
                char = self.pending.decode("utf-8")
            except UnicodeDecodeError:
                return
            self.pending.clear()
            self._char(char)
        elif T.CHAR_BASE <= token < T.BYTE_BASE:
            self._char(chr(token - T.CHAR_BASE + 0x20))
        elif token == T.RAW:
            self.raw = True
        elif token == T.CUT:
            self.space = ""
            self.cut = True
            self.pieces.append(CUT_MARK)
        elif token == T.REF:
            self.ref = True
        elif token == T.BYTES:
            self._flush_space()
            self.bytes = True
            self.pieces.append("b")
        else:
            self._flush_space()
            self.pieces.append(self.program.slot_names[token] if self.ref else T.WORD_TEXT[token])
            self.ref = False

    def _flush_space(self, follower: str = "") -> None:
        """Restores the space after `,` and `:`, which is not there before `)`, a written space or a cut."""
        if self.space and follower not in (")", " "):
            self.pieces.append(" ")
        self.space = ""

    def _char(self, char: str) -> None:
        if self.raw:
            self.pieces.append(char)
            return
        self._flush_space(follower=char)
        self.pieces.append(char)
        self.bytes = False
        if self.quote:
            if self.escaped:
                self.escaped = False
            elif char == "\\":
                self.escaped = True
            elif char == self.quote:
                self.quote = ""
        elif char in "'\"":
            self.quote = char
        elif char in ",:":
            self.space = char

    def missing(self) -> Optional[str]:
        """What must still come before the value may end; None if nothing must."""
        if self.count == 0:
            return "a value"
        if self.ref:
            return "a slot of the program"
        if self.bytes:
            return "a quote"
        if self.pending:
            return "the rest of a UTF-8 character"
        if self.quote and not self.cut:
            return f"the closing {self.quote}"
        return None

    def text(self) -> str:
        """The value, once `missing` is None. A `,` or `:` at the very end has its space."""
        self._flush_space()
        return "".join(self.pieces)


def decode_value(program: Program, tokens: Sequence[int]) -> Union[str, DecodeError]:
    """The value of `tokens`, or what is wrong with them."""
    decoder = ValueDecoder(program)
    for position, token in enumerate(tokens):
        if not decoder.accepts(token):
            return DecodeError("bad_value", position, decoder.missing() or "a value token or the end", token_name(token))
        decoder.take(token)
    missing = decoder.missing()
    if missing is not None:
        return DecodeError("bad_value", len(tokens), missing, "the end")
    return decoder.text()


def token_name(token: int) -> str:
    """The name of a token for messages; any integer has one."""
    return T.NAMES[token] if 0 <= token < T.SIZE else f"token {token}"
