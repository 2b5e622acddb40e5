"""Random typed statements: assignments, changes, branches, guards."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .catalogue import CHANGES_BY_RECEIVER
from .operations import ATOM

_RESULTS = (T.INT, T.INT, T.INT, T.STR, T.STR, T.LIST_INT, T.LIST_STR, T.BOOL, T.FLOAT, T.DICT_STR_INT, T.SET_INT)


def statement(builder: Builder) -> Variable | None:
    """One random statement; gives the variable it sets."""
    part = builder.rng.random()
    if part < 0.4:
        return assignment(builder)
    if part < 0.6:
        return change(builder)
    if part < 0.85:
        return branch(builder)
    return conditional_change(builder)


def assignment(builder: Builder) -> Variable:
    """A new variable from an expression of one or two operations, or a reassignment."""
    rng = builder.rng
    ensure_source(builder)
    type_ = rng.choice(_RESULTS)
    text = builder.text(type_, rng.choice((1, 1, 2)))
    known = builder.of_type(type_)
    if known and rng.random() < 0.35:
        variable = rng.choice(known)
        if variable.name not in builder.locked:
            builder.emit(f"{variable.name} = {text}")
            return variable
    return builder.local(type_, text)


def ensure_source(builder: Builder) -> Variable:
    """At least one variable to work on."""
    return builder.rng.choice(builder.variables) if builder.variables else builder.source(
        builder.rng.choice((T.STR, T.LIST_INT, T.INT, T.LIST_STR)))


def change(builder: Builder, target: Variable | None = None) -> Variable | None:
    """A statement that changes a variable in place or by augmented assignment; None when there is nothing to change."""
    rng = builder.rng
    if target is None:
        known = [v for v in builder.variables if v.type in CHANGES_BY_RECEIVER and v.name not in builder.locked]
        target = rng.choice(known) if known else builder.source(rng.choice((T.INT, T.STR, T.LIST_INT, T.DICT_STR_INT)))
    for _ in range(4):
        operation = CHANGES_BY_RECEIVER[target.type].draw(rng)
        if not operation.risky:
            break
    arguments = [(target.name, ATOM)] + [builder.expression(kind, 0 if rng.random() < 0.6 else 1)
                                         for kind in operation.arguments[1:]]
    builder.program.need(operation.module)
    builder.emit(operation.render(arguments))
    return target


def branch(builder: Builder) -> Variable:
    """if / elif / else that all set one variable."""
    rng = builder.rng
    tested = ensure_source(builder)
    type_ = rng.choice((T.INT, T.STR, T.STR, T.INT, T.BOOL, T.LIST_INT))
    name = builder.names.accumulator(type_)
    with builder.block(f"if {builder.condition_on(tested)}:"):
        builder.emit(f"{name} = {builder.text(type_, 1)}")
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        with builder.block(f"elif {builder.condition_on(tested)}:"):
            builder.emit(f"{name} = {builder.text(type_, 1)}")
    with builder.block("else:"):
        builder.emit(f"{name} = {builder.text(type_, rng.choice((0, 1)))}")
    return builder.bind(name, type_)


def conditional_change(builder: Builder) -> Variable | None:
    """An if, perhaps with an else, around a change."""
    tested = ensure_source(builder)
    target = None
    with builder.block(f"if {builder.condition_on(tested)}:"):
        target = change(builder)
    if builder.rng.random() < 0.4 and target in builder.variables:
        with builder.block("else:"):
            change(builder, target)
    return target if target in builder.variables else None


def early_return(builder: Builder) -> None:
    """A guard at the top of a function."""
    rng = builder.rng
    tested = ensure_source(builder)
    part = rng.random()
    if part < 0.5 and tested.type not in (T.INT, T.FLOAT, T.BOOL):
        condition = f"not {tested.name}"
    else:
        condition = builder.condition_on(tested)
    value = rng.choice(("None", "0", "-1", "[]", "''", "False", builder.constant(tested.kind)[0]
                        if tested.kind == tested.type and tested.value is not None else "0"))
    with builder.block(f"if {condition}:"):
        builder.emit(f"return {value}")
