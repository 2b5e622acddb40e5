"""Statement shapes of drills beyond one operation: unpacking, swapping, a short loop, a branch, chained targets.

Each shape writes its lines and gives the variable that holds the result, or None.
"""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable


def _known(builder: Builder, last: Variable | None, kind: str) -> Variable:
    if last is not None and last.type == kind and builder.rng.random() < 0.6:
        return last
    return builder.source(kind)


def unpack_pair(builder: Builder, last: Variable | None) -> Variable:
    pair = _known(builder, last, T.PAIR_INT)
    first, second = builder.names.variable(T.INT), builder.names.variable(T.INT)
    builder.emit(f"{first}, {second} = {pair.name}")
    builder.bind(first, T.INT)
    return builder.bind(second, T.INT)


def unpack_star(builder: Builder, last: Variable | None) -> Variable:
    numbers = _known(builder, last, "filled_ints")
    first = builder.names.variable(T.INT)
    rest = builder.names.variable(T.LIST_INT)
    if builder.rng.random() < 0.5:
        builder.emit(f"{first}, *{rest} = {numbers.name}")
    else:
        builder.emit(f"*{rest}, {first} = {numbers.name}")
    builder.bind(first, T.INT)
    return builder.bind(rest, T.LIST_INT)


def unpack_divmod(builder: Builder, last: Variable | None) -> Variable:
    number = _known(builder, last, T.INT)
    quotient, rest = builder.names.fresh(("q", "quotient", "tens", "high")), builder.names.fresh(("r", "rest", "ones",
                                                                                                  "low"))
    builder.emit(f"{quotient}, {rest} = divmod({number.name}, {builder.pool.literal('nonzero')})")
    builder.bind(quotient, T.INT)
    return builder.bind(rest, T.INT)


def swap(builder: Builder, last: Variable | None) -> Variable:
    type_ = builder.rng.choice((T.INT, T.STR, T.LIST_INT))
    first = _known(builder, last, type_)
    others = [v for v in builder.of_type(type_) if v is not first]
    second = others[0] if others else builder.local(type_, builder.pool.literal(type_))
    builder.emit(f"{first.name}, {second.name} = {second.name}, {first.name}")
    return first


def two_targets(builder: Builder, last: Variable | None) -> Variable:
    number = _known(builder, last, T.INT)
    text = builder.text(T.INT)
    a, b = builder.names.variable(T.INT), builder.names.variable(T.INT)
    builder.bind(a, T.INT)
    if builder.rng.random() < 0.6:
        builder.emit(f"{a}, {b} = {number.name} {builder.rng.choice('+-*')} {builder.rng.randrange(1, 9)}, {text}")
    else:
        builder.emit(f"{a} = {b} = {number.name} * 2")
    return builder.bind(b, T.INT)


def if_else(builder: Builder, last: Variable | None) -> Variable:
    tested = last or builder.source(builder.rng.choice((T.INT, T.STR, T.LIST_INT)))
    type_ = builder.rng.choice((T.INT, T.STR))
    name = builder.names.accumulator(type_)
    condition = builder.condition_on(tested)
    with builder.block(f"if {condition}:"):
        builder.emit(f"{name} = {builder.text(type_)}")
    with builder.block("else:"):
        builder.emit(f"{name} = {builder.text(type_)}")
    return builder.bind(name, type_)


def if_only(builder: Builder, last: Variable | None) -> Variable:
    variable = last if last is not None and last.type in (T.INT, T.STR) else builder.source(T.INT)
    with builder.block(f"if {builder.condition_on(variable)}:"):
        builder.emit(f"{variable.name} {'+=' if builder.rng.random() < 0.7 or variable.type == T.STR else '-='} "
                     f"{builder.constant(variable.type)[0]}")
    return variable


def sum_loop(builder: Builder, last: Variable | None) -> Variable:
    numbers = _known(builder, last, T.LIST_INT)
    total, item = builder.names.accumulator(T.INT), builder.names.element(T.INT)
    builder.emit(f"{total} = {builder.rng.choice(('0', '0', '1', '10'))}")
    with builder.block(f"for {item} in {numbers.name}:"):
        builder.emit(f"{total} {builder.rng.choice(('+=', '+=', '-='))} {item}")
    return builder.bind(total, T.INT)


def string_loop(builder: Builder, last: Variable | None) -> Variable:
    text = _known(builder, last, T.STR)
    out, ch = builder.names.accumulator(T.STR), builder.names.element("char")
    builder.emit(f"{out} = ''")
    with builder.block(f"for {ch} in {text.name}:"):
        builder.emit(builder.rng.choice((f"{out} += {ch}", f"{out} = {ch} + {out}", f"{out} += {ch}.upper()",
                                         f"{out} += {ch} + '-'")))
    return builder.bind(out, T.STR)


def range_loop(builder: Builder, last: Variable | None) -> Variable:
    index, out = builder.names.element("index"), builder.names.accumulator(T.LIST_INT)
    start, stop = builder.rng.randrange(4), builder.rng.randrange(3, 8)
    builder.emit(f"{out} = []")
    bounds = f"{stop - 2}" if builder.rng.random() < 0.5 else f"{start}, {stop}"
    with builder.block(f"for {index} in range({bounds}):"):
        builder.emit(f"{out}.append({index}{builder.rng.choice(('', ' * 2', ' * ' + index, ' + 1', ' % 2', ' - 3'))})")
    return builder.bind(out, T.LIST_INT)


def sort_by_key(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    if rng.random() < 0.4:
        words = _known(builder, last, T.LIST_STR)
        key = rng.choice(("lambda w: len(w)", "lambda s: s[-1:]", "lambda w: (len(w), w)", "lambda s: -len(s)",
                          "lambda w: w.lower()"))
        builder.emit(f"{words.name}.sort(key={key})")
        return words
    if rng.random() < 0.5:
        pairs = _known(builder, last, T.PAIRS)
        key = rng.choice(("lambda p: p[1]", "lambda kv: -kv[1]", "lambda item: item[0]", "lambda p: (p[1], p[0])"))
        return builder.local(T.PAIRS, f"sorted({pairs.name}, key={key})")
    numbers = _known(builder, last, T.LIST_INT)
    key = rng.choice(("lambda n: -n", "lambda x: x % 10", "lambda x: abs(x)", "lambda n: (n % 2, n)"))
    return builder.local(T.LIST_INT, f"sorted({numbers.name}, key={key})")


def pop_into(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    if rng.random() < 0.65:
        numbers = _known(builder, last, "filled_ints")
        return builder.local(T.INT, f"{numbers.name}.pop({rng.choice(('', '', '0', '1', '-1'))})")
    table = _known(builder, last, T.DICT_STR_INT)
    key = rng.choice(sorted(table.value)) if table.value else builder.pool.value("key")
    return builder.local(T.INT, f"{table.name}.{rng.choice(('pop', 'setdefault'))}({key!r}, {rng.randrange(10)})")


def walrus(builder: Builder, last: Variable | None) -> Variable:
    numbers = _known(builder, last, T.LIST_INT)
    size = builder.names.fresh(("size", "n", "length", "total"))
    flag = builder.names.variable(T.BOOL)
    builder.emit(f"{flag} = ({size} := len({numbers.name})) > {builder.rng.randrange(5)}")
    builder.bind(size, T.INT)
    return builder.bind(flag, T.BOOL)


def unpack_enumerate(builder: Builder, last: Variable | None) -> Variable:
    text = _known(builder, last, T.STR)
    table, index, ch = (builder.names.accumulator(T.DICT_STR_INT), builder.names.element("index"),
                        builder.names.element("char"))
    builder.emit(f"{table} = {{}}")
    with builder.block(f"for {index}, {ch} in enumerate({text.name}):"):
        builder.emit(f"{table}[{ch}] = {index}")
    return builder.bind(table, T.DICT_STR_INT)


SHAPES = (unpack_pair, unpack_star, unpack_divmod, swap, two_targets, if_else, if_else, if_only, sum_loop, string_loop,
          range_loop,
          sort_by_key, sort_by_key, pop_into, walrus, unpack_enumerate)
