"""String idioms: shifts, runs, palindromes, title case, counting, two pointers."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .loops import chosen


def caesar_shift(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    text = chosen(builder, last, T.STR)
    shift = builder.source("digit").name if rng.random() < 0.5 else str(rng.randrange(1, 26))
    out = builder.local(T.STR, "''", builder.names.accumulator(T.STR))
    ch = builder.names.element("char")
    with builder.block(f"for {ch} in {text.name}:"):
        with builder.block(f"if {ch}.{rng.choice(('islower', 'isalpha', 'islower'))}():"):
            builder.emit(f"{out.name} += chr((ord({ch}) - 97 {rng.choice('+-')} {shift}) % 26 + 97)")
        with builder.block("else:"):
            builder.emit(f"{out.name} += {rng.choice((ch, ch, repr('*')))}")
    return out


def run_lengths(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    text = chosen(builder, last, T.STR)
    out = builder.local(T.STR, "''", builder.names.accumulator(T.STR))
    i, run = builder.names.element("index"), builder.names.fresh(("run", "n", "width", "streak"))
    builder.emit(f"{i} = 0")
    with builder.block(f"while {i} < len({text.name}):"):
        builder.emit(f"{run} = 1")
        with builder.block(f"while {i} + {run} < len({text.name}) and {text.name}[{i} + {run}] == {text.name}[{i}]:"):
            builder.emit(f"{run} += 1")
        builder.emit(f"{out.name} += {rng.choice((f'{text.name}[{i}] + str({run})', f'str({run}) + {text.name}[{i}]'))}")
        builder.emit(f"{i} += {run}")
    return out


def palindrome_pointers(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    text = chosen(builder, last, T.STR, T.STR, T.LIST_INT)
    left, right = builder.names.fresh(("left", "lo", "i", "start")), builder.names.fresh(("right", "hi", "j",
                                                                                          "stop_at"))
    result = builder.names.fresh(("ok", "same", "is_palindrome", "mirrored"))
    if rng.random() < 0.5:
        builder.emit(f"{left}, {right} = 0, len({text.name}) - 1")
    else:
        builder.emit(f"{left} = 0")
        builder.emit(f"{right} = len({text.name}) - 1")
    builder.emit(f"{result} = True")
    with builder.block(f"while {left} < {right}:"):
        with builder.block(f"if {text.name}[{left}] != {text.name}[{right}]:"):
            builder.emit(f"{result} = False")
            builder.emit("break")
        builder.emit(f"{left} += 1")
        builder.emit(f"{right} -= 1")
    return builder.bind(result, T.BOOL)


def map_characters(builder: Builder, last: Variable | None) -> Variable:
    """Characters changed one by one by a chain of branches."""
    rng = builder.rng
    text = chosen(builder, last, T.STR)
    as_list = rng.random() < 0.4
    out = builder.local(T.LIST_STR if as_list else T.STR, "[]" if as_list else "''",
                        builder.names.accumulator(T.LIST_STR if as_list else T.STR))
    name = builder.names.element("char")
    with builder.block(f"for {name} in {text.name}:"):
        item = builder.bind(name, T.STR)
        tests = ["{0}.isupper()", "{0}.islower()", "{0}.isdigit()", "{0} in 'aeiou'", "{0} == ' '", "{0} > 'm'",
                 "{0}.isalpha()",
                 "{0} == " + repr(builder.pool.character()), "{0} in " + repr(builder.pool.text())]
        values = ["{0}.lower()", "{0}.upper()", "'_'", "{0} * 2", "str(ord({0}) % 10)", "{0}", "chr(ord({0}) + 1)",
                  "'<' + {0} + '>'",
                  "{0}.swapcase()", repr(builder.pool.character())]
        rng.shuffle(tests)
        rng.shuffle(values)
        write = (lambda value: f"{out.name}.append({value})") if as_list else (lambda value: f"{out.name} += {value}")
        for position in range(rng.choice((1, 2, 2, 3))):
            with builder.block(f"{'if' if position == 0 else 'elif'} {tests[position].format(item.name)}:"):
                builder.emit(write(values[position].format(item.name)))
        if rng.random() < 0.8:
            with builder.block("else:"):
                builder.emit(write(values[-1].format(item.name)))
    if as_list and rng.random() < 0.7:
        return builder.local(T.STR, f"{builder.pool.rng.choice((repr(''), repr(''), repr('-'), repr(' ')))}.join({out.name})")
    return out


def capital_words(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    text = builder.source("sentence")
    words = builder.local(T.LIST_STR, f"{text.name}.split()")
    i = builder.names.element("index")
    change = rng.choice(("{0}.capitalize()", "{0}[::-1]", "{0}[0].upper() + {0}[1:]", "{0}.upper()",
                         "{0} + str(len({0}))", "{0}[1:] + {0}[0]"))
    item = f"{words.name}[{i}]"
    with builder.block(f"for {i} in range({rng.choice(('', '', '1, '))}len({words.name})):"):
        if rng.random() < 0.4:
            with builder.block(f"if {rng.choice((f'{i} % 2 == 0', f'len({item}) > 3', f'{item} != {item}[::-1]', f'{item}.isalpha()'))}:"):
                builder.emit(f"{item} = {change.format(item)}")
        else:
            builder.emit(f"{item} = {change.format(item)}")
    return builder.local(T.STR, f"{rng.choice((repr(' '), repr(' '), repr('-'), repr('')))}.join({words.name})")


def windows(builder: Builder, last: Variable | None) -> Variable:
    """Slices of fixed width along a string or list."""
    rng = builder.rng
    text = chosen(builder, last, T.STR, T.STR, T.LIST_INT)
    width = rng.choice((2, 2, 3))
    out = builder.local(T.LIST_STR if text.type == T.STR else T.MATRIX, "[]", builder.names.accumulator(T.LIST_STR))
    i = builder.names.element("index")
    bounds = rng.choice((f"len({text.name}) - {width - 1}", f"0, len({text.name}), {width}"))
    with builder.block(f"for {i} in range({bounds}):"):
        piece = f"{text.name}[{i}:{i} + {width}]"
        if text.type == T.STR and rng.random() < 0.4:
            with builder.block(f"if {piece} not in {out.name}:"):
                builder.emit(f"{out.name}.append({piece})")
        else:
            builder.emit(f"{out.name}.append({piece})")
    return out


def interleave(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    first = chosen(builder, last, T.STR)
    others = [v for v in builder.of_type(T.STR) if v is not first]
    second = rng.choice(others) if others else builder.source(T.STR)
    out = builder.local(T.STR, "''", builder.names.accumulator(T.STR))
    a, b = builder.names.fresh(("a", "x", "c1", "p")), builder.names.fresh(("b", "y", "c2", "q"))
    with builder.block(f"for {a}, {b} in zip({first.name}, {second.name}):"):
        part = rng.random()
        if part < 0.4:
            builder.emit(f"{out.name} += {a} + {b}")
        elif part < 0.7:
            builder.emit(f"{out.name} += {a} if {a} {rng.choice(('<', '>', '=='))} {b} else {rng.choice((b, repr('.')))}")
        else:
            with builder.block(f"if {a} != {b}:"):
                builder.emit(f"{out.name} += {rng.choice((a, b))}")
    if rng.random() < 0.3:
        builder.emit(f"{out.name} += {first.name}[len({second.name}):]")
    return out


def balance(builder: Builder, last: Variable | None) -> Variable:
    """A counter that goes up and down with two characters."""
    rng = builder.rng
    up, down = rng.choice(("()", "[]", "<>", "ab", "+-"))
    value = "".join(rng.choices(up + down + rng.choice(("", "x")), k=rng.randrange(3, 9)))
    text = (builder.parameter(T.STR, value) if len(builder.parameters) < builder.parameter_limit
            else builder.local(T.STR, repr(value)))
    depth, peak = builder.names.fresh(("depth", "level", "balance", "height")), builder.names.fresh(("peak", "best",
                                                                                                     "deepest", "low"))
    builder.emit(f"{depth} = {peak} = 0" if rng.random() < 0.5 else f"{depth}, {peak} = 0, 0")
    ch = builder.names.element("char")
    with builder.block(f"for {ch} in {text.name}:"):
        with builder.block(f"if {ch} == {up!r}:"):
            builder.emit(f"{depth} += 1")
            builder.emit(f"{peak} = max({peak}, {depth})")
        with builder.block(f"elif {ch} == {down!r}:"):
            builder.emit(f"{depth} -= {rng.choice((1, 1, 2))}")
            if rng.random() < 0.4:
                with builder.block(f"if {depth} < 0:"):
                    builder.emit(rng.choice(("break", "return False", f"{depth} = 0", "return -1")))
    builder.bind(depth, T.INT)
    return builder.bind(peak, T.INT)


STRING_IDIOMS = (caesar_shift, run_lengths, palindrome_pointers, map_characters, map_characters, map_characters,
                 capital_words,
                 windows, interleave, balance)
