"""Classes with state and methods, special methods, properties, inheritance, context managers, dataclasses."""

from __future__ import annotations

from . import types as T
from .builder import Builder, Program, Variable
from .functions import claim, define
from .names import ATTRIBUTES, CLASSES, METHODS
from .sample import Style

_REPR = ("f'{name}({{self.{a}}})'", "f'<{name} {{self.{a}!r}}>'", "'{name}:' + str(self.{a})",
         "'{name}(%r)' % self.{a}")


def number_class(program: Program, style: Style) -> None:
    """A class around one integer that methods change."""
    rng = program.rng
    name, attribute = claim(program, CLASSES), rng.choice(ATTRIBUTES[T.INT])
    methods = rng.sample(METHODS, 2)
    default = f"={rng.randrange(10)}" if rng.random() < 0.4 else ""
    a = attribute
    lines = [f"class {name}:"]
    if rng.random() < 0.1:
        lines.append(f"\t{rng.choice(('LIMIT', 'STEP', 'RATE'))} = {rng.randrange(2, 10)}")
    if rng.random() < 0.08:
        lines.append(f"\t__slots__ = ('{a}',)")
    lines += [f"\tdef __init__(self, {a}{default}):", f"\t\tself.{a} = {a}", ""]
    for method in methods:
        lines += [f"\tdef {method}(self, amount):", *_number_method(program, a), ""]
    has_property = rng.random() < 0.35
    derived = rng.choice(("doubled", "is_big", "as_text", "half"))
    if has_property:
        value = {"doubled": f"self.{a} * 2", "is_big": f"self.{a} > {rng.randrange(5, 50)}",
                 "as_text": f"str(self.{a})", "half": f"self.{a} // 2"}[derived]
        lines += ["\t@property", f"\tdef {derived}(self):", f"\t\treturn {value}", ""]
        program.tag("property")
    if rng.random() < 0.4:
        lines += ["\tdef __repr__(self):", "\t\treturn " + rng.choice(_REPR).format(name=name, a=a), ""]
    special = rng.choice((None, "__add__", "__eq__", "__lt__", "__len__", "__call__", "__sub__", "__mul__", "__neg__",
                          "__bool__", "__str__", "__iadd__"))
    if special:
        lines += [*_special(special, name, a), ""]
        program.tag(special)
    static = rng.random() < 0.15
    if static:
        lines += ["\t@staticmethod", "\tdef scale(x):", f"\t\treturn x * {rng.randrange(2, 6)}", ""]
    built = rng.random() < 0.12
    if built:
        lines += ["\t@classmethod", "\tdef parse_from(cls, text):", "\t\treturn cls(len(text))", ""]
    define(program, lines[:-1])
    program.tag("class")

    def use(builder: Builder) -> Variable | None:
        held = builder.names.fresh(("obj", "item_", "thing", name.lower(), "it", "first_"))
        make = (f"{name}.parse_from({builder.expression(T.STR, 0)[0]})" if built and rng.random() < 0.7
                else f"{name}({builder.expression(T.INT, 0)[0] if not default or rng.random() < 0.6 else ''})")
        builder.emit(f"{held} = {make}")
        loops = rng.random()
        if loops < 0.35:
            numbers, n = builder.source(T.LIST_INT), builder.names.element(T.INT)
            with builder.block(f"for {n} in {numbers.name}:"):
                builder.emit(f"{held}.{methods[0]}({n})")
        else:
            for method in rng.choice((methods, methods[:1], methods + methods[:1])):
                builder.emit(f"{held}.{method}({builder.expression(T.INT, 0)[0] if rng.random() < 0.5 else rng.randrange(1, 30)})")
        if special:
            _use_special(builder, special, name, held)
        if static:
            return builder.local(T.INT, f"{name}.scale({held}.{a})")
        if has_property and rng.random() < 0.6:
            return builder.local({"doubled": T.INT, "half": T.INT, "is_big": T.BOOL, "as_text": T.STR}[derived],
                                 f"{held}.{derived}")
        return builder.local(T.INT, f"{held}.{a}")

    program.uses.append(use)


def _number_method(program: Program, a: str) -> list[str]:
    rng = program.rng
    part = rng.random()
    change = rng.choice((f"self.{a} += amount", f"self.{a} -= amount", f"self.{a} = max(self.{a}, amount)",
                         f"self.{a} += amount * 2", f"self.{a} = amount - self.{a}"))
    if part < 0.35:
        return [f"\t\t{change}"]
    if part < 0.6:
        return [f"\t\tif amount {rng.choice(('> ', '< ', '>= '))}{rng.choice((f'self.{a}', str(rng.randrange(30))))}:",
                f"\t\t\t{change}", f"\t\treturn self.{a}"]
    if part < 0.75:
        return [f"\t\tif amount < 0:", "\t\t\treturn False", f"\t\t{change}", "\t\treturn True"]
    return [f"\t\t{change}", f"\t\treturn {rng.choice(('self', f'self.{a}', f'self.{a} * 2'))}"]


def _special(special: str, name: str, a: str) -> list[str]:
    bodies = {
        "__add__": ["other", f"return {name}(self.{a} + other.{a})"],
        "__sub__": ["other", f"return {name}(self.{a} - other.{a})"],
        "__mul__": ["factor", f"return {name}(self.{a} * factor)"],
        "__iadd__": ["other", f"self.{a} += other.{a}\n\t\treturn self"],
        "__eq__": ["other", f"return self.{a} == other.{a}"],
        "__lt__": ["other", f"return self.{a} < other.{a}"],
        "__len__": ["", f"return abs(self.{a})"],
        "__neg__": ["", f"return {name}(-self.{a})"],
        "__bool__": ["", f"return self.{a} > 0"],
        "__str__": ["", f"return '{name[0]}' + str(self.{a})"],
        "__call__": ["x", f"return self.{a} + x"],
    }
    argument, body = bodies[special]
    return [f"\tdef {special}(self{', ' + argument if argument else ''}):",
            *(f"\t\t{line.strip()}" for line in body.split("\n"))]


def _use_special(builder: Builder, special: str, name: str, held: str) -> None:
    rng = builder.rng
    other = f"{name}({rng.randrange(20)})"
    forms = {"__add__": f"{held} = {held} + {other}", "__sub__": f"{held} = {held} - {other}",
             "__mul__": f"{held} = {held} * {rng.randrange(2, 5)}",
             "__iadd__": f"{held} += {other}", "__neg__": f"{held} = -{held}"}
    if special in forms:
        builder.emit(forms[special])
        return
    values = {"__eq__": (T.BOOL, f"{held} == {other}"), "__lt__": (T.BOOL, f"{held} < {other}"),
              "__len__": (T.INT, f"len({held})"),
              "__bool__": (T.BOOL, f"bool({held})"), "__str__": (T.STR, f"str({held})"),
              "__call__": (T.INT, f"{held}({rng.randrange(20)})")}
    builder.local(*values[special])


def list_class(program: Program, style: Style) -> None:
    """A class around a list: stack, queue, log; with length, iteration, item access."""
    rng = program.rng
    name, a = claim(program, CLASSES), rng.choice(ATTRIBUTES[T.LIST_INT])
    put, take = rng.choice((("push", "pop_last"), ("add_item", "take"), ("enqueue", "dequeue"), ("put", "get_one"),
                            ("store", "fetch")))
    lines = [f"class {name}:", "\tdef __init__(self):", f"\t\tself.{a} = []", "", f"\tdef {put}(self, value):"]
    if rng.random() < 0.3:
        lines += [f"\t\tif value in self.{a}:", "\t\t\treturn False"]
    lines += [f"\t\tself.{a}.{rng.choice(('append(value)', 'append(value)', 'insert(0, value)'))}", "",
              f"\tdef {take}(self):",
              f"\t\tif not self.{a}:", f"\t\t\treturn {rng.choice(('None', '-1', '0'))}",
              f"\t\treturn self.{a}.pop({rng.choice(('', '0'))})"]
    extra = rng.choice(("__len__", "__iter__", "__contains__", "__getitem__", "__setitem__", "total_value",
                        "__delitem__"))
    body = {"__len__": ("", f"return len(self.{a})"), "__iter__": ("", f"return iter(self.{a})"),
            "__contains__": (", x", f"return x in self.{a}"),
            "__getitem__": (", i", f"return self.{a}[i]"), "total_value": ("", f"return sum(self.{a})"),
            "__setitem__": (", i, value", f"self.{a}[i] = value"), "__delitem__": (", i", f"del self.{a}[i]")}[extra]
    lines += ["", f"\tdef {extra}(self{body[0]}):", f"\t\t{body[1]}"]
    define(program, lines)
    program.tag("class")
    program.tag(extra)

    def use(builder: Builder) -> Variable:
        held = builder.names.fresh(("stack", "queue", "box", "log_", "store", "q"))
        builder.emit(f"{held} = {name}()")
        numbers, n = builder.source("filled_ints"), builder.names.element(T.INT)
        with builder.block(f"for {n} in {numbers.name}:"):
            if rng.random() < 0.3:
                with builder.block(f"if {n} > {rng.randrange(40)}:"):
                    builder.emit(f"{held}.{take}()")
            builder.emit(f"{held}.{put}({n})")
        uses = {"__len__": (T.INT, f"len({held})"), "__iter__": (T.LIST_INT, f"[x for x in {held}]"),
                "__contains__": (T.BOOL, f"{rng.randrange(30)} in {held}"),
                "__getitem__": (T.INT, f"{held}[0]"), "total_value": (T.INT, f"{held}.total_value()")}
        if extra in ("__setitem__", "__delitem__"):
            builder.emit(f"{held}[0] = {rng.randrange(99)}" if extra == "__setitem__" else f"del {held}[0]")
            return builder.local(T.LIST_INT, f"{held}.{a}")
        if rng.random() < 0.4:
            builder.local(T.INT, f"{held}.{take}()")
        return builder.local(*uses[extra])

    program.uses.append(use)


def family(program: Program, style: Style) -> None:
    """A base class and one that derives from it."""
    rng = program.rng
    base, derived = claim(program, CLASSES), claim(program, CLASSES)
    a, method = rng.choice(ATTRIBUTES[T.INT]), rng.choice(("area", "cost", "points", "worth", "power", "speed"))
    lines = [f"class {base}:", f"\tdef __init__(self, {a}):", f"\t\tself.{a} = {a}", "", f"\tdef {method}(self):",
             f"\t\treturn self.{a} {rng.choice('+*-')} {rng.randrange(2, 9)}"]
    define(program, lines)
    lines = [f"class {derived}({base}):"]
    extra = rng.random() < 0.5
    if extra:
        lines += [f"\tdef __init__(self, {a}, bonus):", f"\t\tsuper().__init__({a})", "\t\tself.bonus = bonus", ""]
    lines += [f"\tdef {method}(self):",
              f"\t\treturn super().{method}() {rng.choice('+*-')} {'self.bonus' if extra else rng.randrange(2, 6)}"]
    define(program, lines)
    program.tag("inheritance")

    def use(builder: Builder) -> Variable:
        tail = f", {rng.randrange(1, 9)}" if extra else ""
        objects = builder.names.fresh(("objects", "shapes", "things", "all_items", "team"))
        builder.emit(f"{objects} = [{base}({builder.expression(T.INT, 0)[0]}), {derived}({rng.randrange(20)}{tail})]")
        if rng.random() < 0.5:
            return builder.local(T.LIST_INT, f"[o.{method}() for o in {objects}]")
        total, o = builder.local(T.INT, "0", builder.names.accumulator(T.INT)), builder.names.fresh(("o", "obj", "one"))
        with builder.block(f"for {o} in {objects}:"):
            if rng.random() < 0.4:
                with builder.block(f"if isinstance({o}, {derived}):"):
                    builder.emit(f"{total.name} += {rng.randrange(2, 20)}")
            builder.emit(f"{total.name} += {o}.{method}()")
        return total

    program.uses.append(use)


def context_manager(program: Program, style: Style) -> None:
    """A class with `__enter__` and `__exit__`."""
    rng = program.rng
    name = claim(program, ("Session", "Guard", "Recorder", "Span", "Section", "Resource"))
    swallow = rng.random() < 0.4
    define(program, [f"class {name}:", "\tdef __init__(self, log):", "\t\tself.log = log", "", "\tdef __enter__(self):",
                     f"\t\tself.log.append({rng.choice(('open', 'start', 'enter'))!r})",
                     "\t\treturn self", "", "\tdef __exit__(self, kind, error, trace):",
                     f"\t\tself.log.append({'str(error)' if swallow else repr(rng.choice(('close', 'stop', 'exit')))})",
                     f"\t\treturn {'True' if swallow else 'False'}"])
    program.tag("with")

    def use(builder: Builder) -> Variable:
        log = builder.local(T.LIST_STR, "[]", builder.names.fresh(("log", "events", "lines", "trace_")))
        with builder.block(f"with {name}({log.name}){' as ' + builder.names.fresh(('ctx', 'session', 'span_')) if rng.random() < 0.5 else ''}:"):
            builder.emit(f"{log.name}.append({builder.expression(T.STR, 1)[0]})")
            if swallow:
                with builder.block(f"if len({log.name}) > {rng.randrange(1, 3)}:"):
                    builder.emit(f"raise ValueError({rng.choice(('bad', 'oops', 'no'))!r})")
                builder.emit(f"{log.name}.append('end')")
        return log

    program.uses.append(use)


def data_class(program: Program, style: Style) -> None:
    """A dataclass with defaults and a method."""
    rng = program.rng
    name = claim(program, CLASSES)
    program.need("from dataclasses import dataclass, field" if rng.random() < 0.4
                 else "from dataclasses import dataclass")
    a, b = rng.sample(ATTRIBUTES[T.INT], 2)
    method = rng.choice(("summed", "gap", "combined", "spread"))
    tags = "field" in program.imports[-1]
    lines = ["@dataclass", f"class {name}:", f"\t{a}: int", f"\t{b}: int = {rng.randrange(10)}"]
    if tags:
        lines.append("\ttags: list = field(default_factory=list)")
    if rng.random() < 0.2:
        lines += ["", "\tdef __post_init__(self):", f"\t\tself.{b} += 1"]
    lines += ["", f"\tdef {method}(self):", f"\t\treturn self.{a} {rng.choice('+-*')} self.{b}"]
    define(program, lines)
    program.tag("dataclass")

    def use(builder: Builder) -> Variable:
        held = builder.names.fresh(("record", "entry", "obj", "rec"))
        second = rng.choice(("", f", {rng.randrange(20)}", f", {b}={rng.randrange(20)}"))
        builder.emit(f"{held} = {name}({builder.expression(T.INT, 0)[0]}{second})")
        if tags:
            builder.emit(f"{held}.tags.append({builder.expression(T.STR, 0)[0]})")
        if rng.random() < 0.5:
            builder.emit(f"{held}.{a} += {rng.randrange(1, 20)}")
        if rng.random() < 0.2:
            return builder.local(T.BOOL, f"{held} == {name}(1, 2)")
        return builder.local(T.INT, f"{held}.{method}()")

    program.uses.append(use)
