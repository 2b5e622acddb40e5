"""Control flow beyond a single loop: else on loops, match, nested loops with flags, walrus loops, del, parallel loops."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .loops import chosen


def search_else(builder: Builder, last: Variable | None) -> Variable:
    """for or while with break and else."""
    rng = builder.rng
    sequence = chosen(builder, last, T.LIST_INT, T.LIST_STR, T.STR)
    item_type = T.ELEMENT[sequence.type]
    result = builder.names.fresh(("found", "hit", "answer", "position", "match_"))
    if rng.random() < 0.6:
        item = builder.names.element("char" if sequence.type == T.STR else item_type)
        with builder.block(f"for {item} in {sequence.name}:"):
            variable = builder.bind(item, item_type)
            with builder.block(f"if {builder.condition_on(variable)}:"):
                builder.emit(f"{result} = {rng.choice((item, builder.on(variable, T.INT) or item))}")
                builder.emit("break")
        with builder.block("else:"):
            builder.emit(f"{result} = {rng.choice(('None', '-1', repr('none')))}")
    else:
        i = builder.names.element("index")
        builder.emit(f"{i} = 0")
        builder.emit(f"{result} = -1")
        test = builder.condition_on(Variable(f"{sequence.name}[{i}]", item_type))
        with builder.block(f"while {i} < len({sequence.name}):"):
            with builder.block(f"if {test}:"):
                builder.emit(f"{result} = {i}")
                builder.emit("break")
            builder.emit(f"{i} += {rng.choice((1, 1, 2))}")
        with builder.block("else:"):
            builder.emit(f"{result} = {rng.choice((f'{i} * 10', 'None', f'-{i}'))}")
    builder.program.tag("loop-else")
    return builder.bind(result, "Any")


def match_statement(builder: Builder, last: Variable | None) -> Variable:
    """match over an integer, string, list or tuple."""
    rng = builder.rng
    out = builder.names.accumulator(T.STR)
    part = rng.random()
    builder.program.tag("match")
    label = lambda: repr(rng.choice(("zero", "one", "few", "many", "small", "big", "other", "pair", "none", "start",
                                     "stop")))
    if part < 0.4:
        value = builder.source("digit")
        with builder.block(f"match {value.name} % {rng.randrange(3, 6)}:"):
            for number in range(rng.randrange(1, 3)):
                with builder.block(f"case {number}{' | 5' if rng.random() < 0.2 else ''}:"):
                    builder.emit(f"{out} = {label()}")
            if rng.random() < 0.5:
                n = builder.names.fresh(("n", "rest", "m"))
                with builder.block(f"case {n} if {n} > {rng.randrange(1, 4)}:"):
                    builder.emit(f"{out} = str({n} * {rng.randrange(2, 9)})")
            with builder.block("case _:"):
                builder.emit(f"{out} = {label()}")
    elif part < 0.75:
        value = builder.source(T.LIST_INT)
        x, y, rest = (builder.names.fresh(("x", "first", "head")), builder.names.fresh(("y", "second")),
                      builder.names.fresh(("rest", "tail", "others")))
        with builder.block(f"match {value.name}:"):
            with builder.block("case []:"):
                builder.emit(f"{out} = {label()}")
            with builder.block(f"case [{x}]:"):
                builder.emit(f"{out} = str({x})")
            if rng.random() < 0.5:
                with builder.block(f"case [{x}, {y}]:"):
                    builder.emit(f"{out} = f'{{{x}}}-{{{y}}}'")
            with builder.block(f"case [{x}, *{rest}]:"):
                builder.emit(f"{out} = str({x} + len({rest}))")
    else:
        words = rng.sample(("add", "stop", "go", "left", "up", "get", "put"), 3)
        value = (builder.parameter(T.STR, rng.choice((*words, "jump")))
                 if len(builder.parameters) < builder.parameter_limit
                 else builder.local(T.STR, repr(words[0])))
        with builder.block(f"match {value.name}:"):
            for word in words:
                with builder.block(f"case {word!r}:"):
                    builder.emit(f"{out} = {builder.text(T.STR)}")
            with builder.block("case _:"):
                builder.emit(f"{out} = {label()}")
    return builder.bind(out, T.STR)


def nested_pairs(builder: Builder, last: Variable | None) -> Variable:
    """Every pair of a list's items."""
    rng = builder.rng
    numbers = builder.source("filled_ints")
    out = (builder.local("list", "[]", builder.names.accumulator(T.PAIRS)) if rng.random() < 0.5
           else builder.local(T.INT, "0", builder.names.accumulator(T.INT)))
    i, j = builder.names.fresh(("i", "a", "p")), builder.names.fresh(("j", "b", "q"))
    left, right = f"{numbers.name}[{i}]", f"{numbers.name}[{j}]"
    test = rng.choice((f"{left} + {right} > {rng.randrange(10, 90)}", f"{left} == {right}", f"{left} < {right}",
                       f"({left} + {right}) % 2 == 0", f"abs({left} - {right}) < {rng.randrange(2, 20)}"))
    with builder.block(f"for {i} in range(len({numbers.name})):"):
        with builder.block(f"for {j} in range({i} + 1, len({numbers.name})):"):
            with builder.block(f"if {test}:"):
                if out.type == T.INT:
                    builder.emit(f"{out.name} += {rng.choice(('1', left, right))}")
                else:
                    builder.emit(f"{out.name}.append({rng.choice((f'({i}, {j})', f'{left} + {right}', left))})")
                if rng.random() < 0.2:
                    builder.emit("break")
    return out


def walrus_loop(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    numbers = chosen(builder, last, T.LIST_INT)
    half, n = builder.names.fresh(("half", "twice", "y", "rest")), builder.names.element(T.INT)
    formula = rng.choice((f"{n} // 2", f"{n} % 7", f"{n} - 10", f"abs({n})"))
    test = rng.choice(("> 3", "% 2 == 0", "!= 0"))
    text = f"({half} := {formula}) {test}" if "%" not in test else f"({half} := {formula}) {test}"
    if rng.random() < 0.5:
        return builder.local(T.LIST_INT, f"[{half} for {n} in {numbers.name} if {text}]")
    out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
    with builder.block(f"for {n} in {numbers.name}:"):
        with builder.block(f"if {text}:"):
            builder.emit(f"{out.name}.append({half})")
    return out


def drop_and_delete(builder: Builder, last: Variable | None) -> Variable:
    """del of names, items, keys; assert; multiple assignment."""
    rng = builder.rng
    part = rng.random()
    if part < 0.35:
        table = builder.source(T.DICT_STR_INT)
        key = builder.names.element("key")
        with builder.block(f"for {key} in list({table.name}):"):
            with builder.block(f"if {table.name}[{key}] {rng.choice('<>')} {rng.randrange(5, 50)}:"):
                builder.emit(f"del {table.name}[{key}]")
        return table
    if part < 0.65:
        held = builder.local(T.INT, builder.text(T.INT))
        other = builder.local(T.INT, f"{held.name} * 2")
        builder.emit(f"del {held.name}")
        builder.variables.remove(held)
        return other
    numbers = builder.source("filled_ints")
    if rng.random() < 0.6:
        builder.emit(f"assert len({numbers.name}) > 0{rng.choice(('', ', ' + repr('empty')))}")
    first, middle, end = (builder.names.fresh(("a", "first", "head")), builder.names.fresh(("mid", "middle", "body")),
                          builder.names.fresh(("z", "end_", "tail")))
    builder.emit(f"{first}, *{middle}, {end} = {numbers.name}")
    builder.bind(first, T.INT)
    builder.bind(end, T.INT)
    return builder.bind(middle, T.LIST_INT)


def parallel(builder: Builder, last: Variable | None) -> Variable:
    """zip or enumerate over two sequences."""
    rng = builder.rng
    words, numbers = builder.source(T.LIST_STR), builder.source(T.LIST_INT)
    out = (builder.local(T.LIST_STR, "[]", builder.names.accumulator(T.LIST_STR)) if rng.random() < 0.6
           else builder.local(T.DICT_STR_INT, "{}", builder.names.accumulator(T.DICT_STR_INT)))
    w, n, i = (builder.names.fresh(("w", "word", "name")), builder.names.fresh(("n", "num", "score")),
               builder.names.fresh(("i", "rank", "pos")))
    header = (f"for {w}, {n} in zip({words.name}, {numbers.name}):" if rng.random() < 0.7
              else f"for {i}, ({w}, {n}) in enumerate(zip({words.name}, {numbers.name})):")
    with builder.block(header):
        item = builder.bind(n, T.INT)
        text = builder.bind(w, T.STR)
        if rng.random() < 0.4:
            with builder.block(f"if {builder.condition_on(rng.choice((item, text)))}:"):
                builder.emit("continue")
        if out.type == T.LIST_STR:
            formatted = "f" + repr("{" + w + "}:{" + n + "}")
            added = rng.choice((f"{w} + str({n})", f"{w} * ({n} % 3)", f"{w}[:{n} % 4]", formatted,
                                builder.on(text, T.STR) or w))
            builder.emit(f"{out.name}.append({added})")
        else:
            builder.emit(f"{out.name}[{w}] = {rng.choice((n, f'{n} + len({w})', f'{out.name}.get({w}, 0) + {n}'))}")
    return out


def outer_break(builder: Builder, last: Variable | None) -> Variable:
    """Nested loops left by a flag or a return."""
    rng = builder.rng
    matrix = builder.source(T.MATRIX)
    row, item, flag = (builder.names.element(T.LIST_INT), builder.names.element(T.INT),
                       builder.names.fresh(("found", "done", "stop_now")))
    target = rng.randrange(20)
    builder.emit(f"{flag} = False")
    count = builder.local(T.INT, "0", builder.names.accumulator(T.INT))
    with builder.block(f"for {row} in {matrix.name}:"):
        with builder.block(f"for {item} in {row}:"):
            builder.emit(f"{count.name} += {rng.choice(('1', item))}")
            with builder.block(f"if {item} {rng.choice(('==', '>', '<'))} {target}:"):
                builder.emit(f"{flag} = True")
                builder.emit("break")
        with builder.block(f"if {flag}:"):
            builder.emit("break")
    builder.bind(flag, T.BOOL)
    return count


def print_report(builder: Builder, last: Variable | None) -> Variable | None:
    """A line printed, which changes no variable."""
    rng = builder.rng
    variable = last or builder.source(T.INT)
    builder.emit(rng.choice((f"print({variable.name})", f"print('value:', {variable.name})",
                             f"print({variable.name}, end='')",
                             f"print({variable.name}, {rng.randrange(9)}, sep='-')")))
    return last


CONTROL_IDIOMS = (search_else, search_else, match_statement, nested_pairs, walrus_loop, drop_and_delete, parallel,
                  outer_break, print_report)
