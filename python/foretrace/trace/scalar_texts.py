"""The texts of numbers, strings and the like, cut where they are too long to be made whole."""

from __future__ import annotations

from collections.abc import Callable

from foretrace.trace.bounded_writer import CUT, unrepresentable

# More digits than CPython itself converts by default are shown by their leading ones.
INT_BITS_DIRECT = 8_192
INT_BITS_MOST = 262_144


def int_text(value: int, limit: int) -> str:
    bits = int.bit_length(value)
    if bits <= INT_BITS_DIRECT:
        return int.__repr__(value)
    if bits > INT_BITS_MOST:
        return unrepresentable(int)
    digits = int(bits * 0.30102999566398120)  # at most one less than the true count
    head = abs(value) // 10 ** max(0, digits - limit - 2)
    return ('-' if value < 0 else '') + int.__repr__(head)[:limit] + CUT


def str_text(value: str, limit: int) -> str:
    # The quote CPython chooses depends on the whole string, so choose it before cutting.
    if len(value) <= limit:
        return str.__repr__(value)
    head = str.__getitem__(value, slice(0, limit))
    if "'" in head or '"' in head or "'" in value:
        double = "'" in value and '"' not in value
        mark = '"' if double else "'"
        body = str.__repr__(head + '"' + "'")[1:-1]
        body = body[:-3]  # the added pair: `"` and `\'`
        return mark + (body.replace("\\'", "'") if double else body) + CUT
    return str.__repr__(head)[:-1] + CUT


def bytes_text(value: bytes, limit: int) -> str:
    if len(value) <= limit:
        return bytes.__repr__(value)
    return bytes.__repr__(bytes.__getitem__(value, slice(0, limit)))[:-1] + CUT


def _plain_text(value: object, limit: int) -> str:
    return repr(value)


SCALARS: dict[type, Callable[[object, int], str]] = {
    int: int_text, str: str_text, bytes: bytes_text, bool: _plain_text, float: _plain_text,
    complex: _plain_text, type(None): _plain_text, type(Ellipsis): _plain_text,
    type(NotImplemented): _plain_text,
}
