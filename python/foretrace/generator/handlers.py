"""try / except / else / finally, custom exceptions, assertions."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Program, Variable
from .functions import claim, define
from .raising import MESSAGES
from .sample import Style

_FAILING = (
    ("{n} // {m}", "ZeroDivisionError", T.INT), ("int({s})", "ValueError", T.INT), ("{xs}[{k}]", "IndexError", T.INT),
    ("{d}[{key}]", "KeyError", T.INT), ("{s} + {n}", "TypeError", T.STR), ("{xs}.index({k})", "ValueError", T.INT),
    ("{s}.index({c})", "ValueError", T.INT), ("{xs}.pop()", "IndexError", T.INT),
            ("next(iter({xs}))", "StopIteration", T.INT),
    ("{n}.size", "AttributeError", T.INT), ("max({xs})", "ValueError", T.INT), ("{d}.pop({key})", "KeyError", T.INT),
)


def _failing(builder: Builder) -> tuple[str, str, str]:
    """An expression that may raise, what it raises, its type."""
    rng = builder.rng
    text, error, type_ = rng.choice(_FAILING)
    filled = {}
    if "{n}" in text:
        filled["n"] = builder.source(T.INT).name
    if "{m}" in text:
        filled["m"] = rng.choice((f"({builder.source(T.INT).name} % {rng.randrange(1, 4)})",
                                  str(rng.choice((0, 2, 5)))))
    if "{s}" in text:
        filled["s"] = builder.source(rng.choice(("number_text", T.STR))).name
    if "{xs}" in text:
        filled["xs"] = builder.source(T.LIST_INT).name
    if "{d}" in text:
        table = builder.source(T.DICT_STR_INT)
        filled["d"] = table.name
        keys = sorted(table.value) if isinstance(table.value, dict) else []
        filled["key"] = repr(rng.choice(keys) if keys and rng.random() < 0.5 else builder.pool.value("key"))
    filled["k"] = str(rng.randrange(6))
    filled["c"] = repr(builder.pool.character())
    return text.format(**filled), error, type_


def try_idiom(builder: Builder, last: Variable | None) -> Variable:
    """A try statement around an expression that may raise."""
    rng = builder.rng
    text, error, type_ = _failing(builder)
    result = builder.names.accumulator(type_)
    log = builder.local(T.LIST_STR, "[]", builder.names.fresh(("log", "notes",
                                                               "steps_"))) if rng.random() < 0.3 else None
    caught = rng.choice((error, error, error, "Exception",
                         f"({error}, {rng.choice(('OSError', 'RuntimeError', 'LookupError'))})"))
    alias = rng.random() < 0.25
    with builder.block("try:"):
        builder.emit(f"{result} = {text}")
        if log:
            builder.emit(f"{log.name}.append('ok')")
    if rng.random() < 0.15:
        with builder.block("except AssertionError:"):
            builder.emit("pass" if type_ != T.INT else f"{result} = 1")
    name = builder.names.fresh(("e", "err", "error", "exc"))
    with builder.block(f"except {caught}{' as ' + name if alias else ''}:"):
        if alias and rng.random() < 0.6:
            builder.emit(f"{result} = {rng.choice((f'str({name})', f'type({name}).__name__', f'len(str({name}))'))}")
        else:
            builder.emit(f"{result} = {builder.constant(type_)[0] if rng.random() < 0.8 else 'None'}")
    if rng.random() < 0.25:
        with builder.block("else:"):
            builder.emit(f"{result} = {f'{result} * 2' if rng.random() < 0.6 else f'{result}'}")
    if rng.random() < 0.3:
        with builder.block("finally:"):
            if log:
                builder.emit(f"{log.name}.append('done')")
            else:
                done = builder.local(T.BOOL, "True", builder.names.fresh(("done", "finished", "closed")))
    builder.program.tag("try")
    return builder.bind(result, "Any")


def try_loop(builder: Builder, last: Variable | None) -> Variable:
    """Items converted one by one; the bad ones are counted, replaced or end the loop."""
    rng = builder.rng
    values = [str(rng.randrange(100)) if rng.random() < 0.6 else builder.pool.fresh_string()
              for _ in range(rng.randrange(2, 6))]
    items = (builder.parameter(T.LIST_STR, values) if len(builder.parameters) < builder.parameter_limit
             else builder.local(T.LIST_STR, repr(values)))
    total = builder.local(T.INT, "0", builder.names.accumulator(T.INT))
    bad = builder.names.fresh(("bad", "errors", "skipped", "failed"))
    builder.emit(f"{bad} = []")
    item = builder.names.element(T.STR)
    with builder.block(f"for {item} in {items.name}:"):
        with builder.block("try:"):
            builder.emit(f"{total.name} {rng.choice(('+=', '+=', '-='))} int({item})")
        with builder.block("except ValueError:"):
            builder.emit(rng.choice((f"{bad}.append({item})", f"{bad}.append({item})", "continue", "break")))
        if rng.random() < 0.25:
            with builder.block("finally:"):
                builder.emit(f"{total.name} += 1")
    builder.bind(bad, T.LIST_STR)
    builder.program.tag("try")
    return total


def custom_error(program: Program, style: Style) -> None:
    """An exception class, a function that raises it, a caller that catches it."""
    rng = program.rng
    error = claim(program, ("InvalidInput", "LimitError", "OutOfStock", "BadValue", "ParseError", "TooLow"))
    name = claim(program, ("validate", "check_value", "ensure", "require", "withdraw", "spend"))
    n = rng.choice(("n", "amount", "value", "x"))
    limit = rng.randrange(5, 60)
    define(program, [f"class {error}({rng.choice(('Exception', 'ValueError', 'Exception'))}):", "\tpass"])
    message = rng.choice((f"f'{rng.choice(MESSAGES)}: {{{n}}}'", repr(rng.choice(MESSAGES)), n))
    define(program, [f"def {name}({n}):", f"\tif {n} {rng.choice('<>')} {limit}:", f"\t\traise {error}({message})",
                     f"\treturn {n} {rng.choice('+-*')} {rng.randrange(1, 9)}"])
    program.tag("custom-error")

    def use(builder: Builder) -> Variable:
        result = builder.names.accumulator(T.INT)
        given = builder.expression(T.INT, 1)[0]
        alias = builder.names.fresh(("e", "err", "exc"))
        with builder.block("try:"):
            builder.emit(f"{result} = {name}({given})")
        if rng.random() < 0.85 or not program.raising:
            with builder.block(f"except {error} as {alias}:"):
                builder.emit(f"{result} = {rng.choice((f'str({alias})', f'{alias}.args[0]', '-1', '0'))}")
        else:
            with builder.block("except KeyError:"):
                builder.emit(f"{result} = 0")
        return builder.bind(result, "Any")

    program.uses.append(use)


def reraise(program: Program, style: Style) -> None:
    """A helper with try / finally or a raise from, whose error reaches the caller."""
    rng = program.rng
    name = claim(program, ("load_value", "safe_get", "fetch", "lookup_value", "read_field"))
    d, key = rng.choice(("table", "d", "config")), rng.choice(("key_", "field_name", "k"))
    part = rng.random()
    if part < 0.4:
        lines = [f"def {name}({d}, {key}):", "\ttry:", f"\t\treturn {d}[{key}]", "\texcept KeyError:",
                 f"\t\treturn {rng.choice(('None', '0', '-1', f'len({d})', f'len({key})'))}"]
    elif part < 0.7:
        lines = [f"def {name}({d}, {key}):", "\ttry:", f"\t\treturn {d}[{key}]", "\tfinally:",
                 f"\t\t{d}[{rng.choice(('x', 'n', 'last'))!r}] = {rng.randrange(9)}"]
    else:
        lines = [f"def {name}({d}, {key}):", "\ttry:", f"\t\treturn {d}[{key}]", "\texcept KeyError as error:",
                 f"\t\traise ValueError({key}){rng.choice((' from error', ' from None', ''))}"]
    define(program, lines)
    program.tag("reraise")

    def use(builder: Builder) -> Variable:
        table = builder.source(T.DICT_STR_INT)
        keys = sorted(table.value) if isinstance(table.value, dict) else []
        given = repr(rng.choice(keys) if keys and rng.random() < 0.5 else builder.pool.value("key"))
        result = builder.names.accumulator(T.INT)
        if part < 0.4:
            return builder.local("Any", f"{name}({table.name}, {given})", result)
        with builder.block("try:"):
            builder.emit(f"{result} = {name}({table.name}, {given})")
        with builder.block(f"except {rng.choice(('Exception', '(KeyError, ValueError)'))}{rng.choice(('', ' as e'))}:"):
            builder.emit(f"{result} = {rng.choice(('None', '-1', repr('none')))}")
        return builder.bind(result, "Any")

    program.uses.append(use)
