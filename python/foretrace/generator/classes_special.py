"""Classes built around special methods: iterators, ordered values, arithmetic with reflected operands, attribute access."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Program, Variable
from .functions import claim, define
from .names import ATTRIBUTES, CLASSES
from .sample import Style


def iterator_class(program: Program, style: Style) -> None:
    """A class with `__iter__` and `__next__`."""
    rng = program.rng
    name = claim(program, ("Countdown", "Stepper", "Doubler", "Span", "Every", "Upto"))
    limit, current = rng.choice(("limit", "end_", "top")), rng.choice(("current", "at", "position"))
    step = rng.choice(("+= 1", "+= 2", "+= 3"))
    define(program, [f"class {name}:", f"\tdef __init__(self, {limit}):", f"\t\tself.{limit} = {limit}",
                     f"\t\tself.{current} = {rng.randrange(3)}", "",
                     "\tdef __iter__(self):", "\t\treturn self", "", "\tdef __next__(self):",
                     f"\t\tif self.{current} >= self.{limit}:", "\t\t\traise StopIteration",
                     f"\t\tself.{current} {step}", f"\t\treturn self.{current}{rng.choice(('', ' * 2', ' - 1'))}"])
    program.tag("iterator-class")

    def use(builder: Builder) -> Variable:
        size = builder.expression("shift", 0)[0]
        if rng.random() < 0.5:
            return builder.local(T.LIST_INT, f"list({name}({size}))")
        total, item = builder.local(T.INT, "0", builder.names.accumulator(T.INT)), builder.names.element(T.INT)
        with builder.block(f"for {item} in {name}({size}):"):
            builder.emit(f"{total.name} += {item}")
        return total

    program.uses.append(use)


def ordered_class(program: Program, style: Style) -> None:
    """A class with two comparisons, perhaps a hash, and objects sorted or compared by them."""
    rng = program.rng
    name, a = claim(program, CLASSES), rng.choice(ATTRIBUTES[T.INT])
    symbols = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__ne__": "!="}
    special = rng.choice(tuple(symbols))
    lines = [f"class {name}:", f"\tdef __init__(self, {a}):", f"\t\tself.{a} = {a}", "",
             f"\tdef {special}(self, other):",
             f"\t\treturn self.{a} {rng.choice(('', '% 10 '))}{symbols[special]} other.{a}"]
    hashed = special == "__ne__" or rng.random() < 0.25
    if hashed:
        lines += ["", "\tdef __eq__(self, other):", f"\t\treturn self.{a} == other.{a}", "", "\tdef __hash__(self):",
                  f"\t\treturn self.{a}"]
    define(program, lines)
    program.tag(special)

    def use(builder: Builder) -> Variable:
        first, second = builder.names.fresh(("one", "left_one", "p")), builder.names.fresh(("two", "right_one", "q"))
        builder.emit(f"{first} = {name}({builder.expression(T.INT, 0)[0]})")
        builder.emit(f"{second} = {name}({rng.randrange(50)})")
        if special == "__lt__" and rng.random() < 0.6:
            return builder.local(T.LIST_INT,
                                 f"[o.{a} for o in sorted([{first}, {second}, {name}({rng.randrange(50)})])]")
        if hashed and rng.random() < 0.5:
            return builder.local(T.INT, f"len({{{first}, {second}, {name}({rng.randrange(50)})}})")
        return builder.local(T.BOOL, f"{first} {symbols[special]} {second}")

    program.uses.append(use)


def arithmetic_class(program: Program, style: Style) -> None:
    """A value class with arithmetic, also with the plain number on the left."""
    rng = program.rng
    name = claim(program, ("Money", "Length", "Vec", "Mod", "Weight", "Score2"))
    special, symbol = rng.choice((("__truediv__", "/"), ("__floordiv__", "//"), ("__mod__", "%"), ("__radd__", "+"),
                                  ("__sub__", "-")))
    lines = [f"class {name}:", "\tdef __init__(self, v):", "\t\tself.v = v", "", "\tdef __repr__(self):",
             f"\t\treturn f'{name}({{self.v}})'", "", f"\tdef {special}(self, other):"]
    lines.append(f"\t\treturn {name}(self.v {symbol} other)")
    define(program, lines)
    program.tag(special)

    def use(builder: Builder) -> Variable:
        held = builder.names.fresh(("m", "v1", "amount_", "w"))
        builder.emit(f"{held} = {name}({builder.expression(T.INT, 0)[0]})")
        other = rng.randrange(1, 12)
        builder.emit(f"{held} = {other} + {held}" if special == "__radd__" else f"{held} = {held} {symbol} {other}")
        return builder.local(T.FLOAT if special == "__truediv__" else T.INT, f"{held}.v")

    program.uses.append(use)


def attribute_bag(program: Program, style: Style) -> None:
    """Attributes read and set by name."""
    rng = program.rng
    name = claim(program, ("Settings", "Config", "Options", "State", "Profile"))
    first, second = rng.sample(("size", "depth", "speed", "limit", "mode", "level"), 2)
    define(program, [f"class {name}:", f"\t{first} = {rng.randrange(20)}"])
    program.tag("attributes")

    def use(builder: Builder) -> Variable:
        held = builder.names.fresh(("cfg", "settings", "opts", "bag"))
        builder.emit(f"{held} = {name}()")
        builder.emit(f"setattr({held}, {second!r}, {builder.expression(T.INT, 0)[0]})")
        if rng.random() < 0.4:
            builder.emit(f"{held}.{first} += {rng.randrange(1, 9)}")
        return rng.choice((lambda: builder.local(T.INT, f"getattr({held}, {rng.choice((first, second, 'missing'))!r}, {rng.randrange(9)})"),
                           lambda: builder.local(T.BOOL, f"hasattr({held}, {rng.choice((first, second, 'missing'))!r})"),
                           lambda: builder.local(T.DICT_STR_INT, f"dict(vars({held}))"),
                           lambda: builder.local(T.DICT_STR_INT, f"dict({held}.__dict__)")))()

    program.uses.append(use)
