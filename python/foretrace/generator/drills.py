"""Drills: one function of one to four statements, each one operation on values that vary widely."""

from __future__ import annotations

import random

from . import types as T
from .builder import Builder, Program, Text, Variable
from .catalogue import ALL_CHANGES, ALL_VALUES, BY_RECEIVER, CHANGES_BY_RECEIVER, RISKY_CHANGES, RISKY_VALUES
from .drill_shapes import SHAPES
from .names import ENTRY
from .operations import ATOM, Operation
from .sample import Sample, Style, assemble, signature


def drill(rng: random.Random, raising: bool = False) -> Sample:
    """One drill; whether it raises is left to chance, so the caller checks it."""
    builder = _builder(rng, raising, rng.choice((1, 2, 2, 3)))
    last = _statements(builder, rng.choice((1, 1, 2, 2, 2, 3, 3, 4)))
    return _finished(builder, last.type if last else None)


def drill_of(rng: random.Random, operation: Operation) -> Sample:
    """A drill of one given operation: for even coverage, or to measure a model operation by operation."""
    builder = _builder(rng, False, 3)
    if operation.result == T.NONE:
        result = _changed(builder, operation, None)
    else:
        result = builder.local(operation.result, _applied(builder, operation, None))
        builder.program.tag(operation.key)
    builder.emit(f"return {result.name}")
    return _finished(builder, result.type)


def _builder(rng: random.Random, raising: bool, parameters: int) -> Builder:
    program = Program(rng, raising)
    builder = Builder(program, parameters)
    program.globals.add(builder.names.reserve(rng.choice(ENTRY)))
    return builder


def _finished(builder: Builder, result: str | None) -> Sample:
    program = builder.program
    style = Style(program)
    name = min(program.globals)
    program.tag("drill")
    lines = [signature(name, builder, style, result), *builder.lines]
    return assemble(program, style, [lines], name, builder)


def _statements(builder: Builder, count: int) -> Variable | None:
    """Write the statements and the return; gives the variable returned, None for an expression."""
    rng = builder.rng
    last: Variable | None = None
    for position in range(count):
        part = rng.random()
        if part < 0.13:
            last = rng.choice(SHAPES)(builder, last) or last
            builder.program.tag("shape")
        elif part < 0.36:
            last = _change(builder, last)
        else:
            operation = _pick(builder, last)
            text = _applied(builder, operation, last)
            builder.program.tag(operation.key)
            if position == count - 1 and rng.random() < 0.5:
                builder.emit(f"return {text}")
                return None
            known = builder.of_type(operation.result)
            if known and rng.random() < 0.2:
                last = rng.choice(known)
                builder.emit(f"{last.name} = {text}")
            else:
                last = builder.local(operation.result, text)
    builder.emit(f"return {last.name}" if last else "return None")
    return last


def _pick(builder: Builder, last: Variable | None) -> Operation:
    if builder.program.raising and builder.rng.random() < 0.7:
        return RISKY_VALUES.draw(builder.rng)
    if builder.rng.random() < 0.4:  # every operation alike, so that the rare ones are learned too
        return builder.rng.choice(ALL_VALUES.operations)
    if last is not None and last.type in BY_RECEIVER and builder.rng.random() < 0.65:
        return BY_RECEIVER[last.type].draw(builder.rng)
    return ALL_VALUES.draw(builder.rng)


def _change(builder: Builder, last: Variable | None) -> Variable:
    """A statement that changes a variable."""
    rng = builder.rng
    if last is not None and last.type in CHANGES_BY_RECEIVER and rng.random() < 0.6:
        return _changed(builder, CHANGES_BY_RECEIVER[last.type].draw(rng), last)
    table = RISKY_CHANGES if builder.program.raising else ALL_CHANGES
    operation = table.draw(rng) if rng.random() < 0.6 else rng.choice(table.operations)
    known = builder.of_type(T.type_of(operation.arguments[0]))
    return _changed(builder, operation, rng.choice(known) if known and rng.random() < 0.4 else None)


def _changed(builder: Builder, operation: Operation, target: Variable | None) -> Variable:
    """Write the changing statement; its target is a new parameter or local where none is given."""
    kind = operation.arguments[0]
    if target is None and len(builder.parameters) < builder.parameter_limit:
        target = builder.parameter(kind)
    elif target is None:
        target = builder.local(kind, builder.pool.literal(kind))
    arguments: list[Text] = [(target.name, ATOM)]
    arguments += [argument(builder, kind, target) for kind in operation.arguments[1:]]
    builder.emit(operation.render(arguments))
    builder.program.need(operation.module)
    builder.program.tag(operation.key)
    return target


def _applied(builder: Builder, operation: Operation, last: Variable | None) -> str:
    """The operation's text with a variable as first argument."""
    kind = operation.arguments[0]
    type_ = T.type_of(kind)
    rng = builder.rng
    if last is not None and last.type == type_ and (kind not in T.STRICT or last.kind == kind) and rng.random() < 0.8:
        first = last
    else:
        first = _receiver(builder, kind)
    formatted = isinstance(operation.pieces[0], str) and "f'" in operation.pieces[0]
    arguments: list[Text] = [(first.name, ATOM)]
    for other in operation.arguments[1:]:
        text = argument(builder, other, first)
        if formatted and set(text[0]) & set("'\"\\{"):
            text = (_receiver(builder, other).name, ATOM)
        arguments.append(text)
    builder.program.need(operation.module)
    return operation.render(arguments)


def _receiver(builder: Builder, kind: str) -> Variable:
    same = [v for v in builder.variables if v.kind == kind]
    if same and builder.rng.random() < 0.5:
        return builder.rng.choice(same)
    if len(builder.parameters) < builder.parameter_limit:
        return builder.parameter(kind)
    known = same or builder.of_type(T.type_of(kind))
    if known and (same or kind not in T.STRICT):
        return builder.rng.choice(known)
    return builder.local(kind, builder.pool.literal(kind))


def argument(builder: Builder, kind: str, first: Variable) -> Text:
    """A further argument: a variable of the kind, a new parameter, or a literal taken from the first's value."""
    rng = builder.rng
    same = [v for v in builder.variables if v.kind == kind and v is not first]
    part = rng.random()
    if same and part < 0.5:  # not the first argument again: `x == x` teaches nothing
        return rng.choice(same).name, ATOM
    related = _related(builder, kind, first.value)
    if len(builder.parameters) < builder.parameter_limit and part < 0.75:
        return builder.parameter(kind, related).name, ATOM
    if related is not None:
        return repr(related), ATOM if not isinstance(related, int) else 11
    return builder.constant(kind)


def _related(builder: Builder, kind: str, value: object) -> object:
    """A value found inside the first argument's value, three times out of four."""
    if not value or builder.rng.random() < (0.9 if builder.program.raising else 0.25):
        return None
    pool, rng = builder.pool, builder.rng
    if kind in ("sub", "char") and isinstance(value, str):
        return rng.choice(value) if kind == "char" else pool.part_of(value)
    if kind == "key" and isinstance(value, (list, dict, set)):
        items = sorted(item for item in value if isinstance(item, str))
        return rng.choice(items) if items else None
    if kind == "element" and isinstance(value, (list, dict, set, tuple)):
        items = sorted(item for item in value if isinstance(item, int))
        return rng.choice(items) if items else None
    if kind == T.LIST_INT and isinstance(value, list) and isinstance(value[0], list):
        return rng.choice(value)
    if kind == "index" and isinstance(value, (str, list, tuple)):
        return rng.randrange(-len(value), len(value))
    return None
