"""Closures, lambdas held in variables, functions passed as arguments, generator functions."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Program, Variable
from .functions import claim, define, function_builder, returned
from .names import HELPERS
from .sample import Style

_MAKERS = ("make_adder", "make_counter", "multiplier", "make", "build_fn", "factory", "outer", "make_scaler", "compose",
           "limiter")
_GENERATORS = ("gen", "numbers_from", "pairs_of", "chunks_of", "stream", "walk_items", "evens", "take_some", "produce",
               "countdown", "every")


def closure(program: Program, style: Style) -> None:
    """A function that returns an inner function over its argument."""
    rng = program.rng
    name, inner = claim(program, _MAKERS), rng.choice(("inner", "add", "apply_", "fn", "call_it", "inner_fn"))
    n, x = rng.choice(("n", "k", "base", "factor_")), rng.choice(("x", "value", "y", "item"))
    if rng.random() < 0.5:
        value = rng.choice((f"{x} + {n}", f"{x} * {n}", f"{n} - {x}", f"max({x}, {n})", f"{x} * {n} + 1",
                            f"{x} % ({n} + 1)"))
        lines = [f"def {name}({n}):"]
        if rng.random() < 0.25:
            lines.append(f"\treturn lambda {x}: {value}")
        else:
            lines += [f"\tdef {inner}({x}):", f"\t\treturn {value}", f"\treturn {inner}"]
    else:
        state = rng.choice(("total", "count", "calls", "seen_so_far"))
        step = rng.choice((f"{state} += {x}", f"{state} = {state} * 2 + {x}", f"{state} = max({state}, {x})",
                           f"{state} += 1"))
        lines = [f"def {name}({n}):", f"\t{state} = {rng.choice((n, n, '0'))}", f"\tdef {inner}({x}):",
                 f"\t\tnonlocal {state}", f"\t\t{step}",
                 f"\t\treturn {rng.choice((state, state, f'{state} + {x}'))}", f"\treturn {inner}"]
        program.tag("nonlocal")
    define(program, lines)
    program.tag("closure")

    def use(builder: Builder) -> Variable:
        held = builder.names.fresh(("add", "fn", "scale", "step_fn", "counter", "apply_it", "g"))
        builder.emit(f"{held} = {name}({builder.expression('digit', 0)[0]})")
        part = builder.rng.random()
        if part < 0.35:
            numbers = builder.source(T.LIST_INT)
            return builder.local(T.LIST_INT, builder.rng.choice((f"[{held}(v) for v in {numbers.name}]",
                                                                 f"list(map({held}, {numbers.name}))",
                                                                 f"sorted({numbers.name}, key={held})")))
        if part < 0.7:
            first, second = builder.expression(T.INT, 0)[0], builder.expression(T.INT, 0)[0]
            return builder.local(T.INT, builder.rng.choice((f"{held}({first}) + {held}({second})",
                                                            f"{held}({held}({first}))", f"{held}({first})")))
        out = builder.local(T.LIST_INT, "[]", builder.names.accumulator(T.LIST_INT))
        i = builder.names.element("index")
        with builder.block(f"for {i} in range({builder.rng.randrange(2, 5)}):"):
            builder.emit(f"{out.name}.append({held}({i}))")
        return out

    program.uses.append(use)


def lambda_local(program: Program, style: Style) -> None:
    """A lambda held in a local variable and called."""
    def use(builder: Builder) -> Variable:
        rng = builder.rng
        held = builder.names.fresh(("square", "twice", "f2", "key_fn", "change", "rule", "op"))
        part = rng.random()
        if part < 0.4:
            builder.emit(f"{held} = lambda x: {rng.choice(('x * x', 'x + 1', 'x * 2 - 1', 'x % 3', '-x', 'abs(x) // 2', 'x if x > 0 else 0'))}")
            if rng.random() < 0.5:
                numbers = builder.source(T.LIST_INT)
                return builder.local(T.LIST_INT, rng.choice((f"list(map({held}, {numbers.name}))",
                                                             f"[{held}(v) for v in {numbers.name}]",
                                                             f"list(filter({held}, {numbers.name}))",
                                                             f"sorted({numbers.name}, key={held})")))
            return builder.local(T.INT, f"{held}({builder.expression(T.INT, 0)[0]})")
        if part < 0.7:
            builder.emit(f"{held} = lambda a, b: {rng.choice(('a + b', 'a * b', 'a - b', 'max(a, b)', 'a * 10 + b', 'a if a > b else b'))}")
            if rng.random() < 0.4:
                builder.program.need("from functools import reduce")
                return builder.local(T.INT, f"reduce({held}, {builder.source(T.LIST_INT).name}, {rng.randrange(3)})")
            return builder.local(T.INT, f"{held}({builder.expression(T.INT, 0)[0]}, {builder.expression(T.INT, 0)[0]})")
        builder.emit(f"{held} = lambda s: {rng.choice(('s.upper()', 's[::-1]', 's[:1]', 's + s', 's.strip()', 'len(s)'))}")
        words = builder.source(T.LIST_STR)
        return builder.local(T.LIST_STR, rng.choice((f"[{held}(w) for w in {words.name}]",
                                                     f"list(map({held}, {words.name}))",
                                                     f"sorted({words.name}, key={held})")))
    program.uses.append(use)
    program.tag("lambda")


def higher_order(program: Program, style: Style) -> None:
    """A function that takes a function."""
    rng = program.rng
    name, other = claim(program, HELPERS), claim(program, HELPERS)
    fn, values, out, v = (rng.choice(("fn", "func", "key_fn", "test")), rng.choice(("values", "items", "data_")),
                          rng.choice(("out", "result", "kept")), rng.choice(("v", "x", "item")))
    rule = rng.random() < 0.5
    lines = [f"def {name}({fn}, {values}):", f"\t{out} = []", f"\tfor {v} in {values}:"]
    lines += [f"\t\tif {fn}({v}):", f"\t\t\t{out}.append({v})"] if rule else [f"\t\t{out}.append({fn}({v}))"]
    lines.append(f"\treturn {out}")
    define(program, lines)
    builder = function_builder(program, (T.INT,))
    builder.emit(f"return {returned(builder, T.BOOL if rule else T.INT)}")
    define(program, [f"def {other}({builder.parameters[0].name}):", *builder.lines])

    def use(builder: Builder) -> Variable:
        given = other if builder.rng.random() < 0.6 else ("lambda x: x > 5" if rule else "lambda x: x + 1")
        return builder.local(T.LIST_INT, f"{name}({given}, {builder.source(T.LIST_INT).name})")

    program.uses.append(use)
    program.tag("higher-order")


def generator(program: Program, style: Style) -> None:
    """A generator function, used in a loop, a list, a sum or step by step."""
    rng = program.rng
    name = claim(program, _GENERATORS)
    part = rng.random()
    n, i = rng.choice(("n", "limit", "stop_at")), rng.choice(("i", "k", "current"))
    argument = "shift"
    if part < 0.3:
        lines = [f"def {name}({n}):", f"\t{i} = {rng.randrange(3)}", f"\twhile {i} < {n}:",
                 f"\t\tyield {rng.choice((i, f'{i} * {i}', f'{i} * 2 + 1'))}", f"\t\t{i} += {rng.choice((1, 1, 2))}"]
    elif part < 0.6:
        argument = T.LIST_INT
        xs, x = rng.choice(("items", "values", "xs")), rng.choice(("x", "item", "v"))
        test = rng.choice(("% 2 == 0", "> 9", "% 3 != 0", "!= 0"))
        lines = [f"def {name}({xs}):", f"\tfor {x} in {xs}:", f"\t\tif {x} {test}:",
                 f"\t\t\tyield {rng.choice((x, f'{x} * 2', f'-{x}'))}"]
        if rng.random() < 0.3:
            lines += ["\t\telse:", rng.choice(("\t\t\tyield 0", "\t\t\treturn", "\t\t\tbreak"))]
    elif part < 0.75:
        a, b = rng.choice((("a", "b"), ("x", "y")))
        lines = [f"def {name}({n}):", f"\t{a}, {b} = {rng.randrange(3)}, 1", f"\tfor _ in range({n}):",
                 f"\t\tyield {a}", f"\t\t{a}, {b} = {b}, {a} + {b}"]
    else:
        argument = T.LIST_INT
        xs = rng.choice(("items", "values"))
        lines = [f"def {name}({xs}):", f"\tyield {rng.randrange(10)}",
                 f"\tyield from {rng.choice((xs, f'{xs}[::-1]', f'sorted({xs})'))}"]
        if rng.random() < 0.5:
            lines.append(f"\tyield len({xs})")
        program.tag("yield-from")
    define(program, lines)
    program.tag("generator")

    def use(builder: Builder) -> Variable:
        given = builder.expression(argument, 0)[0] if argument == "shift" else builder.source(argument).name
        part = builder.rng.random()
        if part < 0.25:
            return builder.local(T.LIST_INT, f"list({name}({given}))")
        if part < 0.4:
            call = f"{name}({given})"
            return builder.local(T.INT, builder.rng.choice((f"sum({call})", f"sum({call})", f"len(list({call}))",
                                                            f"max({call}, default=0)")))
        if part < 0.6:
            held = builder.names.fresh(("it", "g", "stream_", "source"))
            builder.emit(f"{held} = {name}({given})")
            default = builder.rng.choice(("0", "-1", "None"))
            first = builder.local("Any" if default == "None" else T.INT, f"next({held}, {default})",
                                  builder.names.fresh(("first", "head")))
            if builder.rng.random() < 0.5:
                builder.local(T.LIST_INT, f"list({held})", builder.names.fresh(("rest", "others")))
            else:
                builder.emit(f"{held}.close()")
            return first
        out = builder.local(T.INT, "0", builder.names.accumulator(T.INT))
        v = builder.names.element(T.INT)
        with builder.block(f"for {v} in {name}({given}):"):
            variable = builder.bind(v, T.INT)
            if builder.rng.random() < 0.4:
                with builder.block(f"if {builder.condition_on(variable)}:"):
                    builder.emit(builder.rng.choice(("break", "continue")))
            builder.emit(f"{out.name} += {v}")
        return out

    program.uses.append(use)


def receiver_generator(program: Program, style: Style) -> None:
    """A generator that is sent values."""
    rng = program.rng
    name, total, x = claim(program, ("averager", "accumulate_sent", "collector", "running_total",
                                     "echo")), rng.choice(("total", "acc")), rng.choice(("x", "received"))
    define(program, [f"def {name}():", f"\t{total} = {rng.randrange(10)}", "\twhile True:", f"\t\t{x} = yield {total}",
                     f"\t\tif {x} is None:", "\t\t\tbreak",
                     f"\t\t{total} {rng.choice(('+=', '-=', '*='))} {x}"])

    def use(builder: Builder) -> Variable:
        held = builder.names.fresh(("co", "acc_gen", "sink", "g"))
        builder.emit(f"{held} = {name}()")
        builder.emit(f"next({held})")
        first = builder.local(T.INT, f"{held}.send({builder.rng.randrange(9)})")
        return builder.local(T.INT, f"{first.name} + {held}.send({builder.rng.randrange(9)})")

    program.uses.append(use)
    program.tag("send")
