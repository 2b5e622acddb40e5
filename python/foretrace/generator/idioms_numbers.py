"""Number and list idioms: digits, divisors, primes, sequences, running values, searches, sorting by hand."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .loops import chosen


def digit_loop(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    number = builder.source("positive")
    out = builder.local(T.INT, rng.choice(("0", "0", "1")), builder.names.accumulator(T.INT))
    base = rng.choice((10, 10, 10, 2, 8))
    digit = builder.names.fresh(("digit", "d", "last", "rest"))
    with builder.block(f"while {number.name}{rng.choice((' > 0', ' > 0', '', ' != 0'))}:"):
        if rng.random() < 0.4:
            builder.emit(f"{number.name}, {digit} = divmod({number.name}, {base})")
            step = None
        else:
            builder.emit(f"{digit} = {number.name} % {base}")
            step = f"{number.name} //= {base}"
        update = rng.choice((f"{out.name} += {digit}", f"{out.name} = {out.name} * {base} + {digit}",
                             f"{out.name} += {digit} * {digit}",
                             f"{out.name} = max({out.name}, {digit})", f"{out.name} += 1",
                             f"{out.name} = {out.name} * 2 + {digit} % 2"))
        if rng.random() < 0.3:
            with builder.block(f"if {digit} {rng.choice(('% 2 == 0', '> 4', '!= 0', '< 7', '% 3 == 0'))}:"):
                builder.emit(update)
        else:
            builder.emit(update)
        if step:
            builder.emit(step)
    return out


def euclid(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    a, b = builder.source("positive"), builder.source("positive")
    if a is b:
        b = builder.local("positive", str(rng.randrange(2, 60)))
    if rng.random() < 0.6:
        with builder.block(f"while {b.name}:"):
            builder.emit(f"{a.name}, {b.name} = {b.name}, {a.name} % {b.name}")
    else:
        steps = builder.local(T.INT, "0", builder.names.fresh(("steps", "rounds", "count")))
        with builder.block(f"while {b.name} != 0:"):
            builder.emit(f"{a.name}, {b.name} = {b.name}, {a.name} % {b.name}")
            builder.emit(f"{steps.name} += 1")
    return a


def two_term_sequence(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    a, b = builder.names.fresh(("a", "x", "prev", "first")), builder.names.fresh(("b", "y", "cur", "second"))
    builder.emit(f"{a}, {b} = {rng.randrange(4)}, {rng.randrange(1, 5)}")
    keep = builder.local(T.LIST_INT, rng.choice(("[]", f"[{a}]", f"[{a}, {b}]")),
                         builder.names.accumulator(T.LIST_INT)) if rng.random() < 0.5 else None
    with builder.block(f"for {builder.names.fresh(('_', '_', 'i', 'step_no'))} in range({rng.randrange(2, 8)}):"):
        if keep:
            builder.emit(f"{keep.name}.append({rng.choice((a, b))})")
        builder.emit(f"{a}, {b} = {b}, {rng.choice((f'{a} + {b}', f'{a} + {b}', f'{a} * 2 + {b}', f'{b} - {a}', f'({a} + {b}) % 10', f'{a} + {b} + 1'))}")
    variable = builder.bind(a, T.INT)
    return keep or variable


def divisor_loop(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    number = (builder.parameter("width", rng.randrange(4, 31)) if len(builder.parameters) < builder.parameter_limit
              else builder.local("width", str(rng.randrange(4, 25))))
    d = builder.names.fresh(("d", "i", "k", "divisor", "p"))
    if rng.random() < 0.5:
        flag = builder.names.fresh(("is_prime", "prime", "ok", "found"))
        builder.emit(f"{flag} = {number.name} > 1")
        with builder.block(f"for {d} in range(2, {rng.choice((f'int({number.name} ** 0.5) + 1', f'{number.name} // 2 + 1'))}):"):
            with builder.block(f"if {number.name} % {d} == 0:"):
                builder.emit(f"{flag} = False")
                builder.emit("break")
        return builder.bind(flag, T.BOOL)
    out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
    if rng.random() < 0.5:
        builder.emit(f"{d} = 2")
        with builder.block(f"while {number.name} > 1:"):
            with builder.block(f"while {number.name} % {d} == 0:"):
                builder.emit(f"{out.name}.append({d})")
                builder.emit(f"{number.name} //= {d}")
            builder.emit(f"{d} += 1")
    else:
        with builder.block(f"for {d} in range(1, {number.name} // {rng.choice((2, 2, 3))} + 1):"):
            with builder.block(f"if {number.name} % {d} == 0:"):
                builder.emit(f"{out.name}.append({d})")
    return out


def collatz(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    number = builder.source("digit")
    steps = builder.local(T.INT, "0", builder.names.fresh(("steps", "count", "turns")))
    with builder.block(f"while {number.name} > 1 and {steps.name} < {rng.randrange(4, 12)}:"):
        with builder.block(f"if {number.name} % 2 == 0:"):
            builder.emit(f"{number.name} //= 2")
        with builder.block("else:"):
            builder.emit(f"{number.name} = {rng.choice((3, 3, 5))} * {number.name} + 1")
        builder.emit(f"{steps.name} += 1")
    return steps if rng.random() < 0.6 else number


def running_value(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    numbers = chosen(builder, last, T.LIST_INT)
    out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
    best = builder.names.fresh(("best", "total", "current", "peak", "acc"))
    n = builder.names.element(T.INT)
    builder.emit(f"{best} = {rng.choice(('0', '0', '1', '-1'))}")
    with builder.block(f"for {n} in {numbers.name}:"):
        builder.emit(rng.choice((f"{best} += {n}", f"{best} = max({best}, {n})", f"{best} = {best} - {n}",
                                 f"{best} = max({n}, {best} + {n})",
                                 f"{best} = ({best} + {n}) % {rng.choice((5, 7, 10))}", f"{best} = min({best}, {n})")))
        builder.emit(f"{out.name}.append({best})")
    builder.bind(best, T.INT)
    return out


def extreme(builder: Builder, last: Variable | None) -> Variable:
    """The largest or smallest item and perhaps its position, found by hand."""
    rng = builder.rng
    list_ = builder.source(rng.choice(("filled_ints", "filled_ints", "filled_words")))
    best = builder.local(T.ELEMENT[list_.type], f"{list_.name}[0]",
                         builder.names.fresh(("best", "largest", "top", "winner", "low")))
    sign = rng.choice("<>")
    measure = (rng.choice(("len({})", "{}", "{}.count('a')")) if list_.type == T.LIST_STR
               else rng.choice(("{}", "{}", "abs({})", "{} % 10")))
    if rng.random() < 0.5:
        i, where = builder.names.element("index"), builder.names.fresh(("where", "at", "position", "best_index"))
        builder.emit(f"{where} = 0")
        with builder.block(f"for {i} in range(1, len({list_.name})):"):
            with builder.block(f"if {measure.format(f'{list_.name}[{i}]')} {sign} {measure.format(best.name)}:"):
                builder.emit(f"{best.name} = {list_.name}[{i}]")
                builder.emit(f"{where} = {i}")
        return best if rng.random() < 0.5 else builder.bind(where, T.INT)
    item = builder.names.element(T.ELEMENT[list_.type])
    with builder.block(f"for {item} in {list_.name}[1:]:"):
        with builder.block(f"if {measure.format(item)} {sign} {measure.format(best.name)}:"):
            builder.emit(f"{best.name} = {item}")
    return best


def pair_sum(builder: Builder, last: Variable | None) -> Variable:
    """Two pointers over a sorted list."""
    rng = builder.rng
    numbers = chosen(builder, last, T.LIST_INT)
    target = builder.source(T.INT).name if rng.random() < 0.5 else str(rng.randrange(5, 60))
    ordered = builder.local(T.LIST_INT, f"sorted({numbers.name})")
    low, high = builder.names.fresh(("lo", "left", "i")), builder.names.fresh(("hi", "right", "j"))
    found = builder.local(T.LIST_INT, "[]", builder.names.fresh(("found", "pair", "hits")))
    builder.emit(f"{low}, {high} = 0, len({ordered.name}) - 1")
    total = builder.names.fresh(("total", "s", "current"))
    with builder.block(f"while {low} < {high}:"):
        builder.emit(f"{total} = {ordered.name}[{low}] + {ordered.name}[{high}]")
        with builder.block(f"if {total} == {target}:"):
            builder.emit(f"{found.name} = [{ordered.name}[{low}], {ordered.name}[{high}]]")
            builder.emit("break")
        with builder.block(f"if {total} < {target}:" if rng.random() < 0.5 else f"elif {total} < {target}:"):
            builder.emit(f"{low} += 1")
        with builder.block("else:"):
            builder.emit(f"{high} -= 1")
    return found


def bubble(builder: Builder, last: Variable | None) -> Variable:
    """One or all passes of exchanging neighbours."""
    rng = builder.rng
    numbers = chosen(builder, last, T.LIST_INT, T.LIST_INT, T.LIST_STR)
    i = builder.names.fresh(("i", "k", "p"))
    sign = rng.choice("<>")
    if rng.random() < 0.6:
        with builder.block(f"for {i} in range(len({numbers.name}) - 1):"):
            with builder.block(f"if {numbers.name}[{i}] {sign} {numbers.name}[{i} + 1]:"):
                builder.emit(f"{numbers.name}[{i}], {numbers.name}[{i} + 1] = {numbers.name}[{i} + 1], {numbers.name}[{i}]")
    else:
        j = builder.names.fresh(("j", "m", "q"))
        with builder.block(f"for {i} in range(1, len({numbers.name})):"):
            builder.emit(f"{j} = {i}")
            with builder.block(f"while {j} > 0 and {numbers.name}[{j} - 1] {sign} {numbers.name}[{j}]:"):
                builder.emit(f"{numbers.name}[{j} - 1], {numbers.name}[{j}] = {numbers.name}[{j}], {numbers.name}[{j} - 1]")
                builder.emit(f"{j} -= 1")
    return numbers


def neighbours(builder: Builder, last: Variable | None) -> Variable:
    """A value computed from each pair of neighbours."""
    rng = builder.rng
    numbers = chosen(builder, last, T.LIST_INT)
    out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
    a, b = builder.names.fresh(("a", "prev", "x")), builder.names.fresh(("b", "cur", "y"))
    value = rng.choice((f"{b} - {a}", f"{a} + {b}", f"max({a}, {b})", f"abs({a} - {b})", f"{a} * {b}",
                        f"{a} if {a} > {b} else 0"))
    if rng.random() < 0.6:
        with builder.block(f"for {a}, {b} in zip({numbers.name}, {numbers.name}[1:]):"):
            builder.emit(f"{out.name}.append({value})")
    else:
        i = builder.names.element("index")
        left, right = f"{numbers.name}[{i} - 1]", f"{numbers.name}[{i}]"
        value = rng.choice((f"{right} - {left}", f"{left} + {right}", f"max({left}, {right})",
                            f"{left} * {right} % 10"))
        with builder.block(f"for {i} in range(1, len({numbers.name})):"):
            builder.emit(f"{out.name}.append({value})")
    return out


def binary_search(builder: Builder, last: Variable | None) -> Variable:
    rng = builder.rng
    numbers = builder.source("sorted_ints")
    items = numbers.value if isinstance(numbers.value, list) and numbers.value else [1]
    target = (builder.parameter("element", rng.choice(items) if rng.random() < 0.6 else None)
              if len(builder.parameters) < builder.parameter_limit
              else builder.local(T.INT, str(rng.randrange(50))))
    low, high, middle = (builder.names.fresh(("lo", "low", "left")), builder.names.fresh(("hi", "high", "right")),
                         builder.names.fresh(("mid", "middle", "m")))
    builder.emit(f"{low}, {high} = 0, len({numbers.name})")
    with builder.block(f"while {low} < {high}:"):
        builder.emit(f"{middle} = ({low} + {high}) // 2")
        with builder.block(f"if {numbers.name}[{middle}] < {target.name}:"):
            builder.emit(f"{low} = {middle} + 1")
        with builder.block("else:"):
            builder.emit(f"{high} = {middle}")
    return builder.bind(low, T.INT)


NUMBER_IDIOMS = (digit_loop, euclid, two_term_sequence, divisor_loop, collatz, running_value, extreme, pair_sum, bubble,
                 neighbours,
                 binary_search)
