"""Statements that change a variable: mutating methods, item assignment, deletion, augmented assignment.

Every statement's first hole is the variable that it changes (hole 0).
"""

from __future__ import annotations

from . import operations as O
from . import types as T


def _augmented(table: O.Table) -> None:
    for symbol in ("+=", "-=", "*="):
        table.add(T.NONE, f"{{0}} {symbol} {{1}}", T.INT, T.INT, weight=2)
        table.add(T.NONE, f"{{0}} {symbol} {{1}}", T.FLOAT, T.FLOAT, weight=0.5)
    for symbol in ("//=", "%="):
        table.add(T.NONE, f"{{0}} {symbol} {{1}}", T.INT, "nonzero", weight=1)
    table.add(T.NONE, "{0} /= {1}", T.FLOAT, "nonzero", weight=0.5)
    table.add(T.NONE, "{0} **= {1}", "digit", "exponent", weight=0.5)
    for symbol in ("&=", "|=", "^="):
        table.add(T.NONE, f"{{0}} {symbol} {{1}}", "positive", "positive", weight=0.4)
        table.add(T.NONE, f"{{0}} {symbol} {{1}}", T.SET_INT, T.SET_INT, weight=0.4)
    for symbol in ("<<=", ">>="):
        table.add(T.NONE, f"{{0}} {symbol} {{1}}", "positive", "shift", weight=0.4)
    table.add(T.NONE, "{0} += {1}", T.STR, T.STR, weight=2)
    table.add(T.NONE, "{0} *= {1}", T.STR, "count", weight=0.5)
    table.add(T.NONE, "{0} += {1}", T.LIST_INT, T.LIST_INT, weight=0.7)
    table.add(T.NONE, "{0} += [{1}]", T.LIST_INT, T.INT, weight=0.7)
    table.add(T.NONE, "{0} *= {1}", T.LIST_INT, "shift", weight=0.2)
    table.add(T.NONE, "{0} |= {1}", T.DICT_STR_INT, T.DICT_STR_INT, weight=0.2)


def _lists(table: O.Table) -> None:
    for list_, item, kind in ((T.LIST_INT, T.INT, "element"), (T.LIST_STR, T.STR, "key"),
                              (T.MATRIX, T.LIST_INT, T.LIST_INT)):
        common = {T.LIST_INT: 1.0, T.LIST_STR: 0.8}.get(list_, 0.3)
        table.add(T.NONE, "{0}.append({1})", list_, item, weight=2 * common)
        table.add(T.NONE, "{0}.extend({1})", list_, list_, weight=0.8 * common)
        table.add(T.NONE, "{0}.insert({1}, {2})", list_, "index", item, weight=common)
        table.add(T.NONE, "{0}.remove({1})", list_, kind, risky=True, weight=0.7 * common)
        table.add(T.NONE, "{0}.pop()", list_, risky=True, weight=0.6 * common)
        table.add(T.NONE, "{0}.pop({1})", list_, "index", risky=True, weight=0.6 * common)
        table.add(T.NONE, "{0}.reverse()", list_, weight=0.7 * common)
        table.add(T.NONE, "{0}.sort()", list_, weight=common)
        table.add(T.NONE, "{0}.clear()", list_, weight=0.2 * common)
        table.add(T.NONE, "{0}[{1}] = {2}", list_, "index", item, risky=True, weight=1.2 * common)
        table.add(T.NONE, "del {0}[{1}]", list_, "index", risky=True, weight=0.6 * common)
        table.add(T.NONE, "del {0}[:{1}]", list_, "count", weight=0.2 * common)
        table.add(T.NONE, "{0}[{1}:{2}] = {3}", list_, "count", "count", list_, weight=0.3 * common)
        table.add(T.NONE, "{0}[{1}], {0}[{2}] = {0}[{2}], {0}[{1}]", list_, "index", "index", risky=True,
                  weight=0.5 * common)
    table.many(T.NONE, "{0}.sort(reverse=True) ; {0}.sort(key=abs)", T.LIST_INT, weight=0.3)
    table.many(T.NONE, "{0}.sort(key=len) ; {0}.sort(reverse=True)", T.LIST_STR, weight=0.3)
    table.add(T.NONE, "{0}[{1}] += {2}", T.LIST_INT, "index", T.INT, risky=True, weight=0.8)
    table.add(T.NONE, "{0}.append(({1}, {2}))", T.PAIRS, "key", T.INT, weight=0.3)
    table.add(T.NONE, "{0}.extend({1})", T.LIST_STR, T.STR, weight=0.2)
    table.many(T.NONE, "{0}[0].append({1}) ; {0}[-1][0] = {1}", T.MATRIX, T.INT, risky=True, weight=0.4)
    table.add(T.NONE, "bisect.insort({0}, {1})", T.LIST_INT, T.INT, module="import bisect", weight=0.1)
    table.many(T.NONE, "heapq.heapify({0})", T.LIST_INT, module="import heapq", weight=0.1)


def _mappings(table: O.Table) -> None:
    for dict_, kind, value in ((T.DICT_STR_INT, "key", T.INT), (T.DICT_INT_STR, "element", T.STR),
                               (T.DICT_STR_LIST, "key", T.LIST_INT)):
        common = 1.0 if dict_ == T.DICT_STR_INT else 0.4
        table.add(T.NONE, "{0}[{1}] = {2}", dict_, kind, value, weight=2 * common)
        table.add(T.NONE, "{0}.update({1})", dict_, dict_, weight=0.6 * common)
        table.add(T.NONE, "{0}.update({{1}: {2}})", dict_, kind, value, weight=0.3 * common)
        table.add(T.NONE, "{0}.setdefault({1}, {2})", dict_, kind, value, weight=0.7 * common)
        table.add(T.NONE, "del {0}[{1}]", dict_, kind, risky=True, weight=0.5 * common)
        table.add(T.NONE, "{0}.pop({1})", dict_, kind, risky=True, weight=0.4 * common)
        table.add(T.NONE, "{0}.pop({1}, None)", dict_, kind, weight=0.6 * common)
        table.add(T.NONE, "{0}.popitem()", dict_, risky=True, weight=0.3 * common)
        table.add(T.NONE, "{0}.clear()", dict_, weight=0.1 * common)
    table.add(T.NONE, "{0}[{1}] += {2}", T.DICT_STR_INT, "key", T.INT, risky=True, weight=0.5)
    table.add(T.NONE, "{0}[{1}] = {0}.get({1}, 0) + {2:10}", T.DICT_STR_INT, "key", T.INT, weight=1)
    table.add(T.NONE, "{0}.setdefault({1}, []).append({2})", T.DICT_STR_LIST, "key", T.INT, weight=0.6)
    table.add(T.NONE, "{0}[{1}].append({2})", T.DICT_STR_LIST, "key", T.INT, risky=True, weight=0.6)


def _sets(table: O.Table) -> None:
    for set_, item, kind in ((T.SET_INT, T.INT, "element"), (T.SET_STR, "key", "key")):
        table.add(T.NONE, "{0}.add({1})", set_, item, weight=1)
        table.add(T.NONE, "{0}.discard({1})", set_, kind, weight=0.6)
        table.add(T.NONE, "{0}.remove({1})", set_, kind, risky=True, weight=0.4)
        table.many(T.NONE, "{0}.update({1}) ; {0}.intersection_update({1}) ; {0}.difference_update({1}) ; {0}.symmetric_difference_update({1})",
                   set_, set_, weight=0.6)
        table.add(T.NONE, "{0}.clear()", set_, weight=0.1)


def change_operations() -> list[O.Operation]:
    table = O.Table("change")
    for fill in (_augmented, _lists, _mappings, _sets):
        fill(table)
    return table.operations
