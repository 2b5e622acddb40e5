"""Helper functions with random bodies, also with defaults, star and keyword arguments, decorators."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Helper, Program, Variable
from .loops import loop_idiom
from .names import HELPERS
from .sample import Style, signature
from .statements import assignment, branch, conditional_change

_SIGNATURES = (
    ((T.INT,), T.INT), ((T.INT,), T.INT), ((T.INT, T.INT), T.INT), ((T.STR,), T.STR), ((T.STR,), T.STR),
               ((T.STR,), T.INT), ((T.STR,), T.BOOL),
    ((T.INT,), T.BOOL), ((T.LIST_INT,), T.INT), ((T.LIST_INT,), T.LIST_INT), ((T.LIST_STR,), T.STR),
               ((T.LIST_INT, T.INT), T.LIST_INT),
    ((T.STR, T.INT), T.STR), ((T.STR, T.STR), T.STR), ((T.STR, T.STR), T.INT), ((T.LIST_STR,), T.LIST_STR),
               ((T.INT,), T.STR),
    ((T.STR,), T.LIST_STR), ((T.DICT_STR_INT,), T.INT), ((T.LIST_STR,), T.DICT_STR_INT),
)


def function_builder(program: Program, kinds: tuple[str, ...]) -> Builder:
    """A builder for a function with parameters of the kinds and no others."""
    builder = Builder(program, len(kinds))
    for kind in kinds:
        builder.parameter(kind)
    builder.variables.reverse()
    return builder


def helper(program: Program, style: Style) -> Helper:
    """A plain helper function."""
    rng = program.rng
    kinds, result = rng.choice(_SIGNATURES)
    name = claim(program, HELPERS)
    builder = function_builder(program, kinds)
    keywords = ()
    header = None
    if rng.random() < 0.25:
        keyword = builder.names.fresh(("step", "limit", "extra", "start", "bonus", "size", "times"))
        default = rng.randrange(1, 10)
        keywords = ((keyword, "digit"),)
        plain = signature(name, builder, style, result)
        before, after = plain.rsplit(")", 1)
        header = f"{before}, {keyword}{': int = ' if style.hints else '='}{default}){after}"
        builder.variables.append(Variable(keyword, T.INT))
        program.tag("default-argument")
    helper_body(builder, result)
    define(program, [header or signature(name, builder, style, result), *builder.lines])
    made = Helper(name, kinds, result, keywords)
    program.helpers.append(made)
    program.tag("helper")
    return made


def claim(program: Program, choices: tuple[str, ...]) -> str:
    """A module-level name that the program does not use yet."""
    rng = program.rng
    name = rng.choice(choices)
    number = 2
    while name in program.globals:
        name = rng.choice(choices) if number < 6 else f"{name}{number}"
        number += 1
    program.globals.add(name)
    return name


def define(program: Program, lines: list[str]) -> None:
    program.definitions.append(lines)


def returned(builder: Builder, type_: str, depth: int = 1) -> str:
    """An expression of the type that reads a variable, where one is found."""
    for variable in builder.rng.sample(builder.variables, len(builder.variables)):
        text = builder.on(variable, type_)
        if text is not None:
            return text
    return builder.text(type_, depth)


def _unlike(builder: Builder, type_: str, used: list[str]) -> str:
    """An expression of the type that the function does not return yet, where one is found."""
    for _ in range(4):
        text = returned(builder, type_)
        if text not in used:
            break
    return text


def helper_body(builder: Builder, result: str) -> None:
    """A body that returns the type."""
    rng = builder.rng
    part = rng.random()
    first = builder.variables[0]
    if part < 0.25:
        builder.emit(f"return {returned(builder, result, 2)}")
    elif part < 0.55:
        used: list[str] = []
        for position in range(rng.choice((1, 1, 2))):
            with builder.block(f"if {builder.condition_on(first)}:"):
                used.append(_unlike(builder, result, used) if rng.random() < 0.7 else builder.constant(result)[0])
                builder.emit(f"return {used[-1]}")
        builder.emit(f"return {_unlike(builder, result, used)}")
    elif part < 0.7:
        rng.choice((branch, assignment, conditional_change))(builder)
        builder.emit(f"return {returned(builder, result)}")
    elif part < 0.8:
        builder.emit(f"return {returned(builder, result)} if {builder.condition_on(first)} else {returned(builder, result)}")
    elif first.type in (T.STR, T.LIST_INT, T.LIST_STR, T.DICT_STR_INT):
        made = loop_idiom(builder, first)
        builder.emit(f"return {made.name}" if made.type == result
                     else f"return {builder.on(made, result) or returned(builder, result)}")
    else:
        local = builder.local(result, returned(builder, result))
        builder.emit(f"return {local.name}")


def star_function(program: Program, style: Style) -> Helper:
    """A function with `*values`, perhaps with keywords."""
    rng = program.rng
    name = claim(program, HELPERS)
    builder = Builder(program, 0)
    values = builder.names.fresh(("args", "values", "numbers", "nums", "items"))
    keyword = builder.names.fresh(("start", "scale", "default_", "bonus", "limit"))
    default = rng.randrange(10)
    with_keywords = rng.random() < 0.25
    options = builder.names.fresh(("options", "kwargs", "extra"))
    builder.bind(values, T.TUPLE_INT)
    builder.bind(keyword, T.INT)
    header = f"def {name}(*{values}, {keyword}={default}{', **' + options if with_keywords else ''}):"
    total = builder.names.fresh(("total", "result", "acc"))
    if rng.random() < 0.6:
        builder.emit(f"{total} = {keyword}")
        item = builder.names.element(T.INT)
        with builder.block(f"for {item} in {values}:"):
            builder.emit(rng.choice((f"{total} += {item}", f"{total} = max({total}, {item})",
                                     f"{total} = {total} * 2 - {item}")))
    else:
        builder.emit(f"{total} = sum({values}) {rng.choice('+-*')} {keyword}")
    if with_keywords:
        key, value = builder.names.fresh(("k", "key_")), builder.names.fresh(("v", "val"))
        with builder.block(f"for {key}, {value} in {options}.items():"):
            builder.emit(f"{total} += {value} * len({key})")
        program.tag("star-keywords")
    builder.emit(f"return {total}")
    define(program, [header, *builder.lines])
    program.tag("star-arguments")
    extra = ((rng.choice(("width", "size", "bb")), "digit"),) if with_keywords else ()
    made = Helper(name, (T.INT,) * rng.choice((1, 2, 3)), T.INT, extra)
    spread = Helper(name, (T.LIST_INT,), T.INT, (), "{0}(*{1})")
    program.helpers.append(rng.choice((made, spread)))
    return program.helpers[-1]


def decorated(program: Program, style: Style) -> Helper:
    """A decorator and a function under it."""
    rng = program.rng
    decorator, name = claim(program, ("twice", "logged", "bounded", "plus_one", "negated", "wrapped",
                                      "traced")), claim(program, HELPERS)
    inner, arg = rng.choice(("wrapper", "inner_call", "wrapped_call")), rng.choice(("x", "n", "value", "arg"))
    func = rng.choice(("func", "fn", "function", "g"))
    result = rng.choice((f"{func}({arg}) * 2", f"{func}({func}({arg}))", f"max({func}({arg}), 0)",
                         f"{func}({arg}) + {rng.randrange(1, 9)}", f"-{func}({arg})"))
    lines = [f"def {decorator}({func}):", f"\tdef {inner}({arg}):"]
    if rng.random() < 0.3:
        program.need("import functools")
        lines.insert(1, f"\t@functools.wraps({func})")
    if rng.random() < 0.4:
        local = rng.choice(("result", "out", "value_"))
        lines += [f"\t\t{local} = {result}", f"\t\treturn {local}"]
    else:
        lines.append(f"\t\treturn {result}")
    lines.append(f"\treturn {inner}")
    define(program, lines)
    builder = function_builder(program, (T.INT,))
    builder.emit(f"return {returned(builder, T.INT)}")
    define(program, [f"@{decorator}", signature(name, builder, style, T.INT), *builder.lines])
    program.tag("decorator")
    program.helpers.append(Helper(name, (T.INT,), T.INT))
    return program.helpers[-1]
