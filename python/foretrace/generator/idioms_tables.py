"""Dictionary, set and nested-list idioms: counting, grouping, inverting, flattening, rows and columns."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .loops import chosen


def histogram(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    sequence = chosen(builder, last, T.STR, T.LIST_STR, T.LIST_INT)
    counts = builder.local(T.DICT_STR_INT if sequence.type != T.LIST_INT else "dict[int, int]", "{}",
                           builder.names.accumulator(T.DICT_STR_INT))
    item = builder.names.element("char" if sequence.type == T.STR else T.ELEMENT[sequence.type])
    key = item
    if rng.random() < 0.35:
        key = rng.choice((f"{item}.lower()", f"len({item})",
                          f"{item}[:1]")) if sequence.type != T.LIST_INT else rng.choice((f"{item} % 3",
                                                                                          f"{item} // 10"))
    with builder.block(f"for {item} in {sequence.name}:"):
        part = rng.random()
        if part < 0.4:
            builder.emit(f"{counts.name}[{key}] = {counts.name}.get({key}, 0) + 1")
        elif part < 0.7:
            with builder.block(f"if {key} not in {counts.name}:"):
                builder.emit(f"{counts.name}[{key}] = 0")
            builder.emit(f"{counts.name}[{key}] += 1")
        else:
            with builder.block(f"if {key} in {counts.name}:"):
                builder.emit(f"{counts.name}[{key}] += 1")
            with builder.block("else:"):
                builder.emit(f"{counts.name}[{key}] = 1")
    part = rng.random()
    if part < 0.2:
        listed = T.LIST_INT if sequence.type == T.LIST_INT or key.startswith("len") else T.LIST_STR
        return builder.local(listed, f"[k for k, v in {counts.name}.items() if v > 1]",
                             builder.names.fresh(("repeated", "twice", "common")))
    if part < 0.35:
        return builder.local(T.INT, f"max({counts.name}.values(), default=0)",
                             builder.names.fresh(("top", "most", "peak")))
    if part < 0.45:
        return builder.local(T.PAIRS, f"sorted({counts.name}.items(), key=lambda kv: (-kv[1], kv[0]))",
                             builder.names.fresh(("ranked", "ordered")))
    return counts


def group_by(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    sequence = chosen(builder, last, T.LIST_STR, T.LIST_INT, T.PAIRS)
    kind = T.DICT_STR_LIST if sequence.type == T.PAIRS else "dict"
    groups = builder.local(kind, "{}", builder.names.accumulator(T.DICT_STR_LIST))
    if sequence.type == T.PAIRS:
        key, item = builder.names.element("key"), builder.names.element(T.INT)
        header = f"for {key}, {item} in {sequence.name}:"
    else:
        item = builder.names.element(T.ELEMENT[sequence.type])
        key = rng.choice((f"len({item})", f"{item}[:1]",
                          f"{item}.isalpha()")) if sequence.type == T.LIST_STR else rng.choice(
            (f"{item} % 2", f"{item} % 3", f"{item} // 10", f"{item} > 20"))
        header = f"for {item} in {sequence.name}:"
    with builder.block(header):
        part = rng.random()
        if part < 0.4:
            builder.emit(f"{groups.name}.setdefault({key}, []).append({item})")
        elif part < 0.7:
            with builder.block(f"if {key} not in {groups.name}:"):
                builder.emit(f"{groups.name}[{key}] = []")
            builder.emit(f"{groups.name}[{key}].append({item})")
        else:
            builder.emit(f"{groups.name}[{key}] = {groups.name}.get({key}, []) + [{item}]")
    if rng.random() < 0.3:
        return builder.local(T.DICT_STR_INT, f"{{k: len(v) for k, v in {groups.name}.items()}}")
    return groups


def dedupe(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    sequence = chosen(builder, last, T.LIST_INT, T.LIST_STR, T.STR)
    item_type = T.ELEMENT[sequence.type]
    out = builder.local(T.LIST_INT if item_type == T.INT else T.LIST_STR, "[]", builder.names.accumulator(T.LIST_INT))
    item = builder.names.element("char" if sequence.type == T.STR else item_type)
    if rng.random() < 0.5:
        seen = builder.local(T.SET_INT if item_type == T.INT else T.SET_STR, "set()",
                             builder.names.accumulator(T.SET_INT))
        with builder.block(f"for {item} in {sequence.name}:"):
            with builder.block(f"if {item} {rng.choice(('not in', 'not in', 'in'))} {seen.name}:"):
                builder.emit(f"{out.name}.append({item})")
            builder.emit(f"{seen.name}.add({item})")
    else:
        with builder.block(f"for {item} in {sequence.name}:"):
            with builder.block(f"if {item} in {out.name}:"):
                builder.emit(rng.choice(("continue", f"{out.name}.remove({item})")))
            builder.emit(f"{out.name}.append({item})")
    return out


def invert(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    table = chosen(builder, last, T.DICT_STR_INT, T.DICT_INT_STR)
    result_type = T.DICT_INT_STR if table.type == T.DICT_STR_INT else T.DICT_STR_INT
    out = builder.local(result_type, "{}", builder.names.accumulator(result_type))
    key, value = builder.names.fresh(("k", "key_", "name")), builder.names.fresh(("v", "value", "val"))
    with builder.block(f"for {key}, {value} in {table.name}.items():"):
        if rng.random() < 0.5:
            with builder.block(f"if {value} {rng.choice(('not in', 'in'))} {out.name}:"):
                builder.emit(rng.choice(("continue", f"{key} = {key} * 2")))
        builder.emit(f"{out.name}[{value}] = {key}")
    return out


def flatten(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    matrix = chosen(builder, last, T.MATRIX)
    row, item = builder.names.element(T.LIST_INT), builder.names.element(T.INT)
    if rng.random() < 0.5:
        out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
        with builder.block(f"for {row} in {matrix.name}:"):
            if rng.random() < 0.3:
                builder.emit(f"{out.name}.extend({rng.choice((row, f'{row}[::-1]', f'sorted({row})'))})")
            else:
                with builder.block(f"for {item} in {row}:"):
                    if rng.random() < 0.5:
                        with builder.block(f"if {builder.condition_on(builder.bind(item, T.INT))}:"):
                            builder.emit(f"{out.name}.append({item})")
                    else:
                        builder.emit(f"{out.name}.append({item})")
        return out
    total = builder.local(T.INT, "0", builder.names.accumulator(T.INT))
    with builder.block(f"for {row} in {matrix.name}:"):
        with builder.block(f"for {item} in {row}:"):
            variable = builder.bind(item, T.INT)
            builder.emit(f"{total.name} += {builder.on(variable, T.INT, 0.9) or item}")
    return total


def rows(builder: Builder, last: Variable | None) -> Variable:
    """One value for each row, or columns by index."""
    rng = builder.rng
    if rng.random() < 0.6:
        matrix = chosen(builder, last, T.MATRIX)
        out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
        row = builder.names.element(T.LIST_INT)
        with builder.block(f"for {row} in {matrix.name}:"):
            variable = builder.bind(row, T.LIST_INT)
            builder.emit(f"{out.name}.append({rng.choice((f'sum({row})', f'max({row})', f'len({row})', builder.on(variable, T.INT, 0.9) or row))})")
        return out
    height, width = rng.randrange(1, 4), rng.randrange(1, 4)
    grid = [[rng.randrange(10) for _ in range(width)] for _ in range(height)]
    matrix = (builder.parameter(T.MATRIX, grid) if len(builder.parameters) < builder.parameter_limit
              else builder.local(T.MATRIX, repr(grid)))
    out = builder.local(T.MATRIX, "[]", builder.names.accumulator(T.MATRIX))
    j, row = builder.names.fresh(("j", "col", "c")), builder.names.fresh(("r", "row", "line"))
    with builder.block(f"for {j} in range(len({matrix.name}[0])):"):
        builder.emit(f"{out.name}.append([{row}[{j}]{rng.choice(('', '', ' * 2', ' + 1'))} for {row} in {matrix.name}])")
    return out


def grid_loop(builder: Builder, last: Variable | None) -> Variable:
    """Two nested ranges."""
    rng = builder.rng
    out = (builder.local(T.INT, "0", builder.names.accumulator(T.INT)) if rng.random() < 0.5
           else builder.local(T.MATRIX, "[]", builder.names.accumulator(T.MATRIX)))
    i, j = builder.names.fresh(("i", "row", "y")), builder.names.fresh(("j", "col", "x"))
    cell = rng.choice((f"{i} * {j}", f"{i} + {j}", f"{i} - {j}", f"{i} * 10 + {j}", f"({i} + {j}) % 2",
                       f"max({i}, {j})"))
    with builder.block(f"for {i} in range({rng.randrange(2, 4)}):"):
        line = builder.names.fresh(("line", "cells", "current"))
        if out.type == T.MATRIX:
            builder.emit(f"{line} = []")
        with builder.block(f"for {j} in range({rng.choice((i + ' + 1', str(rng.randrange(2, 4)), str(rng.randrange(2, 4))))}):"):
            if rng.random() < 0.3:
                with builder.block(f"if {rng.choice((f'{i} == {j}', f'{j} > {i}', f'({i} + {j}) % 2'))}:"):
                    builder.emit(rng.choice(("continue", "break", "continue")))
            builder.emit(f"{line}.append({cell})" if out.type == T.MATRIX else f"{out.name} += {cell}")
        if out.type == T.MATRIX:
            builder.emit(f"{out.name}.append({line})")
    return out


def merge_tables(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    first, second = builder.source(T.DICT_STR_INT), builder.source(T.DICT_STR_INT)
    out = builder.local(T.DICT_STR_INT, rng.choice((f"dict({first.name})", f"{first.name}.copy()", "{}")),
                        builder.names.accumulator(T.DICT_STR_INT))
    key, value = builder.names.fresh(("k", "key_", "name")), builder.names.fresh(("v", "value", "amount_"))
    with builder.block(f"for {key}, {value} in {second.name}.items():"):
        part = rng.random()
        if part < 0.5:
            builder.emit(f"{out.name}[{key}] = {out.name}.get({key}, {rng.randrange(3)}) {rng.choice('+-*')} {value}")
        else:
            with builder.block(f"if {key} in {out.name}:"):
                builder.emit(f"{out.name}[{key}] {rng.choice(('+=', '-='))} {value}")
            with builder.block("else:"):
                builder.emit(f"{out.name}[{key}] = {value}")
    return out


def common_items(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    type_ = rng.choice((T.LIST_INT, T.LIST_STR, T.STR))
    first, second = builder.source(type_), builder.source(type_)
    name = builder.names.fresh(("common", "shared", "both", "missing"))
    a, b = f"set({first.name})", f"set({second.name})"
    return builder.local(T.LIST_INT if type_ == T.LIST_INT else T.LIST_STR, f"sorted({a} {rng.choice('&|-^')} {b})",
                         name)


TABLE_IDIOMS = (histogram, histogram, group_by, dedupe, invert, flatten, rows, grid_loop, merge_tables, common_items)
