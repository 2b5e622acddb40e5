"""Operations on dictionaries and sets that give a value and change nothing."""

from __future__ import annotations

from . import operations as O
from . import types as T


def _dictionaries(table: O.Table) -> None:
    for dict_, key, key_kind, value in ((T.DICT_STR_INT, T.STR, "key", T.INT),
                                        (T.DICT_INT_STR, T.INT, "element", T.STR),
                                        (T.DICT_STR_LIST, T.STR, "key", T.LIST_INT)):
        common = 1.0 if dict_ == T.DICT_STR_INT else 0.5
        keys = T.LIST_STR if key == T.STR else T.LIST_INT
        table.add(T.INT, "len({0})", dict_, weight=common)
        table.add(value, "{0:t}[{1}]", dict_, key_kind, risky=True, weight=1.5 * common)
        table.add(value, "{0:t}.get({1}, {2})", dict_, key_kind, value, weight=1.2 * common)
        table.many(T.BOOL, "{1:5} in {0:5} ; {1:5} not in {0:5}", dict_, key_kind, level=O.COMPARE, weight=common)
        table.many(keys, "list({0}) ; list({0:t}.keys()) ; sorted({0})", dict_, weight=0.6 * common)
        table.add(dict_, "dict({0})", dict_, weight=0.4 * common)
        table.add(dict_, "{0:t}.copy()", dict_, weight=0.4 * common)
        table.many(dict_, "{**{0:5}, **{1:5}} ; {0:5} | {1:6}", dict_, dict_, level=O.BIT_OR, weight=0.3 * common)
        table.add(T.BOOL, "bool({0})", dict_, weight=0.2)
        table.add(key, "next(iter({0}))", dict_, risky=True, weight=0.1)
    table.add(T.OPTIONAL_INT, "{0:t}.get({1})", T.DICT_STR_INT, "key", weight=0.6)
    table.many(T.LIST_INT, "list({0:t}.values()) ; sorted({0:t}.values())", T.DICT_STR_INT, weight=0.8)
    table.add(T.LIST_STR, "list({0:t}.values())", T.DICT_INT_STR, weight=0.5)
    table.add(T.PAIRS, "list({0:t}.items())", T.DICT_STR_INT, weight=0.7)
    table.add(T.PAIRS, "sorted({0:t}.items())", T.DICT_STR_INT, weight=0.6)
    table.add(T.INT, "sum({0:t}.values())", T.DICT_STR_INT, weight=1)
    table.many(T.INT, "max({0:t}.values()) ; min({0:t}.values())", T.DICT_STR_INT, risky=True, weight=0.5)
    table.many(T.STR, "max({0}, key={0:t}.get) ; min({0}, key={0:t}.get)", T.DICT_STR_INT, risky=True, weight=0.4)
    table.many(T.DICT_INT_STR, "{v: k for k, v in {0:t}.items()}", T.DICT_STR_INT, weight=0.6)
    table.many(T.DICT_STR_INT, "{v: k for k, v in {0:t}.items()}", T.DICT_INT_STR, weight=0.5)
    table.many(T.DICT_STR_INT,
               "{k: v + {1:10} for k, v in {0:t}.items()} ; {k: v for k, v in {0:t}.items() if v > {1:5}} ; "
               "{k: v * {1:11} for k, v in {0:t}.items()} ; {k.upper(): v for k, v in {0:t}.items() if v != {1:5}}",
               T.DICT_STR_INT, "element", weight=0.4)
    table.many(T.DICT_STR_INT, "{w: len(w) for w in {0:1}} ; {w: i for i, w in enumerate({0})} ; dict.fromkeys({0}, 0)",
               T.LIST_STR, weight=0.5)
    table.many(T.DICT_STR_INT, "{ch: {0:t}.count(ch) for ch in {0:1}} ; {ch: ord(ch) for ch in {0:1}}", "key",
               weight=0.3)
    table.add(T.DICT_STR_INT, "dict(zip({0}, {1}))", T.LIST_STR, T.LIST_INT, weight=0.7)
    table.add(T.DICT_STR_INT, "dict({0})", T.PAIRS, weight=0.5)
    table.add(T.DICT_STR_INT, "{{0}: {1}}", "key", T.INT, weight=0.3)
    table.add(T.INT, "sum([len(v) for v in {0:t}.values()])", T.DICT_STR_LIST, weight=0.4)
    table.add(T.DICT_STR_INT, "{k: sum(v) for k, v in {0:t}.items()}", T.DICT_STR_LIST, weight=0.5)
    table.add(T.DICT_STR_INT, "dict(collections.Counter({0}))", T.STR, module="import collections", weight=0.15)
    table.add(T.BOOL, "isinstance({0}, dict)", T.DICT_STR_INT, weight=0.1)


def _sets(table: O.Table) -> None:
    for set_, item, kind in ((T.SET_INT, T.INT, "element"), (T.SET_STR, T.STR, "key")):
        common = 1.0 if set_ == T.SET_INT else 0.7
        for symbol, level in (("&", O.BIT_AND), ("|", O.BIT_OR), ("^", O.BIT_XOR), ("-", O.ADD)):
            table.binary(set_, symbol, set_, set_, level, weight=1.0 * common)
        table.many(set_, "{0:t}.union({1}) ; {0:t}.intersection({1}) ; {0:t}.difference({1}) ; {0:t}.symmetric_difference({1})",
                   set_, set_, weight=0.9 * common)
        table.many(T.BOOL, "{0:t}.issubset({1}) ; {0:t}.issuperset({1}) ; {0:t}.isdisjoint({1})", set_, set_,
                   weight=0.9 * common)
        table.many(T.BOOL, "{0:5} <= {1:5} ; {0:5} < {1:5} ; {0:5} == {1:5} ; {0:5} >= {1:5}", set_, set_,
                   level=O.COMPARE, weight=0.4 * common)
        table.many(T.BOOL, "{1:5} in {0:5} ; {1:5} not in {0:5}", set_, kind, level=O.COMPARE, weight=common)
        table.add(T.INT, "len({0})", set_, weight=common)
        table.add(set_, "{0:t}.copy()", set_, weight=0.3)
        table.add(T.LIST_INT if item == T.INT else T.LIST_STR, "sorted({0})", set_, weight=common)
    table.add(T.SET_INT, "{n % {1:11} for n in {0:1}}", T.LIST_INT, "base", weight=0.4)
    table.add(T.SET_INT, "{n for n in {0:1} if n > {1:5}}", T.LIST_INT, "element", weight=0.3)
    table.add(T.SET_STR, "{w[0] for w in {0:1} if w}", T.LIST_STR, weight=0.3)
    table.add(T.SET_INT, "{len(w) for w in {0:1}}", T.LIST_STR, weight=0.4)
    table.add(T.SET_STR, "{ch.lower() for ch in {0:1}}", "key", weight=0.3)
    table.add(T.SET_INT, "set(range({0}))", "count", weight=0.2)
    table.add(T.INT, "len(frozenset({0}))", T.LIST_INT, weight=0.1)


def mapping_operations() -> list[O.Operation]:
    table = O.Table("mapping")
    for fill in (_dictionaries, _sets):
        fill(table)
    return table.operations
