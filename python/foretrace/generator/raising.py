"""Statements that are likely to raise, for programs whose run is meant to end in an uncaught exception."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Variable
from .statements import ensure_source

ERRORS = ("ValueError", "TypeError", "KeyError", "IndexError", "RuntimeError", "Exception", "LookupError",
          "ArithmeticError",
          "NotImplementedError", "OverflowError")
MESSAGES = ("bad value", "empty", "too small", "too large", "not found", "invalid input", "no items", "negative",
            "unexpected", "stop")


def error_call(builder: Builder, variable: Variable | None = None) -> str:
    """An exception being made: `ValueError('bad value')`."""
    rng = builder.rng
    name = rng.choice(ERRORS[:5]) if rng.random() < 0.75 else rng.choice(ERRORS)
    part = rng.random()
    if variable is not None and part < 0.2:
        return f"{name}({variable.name})"
    if variable is not None and part < 0.4:
        return f"{name}(f'{rng.choice(MESSAGES)}: {{{variable.name}}}')"
    return f"{name}({rng.choice(MESSAGES)!r})"


def trouble(builder: Builder) -> Variable | None:
    """A statement that often raises."""
    rng = builder.rng
    part = rng.random()
    if part < 0.35:
        variable = ensure_source(builder)
        with builder.block(f"if {builder.condition_on(variable)}:"):
            builder.emit(f"raise {error_call(builder, variable)}")
        return None
    if part < 0.5:
        variable = ensure_source(builder)
        message = f", {rng.choice(MESSAGES)!r}" if rng.random() < 0.5 else ""
        builder.emit(f"assert {builder.condition_on(variable)}{message}")
        return None
    return rng.choice((_index, _key, _convert, _divide, _remove, _missing_type, _unpack))(builder)


def _index(builder: Builder) -> Variable:
    list_ = builder.source(builder.rng.choice((T.LIST_INT, T.LIST_STR, T.STR)))
    return builder.local(T.ELEMENT[list_.type], f"{list_.name}[{builder.rng.randrange(2, 8)}]")


def _key(builder: Builder) -> Variable:
    table = builder.source(T.DICT_STR_INT)
    return builder.local(T.INT, f"{table.name}[{builder.pool.value('key')!r}]")


def _convert(builder: Builder) -> Variable:
    return builder.local(T.INT, f"int({builder.source(T.STR).name})")


def _divide(builder: Builder) -> Variable:
    number, other = builder.source(T.INT), builder.source(T.LIST_INT)
    under = builder.rng.choice((f"len({other.name}[{builder.rng.randrange(2, 6)}:])",
                                f"{other.name}.count({builder.rng.randrange(99)})",
                                f"({number.name} % {builder.rng.randrange(1, 4)})"))
    return builder.local(T.INT, f"{number.name} {builder.rng.choice(('//', '%', '/'))} {under}")


def _remove(builder: Builder) -> Variable:
    list_ = builder.source(T.LIST_INT)
    builder.emit(f"{list_.name}.remove({builder.rng.randrange(40)})")
    return list_


def _missing_type(builder: Builder) -> Variable:
    builder.program.tag("raises-type")
    text, number = builder.source(T.STR), builder.source(T.INT)
    return builder.local(T.STR, builder.rng.choice((f"{text.name} + {number.name}", f"{number.name} + {text.name}",
                                                    f"len({number.name})",
                                                    f"{number.name}[0]", f"None + {number.name}",
                                                    f"{text.name} - {text.name}",
                                                    f"{number.name}.upper()", f"{text.name}.append({number.name})")))


def _unpack(builder: Builder) -> Variable:
    list_ = builder.source(T.LIST_INT)
    first, second = builder.names.variable(T.INT), builder.names.variable(T.INT)
    builder.emit(f"{first}, {second} = {list_.name}")
    builder.bind(first, T.INT)
    return builder.bind(second, T.INT)
