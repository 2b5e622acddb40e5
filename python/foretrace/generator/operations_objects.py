"""Operations on less common objects: views, bytes arrays, attributes, copies, JSON, ordered dictionaries."""

from __future__ import annotations

from . import operations as O
from . import types as T


def object_operations() -> list[O.Operation]:
    table = O.Table("object")
    table.many("view", "{0:t}.keys() ; {0:t}.values() ; {0:t}.items()", T.DICT_STR_INT, weight=0.5)
    table.many("view", "{0:t}.keys() ; {0:t}.values()", T.DICT_INT_STR, weight=0.2)
    table.many("other", "range({0}) ; bytearray({0}) ; complex({0}, 1)", "count", weight=0.15)
    table.add("other", "frozenset({0})", T.LIST_INT, weight=0.15)
    table.add(T.BYTES, "bytes([{0}, {1}])", "code", "code", weight=0.1)
    table.many(T.BOOL, "hasattr({0}, 'upper') ; hasattr({0}, 'append')", T.STR, weight=0.15)
    table.many(T.STR, "getattr({0}, {1})()", T.STR, "method_name", weight=0.2)
    table.add(T.STR, "{0:t}.__class__.__name__", T.LIST_INT, weight=0.1)
    table.many(T.BOOL, "issubclass(type({0}), int) ; isinstance({0}, object)", T.INT, weight=0.08)
    table.add(T.BOOL, "issubclass(bool, int) and {0:3}", T.BOOL, level=O.AND, weight=0.05)
    table.many(T.MATRIX, "copy.deepcopy({0}) ; [list(row) for row in {0:1}]", T.MATRIX, module="import copy",
               weight=0.15)
    table.many(T.STR, "json.dumps({0})", T.LIST_INT, module="import json", weight=0.1)
    table.many(T.STR, "json.dumps({0})", T.DICT_STR_INT, module="import json", weight=0.1)
    table.add(T.LIST_INT, "json.loads({0})", "json_text", module="import json", weight=0.1)
    table.add(T.PAIRS, "list(OrderedDict({0}).items())", T.DICT_STR_INT, module="from collections import OrderedDict",
              weight=0.1)
    table.add(T.LIST_STR, "[m.group() for m in re.finditer(r'[a-z]+', {0})]", T.STR, module="import re", weight=0.06)
    table.add(T.LIST_STR, "re.compile(r'\\d').findall({0})", T.STR, module="import re", weight=0.06)
    table.add(T.LIST_STR, "re.split(r'[,;]', {0})", "delimited", module="import re", weight=0.08)
    table.add(T.INT, "int.from_bytes({0}, 'big') % 100", T.BYTES, level=O.MULTIPLY, weight=0.06)
    table.add(T.BOOL, "{0:5} == math.nan", T.FLOAT, level=O.COMPARE, module="import math", weight=0.05)
    table.add(T.INT, "sorted({0}, key=operator.neg)[0]", "filled_ints", module="import operator", weight=0.06)
    table.add(T.INT, "next(iter({0}), {1})", T.LIST_INT, T.INT, weight=0.2)
    table.add(T.STR, "str({0})", T.PAIR_INT, weight=0.1)
    table.add(T.INT, "{0:t}.count({1})", T.BYTES, "code", weight=0.05)
    return table.operations
