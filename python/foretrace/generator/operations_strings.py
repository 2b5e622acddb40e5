"""Operations on strings, and formatting."""

from __future__ import annotations

from . import operations as O
from . import types as T


def _case_and_tests(table: O.Table) -> None:
    table.many(T.STR, "{0:t}.upper() ; {0:t}.lower() ; {0:t}.title() ; {0:t}.capitalize() ; {0:t}.swapcase()", T.STR,
               weight=1.2)
    table.add(T.STR, "{0:t}.casefold()", T.STR, weight=0.3)
    table.add(T.STR, "{0:t}.title()", "sentence", weight=0.6)
    table.many(T.BOOL, "{0:t}.isalpha() ; {0:t}.isdigit() ; {0:t}.isupper() ; {0:t}.islower() ; {0:t}.isalnum()", T.STR)
    table.many(T.BOOL, "{0:t}.isspace() ; {0:t}.istitle() ; {0:t}.isdecimal() ; {0:t}.isnumeric() ; {0:t}.isidentifier() ; "
               "{0:t}.isascii() ; {0:t}.isprintable()", T.STR, weight=0.3)
    table.many(T.BOOL, "{0:t}.startswith({1}) ; {0:t}.endswith({1})", T.STR, "sub", weight=1.5)
    table.add(T.BOOL, "{0:t}.endswith(({1}, {2}))", T.STR, "char", "sub", weight=0.3)
    table.many(T.BOOL, "{1:5} in {0:5} ; {1:5} not in {0:5}", T.STR, "sub", level=O.COMPARE, weight=1.5)
    for symbol in ("==", "!=", "<", ">", "<=", ">="):
        table.add(T.BOOL, f"{{0:5}} {symbol} {{1:5}}", T.STR, T.STR, level=O.COMPARE, weight=0.8)
    table.many(T.BOOL, "{0:5} == {0:t}[::-1] ; bool({0})", T.STR, level=O.COMPARE, weight=0.4)


def _searching(table: O.Table) -> None:
    table.add(T.INT, "len({0})", T.STR, weight=2.5)
    table.many(T.INT, "{0:t}.count({1}) ; {0:t}.find({1}) ; {0:t}.rfind({1})", T.STR, "sub", weight=1.5)
    table.many(T.INT, "{0:t}.index({1}) ; {0:t}.rindex({1})", T.STR, "sub", risky=True, weight=0.8)
    table.add(T.INT, "{0:t}.find({1}, {2})", T.STR, "char", "count", weight=0.4)


def _rewriting(table: O.Table) -> None:
    table.add(T.STR, "{0:t}.replace({1}, {2})", T.STR, "sub", "sub", weight=2)
    table.add(T.STR, "{0:t}.replace({1}, '')", T.STR, "char", weight=0.8)
    table.add(T.STR, "{0:t}.replace({1}, {2}, 1)", T.STR, "char", "sub", weight=0.5)
    table.many(T.STR, "{0:t}.strip() ; {0:t}.lstrip() ; {0:t}.rstrip()", "padded")
    table.many(T.STR, "{0:t}.strip({1}) ; {0:t}.lstrip({1}) ; {0:t}.rstrip({1})", T.STR, "sub", weight=0.7)
    table.many(T.STR, "{0:t}.removeprefix({1}) ; {0:t}.removesuffix({1})", T.STR, "sub", weight=0.7)
    table.many(T.STR, "{0:t}.ljust({1}) ; {0:t}.rjust({1}) ; {0:t}.center({1}) ; {0:t}.zfill({1})", T.STR, "width",
               weight=0.6)
    table.many(T.STR, "{0:t}.ljust({1}, {2}) ; {0:t}.rjust({1}, {2}) ; {0:t}.center({1}, {2})", T.STR, "width", "char",
               weight=0.5)
    table.add(T.STR, "{0:t}.zfill({1})", "number_text", "width", weight=0.5)
    table.add(T.STR, "{0:t}.expandtabs(4)", "spaced", weight=0.2)
    table.add(T.STR, "{0:t}.translate(str.maketrans({1}, {2}))", T.STR, "char", "char", weight=0.5)
    table.add(T.STR, "{0:t}.translate(str.maketrans('', '', {1}))", T.STR, "sub", weight=0.2)
    table.many(T.STR, "ascii({0}) ; repr({0})", T.STR, weight=0.3)
    table.add(T.BYTES, "{0:t}.encode()", "key", weight=0.3)
    table.add(T.STR, "{0:t}.decode()", T.BYTES, weight=0.3)
    table.add(T.INT, "len({0})", T.BYTES, weight=0.1)
    table.add(T.LIST_INT, "list({0})", T.BYTES, weight=0.2)


def _building(table: O.Table) -> None:
    table.binary(T.STR, "+", T.STR, T.STR, O.ADD, weight=3)
    table.binary(T.STR, "*", T.STR, "count", O.MULTIPLY, weight=1)
    table.many(T.STR, "{0:t}[::-1] ; {0:t}[1:] ; {0:t}[:-1] ; {0:t}[::2] ; {0:t}[1:-1] ; {0:t}[1::2]", T.STR,
               weight=0.8)
    table.many(T.STR, "{0:t}[:{1}] ; {0:t}[{1}:]", T.STR, "index", weight=1.3)
    table.add(T.STR, "{0:t}[{1}:{2}]", T.STR, "count", "index", weight=1.3)
    table.add(T.STR, "{0:t}[::{1}]", T.STR, "nonzero", weight=0.3)
    table.add(T.STR, "{0:t}[{1}]", T.STR, "index", risky=True, weight=2)
    table.many(T.STR, "''.join(sorted({0})) ; ''.join(reversed({0})) ; ''.join(sorted(set({0})))", T.STR, weight=0.6)
    table.add(T.STR, "{0:t}[-1] + {0:t}[:-1]", T.STR, level=O.ADD, risky=True, weight=0.4)
    table.add(T.STR, "{0:t}[{1}:] + {0:t}[:{1}]", T.STR, "count", level=O.ADD, weight=0.4)
    table.many(T.STR, "max({0}) ; min({0})", T.STR, risky=True, weight=0.5)


def _splitting(table: O.Table) -> None:
    table.add(T.LIST_STR, "{0:t}.split()", "sentence", weight=1.5)
    table.add(T.LIST_STR, "{0:t}.split({1})", "delimited", "separator", weight=1.5)
    table.add(T.LIST_STR, "{0:t}.split({1})", T.STR, "char", weight=0.7)
    table.many(T.LIST_STR, "{0:t}.split({1}, 1) ; {0:t}.rsplit({1}, 1)", "delimited", "separator", weight=0.4)
    table.add(T.LIST_STR, "{0:t}.rsplit()", "sentence", weight=0.1)
    table.add(T.LIST_STR, "{0:t}.splitlines()", "lines", weight=0.5)
    table.many("tuple[str, str, str]", "{0:t}.partition({1}) ; {0:t}.rpartition({1})", T.STR, "sub", weight=0.5)
    table.many(T.STR, "{0:t}.partition({1})[0] ; {0:t}.partition({1})[2] ; {0:t}.rpartition({1})[2]", "delimited",
               "separator", weight=0.4)
    table.add(T.LIST_STR, "list({0})", T.STR, weight=1)
    table.add(T.LIST_STR, "sorted({0})", T.STR, weight=0.5)
    table.add(T.SET_STR, "set({0})", T.STR, weight=0.6)
    table.many(T.STR, "{1:t}.join({0})", T.LIST_STR, "separator", weight=1.5)
    table.many(T.STR, "''.join({0}) ; ', '.join({0}) ; ' '.join({0})", T.LIST_STR, weight=0.8)
    table.add(T.STR, "{1:t}.join({0})", T.STR, "separator", weight=0.5)
    table.add(T.LIST_INT, "[int(part) for part in {0:t}.split({1})]", "delimited", "separator", risky=True, weight=0.3)
    table.add(T.LIST_INT, "[ord(ch) for ch in {0:1}]", "key", weight=0.4)
    table.many(T.STR, "''.join(ch for ch in {0:1} if ch.isalpha()) ; ''.join(ch for ch in {0:1} if ch not in 'aeiou')",
               T.STR, weight=0.15)
    table.many(T.STR, "''.join([ch for ch in {0:1} if ch.isalnum()]) ; ''.join([ch * 2 for ch in {0:1}])", T.STR,
               weight=0.3)
    table.many(T.STR, "''.join([ch for ch in {0:1} if ch != {1:5}])", T.STR, "char", weight=0.5)
    table.many(T.INT, "len([ch for ch in {0:1} if ch == {1:5}]) ; [*{0:t}].count({1})", T.STR, "char", weight=0.2)
    table.many(T.INT, "sum(1 for ch in {0:1} if ch.isdigit()) ; sum(ch in 'aeiou' for ch in {0:1})", T.STR, weight=0.15)


def _formatting(table: O.Table) -> None:
    table.many(T.STR, "f'{{0:1}}' ; f'{{0:1}}!' ; f'n={{0:1}}' ; '%d' % {0:11} ; '{}'.format({0}) ; '%s' % {0:11}",
               T.INT, weight=0.5)
    table.many(T.STR, "f'<{{0:1}}>' ; f'{{0:1}}!' ; '%s' % {0:11} ; '%s.' % {0:11} ; '[{}]'.format({0}) ; f'{{0:1}!r}'",
               T.STR, weight=0.4)
    table.many(T.STR, "f'{{0:1}}: {{1:1}}' ; f'{{0:1}}={{1:1}}' ; f'{{0:1}}{{1:1}}' ; '{} {}'.format({0}, {1}) ; '%s-%d' % ({0}, {1}) ; "
               "'%s=%s' % ({0}, {1})", T.STR, T.INT, weight=0.6)
    table.many(T.STR, "f'{{0:1}} {{1:1}}' ; f'{{0:1}}-{{1:1}}' ; '{} and {}'.format({0}, {1}) ; '%s, %s' % ({0}, {1})",
               T.STR, T.STR, weight=0.6)
    table.many(T.STR, "f'{{0:1}:03d}' ; f'{{0:1}:>5}' ; f'{{0:1}:<4}|' ; '%03d' % {0:11} ; '%4d' % {0:11} ; '{:02d}'.format({0}) ; f'{{0:1}:x}' ; "
               "f'{{0:1}:b}' ; f'{{0:1}:,}'", T.INT, weight=0.25)
    table.many(T.STR, "f'{{0:1}:.1f}' ; f'{{0:1}:.2f}' ; '%.1f' % {0:11} ; '%.2f' % {0:11} ; '{:.2f}'.format({0})",
               T.FLOAT, weight=0.4)
    table.many(T.STR, "f'{{0:1}:>8}' ; f'{{0:1}:<8}|' ; f'{{0:1}:^9}' ; f'{{0:1}:*^9}' ; '{:>6}'.format({0}) ; '%6s' % {0:11} ; '%-6s|' % {0:11}",
               T.STR, weight=0.25)
    table.many(T.STR, "format({0}, '05d') ; format({0}, 'b') ; format({0}, 'x')", "positive", weight=0.2)


def _modules(table: O.Table) -> None:
    table.many(T.LIST_STR, "re.findall(r'\\d+', {0}) ; re.findall(r'[aeiou]', {0}) ; re.findall(r'[a-z]+', {0})", T.STR,
               module="import re", weight=0.12)
    table.many(T.STR, "re.sub(r'[aeiou]', '*', {0}) ; re.sub(r'\\d', '#', {0}) ; re.sub(r'[^a-z]', '', {0})", T.STR,
               module="import re", weight=0.15)
    table.many(T.BOOL, "bool(re.search(r'\\d', {0})) ; re.fullmatch(r'[a-z]+', {0}) is not None", T.STR,
               module="import re", level=O.COMPARE, weight=0.12)
    table.many(T.BOOL, "{0:5} in string.ascii_lowercase ; {0:5} in string.digits ; {0:5} in string.ascii_letters ; "
               "{0:5} in string.ascii_uppercase ; {0:5} in string.punctuation", "char", level=O.COMPARE,
               module="import string", weight=0.1)


def string_operations() -> list[O.Operation]:
    table = O.Table("string")
    for fill in (_case_and_tests, _searching, _rewriting, _building, _splitting, _formatting, _modules):
        fill(table)
    return table.operations
