"""String literals: escapes read, and text written the way `repr` writes it."""

from __future__ import annotations

import re

from .errors import ProgramError

_SIMPLE = {"\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r",
           "t": "\t", "v": "\v"}
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(N\{)|(.))", re.DOTALL)
_BYTES_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|()()()(.))", re.DOTALL)


def _replace(match: "re.Match[str]") -> str:
    octal, byte, short, long, named, other = match.groups()
    if other is not None:
        return _SIMPLE.get(other, match.group())
    if octal is not None:
        return chr(int(octal, 8))
    if named:
        raise ProgramError("invalid_python", r"\N{...} escapes are not supported: write the character or \u....")
    return chr(int(byte or short or long, 16))


def cook(text: str, is_bytes: bool = False) -> str:
    r"""The value of the inside of a non-raw literal. An unknown escape keeps its backslash, as in Python.

    For bytes, every character of the result is one byte and \u, \U and \N are no escapes.
    Raises ProgramError (invalid_python) for \N{...}.
    """
    if "\\" not in text:
        return text
    cooked = (_BYTES_ESCAPE if is_bytes else _ESCAPE).sub(_replace, text)
    # An octal escape above 0o377 is one byte in a bytes literal: CPython keeps the low eight bits.
    return "".join(chr(ord(char) & 0xFF) for char in cooked) if is_bytes else cooked


def literal_repr(text: str) -> str:
    """`repr` of the value of a string or bytes literal without f prefix; for bytes without the leading `b`."""
    start = min(index for index in (text.find("'"), text.find('"')) if index >= 0)
    prefix = text[:start].lower()
    width = 3 if text[start:start + 3] in ("'''", '"""') else 1
    body = text[start + width:len(text) - width]
    is_bytes = "b" in prefix
    value = body if "r" in prefix else cook(body, is_bytes)
    return repr(value.encode("latin-1"))[1:] if is_bytes else repr(value)


def escape_text(text: str) -> str:
    """`text` escaped as `repr` escapes it, with no quotes around it and both kinds of quote left as they are."""
    return "'".join(repr(part)[1:-1] for part in text.split("'"))
