"""Operations on lists, tuples and nested lists that give a value and change nothing."""

from __future__ import annotations

from . import operations as O
from . import types as T


def _indexing(table: O.Table) -> None:
    for list_, item in ((T.LIST_INT, T.INT), (T.LIST_STR, T.STR), (T.MATRIX, T.LIST_INT), (T.TUPLE_INT, T.INT)):
        common = 1.0 if list_ in (T.LIST_INT, T.LIST_STR) else 0.4
        table.add(item, "{0:t}[{1}]", list_, "index", risky=True, weight=2 * common)
        table.many(item, "{0:t}[0] ; {0:t}[-1]", list_, risky=True, weight=0.7 * common)
        table.many(list_, "{0:t}[::-1] ; {0:t}[1:] ; {0:t}[:-1] ; {0:t}[::2] ; {0:t}[1:-1] ; {0:t}[:2] ; {0:t}[-2:]",
                   list_, weight=0.5 * common)
        table.many(list_, "{0:t}[:{1}] ; {0:t}[{1}:]", list_, "index", weight=common)
        table.add(list_, "{0:t}[{1}:{2}]", list_, "count", "index", weight=common)
        table.add(list_, "{0:t}[{1}:] + {0:t}[:{1}]", list_, "count", level=O.ADD, weight=0.3 * common)
        table.binary(list_, "+", list_, list_, O.ADD, weight=common)
        table.add(T.INT, "len({0})", list_, weight=1.5 * common)
        table.add(T.BOOL, "bool({0})", list_, weight=0.2)
        table.add(T.BOOL, "{0:5} == {1:5}", list_, list_, level=O.COMPARE, weight=0.4 * common)
        table.add(T.BOOL, "len({0}) > {1:5}", list_, "count", level=O.COMPARE, weight=0.5 * common)
        table.add(list_, "{0:10} * {1:11}", list_, "shift", level=O.MULTIPLY, weight=0.3 * common)
    table.add(T.INT, "{0:t}[{1}][{2}]", T.MATRIX, "index", "index", risky=True, weight=0.8)
    table.many(T.INT, "{0:t}[0] ; {0:t}[1]", T.PAIR_INT)
    table.add(T.STR, "{0:t}[0]", T.PAIR_STR_INT, weight=0.6)
    table.add(T.INT, "{0:t}[1]", T.PAIR_STR_INT, weight=0.6)
    table.add(T.PAIR_STR_INT, "{0:t}[{1}]", T.PAIRS, "index", risky=True, weight=0.5)


def _aggregates(table: O.Table) -> None:
    for list_, common in ((T.LIST_INT, 1.0), (T.TUPLE_INT, 0.4), (T.SET_INT, 0.4)):
        table.add(T.INT, "sum({0})", list_, weight=1.5 * common)
        table.many(T.INT, "max({0}) ; min({0})", list_, risky=True, weight=common)
        table.many(T.INT, "max({0}, default=0) ; min({0}, default=-1)", list_, weight=0.3 * common)
        table.add(T.LIST_INT, "sorted({0})", list_, weight=common)
        table.add(T.LIST_INT, "sorted({0}, reverse=True)", list_, weight=0.5 * common)
        table.many(T.BOOL, "{1:5} in {0:5} ; {1:5} not in {0:5}", list_, T.INT, level=O.COMPARE, weight=common)
        table.many(T.BOOL, "any({0}) ; all({0})", list_, weight=0.3 * common)
    table.many(T.STR, "max({0}) ; min({0})", T.LIST_STR, risky=True, weight=0.5)
    table.add(T.LIST_STR, "sorted({0})", T.LIST_STR, weight=1)
    table.many(T.BOOL, "{1:5} in {0:5} ; {1:5} not in {0:5}", T.LIST_STR, "key", level=O.COMPARE)
    table.add(T.INT, "{0:t}.count({1})", T.LIST_INT, "element", weight=0.8)
    table.add(T.INT, "{0:t}.count({1})", T.TUPLE_INT, "element", weight=0.4)
    table.add(T.INT, "{0:t}.count({1})", T.LIST_STR, "key", weight=0.6)
    table.add(T.INT, "{0:t}.index({1})", T.LIST_INT, "element", risky=True, weight=0.7)
    table.add(T.INT, "{0:t}.index({1})", T.LIST_STR, "key", risky=True, weight=0.6)
    table.add(T.INT, "{0:t}.index({1})", T.TUPLE_INT, "element", risky=True, weight=0.3)
    table.add(T.FLOAT, "sum({0}) / len({0})", T.LIST_INT, level=O.MULTIPLY, risky=True, weight=0.5)
    table.add(T.INT, "sum({0}) // len({0})", T.LIST_INT, level=O.MULTIPLY, risky=True, weight=0.4)
    table.add(T.INT, "max({0}) - min({0})", T.LIST_INT, level=O.ADD, risky=True, weight=0.4)


def _copies(table: O.Table) -> None:
    table.add(T.LIST_INT, "{0:t}.copy()", T.LIST_INT, weight=0.6)
    table.many(T.LIST_INT, "list({0}) ; list(reversed({0}))", T.LIST_INT, weight=0.5)
    table.add(T.LIST_INT, "list({0})", T.TUPLE_INT, weight=0.4)
    table.add(T.TUPLE_INT, "tuple({0})", T.LIST_INT, weight=0.8)
    table.add(T.TUPLE_INT, "tuple(sorted({0}))", T.LIST_INT, weight=0.3)
    table.add(T.SET_INT, "set({0})", T.LIST_INT, weight=0.8)
    table.add(T.SET_STR, "set({0})", T.LIST_STR, weight=0.6)
    table.many(T.LIST_STR, "list({0}) ; list(reversed({0})) ; {0:t}.copy()", T.LIST_STR, weight=0.4)
    table.many(T.LIST_STR, "sorted({0}, reverse=True) ; sorted({0}, key=len)", T.LIST_STR, weight=0.5)
    table.add(T.LIST_INT, "sorted({0}, key=abs)", T.LIST_INT, weight=0.4)
    table.add(T.LIST_INT, "sorted(set({0}))", T.LIST_INT, weight=0.6)
    table.add(T.LIST_STR, "sorted(set({0}))", T.LIST_STR, weight=0.4)
    table.add(T.STR, "max({0}, key=len)", T.LIST_STR, risky=True, weight=0.5)
    table.add(T.LIST_STR, "sorted({0}, key=str.lower)", T.LIST_STR, weight=0.2)
    table.add(T.LIST_INT, "list(range({0}))", "count", weight=0.8)
    table.add(T.LIST_INT, "list(range({0}, {1}))", "count", "width", weight=0.7)
    table.add(T.LIST_INT, "list(range({0}, {1}, {2}))", "count", "width", "base", weight=0.5)
    table.add(T.LIST_INT, "list(range({0}, -1, -1))", "count", weight=0.3)
    table.add(T.LIST_INT, "list({0:t})[:{1}]", T.LIST_INT, "count", weight=0.1)
    table.add(T.LIST_INT, "[0] * {0:11}", "count", level=O.MULTIPLY, weight=0.4)
    table.many(T.LIST_INT, "[{0}, {1}] ; [{0}, {1}, {0}]", T.INT, T.INT, weight=0.4)
    table.add(T.LIST_INT, "[*{0:6}, {1}]", T.LIST_INT, T.INT, weight=0.4)
    table.add(T.LIST_INT, "[{1}] + {0:10}", T.LIST_INT, T.INT, level=O.ADD, weight=0.4)
    table.add(T.PAIR_INT, "({0}, {1})", T.INT, T.INT, weight=0.7)
    table.add(T.PAIR_STR_INT, "({0}, {1})", T.STR, T.INT, weight=0.4)
    table.add(T.LIST_INT, "{0:t}[{1}] + [{2}]", T.MATRIX, "index", T.INT, level=O.ADD, risky=True, weight=0.2)
    table.add(T.PAIRS, "list(zip({0}, {1}))", T.LIST_STR, T.LIST_INT, weight=0.8)
    table.add(T.PAIRS, "list(zip({0}, {1}))", T.STR, T.LIST_INT, weight=0.3)
    table.many("list[tuple[int, int]]", "list(zip({0}, {1}))", T.LIST_INT, T.LIST_INT, weight=0.5)
    table.add("list[tuple[int, str]]", "list(enumerate({0}))", T.LIST_STR, weight=0.5)
    table.add("list[tuple[int, str]]", "list(enumerate({0}, {1}))", T.STR, "digit", weight=0.3)
    table.add(T.STR, "str({0})", T.LIST_INT, weight=0.3)
    table.add(T.LIST_INT, "{0:t}[slice({1}, {2})]", T.LIST_INT, "count", "index", weight=0.1)
    table.add(T.INT, "next(iter({0}))", T.LIST_INT, risky=True, weight=0.2)
    table.add(T.INT, "len(list(iter({0})))", T.LIST_INT, weight=0.05)


def _comprehensions(table: O.Table) -> None:
    table.many(T.LIST_INT, "[n * n for n in {0:1}] ; [n % 10 for n in {0:1}] ; [-n for n in {0:1}] ; [n for n in {0:1} if n % 2 == 0] ; "
               "[n for n in {0:1} if n > 0] ; [abs(n) for n in {0:1}] ; [n // 2 for n in {0:1}] ; "
               "[n if n > 9 else 0 for n in {0:1}] ; [i * n for i, n in enumerate({0})]", T.LIST_INT, weight=0.35)
    table.many(T.LIST_INT,
               "[n + {1:10} for n in {0:1}] ; [n * {1:11} for n in {0:1}] ; [n for n in {0:1} if n > {1:5}] ; "
               "[n for n in {0:1} if n != {1:5}] ; [n - {1:10} for n in {0:1} if n >= {1:5}] ; [min(n, {1}) for n in {0:1}]",
               T.LIST_INT, "element", weight=0.5)
    table.many(T.LIST_STR, "[w.upper() for w in {0:1}] ; [w[::-1] for w in {0:1}] ; [w.capitalize() for w in {0:1}] ; "
               "[w[:2] for w in {0:1}] ; [w for w in {0:1} if w] ; [w.lower() for w in {0:1}]", T.LIST_STR, weight=0.35)
    table.many(T.LIST_STR, "[w for w in {0:1} if len(w) > {1:5}] ; [w * {1:11} for w in {0:1}]", T.LIST_STR, "count",
               weight=0.4)
    table.many(T.LIST_STR,
               "[w for w in {0:1} if {1:5} in w] ; [w.replace({1}, '') for w in {0:1}] ; [w + {1:10} for w in {0:1}] ; "
               "[{1:9} + w for w in {0:1} if w.isalpha()]", T.LIST_STR, "char", weight=0.4)
    table.many(T.LIST_INT, "[len(w) for w in {0:1}] ; list(map(len, {0}))", T.LIST_STR, weight=0.7)
    table.many(T.LIST_STR, "[str(n) for n in {0:1}] ; list(map(str, {0}))", T.LIST_INT, weight=0.6)
    table.many(T.LIST_INT, "list(map(abs, {0})) ; list(filter(None, {0}))", T.LIST_INT, weight=0.2)
    table.many(T.LIST_STR, "list(map(str.upper, {0})) ; list(filter(str.isalpha, {0})) ; list(filter(None, {0}))",
               T.LIST_STR, weight=0.15)
    table.many(T.LIST_INT,
               "[sum(row) for row in {0:1}] ; [len(row) for row in {0:1}] ; [row[0] for row in {0:1} if row] ; "
               "[n for row in {0:1} for n in row] ; sum({0}, [])", T.MATRIX, weight=0.5)
    table.many(T.MATRIX, "[row[::-1] for row in {0:1}] ; [sorted(row) for row in {0:1}] ; [[n * 2 for n in row] for row in {0:1}] ; "
               "[list(col) for col in zip(*{0:6})]", T.MATRIX, weight=0.5)
    table.add(T.INT, "sum(sum(row) for row in {0:1})", T.MATRIX, weight=0.1)
    table.many(T.INT, "sum(n * n for n in {0:1}) ; sum(1 for n in {0:1} if n > 9) ; max((n for n in {0:1} if n < 50), default=0)",
               T.LIST_INT, weight=0.12)
    table.many(T.INT, "sum([n for n in {0:1} if n % 2]) ; len([n for n in {0:1} if n > 10]) ; len(set({0}))",
               T.LIST_INT, weight=0.4)
    table.many(T.BOOL, "any(n > {1:5} for n in {0:1}) ; all(n >= {1:5} for n in {0:1})", T.LIST_INT, "element",
               weight=0.12)
    table.many(T.BOOL, "any([n == {1:5} for n in {0:1}]) ; all([n < {1:5} for n in {0:1}])", T.LIST_INT, "element",
               weight=0.3)
    table.many(T.LIST_STR, "[name for name, _ in {0:1}]", T.PAIRS, weight=0.5)
    table.many(T.LIST_INT, "[number for _, number in {0:1}] ; [pair[1] for pair in {0:1}]", T.PAIRS, weight=0.4)


def _modules(table: O.Table) -> None:
    load = "import itertools"
    table.many(T.LIST_INT,
               "list(itertools.accumulate({0})) ; list(itertools.chain({0}, {0})) ; list(itertools.islice({0}, 2)) ; "
               "list(itertools.islice(itertools.cycle([1, 2]), 3))", T.LIST_INT, module=load, weight=0.12)
    table.many(T.LIST_INT, "list(itertools.repeat({0}, 3))", T.INT, module=load, weight=0.06)
    table.add(T.INT, "len(list(itertools.combinations({0}, 2)))", T.LIST_INT, module=load, weight=0.08)
    table.add(T.LIST_STR, "[a + b for a, b in itertools.product({0}, repeat=2)][:4]", "key", module=load, weight=0.05)
    table.add(T.LIST_STR, "[''.join(p) for p in itertools.permutations({0}, 2)][:4]", "key", module=load, weight=0.05)
    table.add(T.LIST_STR, "[ch for ch, _ in itertools.groupby({0})]", T.STR, module=load, weight=0.1)
    table.add(T.LIST_INT, "[a + b for a, b in itertools.zip_longest({0}, {1}, fillvalue=0)]", T.LIST_INT, T.LIST_INT,
              module=load, weight=0.08)
    table.many(T.LIST_INT, "heapq.nsmallest(2, {0}) ; heapq.nlargest(2, {0})", T.LIST_INT, module="import heapq",
               weight=0.06)
    table.many(T.INT, "bisect.bisect_left({0}, {1}) ; bisect.bisect_right({0}, {1})", "sorted_ints", T.INT,
               module="import bisect", weight=0.12)
    table.many(T.INT, "functools.reduce(operator.add, {0}, 0)", T.LIST_INT, module="import functools\nimport operator",
               weight=0.06)
    table.many("list[tuple[str, int]]", "collections.Counter({0}).most_common(2)", T.STR, module="import collections",
               weight=0.12)
    table.add(T.LIST_STR, "sorted(collections.Counter({0}).elements())", T.STR, module="import collections",
              weight=0.05)
    table.add(T.INT, "collections.Counter({0})[{1}]", T.STR, "char", module="import collections", weight=0.1)


def list_operations() -> list[O.Operation]:
    table = O.Table("list")
    for fill in (_indexing, _aggregates, _copies, _comprehensions, _modules):
        fill(table)
    return table.operations
