"""Short programs: one function made of one or two idioms and random statements around them."""

from __future__ import annotations

import random

from . import types as T
from .builder import Builder, Program, Variable
from .idioms import IDIOMS
from .names import ENTRY, VERBS
from .raising import trouble
from .sample import Sample, Style, assemble, signature
from .statements import early_return, statement

_DOCSTRINGS = ("Return the result.", "Compute the answer.", "Process the input.", "Helper for the report.",
               "See the tests.")


def short(rng: random.Random, raising: bool = False) -> Sample:
    """One short program; the caller checks it."""
    program = Program(rng, raising)
    style = Style(program)
    builder = Builder(program, rng.choice((1, 2, 2, 3)))
    name = rng.choice(ENTRY) if rng.random() < 0.8 else rng.choice(VERBS)
    program.globals.add(name)
    builder.names.reserve(name)
    program.tag("short")
    result = body(builder, rng.choice((1, 1, 1, 2, 2)), rng.choice((0, 0, 1, 1, 2)))
    lines = [signature(name, builder, style, result), *builder.lines]
    if rng.random() < 0.04:
        lines.insert(1, f'\t"""{rng.choice(_DOCSTRINGS)}"""')
    return assemble(program, style, [lines], name, builder)


def body(builder: Builder, idioms: int, statements: int) -> str | None:
    """Write a function's body: idioms and statements in random order, then the return. Gives the returned type."""
    rng = builder.rng
    plan = ["idiom"] * idioms + ["statement"] * statements
    rng.shuffle(plan)
    if builder.program.raising:
        plan.insert(rng.randrange(len(plan) + 1), "trouble")
    made: list[Variable] = []
    if rng.random() < 0.2:
        early_return(builder)
    for step in plan:
        if step == "idiom":
            idiom = rng.choice(IDIOMS)
            builder.program.tag(idiom.__name__)
            variable = idiom(builder, made[-1] if made and rng.random() < 0.7 else None)
        elif step == "trouble":
            variable = trouble(builder)
        else:
            variable = statement(builder)
        if variable is not None:
            made.append(variable)
    return finish(builder, made)


def finish(builder: Builder, made: list[Variable]) -> str | None:
    """The return statement, mostly of what the body made last."""
    rng = builder.rng
    if not made:
        type_ = rng.choice((T.INT, T.STR, T.BOOL, T.LIST_INT))
        builder.emit(f"return {builder.text(type_, 2)}")
        return type_
    last = made[-1]
    part = rng.random()
    if part < 0.62:
        builder.emit(f"return {last.name}")
        return last.type
    if len(made) > 1 and part < 0.75 and made[-2].name != last.name:
        builder.emit(f"return {made[-2].name}, {last.name}")
        return None
    type_ = rng.choice((last.type, T.INT, T.STR, T.BOOL))
    text = _using(builder, type_, last)
    builder.emit(f"return {text}")
    return type_


def _using(builder: Builder, type_: str, variable: Variable) -> str:
    """An expression of the type that mentions the variable, when one is found in a few draws."""
    for _ in range(6):
        text = builder.text(type_, 1)
        if variable.name in text:
            return text
    return variable.name
