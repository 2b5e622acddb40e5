"""Operations on integers, floats and booleans."""

from __future__ import annotations

from . import operations as O
from . import types as T


def _arithmetic(table: O.Table) -> None:
    for symbol, level in (("+", O.ADD), ("-", O.ADD), ("*", O.MULTIPLY)):
        table.binary(T.INT, symbol, T.INT, T.INT, level, weight=3)
        table.binary(T.FLOAT, symbol, T.FLOAT, T.FLOAT, level)
        table.binary(T.FLOAT, symbol, T.FLOAT, T.INT, level, weight=0.5)
    for symbol in ("//", "%"):
        table.binary(T.INT, symbol, T.INT, "nonzero", O.MULTIPLY, weight=3)
        table.binary(T.FLOAT, symbol, T.FLOAT, "nonzero", O.MULTIPLY, weight=0.3)
    table.binary(T.FLOAT, "/", T.INT, "nonzero", O.MULTIPLY, weight=0.8)
    table.binary(T.FLOAT, "/", T.FLOAT, "nonzero", O.MULTIPLY, weight=0.3)
    table.add(T.INT, "{0:13} ** {1:12}", "digit", "exponent", level=O.POWER)
    table.add(T.INT, "-{0:12}", T.INT, level=O.UNARY)
    table.add(T.FLOAT, "-{0:12}", T.FLOAT, level=O.UNARY, weight=0.5)
    table.add(T.INT, "+{0:12}", T.INT, level=O.UNARY, weight=0.1)
    table.add(T.INT, "~{0:12}", T.INT, level=O.UNARY, weight=0.4)
    for symbol, level in (("&", O.BIT_AND), ("|", O.BIT_OR), ("^", O.BIT_XOR)):
        table.binary(T.INT, symbol, "positive", "positive", level, weight=0.7)
        table.binary(T.BOOL, symbol, T.BOOL, T.BOOL, level, weight=0.3)
    for symbol in ("<<", ">>"):
        table.binary(T.INT, symbol, "positive", "shift", O.SHIFT, weight=0.7)


def _comparisons(table: O.Table) -> None:
    for symbol in ("==", "!=", "<", "<=", ">", ">="):
        for left, right, weight in ((T.INT, T.INT, 2), (T.FLOAT, T.FLOAT, 0.5), (T.FLOAT, T.INT, 0.3)):
            table.add(T.BOOL, f"{{0:5}} {symbol} {{1:5}}", left, right, level=O.COMPARE, weight=weight)
    for first, second in (("<", "<"), ("<=", "<"), ("<", "<="), ("<=", "<="), (">", ">=")):
        table.add(T.BOOL, f"{{0:5}} {first} {{1:5}} {second} {{2:5}}", T.INT, T.INT, T.INT, level=O.COMPARE, weight=0.7)
    table.add(T.BOOL, "{0:10} % {1:11} == 0", T.INT, "nonzero", level=O.COMPARE, weight=2)
    table.add(T.BOOL, "{0:10} % 2 == 1", T.INT, level=O.COMPARE, weight=1)
    table.add(T.BOOL, "{0:2} and {1:3}", T.BOOL, T.BOOL, level=O.AND)
    table.add(T.BOOL, "{0:1} or {1:2}", T.BOOL, T.BOOL, level=O.OR)
    table.add(T.BOOL, "not {0:3}", T.BOOL, level=O.NOT)
    table.add(T.INT, "{0:1} or {1:2}", T.INT, T.INT, level=O.OR, weight=0.3)
    table.add(T.INT, "{0:2} and {1:3}", T.INT, T.INT, level=O.AND, weight=0.3)
    table.add(T.BOOL, "{0:5} is None", T.OPTIONAL_INT, level=O.COMPARE, weight=0.4)
    table.add(T.BOOL, "{0:5} is not None", T.OPTIONAL_INT, level=O.COMPARE, weight=0.4)
    table.add(T.INT, "{0:1} if {0:5} is not None else {1:0}", T.OPTIONAL_INT, T.INT, level=O.TERNARY, weight=0.1)
    table.add(T.BOOL, "isinstance({0}, int)", T.INT, weight=0.2)
    table.add(T.BOOL, "isinstance({0}, (int, float))", T.FLOAT, weight=0.2)
    table.add(T.BOOL, "isinstance({0}, str)", T.STR, weight=0.2)
    table.add(T.BOOL, "callable({0})", T.INT, weight=0.05)


def _choices(table: O.Table) -> None:
    for type_, weight in ((T.INT, 1.0), (T.STR, 0.7), (T.FLOAT, 0.3), (T.LIST_INT, 0.3)):
        table.add(type_, "{0:1} if {1:1} else {2:0}", type_, T.BOOL, type_, level=O.TERNARY, weight=weight)
    table.add(T.INT, "{0:1} if {0:5} > {1:5} else {1:0}", T.INT, T.INT, level=O.TERNARY, weight=0.8)
    table.add(T.STR, "'even' if {0:10} % 2 == 0 else 'odd'", T.INT, level=O.TERNARY, weight=0.5)


def _builtins(table: O.Table) -> None:
    table.many(T.INT, "abs({0}) ; int({0})", T.INT, weight=0.6)
    table.many(T.INT, "max({0}, {1}) ; min({0}, {1})", T.INT, T.INT, weight=1.3)
    table.many(T.INT, "max({0}, {1}, {2}) ; min({0}, {1}, {2})", T.INT, T.INT, T.INT, weight=0.4)
    table.many(T.FLOAT, "max({0}, {1}) ; min({0}, {1})", T.FLOAT, T.FLOAT, weight=0.5)
    table.many(T.FLOAT, "abs({0}) ; float({0})", T.FLOAT, weight=0.3)
    table.add(T.FLOAT, "float({0})", T.INT, weight=0.6)
    table.many(T.INT, "int({0}) ; round({0})", T.FLOAT, weight=0.7)
    table.add(T.FLOAT, "round({0}, {1})", T.FLOAT, "places")
    table.add(T.FLOAT, "round({0:10} / {1:11}, {2})", T.INT, "nonzero", "places")
    table.add(T.INT, "pow({0}, {1})", "digit", "exponent", weight=0.7)
    table.add(T.INT, "pow({0}, {1}, {2})", "positive", "exponent", "base", weight=0.3)
    table.add(T.PAIR_INT, "divmod({0}, {1})", T.INT, "nonzero")
    table.many(T.STR, "str({0}) ; repr({0})", T.INT)
    table.add(T.STR, "str({0})", T.FLOAT, weight=0.6)
    table.add(T.STR, "str({0})", T.BOOL, weight=0.3)
    table.many(T.STR, "bin({0}) ; hex({0}) ; oct({0})", "positive", weight=0.6)
    table.add(T.STR, "chr({0})", "code")
    table.add(T.INT, "ord({0})", "letter")
    table.many(T.BOOL, "bool({0})", T.INT, weight=0.5)
    table.add(T.INT, "int({0})", T.BOOL, weight=0.4)
    table.add(T.INT, "{0:9} + {1:10}", T.BOOL, T.BOOL, level=O.ADD, weight=0.2)
    table.add(T.INT, "int({0})", "number_text")
    table.add(T.FLOAT, "float({0})", "float_text", weight=0.6)
    table.add(T.INT, "int({0}, 2)", "binary_text", weight=0.7)
    table.add(T.INT, "int({0}, 16)", "hex_text", weight=0.5)
    table.add(T.INT, "{0:t}.bit_length()", "positive", weight=0.4)
    table.add(T.INT, "{0:t}.conjugate()", T.INT, weight=0.05)
    table.add(T.INT, "{0:t}.real + {0:t}.imag", T.INT, level=O.ADD, weight=0.05)
    table.add(T.BOOL, "{0:t}.is_integer()", T.FLOAT, weight=0.4)
    table.add(T.PAIR_INT, "{0:t}.as_integer_ratio()", "positive_float", weight=0.2)
    table.add(T.BYTES, "{0:t}.to_bytes(2, 'big')", "positive", weight=0.15)
    table.add(T.INT, "int.from_bytes({0}, 'big')", T.BYTES, weight=0.05)
    table.add(T.STR, "type({0}).__name__", T.INT, weight=0.2)
    table.add(T.STR, "type({0}).__name__", T.FLOAT, weight=0.1)


def _math(table: O.Table) -> None:
    table.many(T.INT, "math.gcd({0}, {1}) ; math.lcm({0}, {1})", "positive", "positive", module="import math",
               weight=0.4)
    table.many(T.INT, "math.floor({0}) ; math.ceil({0})", T.FLOAT, module="import math", weight=0.4)
    table.add(T.INT, "math.isqrt({0})", "positive", module="import math", weight=0.4)
    table.add(T.FLOAT, "math.sqrt({0:11} ** 2)", "digit", module="import math", weight=0.1)
    table.add(T.INT, "math.factorial({0})", "shift", module="import math", weight=0.3)
    table.add(T.INT, "math.comb({0}, {1})", "digit", "shift", module="import math", weight=0.2)
    table.add(T.INT, "math.prod({0})", T.LIST_INT, module="import math", weight=0.2)
    table.add(T.FLOAT, "math.fabs({0})", T.INT, module="import math", weight=0.15)
    table.add(T.FLOAT, "round(math.pi * {0:11}, 2)", "digit", module="import math", weight=0.1)
    table.add(T.FLOAT, "round(math.log({0}), 2)", "positive", module="import math", weight=0.06)
    table.add(T.FLOAT, "round(math.exp({0}), 1)", "shift", module="import math", weight=0.06)
    table.add(T.BOOL, "{0:5} < math.inf", T.INT, level=O.COMPARE, module="import math", weight=0.08)


def number_operations() -> list[O.Operation]:
    table = O.Table("number")
    for fill in (_arithmetic, _comparisons, _choices, _builtins, _math):
        fill(table)
    return table.operations
